# SPDX-License-Identifier: BSD-3-Clause
"""The drawings of docs/images: as their sources, readable, and made from runs where they show runs."""

import importlib
import json
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from cli import ROOT

SOURCES = ROOT / "docs/images/src"


@pytest.fixture(scope="module")
def source():
    """Imports a module of docs/images/src."""
    sys.path.insert(0, str(SOURCES))
    yield importlib.import_module
    sys.path.remove(str(SOURCES))


def test_each_drawing_is_what_its_source_renders():
    done = subprocess.run([sys.executable, SOURCES / "render.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_drawing_that_was_edited_by_hand_is_named(source, tmp_path, monkeypatch):
    render = source("render")
    found = render.drawings()
    for name, text in found.items():
        (tmp_path / f"{name}.svg").write_text(text)
    monkeypatch.setattr(render, "OUT", tmp_path)
    assert render.check(found) == []
    (tmp_path / "geometry.svg").write_text(found["geometry"].replace("plane", "plain"))
    (tmp_path / "o3.svg").unlink()
    lines = render.check(found)
    assert len(lines) == 2 and "geometry.svg: differs" in lines[0] + lines[1] and "o3.svg: missing" in lines[0] + lines[1]


def test_each_drawing_has_a_title_a_role_both_themes_and_few_lines(source):
    for name, text in source("render").drawings().items():
        root = ElementTree.fromstring(text)
        assert root.get("role") == "img" and len(root[0].text) > 10, name
        light, dark = text.split("@media (prefers-color-scheme:dark)")
        used = set(re.findall(r'class="([^"]+)"', dark)) - {"head"}
        known = set(re.findall(r"\.([\w]+)[,{]", light))
        assert {word for words in used for word in words.split()} - {"t"} <= known, name
        assert text.count("\n") <= 150, name


def test_no_text_leaves_its_drawing(source):
    """By a width of 0.57 of the size for each letter."""
    sizes = {"s": 11, "k": 11, "w": 11, "m": 12}
    for name, text in source("render").drawings().items():
        width = int(re.search(r'width="(\d+)"', text)[1])
        for kind, x, words in re.findall(r'<text class="([^"]+)" x="([\d.]+)" y="[\d.]+">([^<]*)<', text):
            long = 0.57 * len(words) * next((sizes[k] for k in kind.split() if k in sizes), 13)
            left = float(x) - (0 if "l" in kind.split() else long if "r" in kind.split() else long / 2)
            assert left >= 0 and left + long <= width, (name, words)


def test_strips_and_lives_are_what_the_program_does_today(source, tlmssd):
    strips, life = source("strips"), source("life")
    assert json.loads(strips.DATA.read_text()) == strips.run(tlmssd.path), "strips.py --run TLMSSD"
    assert json.loads(life.DATA.read_text()) == life.run(tlmssd.path), "life.py --run TLMSSD"


def test_each_scheduler_has_a_strip_and_a_section(source):
    names = [name for name, _ in source("strips").schedulers()]
    page = (ROOT / "docs/explanation/schedulers.md").read_text()
    for name in names:
        assert f"## `{name}`" in page and f"images/scheduler-{name}.svg" in page, name
    assert page.count("images/scheduler-") == len(names)
