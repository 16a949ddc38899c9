# SPDX-License-Identifier: BSD-3-Clause
"""The summary: sentences that follow from the runs' figures, and no more than follows."""
from collections.abc import Sequence

from tlmssd_lab.html_text import joined, number, percent
from tlmssd_lab.report.runs import Run, differences
from tlmssd_lab.stages import STAGE_TEXTS

LIMITERS = {
    "link": "the host link", "channel": "the busiest channel", "die": "the busiest die",
    "cpu": "the busiest core", "depth": "the queue depth (the unloaded latency of requests)",
    "arrival": "the arrival of the last request"}
EQUAL = 0.005  # runs nearer than this are not told apart
_NO_WORK = {"name", "mode"}


class Ranking:
    """The runs from best to worst by the figure that fits them."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.by_latency = any(run.open_loop() or run.get("bound.limiter") == "arrival"
                              for run in runs)
        self.by_bytes = len({_size(run) for run in runs}) > 1
        known = [(value, run) for run in runs if (value := self.value(run)) is not None]
        known.sort(key=lambda pair: pair[0], reverse=not self.by_latency)
        self.runs = [run for _, run in known]

    def value(self, run: Run) -> float | None:
        if self.by_latency:
            return run.get("host.all.response_us.mean")
        return run.get("host.all.mb_s" if self.by_bytes else "host.all.iops")

    def text(self, run: Run) -> str:
        value = number(self.value(run))
        if self.by_latency:
            return f"a mean response of {value} \u00b5s"
        return f"{value} MB/s" if self.by_bytes else f"{value} requests/s"

    def distance(self, times: float, other: str) -> str:
        """How far `other` is behind: the best is `times` better."""
        few = f"{100 * (times - 1):.1f} %"
        if self.by_latency:
            much = f"{few} longer" if times < 1.5 else f"{times:.2f} times as long"
            return f"{other} takes {much}"
        return f"{few + ' more than' if times < 1.5 else f'{times:.2f} times as much as'} {other}"

    def ratio(self, better: Run, worse: Run) -> float | None:
        """How many times better; None where it is undefined."""
        one, other = self.value(better), self.value(worse)
        if one is None or other is None or min(one, other) <= 0:
            return None
        return max(one, other) / min(one, other)


def _size(run: Run) -> float | None:
    count = run.get("host.all.count")
    return round(run.get("host.all.bytes", 0) / count) if count else None


def different_work(runs: Sequence[Run]) -> list[str]:
    """Why the runs' speeds cannot be compared as they stand; empty where they can."""
    reasons = []
    work = [{key: value for key, value in run.get("config.workload", {}).items()
             if key not in _NO_WORK} for run in runs]
    if any(one != work[0] for one in work):
        reasons.append("their workloads are configured differently")
    if len({(run.get("host.all.count"), run.get("host.all.bytes")) for run in runs}) > 1:
        reasons.append("they completed different amounts of work")
    if len({run.get("seed") for run in runs}) > 1:
        reasons.append("their seeds differ")
    return reasons


def summary(runs: Sequence[Run]) -> list[tuple[str, str]]:
    """(heading, text) pairs, in the order in which they are to be read."""
    parts: list[tuple[str, str]] = []
    ranking = Ranking(runs)
    if len(runs) == 1 and ranking.runs:
        parts.append(("Result", _single(runs[0])))
    elif len(ranking.runs) > 1:
        parts.append(("Fastest", _fastest(ranking)))
        parts += _why(ranking.runs[0], ranking.runs[-1])
    parts += _limits(runs, ranking)
    parts += _utilisation(ranking.runs[:1] + ranking.runs[1:][-1:])
    parts += _tail(ranking.runs)
    return [(head, text) for head, text in parts if text]


def _single(run: Run) -> str:
    return (f"{run.name} completed {number(run.get('host.all.count'))} reads and writes in "
            f"{number(run.get('sim.time_s'))} s of simulated time: "
            f"{number(run.get('host.all.iops'))} requests/s, {number(run.get('host.all.mb_s'))} "
            f"MB/s, mean latency {number(run.get('host.all.latency_us.mean'))} \u00b5s.")


