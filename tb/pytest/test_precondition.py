# SPDX-License-Identifier: BSD-3-Clause
"""Used devices: what preconditioning writes, until when, and what it says where it cannot."""
import json

import pytest

from cli import INPUT_ERROR, deterministic, set_options

# 8 planes of 64 blocks of 32 pages: 16384 pages. Over-provisioning 0.28: 12800 logical pages.
SMALL = ["geometry.channels=2", "geometry.ways=2", "geometry.dies=1", "geometry.blocks=64",
         "geometry.pages=32", "ftl.over_provisioning=0.28", "buffer.policy=none", "precondition.fill=1",
         "workload.rw=randread", "workload.bs=4096", "workload.requests=100"]
STEADY = [*SMALL, "precondition.steady=true"]


def used(tlmssd, out, *more):
    return json.loads(tlmssd.run(out, sets=more))


def test_counts_of_a_fill_and_of_overwrites(tlmssd, tmp_path):
    found = used(tlmssd, tmp_path, *SMALL, "precondition.fill=0.5", "precondition.overwrite=0.1")
    # 6400 and 1280 pages are less than the device has: nothing is collected.
    assert found["precondition"] == {"filled": 6400, "overwritten": 1280, "pages_programmed": 7680,
                                     "blocks_erased": 0, "windows": 0, "waf": 1.0}
    assert found["ftl"]["flash_pages_written"] == 0, "preconditioning is in no other figure"
    assert found["wall"]["precondition_programs_per_s"] == pytest.approx(
        7680 / found["wall"]["precondition_s"])


def test_without_preconditioning_there_is_no_write_amplification(tlmssd, tmp_path):
    found = used(tlmssd, tmp_path, *SMALL, "precondition.fill=0")
    assert found["precondition"] == {"filled": 0, "overwritten": 0, "pages_programmed": 0,
                                     "blocks_erased": 0, "windows": 0, "waf": None}


@pytest.mark.parametrize("pattern", ["sequential", "random", "zipf:1.1", "pareto:0.2", "normal:20",
                                     "zoned:80/20:20/80"])
def test_each_pattern_becomes_steady_and_is_read_back(tlmssd, tmp_path, pattern):
    sets = [*STEADY, f"precondition.overwrite_pattern={pattern}"]
    text = tlmssd.run(tmp_path / "a", sets=sets)
    found = json.loads(text)
    assert found["integrity"]["mismatches"] == 0
    assert found["precondition"]["windows"] >= 5
    # Each window is 16384 pages at least, and they begin when the device has been full once.
    assert found["precondition"]["overwritten"] >= 5 * 16384
    if pattern == "sequential":  # blocks become invalid as a whole
        assert found["precondition"]["waf"] == pytest.approx(1, abs=0.001)
    else:
        assert found["precondition"]["waf"] > 1.05
    assert deterministic(text) == deterministic(tlmssd.run(tmp_path / "b", sets=sets))


def test_steady_means_that_going_on_changes_nothing(tlmssd, tmp_path):
    """The write amplification of the overwrites from 20 to 30 times the logical pages is what was found."""
    found = used(tlmssd, tmp_path / "steady", *STEADY)["precondition"]
    assert found["overwritten"] < 20 * 12800
    early, late = (used(tlmssd, tmp_path / n, *SMALL, f"precondition.overwrite={n}")["precondition"]
                   for n in ("20", "30"))
    waf = (late["pages_programmed"] - early["pages_programmed"]) / (late["overwritten"] - early["overwritten"])
    assert waf == pytest.approx(found["waf"], rel=0.02)


def test_a_device_that_fits_into_its_cache_is_steady_without_flash(tlmssd, tmp_path):
    """16 MiB of flash behind 32 MiB of cache: after the fill nothing is programmed any more."""
    found = used(tlmssd, tmp_path, *STEADY, "geometry.channels=1", "geometry.ways=1", "geometry.blocks=32",
                 "ftl.over_provisioning=0.4", "buffer.policy=lru", "buffer.size_mib=32",
                 "precondition.steady_limit=1000")
    assert found["precondition"]["windows"] == 5 and found["precondition"]["waf"] == 0


def test_overwrites_stay_in_their_range(tlmssd, tmp_path):
    found = used(tlmssd, tmp_path, *SMALL, "precondition.fill=0", "precondition.range=0.25",
                 "precondition.overwrite=0.25", "precondition.overwrite_pattern=sequential",
                 "workload.rw=read", "workload.bs=8192", "workload.requests=12800")
    # The first quarter has been written once, each page: so many reads go to the flash, the others do not.
    assert found["flash"]["ops"]["read"] == 3200


def test_a_limit_that_is_too_low_is_an_error(tlmssd, tmp_path):
    done = tlmssd("run", "configs/ssd/default.yaml", "--quiet", "--out", tmp_path / "o",
                  *set_options([*STEADY, "precondition.steady_limit=2"]))
    assert done.returncode == INPUT_ERROR
    assert done.stderr.startswith("tlmssd: precondition.steady_limit: 2 times the logical pages are not enough")
    assert "raise the limit" in done.stderr and done.stderr.count("\n") == 1
    assert not (tmp_path / "o" / "results.json").exists()


@pytest.mark.parametrize("sets, words", [
    (["precondition.overwrite_pattern=zpif:1.1"], "did you mean 'zipf'?"),
    (["precondition.overwrite_pattern=seqential"], "did you mean 'sequential'?"),
    (["precondition.overwrite_pattern=zoned:50/50,60/40"], "without commas"),
    (["precondition.range=0.0001", "precondition.overwrite_pattern=zoned:50/1:50/99"], "holds none"),
    (["precondition.steady_window=0.2"], "because precondition.steady is false"),
    (["precondition.steady=true", "precondition.steady_windows=1"], "steady_windows"),
    (["precondition.steady=true", "precondition.overwrite=30"], "is below precondition.overwrite, 30")])
def test_wrong_keys(tlmssd, tmp_path, sets, words):
    done = tlmssd("run", "configs/ssd/default.yaml", "--out", tmp_path, *set_options(sets))
    assert done.returncode == INPUT_ERROR
    assert words in done.stderr and done.stderr.count("\n") == 1
