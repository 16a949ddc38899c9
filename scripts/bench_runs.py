#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measure host I/Os per wall second, net of start-up, on whole runs; a speed below its floor is a failure.

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

ROOT = pathlib.Path(__file__).resolve().parents[1]
BINARY = "build/release/bin/tlmssd"
READS = "configs/ssd/mqsim_8x8.yaml"
WRITES = "configs/ssd/mqsim_8x8_gc.yaml"

O3 = ["host.kind=direct", "workload.rw=randread", "workload.bs=4096", "scheduler=host",
      "controller.kind=rtl", "controller.rtl=o3", "controller.clock_mhz=200"]

# name, floor and aim in host I/Os a wall second, requests, configuration, settings
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
# name, floor in page programs (host and garbage collection) a wall second of preconditioning, most
# seconds that it may take and MiB that the process may use (None: not checked), configuration, settings
PRECONDITION = [
    ("precondition", 2_000_000, None, None, WRITES, ["precondition.steady=true"]),
    ("fill256", None, 60, 3 * 1024, "configs/ssd/device_256g.yaml", ["precondition.fill=1"]),
]
# name, floor in 4 KiB requests a wall second of four fio clients of `tlmssd serve`, their pattern. Client,
# nbdkit and simulator share the machine's cores; left out where fio or nbdkit is not installed. Measured is
# what goes on for ever: each cell has been written, as the first store to memory costs a machine whose host lends
# it out only when it is touched more than a request does.
SERVE = [
    ("serve-rr4k", 40_000, "randread"),
    ("serve-rw4k", 40_000, "randwrite"),
]
SERVED = ["configs/ssd/default.yaml", "--set", "host.kind=direct", "--set", "geometry.pages=64"]
COMMON = ["host.queue_depth=32", "workload.mode=closed"]


def run_once(root, requests, config, sets):
    """results.json of one run of the repository `root`, pinned to core 1 where that can be done."""
    pin = []
    if shutil.which("taskset") and (os.cpu_count() or 1) > 1 and 1 in os.sched_getaffinity(0):
        pin = ["taskset", "-c", "1"]
    with tempfile.TemporaryDirectory() as folder:
        command = [*pin, str(root / BINARY), "run", config, "--out", folder, "--quiet"]
        for setting in [*COMMON, *sets, f"workload.requests={requests}"]:
            command += ["--set", setting]
        done = subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, check=False)
        if done.returncode in (130, -signal.SIGINT):  # Ctrl-C reached it first
            raise KeyboardInterrupt
        if done.returncode != 0:
            sys.exit(f"bench: status {done.returncode} from: {' '.join(command)}")
        return json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))


def measure(case, runs, shrink):
    """One row of the table; of several runs the one with the median speed."""
    name, floor, aim, requests, config, sets = case
    requests //= shrink
    results = [run_once(ROOT, requests, config, sets) for _ in range(runs)]
    rates = [r["wall"]["host_ios_per_s"] for r in results]
    rate = statistics.median(rates)
    wall = min(results, key=lambda r: abs(r["wall"]["host_ios_per_s"] - rate))["wall"]
    return {
        "case": name, "requests": requests, "ios_per_s": rate, "floor": floor, "aim": aim,
        "all_ios_per_s": rates, "events_per_io": wall["timer_callbacks"] / requests,
        "peak_rss_mib": wall["peak_rss_mib"], "met": rate >= floor,
    }


def show(row):
    aim = f"{row['aim']:>9,}" if row["aim"] else f"{'-':>9}"
    verdict = "ok" if row["met"] else "BELOW FLOOR"
    print(f"{row['case']:<10} {row['ios_per_s']:>11,.0f} {row['floor']:>9,} {aim} "
          f"{row['events_per_io']:>11.2f} {row['peak_rss_mib']:>9.0f}  {verdict}", flush=True)


