# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd snapshot save and run --snapshot: devices in files, from the command line."""
import json
import re

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, MODEL_ERROR, set_options

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
    (["ftl.recovery=none"], "--snapshot requires ftl.recovery: scan"),
])
def test_another_device_is_refused(tlmssd, aged, sets, said):
    assert said in refused(tlmssd, aged, sets)


def test_steps_and_save_without_recovery_are_refused(tlmssd, tmp_path, aged):
    assert "--steps conflicts with --snapshot" in refused(tlmssd, aged, LOAD, "--steps", tmp_path / "s")
    done = save(tlmssd, tmp_path / "none", ["ftl.recovery=none"])
    assert done.returncode == INPUT_ERROR
    assert "requires ftl.recovery: scan" in done.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("sets,at_once",
                         [([], 4), (["cpu.model=iss"], 4), (["controller.kind=rtl", "scheduler=host"], 4),
                          (["controller.kind=rtl"], 2), (["scheduler=sost"], 4)],
                         ids=["tlm", "iss", "rtl", "rtl-inorder", "sost"])
def test_a_mount_takes_time(tlmssd, tmp_path, aged, sets, at_once):
    """40 x 16 pages in each of 8 planes. A die reads one page at a time, all four dies at once: between the reads
    of an even share of the pages, and those of all pages of a die (two planes), each with its tR. In order a read of
    a busy die holds up all behind it, and which one is ahead hangs on clocks: two dies at once at least."""
    text = tlmssd.run(tmp_path, "--snapshot", aged, "--timed-mount",
                      sets=[*DEVICE, *LOAD, "nand.t_read_us=50", *sets])
    results = json.loads(text)
    recovery = results["ftl"]["recovery"]
    assert results["integrity"]["mismatches"] == 0
    assert 8 * 40 <= recovery["pages_read"] <= 8 * 40 * 16
    t_read = 50
    assert recovery["mount_us"] > recovery["pages_read"] / 4 * t_read
    assert recovery["mount_us"] < 4 / at_once * 2 * 40 * 16 * (t_read + 40)
    assert results["flash"]["ops"]["read"] < recovery["pages_read"] + 4000  # the workload's alone


def test_journal_pages_make_the_mount_short(tlmssd, tmp_path):
    """40 x 16 pages in each of 8 planes, full: a scan reads nearly all of them. With journal pages a block costs
    one; an open or erased one at most 17, and at most 3 + 5 of a plane are that."""
    path = tmp_path / "journal.snapshot"
    done = save(tlmssd, path, ["ftl.recovery=journal"])
    assert done.returncode == DONE, done.stderr
    found = {}
    for mode in ("scan", "journal"):
        results = json.loads(tlmssd.run(
            tmp_path / mode, "--snapshot", path, "--timed-mount",
            sets=[*DEVICE, *LOAD, f"ftl.recovery={mode}", "nand.t_read_us=50"]))
        assert results["integrity"]["mismatches"] == 0
        found[mode] = results["ftl"]
    recovery = found["journal"]["recovery"]
    assert recovery["full_scans"] == 0
    assert 8 * 40 - 8 * 8 <= recovery["journals"] < 8 * 40
    assert recovery["pages_read"] <= 8 * 40 + 8 * 8 * 16
    assert recovery["pages_read"] < found["scan"]["recovery"]["pages_read"] / 3
    assert recovery["mount_us"] < found["scan"]["recovery"]["mount_us"] / 2
    # The counts of before are known, and go on.
    assert found["journal"]["wear"]["mean"] > found["scan"]["wear"]["mean"] + 0.5
    assert found["journal"]["journal_pages_written"] > 0


def test_a_mount_of_an_empty_device_in_closed_form(tlmssd, tmp_path):
    """One page of each block is read: 2 planes x 40 blocks a die, tR of 1 ms each. Beside it a page takes
    commands (1 us) and 512 bytes, parity and record (600 bytes at 166 MB/s: 4 us) on a channel that two
    dies share, and 6,000 cycles at 800 MHz for each of four dies on one core: 40 us at most. The controller is out
    of order: in order, a die waits for its turn behind one that is busy."""
    sets = ["nand.t_read_us=1000", "precondition.fill=0", "scheduler=host"]
    path = tmp_path / "empty.snapshot"
    done = tlmssd("snapshot", "save", DEFAULT, *set_options([*DEVICE, *sets]), "-o", path)
    assert done.returncode == DONE, done.stderr
    text = tlmssd.run(tmp_path, "--snapshot", path, "--timed-mount",
                      sets=[*DEVICE, *sets, "workload.rw=randread", "workload.requests=10"])
    recovery = json.loads(text)["ftl"]["recovery"]
    assert recovery["pages_read"] == 4 * 2 * 40
    assert 2 * 40 * 1000 < recovery["mount_us"] < 2 * 40 * (1000 + 40)


