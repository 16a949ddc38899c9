# SPDX-License-Identifier: BSD-3-Clause
"""Report of what scheduling costs the CPU: cycles on the ISS, times, shares of NAND operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.figures.data import Data, Report, digits, geometric_mean, number, ratio, table, total
from tlmssd_lab.run.process import ROOT
from tlmssd_lab.yaml_files import read_yaml

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MODULES = ("hil", "buffer", "ftl", "sched")


def cycles(data: Data, module: str, load: str, scheme: str) -> float | None:
    """Of a module of the firmware for each flash transaction."""
    spent = data.mean(f"cpu.cycles.{module}", load, scheme=scheme)
    return ratio(spent, data.mean("flash.die_operations", load, scheme=scheme))


def _total(data: Data, load: str, scheme: str) -> float | None:
    return total(cycles(data, module, load, scheme) for module in MODULES)


def software_cost(data: Data) -> Report:
    paper = data.experiment.paper
    schemes = data.labels("scheme")
    paq_us, paq_mhz = paper["paq"]["us"], paper["paq"]["mhz"]
    mhz, read_us = paper["thesis"]["mhz"], paper["thesis"]["read_us"]
    report = Report()
    rows, sched_of, total_of = [], {}, {}
    for scheme in schemes:
        names = [load.name for load in data.loads]
        sched = [cycles(data, "sched", name, scheme) for name in names]
        total = [_total(data, name, scheme) for name in names]
        sched_of[scheme], total_of[scheme] = geometric_mean(sched), geometric_mean(total)
        of_read = ratio(sched_of[scheme], mhz * read_us)
        all_of_read = ratio(total_of[scheme], mhz * read_us)
        row = [scheme, *(number(value, 0) for value in sched), number(sched_of[scheme], 0)]
        row += [digits(ratio(sched_of[scheme], paq_mhz)), number(total_of[scheme], 0)]
        row += [digits(ratio(total_of[scheme], paq_mhz))]
        row += [digits(None if x is None else 100 * x) for x in (of_read, all_of_read)]
        rows.append(row)
    heads = ["scheme", *(f"sched, {load.name}" for load in data.loads), "sched, cycles"]
    heads += [f"us at {paq_mhz} MHz", "all modules, cycles", f"us at {paq_mhz} MHz"]
    heads += [f"sched, % of a {read_us} us read at {mhz} MHz", "all modules, %"]
    report.parts.append(
        "Cycles of the RV32 instruction-set simulator for each flash transaction; the last columns"
        f" are geometric means over the loads. PAQ estimates {paq_us} µs at {paq_mhz} MHz for its"
        f" scheduling of a read, the thesis at most {paper['thesis']['share']} % of a read at"
        f" {mhz} MHz.\n\n" + table(heads, rows)
    )
    report.parts.append(_functions(data))
    report.parts.append(_generations(data, sched_of, total_of))
    report.drawings[""] = _bars(data, sched_of, total_of)
    return report


def _functions(data: Data, most: int = 10) -> str:
    """Where the cycles go: the heaviest functions of the schemes shown, on the first load."""
    load, columns = data.loads[0].name, []
    for scheme in data.experiment.paper["shown"]:
        for result in list(data.results(load, scheme=scheme).values())[:1]:
            count = result["flash.die_operations"]
            listed = (result.json["cpu"].get("iss") or {}).get("functions", [])
            cells = [f"{item['name']} {item['cycles'] / count:,.0f}" for item in listed[:most]]
            columns.append((scheme, cells))
    rows = []
    for i in range(most):
        row = [cells[i] if i < len(cells) else "" for _, cells in columns]
        rows += [[str(i + 1), *row]] if any(row) else []
    text = f"The heaviest functions on {load}, cycles a transaction, boot included"
    return f"{text}:\n\n{table(['', *(s for s, _ in columns)], rows, left=1 + len(columns))}"


def _parts(data: Data) -> list[tuple[str, float, float, float]]:
    """Name, tR, tPROG and the CPU's clock of each generation; in the order of the file."""
    found = []
    for item in data.experiment.paper["generations"]:
        if "nand" in item:
            part = read_yaml(ROOT / "configs/nand" / f"{item['nand']}.yaml")
            if not isinstance(part, dict) or "t_read_us" not in part:
                raise LabInputError(f"configs/nand/{item['nand']}.yaml: no t_read_us")
            found.append((part["name"], part["t_read_us"], part["t_program_us"], item["mhz"]))
        else:
            found.append((item["name"], item["read_us"], item["program_us"], item["mhz"]))
    return found


def _share(cycles_: float | None, mhz: float, flash_us: float) -> float | None:
    """Software's part of software and flash, in %."""
    if cycles_ is None:
        return None
    software = cycles_ / mhz
    return 100 * software / (software + flash_us)


def _generations(data: Data, sched: dict, total: dict) -> str:
    shown = data.experiment.paper["shown"]
    rows = []
    for name, read, program, mhz in _parts(data):
        row = [name, mhz, digits(read), digits(program)]
        for scheme in shown:
            row += [digits(_share(sched.get(scheme), mhz, read))]
            row += [digits(_share(total.get(scheme), mhz, read))]
            row += [digits(_share(total.get(scheme), mhz, program))]
        rows.append(row)
    heads = ["NAND", "CPU MHz", "read us", "program us"]
    for scheme in shown:
        heads += [f"{scheme}: sched of a read, %", "all modules of a read, %", "of a program, %"]
    return (
        "Thesis, Figs. 3 and 4: latencies by generation, and software's share of software and flash"
        " operation, s = (c / f) / (c / f + t).\n\n" + table(heads, rows)
    )


def _bars(data: Data, sched: dict, total: dict) -> Figure:
    drawing, axes = new_drawing(2, 10)
    names = [scheme for scheme in sched if sched[scheme] is not None and total[scheme] is not None]
    axes[0].bar(names, [sched[n] for n in names], label="sched")
    axes[0].bar(names, [total[n] - sched[n] for n in names], bottom=[sched[n] for n in names],
                label="other modules", alpha=0.6)
    paper = data.experiment.paper["paq"]
    axes[0].axhline(paper["us"] * paper["mhz"], color="black", linestyle="--", linewidth=0.8,
                    label=f"PAQ: {paper['us']} us at {paper['mhz']} MHz")
    axes[0].set_ylabel("cycles a flash transaction")
    axes[0].tick_params(axis="x", labelrotation=40)
    axes[0].legend(fontsize=7)
    parts = _parts(data)
    for scheme in data.experiment.paper["shown"]:
        shares = [_share(total.get(scheme), mhz, read) for _, read, _, mhz in parts]
        spots = [i for i, share in enumerate(shares) if share is not None]
        axes[1].plot(spots, [shares[i] for i in spots], marker="o", label=f"{scheme}, all modules")
        shares = [_share(sched.get(scheme), mhz, read) for _, read, _, mhz in parts]
        axes[1].plot(spots, [shares[i] for i in spots], marker=".", linestyle="--",
                     label=f"{scheme}, sched")
    axes[1].set_xticks(range(len(parts)), [f"{n}\n{mhz} MHz" for n, _, _, mhz in parts], fontsize=5,
                       rotation=60)
    axes[1].set_ylabel("share of software in a read, %")
    axes[1].legend(fontsize=7)
    return drawing
