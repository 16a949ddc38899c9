# SPDX-License-Identifier: BSD-3-Clause
"""A folder of `scripts/linux --trace` by hand: times are nanoseconds from simulated time 0."""

import gzip
import json

DATE = 1_700_000_000_000_000_000
STAGES = ("link", "hil", "buffer", "ftl", "sched", "wait_die", "wait_bus", "cell", "transfer", "dram")
HEAD = "job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,flash_ops,status," + ",".join(
    f"{stage}_ns" for stage in STAGES)


def event(time, name, rest, task="dd", pid=40):
    return time, task, pid, name, rest


def enter(time, inode=12, datasync=0, **of):
    return event(time, "ext4_sync_file_enter", f"dev 259,0 ino {inode} parent 2 datasync {datasync} ", **of)


def leave(time, inode=12, **of):
    return event(time, "ext4_sync_file_exit", f"dev 259,0 ino {inode} ret 0", **of)


def queue(time, flags, sector, sectors):
    return event(time, "block_bio_queue", f"259,0 {flags} {sector} + {sectors} [dd]")


def issue(time, flags, sector, sectors):
    return event(time, "block_rq_issue", f"259,0 {flags} {sectors * 512} () {sector} + {sectors} [dd]")


def complete(time, flags, sector, sectors):
    return event(time, "block_rq_complete", f"259,0 {flags} () {sector} + {sectors} [0]", "<idle>", 0)


def trace_text(events):
    lines = ["# tracer: nop", "#", f"# entries-in-buffer/entries-written: {len(events)}/{len(events)}   #P:1"]
    for time, task, pid, name, rest in events:
        micros = (DATE + time + 500) // 1000
        stamp = f"{micros // 10**6}.{micros % 10**6:06}"
        lines.append(f"{task:>16}-{pid:<7} [000] ..... {stamp}: {name}: {rest}")
    raws = [f"{pid} 0 {DATE + time} Unknown type 312" for time, _, pid, *_ in events]
    return "\n".join([*lines, "tlmssd-raw", lines[0], *raws]) + "\n"


def request(kind, lba, sectors, begin, end, **stages):
    """All of its time that `stages` do not name is `buffer`."""
    times = dict.fromkeys(STAGES, 0.0) | {"buffer": end - begin - sum(stages.values())} | stages
    fields = [0, kind, lba, sectors * 512, 0, *(f"{time:.3f}" for time in (begin, begin, end)), 0, 0, "ok"]
    return ",".join(str(field) for field in [*fields, *(f"{times[stage]:.3f}" for stage in STAGES)])


def timeline(slices):
    """(group, track, name, begin, end)"""
    groups = list(dict.fromkeys(each[0] for each in slices))
    tracks = list(dict.fromkeys(each[:2] for each in slices))
    events = [{"ph": "M", "name": "process_name", "pid": i, "tid": 0, "args": {"name": name}}
              for i, name in enumerate(groups)]
    events += [{"ph": "M", "name": "thread_name", "pid": groups.index(group), "tid": i, "args": {"name": name}}
               for i, (group, name) in enumerate(tracks)]
    events += [{"ph": "X", "name": name, "pid": groups.index(group), "tid": tracks.index((group, track)),
                "ts": begin / 1000, "dur": (end - begin) / 1000} for group, track, name, begin, end in slices]
    return json.dumps({"traceEvents": events})


def folder(path, events, requests, slices=(), **guest):
    path.mkdir(exist_ok=True)
    (path / "results.json").write_text(json.dumps({"schema": "tlmssd-guest-1", "guest": {"date_ns": DATE} | guest}))
    (path / "trace.txt").write_text(trace_text(events))
    (path / "requests.csv").write_text("\n".join([HEAD, *requests, "# crc32 00000000"]) + "\n")
    with gzip.open(path / "timeline.json.gz", "wt") as file:
        file.write(timeline(slices))
    return path


#: One write and one flush, one after the other.
EVENTS = [
    enter(1024), queue(1280, "WS", 800, 8), issue(1536, "WS", 800, 8), complete(5120, "WS", 800, 8),
    queue(5376, "FWS", 0, 0), issue(5632, "FF", 0, 0), complete(9216, "FF", 2**64 - 1, 0), leave(9472),
]
REQUESTS = [request("write", 800, 8, 2000, 5000, link=700, dram=300), request("flush", 0, 0, 6000, 9000.5, cell=2000)]
SLICES = [("link", "to device", "DATA", 2100, 2400), ("firmware", "core 0", "hil+buffer", 2400, 2900),
          ("channels", "channel 3", "PROGRAM", 6100, 6500), ("dies", "die 3/0/1", "PROGRAM", 6100, 8900),
          ("dies", "die 0/0/0", "ERASE", 20000, 30000)]
