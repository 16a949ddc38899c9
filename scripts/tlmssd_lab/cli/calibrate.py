# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab calibrate."""

from __future__ import annotations

import argparse
import json
import pathlib
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tlmssd_lab.calibrate.loads import Load, fitted_loads, held_out_loads, schedulers
from tlmssd_lab.cli import options
from tlmssd_lab.cli.status_line import StatusLine
from tlmssd_lab.errors import LabError, LabInputError
from tlmssd_lab.files import write_whole
from tlmssd_lab.progress import Tracker
from tlmssd_lab.run.errors import LabInterrupted, LabModelError
from tlmssd_lab.run.process import ROOT, Runner, default_jobs, find_binary, in_pool
from tlmssd_lab.run.run import run

if TYPE_CHECKING:
    from tlmssd_lab.calibrate.costs import Fit, Table

COSTS = ROOT / "firmware/hal/costs.def"
TOOL, IMAGE = "tlmssd-costs", "tlmssd_fw_rv32.elf"
MOST_CYCLES, MOST_LATENCY = 0.05, 0.02  # of what the ISS says
MOST_NOISE = 0.01  # of the mean latency, for it to be judged

_EPILOG = """\
Every workload (docs/contributing/calibration.md names them) is recorded and replayed natively and on the
instruction set simulator. The cost points are then fitted by non-negative least squares. --write puts
the numbers into firmware/hal/costs.def; build the program again after that. --check runs other
workloads on both CPUs as they are built. A latency is shown and not judged where a clock change of
0.5 % changes the mean latency by more than that and 1 %: other requests have met a garbage collection.

examples:
  tlmssd-lab calibrate --write && scripts/build && tlmssd-lab calibrate --check
  tlmssd-lab calibrate --scheduler paq2,sost

exit status: 0 done, 1 --check found a workload outside 5 % of cycles or 2 % of mean latency, 2 wrong
input, 3 the model failed, 130 interrupted
"""


def add_to(commands: Any) -> None:
    command = options.add_command(
        commands,
        "calibrate",
        "fit the cycles of the native CPU to the instruction set simulator (for developers)",
        "Fits firmware/hal/costs.def to the executed firmware, or checks how well it fits.",
        _EPILOG,
    )
    command.set_defaults(call=call)
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "--write",
        action="store_true",
        help="write back into the repository: firmware/hal/costs.def",
    )
    what.add_argument(
        "--check", action="store_true", help="compare both CPUs on workloads outside the fit"
    )
    command.add_argument(
        "--quick", action="store_true", help="one workload per scheduler; requires --check"
    )
    command.add_argument(
        "--scheduler",
        action="append",
        default=[],
        metavar="A,B",
        help="only these schedulers (default: all of sched.def)",
    )
    command.add_argument(
        "--points", action="store_true", help="show every cost point and its share"
    )
    options.add_jobs(command)
    options.add_quiet(command)


def call(words: argparse.Namespace) -> int:
    if words.quick and not words.check:
        raise LabInputError("--quick requires --check")
    if words.points and words.check:
        raise LabInputError("--points conflicts with --check")
    names = _schedulers(words.scheduler)
    if words.check:
        return _check(held_out_loads(names, words.quick), words)
    _fit(fitted_loads(names), words)
    return 0


def _schedulers(given: Sequence[str]) -> list[str]:
    known = schedulers(ROOT)
    wanted = options.listed(list(given))
    for name in wanted:
        if name not in known:
            raise LabInputError(f"--scheduler '{name}': must be one of {', '.join(known)}")
    return [name for name in known if not wanted or name in wanted]


def _each(
    work: Callable[[Load, Runner], Any], loads: Sequence[Load], words: argparse.Namespace
) -> list[Any]:
    runner = Runner()
    jobs = words.jobs or default_jobs()
    with StatusLine(words.quiet) as line:
        tracker = Tracker(len(loads), jobs, line)

        def timed(load: Load, runner: Runner) -> Any:
            started = time.monotonic()
            found = work(load, runner)
            tracker.ended(load.label, time.monotonic() - started)
            return found

        done = in_pool(timed, loads, jobs, runner)
    if runner.interrupted:
        raise KeyboardInterrupt
    return done


def _keys(load: Load) -> dict[str, Any]:
    return {**load.settings, **load.keys, "scheduler": load.scheduler}


def _run(
    load: Load, folder: pathlib.Path, keys: dict[str, Any], options: list[str], runner: Runner
) -> dict[str, Any]:
    device = folder / "device.yaml"
    device.write_text(json.dumps(load.device), encoding="utf-8")  # JSON is YAML
    try:
        return run(device, out=folder, overrides=keys, options=options, runner=runner).json
    except LabInterrupted:
        raise
    except LabError as error:
        raise type(error)(f"{load.label}: {error}") from None


# ---- fit ----


def _sibling(name: str, places: Sequence[str]) -> pathlib.Path:
    program = find_binary()
    for place in places:
        path = program.parent / place / name
        if path.is_file():
            return path.resolve()
    raise LabInputError(f"{program.parent}: {name} is missing: run scripts/build (docs/explanation/cpu.md)")


def _table(load: Load, tool: pathlib.Path, runner: Runner) -> Table:
    from tlmssd_lab.calibrate.costs import read_table

    with tempfile.TemporaryDirectory(prefix="tlmssd-calibrate-") as name:
        folder = pathlib.Path(name)
        steps, table = folder / "run.steps", folder / "run.csv"
        _run(load, folder, _keys(load), ["--steps", str(steps)], runner)
        status, messages = runner.run([str(tool), str(steps), str(table)])
        if status != 0:
            error = LabInputError if status == 2 else LabModelError
            raise error(f"{load.label}: {messages.strip() or f'{TOOL} ended with {status}'}")
        return read_table(table, load.label)


