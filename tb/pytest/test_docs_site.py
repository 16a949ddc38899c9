# SPDX-License-Identifier: BSD-3-Clause
"""The documentation's site: scripts/docs builds it, nothing is left out, links lead somewhere."""

import importlib.util
import subprocess

import pytest
import yaml

from cli import ROOT

_SPEC = importlib.util.spec_from_file_location("docs_pages", ROOT / "scripts/docs_pages.py")
docs_pages = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(docs_pages)


@pytest.fixture(scope="module")
def site():
    done = subprocess.run([ROOT / "scripts/docs"], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "out/site/index.html\n"
    return ROOT / "out/site"


def test_every_page_of_docs_is_in_the_menu_and_in_the_site(site):
    def pages_of(menu):
        for entry in menu:
            for value in entry.values():
                yield from [value] if isinstance(value, str) else pages_of(value)

    named = set(pages_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    assert pages <= named, pages - named
    for page in named:
        assert (site / page.replace(".md", ".html")).is_file(), page


def test_the_reference_has_the_interfaces_of_the_sources(site):
    page = (site / "reference/c.html").read_text()
    assert "hal_next_event" in page and "struct sched_ops" in page.replace("\n", " ")
    page = (site / "reference/sv.html").read_text()
    assert "o3_controller" in page and "op_valid_i" in page
    page = (site / "reference/cpp.html").read_text()
    assert "class Ssd" in page and "firmware_image.h" not in page, "includes are left out"
    assert "cpu.mhz" in (site / "reference/configuration.html").read_text()


def test_private_parts_are_left_out():
    shown = docs_pages.declarations(
        "// SPDX-License-Identifier: BSD-3-Clause\n// What it is.\n#pragma once\n"
        "class A {\npublic:\n    void seen() { now(); }\n\nprivate:\n    struct B {\n        int b;\n"
        "    };\n    int hidden_;\n};\n\nvoid after();\n")
    assert shown[0] == "What it is."
    assert "seen" in shown[1] and "after" in shown[1] and shown[1].count("};") == 1
    assert "hidden_" not in shown[1] and "int b" not in shown[1]


def test_links_out_of_docs_lead_to_copies(tmp_path):
    page = ROOT / "docs/explanation/gc.md"
    convert = lambda text: docs_pages.LINK.sub(
        lambda found: docs_pages._link(found, page, tmp_path), text)
    assert convert("[a](../../configs/README.md)") == "[a](../reference/configuration.md)"
    assert convert("[a](../guides/compare.md#figure)") == "[a](../guides/compare.md#figure)"
    assert convert("[a](dftl.md)") == "[a](dftl.md)"
    assert convert("[a](https://x.org/y)") == "[a](https://x.org/y)"
    assert convert("[a](../../LICENSE)") == "[a](../source/LICENSE.txt)"
    assert (tmp_path / "source/LICENSE.txt").read_text() == (ROOT / "LICENSE").read_text()


def test_links_of_a_page_in_a_folder_start_there(tmp_path):
    page = ROOT / "docs/contributing/decisions/index.md"
    convert = lambda text: docs_pages.LINK.sub(
        lambda found: docs_pages._link(found, page, tmp_path), text)
    assert convert("[a](../../explanation/gc.md)") == "[a](../../explanation/gc.md)"
    assert convert("[a](index.md)") == "[a](index.md)"
    assert convert("[a](../../../configs/README.md)") == "[a](../../reference/configuration.md)"
    assert convert("[a](../../../LICENSE)") == "[a](../../source/LICENSE.txt)"


def test_a_link_that_leads_nowhere_is_an_error(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/index.md").write_text("# A\n\n[b](nowhere.md)\n")
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text())
    settings |= {"docs_dir": "docs", "site_dir": "site", "nav": [{"A": "index.md"}]}
    (tmp_path / "mkdocs.yml").write_text(yaml.safe_dump(settings))
    done = subprocess.run([ROOT / ".venv/bin/python", "-m", "mkdocs", "build", "--strict"],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "nowhere.md" in done.stderr + done.stdout
