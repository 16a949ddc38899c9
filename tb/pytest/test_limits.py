# SPDX-License-Identifier: BSD-3-Clause
"""Keys that change nothing where another part is the limit, and act where it is gone (docs/notebook/limits.md)."""

import json

import pytest

SMALL = ["workload.rw=randread", "workload.bs=4k", "scheduler=host", "controller.streams=per_request"]


def run(tlmssd, folder, *sets, workload=()):
    return json.loads(tlmssd.run(folder, *workload, sets=[*SMALL, *sets]))


def iops(results):
    return results["host"]["all"]["iops"]


def mean_us(results):
    return results["host"]["all"]["latency_us"]["mean"]


def clocked(tlmssd, folder, mhz, *sets):
    return run(tlmssd, folder / str(mhz), "controller.kind=rtl", f"controller.clock_mhz={mhz}",
               "workload.requests=500", *sets)


def test_behind_sata_the_controller_clock_cannot_matter(tlmssd, tmp_path):
    slow, fast = (clocked(tlmssd, tmp_path, mhz, "host.queue_depth=32") for mhz in (50, 800))
    assert slow["bound"]["limiter"] == fast["bound"]["limiter"] == "link"
    assert iops(slow) == pytest.approx(iops(fast), rel=0.002)


def test_a_slow_clock_is_seen_where_nothing_hides_it(tlmssd, tmp_path):
    """Alone in the device a read passes submit (10 edges), R/B# (7) and landing (3), each seen at the next edge."""
    sets = ["host.kind=direct", "cpu.mhz=10000", "host.queue_depth=1"]
    slow, fast = (mean_us(clocked(tlmssd, tmp_path, mhz, *sets)) for mhz in (1, 1000))
    edges = (slow - fast) / (1 - 0.001)  # a period of 1 us against 1 ns
    assert 10 + 7 + 3 <= edges < 10 + 7 + 3 + 3


def test_a_slow_clock_costs_bus_time_where_the_channel_is_the_limit(tlmssd, tmp_path):
    sets = ["host.kind=direct", "cpu.mhz=10000", "host.queue_depth=128"]
    results = [clocked(tlmssd, tmp_path, mhz, *sets) for mhz in (1, 10, 800)]
    assert results[2]["bound"]["limiter"] == "channel"
    assert iops(results[0]) < 0.8 * iops(results[2])
    assert iops(results[0]) < iops(results[1]) < iops(results[2])


def queued(tlmssd, folder, *sets, workload=()):
    return run(tlmssd, folder, "host.kind=nvme", "host.queue_depth=64", "workload.requests=4000", *sets,
               workload=workload)


def test_one_job_gains_nothing_from_queue_pairs(tlmssd, tmp_path):
    one = queued(tlmssd, tmp_path / "a")
    four = queued(tlmssd, tmp_path / "b", "nvme.queues=4", "nvme.steer=round_robin")
    assert one["nvme"]["most_waiting"] == four["nvme"]["most_waiting"] == 1  # nothing to arbitrate
    assert iops(four) == pytest.approx(iops(one), rel=0.001)


def test_queue_pairs_help_where_one_has_too_few_places(tlmssd, tmp_path):
    one = queued(tlmssd, tmp_path / "a", "nvme.queue_entries=9")  # 8 open at most
    four = queued(tlmssd, tmp_path / "b", "nvme.queue_entries=9", "nvme.queues=4", "nvme.steer=round_robin")
    eight = run(tlmssd, tmp_path / "c", "host.kind=nvme", "host.queue_depth=8", "workload.requests=4000")
    assert iops(one) == pytest.approx(iops(eight), rel=0.02)  # as with a depth of 8
    assert iops(four) > 1.5 * iops(one)


def test_queue_pairs_share_a_device_that_takes_few_commands(tlmssd, tmp_path):
    """Open commands wait in the queues only where the device takes fewer than the host has."""
    load = tmp_path / "two.yaml"
    load.write_text("jobs:\n  - {rw: randread, bs: 4k, iodepth: 56, runtime_ms: 30}\n"
                    "  - {rw: randread, bs: 4k, iodepth: 8, runtime_ms: 30}\n")
    shares = []
    for queues in (1, 2):
        results = json.loads(tlmssd.run(tmp_path / str(queues), "--workload", str(load), sets=[
            "host.kind=nvme", "host.queue_depth=64", "nvme.command_limit=16", f"nvme.queues={queues}", *SMALL[2:]]))
        counts = [job["reads"]["count"] for job in results["host"]["jobs"]]
        shares.append(counts[1] / sum(counts))
    assert shares[0] == pytest.approx(8 / 64, abs=0.02)  # first come, first served
    assert shares[1] > 3 * shares[0]  # in turns: up to a half, as far as 8 commands go


def mapped(tlmssd, folder, kib, *sets):
    return run(tlmssd, folder / str(kib), "ftl.mapping=dftl", "ftl.over_provisioning=0.25", "buffer.policy=none",
               f"ftl.map.cache_kib={kib}", "host.queue_depth=1", *sets)


def hit_rate(results):
    counts = results["ftl"]["map"]
    return counts["hits"] / (counts["hits"] + counts["misses"])


def test_hits_of_the_map_save_a_flash_read_each(tlmssd, tmp_path):
    """latency(h) = data + (1 - h) map: four times few hits are few; where most hit, the second read is gone."""
    none, few = (mapped(tlmssd, tmp_path, kib, "workload.requests=1500") for kib in (64, 1024))
    zipf = "workload.random_distribution=zipf:1.2"
    cold, most = (mapped(tlmssd, tmp_path / "zipf", kib, "workload.requests=1500", zipf) for kib in (64, 16384))
    assert hit_rate(few) > 4 * hit_rate(none)
    assert iops(few) < 1.05 * iops(none)
    slope = (mean_us(cold) - mean_us(most)) / (hit_rate(most) - hit_rate(cold))
    expected = mean_us(none) - mean_us(none) / (2 - hit_rate(none))  # a map read is as long as a data read
    assert slope == pytest.approx(expected, rel=0.15)
