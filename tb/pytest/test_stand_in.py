# SPDX-License-Identifier: BSD-3-Clause
"""Preconditioning for the ISS by its stand-in: equal results, in a fraction of the time."""
import json
import pathlib
import shutil

import pytest

from cli import deterministic

SETS = [
    "scheduler=hybrid",
    "scheduler=paq2",
    "scheduler=sost",
    "buffer.policy=cflru",
    "ftl.mapping=dftl",
    "ftl.mapping_unit=4KiB",
    "ftl.recovery=journal",
    "data=full",
    "cpu.cores=4",
    "controller.kind=rtl",
]


@pytest.fixture(autouse=True)
def needs_x32(tlmssd):
    if not (pathlib.Path(tlmssd.path).parent.parent / "firmware" / "tlmssd_fw_x32.elf").exists():
        pytest.skip("no x32 firmware in this build: the compiler has no -mx32")


def run(tlmssd, out, stand_in, *sets):
    return tlmssd.run(out, "--workload", "mixed-70-30-4k",
                      sets=["cpu.model=iss", "workload.requests=1000", "geometry.blocks=32", "geometry.pages=32",
                            "ftl.over_provisioning=1", "buffer.size_mib=4", "precondition.overwrite=1.2",
                            f"precondition.stand_in={stand_in}", *sets])


@pytest.mark.parametrize("key", SETS)
def test_results_are_equal_with_and_without(tlmssd, tmp_path, key):
    texts = [run(tlmssd, tmp_path / word, word, key) for word in ("true", "false")]
    assert json.loads(texts[0])["config_hash"] == json.loads(texts[1])["config_hash"]
    first, second = (deterministic(text, ["config.precondition.stand_in"]) for text in texts)
    assert first == second


def test_it_is_faster(tlmssd, tmp_path):
    """The ISS takes ten times as long; five leaves a margin for a busy machine."""
    fast, slow = (json.loads(run(tlmssd, tmp_path / word, word))["wall"]["precondition_s"] for word in ("true", "false"))
    assert 5 * fast < slow


def test_an_image_of_ones_own_preconditions_by_itself(tlmssd, tmp_path):
    """Its sources are unknown, so nothing stands in for it: the same results, and the time of the ISS."""
    image = tmp_path / "own.elf"
    shutil.copy(pathlib.Path(tlmssd.path).parent.parent / "firmware" / "tlmssd_fw_rv32.elf", image)
    usual = run(tlmssd, tmp_path / "usual", "true")
    own = run(tlmssd, tmp_path / "own", "true", f"cpu.firmware={image}")
    keys = ["config.cpu.firmware", "config_hash"]
    assert deterministic(usual, keys) == deterministic(own, keys)
    fast, slow = (json.loads(text)["wall"]["precondition_s"] for text in (usual, own))
    assert 5 * fast < slow
