# SPDX-License-Identifier: BSD-3-Clause
"""The parts of the page. Each returns HTML; where a file lacks what a part shows, it says so."""
import base64
import json
import os
import pathlib
import urllib.parse
from collections.abc import Sequence
from typing import Any

from tlmssd_lab.html_text import NONE, Html, escape, joined, number, percent, table
from tlmssd_lab.report import charts
from tlmssd_lab.report.runs import Run, differences, flat
from tlmssd_lab.report.terms import limiter, stage_line, term
from tlmssd_lab.run.latency import curve
from tlmssd_lab.stages import STAGE_TEXTS, STAGES


def note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def lacking(runs: Sequence[Run], what: str, why: str) -> str:
    return note(f"No {what} in {joined([run.name for run in runs])}: {why}.") if runs else ""


def figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def runs_table(runs: Sequence[Run]) -> str:
    head = ["run", "scheduler", "requests/s", "MB/s", "mean",
            *(term("percentile", name) for name in ("p50", "p95", "p99", "p99.9", "p99.99")),
            term("waf", "WAF"), "cycles / request", term("channel", "channels"), term("die", "dies"), "cores",
            term("bound", "of bound"), term("limiter")]
    rows = []
    for run in runs:
        count = run.get("host.all.count", 0)
        cycles = sum(run.get("cpu.cycles", {}).values())
        rows.append(
            [run.name, run.get("sched.name", NONE), number(run.get("host.all.iops")),
             number(run.get("host.all.mb_s"))]
            + [number(run.get(f"host.all.latency_us.{key}"))
               for key in ("mean", "p50", "p95", "p99", "p999", "p9999")]
            + [number(run.get("ftl.waf")), number(cycles / count if count else None),
               _mean(run.channel_busy()), percent(run.die_busy()), _mean(run.core_busy()),
               percent(run.get("bound.fraction_of_bound")), limiter(run.get("bound.limiter", NONE))])
    shortest = min(run.get("host.all.count", 0) for run in runs)
    text = ("Latencies in \u00b5s, from the tag to the completion; channels, dies and cores: mean "
            "busy part of the time.")
    if shortest < 10000:
        text += (f" A run of {shortest:,} requests has fewer than ten beyond its p99.9"
                 + (" and p99" if shortest < 1000 else "")
                 + ": such figures are those of single requests.")
    return table("Throughput, latency, work and utilisation of each run", head, rows,
                 texts=(1, 16)) + note(text)


def _mean(values: Sequence[float]) -> str:
    return percent(sum(values) / len(values) if values else None)


def latency(runs: Sequence[Run]) -> str:
    curves = [(run, *curve(run.results, run.log)) for run in runs]
    drawn = [curve for curve in curves if len(curve[1]) > 1]
    if not drawn:
        return note("No run completed enough reads and writes for percentiles.")
    short = [run.name for run, _, whole in drawn if not whole]
    text = "Latency of reads and writes, from the tag to the completion; logarithmic."
    if short:
        text += (" Marks are the percentiles that results.json gives, and the maximum; between "
                 "them the line is only a guide. With --log a run shows every percentile.")
    return figure(charts.percentiles(drawn), text)


def over_time(runs: Sequence[Run]) -> str:
    with_series = [run for run in runs if run.get("series.points")]
    text = lacking([run for run in runs if run not in with_series], "series over time",
                   "the run was made by an older version or is too short")
    if not with_series:
        return text
    rows = [("throughput, MB/s", ["mb_s"], 1), ("latency, \u00b5s: mean, and p99 thin",
                                                ["latency_us.mean", "latency_us.p99"], 1),
            ("requests in the device, mean", ["queue_depth"], 1)]
    busy = [(f"{what} busy, %", [key], 100)
            for what, key in (("channels", "channels_busy"), ("dies", "dies_busy"),
                              ("cores", "cores_busy"))
            if any(point.get(key) is not None for run in with_series
                   for point in run.get("series.points"))]
    intervals = joined([f"{number(run.get('series.interval_s', 0) * 1e3)} ms ({run.name})"
                        for run in with_series])
    return (text + figure(charts.over_time(with_series, rows, "ser", "Throughput, latency and "
                                           "queue depth over time"),
                          f"Each point is one interval: {intervals}.")
            + (figure(charts.over_time(with_series, busy, "bsy", "Utilisation over time"),
                      "Busy part of each interval.") if busy else ""))


