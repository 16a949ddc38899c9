# SPDX-License-Identifier: BSD-3-Clause
"""Options that pages name are those of the programs: in commands of the program and verb that they
belong to, elsewhere of any. The help texts are those of this build."""

import re
import sys

import pytest

from cli import ROOT
from conftest import binary_path
from test_docs_commands import PAGES, commands

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from docs_tools import command_line
from docs_tools.programs import Programs

OPTION = re.compile(r"(?<![\w-])(--[a-z][\w-]*)")
SHORT = re.compile(r"(?<![\w-])(-[a-zA-Z])(?![\w-])")
CODE = re.compile(r"`([^`\n]+)`")
# A command inside a sentence begins with its program.
INLINE = re.compile(r"(?:build/release/bin/|\.venv/bin/)?(tlmssd-keys|tlmssd-results|tlmssd-lab|tlmssd-tools|tlmssd"
                    r"|scripts/[\w-]+)(?=\s|$)")
# Options of other programs, by the program that has them.
OF_OTHERS = {
    "cmake": {"--install"},
    "fio": {"--gtod_reduce", "--iodepth_batch_submit", "--iodepth_batch_complete_min", "--write_iolog"},
    "GoogleTest": {"--gtest_output"},
    "valgrind --tool=callgrind": {"--cache-sim", "--dump-instr"},
    "verilator": {"--cc", "--coverage-fsm", "--sc", "--x-assign", "--x-initial"},
}
HIDDEN = {"scripts/bench": {"--check-arguments"}}  # in no help


class Help:
    """Which options each program and verb has."""

    def __init__(self, texts):
        self.options = {name: set(OPTION.findall(text)) | set(SHORT.findall(text)) for name, text in texts.items()}
        self.all = set().union(*self.options.values(), *OF_OTHERS.values(), *HIDDEN.values())

    def of(self, words):
        """Those of the longest name that `words` begin with."""
        name = words[0].rsplit("/", 1)[-1] if not words[0].startswith("scripts/") else words[0]
        name = "tlmssd-lab" if name == "tlmssd-tools" else name
        best = name
        for word in words[1:]:
            if f"{best} {word}" not in self.options:
                break
            best = f"{best} {word}"
        return best, self.options.get(best)

    def unknown(self, command):
        """Options of a command that its program lacks; of a program without help nothing is known."""
        first = re.split(r"\s[|;&>]|;\s|\s--\s", command)[0].split()
        while first and re.fullmatch(r"\w+=\S*", first[0]):  # A=b tlmssd run
            first = first[1:]
        name, options = self.of(first)
        if options is None:
            return [f"{name}: no such program"]
        unquoted = re.sub(r"'[^']*'|\"[^\"]*\"", "", " ".join(first))
        return [f"{name} {option}" for option in OPTION.findall(unquoted) + SHORT.findall(unquoted)
                if option not in options | HIDDEN.get(name, set())]


def problems(text, helps):
    """Of the sentences of a page: `--option` of any program, `program verb --option` of that."""
    found = []
    for code in CODE.findall(re.sub(r"(?ms)^```.*?^```", "", text)):
        match = INLINE.match(code)
        if match and match.start() == 0 and "--" in code:
            found += [each for each in helps.unknown(code[match.start(1):]) if "no such program" not in each]
        elif not match and code.startswith("--"):
            found += [option for option in OPTION.findall(code.split("=")[0]) if option not in helps.all]
    return found


@pytest.fixture(name="helps", scope="module")
def _helps():
    programs = Programs(binary_path().resolve().parent)
    texts = {}
    for program, _ in command_line.PROGRAMS:
        texts |= {" ".join(words): text for words, text in command_line.tree(programs, [program])}
    texts |= {name: programs.help([name]) for name in command_line.scripts()}
    return Help(texts)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_options_that_a_page_names_exist(page, helps):
    text = page.read_text(encoding="utf-8")
    found = [f"{at}: {each}" for at, command in commands(page)
             for each in helps.unknown(re.sub(r"^(?:\w+=\S+ )*(?:\$BUILD/bin/)", "", command))]
    assert found + problems(text, helps) == []


def test_many_options_are_looked_at(helps):
    named = {option for page in PAGES for _, command in commands(page) for option in OPTION.findall(command)}
    assert len(named) > 40, named
    assert len(helps.options["tlmssd run"]) > 15 and "--seeds" in helps.options["tlmssd-lab compare"]


HELP = {"tlmssd": "Usage: --version", "tlmssd run": "--out TEXT  -s,--set TEXT", "tlmssd-lab": "--version",
        "tlmssd-lab diff": "-o, --out", "scripts/docs": "--serve"}


@pytest.mark.parametrize("command, wrong", [
    ("tlmssd run a.yaml --out x --set a=b -s c=d", []),
    ("tlmssd run a.yaml --output x", ["tlmssd run --output"]),
    ("tlmssd run a.yaml -o x", ["tlmssd run -o"]),
    ("build/release/bin/tlmssd run --set 'a=--b' | grep --color", []),
    ("tlmssd-tools diff a b --set c=d", ["tlmssd-lab diff --set"]),
    ("A=b scripts/docs --server", ["scripts/docs --server"]),
    ("tlmssd --out x", ["tlmssd --out"]),
    ("scripts/nothing --x", ["scripts/nothing: no such program"]),
])
def test_an_option_that_a_command_lacks_is_found(command, wrong):
    assert Help(HELP).unknown(command) == wrong


@pytest.mark.parametrize("text, wrong", [
    ("see `--set a.b=c` and `--serve`", []),
    ("see `--sett a=b`", ["--sett"]),
    ("`tlmssd run --serve` does", ["tlmssd run --serve"]),
    ("`tlmssd run` and `x --nothing`", []),
    ("`cmake` has `--install`", []),
    ("```\n`--sett`\n```\n", []),
])
def test_an_option_that_a_sentence_names_is_looked_for(text, wrong):
    assert problems(text, Help(HELP)) == wrong
