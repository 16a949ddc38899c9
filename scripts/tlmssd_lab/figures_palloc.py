# SPDX-License-Identifier: BSD-3-Clause
"""Reports of the page-allocation paper's figures: 24 orders over traces, and what makes them differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tlmssd_lab.figure_data import (
    NONE,
    Data,
    Report,
    digits,
    gain,
    mean,
    new_drawing,
    number,
    ratio,
    reduction,
    signed,
    table,
)
from tlmssd_lab.metrics import value_of

IOPS, LATENCY = "host.all.iops", "host.all.latency_us.mean"
TRANSACTIONS = "flash.chip_transactions"
CLASSES = ["none", "die_interleaving", "plane_sharing", "die_and_plane"]
TIMES = ["bus", "cell", "wait_channel", "wait_die", "idle"]
PAIRS = ("PD", "DP")  # orders that lay four pages in a row on the dies and planes of a chip
GROUPS = {"C": "channel", "W": "way", "D": "die", "P": "plane"}  # by an order's first letter

Value = Callable[[str, str], "float | None"]  # of a load and an order


def _results(data: Data, load: str, order: str, **labels: str) -> list:
    return [r.json for r in data.results(load, order=order, **labels).values()]


def _of(data: Data, key: str, **labels: str) -> Value:
    return lambda load, order: data.mean(key, load, order=order, **labels)


def _channels(data: Data, name: str) -> Value:
    """Per cent of the run, mean over the channels."""

    def value(load: str, order: str) -> float | None:
        shares = []
        for document in _results(data, load, order):
            time = value_of(document, "sim.time_s")
            channels = document.get("flash", {}).get("channels", [])
            shares += [ratio(value_of(channel, name), time) for channel in channels]
        found = mean(shares)
        return None if found is None else min(100.0, 100 * found)

    return value


def _wait(data: Data) -> Value:
    """Waiting time to resolve conflicts: heads of the queue for a chip, operations for the channel."""
    chip = _of(data, "flash.conflict_wait_us.chip")
    channel = _of(data, "flash.conflict_wait_us.channel")

    def value(load: str, order: str) -> float | None:
        both = [chip(load, order), channel(load, order)]
        return None if None in both else sum(both)

    return value


def _parallel(data: Data, **labels: str) -> Value:
    """Share of flash transactions with any flash-level parallelism, per cent."""
    none = _of(data, "flash.parallelism.none", **labels)
    return lambda load, order: None if none(load, order) is None else 100 - none(load, order)


def _bus_share(data: Data) -> Value:
    """bus / (bus + cell) of a chip's time, per cent."""
    bus, cell = _of(data, "flash.breakdown.bus"), _of(data, "flash.breakdown.cell")

    def value(load: str, order: str) -> float | None:
        b, c = bus(load, order), cell(load, order)
        return None if b is None or c is None or b + c == 0 else 100 * b / (b + c)

    return value


def _over(
    value: Value, loads: Iterable[str], orders: Iterable[str], base: str | None = None
) -> float | None:
    """Mean over orders of the mean over loads; with `base`, of the ratios to that order's value."""
    loads = list(loads)

    def one(load: str, order: str) -> float | None:
        found = value(load, order)
        return found if base is None else ratio(found, value(load, base))

    return mean(mean(one(load, order) for load in loads) for order in orders)


def _percent(found: float | None) -> float | None:
    return None if found is None else 100 * (found - 1)


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
    found = {order: _over(_of(data, IOPS), loads, [order], base) for order in orders}
    known = {order: value for order, value in found.items() if value is not None}
    return max(known, key=known.get) if known else NONE


