# SPDX-License-Identifier: BSD-3-Clause
"""`tlmssd-lab fsync` on traces by hand: what an fsync waited for adds up to its length."""

import json
import pathlib

import pytest

import fsync_fixtures as by_hand
from cli import DONE, INPUT_ERROR
from lab_support import call_lab
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.fsync import fsync
from tlmssd_lab.fsync.trace import read_trace

NS = 1000  # picoseconds


def parts(folder, number=1):
    traced = fsync.read_traced(folder)
    return traced.parts(traced.chosen(number))


def test_a_write_and_a_flush_in_turn_add_up(tmp_path):
    """1024 enter, 1280 queued, 1536 issued, 2000 decoded, 5000 ended, 5120 complete; 5376, 5632, 6000, 9000.5, 9216;
    9472 exit: 3 * 256 in the file system, 2 * 256 in the block layer, 464 + 368 to the end of decoding, 3000 + 3000.5 in
    the SSD, 120 + 215.5 back."""
    found = parts(by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS))
    assert found == {"file_system": 768 * NS, "block_layer": 512 * NS, "fetch": 832 * NS, "ssd": 6_000_500,
                     "completion": 335_500}
    assert sum(found.values()) == (9472 - 1024) * NS


def test_of_two_outstanding_requests_the_one_that_completes_last_counts(tmp_path):
    """To 256 only the first is there: 100 to its decoding, 156 in the SSD. Then the second: 44, 1700, 48."""
    events = [by_hand.enter(0), by_hand.queue(0, "W", 0, 8), by_hand.issue(0, "W", 0, 8),
              by_hand.queue(256, "W", 64, 8), by_hand.issue(256, "W", 64, 8),
              by_hand.complete(1024, "W", 0, 8), by_hand.complete(2048, "W", 64, 8), by_hand.leave(2048)]
    rows = [by_hand.request("write", 0, 8, 100, 1000), by_hand.request("write", 64, 8, 300, 2000)]
    assert parts(by_hand.folder(tmp_path / "a", events, rows)) == {
        "file_system": 0, "block_layer": 0, "fetch": 144 * NS, "ssd": 1856 * NS, "completion": 48 * NS}


def test_equal_requests_are_joined_in_their_order_and_older_ones_left_out(tmp_path):
    """Three commands for one place: one of the time before the trace, then one for each of the two requests."""
    events = [by_hand.enter(1024)]
    for begin in (1024, 4096):
        events += [by_hand.queue(begin, "WSM", 8, 8), by_hand.issue(begin + 256, "WSM", 8, 8),
                   by_hand.complete(begin + 2048, "WSM", 8, 8)]
    events.append(by_hand.leave(8192))
    rows = [by_hand.request("write", 8, 8, begin, begin + 1000) for begin in (100, 1500, 4600)]
    traced = fsync.read_traced(by_hand.folder(tmp_path / "a", events, rows))
    assert [(each.begin, each.end) for each in traced.requests] == [(1500 * NS, 2500 * NS), (4600 * NS, 5600 * NS)]


def test_a_bio_that_flushes_first_queues_the_flush_and_its_data(tmp_path):
    """The commit record of a journal: one bio, a flush and a write of 8 sectors. And one request carries two bios."""
    events = [by_hand.enter(0), by_hand.queue(256, "FWFS", 96, 8), by_hand.issue(512, "FF", 0, 0),
              by_hand.complete(1024, "FF", 2**64 - 1, 0), by_hand.issue(1280, "WFS", 96, 8),
              by_hand.complete(2048, "WFS", 96, 8), by_hand.queue(2304, "W", 200, 8), by_hand.queue(2560, "W", 208, 8),
              by_hand.issue(2816, "W", 200, 16), by_hand.complete(4096, "W", 200, 16), by_hand.leave(4096)]
    rows = [by_hand.request("flush", 0, 0, 600, 900), by_hand.request("write", 96, 8, 1300, 2000),
            by_hand.request("write", 200, 16, 3000, 4000)]
    traced = fsync.read_traced(by_hand.folder(tmp_path / "a", events, rows))
    assert [each.queued for each in traced.requests] == [256 * NS, 256 * NS, 2304 * NS]


def test_a_request_without_a_command_is_an_error(tmp_path):
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS[:1])
    with pytest.raises(LabInputError, match="the flush of sector 0 \\+ 0, issued at 5632 ns, has no command"):
        fsync.read_traced(folder)


def test_a_command_that_ended_after_its_completion_is_no_match(tmp_path):
    """A step of the clock is 256 ns: at 5120 + 256 the end is too late."""
    rows = [by_hand.request("write", 800, 8, 2000, 5376), by_hand.REQUESTS[1]]
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, rows)
    with pytest.raises(LabInputError, match="the write of sector 800"):
        fsync.read_traced(folder)


