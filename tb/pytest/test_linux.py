# SPDX-License-Identifier: BSD-3-Clause
"""Linux drives the SSD: boots, data, file systems, equal runs, latencies; where the kernel has been built."""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, ROOT

SCRIPT = ROOT / "scripts/linux"
FIO = ("fio --name=a --filename=$DISK --rw={rw} --bs=4k --iodepth={depth} --ioengine=io_uring --direct=1 "
       "--number_ios={count} --size={size} --norandommap --clocksource=clock_gettime --output-format=json")


@pytest.fixture(scope="session")
def kernel():
    found = subprocess.run([ROOT / "scripts/uml-kernel", "--path"], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        pytest.skip("no User-Mode Linux kernel: scripts/setup --for linux")
    return found.stdout.strip()


@pytest.fixture
def linux(kernel, tlmssd, tmp_path):
    def run(command, *options, out=tmp_path / "out", timeout=300):
        done = subprocess.run([SCRIPT, *options, "-o", out, "--kernel", kernel, "--", command], capture_output=True,
                              text=True, timeout=timeout, check=False, env={**os.environ, "TLMSSD": str(tlmssd.path)})
        return done.returncode, done.stdout, done.stderr

    run.out = tmp_path / "out"
    return run


def fio_json(text):
    return json.loads(text[text.index("{"):text.rindex("}") + 1])


@pytest.mark.parametrize("controller", ["--nvme", "--ahci"])
def test_what_is_written_is_read(linux, controller):
    status, out, err = linux(
        "dd if=/dev/urandom of=/tmp/a bs=64k count=32 2>/dev/null && dd if=/tmp/a of=$DISK bs=64k oflag=direct "
        "2>/dev/null && echo 3 >/proc/sys/vm/drop_caches && dd if=$DISK of=/tmp/b bs=64k count=32 iflag=direct "
        "2>/dev/null && cmp /tmp/a /tmp/b && echo same", controller)
    assert (status, out) == (DONE, "same\n"), err
    guest = json.loads((linux.out / "results.json").read_text())["guest"]
    assert guest["end"] == "powered_off" and guest["interrupts"] > 64 and guest["dma_refused"] == 0


FILES = r"""
import os, sys
os.chdir(sys.argv[1])
for d in range(7):
    os.mkdir(f"d{d}")
for i in range(1700):
    with open(f"a{i}", "w") as file:
        file.write(f"{i}\n" * (i % 900))
    with open(f"a{i}", "a") as file:
        file.write("again\n")
    os.rename(f"a{i}", f"d{i % 7}/b{i}")
    os.link(f"d{i % 7}/b{i}", f"c{i}")
    os.truncate(f"c{i}", i % 5000)
    if i % 3 == 0:
        os.remove(f"d{i % 7}/b{i}")
    else:
        os.chmod(f"c{i}", 0o600)
"""


def test_a_file_system_is_clean_after_ten_thousand_operations(linux, tmp_path):
    """And has the files that the same operations make on this machine."""
    names = "find . -type f | sort | xargs sha256sum | sha256sum"
    status, out, err = linux(
        "mkfs.ext4 -q $DISK && mount $DISK /mnt && rmdir /mnt/lost+found && python3 - /mnt <<'EOF'\n"
        f"{FILES}EOF\n"
        f"umount /mnt && mount $DISK /mnt && (cd /mnt && {names}) && umount /mnt && fsck.ext4 -fn $DISK >/dev/null 2>&1 && "
        "echo clean")
    assert status == DONE, out + err
    (tmp_path / "mnt").mkdir()
    subprocess.run([sys.executable, "-c", FILES, tmp_path / "mnt"], check=True)
    here = subprocess.run(["bash", "-c", names], cwd=tmp_path / "mnt", capture_output=True, text=True, check=True)
    assert out == here.stdout + "clean\n"


SQL = """
PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;
CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c BLOB);
CREATE INDEX i ON t (b);
WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5000)
  INSERT INTO t SELECT x, printf('%08x', x * 2654435761 % 4294967296), zeroblob(x % 300) FROM n;
UPDATE t SET b = b || a WHERE a % 7 = 0;
DELETE FROM t WHERE a % 11 = 3;
""" + "".join(f"INSERT INTO t VALUES ({10000 + i}, 'row {i}', NULL);\n" for i in range(60)) + "VACUUM; PRAGMA integrity_check;\n"


def test_sqlites_database_is_that_of_a_file_of_this_machine(linux, tmp_path):
    command = f"sqlite3 {{0}}/a.db <<'EOF' && sha256sum <{{0}}/a.db\n{SQL}EOF\n"
    here = subprocess.run(["bash", "-c", command.format(tmp_path)], capture_output=True, text=True, check=True).stdout
    assert "ok\n" in here
    status, out, err = linux("mkfs.ext4 -q $DISK && mount $DISK /mnt && " + command.format("/mnt") +
                             "umount /mnt && fsck.ext4 -fn $DISK >/dev/null 2>&1 && echo clean")
    assert status == DONE, err
    assert out == here + "clean\n"


@pytest.mark.parametrize("controller", ["--nvme", "--ahci"])
@pytest.mark.parametrize("sets", [(), ("--rtl", "--set", "cpu.model=iss")], ids=["fast", "rtl-iss"])
def test_two_runs_are_equal_to_the_byte(linux, tmp_path, controller, sets):
    command = FIO.format(rw="randrw", depth=8, count=400, size="32m")
    runs = [linux(command, controller, *sets, out=tmp_path / name) for name in ("a", "b")]
    assert runs[0][0] == DONE, runs[0]
    assert runs[0] == runs[1]
    results = [json.loads((tmp_path / name / "results.json").read_text()) for name in ("a", "b")]
    for one in results:
        del one["wall"]
    assert results[0] == results[1]
    assert results[0]["config"]["controller"]["kind"] == ("rtl" if sets else "tlm")


def test_results_have_what_the_device_has_counted(linux, tlmssd, tmp_path):
    """4 MiB are written and half of them read, past the guest's caches."""
    status, _, err = linux("dd if=/dev/zero of=$DISK bs=64k count=64 oflag=direct 2>/dev/null && "
                           "dd if=$DISK of=/dev/null bs=64k count=32 iflag=direct 2>/dev/null", "--set", "buffer.policy=none")
    assert status == DONE, err
    results = json.loads((linux.out / "results.json").read_text())
    pages = results["config"]["nand"]["page_bytes"]
    assert results["ftl"]["host_pages_written"] == (4 << 20) // pages
    assert (2 << 20) // pages <= results["flash"]["ops"]["read"] <= (2 << 20) // pages + 64  # Linux looks for partitions
    assert results["link"]["busy_to_device_s"] > (4 << 20) / 4e9 and results["guest"]["time_s"] > 0
    fields = json.loads((ROOT / "docs/reference/guest.schema.json").read_text())
    assert set(fields["required"]) <= set(results) <= set(fields["properties"])


LONG = os.environ.get("TLMSSD_TEST_LONG") == "1"


@pytest.mark.parametrize("host", ["nvme", "sata"])
@pytest.mark.parametrize("keys", [["controller.kind=tlm"], ["controller.kind=rtl"],
                                  *([["cpu.model=iss"], ["cpu.model=iss", "controller.kind=rtl"]] if LONG else [])],
                         ids="+".join)
@pytest.mark.parametrize("depth", [1, 2, 4, 8, 16, 32] if LONG else [1, 16])
def test_fio_in_the_guest_measures_what_the_model_takes(linux, tlmssd, tmp_path, depth, keys, host):
    """Random reads of written pages; the model's own host has the same queue depth and no software."""
    sets = ["precondition.fill=0.2", *keys]  # of 7 GiB: more than the GiB that is read
    status, out, err = linux(FIO.format(rw="randread", depth=depth, count=2000, size="1g"),
                             "--nvme" if host == "nvme" else "--ahci", *(word for key in sets for word in ("--set", key)))
    assert status == DONE, err
    read = fio_json(out)["jobs"][0]["read"]
    assert read["total_ios"] == 2000
    own = tlmssd.run(tmp_path / "own", "--workload", "randread-4k", sets=[
        *sets, f"host.kind={host}", f"host.queue_depth={depth}", "workload.size=1g", "workload.requests=2000"])
    latency = json.loads(own)["host"]["all"]["latency_us"]
    assert read["clat_ns"]["mean"] / 1000 == pytest.approx(latency["mean"], rel=0.05)


def test_the_commands_status_is_the_scripts(linux):
    assert linux("exit 3")[0] == 3
    status, out, _ = linux("echo hello; false")
    assert (status, out) == (1, "hello\n")


def test_wrong_arguments_are_named(tmp_path):
    for arguments, words in (
        (["--nvmee", "--", "true"], "unknown argument '--nvmee'"),
        (["--nvme"], "no command after --"),
        (["--set"], "--set requires a value"),
    ):
        done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == INPUT_ERROR and words in done.stderr
    done = subprocess.run([SCRIPT, "--kernel", tmp_path / "none", "--", "true"], capture_output=True, text=True,
                          check=False)
    assert done.returncode == INPUT_ERROR and "none" in done.stderr


def test_what_comes_before_the_command_is_not_in_its_time(linux, kernel, tmp_path):
    status, out, err = linux("sleep 0.5; echo now", "--before", "sleep 3; echo then")
    assert (status, out) == (DONE, "now\n"), err
    command = json.loads((linux.out / "command.json").read_text())
    assert command["status"] == 0 and command["seconds"] == pytest.approx(0.5, abs=0.02)
    status, out, _ = linux("echo now", "--before", "echo first; exit 7")
    assert (status, out) == (7, "first\n")
    assert json.loads((linux.out / "command.json").read_text()) == {"status": 7, "seconds": None}


LOADS = sorted(path.stem for path in (ROOT / "configs/guest").glob("*.sh"))


def test_ready_made_loads_are_listed_and_wrong_ones_named():
    listed = subprocess.run([SCRIPT, "--load", "list"], capture_output=True, text=True, check=True).stdout
    assert sorted(line.split()[0] for line in listed.splitlines()) == LOADS
    assert all(len(line.split()) > 3 for line in listed.splitlines())
    for arguments, words in ((["--load", "nofiles"], "no load 'nofiles'; there are files fsck"),
                             (["--load", "files", "--", "true"], "--load files brings its own command")):
        done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == INPUT_ERROR and words in done.stderr


@pytest.mark.parametrize("load", LOADS if LONG else ["fsck", "files"])
def test_a_ready_made_load_runs(kernel, tlmssd, tmp_path, load):
    done = subprocess.run([SCRIPT, "--load", load, "-o", tmp_path, "--kernel", kernel, "--set", "geometry.ways=2"],
                          capture_output=True, text=True, check=False, env={**os.environ, "TLMSSD": str(tlmssd.path)})
    assert done.returncode == DONE, done.stdout + done.stderr
    assert json.loads((tmp_path / "command.json").read_text())["seconds"] > 0.05


def test_schedulers_are_compared_by_the_guests_time(kernel, tlmssd):
    done = subprocess.run([ROOT / "scripts/linux-compare", "--schedulers", "inorder,host", "--seeds", "2", "--kernel", kernel,
                           "--", "sleep 0.25"], capture_output=True, text=True, check=False,
                          env={**os.environ, "TLMSSD": str(tlmssd.path)})
    assert done.returncode == DONE, done.stderr
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
    assert [row[0] for row in rows[2:]] == ["inorder", "host"]
    assert float(rows[2][1].split()[0]) == pytest.approx(0.25, abs=0.02)
    assert abs(float(rows[3][2].split()[0])) < 1


def test_wrong_arguments_of_a_comparison_are_named():
    for arguments, words in ((["--schedulers", "inorder,hots", "--", "true"], "no scheduler 'hots'; there are"),
                             (["--seeds", "0", "--", "true"], "--seeds is 0, but has to be 1 or more"),
                             (["--seeds", "2"], "no --load NAME, and no command after --")):
        done = subprocess.run([ROOT / "scripts/linux-compare", *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == INPUT_ERROR and words in done.stderr


def test_the_kernels_options_are_what_the_page_names():
    text = (ROOT / "scripts/uml_kernel.config").read_text()
    names = {word.split("=")[0] for line in text.splitlines() if not line.startswith("#") for word in line.split()}
    assert {"UML_TIME_TRAVEL_SUPPORT", "UML_PCI_OVER_VIRTIO", "BLK_DEV_NVME", "SATA_AHCI", "EXT4_FS"} <= names
    number = re.search(r"UML_PCI_OVER_VIRTIO_DEVICE_ID=(\d+)", text)[1]
    assert f":{number}" in pathlib.Path(ROOT / "models/guest/uml_command.cpp").read_text()


SCHEDULERS = json.loads((ROOT / "configs/schema.json").read_text())["properties"]["scheduler"]["enum"]
VERIFIED = "256m" if LONG else "8m"


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_fio_verifies_what_it_has_written_under_each_scheduler(linux, scheduler):
    status, out, err = linux(
        f"fio --name=v --filename=$DISK --rw=randwrite --bs=16k --size={VERIFIED} --iodepth=16 --ioengine=io_uring "
        "--direct=1 --verify=crc32c --do_verify=1 --clocksource=clock_gettime --output-format=json",
        "--set", f"scheduler={scheduler}", timeout=3000)
    assert status == DONE, err
    job = fio_json(out)["jobs"][0]
    assert job["error"] == 0
    assert job["read"]["total_ios"] == job["write"]["total_ios"] > 0


CUTS = 100 if LONG else 2


def test_what_ext4_has_acknowledged_is_there_after_power_cuts(linux, tmp_path):
    """One file system through all cuts; each record is on the console only after its fsync."""
    disk = ["--disk", tmp_path / "disk", "--set", "geometry.blocks=128"]
    assert linux("mkfs.ext4 -q $DISK", *disk)[0] == DONE
    instants = random.Random(34)
    last = 0
    for cut in range(CUTS):
        status, out, err = linux(
            "mount $DISK /mnt; n=$(cat /mnt/log 2>/dev/null | wc -l); while :; do n=$((n+1)); "
            'echo "record $n" >>/mnt/log; sync /mnt/log; echo "ack $n"; sleep 0.003; done',
            *disk, "--cut-at", f"{instants.uniform(0.1, 0.5):.6f}")
        assert status == DONE, err
        acknowledged = [int(line.split()[1]) for line in out.split("\n") if re.fullmatch(r"ack \d+", line)]
        last = max([last, *acknowledged])
        status, out, err = linux("mount $DISK /mnt && cat /mnt/log; umount /mnt; fsck.ext4 -fn $DISK >/dev/null 2>&1; "
                                 "echo fsck $?", *disk)
        assert status == DONE, err
        lines = out.split("\n")[:-1]
        assert lines[-1] == "fsck 0", (cut, lines[-1])
        assert lines[:-1] == [f"record {n}" for n in range(1, len(lines))], cut
        assert len(lines) - 1 in (last, last + 1), (cut, last)  # one more may be in flash and not acknowledged
        last = len(lines) - 1
    assert last > 10 * CUTS


WRITE = ("dmesg -n 1; head -c 16M /dev/urandom >/tmp/a; dd if=/tmp/a of=$DISK bs=64k oflag=direct 2>/dev/null; sleep 5; "
         "dd if=$DISK of=/tmp/b bs=64k iflag=direct count=256 conv=noerror,sync 2>&1 | sed -n 's/ records in//p' | tail -1; ")


@pytest.mark.parametrize(("controller", "words"), [
    ("--nvme", r"critical medium error, dev nvme0n1"), ("--ahci", r"error: \{ UNC \}")])
def test_a_die_that_stops_answering_is_a_medium_error_to_linux(linux, tmp_path, controller, words):
    """64 KiB are 8 pages: one request in four has a page on each of the 32 dies."""
    (tmp_path / "faults").write_text("at 6 s: die 3/1/0 stops answering\n")
    status, out, err = linux(WRITE + "dmesg --color=never", controller, "--set", "buffer.policy=none", "--set",
                             "controller.timeout_us=20000", "--set", f"inject.fault_script={tmp_path}/faults")
    assert status == DONE, err
    assert out.split("\n", 1)[0] == "192+64"
    assert re.search(words, out)


def test_linux_resets_a_device_that_hangs_and_gives_it_up(linux, tmp_path):
    """The controller waits for the die for ever; the guest's 30 s cost no time."""
    (tmp_path / "faults").write_text("at 6 s: die 3/1/0 stops answering\n")
    status, out, err = linux(WRITE + "ls $DISK; dmesg --color=never", "--set", "buffer.policy=none", "--set",
                             f"inject.fault_script={tmp_path}/faults")
    assert status == DONE, err
    log = [line.split("] ", 1)[1] for line in out.split("\n") if "] nvme nvme0: " in line]
    waits = [re.sub(r"\d+", "n", line.removeprefix("nvme nvme0: ")) for line in log]
    assert waits.index("I/O n (I/O Cmd) QID n timeout, aborting") < waits.index("I/O n QID n timeout, reset controller")
    assert "Device not ready; aborting reset, CSTS=nxn" in waits


@pytest.mark.parametrize(("controller", "words"), [
    ("--nvme", "nvme nvme0: controller is down; will reset: CSTS=0xffffffff"), ("--ahci", "ata1.00: detaching")])
def test_linux_notices_that_the_device_has_gone(linux, controller, words):
    status, out, err = linux("dmesg -n 1; test -b $DISK || exit 5; dd if=$DISK of=/dev/null bs=64k count=1 iflag=direct "
                             "2>/dev/null || exit 6; sleep 8; dd if=$DISK of=/dev/null bs=64k count=1 iflag=direct "
                             "2>/dev/null && exit 7; sleep 60; test -b $DISK && exit 8; dmesg --color=never", controller,
                             "--remove-at", "4")
    assert status == DONE, (status, err)
    assert words in out
    assert json.loads((linux.out / "results.json").read_text())["guest"]["end"] == "powered_off"


def test_programs_that_fail_lose_nothing(linux, tmp_path):
    (tmp_path / "faults").write_text("at 0 ms: die 1/2/0 fails programs\nat 3 s: die 0/0/1 block 0/1 goes bad\n")
    status, out, err = linux(
        "mkfs.ext4 -q $DISK && mount $DISK /mnt && head -c 20M /dev/urandom >/tmp/a && cp /tmp/a /mnt/1 && sync && "
        "cp /tmp/a /mnt/2 && umount /mnt && mount $DISK /mnt && test -s /tmp/a && cmp /tmp/a /mnt/1 && cmp /tmp/a /mnt/2 && umount /mnt && "
        "fsck.ext4 -fn $DISK >/dev/null 2>&1 && dmesg | grep -c 'I/O error'; true",
        "--set", f"inject.fault_script={tmp_path}/faults")
    assert (status, out) == (DONE, "0\n"), err
    ftl = json.loads((linux.out / "results.json").read_text())["ftl"]
    assert ftl["program_fails"] > 0 and ftl["bad_blocks"]["retired"] > 0


def test_wrong_files_of_a_guest_are_input_errors(tlmssd, tmp_path):
    (tmp_path / "init").write_text("#!/bin/sh\n")
    for arguments, words in (
        (["--uml", tmp_path / "no-kernel"], "no-kernel: No such file or directory: scripts/setup --for linux builds"),
        (["--uml", "/bin/true", "--disk", tmp_path / "disk"], "--disk of tlmssd guest) requires ftl.recovery: scan or journal"),
        (["--uml", "/bin/true", "--cut-at", "0"], "--cut-at"),
        (["--uml", "/bin/true", "--remove-at", "-1"], "--remove-at"),
        (["--uml", "/bin/true", "--set", "host.kind=direct"], "host.kind has to be nvme"),
    ):
        done = tlmssd("guest", "default", "--init", tmp_path / "init", *arguments)
        assert done.returncode == INPUT_ERROR and words in done.stderr, done.stderr


def test_a_kernel_that_is_none_is_named_and_not_waited_for(tlmssd, tmp_path):
    (tmp_path / "init").write_text("#!/bin/sh\n")
    done = tlmssd("guest", "default", "--init", tmp_path / "init", "--uml", "/bin/false", "--out", tmp_path / "out")
    assert done.returncode == MODEL_ERROR
    assert "tlmssd: guest: the kernel has ended with status 1 before it connected" in done.stderr
    assert json.loads((tmp_path / "out/results.json").read_text())["guest"]["end"] == "absent"


def test_an_interrupt_ends_guest_and_kernel(kernel, tlmssd, tmp_path):
    init = tmp_path / "init"
    init.write_text("#!/bin/sh\nexec </dev/null >/dev/console 2>&1\necho up\nwhile :; do sleep 1; done\n")
    init.chmod(0o755)
    console = tmp_path / "console"
    with subprocess.Popen([tlmssd.path, "guest", ROOT / "configs/ssd/default.yaml", "--uml", kernel, "--init", init,
                           "--console", console, "--out", tmp_path / "out", "--quiet"]) as process:
        end = time.monotonic() + 30
        while time.monotonic() < end and not (console.exists() and "Run " in console.read_text()):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == INTERRUPTED
    assert json.loads((tmp_path / "out/results.json").read_text())["guest"]["end"] == "interrupted"
