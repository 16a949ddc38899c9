# SPDX-License-Identifier: BSD-3-Clause
"""The cache of aged devices: equal results with and without it, and when it is used."""
import json

import pytest

from cli import deterministic

# A sequential fill alone is arithmetic, which is faster than a file (test_filled_device.py).
OVERWRITTEN = ["precondition.overwrite=0.1", "precondition.overwrite_pattern=sequential"]
LOADS = ["scheduler=inorder", "scheduler=vaq", "scheduler=hybrid", "buffer.policy=cawr", "ftl.mapping=log_block",
         "cpu.model=iss"]


@pytest.fixture(name="cache")
def _cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("TLMSSD_CACHE", str(folder))
    return folder


def run(tlmssd, out, *options, sets=()):
    return tlmssd.run(out, "--workload", "mixed-70-30-4k", *options, sets=["workload.requests=2000", *OVERWRITTEN, *sets])


def from_cache(text):
    return json.loads(text)["wall"]["precondition_programs_per_s"] is None


def kept(folder):
    return sorted(folder.glob("*.aged")) if folder.is_dir() else []


@pytest.mark.parametrize("key", LOADS)
def test_results_are_equal_with_and_without(tlmssd, tmp_path, cache, key):
    texts = []
    for i, (options, files) in enumerate([(["--no-cache"], 0), ([], 1), ([], 1)]):
        texts.append(deterministic(run(tlmssd, tmp_path / str(i), *options, sets=[key])))
        assert len(kept(cache)) == files
    assert texts[0] == texts[1] == texts[2]


def test_the_workload_and_the_link_share_a_device_and_a_seed_does_not(tlmssd, tmp_path, cache):
    run(tlmssd, tmp_path / "a")
    run(tlmssd, tmp_path / "b", sets=["workload.rw=randread", "sata.gbps=3", "controller.kind=rtl"])
    assert len(kept(cache)) == 1
    run(tlmssd, tmp_path / "c", sets=["seed=2"])
    assert len(kept(cache)) == 2


def test_off(tlmssd, tmp_path, cache, monkeypatch):
    monkeypatch.setenv("TLMSSD_CACHE", "off")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    run(tlmssd, tmp_path / "a")
    assert kept(cache) == [] and not (tmp_path / "home").exists()
    monkeypatch.delenv("TLMSSD_CACHE")
    run(tlmssd, tmp_path / "b")
    assert len(kept(tmp_path / "home/.cache/tlmssd")) == 1


def test_a_damaged_file_is_replaced(tlmssd, tmp_path, cache):
    text = run(tlmssd, tmp_path / "a")
    first = deterministic(text)
    assert not from_cache(text)
    [path] = kept(cache)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    again = run(tlmssd, tmp_path / "b")
    assert deterministic(again) == first and not from_cache(again)
    assert from_cache(run(tlmssd, tmp_path / "c"))
