# SPDX-License-Identifier: BSD-3-Clause
"""The results of one run, typed. docs/reference/results.md explains each key of results.json."""

from __future__ import annotations

import json as json_module
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.metrics import refuse_renamed

if TYPE_CHECKING:
    import pandas

SCHEMA = "tlmssd-results-1"
RESULTS, TIMELINE, LOG = "results.json", "timeline.json.gz", "log.csv.zst"


class TemporaryFolder:
    """A folder that is removed with the object (TemporaryDirectory would warn about that)."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="tlmssd-lab-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True)
class Percentiles:
    """Microseconds; None where nothing was counted."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    p9999: float | None
    max: float | None


@dataclass(frozen=True)
class Traffic:
    """`host.all`, `host.reads` or `host.writes`. mb_s: 10^6 bytes per second of simulated time."""

    count: int
    bytes: int
    iops: float | None
    mb_s: float | None
    latency_us: Percentiles
    response_us: Percentiles


@dataclass(frozen=True)
class Result:
    """One run. `json` is the whole results.json; attributes are what one asks for most."""

    path: pathlib.Path
    json: dict[str, Any] = field(repr=False)
    status: str
    scheduler: str
    controller: str
    cpu: str
    workload: str
    seed: int
    config_hash: str
    time_s: float
    all: Traffic
    reads: Traffic
    writes: Traffic
    waf: float | None
    limiter: str
    fraction_of_bound: float | None
    warnings: tuple[str, ...] = ()
    _kept: TemporaryFolder | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, key: str) -> Any:
        """The value at a dotted key of results.json: result["host.all.latency_us.p95"]."""
        return look_up(self.json, key, self.path)

    @property
    def folder(self) -> pathlib.Path:
        return self.path.parent

    @property
    def stages_us(self) -> dict[str, float | None] | None:
        """Mean microseconds a request spent in each stage; None with observe.stages off."""
        stages = look_up(self.json, "stages", self.path)
        if stages is None:
            return None
        return {
            name.removesuffix("_us"): value["mean"]
            for name, value in stages.items()
            if name.endswith("_us")
        }

    @cached_property
    def jobs(self) -> pandas.DataFrame:
        """A row a job; columns are the dotted keys of host.jobs[]."""
        from tlmssd_lab.run import frames

        return frames.jobs(look_up(self.json, "host.jobs", self.path))

    @cached_property
    def worst(self) -> pandas.DataFrame:
        """The slowest requests, slowest first; columns are the dotted keys of worst[]."""
        from tlmssd_lab.run import frames

        return frames.worst(look_up(self.json, "worst", self.path))

    @cached_property
    def series(self) -> pandas.DataFrame:
        """A row an interval; attrs["interval_s"] is how long one is."""
        from tlmssd_lab.run import frames

        return frames.series(look_up(self.json, "series", self.path))

    @cached_property
    def log(self) -> pandas.DataFrame:
        """A row per request, from the file that log=True asked for."""
        from tlmssd_lab.run import frames

        return frames.log(find_log(self.folder))

    @property
    def timeline(self) -> pathlib.Path | None:
        """The Perfetto file beside results.json; None where none was asked for."""
        path = self.folder / TIMELINE
        return path if path.is_file() else None


def look_up(document: Mapping[str, Any], key: str, path: pathlib.Path) -> Any:
    """The value at a dotted key; lists take numbers (flash.channels.0.busy_s)."""
    place: Any = document
    for name in key.split("."):
        if isinstance(place, Mapping) and name in place:
            place = place[name]
        elif isinstance(place, list) and name.isdigit() and int(name) < len(place):
            place = place[int(name)]
        else:
            refuse_renamed(str(path), [key])
            raise LabInputError(
                f"{path}: no '{key}': either there is no such key, or an older tlmssd "
                "wrote the file and it must be run again"
            )
    return place


def find_log(folder: pathlib.Path) -> pathlib.Path:
    for suffix in (".zst", ".xz", ".gz", ""):
        path = folder / f"log.csv{suffix}"
        if path.is_file():
            return path
    raise LabInputError(f"{folder}: no log of requests: ask for one with log=True")


def results_path(path: pathlib.Path) -> pathlib.Path:
    """results.json itself, or that of the folder `path`."""
    if path.is_dir():
        inside = path / RESULTS
        if not inside.is_file():
            raise LabInputError(f"{path}: no {RESULTS} in this folder")
        return inside
    if not path.exists():
        raise LabInputError(f"{path}: no such file or folder")
    return path


def read_json(path: pathlib.Path) -> dict[str, Any]:
    """results.json as it is, its schema checked."""
    try:
        document = json_module.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise LabInputError(f"{path}: no JSON: {error}") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise LabInputError(
            f"{path}: no results of tlmssd that this lab reads: schema is "
            f'{json_module.dumps(schema)}, must be "{SCHEMA}"'
        )
    return document


def load(
    path: str | pathlib.Path, warnings: tuple[str, ...] = (), kept: TemporaryFolder | None = None
) -> Result:
    """The result in a file, or in the folder that --out named."""
    file = results_path(pathlib.Path(path))
    document = read_json(file)

    def at(key: str) -> Any:
        return look_up(document, key, file)

    return Result(
        path=file,
        json=document,
        status=at("status"),
        scheduler=at("sched.name"),
        controller=at("config.controller.kind"),
        cpu=at("cpu.model"),
        workload=at("workload.name"),
        seed=at("seed"),
        config_hash=at("config_hash"),
        time_s=at("sim.time_s"),
        all=_traffic(at("host.all")),
        reads=_traffic(at("host.reads")),
        writes=_traffic(at("host.writes")),
        waf=at("ftl.waf"),
        limiter=at("bound.limiter"),
        fraction_of_bound=at("bound.fraction_of_bound"),
        warnings=warnings,
        _kept=kept,
    )


def _traffic(place: Mapping[str, Any]) -> Traffic:
    return Traffic(
        count=place["count"],
        bytes=place["bytes"],
        iops=place["iops"],
        mb_s=place["mb_s"],
        latency_us=_percentiles(place["latency_us"]),
        response_us=_percentiles(place["response_us"]),
    )


def _percentiles(place: Mapping[str, Any]) -> Percentiles:
    return Percentiles(**{name: place[name] for name in Percentiles.__dataclass_fields__})
