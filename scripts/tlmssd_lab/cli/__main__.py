# SPDX-License-Identifier: BSD-3-Clause
"""python -m tlmssd_lab.cli"""

import sys

from tlmssd_lab.cli.command import main

if __name__ == "__main__":
    sys.exit(main())
