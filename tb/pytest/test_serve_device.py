# SPDX-License-Identifier: BSD-3-Clause
"""`tlmssd serve --device FILE`: cells that outlive the process, however it ends."""
import random
import threading
import time

import pytest

from cli import INPUT_ERROR, long_form
from serving import SCHEDULERS, SMALL, Served, require

PAGE = 8192


@pytest.fixture
def served(tlmssd, tmp_path):
    def make(**options):
        return Served(tlmssd, tmp_path, device=tmp_path / "cells", **options)
    return make


def test_a_clean_stop_keeps_everything(served):
    require("fio", "nbdinfo")
    job = {"rw": "randwrite", "bssplit": "512/20:4k/40:8k/20:16k/20", "size": "4m", "randseed": 5, "loops": 2}
    ssd = served()
    with ssd:
        ssd.fio(job, do_verify=0)
    with ssd:
        ssd.fio(job, verify_only=None)
        assert ssd.stop()["integrity"]["mismatches"] == 0


def test_extents_are_true_after_a_restart(served):
    require("nbdinfo", "python3-libnbd")
    ssd = served()
    with ssd:
        size = int(ssd.run("nbdinfo", "--size", ssd.uri))
        ssd.python(f"h.pwrite(b'a' * {3 * PAGE}, {10 * PAGE})")
    with ssd:
        rows = [tuple(map(int, row.split()[:3])) for row in ssd.run("nbdinfo", "--map", ssd.uri).splitlines()]
        assert rows == [(0, 10 * PAGE, 3), (10 * PAGE, 3 * PAGE, 0), (13 * PAGE, size - 13 * PAGE, 3)]
        ssd.python(f"assert h.pread({3 * PAGE}, {10 * PAGE}) == b'a' * {3 * PAGE}\n"
                   f"assert h.pread({10 * PAGE}, 0) == bytes({10 * PAGE})\n"
                   f"h.trim({3 * PAGE}, {10 * PAGE})")
    with ssd:  # a trim is kept by the stop's FLUSH; what is reported may be data, but it must read as reported
        ssd.python(f"assert h.pread({size}, 0) == bytes({size})")


def test_the_file_fits_one_device_only(served, tlmssd, tmp_path):
    require("nbdinfo")
    cells = tmp_path / "cells"
    ssd = served()
    with ssd:
        done = tlmssd("serve", SMALL, "--socket", tmp_path / "t", "--device", cells)
        assert done.returncode == INPUT_ERROR and done.stderr == f"tlmssd: {cells}: in use by another process\n"
    for sets, text in [
            (["geometry.blocks=32"], f"{cells}: made for geometry.blocks: 24; the configuration has geometry.blocks: 32"),
            (["ftl.over_provisioning=0.6"], f"{cells}: made for logical pages (ftl.over_provisioning): "),
            (["ftl.recovery=none"], "serve --device requires ftl.recovery: scan or journal; the configuration has none"),
            (["buffer.power=capacitors"], "serve --device: not with buffer.power: capacitors")]:
        done = tlmssd("serve", SMALL, "--socket", tmp_path / "t", "--device", cells,
                      *[word for one in sets for word in ("--set", one)])
        assert done.returncode == INPUT_ERROR and text in done.stderr and done.stderr.count("\n") == 1
    whole = cells.read_bytes()
    for content, text in [(b"", "no device file of tlmssd serve"), (b"something else" * 1000, "no device file"),
                          (whole.replace(b"tlmssd-device 1", b"tlmssd-device 7", 1), "of format 7, this program knows 1"),
                          (whole[:100000], "damaged: it has 100000 bytes instead of ")]:
        cells.write_bytes(content)
        done = tlmssd("serve", SMALL, "--socket", tmp_path / "t", "--device", cells)
        assert done.returncode == INPUT_ERROR, done.stdout
        assert done.stderr.startswith(f"tlmssd: {cells}: ") and text in done.stderr and done.stderr.count("\n") == 1
    done = tlmssd("serve", SMALL, "--socket", tmp_path / "t", "--device", tmp_path / "no/cells")
    assert done.returncode == INPUT_ERROR and done.stderr.endswith("cells: cannot be made: No such file or directory\n")