def gain(case, runs, shrink):
    """One row: how many times faster with a gated clock, the median of pairs of runs."""
    name, floor, gated, free, sets = case

    def rate(requests, *more):
        return run_once(ROOT, requests // shrink, READS, [*sets, *more])["wall"]["host_ios_per_s"]

    ratios = [rate(gated) / rate(free, "controller.clock_gating=false") for _ in range(runs)]
    ratio = statistics.median(ratios)
    return {"case": name, "factor": ratio, "floor": floor, "all_factors": ratios, "met": ratio >= floor}


def show_gain(row):
    verdict = "ok" if row["met"] else "BELOW FLOOR"
    print(f"{row['case']:<12} {row['factor']:>9,.0f} times {row['floor']:>5,}  {verdict}", flush=True)


def precondition(case, runs):
    """One row: preconditioning alone, the median of the runs; no part of the device is left out."""
    name, floor, seconds, mib, config, sets = case
    walls = [run_once(ROOT, 1, config, sets)["wall"] for _ in range(runs)]
    wall = sorted(walls, key=lambda w: w["precondition_s"])[len(walls) // 2]
    met = ((floor is None or wall["precondition_programs_per_s"] >= floor)
           and (seconds is None or wall["precondition_s"] < seconds)
           and (mib is None or wall["peak_rss_mib"] < mib))
    return {"case": name, "programs_per_s": wall["precondition_programs_per_s"], "floor": floor,
            "seconds": wall["precondition_s"], "most_seconds": seconds,
            "peak_rss_mib": wall["peak_rss_mib"], "most_mib": mib, "met": met}


def show_precondition(row):
    def limit(value):
        return f" ({value:,})" if value is not None else ""
    verdict = "ok" if row["met"] else "MISSED"
    print(f"{row['case']:<12} {row['programs_per_s']:,.0f} programs/s{limit(row['floor'])}, "
          f"{row['seconds']:.1f} s{limit(row['most_seconds'])}, "
          f"{row['peak_rss_mib']:,.0f} MiB{limit(row['most_mib'])}  {verdict}", flush=True)


def fio(socket, *words):
    """The first job of fio's report."""
    command = ["fio", "--name=serve", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={socket}", "--thread",
               "--group_reporting", "--output-format=json", *words]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"bench: fio: {done.stdout}{done.stderr}")
    return json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]


def serve_rates(pattern, runs, seconds):
    """Requests a second in each of `runs` on one device, all of which has been written, spare blocks too."""
    with tempfile.TemporaryDirectory() as folder:
        socket = pathlib.Path(folder) / "s"
        command = [str(ROOT / BINARY), "serve", *SERVED, "--socket", str(socket), "--quiet"]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as server:
            try:
                if b"bytes at" not in server.stdout.readline():
                    sys.exit(f"bench: status {server.wait()} from: {' '.join(command)}")
                fio(socket, "--rw=write", "--bs=64k", "--iodepth=16", "--size=100%")
                fio(socket, "--rw=randwrite", "--bs=4k", "--iodepth=32", "--size=256m")
                reports = [fio(socket, f"--rw={pattern}", "--bs=4k", "--iodepth=32", "--size=256m", "--numjobs=4",
                               "--time_based", f"--runtime={seconds}") for _ in range(runs)]
            finally:
                server.terminate()
                server.wait()
    return [report["read"]["iops"] + report["write"]["iops"] for report in reports]


def serve(case, runs, seconds):
    """One row: the median of the runs."""
    name, floor, pattern = case
    rates = serve_rates(pattern, runs, seconds)
    rate = statistics.median(rates)
    return {"case": name, "requests_per_s": rate, "floor": floor, "all_requests_per_s": rates, "met": rate >= floor}


def show_serve(row):
    verdict = "ok" if row["met"] else "BELOW FLOOR"
    print(f"{row['case']:<12} {row['requests_per_s']:,.0f} requests/s ({row['floor']:,})  {verdict}", flush=True)


def compare(name, speed, other, rounds):
    """Speed over the other revision's: the median over pairs of runs, one directly after the other.
    `speed` runs a repository once."""
    ratios = [speed(ROOT) / speed(other) for _ in range(rounds)]
    print(f"{name:<12} {statistics.median(ratios):>6.3f}   "
          f"{' '.join(f'{ratio:.2f}' for ratio in sorted(ratios))}", flush=True)


