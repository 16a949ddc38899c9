# SPDX-License-Identifier: BSD-3-Clause
"""Run folders for the tests of the report: results of known figures, timelines of known slices.

Nothing here is measured. Every number follows from the few that a test gives, so that what the page
must say can be worked out by hand.
"""
import gzip
import json
import os
import pathlib

WRITTEN = 1_700_000_000  # time of results.json: 2023-11-14 22:13:20 UTC
ALPHABET = [chr(code) for code in range(33, 127) if chr(code) not in "<&\\"]  # of a page's packed data


def bytes_of(text):
    """The bytes of packed data: two characters are 13 bits."""
    count, characters = text.split(" ")
    digits = [ALPHABET.index(character) for character in characters]
    bits = "".join(f"{high * 91 + low:013b}" for high, low in zip(digits[::2], digits[1::2]))
    return bytes(int(bits[at:at + 8], 2) for at in range(0, 8 * int(count), 8))


STAGES = ("link", "hil", "buffer", "ftl", "sched", "wait_die", "wait_bus", "cell", "transfer",
          "dram")


def latencies(mean, scale=1.0):
    return {"mean": mean, "p50": mean * scale, "p95": 2 * mean * scale, "p99": 3 * mean * scale,
            "p999": 4 * mean * scale, "p9999": 5 * mean * scale, "max": 6 * mean * scale}


def requests(count, size, time_s, mean):
    return {"count": count, "bytes": count * size, "iops": count / time_s,
            "mb_s": count * size / 1e6 / time_s, "latency_us": latencies(mean),
            "response_us": latencies(mean)}


def results(scheduler="inorder", *, count=20000, time_s=0.5, stages_us=None, config=None,
            additions=True, mode="closed"):
    """A results.json of reads of 4 KiB; stages_us: mean of each stage, the rest 1 us each."""
    stages = {stage: 1.0 for stage in STAGES} | (stages_us or {})
    mean = sum(stages.values())
    document = {
        "schema": "tlmssd-results-1", "config_hash": "0123456789abcdef", "seed": 1,
        "calibrated": True, "status": "done",
        "wall": {"seconds": 1.0, "host_ios_per_s": count, "kernel_events": 1, "timer_callbacks": 1,
                 "peak_rss_mib": 50.0, "git": "test"},
        "config": {"scheduler": scheduler, "geometry": {"channels": 2, "ways": 2, "dies": 1},
                   "workload": {"name": "crafted", "mode": mode}} | (config or {}),
        "sim": {"time_s": time_s},
        "workload": {"name": "crafted", "source_requests": count, "folded": 0, "dropped": 0, "skipped": 0},
        "host": {"all": requests(count, 4096, time_s, mean),
                 "reads": requests(count, 4096, time_s, mean),
                 "writes": requests(0, 4096, time_s, mean), "flushes": {"count": 0},
                 "trims": {"count": 0}, "errors": {"reads": 0, "writes": 0, "others": 0},
                 "queue_wait_us": {"mean": 0.0, "mean_when_full": None}},
        "ftl": {"waf": None}, "sched": {"name": scheduler, "reordered": 0, "multi_plane_ops": 0},
        # Two channels, busy 40 % and 60 % of the time; four dies that idle half of it.
        "flash": {"channels": [{"busy_s": 0.4 * time_s}, {"busy_s": 0.6 * time_s}],
                  "die_idle_s": 2 * time_s},
        "cpu": {"model": "native", "mhz": 800, "busy_fraction": [0.25],
                "cycles": {"hil": 100 * count, "buffer": 50 * count, "ftl": 30 * count,
                           "sched": 20 * count}},
        "dram": {"busy_s": 0.1 * time_s},
        "link": {"busy_to_host_s": 0.8 * time_s, "busy_to_device_s": 0.1 * time_s},
        "integrity": {"pages_checked": count, "bytes_checked": 0, "mismatches": 0},
        "checker": {"violations": 0},
        "bound": {"makespan_s": 0.8 * time_s, "limiter": "link", "fraction_of_bound": 0.8}}
    if additions:
        add_measurements(document, stages)
    return document


