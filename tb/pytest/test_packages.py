# SPDX-License-Identifier: BSD-3-Clause
"""observe.packages looks on: nothing but its own keys changes."""
import json

import pytest

LOAD = ["geometry.channels=2", "geometry.ways=2", "geometry.blocks=40", "geometry.pages=16", "buffer.size_mib=1",
        "host.kind=direct", "precondition.fill=0.5", "workload.rw=randrw", "workload.bs=24576",
        "ftl.over_provisioning=0.5", "workload.rwmixread=50", "workload.requests=2000"]


def without_packages(results):
    for key in ("wall", "config"):
        del results[key]
    flash = results["flash"]
    own = [flash.pop(key) for key in ("package_operations", "parallelism", "breakdown")]
    own.append(flash["conflict_wait_us"].pop("package"))
    own += [channel.pop("occupied_s") for channel in flash["channels"]]
    return results, own


@pytest.mark.parametrize("sets", [["scheduler=vaq", "vaq.join_window=64"], ["scheduler=inorder"],
                                  ["scheduler=hybrid", "workload.warmup=requests", "workload.warmup_requests=200"]])
def test_packages_change_nothing_else(tlmssd, tmp_path, sets):
    results = {}
    for packages in ("true", "false"):
        out = tlmssd.run(tmp_path / packages, sets=[*LOAD, *sets, f"observe.packages={packages}"])
        results[packages], own = without_packages(json.loads(out))
        assert all((value is not None) == (packages == "true") for value in own)
    assert results["true"] == results["false"]