def _claims(data: Data, presets: list[str], pieces: list[str], straight: list[str]) -> list[list[str]]:
    """The paper's sentences beside what this model gives, over presets and over pieces: rows."""
    base, paper = data.experiment.base["order"], data.experiment.paper["figures"]
    flash, first = _group(data, "DP"), _group(data, "C")
    iops, latency, parallel = _of(data, IOPS), _of(data, LATENCY), _parallel(data)

    def against(value: Value, orders: Sequence[str], others: Sequence[str]) -> Callable:
        return lambda loads: _percent(
            ratio(_over(value, loads, orders, base), _over(value, loads, others, base))
        )

    def more_parallel(order: str) -> Callable:
        def value(loads: Sequence[str]) -> float | None:
            mine, its = _over(parallel, loads, [order]), _over(parallel, loads, [base])
            return None if mine is None or its is None else mine - its

        return value

    def shrinks(letters: str) -> Callable:
        def value(loads: Sequence[str]) -> float | None:
            planes = _over(parallel, loads, _group(data, "P"))
            return reduction(_over(parallel, loads, _group(data, letters)), planes)

        return value

    def plain(value: Value, orders: Sequence[str]) -> Callable:
        return lambda loads: _over(value, loads, orders)

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
        against(_of(data, TRANSACTIONS), flash, [base]))
    for order, key in (("PWDC", "parallelism_pwdc"), ("DPWC", "parallelism_dpwc")):
        if order in everything:
            row(f"5.1: flash-level parallelism of {order} above {base}'s, points", key,
                more_parallel(order))
    row("8: parallelism lost by channel-first against plane-first orders, %", "loss_channel",
        shrinks("C"))
    row("8: the same by way-first orders, %", "loss_way", shrinks("W"))
    row("8: die interleaving with multi-plane, PDCW and PDWC on sql1, %", "die_and_plane",
        plain(_of(data, "flash.parallelism.die_and_plane"),
              [o for o in everything if o in ("PDCW", "PDWC")]),
        [n for n in presets if n == "palloc-sql1"])
    row("9: channels occupied, %", "channel_utilisation",
        plain(_channels(data, "occupied_s"), everything))
    row("9: channels' bus busy, %", "channel_busy", plain(_channels(data, "busy_s"), everything))
    row("10, 11: chips idle on msnfs and web, %", "idle",
        plain(_of(data, "flash.breakdown.idle"), everything),
        [n for n in presets if n in ("palloc-msnfs", "palloc-web")])
    active = _of(data, "flash.breakdown.bus"), _of(data, "flash.breakdown.cell")
    row("1: chips' bus and cells active, %", "active",
        lambda loads: None if None in (both := [_over(a, loads, everything) for a in active])
        else sum(both))
    for load, word in (("palloc-web", "reads"), ("palloc-msnfs", "writes")):
        row(f"5.1: bus share of {word} ({load}), %", f"bus_share_{word}",
            plain(_bus_share(data), everything), [n for n in presets if n == load])
    for load in ("palloc-msnfs", "palloc-fin2"):
        some = [n for n in presets if n == load]
        word = load.removeprefix("palloc-")
        row(f"5.1: latency of channel-first over die- and plane-first orders on {word}, %",
            f"latency_{word}", against(latency, first, flash), some)
        row(f"5.1: IOPS of the same on {word}, %", f"iops_{word}", against(iops, first, flash), some)
    spread = [_over(iops, straight, [order], base) for order in everything]
    known = [value for value in spread if value is not None]
    rows.append(["5.5: sequential: best order over worst in IOPS, %", paper["sequential"],
                 number(_percent(max(known) / min(known)) if known else None), NONE])
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
        (f"IOPS / {base}", _of(data, IOPS), base, presets),
        (f"IOPS / {other}", _of(data, IOPS), other, presets),
        (f"latency / {base}", _of(data, LATENCY), base, presets),
        (f"latency / {other}", _of(data, LATENCY), other, presets),
        (f"transactions / {base}", _of(data, TRANSACTIONS), base, presets),
        (f"wait / {base}", _wait(data), base, presets),
        ("parallel, %", _parallel(data), None, presets),
        ("occupied, %", _channels(data, "occupied_s"), None, presets),
        ("bus busy, %", _channels(data, "busy_s"), None, presets),
        ("chips idle, %", _of(data, "flash.breakdown.idle"), None, presets),
        (f"pieces: IOPS / {base}", _of(data, IOPS), base, pieces),
        (f"pieces: latency / {base}", _of(data, LATENCY), base, pieces),
    ]
    rows = []
    for order in data.labels("order"):
        row = [order]
        for _, value, to, loads in columns:
            found = _over(value, loads, [order], to)
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
        values = [_over(_of(data, key), [name], [order], base) for name in names]
        rows.append([order, *(number(value, 2) for value in values)])
    return table(["order", *(name.removeprefix("palloc-") for name in names)], rows)


