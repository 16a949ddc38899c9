# SPDX-License-Identifier: BSD-3-Clause
"""The cache of aged devices: equal results with and without it, and when it is used."""
import pytest

from cli import deterministic

LOADS = ["scheduler=inorder", "scheduler=vaq", "scheduler=hybrid", "buffer.policy=cawr", "ftl.mapping=log_block"]


@pytest.fixture(name="cache")
def _cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("TLMSSD_CACHE", str(folder))
    return folder


def run(tlmssd, out, *options, sets=()):
    return tlmssd.run(out, "--workload", "mixed-70-30-4k", *options, sets=["workload.requests=2000", *sets])


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


@pytest.mark.parametrize("sets", [
    ["cpu.model=iss", "geometry.blocks=16"], ["data=full", "geometry.blocks=16"], ["ftl.recovery=scan"],
    ["ftl.mapping=dftl"], ["nand.errors.factory_bad=0.01"], ["geometry.blocks=2"], ["precondition.fill=0"],
], ids=lambda sets: sets[0])
def test_what_is_not_kept(tlmssd, tmp_path, cache, sets):
    run(tlmssd, tmp_path / "a", sets=["workload.requests=50", *sets])
    assert kept(cache) == []


def test_off(tlmssd, tmp_path, cache, monkeypatch):
    monkeypatch.setenv("TLMSSD_CACHE", "off")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    run(tlmssd, tmp_path / "a")
    assert kept(cache) == [] and not (tmp_path / "home").exists()
    monkeypatch.delenv("TLMSSD_CACHE")
    run(tlmssd, tmp_path / "b")
    assert len(kept(tmp_path / "home/.cache/tlmssd")) == 1


def test_a_damaged_file_is_written_anew(tlmssd, tmp_path, cache):
    first = deterministic(run(tlmssd, tmp_path / "a"))
    [path] = kept(cache)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    assert deterministic(run(tlmssd, tmp_path / "b")) == first
    assert path.read_bytes() == whole