def add_measurements(document, stages):
    """stages, worst, series, host.jobs and warmup, consistent with the rest."""
    host, time_s = document["host"], document["sim"]["time_s"]
    means = {f"{stage}_us": {"mean": value} for stage, value in stages.items()}
    nothing = {f"{stage}_us": {"mean": None} for stage in stages}
    document["stages"] = means | {"reads": means, "writes": nothing}
    document["warmup"] = {"kind": "none", "requests": 0, "time_s": 0.0, "steady": None}
    host["jobs"] = [{"name": "job0", "workload": "crafted", "mode": "closed", "priority": 0,
                     "requests": host["all"]["count"], "start_s": 0.0, "all": host["all"],
                     "reads": host["reads"], "writes": host["writes"], "flushes": 0, "trims": 0,
                     "queue_wait_us": {"mean": 0.0, "mean_when_full": None}}]
    points = 100
    document["series"] = {"interval_s": time_s / points, "points": [
        {"t_s": i * time_s / points, "iops": host["all"]["iops"] * (0.8 + 0.004 * i),
         "mb_s": host["all"]["mb_s"] * (0.8 + 0.004 * i), "reads": 1, "writes": 0,
         "latency_us": {"mean": host["all"]["latency_us"]["mean"], "p99": 100.0, "max": 200.0},
         "queue_depth": 32.0, "waf": None, "channels_busy": 0.5, "dies_busy": 0.5,
         "cores_busy": 0.25} for i in range(points)]}
    document["worst"] = []
    document["acted"] = [
        {"mechanism": "read hits", "key": "buffer.reads", "chances": 10, "chance": "page reads of the host",
         "acted": 7, "saved": 7, "saves": "waits of reads for flash", "why": None},
        {"mechanism": "garbage collection", "key": "ftl.gc.policy", "chances": None, "chance": "pages programmed",
         "acted": 0, "saved": None, "saves": "", "why": "the host wrote nothing"}]


def worst_entry(issued_us, latency_us, tag, lba, *, kind="READ", cause="waited for a die",
                stage="wait_die"):
    return {"job": 0, "kind": kind, "lba": lba, "bytes": 4096, "tag": tag, "arrival_us": issued_us,
            "issued_us": issued_us, "latency_us": latency_us, "response_us": latency_us, "hit": 0,
            "flash_ops": 1, "cause": cause,
            "stages_us": {name: 0.0 for name in STAGES} | {stage: latency_us}}


class Timeline:
    """Writes trace events as docs/guides/timeline.md has them; times are given in ps."""

    def __init__(self):
        self.heads, self.events, self.tracks, self.groups, self.arrows = [], [], {}, {}, 0

    def track(self, group, name):
        """Number of the track, made when it is first named."""
        if (group, name) not in self.tracks:
            pid = self.groups.setdefault(group, len(self.groups) + 1)
            if len(self.groups) == pid and not any(place[0] == group for place in self.tracks):
                self.heads.append({"ph": "M", "pid": pid, "tid": 0, "name": "process_name",
                                   "args": {"name": group}})
            tid = len(self.tracks) + 1
            self.tracks[group, name] = (pid, tid)
            self.heads.append({"ph": "M", "pid": pid, "tid": tid, "name": "thread_name",
                               "args": {"name": name}})
        return self.tracks[group, name]

    def slice(self, group, track, name, start, end, **args):
        pid, tid = self.track(group, track)
        self.events.append(f'{{"ph":"X","pid":{pid},"tid":{tid},"name":{json.dumps(name)},'
                           f'"ts":{us(start)},"dur":{us(end - start)},"args":{json.dumps(args)}}}')

    def arrow(self, host_track, submit, die_track, start):
        self.arrows += 1
        for phase, group, track, now in (("s", "host requests", host_track, submit),
                                         ("f", "dies", die_track, start)):
            pid, tid = self.track(group, track)
            self.events.append(f'{{"ph":"{phase}","pid":{pid},"tid":{tid},"cat":"request",'
                               f'"name":"request","id":{self.arrows},"bp":"e","ts":{us(now)}}}')

    def write(self, path):
        lines = ",\n".join([json.dumps(head) for head in self.heads] + self.events)
        text = '{"displayTimeUnit":"ns","traceEvents":[\n' + lines + "\n]}\n"
        with gzip.open(path, "wt", encoding="ascii", compresslevel=1) as file:
            file.write(text)


def us(picoseconds):
    """Whole picoseconds as microseconds with six decimals."""
    return f"{picoseconds // 1000000}.{picoseconds % 1000000:06d}"


def write_run(folder, document, timeline=None):
    """A run folder; returns it."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(document), encoding="utf-8")
    os.utime(folder / "results.json", (WRITTEN, WRITTEN))
    if timeline is not None:
        timeline.write(folder / "timeline.json.gz")
    return folder
