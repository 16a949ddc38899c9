#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure host I/Os per wall second, net of start-up, on whole runs; a speed below its floor is a failure.

Floors are ratios to a reference loop that runs before and after each measurement, so that a slow
machine is not taken for a slow program: host I/Os per 1,000 turns of the loop. The median of the
ratios counts. A warning says when other work disturbed the figures.

The cases repeat measurements of MQSim with one thread on a machine with 2 cores: 154,000 random
4 KiB reads at queue depth 32, 77,000 random 4 KiB writes in GC steady state, 72,000 sequential
128 KiB reads per second. The cases of the out-of-order RTL have no such reference; their gating cases
divide the speed by that of a clock that never stops. Preconditioning is measured separately: page
programs per second, and a 256 GiB device filled once. Writes out/bench.json. Run it on an otherwise
idle machine.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

import bench_profile
import bench_reference
from bench_reference import Reference, spread, verdict

ROOT = pathlib.Path(__file__).resolve().parents[1]
PRESETS = ["release", "release-pgo"]
LOOP = "build/release/bin/tlmssd_reference_loop"
READS = "configs/ssd/mqsim_8x8.yaml"
WRITES = "configs/ssd/mqsim_8x8_gc.yaml"

O3 = ["host.kind=direct", "workload.rw=randread", "workload.bs=4096", "scheduler=host",
      "controller.kind=rtl", "controller.rtl=o3", "controller.clock_mhz=200"]

# name, floor and aim in host I/Os a wall second on the machine of the floors (bench_reference.MACHINE), requests,
# configuration, settings
CASES = [
    ("rr4k", 310_000, 500_000, 1_000_000, READS,
     ["host.kind=direct", "workload.rw=randread", "workload.bs=4096"]),
    ("rw4k", 155_000, 350_000, 600_000, WRITES,
     ["host.kind=direct", "workload.rw=randwrite", "workload.bs=4096"]),
    ("sr128k", 86_000, 100_000, 60_000, READS,
     ["host.kind=direct", "workload.rw=read", "workload.bs=131072"]),
    ("rr4k-sata", 230_000, None, 500_000, READS,
     ["host.kind=sata", "workload.rw=randread", "workload.bs=4096"]),
    ("rr4k-o3", 20_000, 50_000, 200_000, READS, O3),
]
# name, least speed over that with controller.clock_gating false, requests with and without, settings
GATING = [
    ("o3-gating-1", 300, 20_000, 100, [*O3, "host.queue_depth=1"]),
    ("o3-gating-32", 15, 100_000, 1_000, O3),
]
WRITTEN = "precondition.arithmetic=false"  # the speed of the writes
# name, floor in page programs (host and garbage collection) a wall second of preconditioning, most seconds that
# it may take, both on the machine of the floors, MiB that the process may use (None: not checked), configuration,
# settings
PRECONDITION = [
    ("precondition", 2_000_000, None, None, WRITES, ["precondition.steady=true", WRITTEN]),
    ("fill256", None, 60, 3 * 1024, "configs/ssd/device_256g.yaml", ["precondition.fill=1", WRITTEN]),
]
# name, floor in 4 KiB requests a wall second, on the machine of the floors, of four fio clients of `tlmssd serve`,
# their pattern. Client, nbdkit and simulator share the machine's cores; left out where fio or nbdkit is not installed. Measured is
# what goes on for ever: each cell has been written, as the first store to memory costs a machine whose host lends
# it out only when it is touched more than a request does.
SERVE = [
    ("serve-rr4k", 40_000, "randread"),
    ("serve-rw4k", 40_000, "randwrite"),
]
SERVED = ["configs/ssd/default.yaml", "--set", "host.kind=direct", "--set", "geometry.pages=64"]
COMMON = ["host.queue_depth=32", "workload.mode=closed"]


def built(root, preset=PRESETS[0]):
    """The simulator of a repository."""
    return root / "build" / preset / "bin/tlmssd"


PROGRAM = built(ROOT)  # the one that is measured; main() sets that of --preset


def failed(status, command):
    """The end where a program of a measurement has failed: with its status."""
    if status in (130, -signal.SIGINT):  # Ctrl-C reached it first
        raise KeyboardInterrupt
    print(f"bench: status {status} from: {' '.join(map(str, command))}", file=sys.stderr)
    sys.exit(status if status in (2, 3) else 3)


