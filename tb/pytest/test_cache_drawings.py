# SPDX-License-Identifier: BSD-3-Clause
"""Cache operations on the timeline and in waves: the array is busy behind a ready R/B#."""
from fst import Waves
from test_cache_ops import READS, WRITES
from test_timeline import Trace, check_structure


def test_the_timeline_draws_the_array_behind_a_ready_line(tlmssd, tmp_path):
    path = tmp_path / "run.json.gz"
    tlmssd.run(tmp_path / "run", "--timeline", path,
               sets=[*READS, "workload.requests=20", "scheduler=host", "controller.cache_ops=read"])
    trace = Trace(path)
    check_structure(trace)
    reads = trace.all("planes", "READ")
    assert len(reads) == 20 * 16
    for one in reads:  # from R/B# of 31h to the end of the array; the first of a chain: tWB too
        assert one.end - one.start in (50000000, 50100000), one
    pages = [(s.args["block"], s.args["page"]) for s in trace.slices["planes"]["plane 0/0/0/0"] if s.name == "READ"]
    assert len(set(pages)) == len(pages)
    busy = sum(s.end - s.start for s in trace.slices["planes"]["plane 0/0/0/0"])
    whole = trace.slices["planes"]["plane 0/0/0/0"][-1].end - trace.slices["planes"]["plane 0/0/0/0"][0].start
    assert busy > 0.97 * whole


def test_the_timeline_draws_programs_one_after_the_other(tlmssd, tmp_path):
    path = tmp_path / "run.json.gz"
    tlmssd.run(tmp_path / "run", "--timeline", path, sets=[*WRITES, "scheduler=host", "controller.cache_ops=both"])
    trace = Trace(path)
    check_structure(trace)
    assert len(trace.all("planes", "PROGRAM")) > 100


def test_waves_show_the_die_busy_until_its_array_rests(tlmssd, tmp_path):
    path = tmp_path / "run.fst"
    tlmssd.run(tmp_path / "run", "--waves", path, "--waves-to", "3ms",
               sets=[*READS, "workload.requests=20", "scheduler=host", "controller.cache_ops=read"])
    waves = Waves(path)
    name, = [n for n in waves.changes if n.endswith("channel0.ce0.lun0.state")]
    changes = waves.named(name)
    begin = next(time for time, state in changes if state == "Cache")
    ends = [time for time, _ in changes[1:]] + [waves.end]
    busy = sum(end - time for (time, state), end in zip(changes, ends) if time >= begin and state in ("Read", "Cache"))
    assert busy > 0.95 * (waves.end - begin)