# A client that writes pages with a number in them until the server dies, and prints what must be there:
# of each page the last number that a FLUSH covers (or that was written with FUA), and the last one sent.
CLIENT = r"""
import random, struct, sys
draw = random.Random(int(sys.argv[1]))
first, pages, page = int(sys.argv[2]), int(sys.argv[3]), 8192
number = int(sys.argv[4])
open(sys.argv[5], 'w').close()  # connected
sent, ended, durable = {}, {}, {}
def fill(n, at): return struct.pack('<QQ', n, at) * (page // 16) if n else bytes(page)
waiting = []
try:
    while True:
        at = first + draw.randrange(pages)
        number += 1
        what = draw.random()
        if what < 0.05:
            for cookie, *_ in waiting:
                while not h.aio_command_completed(cookie): h.poll(-1)
            for _, place, n in waiting: ended[place] = n
            waiting = []
            covered = dict(ended)
            h.flush()
            durable.update(covered)
        elif what < 0.15 and not any(place == at for _, place, _ in waiting):
            sent.setdefault(at, []).append(number)
            h.pwrite(fill(number, at), at * page, nbd.CMD_FLAG_FUA)
            ended[at] = durable[at] = number
        elif what < 0.25 and not any(place == at for _, place, _ in waiting):
            sent.setdefault(at, []).append(-number)  # zeros
            h.zero(page, at * page)
            ended[at] = -number
        elif not any(place == at for _, place, _ in waiting):
            sent.setdefault(at, []).append(number)
            waiting.append((h.aio_pwrite(nbd.Buffer.from_bytearray(bytearray(fill(number, at))), at * page), at, number))
            if len(waiting) > 12:
                cookie, place, n = waiting.pop(0)
                while not h.aio_command_completed(cookie): h.poll(-1)
                ended[place] = n
except nbd.Error:
    pass
print(repr((number, sent, durable)))
"""

CHECK = r"""
import struct, sys
history, page = eval(open(sys.argv[1]).read()), 8192
wrong = []
for at, (base, sent) in history.items():
    got = h.pread(page, at * page)
    n, place = struct.unpack_from('<QQ', got)
    allowed = [base, *sent]
    ok = got == bytes(page) and any(a <= 0 for a in allowed)
    ok = ok or (n in allowed and place == at and got == struct.pack('<QQ', n, at) * (page // 16))
    if not ok: wrong.append((at, n, place, base, sent))
    history[at] = (n if n else next((a for a in reversed(allowed) if a <= 0), 0), [])
assert not wrong, wrong[:5]
print(repr(history))
"""

@pytest.mark.parametrize("recovery", ["scan", "journal"])
def test_kill_9_loses_nothing_that_was_flushed(served, tmp_path, recovery):
    """Two clients write, zero, FLUSH; the server is killed at a random instant, and the next one has each page as
    it was at the last FLUSH (FUA) that ended, or as something sent later. Not older, not torn."""
    require("python3-libnbd")
    draw = random.Random(f"kill {recovery}")
    history = {}  # page: what it was known to be, what was sent since
    number = 0
    for cut in range(200 if long_form() else 5):
        sets = [f"scheduler={draw.choice(SCHEDULERS)}", f"ftl.recovery={recovery}", "ftl.over_provisioning=0.6",
                f"host.kind={draw.choice(['direct', 'sata'])}"]
        ssd = served(sets=sets)
        with ssd:
            size = int(ssd.python("print(h.get_size())"))
            if history:
                (tmp_path / "history").write_text(repr(history))
                history = eval(ssd.python(CHECK, tmp_path / "history"))  # our own client's words
            half = size // PAGE // 2
            begun = [tmp_path / f"begun{which}" for which in range(2)]
            answers = [None, None]

            def client(which, seed, ssd=ssd, half=half, answers=answers, number=number, begun=begun):
                answers[which] = ssd.python(CLIENT, seed, which * half, half, number + which * 10**9, begun[which])

            clients = [threading.Thread(target=client, args=(which, draw.randrange(1 << 30))) for which in range(2)]
            for thread in clients:
                thread.start()
            while not all(mark.exists() for mark in begun):
                assert any(thread.is_alive() for thread in clients)
                time.sleep(0.01)
            for mark in begun:
                mark.unlink()
            time.sleep(draw.uniform(0.02, 0.5))
            ssd.kill()
            for thread in clients:
                thread.join()
        for answer in answers:
            last, sent, durable = eval(answer)
            number = max(number, last % 10**9)
            for page, numbers in sent.items():
                base, before = history.get(page, (0, []))
                if page in durable:
                    at = numbers.index(durable[page])
                    history[page] = (durable[page], numbers[at + 1:])
                else:
                    history[page] = (base, [*before, *numbers])
        assert any(sent for _, sent in history.values())
