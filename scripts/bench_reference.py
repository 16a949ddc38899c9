# SPDX-License-Identifier: BSD-3-Clause
"""The reference loop of scripts/bench: how fast this machine is in the minute of a measurement, the ratio of a
speed to it, and whether other work disturbed it (docs/contributing/speed-floors.md)."""
import os
import resource
import statistics
import time

# Turns a second of the reference loop on the machine of the floors of bench_runs.py, on which rr4k does 1.2 million
# host I/Os a second: 1,200,000 / 0.535, the ratio of rr4k (docs/notebook/speed.md).
MACHINE = 2_240_000

# A machine is busy when, while the loop ran,
OTHERS = 0.15  # others used more of a processor
WAITED = 1.05  # or its wall time was above its CPU time by more than this factor
DRIFT = 0.10  # or its speed changed by more, between the slowest and the fastest of one case


def floor_ratio(floor):
    """What a floor in requests a second on the machine of the floors is in requests a turn."""
    return floor / MACHINE


class Reference:
    """The loops of one case. `run` runs it once: what tlmssd_reference_loop prints, as a dictionary."""

    def __init__(self, run):
        self.run = run
        self.turns_per_s, self.waited, self.others = [], [], []
        self.around = []  # of each speed, the mean turns a second of the loops around it

    def once(self):
        """Turns a second, now."""
        before, used, begin = busy_seconds(), own_seconds(), time.monotonic()
        loop = self.run()
        lasted = time.monotonic() - begin
        self.turns_per_s.append(loop["turns"] / loop["seconds"])
        self.waited.append(loop["seconds"] / loop["cpu_seconds"])
        if before is not None:
            self.others.append(max(0.0, busy_seconds() - before - (own_seconds() - used)) / lasted)
        return self.turns_per_s[-1]

    def beside(self, speeds):
        """(speed, ratio) of each speed of an iterator, which measures it when it is asked for. The loop runs
        before the first and after each; a ratio is to the mean of both loops around its speed."""
        before = self.once()
        for speed in speeds:
            after = self.once()
            self.around.append((before + after) / 2)
            yield speed, speed / self.around[-1]
            before = after

    def disturbances(self):
        """Why the figures of this case may be wrong: a sentence for each reason, none on a quiet machine."""
        found = []
        if self.others and max(self.others) > OTHERS:
            found.append(f"other processes used {max(self.others):.2f} of {os.cpu_count()} processors")
        if max(self.waited) > WAITED:
            found.append(f"the reference loop waited for its processor {100 - 100 / max(self.waited):.0f} % of the time")
        if spread(self.turns_per_s) > DRIFT:
            found.append(f"the machine's speed changed by {100 * spread(self.turns_per_s):.0f} %")
        return found


def spread(values):
    """Largest less smallest value, over the median."""
    return (max(values) - min(values)) / statistics.median(values)


def verdict(case, unit, speeds_and_ratios, floor, aim=None):
    """What a row of the table says of a speed with a floor: the median of the ratios counts."""
    speeds, ratios = zip(*speeds_and_ratios)
    ratio = statistics.median(ratios)
    least = None if floor is None else floor_ratio(floor)
    return {"case": case, unit: statistics.median(speeds), f"all_{unit}": list(speeds),
            "ratio": ratio, "all_ratios": list(ratios), "spread": spread(ratios),
            "floor": floor, "floor_ratio": least, "aim_ratio": None if aim is None else floor_ratio(aim),
            "met": least is None or ratio >= least}


def busy_seconds(path="/proc/stat"):
    """CPU seconds that all processors have worked or were lent to other guests; None where nobody says."""
    try:
        with open(path, encoding="ascii") as file:
            words = file.readline().split()
    except OSError:
        return None
    user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, words[1:9])
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """CPU seconds of this process and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)
