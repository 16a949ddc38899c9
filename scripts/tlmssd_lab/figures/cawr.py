# SPDX-License-Identifier: BSD-3-Clause
"""Reports of the CAWR paper's figures: a buffer that evicts to all channels at once."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import NONE, Data, Report, digits, gain, kinds, mean, number, signed, table
from tlmssd_lab.figures.experiment import OWN
from tlmssd_lab.run.metrics import value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HITS, MOVED, COLLECTIONS = "buffer.hit_ratio", "ftl.gc.pages_moved", "ftl.gc.runs"
ERASES, RESPONSE = "ftl.gc.blocks_erased", "host.all.latency_us.mean"
GAP = {  # of CAWR's response over CAVE's
    "response": RESPONSE,
    "reads": "host.reads.latency_us.mean",
    "writes": "host.writes.latency_us.mean",
    "read misses": "buffer.read_misses",
    "write misses": "buffer.write_misses",
    "sets written": "buffer.evicted_sets",
}
OPERATIONS = {"reads": "reads", "writes": "programs", "erases": "erases"}

STYLES = {"presets": "-", "fitted": ":", "pieces": "--"}
NEVER_COLLECTED = "garbage collection did not run at any point, so there is nothing to compare."
LEAST_MOVED, LEAST_ERASED = 1000, 100  # for a ratio that says something

Value = Callable[[str, str, str], "float | None"]  # of a load, a scheme and a size


def variation(counts: Iterable[float]) -> float | None:
    """Standard deviation of the population over its mean (the paper's Table 4)."""
    counts = list(counts)
    middle = statistics.fmean(counts) if counts else 0.0
    return statistics.pstdev(counts) / middle if middle else None


def _of(data: Data, key: str, **labels: str) -> Value:
    return lambda load, scheme, size: data.mean(
        key, load, OWN, scheme=scheme, size=size, **labels
    )


def _collected(data: Data, key: str) -> Value:
    """A figure of garbage collection; None where it did not run, so that no 0 stands for it."""
    its, others = _of(data, key), [_of(data, other) for other in (COLLECTIONS, MOVED, ERASES)]

    def value(load: str, scheme: str, size: str) -> float | None:
        ran = any(other(load, scheme, size) for other in others)
        return its(load, scheme, size) if ran else None

    return value


def _variation(data: Data, operation: str) -> Value:
    """Over the channels, with operations of garbage collection; mean over the seeds."""

    def value(load: str, scheme: str, size: str) -> float | None:
        found = []
        for result in data.results(load, OWN, scheme=scheme, size=size).values():
            channels = value_of_channels(result.json, OPERATIONS[operation])
            found.append(variation(channels))
        return mean(found)

    return value


def value_of_channels(document: dict, name: str) -> list[float]:
    channels = document.get("flash", {}).get("channels", [])
    return [float(value_of(channel, name) or 0) for channel in channels]


def _change(value: Value, scheme: str, base: str, least: float = 0) -> Value:
    """Per cent over `base`, same load and size, where `base` has `least` or more."""

    def change(load: str, _: str, size: str) -> float | None:
        its = value(load, base, size)
        return None if its is None or its < least else gain(value(load, scheme, size), its)

    return change


def _points(value: Value, scheme: str, base: str) -> Value:
    def difference(load: str, _: str, size: str) -> float | None:
        mine, its = value(load, scheme, size), value(load, base, size)
        return None if mine is None or its is None else 100 * (mine - its)

    return difference


def _over(value: Value, loads: Iterable[str], sizes: Iterable[str]) -> float | None:
    sizes = list(sizes)
    return mean(value(load, "", size) for load in loads for size in sizes)


def _worst(value: Value, loads: Iterable[str], sizes: Iterable[str]) -> str:
    """The smallest, with the load that has it."""
    sizes = list(sizes)
    found = [(value(load, "", size), load) for load in loads for size in sizes]
    known = [item for item in found if item[0] is not None]
    if not known:
        return NONE
    least, load = min(known)
    return f"{signed(least)} ({load})"


def cawr(data: Data) -> Report:
    loads = kinds(data.loads)
    report = Report()
    fitted = f", {len(loads['fitted'])} with the locality of real pieces" if "fitted" in loads else ""
    report.parts.append(
        f"Over {len(loads['presets'])} presets of the paper's table of its traces{fitted} and {len(loads['pieces'])}"
        f" real pieces ({', '.join(loads['pieces']) or 'none'}), at their own times. `rr`: CCF-LRU, one page"
        " at a time, channels in turn; `cave`: CAVE over CCF-LRU. Changes of pages moved are of loads"
        f" and sizes where `rr` moves at least {LEAST_MOVED:,}, of erases where it has {LEAST_ERASED}."
    )
    report.parts.append(_claims(data, loads))
    for title, value, how in (
        ("Fig. 6: hit ratio, %", _of(data, HITS), lambda x: number(None if x is None else 100 * x)),
        ("Pages moved by garbage collection", _collected(data, MOVED), lambda x: number(x, 0)),
        ("Blocks erased", _collected(data, ERASES), lambda x: number(x, 0)),
        ("Mean response time, us", _of(data, RESPONSE), digits),
    ):
        cells = _by_size(data, value, how)
        report.parts.append(f"{title}:\n\n{cells}" if cells else f"{title}: {NEVER_COLLECTED}")
    report.parts.append(_table4(data))
    report.drawings[""] = _drawing(data, loads)
    return report


def _claims(data: Data, kinds_of: dict[str, list[str]]) -> str:
    paper, sizes = data.experiment.paper["figures"], data.labels("size")
    moved, response = _of(data, MOVED), _of(data, RESPONSE)
    rows = []

    def row(name: str, key: str, ours: Callable[[list[str]], str]) -> None:
        rows.append([name, paper[key], *map(ours, kinds_of.values())])

    def change(value: Value, of: Iterable[str] = sizes) -> Callable[[list[str]], str]:
        return lambda loads: signed(_over(value, loads, of))

    row("6: hit ratio of CAWR over CCF-LRU, points", "hit_ratio",
        change(_points(_of(data, HITS), "cawr", "rr")))
    for size in (sizes[0], sizes[-1]):
        row(f"7: pages moved, CAWR over CCF-LRU in turn, {size} MiB, %", f"moved_{size}",
            change(_change(moved, "cawr", "rr", LEAST_MOVED), [size]))
    row("7: the same, best load and size, %", "moved_best",
        lambda loads: _worst(_change(moved, "cawr", "rr", LEAST_MOVED), loads, sizes))
    row("7: blocks erased, best, %", "erases_best",
        lambda loads: _worst(_change(_of(data, ERASES), "cawr", "rr", LEAST_ERASED), loads, sizes))
    row("8: response time, CAWR over CCF-LRU in turn, %", "response",
        change(_change(response, "cawr", "rr")))
    row("8: the same, best, %", "response_best",
        lambda loads: _worst(_change(response, "cawr", "rr"), loads, sizes))
    row("9: response time, CAWR over CAVE, %", "response_cave",
        change(_change(response, "cawr", "cave")))
    row("V.2.E: pages moved, CAVE over CCF-LRU in turn, %", "moved_cave",
        change(_change(moved, "cave", "rr", LEAST_MOVED)))
    return table(["figure of the paper", "paper", *kinds_of], rows)


def _by_size(data: Data, value: Value, how: Callable[[float | None], str]) -> str:
    """"": there is no value, though points have ended."""
    schemes, sizes = data.labels("scheme"), data.labels("size")
    rows, known, ended = [], False, False
    for load in data.loads:
        for scheme in schemes:
            found = [value(load.name, scheme, size) for size in sizes]
            known = known or any(x is not None for x in found)
            ended = ended or any(data.results(load.name, OWN, scheme=scheme, size=s) for s in sizes)
            rows.append([load.name, scheme, *map(how, found)])
    if ended and not known:
        return ""
    return table(["load", "scheme", *(f"{size} MiB" for size in sizes)], rows, left=2)


def _table4(data: Data) -> str:
    """Coefficients of variation, means over the sizes, beside the paper's."""
    paper, sizes = data.experiment.paper["variation"], data.labels("size")
    rows = []
    for load in data.loads:
        for scheme in data.labels("scheme"):
            said = paper.get(load.name, {}).get(scheme, {})
            row = [load.name, scheme]
            for operation in OPERATIONS:
                value = _variation(data, operation)
                found = mean(value(load.name, scheme, size) for size in sizes)
                row += [said.get(operation, NONE), number(found, 4)]
            rows.append(row)
    heads = ["load", "scheme"]
    heads += [f"{name}{word}" for name in OPERATIONS for word in (", paper", "")]
    text = "Table 4: coefficient of variation over the channels, means over the sizes (the paper does not"
    return f"{text} say which size):\n\n{table(heads, rows, left=2)}"


def _drawing(data: Data, kinds_of: dict[str, list[str]]) -> Figure:
    sizes = data.labels("size")
    panels = []
    for title, key in (("pages moved", MOVED), ("response time", RESPONSE)):
        lines = _lines(data, key, kinds_of)
        if key == RESPONSE or any(x is not None for _, _, heights in lines for x in heights):
            panels.append((title, lines))
    drawing, axes = new_drawing(len(panels), 5 * len(panels), 3.6)
    for place, (title, lines) in zip(axes, panels, strict=True):
        for label, style, heights in lines:
            place.plot(sizes, heights, style, marker="o", label=label)
        place.axhline(1, color="black", linewidth=0.6)
        place.set_xlabel("buffer, MiB")
        place.set_ylabel(f"{title}, CCF-LRU in turn = 1")
    axes[0].legend(fontsize=7)
    return drawing


def _lines(
    data: Data, key: str, kinds_of: dict[str, list[str]]
) -> list[tuple[str, str, list[float | None]]]:
    """Label, style and height at each size, of each scheme over CCF-LRU in turn."""
    value, lines = _of(data, key), []
    for word, loads in kinds_of.items():
        style = STYLES[word]
        for scheme in data.labels("scheme"):
            if scheme == "rr" or not loads:
                continue
            changes = _change(value, scheme, "rr", LEAST_MOVED if key == MOVED else 0)
            found = [_over(changes, loads, [size]) for size in data.labels("size")]
            lines.append((f"{scheme}, {word}", style, [None if x is None else 1 + x / 100 for x in found]))
    return lines


def cawr_spread(data: Data) -> Report:
    """Table 4's variation with one thing changed at a time."""
    names, sizes = [load.name for load in data.loads], data.labels("size")
    report = Report()
    for operation in OPERATIONS:
        rows = []
        for device in data.labels("device"):
            value = _variation(data.where(device=device), operation)
            for scheme in data.labels("scheme"):
                found = [mean(value(name, scheme, size) for size in sizes) for name in names]
                rows.append([device, scheme, *(number(x, 4) for x in found)])
        report.parts.append(
            f"Coefficient of variation over the channels, {operation}, means over {', '.join(sizes)} MiB:"
            f"\n\n{table(['device', 'scheme', *names], rows, left=2)}"
        )
    return report


def cawr_causes(data: Data) -> Report:
    """The comparison with one thing changed at a time."""
    names, sizes = [load.name for load in data.loads], data.labels("size")
    rows = []
    for device in data.labels("device"):
        moved, response = _of(data, MOVED, device=device), _of(data, RESPONSE, device=device)
        hits, erases = _of(data, HITS, device=device), _of(data, ERASES, device=device)
        for scheme in data.labels("scheme"):
            row = [device, scheme]
            row.append(digits(mean(response(x, scheme, s) for x in names for s in sizes)))
            if scheme == "rr":
                row += [NONE] * 5
            else:
                row += [
                    signed(_over(_change(response, scheme, "rr"), names, sizes)),
                    *(
                        signed(_over(_change(moved, scheme, "rr", LEAST_MOVED), names, [s]))
                        for s in sizes
                    ),
                    signed(_over(_change(erases, scheme, "rr", LEAST_ERASED), names, sizes)),
                    signed(_over(_points(hits, scheme, "rr"), names, sizes)),
                ]
            rows.append(row)
    heads = ["device", "scheme", "response, us", "response, %"]
    heads += [*(f"pages moved at {size} MiB, %" for size in sizes), "erases, %", "hits, points"]
    said = data.experiment.paper["figures"]
    report = Report()
    report.parts.append(
        f"Against CCF-LRU with channels in turn (`rr`) on the same device, means over {len(names)}"
        f" loads ({', '.join(names)}) and {', '.join(sizes)} MiB; the paper has"
        f" {said['response']} % of response time and {said['moved_1']} and {said['moved_16']} % of"
        f" pages moved for CAWR.\n\n{table(heads, rows, left=2)}"
    )
    return report


def cawr_pages(data: Data) -> Report:
    """The same, and what CAWR's response over CAVE's consists of, load by load."""
    sizes = data.labels("size")
    rows = []
    for device in data.labels("device"):
        changes = [_change(_of(data, k, device=device), "cawr", "cave") for k in GAP.values()]
        for load in data.loads:
            row = [signed(_over(change, [load.name], sizes)) for change in changes]
            rows.append([device, load.name, *row])
    report = cawr_causes(data)
    report.parts.append(
        f"CAWR over CAVE, %, means over {', '.join(sizes)} MiB; reads and writes: their mean response;"
        " misses: pages; sets: of dirty pages, one to each channel:"
        f"\n\n{table(['device', 'load', *GAP], rows, left=2)}"
    )
    return report
