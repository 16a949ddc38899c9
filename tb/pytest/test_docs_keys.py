# SPDX-License-Identifier: BSD-3-Clause
"""Keys of the configuration and of results that pages name in backticks or in lists exist."""

import json
import re

import pytest

from cli import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SCHEMAS = ("configs/schema.json", "docs/reference/results.schema.json", "docs/reference/replay.schema.json",
           "docs/reference/guest.schema.json", "docs/reference/sample.schema.json")
PART = r"[a-z][a-z0-9_]*(?:\[\])?"
# `a.b`, `a.b: value`, `a.b=value`; and a.b.{c,d} anywhere.
KEY = re.compile(rf"`({PART}(?:\.{PART})+)(?:[:=][^`\n]*)?`")
GROUP = re.compile(rf"(?<![\w./-])({PART}(?:\.{PART})*)\.\{{([\w\[\]., ]+)\}}(?![\w./-])")
FILE = re.compile(r"\.(?:md|ya?ml|json|h|c|cpp|py|sv|v|def|rdl|f|csv|cfg|gz|zst|xz|fst|png|svg|html|parquet)$")
# What begins like a key on these pages and is something else.
OTHERS = {
    "checker.md": {"config.onfi"},                                           # a member of C++
    "o3-registers.md": {"status.busy", "status.window_full", "status.cq_any"},  # fields of registers
    "speed-before-after.md": {"wall.wheel_events"},                          # a result of an older revision
    "waves.md": {"host.outstanding", "host.completed"},                      # signals of a wave
}


def paths(schema, node, at=()):
    """Names of all properties below `node`, with dots; those of an array stand for its entries."""
    if "$ref" in node:
        target = schema
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        yield from paths(schema, target, at)
    for name, inner in node.get("properties", {}).items():
        yield ".".join((*at, name))
        yield from paths(schema, inner, (*at, name))
    for inner in [node.get("items"), node.get("additionalProperties"), *node.get("oneOf", []),
                  *node.get("anyOf", []), *node.get("allOf", [])]:
        if isinstance(inner, dict):
            yield from paths(schema, inner, at)


def known():
    found = set()
    for name in SCHEMAS:
        schema = json.loads((ROOT / name).read_text(encoding="utf-8"))
        found |= set(paths(schema, schema))
    return found


@pytest.fixture(name="keys", scope="module")
def _keys():
    return known()


def named(text):
    """Keys that a text names, without []."""
    for name in KEY.findall(text):
        if not FILE.search(name):
            yield name.replace("[]", "")
    for before, names in GROUP.findall(text):
        for name in set(names.split(",")) - {"..."}:
            yield f"{before}.{name.strip()}".replace("[]", "")


def unknown(text, keys, others=frozenset()):
    """Those that begin with a section of the configuration or of results and are no key, and no end of
    one (`reads.iops` of host.reads.iops)."""
    sections = {key.split(".")[0] for key in keys}
    ends = {key.split(".", n)[n] for key in keys for n in range(key.count(".") + 1)}
    return sorted({name for name in named(text)
                   if name.split(".")[0] in sections and name not in ends and name not in others})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_keys_that_a_page_names_exist(page, keys):
    assert unknown(page.read_text(encoding="utf-8"), keys, OTHERS.get(page.name, frozenset())) == []


def test_pages_name_many_keys(keys):
    found = {name for page in PAGES for name in named(page.read_text(encoding="utf-8"))} & keys
    assert len(found) > 300, len(found)


def test_a_key_that_is_none_is_found(keys):
    assert unknown("`nvme.weights` and `nvme.queues: 4`", keys) == ["nvme.weights"]
    assert unknown("flash.parallelism.{none, die}", keys) == ["flash.parallelism.die"]
    assert unknown("flash.channels[].{busy,reads}", keys) == ["flash.channels.busy"]
    assert unknown("`host.h` and `models.py`", keys) == []