def pinned():
    """Words before a command that keep it on core 1 where that can be done."""
    if shutil.which("taskset") and (os.cpu_count() or 1) > 1 and 1 in os.sched_getaffinity(0):
        return ["taskset", "-c", "1"]
    return []


def run_once(program, requests, config, sets):
    """results.json of one run of a simulator, in the repository that it was built in."""
    with tempfile.TemporaryDirectory() as folder:
        command = [*pinned(), str(program), "run", config, "--out", folder, "--quiet"]
        for setting in [*COMMON, *sets, f"workload.requests={requests}"]:
            command += ["--set", setting]
        done = subprocess.run(command, cwd=program.parents[3], stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            failed(done.returncode, command)
        return json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))


def loop_once():
    """What the reference loop prints."""
    command = [*pinned(), str(ROOT / LOOP)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        failed(done.returncode, command)
    return json.loads(done.stdout)


def measure(case, runs, shrink):
    """One row of the table; events and memory are those of the run with the median speed."""
    name, floor, aim, requests, config, sets = case
    requests //= shrink
    walls = []

    def rate():
        walls.append(run_once(PROGRAM, requests, config, sets)["wall"])
        return walls[-1]["host_ios_per_s"]

    reference = Reference(loop_once)
    row = verdict(name, "ios_per_s", reference.beside(rate() for _ in range(runs)), floor, aim)
    wall = min(walls, key=lambda w: abs(w["host_ios_per_s"] - row["ios_per_s"]))
    return {**row, "requests": requests, "events_per_io": wall["timer_callbacks"] / requests,
            "peak_rss_mib": wall["peak_rss_mib"], **of(reference)}


def of(reference):
    """What a row says of its reference loops."""
    return {"turns_per_s": statistics.median(reference.turns_per_s), "all_turns_per_s": reference.turns_per_s,
            "disturbed_by": reference.disturbances()}


def thousand(ratio):
    """A ratio per 1,000 turns, with four digits."""
    return "-" if ratio is None else f"{1000 * ratio:,.{2 if ratio < 0.1 else 0}f}"


def show(row, unit="ios_per_s", more=""):
    print(f"{row['case']:<12} {row[unit]:>11,.0f} {thousand(row['ratio']):>9} {row['spread']:>6.0%} "
          f"{thousand(row['floor_ratio']):>7} {thousand(row['aim_ratio']):>7}  "
          f"{'ok' if row['met'] else 'BELOW FLOOR'}{more}", flush=True)
    warn(row)


def warn(row):
    if row["disturbed_by"]:
        print(f"bench: warning: {row['case']}: {'; '.join(row['disturbed_by'])}: measure it again on an idle machine",
              file=sys.stderr, flush=True)


def show_case(row):
    show(row, more=f"  ({row['events_per_io']:.2f} events per I/O, {row['peak_rss_mib']:,.0f} MiB)")


def gain(case, runs, shrink):
    """One row: how many times faster with a gated clock, the median of pairs of runs."""
    name, floor, gated, free, sets = case

    def rate(requests, *more):
        return run_once(PROGRAM, requests // shrink, READS, [*sets, *more])["wall"]["host_ios_per_s"]

    ratios = [rate(gated) / rate(free, "controller.clock_gating=false") for _ in range(runs)]
    ratio = statistics.median(ratios)
    return {"case": name, "factor": ratio, "floor": floor, "all_factors": ratios, "spread": spread(ratios),
            "met": ratio >= floor}


def show_gain(row):
    print(f"{row['case']:<12} {row['factor']:>11,.0f} {'times':>9} {row['spread']:>6.0%} {row['floor']:>7,} {'-':>7}  "
          f"{'ok' if row['met'] else 'BELOW FLOOR'}", flush=True)


def precondition(case, runs):
    """One row: preconditioning alone, the median of the runs; no part of the device is left out."""
    name, floor, seconds, mib, config, sets = case
    walls = []

    def rate():
        walls.append(run_once(PROGRAM, 1, config, sets)["wall"])
        return walls[-1]["precondition_programs_per_s"]

    reference = Reference(loop_once)
    row = verdict(name, "programs_per_s", reference.beside(rate() for _ in range(runs)), floor)
    scaled = [wall["precondition_s"] * turns / bench_reference.MACHINE
              for wall, turns in zip(walls, reference.around)]
    rss = max(wall["peak_rss_mib"] for wall in walls)
    met = (row["met"] and (seconds is None or statistics.median(scaled) < seconds) and (mib is None or rss < mib))
    return {**row, "seconds": statistics.median(wall["precondition_s"] for wall in walls),
            "scaled_seconds": statistics.median(scaled), "most_seconds": seconds,
            "peak_rss_mib": rss, "most_mib": mib, "met": met, **of(reference)}


def show_precondition(row):
    def limit(value):
        return f" of {value:,}" if value is not None else ""
    show(row, "programs_per_s", f"  ({row['seconds']:.1f} s, on the machine of the floors "
         f"{row['scaled_seconds']:.1f}{limit(row['most_seconds'])} s, "
         f"{row['peak_rss_mib']:,.0f}{limit(row['most_mib'])} MiB)")


def fio(socket, *words):
    """The first job of fio's report."""
    command = ["fio", "--name=serve", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={socket}", "--thread",
               "--group_reporting", "--output-format=json", *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"bench: fio: {done.stdout}{done.stderr}", file=sys.stderr)
        failed(done.returncode, command)
    return json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]


def serve_rates(pattern, runs, seconds):
    """Requests a second, `runs` times on one device, all of which has been written, spare blocks too."""
    with tempfile.TemporaryDirectory() as folder:
        socket = pathlib.Path(folder) / "s"
        command = [str(PROGRAM), "serve", *SERVED, "--socket", str(socket), "--quiet"]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as server:
            try:
                if b"bytes at" not in server.stdout.readline():
                    failed(server.wait(), command)
                fio(socket, "--rw=write", "--bs=64k", "--iodepth=16", "--size=100%")
                fio(socket, "--rw=randwrite", "--bs=4k", "--iodepth=32", "--size=256m")
                for _ in range(runs):
                    report = fio(socket, f"--rw={pattern}", "--bs=4k", "--iodepth=32", "--size=256m", "--numjobs=4",
                                 "--time_based", f"--runtime={seconds}")
                    yield report["read"]["iops"] + report["write"]["iops"]
            finally:
                server.terminate()
                server.wait()


def serve(case, runs, seconds):
    """One row: the median of the runs."""
    name, floor, pattern = case
    reference = Reference(loop_once)
    return {**verdict(name, "requests_per_s", reference.beside(serve_rates(pattern, runs, seconds)), floor),
            **of(reference)}


def show_serve(row):
    show(row, "requests_per_s")


def compare(name, speed, other, rounds):
    """Speed over that of another simulator: the median over pairs of runs, one directly after the other.
    `speed` runs a simulator once."""
    ratios = [speed(PROGRAM) / speed(other) for _ in range(rounds)]
    print(f"{name:<12} {statistics.median(ratios):>6.3f}   "
          f"{' '.join(f'{ratio:.2f}' for ratio in sorted(ratios))}", flush=True)


def speeds_of(cases, gating, used, shrink):
    """Name and speed of a simulator, for each case: host I/Os a wall second (of the gating cases with a
    gated clock), page programs a wall second of preconditioning."""
    loads = [(name, requests, config, sets, "host_ios_per_s") for name, _, _, requests, config, sets in cases]
    loads += [(name, requests, READS, sets, "host_ios_per_s") for name, _, requests, _, sets in gating]
    loads += [(name, shrink, config, sets, "precondition_programs_per_s")
              for name, _, _, _, config, sets in used]
    for name, requests, config, sets, key in loads:
        yield name, lambda program, r=requests // shrink, c=config, s=sets, k=key: (
            run_once(program, r, c, s)["wall"][k])


