# SPDX-License-Identifier: BSD-3-Clause
"""Files of `configs/` by name: `default` is the device file configs/ssd/default.yaml, and
`randread-4k` the workload configs/workloads/randread-4k.yaml, from any working directory."""

from __future__ import annotations

import os
import pathlib

from tlmssd_lab.errors import LabInputError, nearest
from tlmssd_lab.run.process import ROOT, find_binary

DEVICES, WORKLOADS, NAND = "ssd", "workloads", "nand"
EXPERIMENTS, SWEEPS, FITS = "experiments", "sweeps", "fits"
SCHEMA = "schema.json"


Program = str | os.PathLike[str] | None


def installed(program: Program = None) -> list[pathlib.Path]:
    """The folders `configs` of the repository that this package is in, and of the installation of
    `program` (default: the program that find_binary() finds)."""
    found = [ROOT / "configs"]
    try:
        binary = find_binary(program).resolve()  # a link on PATH leads to the installation
        found.append(binary.parent.parent / "share/tlmssd/configs")
        found.append(binary.parent.parent.parent.parent / "configs")  # of build/release/bin/tlmssd
    except LabInputError:
        pass  # without a program; what runs one reports that
    return [folder for folder in dict.fromkeys(found) if (folder / SCHEMA).is_file()]


def folders(program: Program = None) -> list[pathlib.Path]:
    """The folder `configs` of the working directory, where it exists, and those of installed()."""
    here = pathlib.Path("configs")
    return [*([here] if here.is_dir() else []), *installed(program)]


def find(kind: str, name: str, program: Program = None) -> pathlib.Path | None:
    """The file of a name such as "default" in the folder `kind` of a `configs`; None without one."""
    for folder in folders(program):
        path = folder / kind / f"{name}.yaml"
        if path.is_file():
            return path
    return None


def names(kind: str, program: Program = None) -> list[str]:
    """All names that find() knows; a file whose name begins with _ is a part of others."""
    found = {path.stem for folder in folders(program) for path in (folder / kind).glob("*.yaml")}
    return sorted(name for name in found if not name.startswith("_"))


def is_name(text: str | os.PathLike[str]) -> bool:
    """Whether `text` has the form of a name: without a folder and without the end of a file."""
    text = os.fspath(text)
    return bool(text) and "/" not in text and not text.endswith((".yaml", ".yml", ".fio"))


def config_path(config: str | os.PathLike[str], program: Program = None) -> pathlib.Path:
    """The device file that `config` names: a file; a file of the repository, as configs/ssd/x.yaml;
    or a device's name. Another path is returned as it is: the program reports it. LabInputError for
    a name that no device has."""
    path = pathlib.Path(config)
    if path.is_absolute() or path.is_file():
        return path
    if (ROOT / path).is_file():
        return ROOT / path
    if not is_name(config):
        if path.parts[:1] == ("configs",):  # as in the repository, from an installation
            for folder in installed(program):
                if (folder.parent / path).is_file():
                    return folder.parent / path
        return path
    found = find(DEVICES, str(config), program)
    if found is None:
        hint = nearest(str(config), names(DEVICES, program))
        raise LabInputError(
            f"no device '{config}' and no file of this name (looked for {config}.yaml in "
            f"configs/ssd; `tlmssd list devices` names all){hint}"
        )
    return found


def file_path(kind: str, file: str | os.PathLike[str]) -> pathlib.Path:
    """The sweep, fit or experiment that `file` names: a file, or the name of one in `kind`. Another
    path is returned as it is, and so is a name that is unknown."""
    path = pathlib.Path(file)
    if path.is_file() or not is_name(file):
        return path
    return find(kind, str(file)) or path
