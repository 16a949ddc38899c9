# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd snapshot save and run --snapshot: devices in files, from the command line."""
import json

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, set_options

DEVICE = ["geometry.channels=2", "geometry.ways=1", "geometry.dies=2", "geometry.planes=2",
          "geometry.blocks=40", "geometry.pages=16", "buffer.size_mib=1", "ftl.over_provisioning=0.5",
          "host.kind=direct", "ftl.recovery=scan"]
AGED = ["precondition.fill=0.9", "precondition.overwrite=1"]
LOAD = ["workload.rw=randrw", "workload.rwmixread=30", "workload.bs=8192", "workload.requests=3000",
        "workload.flush_every=50", "workload.trim_percent=10"]


def save(tlmssd, path, sets=()):
    return tlmssd("snapshot", "save", DEFAULT, *set_options([*DEVICE, *AGED, *sets]), "-o", path)


@pytest.fixture(name="aged", scope="module")
def fixture_aged(tlmssd, tmp_path_factory):
    path = tmp_path_factory.mktemp("snapshot") / "aged.snapshot"
    done = save(tlmssd, path)
    assert done.returncode == DONE, done.stderr
    return path


def run(tlmssd, out, snapshot, sets):
    return json.loads(tlmssd.run(out, "--snapshot", snapshot, sets=[*DEVICE, *sets]))


def refused(tlmssd, snapshot, sets, *more):
    done = tlmssd("run", DEFAULT, "--quiet", "--snapshot", snapshot, *more,
                  *set_options([*DEVICE, *sets]))
    assert done.returncode == INPUT_ERROR, done.stderr
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


@pytest.mark.parametrize("model", ["native", "iss"])
@pytest.mark.parametrize("scheduler", ["inorder", "vaq", "paq1", "sost", "hybrid"])
def test_every_scheduler_goes_on_from_one_device(tlmssd, tmp_path, aged, scheduler, model):
    results = run(tlmssd, tmp_path, aged, [*LOAD, f"scheduler={scheduler}", f"cpu.model={model}"])
    assert results["integrity"]["mismatches"] == 0
    assert results["integrity"]["pages_checked"] > 500
    assert results["precondition"]["filled"] == 0
    assert len(results["precondition"]["snapshot"]) == 16
    assert results["ftl"]["gc"]["runs"] > 0


def test_what_was_written_is_read_from_flash(tlmssd, tmp_path, aged):
    """Nine tenths of the pages hold data, versions 1 and up: none is lost, none is read as zeros."""
    results = run(tlmssd, tmp_path, aged, ["workload.rw=randread", "workload.bs=8192",
                                           "workload.requests=4000"])
    assert results["integrity"]["mismatches"] == 0
    assert results["flash"]["ops"]["read"] > 2000
    assert results["flash"]["ops"]["program"] == 0


def test_equal_devices_give_equal_files_and_runs(tlmssd, tmp_path, aged):
    again = tmp_path / "again.snapshot"
    assert save(tlmssd, again).returncode == DONE
    assert again.read_bytes() == aged.read_bytes()
    results = [run(tlmssd, tmp_path / str(i), p, LOAD) for i, p in enumerate((aged, again))]
    for r in results:
        del r["wall"]
    assert results[0] == results[1]


def test_bytes_come_along(tlmssd, tmp_path):
    path = tmp_path / "full.snapshot"
    assert save(tlmssd, path, ["data=full"]).returncode == DONE
    assert run(tlmssd, tmp_path, path, [*LOAD, "data=full"])["integrity"]["mismatches"] == 0
    assert "seed" in refused(tlmssd, path, ["data=full", "seed=77"])


def test_a_damaged_file_is_refused(tlmssd, tmp_path, aged):
    whole = aged.read_bytes()
    path = tmp_path / "damaged"
    for content in (whole[:len(whole) // 2], whole[:-200] + bytes(100) + whole[-100:], b"", b"text"):
        path.write_bytes(content)
        assert str(path) in refused(tlmssd, path, LOAD)
    assert "absent" in refused(tlmssd, tmp_path / "absent", LOAD)


@pytest.mark.parametrize("sets, said", [
    (["geometry.blocks=48"], "geometry.blocks 40, the configuration has 48"),
    (["ftl.over_provisioning=0.6"], "ftl.over_provisioning"),
    (["data=full"], "made with data: tags"),
    (["ftl.recovery=none"], "--snapshot: needs ftl.recovery: scan"),
])
def test_another_device_is_refused(tlmssd, aged, sets, said):
    assert said in refused(tlmssd, aged, sets)


def test_steps_and_save_without_recovery_are_refused(tlmssd, tmp_path, aged):
    assert "--steps: not with --snapshot" in refused(tlmssd, aged, LOAD, "--steps", tmp_path / "s")
    done = save(tlmssd, tmp_path / "none", ["ftl.recovery=none"])
    assert done.returncode == INPUT_ERROR
    assert "needs ftl.recovery: scan" in done.stderr
    assert not (tmp_path / "none").exists()
