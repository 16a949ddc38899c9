# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab compare."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

from tlmssd_lab.compare.model import LabNotWritten
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.run.run import Trace
from tlmssd_lab.run.settings import split_setting

_EPILOG = """\
Several values stand behind commas, or the option is given again. Every variant runs under every
workload and trace, with the same seeds; each is compared with the first, seed by seed.
What cannot run is reported with the reason, and the rest goes on.

examples:
  tlmssd-lab compare configs/ssd/default.yaml --workload mixed-70-30-4k,randread-4k \\
      --scheduler inorder,vaq --controller tlm,rtl --seeds 10 --csv out/c.csv
  tlmssd-lab compare configs/ssd/default.yaml --workload randread-4k --vary host.queue_depth=1,8,32
  tlmssd-lab compare configs/ssd/default.yaml --trace my.spc.gz --format spc \\
      --set workload.mode=closed --scheduler serial,vaq --out out/race --timeline
  tlmssd-lab compare configs/ssd/default.yaml configs/ssd/mine.yaml --workload seqread-128k

exit status: 0 something ran, 2 wrong input or nothing could run, 3 the model failed in any run,
130 interrupted (the seeds that were done are shown)
"""


class _NameTrace(argparse.Action):
    """--format and --trace-columns belong to the trace before them."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        space: argparse.Namespace,
        values: Any,
        option: str | None = None,
    ) -> None:
        if not space.traces:
            parser.error(f"{option} {values}: belongs behind a --trace")
        field = "format" if option == "--format" else "columns"
        trace = space.traces[-1]
        if getattr(trace, field) is not None:
            parser.error(f"{option} {values}: {trace.path} has one already")
        named = {"format": trace.format, "columns": trace.columns, field: values}
        space.traces[-1] = Trace(trace.path, **named)


class _AddTrace(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        space: argparse.Namespace,
        values: Any,
        option: str | None = None,
    ) -> None:
        space.traces = [*space.traces, Trace(values)]


def _number(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= 1_000_000:
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1 to 1000000")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 0")
    return int(text)


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "compare",
        help="run variants with the same seeds and show what differs",
        description="Runs variants of a device under workloads and traces and compares them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.set_defaults(call=call, traces=[])
    command.add_argument(
        "configs", nargs="+", metavar="CONFIG", help="device file; several are variants"
    )
    variants = command.add_argument_group("variants (every combination)")
    for name in ("scheduler", "controller", "cpu"):
        variants.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar="A,B",
            help={
                "scheduler": "schedulers of the firmware",
                "controller": "controller.kind: tlm, rtl",
                "cpu": "cpu.model: how the firmware runs",
            }[name],
        )
    variants.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=V1,V2",
        help="values of any key; | between them where a value has commas",
    )
    variants.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="KEY=V,KEY=V",
        help="one variant more, beside the combinations; without any, instead of them",
    )
    variants.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=V",
        dest="sets",
        help="a key for all variants",
    )
    loads = command.add_argument_group("loads (each compared by itself)")
    loads.add_argument(
        "--workload",
        action="append",
        default=[],
        metavar="A,B",
        help="names in configs/workloads, or paths",
    )
    loads.add_argument(
        "--trace", action=_AddTrace, metavar="FILE", help="a block trace (repeatable)"
    )
    loads.add_argument(
        "--format", action=_NameTrace, metavar="F", help="format of the trace before it"
    )
    loads.add_argument(
        "--trace-columns", action=_NameTrace, metavar="C", help="columns of the trace before it"
    )
    loads.add_argument("--lenient", action="store_true", help="leave out broken lines of traces")
    seeds = command.add_argument_group("seeds")
    seeds.add_argument(
        "--seeds",
        type=_number,
        default=5,
        metavar="N",
        help="seeds for each variant (5); intervals need 2",
    )
    seeds.add_argument(
        "--first-seed", type=_seed, default=1, metavar="S", help="the first of them (1)"
    )
    output = command.add_argument_group("output")
    output.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="KEY",
        help="one column more: any number of results.json, as ftl.gc.runs",
    )
    output.add_argument("--csv", metavar="FILE", help="write all figures as CSV")
    output.add_argument(
        "--json", metavar="FILE", help="write all figures, of each seed too, as JSON"
    )
    output.add_argument(
        "--out", metavar="DIR", help="keep results.json of each run, and compare.json"
    )
    output.add_argument(
        "--timeline",
        action="store_true",
        help="with --out: timeline.json.gz of each variant's first seed too",
    )
    output.add_argument(
        "--timeline-from",
        metavar="TIME",
        help="leave out of it what ends before this simulated time, such as 1.5ms",
    )
    output.add_argument(
        "--timeline-to", metavar="TIME", help="leave out of it what starts at this time or later"
    )
    output.add_argument(
        "--jobs", type=_number, metavar="N", help="runs at a time (one a processor)"
    )
    output.add_argument("--quiet", action="store_true", help="no progress")


def _listed(texts: list[str]) -> list[str]:
    return [value for text in texts for value in text.split(",")]


def _vary(texts: list[str]) -> dict[str, list[str]]:
    axes: dict[str, list[str]] = {}
    for text in texts:
        key, value = split_setting(text, "--vary")
        axes.setdefault(key, []).extend(value.split("|" if "|" in value else ","))
    return axes


def _variant(text: str) -> dict[str, str]:
    return dict(split_setting(part, "--variant") for part in text.split(","))


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.compare import export, table
    from tlmssd_lab.compare.compare import compare

    if words.timeline and words.out is None:
        raise LabInputError("--timeline: needs --out, the folder to keep it in")
    if not words.timeline and (words.timeline_from or words.timeline_to):
        raise LabInputError("--timeline-from and --timeline-to need --timeline")

    def progress(done: int, total: int, name: str) -> None:
        print(f"  {done}/{total} {name}", file=sys.stderr, flush=True)

    unwritten: list[str] = []
    try:
        comparison = compare(
            words.configs,
            schedulers=_listed(words.scheduler),
            controllers=_listed(words.controller),
            cpus=_listed(words.cpu),
            vary=_vary(words.vary),
            extra=[_variant(v) for v in words.variant],
            settings=dict(split_setting(text, "--set") for text in words.sets),
            workloads=_listed(words.workload),
            traces=words.traces,
            seeds=words.seeds,
            first_seed=words.first_seed,
            jobs=words.jobs,
            out=words.out,
            timeline=words.timeline,
            timeline_from=words.timeline_from,
            timeline_to=words.timeline_to,
            lenient=words.lenient,
            metrics=words.metric,
            progress=None if words.quiet else progress,
        )
    except LabNotWritten as error:
        comparison = error.comparison
        unwritten.append(str(error))
    for file, write in (
        (words.csv, export.write_csv),
        (words.json, export.write_json),
    ):
        try:
            if file:
                write(comparison, pathlib.Path(file))
        except LabInputError as error:
            unwritten.append(str(error))
    print(table.text_of(comparison), flush=True)  # whatever became of the files
    if comparison.interrupted:
        print("tlmssd-lab: interrupted", file=sys.stderr)
    elif comparison.full:
        print(f"tlmssd-lab: {table.one_line(comparison.full)}", file=sys.stderr)
    elif unwritten:
        print(f"tlmssd-lab: {unwritten[0]}", file=sys.stderr)
    elif comparison.status != 0:
        lost = comparison.refused
        if comparison.status == 3:
            lost = next(row for row in comparison.rows if row.status == "failed")
        print(
            f"tlmssd-lab: {lost.name}: {table.one_line(lost.message)}",
            file=sys.stderr,
        )
    return comparison.status or (LabInputError.status if unwritten else 0)
