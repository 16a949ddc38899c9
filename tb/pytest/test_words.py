# SPDX-License-Identifier: BSD-3-Clause
"""Identifiers, keys and results use the words of docs/reference/glossary.md: a table of words that may not come back."""

import dataclasses
import json
import re

import pytest

from cli import ROOT
from test_docs_keys import paths

SUFFIXES = {".c", ".h", ".cpp", ".def", ".sv", ".svh"}
SCHEMAS = ("configs/schema.json", "docs/reference/results.schema.json", "docs/reference/replay.schema.json",
           "docs/reference/guest.schema.json", "docs/reference/sample.schema.json")
# Comments, strings, and lines that include a file, are no identifiers.
NO_NAMES = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^\s*[#`]include[^\n]*""", re.DOTALL | re.MULTILINE)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


@dataclasses.dataclass(frozen=True)
class Word:
    """Not in identifiers of these folders, but where `allowed` is all of one; `keys`: nor in keys and results."""
    banned: tuple
    use: str
    folders: tuple = ("models", "firmware", "rtl")
    allowed: str = ""
    keys: bool = True


WORDS = (
    Word(("room", "rooms", "house", "furnished"), "module", allowed="room"),  # a local variable: space that is left
    Word(("seam", "seams"), "interface"),
    Word(("wheel", "wheels"), "event queue"),
    Word(("chip", "chips"), "package, target or die", allowed="chip_enables?|kMaxChipEnables"),  # CE# is ONFI's word
    Word(("transaction", "transactions"), "page operation or flash operation"),
    # The places of NCQ and AHCI commands, of a ring and of a table are slots; a page of the write buffer is not.
    Word(("slot", "slots"), "cache line", ("firmware/buffer", "firmware/hil", "firmware/sched", "models/probes")),
    Word(("bind", "binds", "binding", "unbound"), "assign or place", ("firmware",)),
    Word(("bound",), "assigned", ("firmware",), keys=False),
    Word(("collection",), "gc", ("firmware",)),
    Word(("told", "kept", "late"), "completed, pending, timeout", ("rtl/o3", "models/flash/o3"), keys=False),
    Word(("look", "inside"), "request, outstanding", ("rtl/o3", "models/flash/o3", "models/flash/rtl"),
         allowed="tables_inside"),
    Word(("corner", "corners"), "datasheet figure"),
    Word(("race", "races"), "comparison"),
    Word(("smart",), "launch-recognising prefetcher"),
    Word(("lab",), "Python tools"),
)


def parts(name):
    """Words of an identifier: of snake_case, CamelCase and UPPER_CASE."""
    return {part.lower() for part in PART.findall(name)}


def wrong(name, word):
    return bool(parts(name) & set(word.banned)) and not re.fullmatch(word.allowed, name)


def sources(root, folder):
    return sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES)


def identifiers(path):
    return set(re.findall(r"[A-Za-z_]\w*", NO_NAMES.sub("", path.read_text(encoding="utf-8"))))


def wrong_identifiers(root, word):
    """FILE: NAME of each identifier that has one of the banned words."""
    return [f"{path.relative_to(root)}: {name}" for folder in word.folders for path in sources(root, folder)
            for name in sorted(identifiers(path)) if wrong(name, word)]


def wrong_keys(root, word):
    """FILE: KEY of each key of the configuration or of the results whose last name has one of the banned words."""
    found = []
    for name in SCHEMAS:
        schema = json.loads((root / name).read_text(encoding="utf-8"))
        keys = {key.replace("[]", "") for key in paths(schema, schema)}
        found += [f"{name}: {key}" for key in sorted(keys) if wrong(key.rsplit(".", 1)[-1], word)]
    return found


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.banned[0])
def test_no_identifier_has_an_old_word(word):
    assert wrong_identifiers(ROOT, word) == [], f"the word is {word.use} (docs/reference/glossary.md)"


@pytest.mark.parametrize("word", [word for word in WORDS if word.keys], ids=lambda word: word.banned[0])
def test_no_key_and_no_result_has_an_old_word(word):
    assert wrong_keys(ROOT, word) == [], f"the word is {word.use} (docs/reference/glossary.md)"


@pytest.mark.parametrize("name", ["kRoomBytes", "fw_room", "FW_ROOM_HIL", "rooms_", "RoomRig"])
@pytest.mark.parametrize("folder", ["models/nand", "firmware/core", "rtl/o3"])
def test_a_planted_identifier_is_found(tmp_path, folder, name):
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "planted.h").write_text(f'// room\nint {name}; /* rooms */ f("a room");\n', encoding="utf-8")
    assert wrong_identifiers(tmp_path, WORDS[0]) == [f"{folder}/planted.h: {name}"]


def test_a_planted_key_is_found(tmp_path):
    for name in SCHEMAS:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        inner = {"properties": {"chip_enables": {}, "chips": {}}} if "config" in name else {}
        (tmp_path / name).write_text(json.dumps({"properties": {"geometry": inner}}), encoding="utf-8")
    chip = next(word for word in WORDS if "chip" in word.banned)
    assert wrong_keys(tmp_path, chip) == ["configs/schema.json: geometry.chips"]


@pytest.mark.parametrize("name", ["room", "chip_enables", "headroom", "seamless", "chipped"])
def test_other_words_are_not_taken_for_old_ones(name):
    assert not any(wrong(name, word) for word in WORDS if word.banned[0] in ("room", "seam", "chip"))
