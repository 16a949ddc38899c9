# SPDX-License-Identifier: BSD-3-Clause
"""Reports of the page-allocation paper's figures: 24 orders over traces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, digits, number, ratio, reduction, table
from tlmssd_lab.figures.palloc_values import (
    IOPS,
    LATENCY,
    Value,
    bus_share,
    channel_share,
    mean_of,
    mean_over,
    parallel_share,
    percent,
    wait_time,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TRANSACTIONS = "flash.package_operations"
CLASSES = ["none", "die_interleaving", "plane_sharing", "die_and_plane"]
TIMES = ["bus", "cell", "wait_channel", "wait_die", "idle"]
GROUPS = {"C": "channel", "W": "way", "D": "die", "P": "plane"}  # by an order's first letter


def _group(data: Data, letters: str) -> list[str]:
    return [order for order in data.labels("order") if order[0] in letters]


def _sets(data: Data) -> tuple[list[str], list[str], list[str]]:
    """Loads after the paper's traces, real pieces, sequential ones."""
    own, straight = set(data.experiment.paper["presets"]), set(data.experiment.paper["sequential"])
    names = [load.name for load in data.loads]
    pieces = [load.name for load in data.loads if load.trace is not None]
    return [n for n in names if n in own], pieces, [n for n in names if n in straight]


def palloc(data: Data) -> Report:
    presets, pieces, straight = _sets(data)
    report = Report()
    report.parts.append(
        f"Over {len(presets)} presets fitted to the paper's traces, {len(pieces)} real pieces"
        f" ({', '.join(pieces) or 'none'}); closed loop."
    )
    heads = ["figure or section of the paper", "paper", "presets", "pieces"]
    report.parts.append(table(heads, _claims(data, presets, pieces, straight)))
    report.parts.append("Means over the presets, beside them IOPS and latency over the pieces:")
    report.parts.append(_orders(data, presets, pieces))
    for title, key in (("IOPS", IOPS), ("Mean latency", LATENCY)):
        base = data.experiment.base["order"]
        report.parts.append(f"{title}, {base} = 1:\n\n{_by_load(data, key, base)}")
    report.parts.append(_breakdown(data))
    report.drawings[""] = _bars(data, presets, pieces)
    return report


def _best(data: Data, loads: Sequence[str], orders: Iterable[str]) -> str:
    base = data.experiment.base["order"]
    found = {order: mean_over(mean_of(data, IOPS), loads, [order], base) for order in orders}
    known = {order: value for order, value in found.items() if value is not None}
    return max(known, key=lambda order: known[order]) if known else NONE


