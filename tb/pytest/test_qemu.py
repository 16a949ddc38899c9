# SPDX-License-Identifier: BSD-3-Clause
"""QEMU as a guest's PC: its protocol with a program in its place, and Debian's kernel where QEMU is installed."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, ROOT

SCRIPT = ROOT / "scripts/linux"


@pytest.fixture
def played(tlmssd, tmp_path):
    """Runs `tlmssd guest --qemu` with a function of fake_qemu.py in the place of QEMU."""

    def play(name, *options, mode="free"):
        program = tmp_path / name
        source = (ROOT / "tb/pytest/fake_qemu.py").read_text()
        program.write_text(f"#!{sys.executable}\n{source}")
        program.chmod(0o755)
        began = time.monotonic()
        done = tlmssd("guest", "default", "--qemu", mode, "--program", program, "--out", tmp_path / "out", "--console",
                      tmp_path / "console", *options)
        play.seconds = time.monotonic() - began
        play.results = json.loads((tmp_path / "out/results.json").read_text()) if done.returncode in (0, 3) and (
            tmp_path / "out/results.json").exists() else None
        play.console = (tmp_path / "console").read_text()
        return done

    return play


@pytest.mark.parametrize("mode", ["free", "paced"])
def test_a_driver_identifies_the_controller(played, mode):
    done = played("identify", mode=mode)
    assert done.returncode == DONE, played.console + done.stderr
    guest = played.results["guest"]
    assert (guest["transport"], guest["time"], guest["end"]) == ("qemu", mode, "powered_off")
    assert guest["interrupts"] == 1 and guest["dma_refused"] == 0 and guest["time_s"] > 0
    if mode == "paced":
        assert guest["time_s"] + guest["behind_s"] <= played.results["wall"]["seconds"]


@pytest.mark.parametrize(("name", "words"), [
    ("unknown_command", "guest: QEMU's command 77 is not known here"),
    ("wrong_size", "guest: QEMU's message BAR_READ has 20 bytes, not 24"),
    ("no_descriptor", "guest: QEMU's memory map has 0 files, not 1 to 8"),
    ("short_message", "guest: the connection ended inside of a message"),
    ("stalled_message", "guest: the rest of a message does not come"),
    ("refused_interrupt", "guest: QEMU answers on its test socket with 'FAIL'"),
    ("refused_clearing", "guest: QEMU answers on its test socket with 'FAIL'"),
    ("no_clearing", "guest: QEMU does not answer on its test socket"),
])
def test_a_broken_peer_is_one_clear_error(played, name, words):
    done = played(name)
    assert done.returncode == MODEL_ERROR, played.console
    assert [line for line in done.stderr.splitlines() if line.startswith("tlmssd: ")] == [f"tlmssd: {words}"]
    assert played.seconds < 30


def test_an_end_of_either_connection_is_the_end(played):
    assert played("closed_test_socket").returncode in (DONE, MODEL_ERROR)
    assert played.results["guest"]["end"] == "powered_off"
    done = played("fails")
    assert done.returncode == MODEL_ERROR
    assert "tlmssd: guest: QEMU has ended with status 5\n" in done.stderr


def test_a_program_that_is_none_is_named_and_not_waited_for(tlmssd, tmp_path):
    done = tlmssd("guest", "default", "--qemu", "free", "--program", "/bin/false", "--out", tmp_path / "out")
    assert done.returncode == MODEL_ERROR
    assert "tlmssd: guest: QEMU has ended with status 1 before it connected" in done.stderr
    assert json.loads((tmp_path / "out/results.json").read_text())["guest"]["end"] == "absent"
    done = tlmssd("guest", "default", "--qemu", "free", "--program", tmp_path / "none")
    assert done.returncode == INPUT_ERROR and "--program" in done.stderr and "No such file" in done.stderr


def test_an_interrupt_ends_a_guest_that_is_silent(tlmssd, tmp_path):
    program = tmp_path / "silent"
    program.write_text(f"#!{sys.executable}\n" + (ROOT / "tb/pytest/fake_qemu.py").read_text())
    program.chmod(0o755)
    console = tmp_path / "console"
    with subprocess.Popen([tlmssd.path, "guest", ROOT / "configs/ssd/default.yaml", "--qemu", "paced", "--program",
                           program, "--console", console, "--out", tmp_path / "out", "--quiet"]) as process:
        end = time.monotonic() + 30
        while time.monotonic() < end and not (console.exists() and "up" in console.read_text()):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == INTERRUPTED
    assert json.loads((tmp_path / "out/results.json").read_text())["guest"]["end"] == "interrupted"


def test_options_that_do_not_fit_are_input_errors(tlmssd, tmp_path):
    for arguments, words in (
        ([], "guest: requires --uml FILE or --qemu free|paced"),
        (["--qemu", "fre"], "guest: --qemu: 'fre' is not known; did you mean 'free'?"),
        (["--qemu", "free", "--controller", "ahcii"],
         "guest: --controller: 'ahcii' is not known; did you mean 'ahci'?"),
        (["--qemu", "free", "--uml", "linux"], "guest: --uml conflicts with --qemu"),
        (["--qemu", "free", "--init", "init"], "guest: --init requires --uml"),
        (["--uml", "linux"], "guest: --uml requires --init FILE"),
        (["--uml", "linux", "--init", "x", "--share", "/"], "guest: --share requires --qemu free|paced"),
        (["--qemu", "free", "--cut-at", "1"], "guest: --cut-at requires --uml or --qemu paced"),
        (["--qemu", "free", "--remove-at", "1"], "guest: --remove-at requires --uml or --qemu paced"),
        (["--qemu", "free", "--kernel", tmp_path / "none"], "none: No such file or directory"),
        (["--qemu", "free", "--machine", "q36"], "guest: --machine: 'q36' is not known; did you mean 'q35'?"),
        (["--qemu", "free", "--memory", "1X"], "guest: --memory 1X: a number and K, M or G"),
    ):
        done = tlmssd("guest", "default", *arguments)
        assert done.returncode == INPUT_ERROR and words in done.stderr, done.stderr


def test_wrong_arguments_of_the_script_are_named():
    for arguments, words in ((["--qemu", "fast", "--", "true"], "--qemu fast: there are free and paced"),
                             (["--boot", "edk", "--", "true"], "--boot edk: there are seabios, edk2 and uboot"),
                             (["--boot", "uboot", "--ahci", "--", "true"], "--boot uboot requires --nvme")):
        done = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == INPUT_ERROR and words in done.stderr


@pytest.fixture
def linux(tlmssd, tmp_path):
    if not pathlib.Path("/usr/bin/qemu-system-x86_64").exists():
        pytest.skip("no QEMU: scripts/setup --for linux")
    if subprocess.run([ROOT / "scripts/qemu-kernel", "--path"], capture_output=True, check=False).returncode != 0:
        pytest.skip("no kernel for QEMU: scripts/setup --for linux")

    def run(command, *options, timeout=300):
        done = subprocess.run([SCRIPT, "--qemu", *options, "-o", tmp_path / "out", "--", command], capture_output=True,
                              text=True, timeout=timeout, check=False, env={**os.environ, "TLMSSD": str(tlmssd.path)})
        return done.returncode, done.stdout, done.stderr

    run.out = tmp_path / "out"
    return run


COPY = ("dd if=/dev/urandom of=/tmp/a bs=64k count=32 2>/dev/null && "
        "dd if=/tmp/a of=$DISK bs=64k oflag=direct 2>/dev/null && "
        "dd if=$DISK of=/tmp/b bs=64k count=32 iflag=direct 2>/dev/null && cmp /tmp/a /tmp/b && echo same")


@pytest.mark.parametrize("options", [["free", "--nvme"], ["paced", "--nvme"], ["free", "--ahci"], ["paced", "--ahci"],
                                     ["free", "--nvme", "--rtl"]], ids=" ".join)
def test_what_is_written_is_read(linux, options):
    status, out, err = linux(COPY, *options)
    assert (status, out) == (DONE, "same\n"), err
    results = json.loads((linux.out / "results.json").read_text())
    guest = results["guest"]
    assert guest["end"] == "powered_off" and guest["interrupts"] > 32 and guest["dma_refused"] == 0
    pages = results["config"]["nand"]["page_bytes"]
    assert results["ftl"]["host_pages_written"] == (2 << 20) // pages


def test_the_commands_status_is_the_scripts_and_the_hosts_files_are_read_only(linux):
    status, out, err = linux("cat /etc/hostname; touch /etc/tlmssd-test 2>/dev/null && echo written; exit 7")
    assert status == 7, err
    assert out == pathlib.Path("/etc/hostname").read_text()
    assert not pathlib.Path("/etc/tlmssd-test").exists()
    assert json.loads((linux.out / "command.json").read_text())["status"] == 7


def test_a_file_system_on_the_disk_is_clean(linux):
    status, out, err = linux("mkfs.ext4 -q $DISK && mount $DISK /mnt && cp -r /usr/share/doc/fio /mnt && "
                             "umount /mnt && "
                             "fsck.ext4 -fn $DISK >/dev/null 2>&1 && echo clean")
    assert (status, out) == (DONE, "clean\n"), err


@pytest.mark.parametrize("mode", ["free", "paced"])
def test_paced_is_as_slow_as_the_device_and_free_is_not(linux, mode):
    """20 reads, one after the other, of pages whose arrays take 50 ms each: 1 s."""
    status, out, err = linux("dd if=$DISK of=/dev/null bs=8k count=20 iflag=direct 2>&1", mode, "--set",
                             "buffer.policy=none", "--set", "precondition.fill=0.01", "--set", "nand.t_read_us=50000")
    assert status == DONE, err
    seconds = float(re.search(r"copied, ([\d.]+) s", out)[1])
    guest = json.loads((linux.out / "results.json").read_text())["guest"]
    if mode == "free":
        assert seconds < 0.5 and guest["time_s"] > 1
    else:
        assert 1 <= seconds < 1.5


@pytest.mark.parametrize(("options", "words"), [
    (["--boot", "seabios"], "BOOT_IMAGE=/linux .* initrd=/initrd"),  # as syslinux writes them
    (["--boot", "seabios", "--ahci", "--qemu", "paced"], "BOOT_IMAGE=/linux .* initrd=/initrd"),
    (["--boot", "edk2"], "BOOT_IMAGE=/linux "),  # GRUB
    (["--boot", "uboot"], "^DISK="),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_firmware_loads_a_kernel_from_the_disk(linux, options, words):
    for program in ("/usr/bin/syslinux", "/usr/bin/grub-mkimage", "/usr/share/ovmf/OVMF.fd",
                    "/usr/lib/u-boot/qemu-x86/u-boot.rom"):
        if not pathlib.Path(program).exists():
            pytest.skip(f"no {program}: scripts/setup --for linux")
    status, out, err = linux("cat /proc/cmdline; ls -1 /sys/class/block; test -d /sys/firmware/efi && echo uefi",
                             *options)
    assert status in (0, 1), err
    line, *more = out.splitlines()
    assert re.search(words, line)
    assert ("uefi" in more) == ("edk2" in options)
    assert ("sda1" if "--ahci" in options else "nvme0n1p1") in more
    results = json.loads((linux.out / "results.json").read_text())
    kernel_bytes = 12 << 20  # with its first file system; they have more
    assert results["flash"]["ops"]["read"] >= kernel_bytes // results["config"]["nand"]["page_bytes"]