def utilisation(runs: Sequence[Run]) -> str:
    names = list(dict.fromkeys(name for run in runs for name in run.busy()))
    if not names:
        return note("No simulated time passed, so nothing was busy.")
    rows = [[run.name] + [percent(run.busy().get(name)) for name in names] for run in runs]
    return (figure(charts.utilisation(runs), "Busy part of the simulated time. A die is busy from "
                   "the first command cycle of an operation to its end, waiting for the bus "
                   "included.")
            + details("The numbers", table("Busy part of the time", ["run", *names], rows)))


def stages(runs: Sequence[Run]) -> str:
    have = [run for run in runs if run.stage_means() is not None]
    text = lacking([run for run in runs if run not in have], "stage breakdown",
                   "made with observe.stages off or by an older version")
    if not have:
        return text
    kinds = [(kind, title) for kind, title in (("", "reads and writes"), ("reads", "reads"),
                                               ("writes", "writes"))
             if any(run.stage_means(kind) for run in have)]
    if any(run.stage_means("reads") is None or run.stage_means("writes") is None for run in have):
        kinds = [kind for kind in kinds if any(run.stage_means(kind[0]) for run in have)]
    rows = []
    for run in have:
        for kind, title in kinds:
            means = run.stage_means(kind)
            if means:
                rows.append([f"{run.name}, {title}"] + [number(means[s]) for s in STAGES]
                            + [number(sum(means.values()))])
    head = ["run", *(term(f"stage-{stage}") for stage in STAGES), "sum"]
    return (text + figure(charts.stages(have, kinds), "Where the mean latency goes, in the order "
                          "of the path. The stages of a run add up to its mean latency.")
            + f'<p class="note stage-line">Stages, in the order of the path: {stage_line()}.</p>'
            + details("The numbers", table("Mean time in each stage, \u00b5s", head, rows)))


def jobs(runs: Sequence[Run]) -> str:
    rows = []
    for run in runs:
        for job in run.jobs():
            part: dict[str, Any] = job.get("all", {})
            latencies, response = part.get("latency_us", {}), part.get("response_us", {})
            rows.append([f"{run.name}: {job.get('name', NONE)}", job.get("workload", NONE),
                         job.get("mode", NONE), number(job.get("priority")),
                         number(part.get("count")), number(part.get("iops")),
                         number(part.get("mb_s")), number(latencies.get("mean")),
                         number(latencies.get("p99")), number(latencies.get("p999")),
                         number(response.get("mean")), number(response.get("p99"))])
    text = lacking([run for run in runs if not run.jobs()], "figures of single jobs",
                   "the run was made by an older version")
    if not rows:
        return text
    head = ["job", "workload", "mode", "priority", "requests", "requests/s", "MB/s", "mean", "p99",
            "p99.9", term("response", "response mean"), "response p99"]
    return text + table("Jobs", head, rows, texts=(1, 2)) + note(
        "Latencies in \u00b5s from the tag, responses from the arrival, to the completion.")


def worst(runs: Sequence[Run], requests: dict[int, list[int | None]]) -> str:
    """`requests`: for each run its worst requests' numbers in the timeline, where they are."""
    have = [run for run in runs if run.get("worst")]
    parts = [lacking([run for run in runs if run not in have], "worst requests",
                     "the run was made by an older version")]
    for run in have:
        rows = [_worst_row(run, place, entry, requests.get(run.index, []))
                for place, entry in enumerate(run.get("worst"))]
        head = ["", "request", "job", "LBA", "KiB", "latency", "response", "longest stage",
                "cause", "timeline"]
        inner = table(f"The {len(rows)} slowest requests of {run.name}; times in \u00b5s", head,
                      rows, texts=(1, 7, 8, 9), css="worst")
        parts.append(details(run.name, inner, opened=run is have[0]))
    return "".join(parts)