def _claims(data: Data, presets: list[str], pieces: list[str], straight: list[str]) -> list[list[str]]:
    """The paper's sentences beside what this model gives, over presets and over pieces: rows."""
    base, paper = data.experiment.base["order"], data.experiment.paper["figures"]
    flash, first = _group(data, "DP"), _group(data, "C")
    iops, latency, parallel = mean_of(data, IOPS), mean_of(data, LATENCY), parallel_share(data)

    def against(value: Value, orders: Sequence[str], others: Sequence[str]) -> Callable:
        return lambda loads: percent(
            ratio(mean_over(value, loads, orders, base), mean_over(value, loads, others, base))
        )

    def more_parallel(order: str) -> Callable:
        def value(loads: Sequence[str]) -> float | None:
            mine, its = mean_over(parallel, loads, [order]), mean_over(parallel, loads, [base])
            return None if mine is None or its is None else mine - its

        return value

    def shrinks(letters: str) -> Callable:
        def value(loads: Sequence[str]) -> float | None:
            planes = mean_over(parallel, loads, _group(data, "P"))
            return reduction(mean_over(parallel, loads, _group(data, letters)), planes)

        return value

    def plain(value: Value, orders: Sequence[str]) -> Callable:
        return lambda loads: mean_over(value, loads, orders)

    rows = []

    def row(name: str, key: str, ours: Callable, loads: Sequence[str] | None = None) -> None:
        cells = [ours(presets), ours(pieces)] if loads is None else [ours(loads), None]
        rows.append([name, paper[key], *map(number, cells)])

    everything = data.labels("order")
    row(f"4: IOPS of die- and plane-first orders over {base}, %", "iops_gain",
        against(iops, flash, [base]))
    row("4: the same over channel-first orders, %", "iops_gain_channel_first",
        against(iops, flash, first))
    row("5.5: IOPS of way-first over channel-first orders, %", "iops_way_first",
        against(iops, _group(data, "W"), first))
    row(f"5: latency of die- and plane-first orders over {base}, %", "latency_penalty",
        against(latency, flash, [base]))
    row(f"5: latency of PDCW and PDWC over {base}, %", "latency_pd",
        against(latency, [o for o in everything if o in ("PDCW", "PDWC")], [base]))
    row(f"6: transactions of die- and plane-first orders over {base}, %", "transactions",
        against(mean_of(data, TRANSACTIONS), flash, [base]))
    for order, key in (("PWDC", "parallelism_pwdc"), ("DPWC", "parallelism_dpwc")):
        if order in everything:
            row(f"5.1: flash-level parallelism of {order} above {base}'s, points", key,
                more_parallel(order))
    row("8: parallelism lost by channel-first against plane-first orders, %", "loss_channel",
        shrinks("C"))
    row("8: the same by way-first orders, %", "loss_way", shrinks("W"))
    row("8: die interleaving with multi-plane, PDCW and PDWC on sql1, %", "die_and_plane",
        plain(mean_of(data, "flash.parallelism.die_and_plane"),
              [o for o in everything if o in ("PDCW", "PDWC")]),
        [n for n in presets if n == "uniform-palloc-sql1"])
    row("9: channels occupied, %", "channel_utilisation",
        plain(channel_share(data, "occupied_s"), everything))
    row("9: channels' bus busy, %", "channel_busy", plain(channel_share(data, "busy_s"), everything))
    row("10, 11: packages idle on msnfs and web, %", "idle",
        plain(mean_of(data, "flash.breakdown.idle"), everything),
        [n for n in presets if n in ("uniform-palloc-msnfs", "uniform-palloc-web")])
    active = mean_of(data, "flash.breakdown.bus"), mean_of(data, "flash.breakdown.cell")
    row("1: packages' bus and cells active, %", "active",
        lambda loads: None if None in (both := [mean_over(a, loads, everything) for a in active])
        else sum(both))
    for load, word in (("uniform-palloc-web", "reads"), ("uniform-palloc-msnfs", "writes")):
        row(f"5.1: bus share of {word} ({load}), %", f"bus_share_{word}",
            plain(bus_share(data), everything), [n for n in presets if n == load])
    for load in ("uniform-palloc-msnfs", "uniform-palloc-fin2"):
        some = [n for n in presets if n == load]
        word = load.removeprefix("uniform-palloc-")
        row(f"5.1: latency of channel-first over die- and plane-first orders on {word}, %",
            f"latency_{word}", against(latency, first, flash), some)
        row(f"5.1: IOPS of the same on {word}, %", f"iops_{word}", against(iops, first, flash), some)
    spread = [mean_over(iops, straight, [order], base) for order in everything]
    known = [value for value in spread if value is not None]
    rows.append(["5.5: sequential: best order over worst in IOPS, %", paper["sequential"],
                 number(percent(max(known) / min(known)) if known else None), NONE])
    for letter, word in GROUPS.items():
        orders = _group(data, letter)
        rows.append([f"4: best {word}-first order", paper[f"best_{word}"],
                     _best(data, presets, orders), _best(data, pieces, orders)])
    rows.append(["4: best order", paper["best"], _best(data, presets, everything),
                 _best(data, pieces, everything)])
    return rows


def _orders(data: Data, presets: list[str], pieces: list[str]) -> str:
    """All 24: normalised to the base, IOPS and latency to the captions' CDPW too."""
    base, other = data.experiment.base["order"], "CDPW"
    columns: list[tuple[str, Value, str | None, list[str]]] = [
        (f"IOPS / {base}", mean_of(data, IOPS), base, presets),
        (f"IOPS / {other}", mean_of(data, IOPS), other, presets),
        (f"latency / {base}", mean_of(data, LATENCY), base, presets),
        (f"latency / {other}", mean_of(data, LATENCY), other, presets),
        (f"transactions / {base}", mean_of(data, TRANSACTIONS), base, presets),
        (f"wait / {base}", wait_time(data), base, presets),
        ("parallel, %", parallel_share(data), None, presets),
        ("occupied, %", channel_share(data, "occupied_s"), None, presets),
        ("bus busy, %", channel_share(data, "busy_s"), None, presets),
        ("packages idle, %", mean_of(data, "flash.breakdown.idle"), None, presets),
        (f"pieces: IOPS / {base}", mean_of(data, IOPS), base, pieces),
        (f"pieces: latency / {base}", mean_of(data, LATENCY), base, pieces),
    ]
    rows = []
    for order in data.labels("order"):
        row = [order]
        for _, value, to, loads in columns:
            found = mean_over(value, loads, [order], to)
            row.append(number(found, 1 if to is None else 3))
        rows.append(row)
    return table(["order", *(column[0] for column in columns)], rows)


