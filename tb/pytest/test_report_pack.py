# SPDX-License-Identifier: BSD-3-Clause
"""The packed timeline of a report says what the timeline file says, slice by slice."""
import base64
import random
import zlib

import pytest

from report_fixtures import Timeline
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.report.encode import encode
from tlmssd_lab.report.pack import MISSING, Packer
from tlmssd_lab.report.timeline import find_request, read_timeline

ALL = 10**9


def unpacked(header, data, count):
    """An own reading of the format that pack.py describes."""
    if header["as"] == "const":
        return [header["base"]] * count
    planes = [data[header["at"] + p * count:header["at"] + (p + 1) * count]
              for p in range(header["planes"])]
    raw = [sum(plane[i] << 8 * p for p, plane in enumerate(planes)) for i in range(count)]
    if header["as"] == "dict":
        return [header["values"][value] for value in raw]
    if header["as"] == "plain":
        return [MISSING if header.get("missing") and value == 0 else header["base"] + value
                for value in raw]
    values, last = [], 0
    for value in raw:
        last += value // 2 if value % 2 == 0 else -(value + 1) // 2
        values.append(last)
    return values


def data_of(packed):
    return zlib.decompress(base64.b64decode(packed["blob"]))


@pytest.mark.parametrize("name, values", [
    ("const", [7] * 50), ("dict", [5, 2**40, -3] * 3000), ("delta", list(range(0, 2**45, 2**32))),
    ("plain", random.Random(1).sample(range(10**9), 5000)),
    ("plain", [-(2**41), 2**41] + random.Random(2).sample(range(10**6), 5000)),
    ("plain", [MISSING] + random.Random(3).sample(range(10**9), 5000))])
def test_column_comes_back_whole_from_the_encoding_that_suits_it(name, values):
    packer = Packer()
    packer.column([1, 2, 3, 2, 1])  # another before it: offsets count
    header = packer.column(values)
    assert header["as"] == name
    assert unpacked(header, data_of({"blob": packer.blob()}), len(values)) == values


def test_empty_column_needs_no_bytes():
    packer = Packer()
    assert packer.column([]) == {"as": "const", "base": 0}


def busy_timeline():
    """One request on two dies, and one later slice that no request names."""
    line = Timeline()
    line.slice("host requests", "tag 0", "READ", 100, 90_000_000, lba=8, bytes=8192,
               arrival_us=0.00005, request=77)
    line.slice("firmware", "core 0", "hil+sched", 1000, 51_000, hil=10, sched=30, core=20)
    for die, start in ((0, 60_000), (1, 70_000)):
        line.slice("channels", f"channel {die}", "READ", start, start + 330_000, ce=0, lun=0,
                   cycles="00-30", tag=4 + die)
        line.slice("dies", f"die {die}/0/0", "READ", start, 80_000_000, tag=4 + die, stream=0,
                   rows=[3, 4], planes=[0, 1], request=[77, 78], wait_us=0.25, retries=0,
                   status="ok")
        line.arrow("tag 0", 40_000, f"die {die}/0/0", start)
    line.slice("dies", "die 0/0/0", "PROGRAM", 90_000_000, 95_000_000, tag=9, stream=1, rows=[5],
               planes=[0], wait_us=0.0, open=1)
    return line


