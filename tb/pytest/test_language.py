# SPDX-License-Identifier: BSD-3-Clause
"""scripts/check_language.py: each rule finds its planted sentence and lets the good one pass."""

import importlib.util
import re
import subprocess
import sys

import pytest

from cli import ROOT

_SPEC = importlib.util.spec_from_file_location("check_language", ROOT / "scripts/check_language.py")
check_language = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(check_language)

PAGE = "docs/guides/a.md"
# (rule, what it finds, what says the same)
SENTENCES = [
    ("told", "The host is told the status.", "The controller reports the status."),
    ("told", "It tells how many there were.", "It counts them."),
    ("free-relative", "What the tests need is a disk.", "The tests need a disk."),
    ("free-relative", "It is slow. What helps is a cache.", "What does it cost?"),
    ("who", "It says who has the bus.", "It is for a reader who wants more."),
    ("behind", "A read behind an erase waits.", "A read after an erase waits."),
    ("behind", "It comes right behind it.", "The bus behind it is idle."),
    ("anew", "The count starts anew.", "The count starts again."),
    ("ever", "No memory is ever reset.", "It hasn't ever, however, every time."),
    ("manieth", "It counts the how manieth read it is.", "It counts the ordinal of the read."),
    ("ratio", "It needs four blocks a plane.", "It needs four blocks per plane."),
    ("ratio", "It does 40,000 requests a second.", "It does 40,000 requests per second."),
    ("goes-with", "It does not go with snapshots.", "It conflicts with snapshots."),
    ("has-not", "The device has not a cache.", "The device has not been erased, it has not moved."),
    ("is-there", "It looks whether the file is there.", "It looks whether the file exists, and is there a disk?"),
    ("so-many", "It reads so many pages.", "It reads 8 pages."),
    ("pronoun", "It is the sum of these.", "It is the sum of the waits."),
    ("besides", "It is slow besides.", "It is also slow, besides the disk there is none."),
    ("percent", "It is 20 per cent faster.", "It is 20 % faster."),
    ("percent", "It is 20 percent faster.", "It is at the 99th percentile."),
    ("metaphor", "There is no room for it.", "There is no space for it."),
    ("chip", "Two chips share a bus.", "Two packages share a bus."),
    ("collection", "Collection starts early.", "Garbage collection starts early."),
    ("words", "One operation is under way.", "One operation is outstanding."),
    ("microseconds", "It takes 50 us.", "It takes 50 µs."),
]


def rules(name, text):
    return [rule for _, rule, _, _ in check_language.check(name, text)]


@pytest.mark.parametrize("rule, bad, good", SENTENCES, ids=[f"{r}-{n}" for n, (r, _, _) in enumerate(SENTENCES)])
def test_a_rule_finds_its_sentence_and_lets_the_good_one_pass(rule, bad, good):
    assert rule in rules(PAGE, f"# A\n\n{bad}\n")
    assert rule not in rules(PAGE, f"# A\n\n{good}\n")


def test_every_rule_has_a_sentence_and_a_row_in_the_page():
    named = {rule.name for rule in (*check_language.RULES, check_language.MICROSECONDS)}
    assert named == {rule for rule, _, _ in SENTENCES}
    page = (ROOT / "docs/contributing/language.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| `(.*?)` \| .* \|$", page, re.M))
    assert set(rows) == named
    for rule, found in rows.items():
        assert rule in rules(PAGE, f"{found}\n"), f"the example of {rule} is not found"
    for rule, good in re.findall(r"^\| `([\w-]+)` \| `.*?` \| (.*) \|$", page, re.M):
        assert rule not in rules(PAGE, f"{good.split('. In')[0]}\n"), f"the other example of {rule} is found"


@pytest.mark.parametrize("name, most", [(PAGE, 150), ("README.md", 120)])
def test_the_length_of_a_page(name, most):
    assert "length" not in rules(name, "a\n" * most)
    assert "length" in rules(name, "a\n" * (most + 1))
    assert "length" not in rules("docs/notebook/a.md", "a\n" * 900)
    assert "length" not in rules("docs/reference/catalogue.md", "a\n" * 900)


def test_the_columns_of_a_line():
    assert "columns" not in rules(PAGE, "a" * 120 + "\n")
    assert "columns" in rules(PAGE, "a" * 121 + "\n")
    assert "columns" not in rules(PAGE, "| " + "a" * 130 + " |\n"), "a table"
    assert "columns" not in rules(PAGE, "```\n" + "a" * 130 + "\n```\n"), "code"
    assert "columns" not in rules(PAGE, f"[{'a' * 100}](../{'b' * 60}.md)\n"), "the target of a link"


