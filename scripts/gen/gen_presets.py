#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Make a preset in configs/workloads/ for each row of trace_characteristics.csv.

With --check nothing is written; exit status 1 tells that a preset is stale.
"""
import argparse
import csv
import dataclasses
import math
import pathlib
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = pathlib.Path(__file__).with_name("trace_characteristics.csv")
PRESETS = ROOT / "configs/workloads"

KIB = 1024
SPREAD = 0.8  # standard deviation of ln(size) around the mean: sizes over about three octaves
SCALED = 100_000  # requests of a preset whose trace has more
KEEP = 200_000  # up to so many requests, and where a direction has few, the trace's own counts stay
FEW = 500  # scaled down, a direction with fewer requests than this would lose its exact share
SOURCE = {
    "PAQ": "Physically Addressed Queueing (ISCA 2012), table of the traces",
    "PALLOC": "page allocation strategies (HotStorage 2012), table of the traces",
    "CAWR": "CAWR (ETRI 2015), table of the traces",
}
UNIFORM = "uniform-"  # their addresses have no locality: it is not in the tables
# Cells that the rest of their row contradicts.
DOUBTS = {
    "palloc-web": "Not met: the table's 0.1 % of bytes written; its counts and sizes give 0.01 %.",
}
# CAWR gives no read sizes: KiB, and where they come from.
CAWR_READ_KIB = {
    "Financial1": (1654 / KIB, "mean of the published first 949 rows of Financial1 (1654 bytes)"),
    "Financial2": (2.3, "assumed, as fin2 of the PAQ rows, which is the same trace"),
    "rsrch_0": (16.0, "assumed"),
    "src2_0": (16.0, "assumed"),
    "stg_0": (16.0, "assumed"),
}
# Write sizes in bytes that stand for each size class of CAWR, in equal parts.
SMALL = {"Financial1": [512, 1024, 2048, 4096], "Financial2": [512, 1024, 2048, 4096]}
CLASSES = {"le_4k": [4096], "4k_16k": [8192, 16384], "16k_64k": [32768, 65536], "gt_64k": [131072]}


@dataclasses.dataclass
class Preset:
    """What goes into one file."""

    name: str
    about: list[str]
    keys: list[tuple[str, str]]

    def text(self) -> str:
        lines = [f"# {line}" for text in self.about for line in textwrap.wrap(text, 98)]
        return "\n".join(lines + [f"{key}: {value}" for key, value in self.keys]) + "\n"


def ladder(mean: float) -> list[int]:
    """Powers of two from 512 bytes to 256 KiB around `mean` (bytes)."""
    sizes = [1 << exponent for exponent in range(9, 19)]
    return [size for size in sizes if mean / 12 <= size <= mean * 8]


def weights_for(mean: float) -> dict[int, float]:
    """Shares of the sizes with that mean, by the bell curve over ln(size)."""
    sizes = ladder(mean)

    def shares(center: float) -> dict[int, float]:
        raw = {s: math.exp(-((math.log(s) - center) ** 2) / (2 * SPREAD**2)) for s in sizes}
        total = sum(raw.values())
        return {s: w / total for s, w in raw.items()}

    low, high = math.log(256), math.log(1 << 20)
    for _ in range(60):
        middle = (low + high) / 2
        if sum(s * w for s, w in shares(middle).items()) < mean:
            low = middle
        else:
            high = middle
    return shares(low)


def counts_for(mean: float, parts: int) -> dict[int, int]:
    """`parts` requests over the sizes, their mean as near to `mean` bytes as whole numbers go."""
    if mean in (1 << exponent for exponent in range(9, 19)):
        return {int(mean): parts}
    weights = weights_for(mean)
    counts = {size: math.floor(weight * parts) for size, weight in weights.items()}
    by_rest = sorted(weights, key=lambda s: counts[s] - weights[s] * parts)
    for size in by_rest[: parts - sum(counts.values())]:
        counts[size] += 1

    def error(move: tuple[int, int] | None = None) -> float:
        total = sum(size * n for size, n in counts.items())
        return abs(total + (move[1] - move[0] if move else 0) - mean * parts)

    while True:
        moves = [(a, b) for a in counts for b in counts if a != b and counts[a] > 0]
        best = min(moves, key=error)
        if error(best) >= error():
            return {size: n for size, n in counts.items() if n > 0}
        counts[best[0]] -= 1
        counts[best[1]] += 1


def percents(counts: dict[int, float]) -> dict[int, str]:
    """Shares in per cent, at most two decimals, that add up to exactly 100."""
    total = sum(counts.values())
    hundredths = {size: math.floor(10000 * n / total) for size, n in counts.items()}
    by_rest = sorted(counts, key=lambda s: hundredths[s] - 10000 * counts[s] / total)
    for size in by_rest[: 10000 - sum(hundredths.values())]:
        hundredths[size] += 1
    return {size: f"{n / 100:.2f}".rstrip("0").rstrip(".") for size, n in hundredths.items() if n}


def split_text(counts: dict[int, float]) -> str:
    """One list of bssplit."""
    def name(size: int) -> str:
        return f"{size // KIB}k" if size % KIB == 0 else str(size)
    return ":".join(f"{name(s)}/{p}" for s, p in percents(counts).items())


def split_for_mean(kib: float, requests: int) -> str:
    """Whole per cents; below 200 requests, shares of their own number."""
    return split_text(counts_for(kib * KIB, requests if requests < 200 else 100))


def scaled(row: dict[str, str]) -> tuple[int, int, str]:
    """Quotas of reads and writes, and how they follow from the trace's."""
    reads, writes = int(row["read_ios"]), int(row["write_ios"])
    total = reads + writes
    if total <= KEEP or min(reads, writes) * SCALED / total < FEW:
        return reads, writes, "the trace's own numbers of reads and writes"
    few = round(SCALED * writes / total)
    return SCALED - few, few, (f"{SCALED} requests in the proportion of the trace's {reads} reads "
                               f"and {writes} writes")


