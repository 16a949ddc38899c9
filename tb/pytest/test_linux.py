# SPDX-License-Identifier: BSD-3-Clause
"""Linux drives the SSD: boots, data, file systems, equal runs, latencies; where the kernel has been built."""

import json
import os
import pathlib
import re
import subprocess

import pytest

from cli import DONE, INPUT_ERROR, ROOT

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
    guest = json.loads((linux.out / "guest.json").read_text())
    assert guest["end"] == "powered_off" and guest["interrupts"] > 64 and guest["dma_refused"] == 0


def test_a_file_system_is_clean_after_its_use(linux):
    status, out, err = linux(
        "mkfs.ext4 -q $DISK && mount $DISK /mnt && mkdir /mnt/d && for i in $(seq 200); do echo $i >/mnt/d/$i; done && "
        "sync && ls /mnt/d | wc -l && umount /mnt && fsck.ext4 -fn $DISK >/dev/null 2>&1 && echo clean")
    assert (status, out.split()) == (DONE, ["200", "clean"]), out + err


def test_two_runs_are_equal_to_the_byte(linux, tmp_path):
    command = FIO.format(rw="randrw", depth=8, count=400, size="32m")
    runs = [linux(command, out=tmp_path / name) for name in ("a", "b")]
    assert runs[0][0] == DONE, runs[0]
    assert runs[0] == runs[1]
    guests = [json.loads((tmp_path / name / "guest.json").read_text()) for name in ("a", "b")]
    for guest in guests:
        del guest["wall"]
    assert guests[0] == guests[1]


@pytest.mark.parametrize("controller", ["tlm", "rtl"])
@pytest.mark.parametrize("depth", [1, 16])
def test_fio_in_the_guest_measures_what_the_model_takes(linux, tlmssd, tmp_path, depth, controller):
    """Random reads of written pages; the model's own host has the same queue depth and no software."""
    sets = ["precondition.fill=0.2", f"controller.kind={controller}"]  # of 7 GiB: more than the GiB that is read
    status, out, err = linux(FIO.format(rw="randread", depth=depth, count=2000, size="1g"),
                             *(word for key in sets for word in ("--set", key)))
    assert status == DONE, err
    read = fio_json(out)["jobs"][0]["read"]
    assert read["total_ios"] == 2000
    own = tlmssd.run(tmp_path / "own", "--workload", "randread-4k", sets=[
        *sets, "host.kind=nvme", f"host.queue_depth={depth}", "workload.size=1g", "workload.requests=2000"])
    latency = json.loads(own)["host"]["all"]["latency_us"]
    assert read["clat_ns"]["mean"] / 1000 == pytest.approx(latency["mean"], rel=0.05)


def test_the_commands_status_is_the_scripts(linux):
    assert linux("exit 3")[0] == 3 or linux("sh -c 'exit 3'")[0] == 3
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


def test_the_kernels_options_are_what_the_page_names():
    text = (ROOT / "scripts/uml_kernel.config").read_text()
    names = {word.split("=")[0] for line in text.splitlines() if not line.startswith("#") for word in line.split()}
    assert {"UML_TIME_TRAVEL_SUPPORT", "UML_PCI_OVER_VIRTIO", "BLK_DEV_NVME", "SATA_AHCI", "EXT4_FS"} <= names
    number = re.search(r"UML_PCI_OVER_VIRTIO_DEVICE_ID=(\d+)", text)[1]
    assert f":{number}" in pathlib.Path(ROOT / "models/guest/uml_process.cpp").read_text()
