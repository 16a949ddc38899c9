# SPDX-License-Identifier: BSD-3-Clause
"""Terminals: whether a stream is one, its width, and colour."""

from __future__ import annotations

import os
from typing import TextIO

GREEN, RED, BOLD = "32", "31", "1"


def is_terminal(stream: TextIO) -> bool:
    """False also for a closed stream and for the terminal type `dumb`."""
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except ValueError:
        return False


def has_colour(stream: TextIO) -> bool:
    """NO_COLOR (not empty) forbids colour. Otherwise FORCE_COLOR (neither empty nor 0) demands it.
    Otherwise a terminal has colour and a pipe or file has none."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return is_terminal(stream)


def columns(stream: TextIO) -> int:
    """Width of the stream's terminal in characters; 80 where it is unknown."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def printable(text: str) -> str:
    """`text` without characters that steer a terminal: those are written as numbers."""
    return "".join(c if c == "\n" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)


class Painter:
    """Colours text, or leaves it as it is where `on` is false."""

    def __init__(self, on: bool = False) -> None:
        self.on = on

    def paint(self, text: str, *codes: str) -> str:
        """`text` in the colours; spaces at both ends stay outside, so that they can be cut off."""
        core = text.strip(" ")
        if not self.on or not core or not codes:
            return text
        return text.replace(core, f"\x1b[{';'.join(codes)}m{core}\x1b[0m")

    def judged(self, text: str, change: float, better: str) -> str:
        """Green for a change to the better side, red for the other. `better`: "higher", "lower", or
        empty where neither side is better."""
        if not better or change == 0:
            return text
        return self.paint(text, GREEN if (change > 0) == (better == "higher") else RED)


PLAIN = Painter()
