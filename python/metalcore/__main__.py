"""`python -m metalcore`."""

import sys

from metalcore._cli import main

if __name__ == "__main__":
    sys.exit(main())
