#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the language of pages, messages and public comments (docs/contributing/language.md).

Usage: check_language.py [PATH ...]    files or folders; without one, all that the rules cover

Prints `file:line: rule: words; write instead` for each finding and ends with status 1 where there
is one. Exceptions stand in scripts/language_exceptions.txt, each with its reason.
"""

import ast
import pathlib
import re
import subprocess
import sys
from typing import Iterator, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXCEPTIONS = ROOT / "scripts/language_exceptions.txt"
USER_PARTS = ("start", "guides", "reference", "explanation")
# Pages that a program writes: their tables are as long as what they list.
GENERATED = {
    "docs/reference/results.md", "docs/reference/o3-registers.md", "docs/reference/command-line.md",
    "docs/reference/python.md", "docs/reference/catalogue.md", "docs/reference/compatibility.md",
    "configs/README.md",
}
MOST_LINES = 150
MOST_COLUMNS = 120
MOST_ROWS = 40

NOUN = (r"bytes|pages|blocks|cycles|operations|rows?|columns?|dies|planes|ms|MB|IOPS|bits|"
        r"seconds|points?|seeds?|units|packages|channels|entries|sectors|queues|rounds")
PER = (r"page|block|plane|die|LUN|package|channel|row|point|request|command|operation|cycle|unit|"
       r"seed|run|scheduler|device|byte|bit|entry|drive|core|burst|queue|sector|edge|second")
VERB_LIKE = "requests|commands|times|reads|writes|programs|erases|lines|steps|files|events"


class Rule(NamedTuple):
    name: str
    pattern: re.Pattern
    instead: str


def _rule(name: str, pattern: str, instead: str) -> Rule:
    return Rule(name, re.compile(pattern), instead)


RULES = (
    _rule("told", r"\b([Tt]ells|[Tt]elling|told)\b", "reports, shows, completes"),
    _rule("free-relative", r"(?:^|[.;:] )(?:What(?:ever)?|Who(?:ever)?) (?![^.?!]*\?)[a-z]",
          "name the thing: 'the tests also need ...'"),
    _rule("who", r"(?<!those )(?<!anyone )(?<!people )(?<!everyone )(?<!reader )(?<!readers )"
          r"(?<!users )(?<!user )\bwho (?:has|is|does|finds|goes|works|asks|wants|needs)\b",
          "name the thing"),
    _rule("behind", r"\b(?:right|just|long|directly) behind\b|\bbehind (?:the |an? |its )?"
          r"(?:start|end|erase|boot|read|program|write|command|request|operation)s?\b", "after"),
    _rule("anew", r"\banew\b", "again"),
    _rule("ever", r"(?<!n't )(?<!not )\bever\b", "'-', or a number"),
    _rule("manieth", r"\bmanieth\b", "the ordinal number"),
    _rule("ratio", rf"\b(?:{NOUN}) an? (?:{PER})\b|\b(?:{VERB_LIKE}) a second\b", "per"),
    _rule("goes-with", r"\b(?:go|goes|going) (?:only |well )?(?:together )?with\b|\bgo together\b",
          "requires, conflicts with, belongs to"),
    _rule("has-not", r"\b[Hh](?:as|ave) not (?!been\b|yet\b|\w+(?:ed|en|un|ne|lt|ft|nt|ld|id|ut|et)\b)",
          "lacks"),
    _rule("is-there", r"\b(?:that|which|who) (?:is|are) (?:not )?there\b|"
          r"\b(?:is|are) (?:not )?there(?=[.,;:)]|$)", "exists"),
    _rule("so-many", r"\b[Ss]o many\b|\b[Aa]s ever\b|\bin the midst\b|\bwithout more ado\b",
          "a number, or nothing"),
    _rule("pronoun", r"\b[Oo]f these\b|\b[Tt]he same, but\b|\bthis and the next\b|\b[Ll]ikewise\b",
          "repeat the noun"),
    _rule("besides", r"\bbesides(?=[.,;:)]|$)", "also, in addition"),
    _rule("percent", r"\bper ?cent\b", "%"),
    _rule("metaphor", r"\b(?:houses?|rooms?|seams?|furnished)\b", "module, layer, interface"),
    _rule("chip", r"\b[Cc]hips?\b(?! [Ee]nables?\b)", "package, die or target"),
    _rule("collection", r"(?<![Gg]arbage[\s-])\b[Cc]ollection\b", "garbage collection, GC"),
    _rule("words", r"\b(?:live disks?|smart controllers?|under way|corners|[Rr]aces?|[Tt]he lab)\b",
          "NBD server; launch-recognising prefetcher; outstanding; datasheet figures; comparison; "
          "Python tools"),
)
MICROSECONDS = _rule("microseconds", r"\d us\b", "µs (on pages; us in code and tables)")


class Piece(NamedTuple):
    """Words of a file that a reader sees: where they begin, and the rules that hold."""

    line: int
    text: str
    rules: tuple[Rule, ...]


def main(words: list[str]) -> int:
    if any(word.startswith("-") for word in words):
        asked = words[0] in ("-h", "--help")
        print(__doc__.strip(), file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    excused = exceptions(EXCEPTIONS.read_text(encoding="utf-8"))
    found, used = [], set()
    for path in covered(words):
        name = str(path.relative_to(ROOT))
        for line, rule, text, instead in check(name, path.read_text(encoding="utf-8")):
            key = next((key for key in excused
                        if key[:2] == (name, rule) and key[2] in text), None)
            if key is None:
                found.append(f"{name}:{line}: {rule}: {text}; write instead: {instead}")
            else:
                used.add(key)
    if not words:
        found += [f"{EXCEPTIONS.relative_to(ROOT)}: not needed: {' | '.join(key)}"
                  for key in excused if key not in used]
    print("\n".join(found) or "language: nothing found")
    return 1 if found else 0


def exceptions(text: str) -> list[tuple[str, str, str]]:
    """Lines `file | rule | words | reason`."""
    listed = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) != 4 or not all(cells):
            raise SystemExit(f"{EXCEPTIONS.name}:{number}: file | rule | words | reason")
        listed.append((cells[0], cells[1], cells[2]))
    return listed


def covered(words: list[str]) -> list[pathlib.Path]:
    """The files that are looked at, tracked ones where git is at hand."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    names = [name for name in done.stdout.split("\0") if name] or [
        str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
    wanted = [pathlib.Path(word).resolve() for word in words]
    paths = [ROOT / name for name in sorted(names) if kind(name)]
    return [path for path in paths if path.is_file() and (
        not wanted or any(path == place or path.is_relative_to(place) for place in wanted))]


