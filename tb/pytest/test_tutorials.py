# SPDX-License-Identifier: BSD-3-Clause
"""The tutorials of docs/start/: each step is run as it stands, in one folder a page that looks like a clone, and prints
what the page states. Those that build something are run by tb/conformance/page and test_own_rtl.py."""
import os
import re

import pytest

import tutorial
from conftest import binary_path
from test_docs_commands import workplace
from tutorial import PAGES, ROOT

SET_UP = re.compile(r"scripts/setup --for (lab|test)\b")


@pytest.fixture(scope="module", params=PAGES, ids=lambda page: page.stem)
def followed(request, tmp_path_factory):
    """(page, [(step, status, what it printed)])"""
    page = request.param
    folder = workplace(tmp_path_factory.mktemp(page.stem))
    variables = {"TLMSSD": str(binary_path()), "PYTHONPATH": str(ROOT / "scripts"), "DISPLAY": "",
                 "PATH": f"{binary_path().parent}:{os.environ['PATH']}"}
    taken = tutorial.steps(page.read_text(encoding="utf-8"))
    return page, [(step, *tutorial.run(step.script, folder, **variables)) for step in taken]


def test_each_step_works(followed):
    page, taken = followed
    assert len(taken) >= 3
    for step, status, printed in taken:
        assert status == 0, f"{page.name}:{step.line}: status {status}\n{printed[-3000:]}"


def test_each_step_prints_what_the_page_states(followed):
    page, taken = followed
    compared = [(step, printed) for step, _, printed in taken if step.output]
    assert len(compared) >= 3
    for step, printed in compared:
        assert tutorial.agrees(step.output, printed), \
            f"{page.name}:{step.line} states\n{step.output}\nand it printed\n{printed[-5000:]}"


def test_a_wrong_number_in_a_page_is_found(followed):
    """Each number that a page states, changed by one digit, in turn."""
    _, taken = followed
    tried = 0
    for step, _, printed in taken:
        for digit in re.finditer(r"\d", step.output if tutorial.agrees(step.output, printed) else ""):
            wrong = f"{step.output[:digit.start()]}{9 - int(digit[0])}{step.output[digit.end():]}"
            assert not tutorial.agrees(wrong, printed), f"line {step.line}: {wrong}"
            tried += 1
    assert tried >= 20


@pytest.mark.parametrize("page", sorted((ROOT / "docs/start").glob("*.md")), ids=lambda page: page.stem)
def test_a_page_names_its_set_up_before_its_first_step(page):
    text = page.read_text(encoding="utf-8")
    found, first = SET_UP.search(text), re.search(r"^(```sh$|    \S)", text, re.MULTILINE)
    assert found and first and found.start() < first.end() + 40


def test_dots_stand_for_lines_and_for_words():
    printed = "a 1\nb 2\nc 3 x\n"
    for stated in ("a 1\nb 2\nc 3 x\n", "...\nc 3 x\n", "a 1\n...\n", "...\nb 2\n...\n", "a 1\n...\nc ... x\n", "...\n"):
        assert tutorial.agrees(stated, printed), stated
    for stated in ("a 1\n", "b 2\n...\n", "a 1\nc 3 x\n", "...\nb 3\n...\n", "a 1\n...\nb ...\n", "a ...\nx\n...\n"):
        assert not tutorial.agrees(stated, printed), stated


def test_output_belongs_to_the_block_directly_before_it():
    page = "```sh\none\n```\n\n```text\n1\n```\n\n```sh\ntwo\n```\n\nWords.\n\n```text\n2\n```\n"
    assert [(step.script, step.output) for step in tutorial.steps(page)] == [("one\n", "1\n"), ("two\n", "")]


def test_the_fault_script_that_the_guide_shows_is_the_file():
    shown = re.findall(r"^```text\n(at .*?)^```$", (ROOT / "docs/guides/faults.md").read_text(encoding="utf-8"),
                       re.DOTALL | re.MULTILINE)
    assert len(shown) == 1 and (ROOT / "configs/faults/example.txt").read_text(encoding="utf-8").endswith(shown[0])