def _fastest(ranking: Ranking) -> str:
    best, second, worst = ranking.runs[0], ranking.runs[1], ranking.runs[-1]
    ratio = ranking.ratio(best, worst)
    if ratio is not None and ratio - 1 < EQUAL:
        return (f"None: all runs are within {100 * EQUAL:g} % of each other "
                f"({ranking.text(best)} in {best.name}).")
    text = f"{best.name}, with {ranking.text(best)}"
    for other in dict.fromkeys((second.name, worst.name)):
        run = next(one for one in ranking.runs if one.name == other)
        times = ranking.ratio(best, run)
        whose = f"{other}, the slowest" if run is worst and len(ranking.runs) > 2 else other
        if times is None:
            text += f"; {whose} has {ranking.text(run)}"
        elif times - 1 < EQUAL:
            text += f"; {whose} is within {100 * EQUAL:g} % of it"
        else:
            text += f"; {ranking.distance(times, whose)} ({ranking.text(run)})"
    text += "."
    if ranking.by_latency:
        text += " (Arrivals set the pace here, so the runs are ranked by response time.)"
    return text


def shown_value(value: object) -> str:
    """As the configuration writes it."""
    return str(value).lower() if isinstance(value, bool) else "none" if value is None else str(value)


def _why(best: Run, worst: Run) -> list[tuple[str, str]]:
    parts = []
    differing = differences((best, worst))
    # What one run alone has is a parameter of something that it chose, named by a key of both.
    keys = {key: values for key, values in differing.items() if None not in values} or differing
    alone = len(differing) - len(keys)
    names = [f"{key} ({shown_value(values[0])} against {shown_value(values[1])})"
             for key, values in list(keys.items())[:4]]
    if not keys:
        cause = f"{best.name} and {worst.name} have the same configuration."
    elif len(keys) == 1:
        cause = f"{best.name} and {worst.name} differ in one key: {names[0]}."
    else:
        more = f" and {len(keys) - 4} more" if len(keys) > 4 else ""
        cause = (f"{best.name} and {worst.name} differ in {len(keys)} keys: "
                 f"{', '.join(names) if more else joined(names)}{more}. These runs alone do "
                 "not show which key made the difference.")
    if alone:
        cause += (f" {alone} more {'key belongs' if alone == 1 else 'keys belong'} to what only "
                  "one of them uses (see Configuration).")
    parts.append(("Changed", cause))
    parts.append(("Where the time goes", _stages(best, worst)))
    return parts


def _stages(best: Run, worst: Run) -> str:
    mine, theirs = best.stage_means(), worst.stage_means()
    if mine is None or theirs is None:
        return ""
    total = [sum(mine.values()), sum(theirs.values())]
    change = {stage: theirs[stage] - mine[stage] for stage in mine}
    text = (f"Of a mean latency of {number(total[0])} \u00b5s in {best.name} and "
            f"{number(total[1])} \u00b5s in {worst.name}, ")
    first, second = sorted(change, key=lambda stage: abs(change[stage]), reverse=True)[:2]
    if abs(change[first]) < 1e-3 * max(total):
        return text + "no stage differs by more than 0.1 %."
    text += (f"the stage that differs most is \u201c{STAGE_TEXTS[first]}\u201d: "
             f"{number(mine[first])} against {number(theirs[first])} \u00b5s")
    gap = total[1] - total[0]
    if gap * change[first] > 0 and abs(change[first]) <= abs(gap):
        text += f", {100 * change[first] / gap:.0f} % of the difference"
    if abs(change[second]) > 0.1 * abs(change[first]):
        text += (f"; then \u201c{STAGE_TEXTS[second]}\u201d: {number(mine[second])} against "
                 f"{number(theirs[second])} \u00b5s")
    return text + "."


def _limits(runs: Sequence[Run], ranking: Ranking) -> list[tuple[str, str]]:
    shown = ranking.runs[:1] + ranking.runs[1:][-1:] or list(runs[:1])
    texts = []
    for run in shown:
        fraction, limiter = run.get("bound.fraction_of_bound"), run.get("bound.limiter")
        if fraction is None:
            continue
        text = (f"{run.name} ran at {percent(fraction)} of the bound that "
                f"{LIMITERS.get(limiter, limiter)} sets")
        if fraction >= 0.95:
            text += ": little is left to win without changing that"
        elif limiter in ("link", "channel", "die", "cpu"):
            text += f", which was idle for the other {percent(1 - fraction)} of the time"
        texts.append(text + ".")
    return [("Limit", " ".join(texts))] if texts else []


