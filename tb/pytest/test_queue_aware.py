# SPDX-License-Identifier: BSD-3-Clause
"""ftl.placement: queue_aware in a device that collects: writes go around dies that others read, and lose nothing without."""

import json
import statistics

from cli import set_options

DEVICE = ["geometry.blocks=64", "geometry.pages=32", "buffer.size_mib=4", "precondition.fill=1",
          "precondition.range=0.9", "precondition.steady=true", "workload.runtime_ms=1500"]
# Reads of 8 dies of 64, beside writes of all.
PINNED = ["workload.jobs=[{name: r, rw: randread, bs: 4k, offset: 95%, size: 32k, iodepth: 16},"
          " {name: w, rw: randwrite, bs: 4k, size: 90%, iodepth: 16}]", "buffer.reads=bypass"]
UNIFORM = ["workload.rw=randwrite", "workload.bs=4k"]
SEEDS = (1, 2, 3)


def change(tlmssd, tmp_path, load, value):
    """Mean over the seeds of `value` under queue_aware over that under order, each pair with its own seed."""
    def of(placement, seed):
        sets = [*DEVICE, *load, f"ftl.placement={placement}", f"seed={seed}"]
        return json.loads(tlmssd.run(tmp_path / f"{placement}-{seed}", config="bluessd", sets=sets))
    pairs = [(of("queue_aware", seed), of("order", seed)) for seed in SEEDS]
    acted = [one for aware, _ in pairs for one in aware["acted"] if one["key"] == "ftl.placement"]
    assert len(acted) == len(SEEDS) and all(one["acted"] > 0 for one in acted)
    return statistics.mean(value(aware) / value(order) for aware, order in pairs)


def test_pinned_reads_wait_less(tlmssd, tmp_path):
    assert change(tlmssd, tmp_path, PINNED, lambda run: run["host"]["reads"]["latency_us"]["mean"]) < 1


def test_uniform_writes_are_as_many(tlmssd, tmp_path):
    # A device of 64 dies whose core has 300 MHz: the choice costs cycles, at most 1 % of requests.
    assert change(tlmssd, tmp_path, UNIFORM, lambda run: run["host"]["all"]["iops"]) > 0.99
