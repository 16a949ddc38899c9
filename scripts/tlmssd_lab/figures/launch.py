# SPDX-License-Identifier: BSD-3-Clause
"""Reports of application launches: times beside the talk's percentages, and queue depth over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import Data, Report, mean, number, reduction, table
from tlmssd_lab.run.result import Result

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

TIME, PREFETCH = "time_ms", "prefetch_ms"


def launches(data: Data, load: str, *, detour: bool | None = None, **labels: str) -> list[dict]:
    """Of all seeds; without the first of each application, which a controller has not seen before."""
    return [
        each
        for result in data.results(load, **labels).values()
        for each in listed(result)
        if each["number"] > 0 and (detour is None or each["detour"] == detour)
    ]


def listed(result: Result) -> list[dict]:
    """Of the first job; none where it is another kind of load."""
    jobs = result.json["host"].get("jobs") or [{}]
    return jobs[0].get("launches", {}).get("list", [])


def _mean(found: list[dict], key: str) -> float | None:
    return mean(each[key] for each in found)


def _percent(value: float | None, base: float | None) -> str:
    less = reduction(value, base)
    return number(None if less is None else round(less, 1) + 0.0)  # no -0.0


def launch(data: Data) -> Report:
    report = Report()
    report.parts.append(_beside_the_talk(data))
    for load in (each.name for each in data.loads):
        for detour, words in _kinds(data, load):
            report.parts.append(_times(data, load, detour, words))
    report.parts.append(_controller(data))
    report.drawings["-times"] = _bars(data)
    if data.experiment.log:
        report.drawings["-depth"] = _depths(data)
    return report


def _kinds(data: Data, load: str) -> list[tuple[bool | None, str]]:
    app, scheme = data.labels("app")[0], data.labels("scheme")[0]
    if not launches(data, load, detour=True, app=app, scheme=scheme):
        return [(None, "")]
    return [(True, ", launches with a detour"), (False, ", launches without one")]


def _beside_the_talk(data: Data) -> str:
    paper, load, apps = data.experiment.paper, data.loads[0].name, data.labels("app")

    def time(app: str, scheme: str, key: str = TIME) -> float | None:
        return _mean(launches(data, load, app=app, scheme=scheme), key)

    rows = [
        ["two-phase prefetcher's time, less than the baseline prefetcher's", paper["two_phase_prefetcher"],
         *(_percent(time(a, "host two-phase", PREFETCH), time(a, "host baseline", PREFETCH)) for a in apps)],
        ["two-phase launch, less than the baseline prefetcher's", paper["two_phase_launch"],
         *(_percent(time(a, "host two-phase"), time(a, "host baseline")) for a in apps)],
        ["FAST on the host, less than cold", f"{paper['fast']} ({paper['fast_range']})",
         *(_percent(time(a, "host FAST"), time(a, "cold")) for a in apps)],
        ["the same, one read at a time", "", *(_percent(time(a, "host FAST, depth 1"), time(a, "cold")) for a in apps)],
        ["FAST in the controller, less than cold", "", *(_percent(time(a, "controller FAST"), time(a, "cold")) for a in apps)],
        ["warm, less than cold", paper["warm"], *(_percent(time(a, "warm"), time(a, "cold")) for a in apps)],
        ["mean queue depth of a cold launch", 0.3,
         *(number(_mean(launches(data, load, app=a, scheme="cold"), "mean_depth"), 2) for a in apps)],
    ]
    heads = ["reduction, %", "talk", *(f"ours, {app}" for app in apps)]
    return f"**{load}**, beside the talk\n\n{table(heads, rows)}"


def _times(data: Data, load: str, detour: bool | None, words: str) -> str:
    apps, rows = data.labels("app"), []
    for scheme in data.labels("scheme"):
        row = [scheme]
        for app in apps:
            found = launches(data, load, detour=detour, app=app, scheme=scheme)
            cold = _mean(launches(data, load, detour=detour, app=app, scheme="cold"), TIME)
            row += [number(_mean(found, TIME), 1), _percent(_mean(found, TIME), cold)]
        rows.append(row)
    heads = ["scheme"]
    for app in apps:
        heads += [f"{app}: ms", "less than cold, %"]
    return f"**{load}**{words}\n\n{table(heads, rows)}"


def _controller(data: Data) -> str:
    rows, app = [], data.labels("app")[0]
    schemes = [scheme for scheme in data.labels("scheme") if scheme.startswith("controller")]
    for load in (each.name for each in data.loads):
        for scheme in schemes:
            values = [data.mean(f"prefetch.{key}", load, app=app, scheme=scheme)
                      for key in ("sequences.recorded", "sequences.recognised", "sequences.finished",
                                  "sequences.aborted", "pages", "hits", "late", "unused")]
            rows.append([load, scheme, *(number(value, 0) for value in values)])
    heads = ["load", "scheme", "recorded", "recognised", "finished", "given up", "pages brought", "used", "late", "unused"]
    return f"The controller's counts ({app}, mean of the seeds)\n\n{table(heads, rows, 2)}"


def _bars(data: Data) -> Figure:
    apps, schemes, load = data.labels("app"), data.labels("scheme"), data.loads[0].name
    drawing, axes = new_drawing(len(apps), 3.6 * len(apps), 3.4)
    for place, app in zip(axes, apps, strict=True):
        cold = _mean(launches(data, load, app=app, scheme="cold"), TIME)
        values = [_mean(launches(data, load, app=app, scheme=scheme), TIME) for scheme in schemes]
        known = [(scheme, 100 * value / cold) for scheme, value in zip(schemes, values, strict=True) if value and cold]
        place.bar([scheme for scheme, _ in known], [share for _, share in known])
        place.tick_params(axis="x", labelrotation=60, labelsize=6)
        place.set_title(f"{load}: {app}", fontsize=8)
        place.set_ylabel("launch, % of cold")
    return drawing


def _depths(data: Data) -> Figure:
    """Commands of one launch that were open, over time: the second launch of the first application."""
    load, app = data.loads[0].name, data.labels("app")[-1]
    drawn = ("cold", "host baseline", "host two-phase", "host FAST", "controller FAST")
    schemes = [scheme for scheme in data.labels("scheme") if scheme in drawn]
    drawing, axes = new_drawing(1, 9.0, 1.1 * len(schemes), len(schemes))
    for place, scheme in zip(axes, schemes, strict=True):
        place.set_title(scheme, fontsize=7, loc="left")
        for result in list(data.results(load, app=app, scheme=scheme).values())[:1]:
            chosen = [each for each in listed(result) if each["app"] == 0 and each["number"] == 1]
            for each in chosen:
                place.plot(*_open(result.log, each), drawstyle="steps-post", linewidth=0.6)
                place.axvline(each["time_ms"], color="black", linewidth=0.6, linestyle="--")
        place.set_ylim(0, None)
        place.sharex(axes[0])
        place.tick_params(labelsize=6)
    axes[-1].set_xlabel("ms from the launch's start; commands open; dashed: the launch has ended", fontsize=7)
    return drawing


def _open(log: pandas.DataFrame, launch_: dict) -> tuple[list[float], list[int]]:
    start = 1000 * launch_["start_s"]
    end = start + launch_["time_ms"]
    steps = []
    for issue, completion in zip(log["issue_ns"] / 1e6, log["completion_ns"] / 1e6, strict=True):
        if start <= issue <= end:
            steps += [(issue - start, 1), (completion - start, -1)]
    times, depths, depth = [0.0], [0], 0
    for time, change in sorted(steps):
        depth += change
        times.append(time)
        depths.append(depth)
    return times, depths


def launch_causes(data: Data) -> Report:
    load, depths = data.loads[0].name, data.labels("depth")
    report = Report()
    for key, words in ((PREFETCH, "prefetcher's time"), (TIME, "launch")):
        rows = []
        for metadata in data.labels("metadata"):
            row = [metadata]
            for depth in depths:
                both = [_mean(launches(data, load, metadata=metadata, depth=depth, scheme=scheme), key)
                        for scheme in ("two-phase", "baseline")]
                row.append(_percent(*both))
            rows.append(row)
        heads = ["metadata, %", *(f"depth {depth}" for depth in depths)]
        talk = data.experiment.paper["two_phase_prefetcher" if key == PREFETCH else "two_phase_launch"]
        report.parts.append(f"**{load}**: two-phase {words}, % less than the baseline's (talk: {talk})\n\n{table(heads, rows)}")
    return report
