# SPDX-License-Identifier: BSD-3-Clause
"""Run folders: results.json, and where they are there a timeline and a log of requests."""
import dataclasses
import pathlib
from collections.abc import Sequence
from typing import Any

from tlmssd_lab.checksums import read_results
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.stages import STAGES

SCHEMA = "tlmssd-results-1"


@dataclasses.dataclass
class Run:
    """One run. `get("host.all.iops")` is None where the file has no such key."""

    index: int
    name: str
    folder: pathlib.Path
    results: dict[str, Any]
    timeline: pathlib.Path | None
    log: pathlib.Path | None
    waves: list[pathlib.Path]  # FST files; a picture of one has its name and ends in .png
    written: float  # time of results.json, seconds since 1970

    def get(self, path: str, default: Any = None) -> Any:
        place: Any = self.results
        for part in path.split("."):
            if not isinstance(place, dict) or place.get(part) is None:
                return default
            place = place[part]
        return place

    def jobs(self) -> list[dict[str, Any]]:
        return self.get("host.jobs", [])

    def open_loop(self) -> bool:
        """Whether arrivals, not the device, set the pace of some job."""
        modes = [job.get("mode") for job in self.jobs()] or [self.get("config.workload.mode")]
        return "open" in modes

    def stage_means(self, kind: str = "") -> dict[str, float] | None:
        """Mean microseconds a request in each stage; kind: "" for all, "reads", "writes"."""
        stages = self.get(f"stages.{kind}" if kind else "stages")
        if not isinstance(stages, dict):
            return None
        means = {}
        for stage in STAGES:
            value = stages.get(f"{stage}_us")
            mean = value.get("mean") if isinstance(value, dict) else value
            if mean is None:
                return None
            means[stage] = float(mean)
        return means

    def die_busy(self) -> float | None:
        """Mean over dies of the part of the time in which they serve an operation."""
        time, idle = self.get("sim.time_s"), self.get("flash.die_idle_s")
        geometry = self.get("config.geometry", {})
        dies = geometry.get("channels", 0) * geometry.get("ways", 0) * geometry.get("dies", 0)
        if not time or idle is None or not dies:
            return None
        return max(0.0, 1 - idle / (dies * time))

    def busy(self) -> dict[str, float]:
        """Busy part of the time of each resource that the results tell, in order of the path."""
        time = self.get("sim.time_s")
        if not time:
            return {}
        found: dict[str, float] = {}
        for text, key in (("link to host", "busy_to_host_s"),
                          ("link to device", "busy_to_device_s")):
            busy = self.get(f"link.{key}")
            if busy is not None:
                found[text] = busy / time
        for number, fraction in enumerate(self.get("cpu.busy_fraction", [])):
            if fraction is not None:
                found[f"core {number}"] = fraction
        if self.get("dram.busy_s") is not None:
            found["DRAM"] = self.get("dram.busy_s") / time
        for number, channel in enumerate(self.get("flash.channels", [])):
            found[f"channel {number}"] = channel["busy_s"] / time
        dies = self.die_busy()
        if dies is not None:
            found["dies (mean)"] = dies
        return found

    def channel_busy(self) -> list[float]:
        return [busy for text, busy in self.busy().items() if text.startswith("channel ")]

    def core_busy(self) -> list[float]:
        return [busy for text, busy in self.busy().items() if text.startswith("core ")]


def load_runs(folders: Sequence[pathlib.Path]) -> list[Run]:
    """Read the folders in order; LabInputError names what is wrong."""
    if not folders:
        raise LabInputError("a report needs at least one run folder")
    names = _names([pathlib.Path(folder) for folder in folders])
    return [_load(index, pathlib.Path(folder), name)
            for index, (folder, name) in enumerate(zip(folders, names))]


def _load(index: int, folder: pathlib.Path, name: str) -> Run:
    path = folder / "results.json"
    try:
        results = read_results(path)
    except FileNotFoundError:
        raise LabInputError(f"{path}: not found; a run folder is what tlmssd run --out makes") \
            from None
    except (OSError, ValueError) as error:
        raise LabInputError(f"{path}: {error}") from None
    if not isinstance(results, dict) or results.get("schema") != SCHEMA:
        raise LabInputError(f"{path}: not results of tlmssd (schema {SCHEMA})")
    for key in ("config", "sim", "host", "workload"):
        if not isinstance(results.get(key), dict):
            raise LabInputError(f"{path}: has no '{key}'")
    return Run(index, name, folder, results,
               _first(folder, ("timeline.json.gz", "timeline.json")),
               _first(folder, ("log.csv", "log.csv.gz", "log.csv.xz", "log.csv.zst")),
               sorted(folder.glob("*.fst")), path.stat().st_mtime)


def _first(folder: pathlib.Path, names: Sequence[str]) -> pathlib.Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _names(folders: list[pathlib.Path]) -> list[str]:
    """Names that distinguish the folders: the shortest ends of their paths, without a common end;
    equal paths get numbers."""
    parts = [folder.resolve().parts for folder in folders]
    while len(set(parts)) > 1 and len({part[-1:] for part in parts}) == 1:
        parts = [part[:-1] for part in parts]
    for length in range(1, max(map(len, parts)) + 1):
        names = ["/".join(part[-length:]).lstrip("/") or "/" for part in parts]
        if len(set(names)) == len(set(parts)):
            break
    seen: dict[str, int] = {}
    for index, name in enumerate(names):
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            names[index] = f"{name} ({seen[name]})"
    return names


def flat(config: Any, prefix: str = "") -> dict[str, Any]:
    """{"a": {"b": 1}} -> {"a.b": 1}; lists stay values."""
    found: dict[str, Any] = {}
    for key, value in config.items():
        if isinstance(value, dict) and value:
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def differences(runs: Sequence[Run]) -> dict[str, list[Any]]:
    """Configuration keys whose values differ between runs: one value a run, None for none."""
    flats = [flat(run.get("config", {})) for run in runs]
    keys = dict.fromkeys(key for one in flats for key in one)
    table = {key: [one.get(key) for one in flats] for key in keys}
    return {key: values for key, values in table.items()
            if any(value != values[0] for value in values)}
