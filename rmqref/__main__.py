"""`python -m rmqref`."""

import sys

from rmqref.cli import main

sys.exit(main())