def _by_load(data: Data, key: str, base: str) -> str:
    names = [load.name for load in data.loads]
    unit = "kIOPS" if key == IOPS else "us"
    factor = 1e-3 if key == IOPS else 1.0
    rows = [[f"{base}, {unit}"]]
    for name in names:
        found = data.mean(key, name, order=base)
        rows[0].append(digits(None if found is None else factor * found))
    for order in data.labels("order"):
        values = [mean_over(mean_of(data, key), [name], [order], base) for name in names]
        rows.append([order, *(number(value, 2) for value in values)])
    return table(["order", *(name.removeprefix("uniform-palloc-") for name in names)], rows)


def _breakdown(data: Data) -> str:
    """Figs. 8, 10 and 11: classes of parallelism on sql1, execution on msnfs and web."""
    there = {load.name for load in data.loads}
    rows = []
    for order in data.labels("order"):
        row = [order]
        for name in CLASSES:
            row.append(number(mean_of(data, f"flash.parallelism.{name}")("uniform-palloc-sql1", order)))
        for load in ("uniform-palloc-msnfs", "uniform-palloc-web"):
            row += [number(mean_of(data, f"flash.breakdown.{name}")(load, order)) for name in TIMES]
        rows.append(row)
    heads = ["order", *(f"sql1: {name.replace('_', ' ')}" for name in CLASSES)]
    heads += [f"{load}: {name.replace('_', ' ')}" for load in ("msnfs", "web") for name in TIMES]
    lost = sorted({"uniform-palloc-sql1", "uniform-palloc-msnfs", "uniform-palloc-web"} - there)
    text = "Parallelism of flash transactions on sql1, time of packages on msnfs and web, %"
    text += f" (not in this form: {', '.join(lost)})" if lost else ""
    return f"{text}:\n\n{table(heads, rows)}"


def _bars(data: Data, presets: list[str], pieces: list[str]) -> Figure:
    base, orders = data.experiment.base["order"], data.labels("order")
    drawing, axes = new_drawing(1, 10, 6.5, 3)
    for place, (title, value, to) in zip(axes, (
        (f"IOPS / {base}", mean_of(data, IOPS), base),
        (f"latency / {base}", mean_of(data, LATENCY), base),
        (f"transactions / {base}", mean_of(data, TRANSACTIONS), base),
    )):
        for shift, (word, loads) in enumerate((("presets", presets), ("pieces", pieces))):
            heights = [mean_over(value, loads, [order], to) or 0 for order in orders]
            place.bar([i + 0.4 * (shift - 0.5) for i in range(len(orders))], heights, 0.4, label=word)
        place.axhline(1, color="black", linewidth=0.6)
        place.set_xticks(range(len(orders)), orders, fontsize=7)
        place.set_ylabel(title)
    said = data.experiment.paper["figures"]["iops_gain"]
    axes[0].axhline(1 + float(said) / 100, color="grey", linestyle="--", linewidth=0.8,
                    label="paper: die- and plane-first")
    axes[0].legend(fontsize=7)
    return drawing


def palloc_removed(data: Data) -> Report:
    """The paper's sentences on devices without what may make the difference."""
    presets, pieces, straight = _sets(data)
    devices = data.labels("device")
    claims = [_claims(data.where(device=device), presets, pieces, straight) for device in devices]
    report = Report()
    for column, word, loads in ((2, "presets", presets), (3, "real pieces", pieces)):
        rows = [[*same[0][:2], *(row[column] for row in same)] for same in zip(*claims)]
        rows = [row for row in rows if set(row[2:]) != {NONE}]
        heads = ["figure or section of the paper", "paper", *devices]
        report.parts.append(f"Over {len(loads)} {word}:\n\n{table(heads, rows)}")
    return report
