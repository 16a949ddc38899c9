# SPDX-License-Identifier: BSD-3-Clause
"""The table of what acted: its counts are those of the other sections, and the screen names what did nothing."""
import json

import pytest

from cli import DEFAULT

SMALL = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2",
         "geometry.blocks=40", "geometry.pages=16", "buffer.size_mib=1", "ftl.over_provisioning=0.5",
         "host.kind=direct", "precondition.fill=1", "precondition.overwrite=0.5",
         "workload.rw=randrw", "workload.rwmixread=30", "workload.bs=8192", "workload.requests=4000"]
# Mechanism, and the keys of results.json that count it and its chances; a sum of keys where there are several.
COUNTED = {
    "read hits": ("buffer.read_hits", "buffer.read_hits buffer.read_misses"),
    "write hits": ("buffer.write_hits", "buffer.write_hits buffer.write_misses"),
    "programs of the host's pages": ("ftl.host_pages_written", "buffer.write_hits buffer.write_misses"),
    "garbage collection": ("ftl.gc.runs", "ftl.flash_pages_written"),
    "copyback": ("ftl.gc.copybacks", "ftl.gc.pages_moved"),
    "reordering by the scheduler": ("sched.reordered", "flash.die_operations"),
    "joining of planes": ("sched.multi_plane_ops", "flash.die_operations"),
    "reordering by the controller": ("controller.reordered", "flash.die_operations"),
    "suspension": ("controller.suspends", "flash.ops.read"),
    "cache reads": ("controller.cache_reads", "flash.ops.read"),
    "cache programs": ("controller.cache_programs", "ftl.flash_pages_written"),
    "reads of queued writes": ("sched.hit_manager_reads", "buffer.read_hits buffer.read_misses"),
    "withdrawal of overwritten writes": ("sched.cancelled_writes", "sched.queued_overwrites"),
    "return of hot pages": ("sched.returned_pages", "sched.return_chances"),
    "leveler": ("sched.reallocated", "sched.moves_asked"),
    "prefetching of launches": ("prefetch.pages", "buffer.read_hits buffer.read_misses"),
    "cached mapping table": ("ftl.map.hits", "ftl.map.hits ftl.map.misses"),
    "merges without a new block": ("ftl.log.switch_merges ftl.log.partial_merges",
                                   "ftl.log.switch_merges ftl.log.partial_merges ftl.log.full_merges"),
}


def value(results, keys):
    total = 0
    for key in keys.split():
        node = results
        for part in key.split("."):
            node = node[part]
        total += node
    return total


@pytest.mark.parametrize("sets", [
    ["scheduler=inorder"], ["scheduler=host", "ftl.gc.copyback=true", "controller.suspend=program_and_erase"],
    ["scheduler=host", "controller.cache_ops=both"], ["scheduler=sost"], ["scheduler=hybrid"], ["ftl.mapping=dftl"], ["workload.warmup=requests"],
    *([f"scheduler={name}"] for name in ("serial", "barrier", "vaq", "paq0", "paq1", "paq2"))],
    ids=["inorder", "host", "cache operations", "sost", "hybrid", "dftl", "warm-up", "serial", "barrier", "vaq", "paq0", "paq1", "paq2"])
def test_counts_are_those_of_the_other_sections(tlmssd, tmp_path, sets):
    results = json.loads(tlmssd.run(tmp_path, sets=[*SMALL, *sets]))
    names = {one["mechanism"] for one in results["acted"]}
    assert {"read hits", "write hits", "garbage collection"} <= names
    assert "joining of planes" in names or results["sched"]["multi_plane_ops"] == 0
    assert "reordering by the scheduler" in names or results["sched"]["reordered"] == 0
    for one in results["acted"]:
        if one["mechanism"] in COUNTED:
            times, chances = COUNTED[one["mechanism"]]
            assert one["acted"] == value(results, times), one
            assert one["chances"] == value(results, chances), one
        assert (one["why"] is None) == (one["acted"] > 0), one


def test_a_buffer_that_absorbs_all_writes_is_named_on_the_screen(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, "--workload", "randwrite-4k", "--set", "workload.requests=2000", "--out", tmp_path)
    screen = " ".join(done.stdout.split())
    assert "garbage collection (ftl.gc.policy)" in screen
    assert "the 32 MiB write buffer absorbed all 2,000 page writes" in screen
    assert screen.count("absorbed") == 1  # one reason, however many mechanisms


def test_what_acted_is_not_on_the_screen(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, *[word for one in SMALL for word in ("--set", one)], "--out", tmp_path)
    assert "GC " in done.stdout and "inactive" not in done.stdout, done.stdout