@pytest.mark.parametrize("spoil, words", [
    (lambda text: text.replace("tlmssd-raw\n", ""), "no line 'tlmssd-raw'"),
    (lambda text: text.replace("written: 8/8", "written: 8/9"), "8 of 9 events are left"),
    (lambda text: text[:text.rindex("40 0 ")], "8 events as text, but 7 raw"),
    (lambda text: text.replace("40 0 1700000000000001024", "41 0 1700000000000001024"), "the raw event is another one"),
    (lambda text: text.replace("40 0 1700000000000001024", "40 0 1700000000000003024"), "the raw event is another one"),
    (lambda text: text.replace("] ..... 17", "] 17", 1), "not an event"),
    (lambda text: text.replace("259,0 WS 800 + 8", "259,0 WS here"), "block_bio_queue at 1700000000000001280 ns"),
    (lambda text: text.replace("ext4_sync_file_enter", "other"), "has no fsync of a file on ext4"),
])
def test_a_broken_trace_is_named_in_one_line(tmp_path, spoil, words):
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS)
    file = folder / "trace.txt"
    text = file.read_text()
    assert spoil(text) != text
    file.write_text(spoil(text))
    status, out, err = call_lab("fsync", folder, program=tmp_path)
    assert (status, out, err.count("\n")) == (INPUT_ERROR, "", 1)
    assert words in err


def test_the_raw_times_are_the_exact_ones(tmp_path):
    """1024 ns is 1.024 us: the text says 1 us."""
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS)
    assert [event.time - by_hand.DATE for event in read_trace(folder / "trace.txt")][:3] == [1024, 1280, 1536]


@pytest.mark.parametrize("words, message", [
    (["--fsync", "2", "-o", "a.html"], "--fsync is 2, but"), (["--fsync", "1"], "--fsync requires --out FILE"),
    (["--json", "-o", "a.html"], "--json conflicts with --out"),
    (["--fsync", "0", "-o", "a"], "not a whole number from 1"),
])
def test_wrong_options(tmp_path, words, message):
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS)
    status, out, err = call_lab("fsync", folder, *words, program=tmp_path)
    assert (status, out, err.count("\n")) == (INPUT_ERROR, "", 1) and message in err


def test_a_guest_in_qemu_has_no_axis(tmp_path):
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS, date_ns=None)
    status, _, err = call_lab("fsync", folder, program=tmp_path)
    assert status == INPUT_ERROR and "has no guest.date_ns" in err


def test_listing_and_json_have_the_parts(tmp_path):
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS)
    status, out, _ = call_lab("fsync", folder, program=tmp_path)
    assert status == DONE
    assert out.splitlines()[1].split() == ["1", "dd", "8.448", "0.768", "0.512", "0.832", "6.000", "0.336"]
    status, out, _ = call_lab("fsync", folder, "--json", program=tmp_path)
    (row,) = json.loads(out)
    assert (row["begin_ps"], row["end_ps"], row["requests"], sum(row["parts_ps"].values())) == (
        1024 * NS, 9472 * NS, 2, 8448 * NS)


def test_the_page_has_every_layer_and_only_what_overlaps(tmp_path):
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS, by_hand.SLICES)
    page = tmp_path / "page.html"
    status, out, err = call_lab("fsync", folder, "-o", page, program=tmp_path)
    assert (status, out) == (DONE, f"{page}\n"), err
    text = page.read_text()
    for row in ("system call", "block layer", "controller", "SSD, by stage", "link to device", "core 0", "channel 3",
                "die 3/0/1"):
        assert f">{row}</text>" in text, row
    assert "ERASE" not in text and "<script" not in text
    # 2100 to 2400 ns of 8448 on 1014 points: from 170 + 129.15 on, 36.01 wide.
    assert '<title>DATA, 0.3 µs</title><rect class="link" x="299.15" y=' in text and 'width="36.01"' in text
    # The stage cell of the flush after the link's, hil's and buffer's: 2000 ns.
    assert '<title>flush: cell array 2 µs</title><rect class="cell"' in text


def test_a_picture_is_the_svg_alone(tmp_path):
    folder = by_hand.folder(tmp_path / "a", by_hand.EVENTS, by_hand.REQUESTS, by_hand.SLICES)
    picture = pathlib.Path(tmp_path / "a.svg")
    assert call_lab("fsync", folder, "--fsync", "1", "-o", picture, program=tmp_path)[0] == DONE
    assert picture.read_text().startswith('<svg class="fsync"')
