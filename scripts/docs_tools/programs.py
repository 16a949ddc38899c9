# SPDX-License-Identifier: BSD-3-Clause
"""Runs the programs that the generated pages of the reference describe."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


class ProgramError(Exception):
    """A program that a page needs is missing or did not do what it was asked for."""


class Programs:
    """The programs of one build, the Python tools and the scripts."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder

    def run(self, words: list[str], timeout: float = 120, cwd: pathlib.Path = ROOT) -> subprocess.CompletedProcess:
        """`words`: name and arguments. Help has 100 columns and no colours."""
        environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb",
                       "TLMSSD": str(self.folder / "tlmssd"), "PYTHONPATH": str(ROOT / "scripts")}
        return subprocess.run(self.command(words), cwd=cwd, env=environment, text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout)

    def command(self, words: list[str]) -> list[str]:
        name = words[0]
        if name == "tlmssd-lab":
            return [sys.executable, "-m", "tlmssd_lab.cli", *words[1:]]
        path = ROOT / name if name.startswith("scripts/") else self.folder / name
        if not path.is_file():
            raise ProgramError(f"{path} is missing: run scripts/build, or set TLMSSD_BIN")
        if path.suffix == ".py":
            return [sys.executable, str(path), *words[1:]]
        return [str(path), *words[1:]]

    def help(self, words: list[str]) -> str:
        """What `words --help` prints."""
        done = self.run([*words, "--help"])
        if done.returncode != 0 or not done.stdout.strip():
            raise ProgramError(f"{' '.join(words)} --help ended with {done.returncode}: {done.stderr.strip()}")
        text = done.stdout.replace(str(ROOT) + "/", "")
        return "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))

    def verbs(self, text: str) -> list[str]:
        """The subcommands that a help text lists: CLI11's section, or argparse's below the word COMMAND."""
        for head, indent in ((r"subcommands[^\n]*:", 2), (r"  [A-Z]+", 4)):
            section = re.search(rf"^{head}\n((?: {{{indent},}}\S.*\n?)+)", text, re.M | re.I)
            if section:
                return re.findall(rf"^ {{{indent}}}([a-z][\w-]*)\b", section[1], re.M)
        return []
