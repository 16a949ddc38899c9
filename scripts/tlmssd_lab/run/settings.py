# SPDX-License-Identifier: BSD-3-Clause
"""Keys of a configuration, and Python values as the texts of `--set key=value`."""

from __future__ import annotations

import functools
import json
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.run.named import SCHEMA, installed


def settings_of(values: Mapping[str, Any]) -> dict[str, str]:
    """Dotted keys and the texts of their values, in the order given; a later one replaces an
    earlier.

    A key is dotted ("host.queue_depth"), has double underscores for the dots (host__queue_depth),
    or names a map whose keys are below it ({"host": {"queue_depth": 8}}).
    """
    texts: dict[str, str] = {}
    _add(texts, "", values)
    return texts


def _add(texts: dict[str, str], section: str, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if not isinstance(name, str) or not name:
            raise LabInputError(f"{section or 'settings'}: a key must be a text, not {name!r}")
        key = f"{section}.{name}" if section else name
        key = key.replace("__", ".")
        if isinstance(value, Mapping):
            _add(texts, key, value)
        else:
            texts[key] = text_of(key, value)


def text_of(key: str, value: Any) -> str:
    """`value` as the configuration writes it: true and false, exact numbers, lists in brackets."""
    if hasattr(value, "tolist"):
        value = value.tolist()  # of NumPy
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (list, tuple)):
        return json.dumps(value)
    raise LabInputError(f"{key}: a {type(value).__name__} is no value of a key")


# Keys whose value may be a file; --set takes it from the folder where one is.
_FILES = ("nand", "dram.timing")


def with_files(settings: Mapping[str, str], folder: pathlib.Path) -> dict[str, str]:
    """Files are named from `folder`, where the text of the settings stands."""
    return {
        key: str((folder / text).resolve()) if key in _FILES and (folder / text).is_file() else text
        for key, text in settings.items()
    }


def split_setting(text: str, option: str) -> tuple[str, str]:
    """("a.b", "c") of "a.b=c"; `option` is named where the text has another form."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise LabInputError(f"{option} '{text}': must be KEY=VALUE, as in host.queue_depth=8")
    return key, value


@functools.cache
def _schema() -> Mapping[str, Any]:
    """configs/schema.json of the repository or of the program's installation."""
    for folder in installed():
        return json.loads((folder / SCHEMA).read_text(encoding="utf-8"))
    raise LabInputError(
        "no configs/schema.json: it is in the repository and in share/tlmssd of an installation"
    )


def unknown_key(key: str) -> str:
    """The message on a key that is none of known_keys()."""
    renamed = _schema()["x-renamed"].get(key)
    if renamed:
        return f"was renamed to '{renamed}'"
    return f"is no key of a configuration{nearest(key, known_keys())}"


@functools.cache
def known_keys() -> frozenset[str]:
    """All dotted keys of a configuration, from the schema."""
    schema = _schema()
    found: set[str] = set()

    def add(place: Mapping[str, Any], before: str) -> None:
        for choice in [place, *place.get("oneOf", ())]:
            if "$ref" in choice:
                choice = schema["$defs"][choice["$ref"].rpartition("/")[2]]
            for name, value in (choice.get("properties") or {}).items():
                found.add(before + name)
                add(value, f"{before}{name}.")

    add(schema, "")
    return frozenset(found)
