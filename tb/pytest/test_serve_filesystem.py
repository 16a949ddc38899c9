# SPDX-License-Identifier: BSD-3-Clause
"""A file system on `tlmssd serve`: through nbdfuse, and by images that are copied in and out."""
import os
import random
import subprocess
import time

import pytest

from serving import Served, require

TOOLS = ["mkfs.ext4", "e2fsck", "debugfs", "nbdcopy"]


def files(folder):
    """Names and contents of what goes onto the file system."""
    draw = random.Random(8)
    made = {f"f{n}": draw.randbytes(draw.choice([1, 700, 4096, 50_000, 300_000])) for n in range(20)}
    for name, content in made.items():
        (folder / name).write_bytes(content)
    return made


def fill(ssd, disk, folder):
    """mkfs.ext4, and every file by debugfs; then nothing is wrong."""
    ssd.run("mkfs.ext4", "-q", "-F", disk)
    made = files(folder)
    commands = folder / "commands"
    commands.write_text("".join(f"write {folder / name} {name}\n" for name in made))
    ssd.run("debugfs", "-w", "-f", commands, disk)
    return made


def compare(ssd, disk, made, folder):
    ssd.run("e2fsck", "-f", "-n", disk)
    for name, content in made.items():
        ssd.run("debugfs", "-R", f"dump {name} {folder / 'dumped'}", disk)
        assert (folder / "dumped").read_bytes() == content, name


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "files"
    path.mkdir()
    return path


def test_an_image_keeps_its_files(tlmssd, tmp_path, folder):
    require(*TOOLS, "nbdinfo")
    with Served(tlmssd, tmp_path, device=tmp_path / "cells") as ssd:
        (tmp_path / "in.img").write_bytes(bytes(int(ssd.run("nbdinfo", "--size", ssd.uri))))
        made = fill(ssd, tmp_path / "in.img", folder)
        ssd.run("nbdcopy", tmp_path / "in.img", ssd.uri)
        ssd.stop()
    with Served(tlmssd, tmp_path, device=tmp_path / "cells") as ssd:
        ssd.run("nbdcopy", ssd.uri, tmp_path / "out.img")
        compare(ssd, tmp_path / "out.img", made, folder)


def test_mkfs_e2fsck_and_debugfs_work_through_nbdfuse(tlmssd, tmp_path, folder):
    require(*TOOLS, "nbdfuse", "fusermount3")
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("NBD clients not installed: /dev/fuse is absent")
    mount = tmp_path / "disk"
    mount.mkdir()
    with Served(tlmssd, tmp_path) as ssd:
        with subprocess.Popen(["nbdfuse", mount, "--unix", ssd.socket], stdin=subprocess.DEVNULL) as fuse:
            try:
                limit = time.monotonic() + 10
                while not (mount / "nbd").exists():
                    assert fuse.poll() is None and time.monotonic() < limit
                    time.sleep(0.02)
                made = fill(ssd, mount / "nbd", folder)
                compare(ssd, mount / "nbd", made, folder)
            finally:
                subprocess.run(["fusermount3", "-u", mount], check=False)
                fuse.wait(10)
        ssd.run("nbdcopy", ssd.uri, tmp_path / "out.img")
        compare(ssd, tmp_path / "out.img", made, folder)
        assert ssd.stop()["host"]["trims"]["count"] > 0  # mkfs.ext4 discards
