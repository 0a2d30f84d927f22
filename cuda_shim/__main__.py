"""``python -m cuda_shim``."""

import sys

from cuda_shim.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
