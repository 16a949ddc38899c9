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


def folders() -> list[pathlib.Path]:
    """The folders `configs`, the first one first: of the working directory, of the repository that
    this package is in, and of the program's installation."""
    found = [pathlib.Path("configs"), ROOT / "configs"]
    try:
        found.append(find_binary().parent.parent / "share/tlmssd/configs")
    except LabInputError:
        pass  # without a program; what runs one reports that
    return [folder for folder in found if folder.is_dir()]


def find(kind: str, name: str) -> pathlib.Path | None:
    """The file of a name such as "default" in the folder `kind` of a `configs`; None without one."""
    for folder in folders():
        path = folder / kind / f"{name}.yaml"
        if path.is_file():
            return path
    return None


def names(kind: str) -> list[str]:
    """All names that find() knows; a file whose name begins with _ is a part of others."""
    found = {path.stem for folder in folders() for path in (folder / kind).glob("*.yaml")}
    return sorted(name for name in found if not name.startswith("_"))


def is_name(text: str | os.PathLike[str]) -> bool:
    """Whether `text` has the form of a name: without a folder and without the end of a file."""
    text = os.fspath(text)
    return bool(text) and "/" not in text and not text.endswith((".yaml", ".yml", ".fio"))


def config_path(config: str | os.PathLike[str]) -> pathlib.Path:
    """The device file that `config` names: a file; a file of the repository, as configs/ssd/x.yaml;
    or a device's name. Another path is returned as it is: the program reports it. LabInputError for
    a name that no device has."""
    path = pathlib.Path(config)
    if path.is_absolute() or path.is_file():
        return path
    if (ROOT / path).is_file():
        return ROOT / path
    if not is_name(config):
        return path
    found = find(DEVICES, str(config))
    if found is None:
        hint = nearest(str(config), names(DEVICES))
        raise LabInputError(f"no device '{config}' (looked for {config}.yaml in configs/ssd){hint}")
    return found


def file_path(kind: str, file: str | os.PathLike[str]) -> pathlib.Path:
    """The sweep, fit or experiment that `file` names: a file, or the name of one in `kind`. Another
    path is returned as it is, and so is a name that is unknown."""
    path = pathlib.Path(file)
    if path.is_file() or not is_name(file):
        return path
    return find(kind, str(file)) or path
