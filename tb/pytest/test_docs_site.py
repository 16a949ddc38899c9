# SPDX-License-Identifier: BSD-3-Clause
"""The documentation's site: scripts/docs builds it, nothing is left out, links lead somewhere."""

import re
import subprocess
import sys

import pytest
import yaml

from cli import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from docs_tools import interfaces, menu, pages  # pylint: disable=wrong-import-position


@pytest.fixture(scope="module")
def site():
    done = subprocess.run([ROOT / "scripts/docs"], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "out/site/index.html\n"
    return ROOT / "out/site"


def test_every_page_of_docs_is_in_the_menu_and_in_the_site(site):
    named = set(menu.named(yaml.safe_load((ROOT / "out/mkdocs.yml").read_text())["nav"]))
    found = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    notebook = {page for page in found if page.startswith("notebook/")} - {"notebook/index.md"}
    assert found - notebook <= named, found - notebook - named
    assert not notebook & named, "the notebook has one entry in the menu"
    for page in named | found:
        assert (site / page.replace(".md", ".html")).is_file(), page


def test_the_notebook_has_a_list_and_is_not_searched(site):
    listing = (site / "notebook/index.html").read_text()
    for page in (ROOT / "docs/notebook").glob("*.md"):
        assert page.stem == "index" or f'href="{page.stem}.html"' in listing, page.name
    searched = set(re.findall(r'"location":"([^"#]+)', (site / "search/search_index.js").read_text()))
    assert "reference/glossary.html" in searched
    assert not [place for place in searched if place.startswith("notebook/")]


def test_nothing_is_loaded_from_elsewhere(site):
    for page in site.rglob("*.html"):
        for tag in re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page.read_text()):
            assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", tag), f"{page.name}: {tag}"


def test_the_search_finds_a_word_where_the_site_is_opened_as_a_file(site, driver):
    driver.get((site / "start/tutorial.html").resolve().as_uri() + "?q=glossary")
    script = "return [...document.querySelectorAll('.md-search-result__link')].map(a => a.href)"
    from selenium.webdriver.support.ui import WebDriverWait
    found = WebDriverWait(driver, 30, 0.1).until(lambda d: d.execute_script(script))
    assert any("reference/glossary.html" in place for place in found), found


def test_the_switch_makes_the_page_dark(site, driver):
    driver.get((site / "reference/glossary.html").resolve().as_uri())
    scheme = "return document.body.getAttribute('data-md-color-scheme')"
    before = driver.execute_script(scheme)
    driver.execute_script("document.querySelector('label[for^=__palette]:not([hidden])').click()")
    assert {before, driver.execute_script(scheme)} == {"default", "slate"}


def test_the_menu_has_the_order_of_the_settings_and_then_the_rest(tmp_path):
    for name in ("start/a", "start/b", "start/c", "contributing/d", "contributing/decisions/001-x",
                 "contributing/decisions/index"):
        page = tmp_path / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("# A\n")
    order = {"start": ["c", {"More": ["a"]}], "contributing": [{"Decisions": ["decisions/"]}]}
    made = {title: value for entry in menu.menu(order, tmp_path) for title, value in entry.items()}
    assert made["Start"] == ["start/c.md", {"More": ["start/a.md"]}, "start/b.md"]
    assert made["Contributing"][0] == {"Decisions": ["contributing/decisions/index.md",
                                                     "contributing/decisions/001-x.md"]}
    assert "contributing/d.md" in made["Contributing"] and "notebook/index.md" in made["Contributing"]
    with pytest.raises(menu.MenuError, match="extra.menu.start: no such page: d"):
        menu.menu({"start": ["d"]}, tmp_path)
    with pytest.raises(menu.MenuError, match="no such folder: strat"):
        menu.menu({"strat": ["a"]}, tmp_path)


def test_the_reference_has_the_interfaces_of_the_sources(site):
    page = (site / "reference/c.html").read_text()
    assert "hal_next_event" in page and "struct sched_ops" in page.replace("\n", " ")
    page = (site / "reference/sv.html").read_text()
    assert "o3_controller" in page and "op_valid_i" in page
    page = (site / "reference/cpp.html").read_text()
    assert "class Ssd" in page and "firmware_image.h" not in page, "includes are left out"
    assert "cpu.mhz" in (site / "reference/configuration.html").read_text()


def test_private_parts_are_left_out():
    shown = interfaces.declarations(
        "// SPDX-License-Identifier: BSD-3-Clause\n// What it is.\n#pragma once\n"
        "class A {\npublic:\n    void seen() { now(); }\n\nprivate:\n    struct B {\n        int b;\n"
        "    };\n    int hidden_;\n};\n\nvoid after();\n")
    assert shown[0] == "What it is."
    assert "seen" in shown[1] and "after" in shown[1] and shown[1].count("};") == 1
    assert "hidden_" not in shown[1] and "int b" not in shown[1]


def test_links_out_of_docs_lead_to_copies(tmp_path):
    page = ROOT / "docs/explanation/gc.md"
    convert = lambda text: pages.LINK.sub(
        lambda found: pages._link(found, page, tmp_path), text)
    assert convert("[a](../../configs/README.md)") == "[a](../reference/configuration.md)"
    assert convert("[a](../guides/compare.md#figure)") == "[a](../guides/compare.md#figure)"
    assert convert("[a](dftl.md)") == "[a](dftl.md)"
    assert convert("[a](https://x.org/y)") == "[a](https://x.org/y)"
    assert convert("[a](../../LICENSE)") == "[a](../source/LICENSE.txt)"
    assert (tmp_path / "source/LICENSE.txt").read_text() == (ROOT / "LICENSE").read_text()


def test_links_of_a_page_in_a_folder_start_there(tmp_path):
    page = ROOT / "docs/contributing/decisions/index.md"
    convert = lambda text: pages.LINK.sub(
        lambda found: pages._link(found, page, tmp_path), text)
    assert convert("[a](../../explanation/gc.md)") == "[a](../../explanation/gc.md)"
    assert convert("[a](index.md)") == "[a](index.md)"
    assert convert("[a](../../../configs/README.md)") == "[a](../../reference/configuration.md)"
    assert convert("[a](../../../LICENSE)") == "[a](../../source/LICENSE.txt)"


def test_a_link_that_leads_nowhere_is_an_error(tmp_path):
    (tmp_path / "docs/notebook").mkdir(parents=True)
    (tmp_path / "docs/index.md").write_text("# A\n\n[b](nowhere.md)\n")
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    settings |= {"docs_dir": "docs", "site_dir": "site", "nav": [{"A": "index.md"}]}
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    done = subprocess.run([ROOT / ".venv/bin/python", "-m", "mkdocs", "build", "--strict"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "nowhere.md" in done.stderr + done.stdout