def kind(name: str) -> str:
    """page, header, source (messages), python (help and messages), or "" for other files."""
    if name in ("README.md", "CONTRIBUTING.md", "configs/README.md"):
        return "page"
    if name.startswith("docs/") and name.endswith(".md"):
        return "page"
    if name.startswith(("models/", "firmware/")):
        if name.endswith(".h"):
            return "header"
        if name.endswith((".cpp", ".c", ".def")):
            return "source"
    if name.startswith("scripts/tlmssd_lab/") and name.endswith(".py"):
        return "python"
    return ""


def check(name: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    what = kind(name)
    if what == "page":
        yield from shape(name, text)
        parts = page(name, text)
    elif what == "python":
        parts = python(text)
    else:
        parts = c_family(text, what == "header")
    for piece in parts:
        for rule in piece.rules:
            for found in rule.pattern.finditer(piece.text):
                around = piece.text[max(0, found.start() - 25):found.end() + 25].strip()
                line = piece.line + piece.text.count("\n", 0, found.start())
                yield line, rule.name, around.replace("\n", " "), rule.instead


def shape(name: str, text: str) -> Iterator[tuple[int, str, str, str]]:
    """Length of a page, of its lines and of its tables."""
    lines = text.rstrip("\n").split("\n")
    user = name.startswith(tuple(f"docs/{part}/" for part in USER_PARTS)) and name not in GENERATED
    most = 120 if name == "README.md" else MOST_LINES
    if (user or name == "README.md") and len(lines) > most:
        yield len(lines), "length", f"{len(lines)} lines", f"{most} lines at most: split it"
    fenced, rows = False, 0
    for number, line in enumerate(lines, 1):
        fenced ^= line.startswith("```")
        code = fenced or line.startswith(("    ", "```", "!["))
        table = line.startswith("|")
        plain = re.sub(r"\]\([^)]*\)", "]", line)
        if len(plain) > MOST_COLUMNS and not (code or table or name in GENERATED):
            yield number, "columns", line[:40], f"{MOST_COLUMNS} columns at most"
        rows = rows + 1 if table and not fenced else 0
        if user and rows == MOST_ROWS + 3:
            yield number, "rows", line[:40], f"{MOST_ROWS} rows at most on a user's page"


def page(name: str, text: str) -> Iterator[Piece]:
    """Paragraphs, and rows of tables, without code, link targets and comments."""
    rules = RULES + (MICROSECONDS,)
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.S)
    fenced, kept, begin = False, [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        code = fenced or line.startswith("```") or (line.startswith("    ") and not kept)
        fenced ^= line.startswith("```")
        row = line.startswith("|")
        if not code and not row and line.strip():
            begin = begin or number
            kept.append(_words(line))
            continue
        if kept:
            yield Piece(begin, "\n".join(kept), rules)
        kept, begin = [], 0
        if row and not code:
            yield Piece(number, _words(line), RULES)


def _words(line: str) -> str:
    line = re.sub(r"`[^`]*`", "`", line)
    return re.sub(r"\]\([^)]*\)", "]", re.sub(r"<[^>]*>", "", line))


C_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|\'(?:[^\'\\\n]|\\.)+\'', re.S)


def c_family(text: str, comments: bool) -> Iterator[Piece]:
    """Messages: strings of three words and more. Of a header also its comments."""
    for found in C_TOKEN.finditer(text):
        token, line = found[0], text.count("\n", 0, found.start()) + 1
        if token.startswith('"'):
            if len(token.split()) >= 3 and not text[:found.start()].endswith("#include "):
                yield Piece(line, token[1:-1], RULES)
        elif comments and token.startswith("/"):
            yield Piece(line, re.sub(r"^/[/*]+<? ?", "", token), RULES)


def python(text: str) -> Iterator[Piece]:
    """Strings of three words and more: help, messages and docstrings."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if len(node.value.split()) >= 3:
                yield Piece(node.lineno, node.value, RULES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
