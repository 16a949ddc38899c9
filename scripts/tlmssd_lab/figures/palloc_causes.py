# SPDX-License-Identifier: BSD-3-Clause
"""Reports of what makes page-allocation orders differ: devices, sizes of requests, layouts that were
overwritten, arrivals."""

from __future__ import annotations

from tlmssd_lab.figures.data import Data, Report, digits, gain, mean, number, ratio, signed, table
from tlmssd_lab.figures.experiment import CLOSED
from tlmssd_lab.figures.palloc_values import (
    IOPS,
    LATENCY,
    Value,
    mean_of,
    mean_over,
    parallel_share,
    percent,
)

BOTH = "flash.parallelism.die_and_plane"
RESPONSE = "host.all.response_us.mean"
PAIRS = ("PD", "DP")  # orders that lay four pages in a row on the dies and planes of a package


def palloc_sizes(data: Data) -> Report:
    """Requests of one size: their operations on the packages, and the gain of each order."""
    base, load = data.experiment.base["order"], data.loads[0].name
    others = [order for order in data.labels("order") if order != base]
    rows = []
    for size in data.labels("requests"):
        of_size = data.where(requests=size)
        both = mean_of(of_size, BOTH, device="as is")
        row = [size, *(number(both(load, order)) for order in others if order[:2] in PAIRS)]
        for device in data.labels("device"):
            iops = mean_of(of_size, IOPS, device=device)
            row.append(signed(percent(mean_over(iops, [load], others, base))))
        rows.append(row)
    heads = ["requests", *(f"{o}: die and plane, %" for o in others if o[:2] in PAIRS)]
    heads += [f"IOPS of {', '.join(others)} over {base}, {d}, %" for d in data.labels("device")]
    report = Report()
    report.parts.append(
        f"{load} with requests of one size; die interleaving with multi-plane, of the transactions"
        f" (paper: {data.experiment.paper['figures']['die_and_plane']} for PDCW and PDWC):\n\n"
        + table(heads, rows)
    )
    return report


def palloc_causes(data: Data) -> Report:
    """Each order against the base with one thing changed at a time."""
    base, names = data.experiment.base["order"], [load.name for load in data.loads]
    others = [order for order in data.labels("order") if order != base]
    flash = [order for order in others if order[0] in "DP"]
    report = Report()
    summary, details = [], []
    for device in data.labels("device"):
        iops, latency = mean_of(data, IOPS, device=device), mean_of(data, LATENCY, device=device)
        row = [device, digits(mean(iops(load, base) for load in names))]
        row += [signed(percent(mean_over(iops, names, [order], base))) for order in others]
        row += [signed(percent(mean_over(iops, names, flash, base)))]
        row += [signed(percent(mean_over(latency, names, flash, base)))]
        share = parallel_share(data, device=device)
        row += [number(mean_over(share, names, [order])) for order in (base, *flash[:1])]
        summary.append(row)
        gains = (gain(mean_over(iops, [name], flash), iops(name, base)) for name in names)
        details.append([device, *map(signed, gains)])
    said = data.experiment.paper["figures"]
    heads = ["device", f"{base}, IOPS", *(f"{order}, %" for order in others)]
    heads += ["die and plane first, %", "their latency, %"]
    heads += [f"{order}: parallel, %" for order in (base, *flash[:1])]
    report.parts.append(
        f"IOPS over {base} in %, means over {len(names)} loads, closed loop; the paper has"
        f" +{said['iops_gain']} % for die- and plane-first orders, latency"
        f" +{said['latency_penalty']} %.\n\n{table(heads, summary)}"
    )
    heads = ["device", *(name.removeprefix("uniform-palloc-") for name in names)]
    report.parts.append(
        f"IOPS of die- and plane-first orders ({', '.join(flash)}) over {base} by load, %:\n\n"
        + table(heads, details)
    )
    return report


def palloc_layout(data: Data) -> Report:
    """The rest of an order's layout after a part of the pages was written again at random."""
    base, names = data.experiment.base["order"], [load.name for load in data.loads]
    others = [order for order in data.labels("order") if order != base]
    said = data.experiment.paper["figures"]
    report = Report()
    for load in [n for n in names if n == "uniform-palloc-sql1"]:
        rows = []
        for label in data.labels("overwritten"):
            both = mean_of(data, BOTH, overwritten=label)
            rows.append([label, *(number(both(load, o)) for o in others if o[:2] in PAIRS)])
        heads = ["pages written again, %"]
        heads += [f"{o}: die and plane, %" for o in others if o[:2] in PAIRS]
        report.parts.append(
            f"{load}: die interleaving with multi-plane, of the transactions (paper:"
            f" {said['die_and_plane']} for PDCW and PDWC):\n\n{table(heads, rows)}"
        )
    rows = []
    for label in data.labels("overwritten"):
        part = {"overwritten": label}
        row = [label]
        for key in (IOPS, LATENCY):
            row.append(signed(percent(mean_over(mean_of(data, key, **part), names, others, base))))
        share = parallel_share(data, **part)
        row += [number(mean_over(share, names, [order])) for order in (base, *others)]
        rows.append(row)
    heads = ["pages written again, %", f"IOPS over {base}, %", f"latency over {base}, %"]
    heads += [f"{order}: parallel, %" for order in (base, *others)]
    report.parts.append(
        f"Means over {len(names)} loads; IOPS and latency of {', '.join(others)} (paper:"
        f" +{said['iops_gain']} and +{said['latency_penalty']} %):\n\n{table(heads, rows)}"
    )
    return report


def palloc_open(data: Data) -> Report:
    """Latency where requests come at times of their own, beside the throughput of the closed loop."""
    base, orders = data.experiment.base["order"], data.labels("order")
    first = [order for order in orders if order[0] == "C"]
    flash = [order for order in orders if order[0] in "DP"]
    arrivals, said = data.experiment.arrivals, data.experiment.paper["figures"]
    names = [load.name for load in data.loads]

    def against(key: str, load: list[str], mine: list[str], its: list[str], **part: str) -> str:
        value: Value = mean_of(data, key, **part)
        mine_of, its_of = mean_over(value, load, mine, base), mean_over(value, load, its, base)
        return signed(percent(ratio(mine_of, its_of)))

    cases = [(f"die and plane first over {base}", "all", names, flash, [base],
              said["iops_gain"], said["latency_penalty"])]
    for load in names:
        word = load.removeprefix("uniform-palloc-")
        if f"iops_{word}" in said:
            cases.append(("channel first over die and plane first", word, [load], first, flash,
                          said[f"iops_{word}"], said[f"latency_{word}"]))
    report = Report()
    for device in data.labels("device"):
        rows = []
        for what, word, chosen, mine, its, iops, latency in cases:
            row = [what, word, f"{iops} and {latency}"]
            row.append(against(IOPS, chosen, mine, its, arrival=CLOSED, device=device))
            row += [against(RESPONSE, chosen, mine, its, arrival=a, device=device) for a in arrivals]
            rows.append(row)
        heads = ["orders", "loads", "paper: IOPS and latency, %", "IOPS, closed loop, %"]
        heads += [f"latency, {'closed loop' if a == CLOSED else f'at {a}'}, %" for a in arrivals]
        report.parts.append(
            f"{device}; open loop with Poisson arrivals at a share of {base}'s IOPS in closed loop,"
            f" latency from arrival to completion:\n\n{table(heads, rows, 3)}"
        )
    return report