def _breakdown(data: Data) -> str:
    """Figs. 8, 10 and 11: classes of parallelism on sql1, execution on msnfs and web."""
    there = {load.name for load in data.loads}
    rows = []
    for order in data.labels("order"):
        row = [order]
        for name in CLASSES:
            row.append(number(_of(data, f"flash.parallelism.{name}")("palloc-sql1", order)))
        for load in ("palloc-msnfs", "palloc-web"):
            row += [number(_of(data, f"flash.breakdown.{name}")(load, order)) for name in TIMES]
        rows.append(row)
    heads = ["order", *(f"sql1: {name.replace('_', ' ')}" for name in CLASSES)]
    heads += [f"{load}: {name.replace('_', ' ')}" for load in ("msnfs", "web") for name in TIMES]
    lost = sorted({"palloc-sql1", "palloc-msnfs", "palloc-web"} - there)
    text = "Parallelism of flash transactions on sql1, time of chips on msnfs and web, %"
    text += f" (not in this form: {', '.join(lost)})" if lost else ""
    return f"{text}:\n\n{table(heads, rows)}"


def _bars(data: Data, presets: list[str], pieces: list[str]):
    base, orders = data.experiment.base["order"], data.labels("order")
    drawing, axes = new_drawing(1, 10, 6.5, 3)
    for place, (title, value, to) in zip(axes, (
        (f"IOPS / {base}", _of(data, IOPS), base),
        (f"latency / {base}", _of(data, LATENCY), base),
        (f"transactions / {base}", _of(data, TRANSACTIONS), base),
    )):
        for shift, (word, loads) in enumerate((("presets", presets), ("pieces", pieces))):
            heights = [_over(value, loads, [order], to) or 0 for order in orders]
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


def palloc_sizes(data: Data) -> Report:
    """What requests of one size become on the chips, and what orders gain then."""
    base, load = data.experiment.base["order"], data.loads[0].name
    others = [order for order in data.labels("order") if order != base]
    rows = []
    for size in data.labels("requests"):
        of_size = data.where(requests=size)
        both = _of(of_size, "flash.parallelism.die_and_plane", device="as is")
        row = [size, *(number(both(load, order)) for order in others if order[:2] in PAIRS)]
        for device in data.labels("device"):
            iops = _of(of_size, IOPS, device=device)
            row.append(signed(_percent(_over(iops, [load], others, base))))
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
        iops, latency = _of(data, IOPS, device=device), _of(data, LATENCY, device=device)
        row = [device, digits(mean(iops(load, base) for load in names))]
        row += [signed(_percent(_over(iops, names, [order], base))) for order in others]
        row += [signed(_percent(_over(iops, names, flash, base)))]
        row += [signed(_percent(_over(latency, names, flash, base)))]
        row += [number(_over(_parallel(data, device=device), names, [o])) for o in (base, *flash[:1])]
        summary.append(row)
        details.append([device, *(signed(gain(_over(iops, [n], flash), iops(n, base))) for n in names)])
    said = data.experiment.paper["figures"]
    heads = ["device", f"{base}, IOPS", *(f"{order}, %" for order in others)]
    heads += ["die and plane first, %", "their latency, %"]
    heads += [f"{order}: parallel, %" for order in (base, *flash[:1])]
    report.parts.append(
        f"IOPS over {base} in per cent, means over {len(names)} loads, closed loop; the paper has"
        f" +{said['iops_gain']} % for die- and plane-first orders, latency"
        f" +{said['latency_penalty']} %.\n\n{table(heads, summary)}"
    )
    heads = ["device", *(name.removeprefix("palloc-") for name in names)]
    report.parts.append(
        f"IOPS of die- and plane-first orders ({', '.join(flash)}) over {base} by load, %:\n\n"
        + table(heads, details)
    )
    return report
