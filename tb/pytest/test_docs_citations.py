# SPDX-License-Identifier: BSD-3-Clause
"""Documents and files that sources and pages cite are in the repository: names of pages in comments,
links of pages, and paths in backticks."""

import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

import pytest

from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from docs_tools import menu  # pylint: disable=wrong-import-position

C_FAMILY = {".c", ".h", ".cpp", ".inc", ".def", ".S", ".sv", ".svh", ".v", ".vh", ".vlt", ".rdl", ".js"}
HASH_FAMILY = {".yaml", ".yml", ".cmake", ".txt", ".f", ".toml", ".in", ""}
C_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
HASH_COMMENT = re.compile(r"(?:^|\s)#[^\n]*", re.M)
PAGE = re.compile(r"(?<![\w/.*<>-])((?:\.\./)*[\w-][\w/.-]*\.md)\b")
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
IN_A_STRING = re.compile(r"(?<![\w/.-])((?:docs/[\w-]+|configs/README)\.md)\b")  # of a message
FOLDERS = ("cmake", "configs", "docs", "examples", "firmware", "models", "rtl", "scripts", "tb", "waves")
# A file or folder in backticks; an ending that several files have may be left out (`models/nand/page_store`).
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]+)`")
OF_THE_SITE = menu.MADE  # pages that only the site has: scripts/docs_tools makes them
OF_OTHERS = {"doc/proto.md"}  # of the NBD project
OF_THE_PAST = {"CHANGELOG.md": {"models/platform"}}  # what a version has moved
PLACEHOLDER = re.compile(r"\bNAME\b")  # stands for any name


def tracked():
    """Text files of the repository: git knows them, or where there is no git, all outside of builds."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        names = [name for name in done.stdout.split("\0") if name]
    else:
        names = [str(path.relative_to(ROOT)) for folder in FOLDERS for path in (ROOT / folder).rglob("*")
                 if "__pycache__" not in path.parts]
        names += [path.name for path in ROOT.iterdir()]
    return [ROOT / name for name in sorted(names) if (ROOT / name).is_file()]


def python_words(text):
    """Comments and docstrings."""
    words = [token.string for token in tokenize.generate_tokens(io.StringIO(text).readline)
             if token.type == tokenize.COMMENT]
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    words += [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return words


def comments(path, text):
    """The comments of a source; [] of what is none."""
    if path.suffix == ".py" or text.startswith("#!/usr/bin/env python"):
        return python_words(text)
    if path.suffix in C_FAMILY:
        return [found for found in C_TOKEN.findall(text) if not found.startswith('"')]
    return HASH_COMMENT.findall(text) if path.suffix in HASH_FAMILY else []


def exists(name, path, root):
    """Beside the file that names it, in docs/ or counted from the root."""
    return name in OF_THE_SITE | OF_OTHERS or bool(PLACEHOLDER.search(name)) or any(
        (folder / name).is_file() for folder in (path.parent, root / "docs", root))


def missing_of_source(path, text, root=ROOT):
    """In comments any page; in strings of what is no test those of docs/, which messages name."""
    cited = {name for comment in comments(path, text) for name in PAGE.findall(comment)}
    if not path.is_relative_to(root / "tb"):
        cited |= set(IN_A_STRING.findall(text))
    return sorted(name for name in cited if not exists(name, path, root))


def missing_of_page(path, text, root=ROOT):
    links = [name for name in LINK.findall(text) if not re.match(r"[a-z]+:", name)]
    missing = [name for name in links if not (path.parent / name).exists()]
    code = re.findall(r"`([^`\n]+)`", text)
    missing += [name for words in code for name in PAGE.findall(words) if not exists(name, path, root)]
    missing += [name for name in set(PATH.findall(text)) - OF_THE_PAST.get(path.name, set())
                if not PLACEHOLDER.search(name) and not (root / name).exists()
                and not list(root.glob(name.rstrip("/") + ".*"))]
    return sorted(set(missing))


def test_pages_that_sources_cite_exist():
    problems, seen = [], 0
    for path in tracked():
        if path.suffix in C_FAMILY | HASH_FAMILY | {".py"}:
            text = path.read_text(encoding="utf-8")
            seen += sum(len(PAGE.findall(comment)) for comment in comments(path, text))
            problems += [f"{path.relative_to(ROOT)}: {name}" for name in missing_of_source(path, text)]
    assert not problems, "\n".join(problems)
    assert seen > 100, "the search finds what sources cite"


def test_files_that_pages_cite_exist():
    problems = []
    for path in tracked():
        if path.suffix == ".md":
            text = path.read_text(encoding="utf-8")
            problems += [f"{path.relative_to(ROOT)}: {name}" for name in missing_of_page(path, text)]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name, text", [
    ("a.h", "/// Status bits (facts.md 1.2).\n"),
    ("a.c", "int a; /* see\n   docs/facts.md */\n"),
    ("a.sv", "// facts.md\n"),
    ("a.py", '"""What facts.md says."""\n'),
    ("a.py", "x = 1  # facts.md\n"),
    ("a.yaml", "a: 1  # facts.md, section 7\n"),
])
def test_a_page_that_is_not_there_is_found(tmp_path, name, text):
    found = missing_of_source(tmp_path / name, text, tmp_path)
    assert [pathlib.PurePath(page).name for page in found] == ["facts.md"]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/facts.md").write_text("# Facts\n")
    assert missing_of_source(tmp_path / name, text, tmp_path) == []


def test_a_page_that_a_message_names_is_looked_for(tmp_path):
    text = 'throw InputError("see docs/facts.md");\n'
    assert missing_of_source(tmp_path / "a.cpp", text, tmp_path) == ["docs/facts.md"]
    assert missing_of_source(tmp_path / "tb/a.cpp", text, tmp_path) == []


def test_other_strings_of_a_source_cite_nothing(tmp_path):
    assert missing_of_source(tmp_path / "a.cpp", 'f("out/small.md"); // done\n', tmp_path) == []
    assert missing_of_source(tmp_path / "a.py", 'f("out/small.md")\n', tmp_path) == []


@pytest.mark.parametrize("text", ["[a](facts.md)", "[a](facts.md#b)", "as `facts.md` 4.5 says"])
def test_a_link_of_a_page_that_leads_nowhere_is_found(tmp_path, text):
    page = tmp_path / "docs/a.md"
    page.parent.mkdir()
    assert missing_of_page(page, text, tmp_path) == ["facts.md"]
    (tmp_path / "docs/facts.md").write_text("# Facts\n\n## B\n")
    assert missing_of_page(page, text, tmp_path) == []


def test_a_path_of_a_page_that_leads_nowhere_is_found(tmp_path):
    page = tmp_path / "a.md"
    assert missing_of_page(page, "`models/a/b.h` and [c](https://x.org/d.md)", tmp_path) == ["models/a/b.h"]
    assert missing_of_page(page, "`models/a/b`, `scripts/nothing` and `models/a/`", tmp_path) == [
        "models/a/", "models/a/b", "scripts/nothing"]
    (tmp_path / "models/a").mkdir(parents=True)
    (tmp_path / "models/a/b.cpp").write_text("")
    assert missing_of_page(page, "`models/a/b` and `models/a/`", tmp_path) == []