def mixed_preset(row: dict[str, str]) -> Preset:
    """A row of PAQ or PALLOC: counts, sizes, randomness."""
    palloc = row["paper"] == "PALLOC"
    name = ("palloc-" if palloc else "") + row["trace"]
    reads, writes, how = scaled(row)
    random_reads = row["randomness_pct"] if palloc else row["pct_random_read"]
    random_writes = row["randomness_pct"] if palloc else row["pct_random_write"]
    about = [
        f"After the trace {row['trace']} of {SOURCE[row['paper']]}.",
        "Made by scripts/gen/gen_presets.py; do not edit.",
        f"From the table: mean sizes (write {row['mean_write_kB']}, read {row['mean_read_kB']} kB);"
        " random " + (f"{random_reads} %." if palloc
                     else f"writes {random_writes} %, reads {random_reads} %."),
        f"Note of the table: {row['note']}.",
        f"Derived: {how}.",
        *([DOUBTS[name]] if name in DOUBTS else []),
        "Assumed: kB is 1024 bytes; the sizes around each mean; random means that a request does "
        "not start where the one before it, of any kind, ended; addresses are uniform over the "
        "device; requests come in closed loop, since the table has no times.",
    ]
    split = split_for_mean(float(row["mean_read_kB"]), reads)
    split += "," + split_for_mean(float(row["mean_write_kB"]), writes)
    return Preset(UNIFORM + name, about, [
        ("rw", "randrw"), ("reads", str(reads)), ("writes", str(writes)), ("bssplit", split),
        ("random_read_percent", random_reads), ("random_write_percent", random_writes)])


def class_preset(row: dict[str, str]) -> Preset:
    """A row of CAWR: share of writes, size classes of the writes, mean interval."""
    name = row["trace"]
    read_kib, read_source = CAWR_READ_KIB[name]
    given = {c: float(row[f"write_size_pct_{c}"]) for c in CLASSES}
    counts: dict[int, float] = {}
    for size_class, share in given.items():
        sizes = SMALL.get(name, CLASSES["le_4k"]) if size_class == "le_4k" else CLASSES[size_class]
        for size in sizes:
            counts[size] = share / len(sizes)
    counts = {size: share for size, share in counts.items() if share > 0}
    writes = round(SCALED * float(row["write_pct_requests"]) / 100)
    interval = float(row["mean_interval_s"])
    listed = ", ".join(f"{c.replace('_', ' to ', 1) if c[0] in '14' else c.replace('_', ' ')} "
                       f"{row[f'write_size_pct_{c}']} %" for c in CLASSES)
    about = [
        f"After the trace {name} of {SOURCE['CAWR']}.",
        "Made by scripts/gen/gen_presets.py; do not edit.",
        f"From the table: {row['write_pct_requests']} % writes; mean interval {interval:g} s; "
        f"write sizes {listed} (made to add up to 100).",
        f"Note of the table: {row['note']}.",
        f"Derived: {SCALED} requests; rate_iops = 1 / interval.",
        "Assumed: the sizes that stand for each class, in equal parts; arrivals as a Poisson "
        "process; addresses are uniform over the device, since the table has no randomness; "
        f"mean read size {read_kib:.3g} KiB ({read_source}).",
    ]
    split = split_for_mean(read_kib, SCALED - writes) + "," + split_text(counts)
    return Preset(UNIFORM + name, about, [
        ("rw", "randrw"), ("reads", str(SCALED - writes)), ("writes", str(writes)),
        ("bssplit", split), ("mode", "open"), ("rate_iops", f"{1 / interval:.10g}"),
        ("rate_process", "poisson")])


def presets() -> list[Preset]:
    with TABLE.open(encoding="utf-8", newline="") as table:
        rows = csv.DictReader(line for line in table if not line.startswith("#"))
        return [class_preset(row) if row["paper"] == "CAWR" else mixed_preset(row) for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = False
    for preset in presets():
        path = PRESETS / f"{preset.name}.yaml"
        if path.exists() and path.read_text(encoding="utf-8") == preset.text():
            continue
        stale = True
        if check:
            print(f"{path}: stale; run scripts/gen/gen_presets.py", file=sys.stderr)
        else:
            path.write_text(preset.text(), encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
