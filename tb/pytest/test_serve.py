# SPDX-License-Identifier: BSD-3-Clause
"""`tlmssd serve`: a device in memory behind NBD clients."""
import hashlib
import random
import signal
import socket as sockets
import subprocess
import time

import pytest

from cli import INPUT_ERROR, MODEL_ERROR
from serving import SMALL, Served, require

KINDS = ["direct", "sata", "nvme"]


@pytest.fixture
def served(tlmssd, tmp_path):
    def make(**options):
        return Served(tlmssd, tmp_path, **options)
    return make


@pytest.mark.parametrize("kind", KINDS)
def test_random_writes_trims_and_flushes_are_read_back_right(served, kind):
    require("fio")
    with served(sets=[f"host.kind={kind}"]) as ssd:
        jobs = ssd.fio({"rw": "randwrite", "offset": 0, "size": "2m", "bssplit": "512/20:4k/40:8k/20:16k/20",
                        "fsync": 20, "loops": 4},
                       {"rw": "randtrim", "bs": "8k", "offset": "2m", "size": "1m", "verify": 0, "do_verify": 0,
                        "loops": 20},
                       {"rw": "randrw", "offset": "3m", "size": "1m", "fsync": 7, "loops": 8})
        results = ssd.stop()
    assert all(job["error"] == 0 for job in jobs)
    host = results["host"]
    assert host["writes"]["count"] > 1000 and host["trims"]["count"] >= 2560 and host["flushes"]["count"] > 100
    assert results["integrity"]["mismatches"] == 0 and results["status"] == "done"
    assert results["sim"]["time_s"] > 0


def image(path, size, seed=3):
    """Half noise, half holes of different sizes."""
    draw = random.Random(seed)
    data = bytearray(size)
    at = 0
    while at < size:
        length = draw.choice([512, 4096, 65536, 300000])
        if draw.random() < 0.5:
            piece = draw.randbytes(min(length, size - at))
            data[at:at + len(piece)] = piece
        at += length
    path.write_bytes(data)
    return hashlib.sha256(data).hexdigest()


def size_of(ssd):
    return int(ssd.run("nbdinfo", "--size", ssd.uri))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_nbdcopy_in_and_out_is_byte_identical(served, tmp_path):
    require("nbdcopy", "nbdinfo")
    with served() as ssd:
        first = image(tmp_path / "in.img", size_of(ssd))
        ssd.run("nbdcopy", "--flush", tmp_path / "in.img", ssd.uri)
        ssd.run("nbdcopy", ssd.uri, tmp_path / "out.img")
        assert digest(tmp_path / "out.img") == first
        second = image(tmp_path / "in.img", size_of(ssd), seed=4)  # over old data: holes have to become zeros
        ssd.run("nbdcopy", tmp_path / "in.img", ssd.uri)
        ssd.run("nbdcopy", "--no-extents", ssd.uri, tmp_path / "out.img")
        assert digest(tmp_path / "out.img") == second


def test_extents_say_what_holds_data(served, tmp_path):
    require("nbdcopy", "nbdinfo")
    with served() as ssd:
        size = size_of(ssd)
        page = 8192
        assert ssd.run("nbdinfo", "--map", ssd.uri).split() == ["0", str(size), "3", "hole,zero"]
        data = bytearray(size)  # nbdcopy writes zeros, or trims, where these are
        data[5 * page:9 * page] = b"x" * (4 * page)
        (tmp_path / "in.img").write_bytes(data)
        ssd.run("nbdcopy", tmp_path / "in.img", ssd.uri)
        rows = [row.split() for row in ssd.run("nbdinfo", "--map", ssd.uri).splitlines()]
        assert [(int(row[0]), int(row[1]), int(row[2])) for row in rows] == [
            (0, 5 * page, 3), (5 * page, 4 * page, 0), (9 * page, size - 9 * page, 3)]
        (tmp_path / "in.img").write_bytes(bytes(size))
        ssd.run("nbdcopy", tmp_path / "in.img", ssd.uri)
        assert ssd.run("nbdinfo", "--map", ssd.uri).split() == ["0", str(size), "3", "hole,zero"]


def test_several_connections_at_once(served):
    require("fio")
    with served(sets=["host.kind=direct", "host.queue_depth=32"]) as ssd:
        jobs = ssd.fio(*({"rw": "randwrite", "offset": f"{n}m", "size": "1m", "loops": 4} for n in range(6)))
        assert all(job["error"] == 0 for job in jobs)
        assert ssd.stop()["host"]["writes"]["count"] >= 6 * 256 * 4


def test_simulated_time_stands_still_while_nobody_asks(served):
    require("nbdinfo")
    with served() as ssd:
        size_of(ssd)
        ssd.process.send_signal(signal.SIGUSR1)
        first = wait_for_report(ssd, 1)
        time.sleep(0.7)
        ssd.process.send_signal(signal.SIGUSR1)
        second = wait_for_report(ssd, 2)
        assert first["status"] == second["status"] == "running"
        assert second["wall"]["seconds"] > first["wall"]["seconds"] + 0.5
        # a look at the ring every 5 us of simulated time, one sleep of at most 200 ms each
        assert second["sim"]["time_s"] <= first["sim"]["time_s"] + 20 * 5e-6


def wait_for_report(ssd, tables):
    limit = time.monotonic() + 20
    while ssd.text().count("protocol violations") < tables:
        assert time.monotonic() < limit, ssd.text()
        time.sleep(0.02)
    return ssd.results()