def test_packed_slices_are_those_of_the_file(tmp_path):
    busy_timeline().write(tmp_path / "timeline.json.gz")
    packed = encode(read_timeline(tmp_path / "timeline.json.gz", ALL))
    assert packed["end"] == 95_000_000 and packed["cut_at"] is None
    dies = {group["name"]: group for group in packed["groups"]}["dies"]
    assert dies["tracks"] == [["die 0/0/0", 2], ["die 1/0/0", 1]] and dies["slices"] == 3
    data, columns = data_of(dies), dies["columns"]

    def column(key, count=3):
        return unpacked(columns[key], data, count)

    # Gaps are from the end of the slice before on the same track, from 0 for the first.
    assert column("gap") == [60_000, 10_000_000, 70_000]
    assert column("duration") == [79_940_000, 5_000_000, 79_930_000]
    assert [columns["name"]["texts"][i] for i in column("name")] == ["READ", "PROGRAM", "READ"]
    assert column("tag") == [4, 9, 5] and column("stream") == [0, 1, 0]
    assert columns["wait_us"]["unit"] == "ps" and column("wait_us") == [250_000, 0, 250_000]
    assert column("open") == [MISSING, 1, MISSING]
    assert [columns["status"]["texts"][i] for i in column("status")] == ["ok", None, "ok"]
    assert unpacked(columns["request"]["counts"], data, 3) == [2, 0, 2]
    assert unpacked(columns["request"]["items"], data, 4) == [77, 78, 77, 78]


def test_waiting_for_a_tag_is_kept_instead_of_the_arrival(tmp_path):
    busy_timeline().write(tmp_path / "timeline.json.gz")
    host = encode(read_timeline(tmp_path / "timeline.json.gz", ALL))["groups"][0]
    # From the arrival at 50 ps to the tag at 100 ps.
    assert unpacked(host["columns"]["wait_us"], data_of(host), 1) == [50]


def test_arrows_join_the_request_and_its_operations(tmp_path):
    busy_timeline().write(tmp_path / "timeline.json.gz")
    arrows = encode(read_timeline(tmp_path / "timeline.json.gz", ALL))["arrows"]
    data, columns = data_of(arrows), arrows["columns"]
    assert arrows["count"] == 2
    assert unpacked(columns["operation"], data, 2) == [0, 2]  # slices through all dies
    assert unpacked(columns["request"], data, 2) == [0, 0]
    assert unpacked(columns["submit"], data, 2) == [39_900, 39_900]  # after the tag at 100 ps


def test_request_is_found_by_tag_and_time_of_issue(tmp_path):
    busy_timeline().write(tmp_path / "timeline.json.gz")
    timeline = read_timeline(tmp_path / "timeline.json.gz", ALL)
    assert find_request(timeline, 0, 0.0001) == 77
    assert find_request(timeline, 1, 0.0001) is None  # another tag
    assert find_request(timeline, 0, 0.5) is None  # another time


def test_long_timeline_is_cut_in_time_on_all_tracks(tmp_path):
    line = Timeline()
    for i in range(100):  # in the file in order of their ends, as tlmssd writes them
        line.slice("channels", "channel 0", "READ", 10 * i, 10 * i + 5)
        line.slice("dies", "die 0/0/0", "READ", 10 * i + 1, 10 * i + 6)
    line.write(tmp_path / "timeline.json.gz")
    timeline = read_timeline(tmp_path / "timeline.json.gz", 20)
    # The twentieth slice is the tenth of the die: it starts at 91.
    assert timeline.cut_at == 91 and timeline.slices() == 20
    assert encode(timeline)["cut_at"] == 91


@pytest.mark.parametrize("text, place", [
    ("", "not a timeline"), ("[]", "not a timeline"),
    ('{"displayTimeUnit":"ns","traceEvents":[\n{"ph":"X","pid":1,\n', "timeline.json:2"),
    ('{"displayTimeUnit":"ns","traceEvents":[\n{"ph":"X","pid":1,"tid":9,"ts":1}\n]}',
     "unexpected event")])
def test_damaged_timeline_is_refused_by_name(tmp_path, text, place):
    path = tmp_path / "timeline.json"
    path.write_text(text, encoding="ascii")
    with pytest.raises(LabInputError) as refusal:
        read_timeline(path, ALL)
    assert str(path) in str(refusal.value) and place in str(refusal.value)


def test_torn_gzip_is_refused_by_name(tmp_path):
    busy_timeline().write(tmp_path / "whole.gz")
    path = tmp_path / "timeline.json.gz"
    path.write_bytes((tmp_path / "whole.gz").read_bytes()[:-40])
    with pytest.raises(LabInputError, match="timeline.json.gz: cannot be read"):
        read_timeline(path, ALL)
