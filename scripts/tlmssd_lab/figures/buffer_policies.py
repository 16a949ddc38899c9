# SPDX-License-Identifier: BSD-3-Clause
"""Report of the buffer's replacement policies: hits, programs, latency, on each load."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tlmssd_lab.drawings import new_drawing
from tlmssd_lab.figures.data import Data, Report, digits, geometric_mean, kinds, mean, number, ratio, table
from tlmssd_lab.run.metrics import value_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Value = Callable[[str, str], "float | None"]  # of a load and a policy


def _of(data: Data, key: str, factor: float = 1.0) -> Value:
    def value(load: str, policy: str) -> float | None:
        found = data.mean(key, load, policy=policy)
        return None if found is None else factor * found

    return value


def _programs(data: Data) -> Value:
    """Pages programmed, also by garbage collection, for each page that the host wrote. Pages that the
    buffer absorbed count; pages that it still holds at the end do not."""

    def value(load: str, policy: str) -> float | None:
        found = []
        for result in data.results(load, policy=policy).values():
            keys = ("ftl.flash_pages_written", "buffer.write_hits", "buffer.write_misses")
            pages, hits, misses = (value_of(result.json, key) for key in keys)
            if hits is None or misses is None or pages is None:
                return None
            found.append(ratio(pages, hits + misses))
        return mean(found)

    return value


def _figures(data: Data) -> list[tuple[str, Value, int]]:
    return [
        ("Hit ratio of page accesses, %", _of(data, "buffer.hit_ratio", 100), 1),
        ("Write amplification of the FTL", _of(data, "ftl.waf"), 2),
        ("Pages programmed for each page that the host wrote", _programs(data), 2),
        ("Mean latency, us", _of(data, "host.all.latency_us.mean"), 0),
        ("99 % latency, us", _of(data, "host.all.latency_us.p99"), 0),
    ]


def buffer_policies(data: Data) -> Report:
    base, policies = data.experiment.base["policy"], data.labels("policy")
    names = [load.name for load in data.loads]
    loads = kinds(data.loads)
    pieces = loads["pieces"]
    fitted = f", {len(loads['fitted'])} presets with the locality of real pieces" if "fitted" in loads else ""
    report = Report()
    report.parts.append(
        f"Over {len(loads['presets'])} presets{fitted} and {len(pieces)} real pieces ({', '.join(pieces) or 'none'});"
        f" closed loop. Hit ratio, write amplification and programs a page written are means, latencies geometric"
        f" means of ratios to {base}; of all but hits less is better."
    )
    report.parts.append(_summary(data, base, policies, loads))
    for title, value, places in _figures(data):
        rows = [[p, *(number(value(load, p), places) for load in names)] for p in policies]
        report.parts.append(f"{title}:\n\n{table(['policy', *names], rows)}")
    report.drawings[""] = _bars(data, base, policies, loads)
    return report


def _against(value: Value, loads: Sequence[str], policy: str, base: str) -> float | None:
    return geometric_mean(ratio(value(load, policy), value(load, base)) for load in loads)


def _summary(
    data: Data, base: str, policies: Sequence[str], kinds_of: Mapping[str, Sequence[str]]
) -> str:
    hits, *others = [value for _, value, _ in _figures(data)]
    plain, compared = others[:2], others[2:]
    rows = []
    for policy in policies:
        row = [policy]
        for loads in kinds_of.values():
            row.append(number(mean(hits(load, policy) for load in loads)))
            row += [digits(mean(value(load, policy) for load in loads)) for value in plain]
            row += [digits(_against(value, loads, policy, base)) for value in compared]
        rows.append(row)
    words = ["hits, %", "WAF", "programs", "mean", "p99"]
    heads = [f"{kind}: {word}" for kind in kinds_of for word in words]
    return table(["policy", *heads], rows)


def _bars(
    data: Data, base: str, policies: Sequence[str], kinds_of: Mapping[str, Sequence[str]]
) -> Figure:
    hits, _, _, latency, tail = [value for _, value, _ in _figures(data)]

    def mean_hits(loads: Sequence[str], policy: str) -> float | None:
        return mean(hits(load, policy) for load in loads)

    def compared(value: Value) -> Callable:
        return lambda loads, policy: _against(value, loads, policy, base)

    drawing, axes = new_drawing(1, 10, 6.5, 3)
    shown = (
        ("hits, %", mean_hits),
        (f"mean latency / {base}", compared(latency)),
        (f"p99 latency / {base}", compared(tail)),
    )
    for place, (title, of) in zip(axes, shown):
        width = 0.8 / len(kinds_of)
        for shift, (word, loads) in enumerate(kinds_of.items()):
            heights = [of(loads, policy) or 0 for policy in policies]
            at = [i + width * (shift - (len(kinds_of) - 1) / 2) for i in range(len(policies))]
            place.bar(at, heights, width, label=word)
        place.set_xticks(range(len(policies)), policies, fontsize=7, rotation=20)
        place.set_ylabel(title)
    axes[0].legend(fontsize=7)
    return drawing
