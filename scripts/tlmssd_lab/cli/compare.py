# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab compare."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import TYPE_CHECKING, Any

from tlmssd_lab.cli import options
from tlmssd_lab.cli.status_line import StatusLine
from tlmssd_lab.compare.model import LabNotWritten
from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.run.run import Trace
from tlmssd_lab.run.settings import split_setting
from tlmssd_lab.terminal import Painter, has_colour

if TYPE_CHECKING:
    from tlmssd_lab.compare.model import Comparison

_SEEDS = 5

_EPILOG = """\
Give several values with commas between them, or repeat the option. Every variant runs under every
workload and trace with the same seeds. Each variant is compared with the first one, seed by seed. A
variant that cannot run is reported with the reason; the others run.

In the table, * means statistically significant (95 %). On a terminal, green is better, red is worse.

examples:
  tlmssd-lab compare default -w mixed-70-30-4k,randread-4k \\
      --scheduler inorder,vaq --controller tlm,rtl --seeds 10 --csv out/c.csv
  tlmssd-lab compare default -w randread-4k --vary host.queue_depth=1,8,32
  tlmssd-lab compare default --trace my.spc.gz --format spc \\
      -s workload.mode=closed --scheduler serial,vaq -o out/compare --timeline
  tlmssd-lab compare default my.yaml -w seqread-128k --json > out/c.json

exit status: 0 a variant ran, 2 wrong input or no variant could run, 3 the model failed in a run,
130 interrupted (the complete seeds are shown)
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
            parser.error(f"{option} {values} requires a --trace before it")
        field = "format" if option == "--format" else "columns"
        trace = space.traces[-1]
        given = getattr(trace, field)
        if given is not None:
            parser.error(f"{option} {values}: {trace.path} already has {option} {given}")
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


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "compare",
        "run variants with the same seeds and show the differences",
        "Runs variants of a device under workloads and traces and compares them.",
        _EPILOG,
    )
    command.set_defaults(call=call, traces=[])
    command.add_argument(
        "configs",
        nargs="+",
        metavar="DEVICE",
        help="the device: a name in configs/ssd, such as default, or a file; several are variants",
    )
    _add_variants(command.add_argument_group("variants (every combination)"))
    _add_loads(command.add_argument_group("workloads and traces (each compared separately)"))
    seeds = command.add_argument_group("seeds")
    seeds.add_argument(
        "--seeds",
        type=options.whole(1, options.MOST_SEEDS),
        metavar="N",
        help="number of seeds for each variant (default 5); intervals require 2",
    )
    seeds.add_argument(
        "--first-seed", type=options.whole(0), metavar="S", help="the first seed (default 1)"
    )
    seeds.add_argument(
        "--seed", type=options.whole(0), metavar="S", help="one run for each variant, with seed S"
    )
    _add_output(command.add_argument_group("output"))


def _add_variants(group: Any) -> None:
    for name, help in (
        ("scheduler", "schedulers of the firmware"),
        ("controller", "controller.kind: tlm, rtl"),
        ("cpu", "cpu.model: native, iss"),
    ):
        group.add_argument(f"--{name}", action="append", default=[], metavar="A,B", help=help)
    group.add_argument(
        "--vary",
        action="append",
        default=[],
        metavar="KEY=V1,V2",
        help="values of any key; with | between values that contain commas",
    )
    group.add_argument(
        "--variant",
        action="append",
        default=[],
        metavar="KEY=V,KEY=V",
        help="one more variant beside the combinations; the only ones if no option above is given",
    )
    options.add_set(group, "set a key for all variants (repeatable)")


def _add_loads(group: Any) -> None:
    group.add_argument(
        "-w",
        "--workload",
        action="append",
        default=[],
        metavar="A,B",
        help="names of workloads in configs/workloads, or files",
    )
    group.add_argument(
        "--trace", action=_AddTrace, metavar="FILE", help="a block trace (repeatable)"
    )
    group.add_argument(
        "--format", action=_NameTrace, metavar="F", help="format of the trace before it"
    )
    group.add_argument(
        "--trace-columns", action=_NameTrace, metavar="C", help="columns of the trace before it"
    )
    group.add_argument("--lenient", action="store_true", help="skip broken lines of traces")


def _add_output(group: Any) -> None:
    group.add_argument(
        "--metric",
        action="append",
        default=[],
        metavar="KEY",
        help="add a column: any number of results.json, such as ftl.gc.runs (repeatable)",
    )
    group.add_argument(
        "--csv",
        metavar="FILE",
        help="write all figures as CSV; - prints them instead of the table",
    )
    options.add_json(group, "all figures, also of each seed (no table)")
    options.add_out(group, "DIR", "keep results.json of each run, and compare.json")
    group.add_argument(
        "--timeline",
        action="store_true",
        help="also keep timeline.json.gz of each variant's first seed; requires --out",
    )
    group.add_argument(
        "--timeline-from",
        metavar="TIME",
        help="leave out timeline events that end before this simulated time, such as 1.5ms",
    )
    group.add_argument(
        "--timeline-to",
        metavar="TIME",
        help="leave out timeline events that start at this simulated time or later",
    )
    options.add_jobs(group)
    options.add_quiet(group)


def _vary(texts: list[str]) -> dict[str, list[str]]:
    axes: dict[str, list[str]] = {}
    for text in texts:
        key, value = split_setting(text, "--vary")
        axes.setdefault(key, []).extend(value.split("|" if "|" in value else ","))
    return axes


def _variant(text: str) -> dict[str, str]:
    return dict(split_setting(part, "--variant") for part in text.split(","))


def _check(words: argparse.Namespace) -> None:
    if words.timeline and words.out is None:
        raise LabInputError("--timeline requires --out, the folder for timelines")
    for name in ("timeline_from", "timeline_to"):
        if getattr(words, name) and not words.timeline:
            raise LabInputError(f"--{name.replace('_', '-')} requires --timeline")
    if words.seed is not None:
        for name in ("seeds", "first_seed"):
            if getattr(words, name) is not None:
                raise LabInputError(
                    f"--seed conflicts with --{name.replace('_', '-')}; use --seeds N --first-seed S"
                )
    if words.json:
        if words.csv == "-":
            raise LabInputError("--json conflicts with --csv -; use --csv FILE")
        for config in words.configs:
            if config.endswith(".json"):
                raise LabInputError(f"--json {config} was replaced by --json > {config}")


def call(words: argparse.Namespace) -> int:
    from tlmssd_lab.compare.compare import compare

    _check(words)
    unwritten: list[str] = []
    one = words.seed is not None
    with StatusLine(words.quiet) as line:
        try:
            comparison = compare(
                words.configs,
                schedulers=options.listed(words.scheduler),
                controllers=options.listed(words.controller),
                cpus=options.listed(words.cpu),
                vary=_vary(words.vary),
                extra=[_variant(v) for v in words.variant],
                settings=dict(split_setting(text, "--set") for text in words.sets),
                workloads=options.listed(words.workload),
                traces=words.traces,
                seeds=1 if one else words.seeds or _SEEDS,
                first_seed=words.seed if one else 1 if words.first_seed is None else words.first_seed,
                jobs=words.jobs,
                out=words.out,
                timeline=words.timeline,
                timeline_from=words.timeline_from,
                timeline_to=words.timeline_to,
                lenient=words.lenient,
                metrics=words.metric,
                progress=line,
            )
        except LabNotWritten as error:
            comparison = error.comparison
            unwritten.append(str(error))
    _show(comparison, words, unwritten)
    return _ended(comparison, unwritten)


def _show(comparison: Comparison, words: argparse.Namespace, unwritten: list[str]) -> None:
    """The CSV file, then what belongs on standard output, even where the file cannot be written."""
    from tlmssd_lab.compare import export, table

    if words.csv not in (None, "-"):
        try:
            export.write_csv(comparison, pathlib.Path(words.csv))
        except LabInputError as error:
            unwritten.append(str(error))
    if words.json:
        options.print_json(export.document(comparison))
    elif words.csv == "-":
        print(export.csv_text(comparison), end="", flush=True)
    else:
        print(table.text_of(comparison, Painter(has_colour(sys.stdout))), flush=True)


def _ended(comparison: Comparison, unwritten: list[str]) -> int:
    """A line on the error that matters most, and the exit status."""
    from tlmssd_lab.compare.table import one_line

    message = ""
    if comparison.interrupted:
        message = "interrupted"
    elif comparison.full:
        message = comparison.full
    elif unwritten:
        message = unwritten[0]
    elif comparison.status != 0:
        lost = comparison.refused
        if comparison.status == LabError.status:
            lost = next(row for row in comparison.rows if row.status == "failed")
        assert lost is not None
        message = f"{lost.name}: {lost.message}"
    if message:
        print(f"tlmssd-lab: {one_line(message)}", file=sys.stderr)
    return comparison.status or (LabInputError.status if unwritten else 0)