def _fit(loads: Sequence[Load], words: argparse.Namespace) -> None:
    from tlmssd_lab.calibrate.costs import fit, image_hash, read_costs, residual, written

    tool = _sibling(TOOL, ["."])
    image = _sibling(IMAGE, [".", "../firmware"])
    try:
        text = COSTS.read_text(encoding="utf-8")
    except OSError as error:
        raise LabInputError(f"{COSTS}: {error.strerror}") from None
    before = read_costs(text)
    tables = _each(lambda load, runner: _table(load, tool, runner), loads, words)
    if tuple(before) != tables[0].points:
        raise LabInputError(f"{tool}: was built with other cost points: run scripts/build")
    fitted = fit(tables)
    residuals = [residual(table, fitted.cycles) for table in tables]
    print(f"{'load':32} {'ISS cycles':>12} {'total':>8} {'segments':>9}")
    for r in residuals:
        print(f"{r.label:32} {r.cycles:12.0f} {r.total:+8.2%} {r.segments:9.2%}")
    if words.points:
        _show_points(fitted, before)
    for point in fitted.uncharged:
        print(f"no workload charges {point}: it keeps its estimate")
    worst = max(residuals, key=lambda r: abs(r.total))
    record = [
        f"image {image_hash(image)}",
        f"loads {len(tables)}",
        f"segments {sum(int(table.times.sum()) for table in tables)}",
        f"largest error of a load's total: {worst.total:+.2%} ({worst.label})",
    ]
    if not words.write:
        return
    write_whole(COSTS, written(text, fitted, record))
    print(f"{COSTS}: {len(fitted.cycles)} of {len(before)} points fitted; build again")


def _show_points(fitted: Fit, before: dict[str, int]) -> None:
    print(f"{'point':20} {'before':>7} {'cycles':>7} {'share':>7}")
    for point, cycles in fitted.cycles.items():
        print(f"{point:20} {before[point]:7} {cycles:7} {fitted.shares[point]:7.2%}")


# ---- check ----


@dataclass(frozen=True)
class Comparison:
    """Native against executed. `noise`: the change of the mean latency after a change of the clock by
    0.5 %, minus these 0.5 %; of `native`, and where latencies differ also of `iss`."""

    iss_cycles: float
    cycles: float
    latency: float
    noise: float

    @property
    def outside(self) -> bool:
        return abs(self.cycles) > MOST_CYCLES or (
            self.noise <= MOST_NOISE and abs(self.latency) > MOST_LATENCY
        )


def _compare(load: Load, runner: Runner) -> Comparison:
    def result(model: str, **more: Any) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="tlmssd-calibrate-") as name:
            keys = {**_keys(load), "cpu.model": model, **more}
            return _run(load, pathlib.Path(name), keys, [], runner)

    native, iss = result("native"), result("iss")
    mhz = native["cpu"]["mhz"]
    change = max(1, mhz // 200)

    def noise_of(model: str, at: dict[str, Any]) -> float:
        found = 0.0
        for clock in (mhz - change, mhz + change):
            moved = abs(_mean(result(model, **{"cpu.mhz": clock})) / _mean(at) - 1)
            found = max(found, moved - change / (mhz - change))
        return found

    noise = noise_of("native", native)
    if noise <= MOST_NOISE and abs(_mean(native) / _mean(iss) - 1) > MOST_LATENCY:
        noise = max(noise, noise_of("iss", iss))  # a load may be steady in one and not in the other
    return Comparison(
        cycles_of(iss),
        cycles_of(native) / cycles_of(iss) - 1,
        _mean(native) / _mean(iss) - 1,
        noise,
    )


def _mean(results: dict[str, Any]) -> float:
    return results["host"]["all"]["latency_us"]["mean"]


def cycles_of(results: dict[str, Any]) -> float:
    """All cycles of all cores."""
    cpu = results["cpu"]
    return sum(cpu["busy_fraction"]) * results["sim"]["time_s"] * cpu["mhz"] * 1e6


def _check(loads: Sequence[Load], words: argparse.Namespace) -> int:
    from tlmssd_lab.calibrate.costs import image_hash, recorded

    image = _sibling(IMAGE, [".", "../firmware"])
    fitted_to = recorded(COSTS.read_text(encoding="utf-8"), "image")
    if fitted_to != image_hash(image):
        print(f"note: costs.def was not fitted to this image ({image})")
    print(f"{'load':32} {'ISS cycles':>12} {'cycles':>8} {'latency':>8}")
    done = _each(_compare, loads, words)
    for load, c in zip(loads, done, strict=True):
        note = f"  not judged: clock noise {c.noise:.1%}" if c.noise > MOST_NOISE else ""
        print(
            f"{load.label:32} {c.iss_cycles:12.0f} {c.cycles:+8.2%} {c.latency:+8.2%}"
            + ("  outside" if c.outside else note)
        )
    outside = sum(c.outside for c in done)
    if outside:
        print(
            f"{outside} of {len(loads)} workloads are outside {MOST_CYCLES:.0%} of cycles or "
            f"{MOST_LATENCY:.0%} of mean latency: tlmssd-lab calibrate --write"
        )
    return 1 if outside else 0
