# SPDX-License-Identifier: BSD-3-Clause
"""Gathers the pages of the site: those of docs/ as they are, links out of docs/ led to where they
belong, and the pages of the notebook left out of the search."""

import os
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPOSITORY = "source"  # files that are no pages stand below this folder of the site
RENAMED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "configs/README.md": "reference/configuration.md",
}
LINK = re.compile(r"(\]\()([^)#\s]+)(#[^)\s]*)?(\))")
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
ASSETS = ("tlmssd.css", "iframe-worker.js")  # beside this file


def gather(out: pathlib.Path) -> None:
    pages = sorted((ROOT / "docs").rglob("*.md")) + [ROOT / name for name in RENAMED]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        text = LINK.sub(lambda found: _link(found, page, out), text)
        copy = out / page_name(page)
        copy.parent.mkdir(parents=True, exist_ok=True)
        before = NOT_SEARCHED if page.is_relative_to(ROOT / "docs/notebook") else ""
        copy.write_text(before + _fences(text), encoding="utf-8")
    shutil.copytree(ROOT / "docs/images", out / "images", ignore=shutil.ignore_patterns("src"))
    (out / "assets").mkdir()
    for name in ASSETS:
        shutil.copy(pathlib.Path(__file__).parent / name, out / "assets" / name)
    for schema in (ROOT / "docs/reference").glob("*.schema.json"):
        shutil.copy(schema, out / "reference" / schema.name)


def page_name(page: pathlib.Path) -> str:
    """Where a page lies in the site."""
    docs = ROOT / "docs"
    inside = page.relative_to(docs) if page.is_relative_to(docs) else page.relative_to(ROOT)
    return RENAMED.get(str(page.relative_to(ROOT)), str(inside))


def _link(found: re.Match, page: pathlib.Path, out: pathlib.Path) -> str:
    """A link of `page` as the site needs it; a file that is no page is copied beside the pages."""
    opening, target, anchor, closing = found.groups()
    if re.match(r"[a-z]+:", target):
        return found[0]
    path = pathlib.Path(os.path.normpath(page.parent / target))
    try:
        inside = str(path.relative_to(ROOT))
    except ValueError:
        return found[0]
    if inside in RENAMED:
        target = RENAMED[inside]
    elif path.is_relative_to(ROOT / "docs") and not path.is_relative_to(ROOT / "docs/images/src"):
        target = str(path.relative_to(ROOT / "docs"))
    elif path.is_file():
        copy = out / REPOSITORY / (inside + ".txt")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
        target = f"{REPOSITORY}/{inside}.txt"
    elif path.is_dir():
        listing = out / REPOSITORY / inside / "index.txt"
        listing.parent.mkdir(parents=True, exist_ok=True)
        names = sorted(entry.name for entry in path.iterdir())
        listing.write_text("\n".join(names) + "\n", encoding="utf-8")
        target = f"{REPOSITORY}/{inside}/index.txt"
    else:
        return found[0]
    target = os.path.relpath(target, os.path.dirname(page_name(page)) or ".")
    return f"{opening}{target}{anchor or ''}{closing}"


def _fences(text: str) -> str:
    """Python-Markdown wants an empty line before a list or a table that follows a paragraph; the
    pages are written for readers that do not."""
    lines, result, fenced = text.split("\n"), [], False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        before = lines[number - 1] if number else ""
        starts = re.match(r"(- |\d+\. |\| ?)", line)
        follows = before.strip() and not re.match(r"\s*(- |\d+\. |\|)|\s{2,}", before)
        if starts and follows and not fenced:
            result.append("")
        result.append(line)
    return "\n".join(result)
