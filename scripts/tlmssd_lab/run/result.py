# SPDX-License-Identifier: BSD-3-Clause
"""The results of one run, typed. docs/reference/results.md explains each key of results.json."""

from __future__ import annotations

import json as json_module
import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tlmssd_lab.checksums import read_results
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.html_text import escape, number, percent, plain_table
from tlmssd_lab.run.metrics import refuse_renamed

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes

SCHEMA = "tlmssd-results-1"
RESULTS, TIMELINE, LOG = "results.json", "timeline.json.gz", "log.csv.zst"


_HEAD = ("requests", "count", "IOPS", "MB/s", "mean \u00b5s", "p50", "p95", "p99", "p99.9", "p99.99",
         "max")


class TemporaryFolder:
    """A folder that is removed with the object (TemporaryDirectory would warn about that)."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="tlmssd-lab-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(frozen=True)
class Percentiles:
    """A distribution of latencies in microseconds; each is None where no request was counted. p999 is
    the percentile 99.9, p9999 is 99.99."""

    mean: float | None
    p50: float | None
    p95: float | None
    p99: float | None
    p999: float | None
    p9999: float | None
    max: float | None


@dataclass(frozen=True)
class Traffic:
    """The completed requests of a run: all, the reads or the writes.

    Attributes:
        count: number of requests.
        bytes: their bytes.
        iops: requests per second of simulated time.
        mb_s: 10^6 bytes per second of simulated time.
        latency_us: from the tag of a request to its completion.
        response_us: from the arrival of a request to its completion.
    """

    count: int
    bytes: int
    iops: float | None
    mb_s: float | None
    latency_us: Percentiles
    response_us: Percentiles


@dataclass(frozen=True)
class Result:
    """The result of one run. `result["host.all.iops"]` is the value at any key of results.json.

    Attributes:
        path: results.json.
        json: all of results.json (docs/reference/results.md).
        status: "done", "interrupted" or "failed".
        scheduler, controller, cpu: names of the scheduler, the controller and the CPU model.
        workload: name of the workload, or "trace".
        seed: seed of the run.
        config_hash: hash of the resolved configuration.
        time_s: simulated time in seconds.
        all, reads, writes: counts, rates and latencies.
        waf: write amplification; None without a write.
        limiter: the busiest part, which bounds the throughput.
        fraction_of_bound: throughput as a part of what `limiter` allows, 0 to 1.
        warnings: lines that the program printed.
    """

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
        """The value at a dotted key of results.json: result["host.all.latency_us.p95"]. A list takes
        numbers: "flash.channels.0.busy_s". LabInputError for a key that the file lacks."""
        return look_up(self.json, key, self.path)

    @property
    def folder(self) -> pathlib.Path:
        """The folder of results.json."""
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
        """One row per job; columns are the dotted keys of host.jobs[]."""
        from tlmssd_lab.run import frames

        return frames.jobs(look_up(self.json, "host.jobs", self.path))

    @cached_property
    def worst(self) -> pandas.DataFrame:
        """The slowest requests, the slowest first; columns are the dotted keys of worst[]."""
        from tlmssd_lab.run import frames

        return frames.worst(look_up(self.json, "worst", self.path))

    @cached_property
    def series(self) -> pandas.DataFrame:
        """One row per interval of simulated time. `t_s` is its start in seconds; the other columns are
        dotted keys of series.points[], NaN where undefined. attrs["interval_s"] is its length."""
        from tlmssd_lab.run import frames

        return frames.series(look_up(self.json, "series", self.path))

    @cached_property
    def log(self) -> pandas.DataFrame:
        """One row per request, from the log that run(log=True) writes. Times of the file are in
        nanoseconds; `latency_us` (from the tag) and `response_us` (from the arrival) are added.
        LabInputError without a log."""
        from tlmssd_lab.run import frames

        return frames.log(find_log(self.folder))

    @property
    def timeline(self) -> pathlib.Path | None:
        """The timeline for Perfetto beside results.json; None without one."""
        path = self.folder / TIMELINE
        return path if path.is_file() else None

    @property
    def device(self) -> str:
        """The flash part and the geometry, such as "MT29F64G08CBAAA, 4 channels x 4 ways x 2 dies"."""
        config = self.json.get("config", {})
        geometry, nand = config.get("geometry", {}), config.get("nand", {})
        words = [str(nand["name"])] if "name" in nand else []
        counts = [f"{geometry[key]} {key}" for key in ("channels", "ways", "dies") if key in geometry]
        return ", ".join([*words, *([" x ".join(counts)] if counts else [])])

    def plot_latency(
        self,
        axes: Axes | None = None,
        *,
        kind: str = "all",
        label: str | None = None,
        cdf: bool = False,
    ) -> Axes:
        """Draw latency against percentile, as the report does, and return the Axes.

        With a log (run(log=True)) the curve has every request, else the percentiles of results.json.

        Arguments:
            axes: draw there, beside other runs. Default: a new figure of pyplot.
            kind: "all", "reads" or "writes".
            label: name in the legend. Default: scheduler and workload.
            cdf: draw the cumulative distribution over latency instead.

        Raises:
            LabInputError: `kind` is unknown, or fewer than two such requests were completed.
        """
        if kind not in ("all", "reads", "writes"):
            raise LabInputError(f"kind: '{kind}' is none of all, reads, writes")
        from tlmssd_lab.run import latency

        name = f"{self.scheduler}, {self.workload}" if label is None else label
        drawn = latency.plot(self.json, self._log_file, kind, name, axes, cdf)
        if drawn is None:
            raise LabInputError(f"{self.path}: too few requests ({kind}) for percentiles")
        return drawn

    @property
    def _log_file(self) -> pathlib.Path | None:
        try:
            return find_log(self.folder)
        except LabInputError:
            return None

    def _repr_html_(self) -> str:
        """Device, workload, throughput, latencies, limiter and WAF as one table."""
        parts = [(name, part) for name, part in
                 (("all", self.all), ("reads", self.reads), ("writes", self.writes))
                 if part.count and (name == "all" or part.count < self.all.count)]
        rows = [[name, *_cells(part)] for name, part in parts]
        caption = f"{self.device}; {self.workload}; scheduler {self.scheduler}"
        caption += "" if self.status == "done" else f"; {self.status}"
        part_of = percent(self.fraction_of_bound)
        note = f"Limiter: {self.limiter} ({part_of} of bound). WAF: {number(self.waf)}."
        return plain_table(caption, _HEAD, rows) + f"<p>{escape(note)}</p>"


def _cells(part: Traffic) -> list[str]:
    latency = part.latency_us
    values = [part.iops, part.mb_s, latency.mean, latency.p50, latency.p95, latency.p99,
              latency.p999, latency.p9999, latency.max]
    return [number(part.count), *(number(value) for value in values)]


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


def read_json(path: pathlib.Path, wanted: str = SCHEMA) -> dict[str, Any]:
    """results.json as it is, its schema checked."""
    try:
        document = read_results(path)
    except OSError as error:
        raise LabInputError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise LabInputError(f"{path}: no JSON: {error}") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != wanted:
        raise LabInputError(
            f"{path}: no results of tlmssd that this lab reads: schema is "
            f'{json_module.dumps(schema)}, must be "{wanted}"'
        )
    return document


def load(path: str | os.PathLike[str]) -> Result:
    """Read a result of an earlier run.

    Arguments:
        path: results.json, or its folder.

    Raises:
        LabInputError: no such file, or a file that is not of this version of results.json.
    """
    return read_result(pathlib.Path(path))


def read_result(
    path: pathlib.Path, warnings: tuple[str, ...] = (), kept: TemporaryFolder | None = None
) -> Result:
    """The result of a file or of its folder; `kept` lives as long as the result."""
    file = results_path(path)
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
