# SPDX-License-Identifier: BSD-3-Clause
"""The menu of the site, from the folders of docs/: mkdocs.yml (extra.menu) gives the order of pages,
and a page that it does not name stands at the end of its folder."""

import pathlib
from typing import Iterator

import yaml

from docs_tools import interfaces, pages

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("start", "guides", "reference", "explanation", "contributing")
# Pages outside their folder: from outside docs/, and the short page that leads to architecture and contracts.
OF_OTHER_PLACES = {"contributing": ["contributing.md", "changelog.md"], "explanation": ["architecture.md"]}
NOTEBOOK = "notebook/index.md"  # its one entry in the menu


class MenuError(Exception):
    """The order of mkdocs.yml names a page that does not exist."""


def write(out: pathlib.Path) -> None:
    """out/mkdocs.yml: the settings with the menu."""
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    docs = out / "docs"
    settings |= {"docs_dir": "docs", "site_dir": "site", "nav": menu(settings["extra"].pop("menu"), docs)}
    (out / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


def menu(order: dict, docs: pathlib.Path) -> list:
    """`order`: by folder, a list of pages and of groups {title: pages}, by their names without .md."""
    entries = [{"Home": "index.md"}]
    for folder in FOLDERS:
        found = set(_pages(docs, folder))
        listed = [_entry(item, folder, found) for item in order.get(folder, [])]
        rest = sorted(found - set(named(listed)))
        entries.append({folder.capitalize(): listed + rest})
    if set(order) - set(FOLDERS):
        raise MenuError(f"mkdocs.yml: extra.menu: no such folder: {sorted(set(order) - set(FOLDERS))[0]}")
    return entries


def named(entries: list) -> Iterator[str]:
    """The pages of a menu."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for value in entry.values():
                yield from [value] if isinstance(value, str) else named(value)


def _pages(docs: pathlib.Path, folder: str) -> list[str]:
    found = [str(page.relative_to(docs)) for page in (docs / folder).rglob("*.md")]
    return found + OF_OTHER_PLACES.get(folder, []) + (
        [NOTEBOOK] if folder == "contributing" else [])


def _entry(item, folder: str, found: set[str]):
    """A page by its name, or a group; `decisions/` stands for all pages of that folder."""
    if isinstance(item, dict):
        title, items = next(iter(item.items()))
        inner = []
        for each in items:
            if each.endswith("/"):
                inner += sorted((page for page in found if page.startswith(f"{folder}/{each}")),
                                key=lambda page: (not page.endswith("/index.md"), page))
            else:
                inner.append(_entry(each, folder, found))
        return {title: inner}
    for page in (f"{folder}/{item}.md", f"{item}.md"):
        if page in found:
            return page
    raise MenuError(f"mkdocs.yml: extra.menu.{folder}: no such page: {item}")


# The pages that only the site has.
MADE = {f"reference/{name}" for name in interfaces.PAGES} | set(pages.RENAMED.values())