def _utilisation(runs: Sequence[Run]) -> list[tuple[str, str]]:
    texts = []
    for run in runs:
        channels, cores, dies = run.channel_busy(), run.core_busy(), run.die_busy()
        words = []
        if channels:
            mean = sum(channels) / len(channels)
            words.append(f"channels {percent(mean)} on average, the busiest "
                         f"{percent(max(channels))}")
        if dies is not None:
            words.append(f"dies {percent(dies)}")
        if cores:
            words.append(f"firmware cores {percent(sum(cores) / len(cores))}"
                         + (f", the busiest {percent(max(cores))}" if len(cores) > 1 else ""))
        if words:
            texts.append(f"{run.name}: {'; '.join(words)}.")
    if not texts:
        return []
    cores = [busy for run in runs for busy in run.core_busy()]
    if cores and max(cores) > 0.8:
        texts.append("A core is busy most of the time: the firmware costs throughput.")
    elif cores and max(cores) < 0.5:
        texts.append("No core is busy half of the time: the firmware is not what limits.")
    return [("Busy", " ".join(texts))]


def _tail(runs: Sequence[Run]) -> list[tuple[str, str]]:
    key, text = next(((key, text) for key, text, least in (
        ("p999", "p99.9", 10000), ("p99", "p99", 1000), ("p95", "p95", 200))
        if runs and all(run.get("host.all.count", 0) >= least for run in runs)), (None, ""))
    values = {run.name: run.get(f"host.all.latency_us.{key}") for run in runs}
    if key is None or any(value is None for value in values.values()):
        return []
    if len(values) == 1:
        name, value = next(iter(values.items()))
        return [("Tail", f"{text} latency of {name} is {number(value)} \u00b5s.")]
    low, high = (choose(values, key=lambda name: values[name]) for choose in (min, max))
    if values[high] - values[low] < EQUAL * values[high]:
        return [("Tail", f"{text} latency is the same within {100 * EQUAL:g} % in all runs: "
                 f"{number(values[low])} \u00b5s.")]
    return [("Tail", f"The lowest {text} latency is that of {low}, {number(values[low])} \u00b5s; "
             f"the highest that of {high}, {number(values[high])} \u00b5s.")]


def _notes(runs: Sequence[Run]) -> list[str]:
    """Decisions that a run made beyond its keys; what all runs say stands once."""
    of_runs = [run.get("notes") or [] for run in runs]
    shared = [note for note in of_runs[0] if all(note in notes for notes in of_runs)] if of_runs else []
    return [*shared, *(f"{run.name}: {note}" for run, notes in zip(runs, of_runs, strict=True)
                       for note in notes if note not in shared)]


def warnings(runs: Sequence[Run]) -> list[str]:
    """Warnings that a reader must know before using the rest."""
    texts = []
    for run in runs:
        status = run.get("status")
        if status != "done":
            texts.append(f"{run.name} is {status}: its figures cover what was done until then.")
        for key, what in (("integrity.mismatches", "data mismatches"),
                          ("checker.violations", "ONFI protocol violations")):
            if run.get(key):
                texts.append(f"{run.name} has {number(run.get(key))} {what}: it is not to be "
                             "trusted.")
        errors = sum(run.get("host.errors", {}).values())
        if errors:
            texts.append(f"{run.name}: the device ended {number(errors)} commands with an error.")
        if run.get("warmup.kind", "none") == "until_steady" and not run.get("warmup.steady"):
            texts.append(f"{run.name} never became steady.")
    texts.extend(_notes(runs))
    if len(runs) > 1:
        reasons = different_work(runs)
        if reasons:
            texts.append(f"The runs are not strictly comparable: {joined(reasons)}.")
        texts.append("One run each: how far other seeds would move the figures is not known from "
                     "here. tlmssd-lab compare repeats runs and gives confidence intervals.")
    if any(run.get("calibrated") is False for run in runs):
        texts.append("CPU cycle costs are documented estimates (calibrated: false).")
    return texts