def test_a_timed_mount_needs_a_snapshot(tlmssd):
    done = tlmssd("run", DEFAULT, "--timed-mount", "--quiet", *set_options(DEVICE))
    assert done.returncode == INPUT_ERROR
    assert "--snapshot" in done.stderr


WORK = ["workload.rw=randwrite", "workload.bs=8192", "workload.requests=3000", "workload.trim_percent=20"]


@pytest.fixture(name="used", scope="module")
def fixture_used(tlmssd, tmp_path_factory):
    path = tmp_path_factory.mktemp("snapshot") / "used.snapshot"
    done = save(tlmssd, path, [*WORK, "buffer.policy=lru"])
    assert done.returncode == DONE, done.stderr
    aged = info(tlmssd, path)
    done = tlmssd("snapshot", "save", DEFAULT, *set_options([*DEVICE, *AGED, *WORK]), "--after-workload",
                  "-o", path)
    assert done.returncode == DONE, done.stderr
    return path, aged


def info(tlmssd, path):
    done = tlmssd("snapshot", "info", path)
    assert done.returncode == DONE, done.stderr
    return dict(re.split("  +", line, maxsplit=1) for line in done.stdout.splitlines())


def test_the_device_after_its_workload(tlmssd, used):
    """The workload trims: a fifth of 3,000 requests. Without it nothing is trimmed."""
    path, before = used
    after = info(tlmssd, path)
    assert before["units written"].endswith(" 0 trimmed since")
    assert int(after["units written"].split()[-3]) > 100
    assert "tables of the firmware" in after and not after["tables of the firmware"].startswith("0 ")
    assert after["geometry"] == before["geometry"]
    assert "blocks 40, pages 16" in after["geometry"]
    assert float(after["erases of a block"].split("mean ")[1].split(",")[0]) > float(
        before["erases of a block"].split("mean ")[1].split(",")[0])


@pytest.mark.parametrize("sets", [[], ["scheduler=hybrid"], ["cpu.model=iss", "scheduler=vaq"]],
                         ids=["inorder", "hybrid", "iss"])
def test_a_device_comes_up_from_it(tlmssd, used, sets):
    done = tlmssd("snapshot", "load", used[0], DEFAULT, *set_options([*DEVICE, *sets]))
    assert done.returncode == DONE, done.stderr
    rows = dict(re.split("  +", line, maxsplit=1) for line in done.stdout.splitlines())
    assert float(rows["recovery time, us"]) > 0
    # 8 planes x 40 blocks x 16 pages, over-provisioned by a half: 0.9 of at most 3,413 were filled
    assert 2000 < int(rows["pages checked"]) <= 3413


def test_load_sees_what_does_not_fit(tlmssd, used):
    done = tlmssd("snapshot", "load", used[0], DEFAULT, *set_options([*DEVICE, "geometry.blocks=41"]))
    assert done.returncode == INPUT_ERROR and "geometry.blocks 40" in done.stderr
    done = tlmssd("snapshot", "load", used[0], DEFAULT, *set_options([*DEVICE, "ftl.recovery=none"]))
    assert done.returncode == INPUT_ERROR and "ftl.recovery" in done.stderr
    done = tlmssd("snapshot", "load", used[0], DEFAULT,
                  *set_options([*DEVICE, "inject.swap_page_registers_at=6000"]))
    assert done.returncode == MODEL_ERROR, "a page that is not what was written"


def test_info_checks_the_file(tlmssd, tmp_path, used):
    path = tmp_path / "cut"
    path.write_bytes(used[0].read_bytes()[:-100])
    for wrong in (path, DEFAULT, tmp_path / "absent"):
        done = tlmssd("snapshot", "info", wrong)
        assert done.returncode == INPUT_ERROR
        assert len(done.stderr.splitlines()) == 1


def test_a_workload_without_running_it_is_refused(tlmssd, tmp_path):
    done = tlmssd("snapshot", "save", DEFAULT, *set_options(DEVICE), "--workload", "randread-4k",
                  "-o", tmp_path / "x")
    assert done.returncode == INPUT_ERROR and "--after-workload" in done.stderr
