# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of `tlmssd serve --device` while fio writes, trims and flushes: what a FLUSH covers is there."""
import random
import subprocess
import time

import pytest

from cli import long_form
from nbd_witness import BLOCK, ZEROS, Account, Store, Witness, mark
from serving import SCHEDULERS, Served, options, require

PAGE = 8192  # of the device: a TRIM is of whole ones


def jobs(uri, third, draw):
    """Three jobs of fio, each on its third of the device: parts of pages, pages, TRIMs with writes behind them."""
    text = "[global]\n" + options({
        "ioengine": "nbd", "uri": uri, "thread": None, "time_based": None, "runtime": 60, "size": third,
        "verify": "crc32c", "do_verify": 0, "randseed": draw.randrange(1 << 30), "group_reporting": None})
    for number, job in enumerate([
            {"rw": "randrw", "rwmixwrite": 80, "bs": "4k", "iodepth": 8, "fsync": draw.choice([8, 32, 128])},
            {"rw": "randwrite", "bssplit": "8k/70:32k/30", "iodepth": 4, "fsync": draw.choice([4, 16])},
            {"rw": "randtrimwrite", "bs": "8k", "iodepth": 4, "fsync": draw.choice([4, 16])}]):
        text += f"[job{number}]\n" + options({**job, "offset": number * third})
    return text


def contents(ssd, folder):
    """A mark of each block, as the server gives it."""
    ssd.run("nbdcopy", ssd.uri, folder / "image")
    image = (folder / "image").read_bytes()
    return [mark(image[at:at + BLOCK]) for at in range(0, len(image), BLOCK)]


def test_what_a_cut_may_leave():
    """By hand: messages are numbered as they pass the witness."""
    old, a, b, c = (mark(text) for text in (b"old", b"a", b"b", b"c"))
    account = Account({0: [Store(a, 1, 2), Store(b, 5, 6), Store(c, 9)]}, flushes=[])
    assert account.allowed(0, old) == {old, a, b, c}, "nothing was flushed"
    account.flushes = [3]  # sent after a's answer, before b
    assert account.allowed(0, old) == {a, b, c}
    account.flushes = [3, 7]
    assert account.allowed(0, old) == {b, c}
    account.flushes = [1.5]  # sent before a was answered: covers nothing
    assert account.allowed(0, old) == {old, a, b, c}
    assert account.allowed(1, old) == {old}, "nobody wrote it"
    together = Account({0: [Store(a, 1, 4), Store(b, 2, 3)]}, flushes=[5])
    assert together.allowed(0, old) == {a, b}, "both were under way at once"
    durable = Account({0: [Store(a, 1, 2, fua=True), Store(b, 3)]})
    assert durable.allowed(0, old) == {a, b}
    failed = Account({0: [Store(a, 1)]}, flushes=[3])
    assert failed.allowed(0, old) == {old, a}


@pytest.mark.parametrize("recovery, short", [("scan", 3), ("journal", 2)])
def test_kill_9_during_fio_loses_nothing_that_was_flushed(tlmssd, tmp_path, recovery, short):
    require("fio", "nbdcopy")
    cuts = 100 if long_form() else short
    draw = random.Random(f"kill fio {recovery}")
    known, account, flushed, trimmed = None, Account(), 0, 0
    for cut in range(cuts + 1):
        sets = [f"scheduler={draw.choice(SCHEDULERS)}", f"ftl.recovery={recovery}", "ftl.over_provisioning=0.6",
                f"host.kind={draw.choice(['direct', 'sata'])}"]
        ssd = Served(tlmssd, tmp_path, sets=sets, device=tmp_path / "cells")
        with ssd:
            found = contents(ssd, tmp_path)
            for block, content in enumerate(found):
                before = known[block] if known else ZEROS
                assert content in account.allowed(block, before), f"cut {cut}, {sets}: block {block}"
            known = found
            if cut == cuts:
                break
            account = cut_off(ssd, tmp_path, len(found) * BLOCK // 3 // PAGE * PAGE, draw)
        flushed += account.covered()
        trimmed += sum(s.content == ZEROS for stores in account.blocks.values() for s in stores)
    assert flushed > 100 * cuts and trimmed > 10 * cuts, "too little was at stake"


def cut_off(ssd, folder, third, draw):
    """The account of a fio whose server is killed under it."""
    door = folder / "w"
    door.unlink(missing_ok=True)
    (folder / "job.fio").write_text(jobs(f"nbd+unix:///?socket={door}", third, draw))
    with Witness(door, ssd.socket) as witness:
        fio = subprocess.Popen(["fio", "job.fio"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        limit = time.monotonic() + 30
        while not witness.account.flushes:
            assert fio.poll() is None and time.monotonic() < limit, "fio does not write"
            time.sleep(0.01)
        time.sleep(draw.uniform(0.02, 0.5))
        assert fio.poll() is None, "it has to be running when the server dies"
        ssd.kill()
    fio.wait(60)
    return witness.account
