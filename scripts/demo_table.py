#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print one table a race from results.json files.

Usage: demo_table.py --race TITLE DIR... [--race TITLE DIR...]
"""
import argparse
import json
import pathlib
import sys

# heading, where it stands in results.json, factor, decimals (None: a word)
COLUMNS = [
    ("scheduler", "sched.name", 1, None),
    ("controller", "config.controller.kind", 1, None),
    ("kIOPS", "host.all.iops", 1e-3, 2),
    ("MB/s", "host.all.mb_s", 1, 1),
    ("mean us", "host.all.latency_us.mean", 1, 1),
    ("p99 us", "host.all.latency_us.p99", 1, 1),
    ("p99.9 us", "host.all.latency_us.p999", 1, 1),
    ("WAF", "ftl.waf", 1, 2),
    ("of bound", "bound.fraction_of_bound", 1, 3),
    ("limiter", "bound.limiter", 1, None),
    ("wall s", "wall.seconds", 1, 2),
]


def look_up(results, path):
    """The value at a dotted path; None where there is none."""
    for key in path.split("."):
        if not isinstance(results, dict) or key not in results:
            return None
        results = results[key]
    return results


def cell(results, path, factor, decimals):
    value = look_up(results, path)
    if value is None:
        return "-"
    return str(value) if decimals is None else f"{value * factor:.{decimals}f}"


def table(title, folders):
    rows = [[heading for heading, *_ in COLUMNS]]
    for folder in folders:
        results = json.loads((pathlib.Path(folder) / "results.json").read_text(encoding="utf-8"))
        rows.append([cell(results, *column[1:]) for column in COLUMNS])
    widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
    lines = [title]
    for row in rows:
        words = [text.ljust(width) if column[3] is None else text.rjust(width)
                 for text, width, column in zip(row, widths, COLUMNS)]
        lines.append("  ".join(words).rstrip())
    return "\n".join(lines)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--race", nargs="+", action="append", required=True, metavar=("TITLE", "DIR"))
    races = parser.parse_args(arguments).race
    print("\n\n".join(table(title, folders) for title, *folders in races))
    print("\nof bound: speed reached, as a fraction of what the busiest part (limiter) allows")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
