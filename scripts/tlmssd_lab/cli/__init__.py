# SPDX-License-Identifier: BSD-3-Clause
"""The command tlmssd-lab: one file per subcommand. `main(arguments)` returns the exit status."""

from tlmssd_lab.cli.command import main

__all__ = ["main"]