def test_the_rows_of_a_table():
    head, row = "| a |\n|---|\n", "| b |\n"
    assert "rows" not in rules(PAGE, head + row * 40)
    assert rules(PAGE, head + row * 60).count("rows") == 1
    assert "rows" not in rules("docs/notebook/a.md", head + row * 60)
    assert "rows" not in rules(PAGE, (head + row * 40 + "\n") * 2), "two tables"


def test_code_links_and_comments_of_a_page_are_no_words():
    for text in ("`two chips`", "[a](two-chips.md)", "<!-- two chips -->", "```\ntwo chips\n```", "    two chips"):
        assert rules(PAGE, text + "\n") == [], text
    assert rules(PAGE, "| two chips |\n") == ["chip"], "a table is"
    assert rules(PAGE, "| 50 us |\n") == [], "us is right in tables"


def test_lines_are_those_of_the_words():
    found = list(check_language.check(PAGE, "# A\n\nOne line.\nTwo\nchips. A chip.\n"))
    assert [(line, rule) for line, rule, _, _ in found] == [(5, "chip"), (5, "chip")]


def test_of_a_source_only_messages_are_words():
    assert rules("models/a/a.cpp", '// two chips\nfail("two chips here");\nx("chips");\n') == ["chip"]
    assert rules("models/a/a.h", "/// Two chips.\nint chips;\n") == ["chip"]
    assert rules("firmware/hal/a.def", 'A(X, "the two chips")\n') == ["chip"]
    assert rules("models/a/a.cpp", '#include "two chips here"\n') == []


def test_of_the_python_tools_strings_are_words():
    assert rules("scripts/tlmssd_lab/a.py", '"""Two chips here."""\nchips = 1  # two chips\n') == ["chip"]


def test_files_that_are_covered():
    assert [check_language.kind(name) for name in (
        "README.md", "docs/a/b.md", "configs/README.md", "models/a.h", "firmware/a.c", "firmware/hal/a.def",
        "scripts/tlmssd_lab/a/b.py")] == ["page", "page", "page", "header", "source", "source", "python"]
    assert [check_language.kind(name) for name in (
        "CHANGELOG.md", "tb/a.cpp", "rtl/a.sv", "scripts/test", "scripts/check_layers.py")] == [""] * 5


@pytest.fixture(name="tree")
def _tree(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "docs/guides").mkdir(parents=True)
    (tmp_path / "scripts/check_language.py").write_text((ROOT / "scripts/check_language.py").read_text())
    (tmp_path / "scripts/language_exceptions.txt").write_text("# comment\n")
    (tmp_path / "docs/guides/a.md").write_text("# A\n\nTwo chips.\n")
    return tmp_path


def check(tree, *words):
    return subprocess.run([sys.executable, tree / "scripts/check_language.py", *words], cwd=tree,
                          capture_output=True, text=True, check=False)


def test_the_program_reports_findings_with_their_place(tree):
    done = check(tree)
    assert done.returncode == 1
    assert done.stdout == "docs/guides/a.md:3: chip: Two chips.; write instead: package, die or target\n"
    (tree / "docs/guides/b.md").write_text("Good.\n")
    assert check(tree, "docs/guides/b.md").stdout == "language: nothing found\n"
    assert check(tree, "docs/guides").returncode == 1


def test_an_exception_excuses_its_words_alone(tree):
    listed = tree / "scripts/language_exceptions.txt"
    listed.write_text("docs/guides/a.md | chip | Two chips | the maker's word\n")
    assert (check(tree).returncode, check(tree).stdout) == (0, "language: nothing found\n")
    (tree / "docs/guides/a.md").write_text("Two chips.\n\nOne chip.\n")
    assert check(tree).stdout.count("\n") == 1 and "One chip" in check(tree).stdout


def test_an_exception_that_is_not_needed_is_reported(tree):
    (tree / "docs/guides/a.md").write_text("Two packages.\n")
    (tree / "scripts/language_exceptions.txt").write_text("docs/guides/a.md | chip | Two chips | why\n")
    done = check(tree)
    assert done.returncode == 1
    assert done.stdout == ("scripts/language_exceptions.txt: not needed: docs/guides/a.md | chip | Two chips\n")
    assert check(tree, "docs").returncode == 0, "only when all is looked at"


def test_an_exception_without_a_reason_is_an_error(tree):
    (tree / "scripts/language_exceptions.txt").write_text("docs/guides/a.md | chip | Two chips\n")
    done = check(tree)
    assert done.returncode == 1 and done.stderr == "language_exceptions.txt:1: file | rule | words | reason\n"


def test_help_and_wrong_options(tree):
    assert (check(tree, "--help").returncode, check(tree, "--helpp").returncode) == (0, 2)
    assert "Usage: check_language.py" in check(tree, "--help").stdout
