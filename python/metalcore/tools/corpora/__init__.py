"""Compiles folders of kernels and says what passes: `python -m metalcore.tools.corpora DIR`.

Every kernel of every `.metal` file is taken to machine code. What fails is counted by cause, the
most frequent first, so that one sees what to mend or to rewrite next.
"""
