"""Tools beside the package: `python -m metalcore.tools.NAME`."""