def test_statistics_come_on_a_signal_and_at_the_end(served):
    require("fio")
    with served() as ssd:
        ssd.fio({"rw": "write", "size": "1m", "verify": 0})
        ssd.process.send_signal(signal.SIGUSR1)
        middle = wait_for_report(ssd, 1)
        assert middle["status"] == "running" and middle["host"]["writes"]["count"] == 256
        ssd.fio({"rw": "write", "size": "1m", "verify": 0})
        end = ssd.stop()
        assert end["status"] == "done" and end["host"]["writes"]["count"] == 512
        assert end["workload"]["name"] == "nbd"
        assert ssd.text().count("protocol violations") == 2


def test_a_write_with_fua_is_in_flash_when_it_ends(served):
    require("python3-libnbd")
    with served(sets=["buffer.flush_after_ms=never"]) as ssd:
        for number, (flags, written) in enumerate([("0", 0), ("nbd.CMD_FLAG_FUA", 3)], 1):
            ssd.python(f"h.pwrite(b'a' * 24576, 0, {flags})")
            ssd.process.send_signal(signal.SIGUSR1)
            assert wait_for_report(ssd, number)["ftl"]["flash_pages_written"] == written


def test_a_socket_left_behind_is_replaced_and_one_in_use_refused(served, tlmssd, tmp_path):
    require("nbdinfo")
    ssd = served()
    with ssd:
        done = tlmssd("serve", SMALL, "--socket", ssd.socket)
        assert done.returncode == INPUT_ERROR
        assert done.stderr == f"tlmssd: --socket {ssd.socket}: somebody listens there already\n"
    assert not ssd.socket.exists()
    left = sockets.socket(sockets.AF_UNIX)
    left.bind(str(ssd.socket))
    left.close()
    with ssd:
        size_of(ssd)
    (tmp_path / "file").write_text("mine")
    done = tlmssd("serve", SMALL, "--socket", tmp_path / "file")
    assert done.returncode == INPUT_ERROR and "that is no socket" in done.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_wrong_input_is_one_clear_line(tlmssd, tmp_path):
    require()
    socket = tmp_path / "s"
    for arguments, text in [
            (["--set", "data=tags"], "serve sets data: full, which conflicts with --set data=tags; leave that out"),
            (["--socket", tmp_path / "no/s"], f"--socket {tmp_path}/no/s: there is no folder {tmp_path}/no"),
            (["--socket", tmp_path / ("s" * 120)], "a path of 1 to 107 bytes")]:
        if "--socket" not in arguments:
            arguments = [*arguments, "--socket", socket]
        done = tlmssd("serve", SMALL, *arguments)
        assert done.returncode == INPUT_ERROR
        assert text in done.stderr and done.stderr.count("\n") == 1


def test_without_nbdkit_it_says_what_to_install(tlmssd, tmp_path):
    done = tlmssd("serve", SMALL, "--socket", tmp_path / "s", env={"PATH": str(tmp_path)})
    assert done.returncode == INPUT_ERROR
    assert "install" in done.stderr and done.stderr.count("\n") == 1


def test_nbdkit_that_dies_ends_the_service(served):
    require("nbdinfo")
    with served() as ssd:
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(ssd.process.pid)], capture_output=True,
                                  text=True, check=True).stdout.split()
        assert len(children) == 1
        subprocess.run(["kill", "-9", children[0]], check=True)
        assert ssd.process.wait(30) == MODEL_ERROR
        assert "serve: nbdkit ended by itself with status 137" in ssd.text()


def test_requests_below_a_sector_are_refused(served):
    require("python3-libnbd")
    with served() as ssd:
        script = ("h.set_strict_mode(0)\n"
                  "for call in (lambda: h.pread(100, 0), lambda: h.pwrite(b'x' * 512, 7), lambda: h.zero(100, 0)):\n"
                  "    try:\n        call()\n    except nbd.Error as e:\n        assert e.errno == 'EINVAL', e\n"
                  "    else:\n        raise SystemExit('accepted')\n")
        ssd.python(script)


def test_zero_keeps_what_is_beside_it(served):
    """Of pages that it covers in part only the part becomes zeros, with and without a hole."""
    require("python3-libnbd")
    script = """
page = 8192
for no_hole in (0, nbd.CMD_FLAG_NO_HOLE):
    for fua in (0, nbd.CMD_FLAG_FUA):
        h.pwrite(b'a' * 4 * page, 0)
        h.zero(2 * page + 1024, page - 512, no_hole | fua)
        want = b'a' * (page - 512) + bytes(2 * page + 1024) + b'a' * (page - 512)
        assert h.pread(4 * page, 0) == want, (no_hole, fua)
        h.flush()
        assert h.pread(4 * page, 0) == want, (no_hole, fua)
try:
    h.zero(page, 0, nbd.CMD_FLAG_FAST_ZERO | nbd.CMD_FLAG_NO_HOLE)
except nbd.Error as e:
    assert e.errno == 'ENOTSUP', e.errno
else:
    raise SystemExit('fast?')
h.zero(page, 0, nbd.CMD_FLAG_FAST_ZERO)
h.trim(4 * page, 0, nbd.CMD_FLAG_FUA)
assert h.pread(4 * page, 0) == bytes(4 * page)
"""
    with served() as ssd:
        ssd.python(script)