def write_whole(path, text):
    """The whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.write_text(text, encoding="utf-8")
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def check(parser, args):
    """What can be told before anything is measured."""
    if args.rounds is not None and args.rounds < 1:
        parser.error(f"--rounds {args.rounds}: at least 1")
    if args.profile:
        if args.rounds is not None:
            parser.error("--profile conflicts with --rounds: a count needs one run")
        if args.case and set(args.case) - {case[0] for case in CASES}:
            parser.error(f"--profile: only of {', '.join(case[0] for case in CASES)}")
    elif args.caches:
        parser.error("--caches: only with --profile")
    if args.against is not None:
        if args.case and set(args.case) & {case[0] for case in SERVE}:
            parser.error("--against: not with cases of serve: fio takes its share of the machine")
        if not built(args.against).is_file():
            parser.error(f"--against: no {built(args.against)}: build that revision first")
    elif args.profile:
        pass  # writes no file
    elif args.out.exists() and not args.out.is_file():
        parser.error(f"--out {args.out}: not a regular file")
    else:
        folder = next(place for place in args.out.absolute().parents if place.exists())
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            parser.error(f"--out {args.out}: {folder} is no folder that can be written to")


def main(arguments):
    global PROGRAM  # pylint: disable=global-statement
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="run each case once with a quarter of the requests, not five times (median)")
    parser.add_argument("--case", choices=[case[0] for case in CASES + GATING + PRECONDITION + SERVE], action="append",
                        help="run only this case (repeatable)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/bench.json",
                        help="write the figures to this file (default: out/bench.json)")
    parser.add_argument("--against", type=pathlib.Path, metavar="REPO",
                        help="compare with another revision, built in REPO, in pairs of runs, so that a change "
                        "of the machine's speed slows both; no floor is checked. Cases without --case: "
                        "host I/Os with a TLM controller, and rr4k-o3")
    parser.add_argument("--rounds", type=int, metavar="N",
                        help="runs of each case (default: 5, with --quick 1), or with --against pairs of runs "
                        "(default: 7)")
    parser.add_argument("--profile", action="store_true",
                        help="count instructions a host I/O by part of the program instead (callgrind), which no other "
                        "work disturbs, and events; cases without --case: as with --against, which here adds a column")
    parser.add_argument("--caches", action="store_true",
                        help="with --profile: misses of simulated caches, too; takes twice as long")
    parser.add_argument("--preset", choices=PRESETS, default=PRESETS[0],
                        help="build and measure this preset (default: release); the reference loop and the revision of "
                        "--against are always of release")
    parser.add_argument("--check-arguments", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--show-preset", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    PROGRAM = built(ROOT, args.preset)
    check(parser, args)
    if args.show_preset:
        print(args.preset)
    if args.check_arguments or args.show_preset:
        return 0
    cases, gating, used, served = ([case for case in kind if not args.case or case[0] in args.case]
                                   for kind in (CASES, GATING, PRECONDITION, SERVE))
    shrink = 4 if args.quick else 1
    if args.profile:
        programs = [(PROGRAM, ROOT)] + ([(built(args.against.resolve()), args.against.resolve())] if args.against else [])
        for name, _, _, requests, config, sets in cases:
            profiles = [bench_profile.profile(program, requests, config, [*COMMON, *sets], root, args.caches)
                        for program, root in programs]
            print(bench_profile.table(name, *profiles), flush=True)
        return 0
    if args.against is not None:
        if not args.case:
            gating, used = [], []
        print(f"{'case':<12} {'median':>6}   speed / speed of the other revision, each pair")
        for name, speed in speeds_of(cases, gating, used, shrink):
            compare(name, speed, built(args.against.resolve()), args.rounds or 7)
        return 0
    if served and not (shutil.which("fio") and shutil.which("nbdkit")):
        print("serve: left out, fio or nbdkit is not installed (scripts/setup --for test)")
        served = []
    rows = hold_to_floors(cases, gating, used, served, args.rounds or (1 if args.quick else 5), args.quick)
    text = json.dumps({"schema": "tlmssd-bench-2", "machine_turns_per_s": bench_reference.MACHINE, **rows}, indent=2)
    try:
        write_whole(args.out, text + "\n")
    except OSError as error:
        print(f"bench: {args.out}: cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    return 0 if all(row["met"] for kind in rows.values() for row in kind) else 1


def hold_to_floors(cases, gating, used, served, runs, quick):
    """The rows of each kind; each is shown when it has been measured."""
    print(f"{'case':<12} {'per s':>11} {'per 1,000':>9} {'spread':>6} {'floor':>7} {'aim':>7}   "
          "(ratio, floor and aim: per 1,000 turns of the reference loop)")

    def each(kind, measured, shown, *words):
        rows = []
        for case in kind:
            rows.append(measured(case, runs, *words))
            shown(rows[-1])
        return rows
    shrink = 4 if quick else 1
    return {"cases": each(cases, measure, show_case, shrink), "gating": each(gating, gain, show_gain, shrink),
            "precondition": each(used, precondition, show_precondition),
            "serve": each(served, serve, show_serve, 3 if quick else 10)}


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("bench: interrupted: nothing was written", file=sys.stderr)
        sys.exit(130)
