# SPDX-License-Identifier: BSD-3-Clause
"""A link so bad that the host gives NCQ up: the commands that wait keep their order, and no data are lost."""
import json

import pytest

# Reads, writes and TRIMs of all sizes on 1,280 pages at depth 32: many overlap. A frame of 4,096 bytes breaks with 19 %.
SETS = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2", "geometry.blocks=40",
        "geometry.pages=16", "buffer.size_mib=1", "ftl.over_provisioning=0.5", "precondition.fill=1",
        "precondition.overwrite=0.5", "workload.rw=randrw", "workload.rwmixread=40",
        "workload.bssplit=512/10:4k/30:8k/30:24k/20:64k/10", "workload.trim_percent=4", "workload.requests=1000",
        "sata.bit_error_rate=0.000005", "sata.retries=1", "sata.comreset_us=200"]


@pytest.mark.parametrize("seed", range(1, 9))
def test_one_command_at_a_time_keeps_the_order(tlmssd, tmp_path, seed):
    results = json.loads(tlmssd.run(tmp_path, sets=[*SETS, f"seed={seed}"]))
    link = results["host"]["sata"]
    assert link["ncq"] is False and link["commands_repeated"] > 100
    assert results["integrity"]["mismatches"] == 0 and results["integrity"]["pages_checked"] > 0