def acted(runs: Sequence[Run]) -> str:
    """Each mechanism that a run's configuration switches on: its chances, what it did, or why nothing."""
    have = [run for run in runs if run.get("acted")]
    parts = [lacking([run for run in runs if run not in have], "table of what acted",
                     "the run was made by an older version")]
    head = ["mechanism", "key", "acted", "chances", "a chance", "saved", "of", "why it did nothing"]
    for run in have:
        rows = [[one["mechanism"], one["key"], number(one["acted"]), number(one["chances"]), one["chance"],
                 number(one["saved"]), one["saves"] or NONE, one["why"] or NONE] for one in run.get("acted")]
        idle = sum(one["acted"] == 0 for one in run.get("acted"))
        title = f"{run.name}: {len(rows)} mechanisms are on" + (f", {idle} of them did nothing" if idle else "")
        inner = table(f"Mechanisms of {run.name}, and how often each acted", head, rows, texts=(1, 4, 6, 7))
        parts.append(details(title, inner, opened=run is have[0]))
    return "".join(parts)


def _worst_row(run: Run, place: int, entry: dict, numbers: Sequence[int | None]) -> list[Any]:
    stage = max((entry.get("stages_us") or {}).items(), key=lambda item: item[1] or 0,
                default=None)
    request = numbers[place] if place < len(numbers) else None
    link: Any = NONE
    if request is not None:
        link = Html(f'<button type="button" data-show-run="{run.index}" '
                    f'data-show-request="{request}" aria-label="Show slowest request '
                    f'{place + 1} of {escape(run.name)} in the timeline">show</button>')
    return [place + 1, str(entry.get("kind", NONE)).upper(), entry.get("job", NONE),
            number(entry.get("lba")), number((entry.get("bytes") or 0) / 1024),
            number(entry.get("latency_us")), number(entry.get("response_us")),
            f"{STAGE_TEXTS.get(stage[0], stage[0])}, {number(stage[1])}" if stage else NONE,
            entry.get("cause") or NONE, link]


def details(title: str, inner: str, opened: bool = False) -> str:
    return (f'<details{" open" if opened else ""}><summary>{escape(title)}</summary>'
            f"{inner}</details>")


def waves(runs: Sequence[Run], output: pathlib.Path) -> str:
    """Each FST file of the runs, one click away, with its picture where there is one."""
    parts = []
    for run in runs:
        for fst in run.waves:
            target = os.path.relpath(fst.resolve(), output.resolve().parent)
            text = (f'<p><b>{escape(run.name)}</b>: <a href="{escape(urllib.parse.quote(target))}">'
                    f"{escape(target)}</a>, for GTKWave or <code>scripts/waves {escape(target)}</code>.</p>")
            picture = fst.with_suffix(".png")
            if picture.is_file():
                bytes64 = base64.b64encode(picture.read_bytes()).decode("ascii")
                text += (f'<figure><img alt="Waveform of {escape(run.name)}" style="max-width:100%" '
                         f'src="data:image/png;base64,{bytes64}"></figure>')
            parts.append(text)
    return "".join(parts)


def configuration(runs: Sequence[Run]) -> str:
    parts = []
    if len(runs) > 1:
        keys = differences(runs)
        if keys:
            rows = [[key, *(_shown(value) for value in values)] for key, values in keys.items()]
            parts.append(table("Keys that differ", ["key", *(run.name for run in runs)], rows,
                               texts=range(1, len(runs) + 1)))
        else:
            parts.append(note("All runs have the same configuration."))
    for run in runs:
        lines = "\n".join(f"{key}: {_shown(value)}"
                          for key, value in flat(run.get("config", {})).items())
        head = (f"schema {run.get('schema')}, configuration {run.get('config_hash')}, seed "
                f"{run.get('seed')}, version {run.get('wall.git', 'unknown')}")
        parts.append(details(f"Whole configuration of {run.name}",
                             f'<p class="note">{escape(head)}</p>'
                             f'<pre tabindex="0">{escape(lines)}</pre>'))
    return "".join(parts)


def _shown(value: Any) -> str:
    return NONE if value is None else value if isinstance(value, str) else json.dumps(value)