def speeds_of(cases, gating, used, shrink):
    """Name and speed of a repository, for each case: host I/Os a wall second (of the gating cases with a
    gated clock), page programs a wall second of preconditioning."""
    loads = [(name, requests, config, sets, "host_ios_per_s") for name, _, _, requests, config, sets in cases]
    loads += [(name, requests, READS, sets, "host_ios_per_s") for name, _, requests, _, sets in gating]
    loads += [(name, shrink, config, sets, "precondition_programs_per_s")
              for name, _, _, _, config, sets in used]
    for name, requests, config, sets, key in loads:
        yield name, lambda root, r=requests // shrink, c=config, s=sets, k=key: run_once(root, r, c, s)["wall"][k]


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
    if args.against is not None:
        if args.case and set(args.case) & {case[0] for case in SERVE}:
            parser.error("--against: not with cases of serve: fio takes its share of the machine")
        if not (args.against / BINARY).is_file():
            parser.error(f"--against: no {args.against / BINARY}: build that revision first")
        if args.rounds < 1:
            parser.error("--rounds: at least 1")
    elif args.out.exists() and not args.out.is_file():
        parser.error(f"--out {args.out}: not a regular file")
    else:
        folder = next(place for place in args.out.absolute().parents if place.exists())
        if not (folder.is_dir() and os.access(folder, os.W_OK)):
            parser.error(f"--out {args.out}: {folder} is no folder that can be written to")


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true",
                        help="run each case once with a quarter of the requests, not three times (median)")
    parser.add_argument("--case", choices=[case[0] for case in CASES + GATING + PRECONDITION + SERVE], action="append",
                        help="run only this case (repeatable)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/bench.json",
                        help="write the figures to this file (default: out/bench.json)")
    parser.add_argument("--against", type=pathlib.Path, metavar="REPO",
                        help="compare with another revision, built in REPO, in pairs of runs, so that a change "
                        "of the machine's speed slows both; no floor is checked. Cases without --case: "
                        "host I/Os with a TLM controller, and rr4k-o3")
    parser.add_argument("--rounds", type=int, default=7, help="pairs of runs of each case (default: 7)")
    parser.add_argument("--check-arguments", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    check(parser, args)
    if args.check_arguments:
        return 0
    cases = [case for case in CASES if not args.case or case[0] in args.case]
    gating = [case for case in GATING if not args.case or case[0] in args.case]
    used = [case for case in PRECONDITION if not args.case or case[0] in args.case]
    served = [case for case in SERVE if not args.case or case[0] in args.case]
    if args.against is not None:
        if not args.case:
            gating, used = [], []
        print(f"{'case':<12} {'median':>6}   speed / speed of the other revision, each pair")
        for name, speed in speeds_of(cases, gating, used, 4 if args.quick else 1):
            compare(name, speed, args.against.resolve(), args.rounds)
        return 0

    print(f"{'case':<10} {'I/Os per s':>11} {'floor':>9} {'aim':>9} {'events/I/O':>11} {'peak MiB':>9}")
    rows, gains, preconditions, serves = [], [], [], []
    for case in cases:
        rows.append(measure(case, *((1, 4) if args.quick else (3, 1))))
        show(rows[-1])
    for case in gating:
        gains.append(gain(case, *((1, 4) if args.quick else (3, 1))))
        show_gain(gains[-1])
    for case in used:
        preconditions.append(precondition(case, 1 if args.quick else 3))
        show_precondition(preconditions[-1])
    if served and not (shutil.which("fio") and shutil.which("nbdkit")):
        print("serve: left out, fio or nbdkit is not installed (scripts/setup --for test)")
        served = []
    for case in served:
        serves.append(serve(case, *((1, 3) if args.quick else (3, 10))))
        show_serve(serves[-1])
    text = json.dumps({"schema": "tlmssd-bench-1", "cases": rows, "gating": gains,
                       "precondition": preconditions, "serve": serves}, indent=2)
    try:
        write_whole(args.out, text + "\n")
    except OSError as error:
        print(f"bench: {args.out}: cannot be written: {error.strerror}", file=sys.stderr)
        return 2
    return 0 if all(row["met"] for row in rows + gains + preconditions + serves) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        print("bench: interrupted: nothing was written", file=sys.stderr)
        sys.exit(130)
