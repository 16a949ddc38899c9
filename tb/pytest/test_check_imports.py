# SPDX-License-Identifier: BSD-3-Clause
"""The import check finds each planted violation in a copy of the Python tools, and nothing in this repository."""
import shutil
import subprocess
import sys

import pytest

from cli import ROOT

SCRIPT = ROOT / "scripts/check_imports.py"
LAB = "scripts/tlmssd_lab"


def check(root):
    done = subprocess.run([sys.executable, SCRIPT, "--root", root], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout.splitlines()


@pytest.fixture
def tree(tmp_path):
    """A copy of the Python tools."""
    shutil.copytree(ROOT / LAB, tmp_path / LAB, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def plant(tree, name, text):
    """`text` at the end of a file, which is made where it does not exist."""
    path = tree / LAB / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write(text)


def line_of(tree, name, text):
    return (tree / LAB / name).read_text(encoding="utf-8").splitlines().index(text) + 1


def only_problem(tree):
    """The one violation that is found."""
    status, lines = check(tree)
    assert status == 1 and len(lines) == 2, lines
    assert lines[1] == "check_imports: 1 violations"
    return lines[0]


def test_this_repository_has_no_violation():
    status, lines = check(ROOT)
    assert status == 0, "\n".join(lines)


def test_a_copy_passes(tree):
    status, lines = check(tree)
    files = len(list((tree / LAB).rglob("*.py")))
    assert (status, lines) == (0, [f"check_imports: every import points downward ({files} files)"])


@pytest.mark.parametrize("name, text, message", [
    ("files.py", "from tlmssd_lab.run.process import ROOT", "base may not import run/process.py"),
    ("run/bad.py", "from tlmssd_lab.compare.diff import Interval", "run may not import compare/diff.py"),
    ("run/bad.py", "from tlmssd_lab.compare import diff", "run may not import compare/diff.py"),
    ("run/bad.py", "import tlmssd_lab.compare.diff", "run may not import compare/diff.py"),
    ("run/bad.py", "from ..compare import diff", "run may not import compare/diff.py"),
    ("run/bad.py", "from ..compare.diff import Interval", "run may not import compare/diff.py"),
    ("report/timeline/bad.py", "from ...compare import diff", "report may not import compare/diff.py"),
    ("fit/bad.py", "from tlmssd_lab.sweep.plan import Plan", "fit may not import sweep/plan.py"),
    ("sweep/bad.py", "from tlmssd_lab.report import build_report", "sweep may not import report/__init__.py"),
    ("figures/bad.py", "from tlmssd_lab.cli.figure import call", "figures may not import cli/figure.py"),
    ("compare/bad.py", "from tlmssd_lab import lab", "compare may not import lab.py"),
    ("api/bad.py", "from tlmssd_lab import lab", "api may not import lab.py"),
    ("api/bad.py", "from tlmssd_lab import __version__", "api may not import __init__.py"),
    ("api/bad.py", "from tlmssd_lab.cli import command", "api may not import cli/command.py"),
])
def test_an_upward_import_is_found(tree, name, text, message):
    plant(tree, name, f"\n{text}\n")
    assert only_problem(tree) == f"{LAB}/{name}:{line_of(tree, name, text)}: {message}"


@pytest.mark.parametrize("before, text", [
    ("def late():\n", "    from tlmssd_lab.compare.diff import Interval"),
    ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n", "    from tlmssd_lab.compare.diff import Interval"),
    ("try:\n    import nothing\nexcept ImportError:\n", "    import tlmssd_lab.compare.diff"),
])
def test_an_upward_import_counts_wherever_it_stands(tree, before, text):
    plant(tree, "run/process.py", f"\n\n{before}{text}\n")
    line = line_of(tree, "run/process.py", text)
    assert only_problem(tree) == f"{LAB}/run/process.py:{line}: run may not import compare/diff.py"


@pytest.mark.parametrize("before, text", [
    ("", "from tlmssd_lab.run.settings import text_of"),
    ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n", "    from tlmssd_lab.run.settings import text_of"),
    ("def late():\n", "    from tlmssd_lab.run import settings"),
])
def test_a_circle_is_found(tree, before, text):
    """settings.py imports named.py already."""
    plant(tree, "run/named.py", f"\n\n{before}{text}\n")
    line = line_of(tree, "run/named.py", text)
    circle = "run/named.py imports run/settings.py imports run/named.py"
    assert only_problem(tree) == f"{LAB}/run/named.py:{line}: a circle: {circle}"


def test_a_circle_of_three_is_one_violation(tree):
    plant(tree, "run/a.py", "from tlmssd_lab.run import b\n")
    plant(tree, "run/b.py", "from tlmssd_lab.run import c\n")
    plant(tree, "run/c.py", "from tlmssd_lab.run import a, b\n")
    circle = "run/a.py imports run/b.py imports run/c.py imports run/a.py"
    assert only_problem(tree) == f"{LAB}/run/a.py:1: a circle: {circle}"


def test_a_file_that_imports_itself_is_a_circle(tree):
    plant(tree, "run/a.py", "\nfrom tlmssd_lab.run import a\n")
    assert only_problem(tree) == f"{LAB}/run/a.py:2: a circle: run/a.py imports run/a.py"


def test_an_unknown_package_is_found(tree):
    plant(tree, "novel/__init__.py", "")
    plant(tree, "novel/thing.py", "from tlmssd_lab.run.process import ROOT\n")
    assert only_problem(tree) == (f"{LAB}/novel:0: a package that the table in check_imports.py "
                                  "does not name")


def test_a_package_that_is_gone_is_found(tree):
    shutil.rmtree(tree / LAB / "calibrate")
    (tree / LAB / "cli/calibrate.py").write_text("", encoding="utf-8")
    assert only_problem(tree) == (f"{LAB}:0: has no calibrate, which the table in check_imports.py "
                                  "names")


@pytest.mark.parametrize("name, text, place, message", [
    ("run/bad.py", "import tlmssd_lab.run.nothing.at_all", "run/bad.py:1", "there is no tlmssd_lab.run.nothing.at_all"),
    ("run/bad.py", "from .... import outside", "run/bad.py:1", "a relative import leaves tlmssd_lab"),
    ("run/bad.py", "import importlib; importlib.import_module('x')", "run/bad.py:1", "an import by a name"),
    ("run/bad.py", "import (", "run/bad.py:1", "cannot be parsed"),
    ("run/deep/bad.py", "", "run/deep:0", "without __init__.py"),
])
def test_what_cannot_be_checked_is_found(tree, name, text, place, message):
    plant(tree, name, text)
    found = only_problem(tree)
    assert found.startswith(f"{LAB}/{place}: ") and message in found


def test_a_folder_without_the_python_tools_is_refused(tmp_path):
    assert check(tmp_path)[0] == 2
