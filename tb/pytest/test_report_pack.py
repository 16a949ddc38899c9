# SPDX-License-Identifier: BSD-3-Clause
"""The packed timeline of a report says what the timeline file says, slice by slice."""
import random
import zlib

import numpy as np
import pytest

from report_fixtures import Timeline, bytes_of
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.report.timeline.columns import ListColumn
from tlmssd_lab.report.timeline.dense import text_of
from tlmssd_lab.report.timeline.encode import encode
from tlmssd_lab.report.timeline.kinds import KINDS
from tlmssd_lab.report.timeline.pack import MISSING, Packer, mapped
from tlmssd_lab.report.timeline.timeline import find_request, read_timeline

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


class Unpacked:
    """An own reading of packed groups, as encode.py and references.py describe them."""

    def __init__(self, packed):
        self.groups = {group["name"]: group for group in packed["groups"]}
        self.data = {name: data_of(group) for name, group in self.groups.items()}

    def column(self, name, key):
        return self.values(name, self.groups[name]["columns"][key])

    def values(self, name, header, count=None):
        group = self.groups[name]
        if header["as"] == "map":
            return excepted(header, [header["values"][index] for index in self.column(name, header["of"])])
        if header["as"] == "sum":
            rows = zip(*(self.column(name, key) for key in header["of"]))
            return [header["times"] * sum(value for value in row if value != MISSING) for row in rows]
        if header["as"] == "there":
            there = self.column(group["columns"]["start"]["group"], header["key"])
            return excepted(header, [there[index] for index in self.near(name)])
        if header["as"] == "row":
            dies = group["columns"]["start"]["group"]
            rows = list(map(dict, map(zip, self.lists(dies, "planes"), self.lists(dies, "rows"))))
            own = [int(track.split("/")[-1]) for track, count in group["tracks"] for _ in range(count)]
            return [rows[index][plane] >> header["shift"] & header["mask"]
                    for index, plane in zip(self.near(name), own)]
        return unpacked(header, self.data[name], group["slices"] if count is None else count)

    def texts(self, name, key):
        return [self.groups[name]["columns"][key]["texts"][index] for index in self.column(name, key)]

    def lists(self, name, key):
        header = self.groups[name]["columns"][key]
        counts = self.values(name, header["counts"])
        items = iter(self.values(name, header["items"], sum(counts)))
        return [[next(items) for _ in range(count)] for count in counts]

    def times(self, name):
        """[(start, end)] of each track"""
        columns, first, found = self.groups[name]["columns"], 0, []
        told = {key: self.referred(name, key) for key in ("start", "end") if key in columns}
        plain = {key: self.column(name, key) for key in ("gap", "duration") if key in columns}
        turns = self.turns(name, columns["turn"], plain["duration"]) if "turn" in columns else None
        for _, count in self.groups[name]["tracks"]:
            now, slices = 0, []
            for i in range(first, first + count):
                start = turns[i] if turns else told["start"][i] if "start" in told else now + plain["gap"][i]
                now = told["end"][i] if "end" in told else start + plain["duration"][i]
                slices.append((start, now))
            found.append(slices)
            first += count
        return found

    def turns(self, name, header, durations):
        """Starts of slices that are told one after another, whatever their track"""
        next_, starts, now = [first for first, _ in self.ranges(name)], [0] * len(durations), 0
        for track, gap in zip(self.values(name, header["tracks"]), self.values(name, header["gaps"])):
            starts[next_[track]] = now + gap
            now = starts[next_[track]] + durations[next_[track]]
            next_[track] += 1
        return starts

    def ranges(self, name):
        """First slice of each track, and how many"""
        counts = [count for _, count in self.groups[name]["tracks"]]
        return [(sum(counts[:place]), count) for place, count in enumerate(counts)]

    def near(self, name, key="start"):
        """The slice of the other group that each slice refers to"""
        header = self.groups[name]["columns"][key]
        steps, others = self.values(name, header["steps"]), self.ranges(header["group"])
        return [others[track][0] + sum(steps[first:i + 1])
                for (first, count), track in zip(self.ranges(name), header["tracks"])
                for i in range(first, first + count)]

    def referred(self, name, key):
        header = self.groups[name]["columns"][key]
        edges = [edges[header["edge"] == "end"] for track in self.times(header["group"]) for edges in track]
        return [edges[index] + rest for index, rest in zip(self.near(name, key), self.values(name, header["rests"]))]


@pytest.mark.parametrize("size", [0, 1, 12, 13, 14, 1000])
def test_text_of_a_page_is_its_bytes_in_plain_characters(size):
    data = random.Random(size).randbytes(size)
    text = text_of(data)
    assert bytes_of(text) == data and not set(text) & set("<&\\\n")
    # Two characters for 13 bits, whole groups of 13 bytes; the number and a space before.
    assert len(text) == len(str(size)) + 1 + 16 * -(-size // 13)


def test_a_column_may_follow_from_another_but_for_a_few():
    names = np.arange(1000) % 3
    values = 7 * names
    values[[998, 999]] = 5  # what the run cut short
    assert mapped(values, names) == {"values": [0, 7, 14], "except": [[998, 5], [999, 5]]}
    assert mapped(7 * names, names) == {"values": [0, 7, 14]}
    values[100:165] += 1  # 65 and two: too many
    assert mapped(values, names) is None


def excepted(header, values):
    for index, value in header.get("except", ()):
        assert values[index] != value
        values[index] = value
    return values


def data_of(packed):
    return zlib.decompress(bytes_of(packed["blob"]))


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
    page = Unpacked(packed)
    dies = page.groups["dies"]
    assert dies["tracks"] == [["die 0/0/0", 2], ["die 1/0/0", 1]] and dies["slices"] == 3

    def column(key):
        return page.column("dies", key)

    # Gaps are from the end of the slice before on the same track, from 0 for the first.
    assert column("gap") == [60_000, 10_000_000, 70_000]
    assert column("duration") == [79_940_000, 5_000_000, 79_930_000]
    assert page.texts("dies", "name") == ["READ", "PROGRAM", "READ"]
    assert column("tag") == [4, 9, 5] and column("stream") == [0, 1, 0]
    assert dies["columns"]["wait_us"]["unit"] == "ps" and column("wait_us") == [250_000, 0, 250_000]
    assert column("open") == [MISSING, 1, MISSING]
    assert page.texts("dies", "status") == ["ok", None, "ok"]
    assert page.lists("dies", "request") == [[77, 78], [], [77, 78]]
    assert [KINDS[kind] for kind in column("kind")] == ["read", "gcWrite", "read"]
    assert [KINDS[kind] for kind in page.column("firmware", "kind")] == ["sched"]  # 30 of 60 cycles


def random_run(count, seed):
    """Operations of one or two planes that begin and end with segments of their channels, at times that
    follow no rule; some are suspended, some of garbage collection; requests end with frames."""
    line, chance = Timeline(), random.Random(seed)
    bus, free, link = [0, 0], [0] * 4, 0
    for i in range(count):
        die = chance.randrange(4)
        place, channel = f"{die % 2}/{die // 2}/0", f"channel {die % 2}"
        begin = max(bus[die % 2], free[die]) + chance.choice([0, 0, 5000, chance.randrange(10**7)])
        bus[die % 2] = begin + 415_000
        line.slice("channels", channel, "READ", begin, begin + 415_000, cycles="00-30", tag=i % 64)
        array = begin + 415_000 + chance.choice([0, 100_000])
        planes = chance.choice([[0], [1], [0, 1]])
        rows = [chance.randrange(2**18) for _ in range(2)]
        for plane in planes:
            line.slice("planes", f"plane {place}/{plane}", "READ", array, array + 50_100_000,
                       block=rows[plane] >> 9 & 63, page=rows[plane] & 255, odd=i % 7)
        out = max(array + 50_100_000, bus[die % 2]) + chance.randrange(3) * 245_000
        bus[die % 2] = free[die] = out + 22_540_000 * len(planes)
        line.slice("channels", channel, "DATA OUT", out, free[die], cycles="06-E0", tag=i % 64, bytes=4312)
        line.slice("dies", f"die {place}", chance.choice(["READ", "PROGRAM"]), begin, free[die], tag=i % 64,
                   stream=chance.randrange(2), rows=[rows[plane] for plane in planes], planes=planes,
                   request=[i], wait_us=i % 4 / 4, status="ok" if chance.randrange(9) else "suspended",
                   **({"resumed": 1} if chance.randrange(9) == 0 else {}))
        link = max(link, free[die]) + chance.randrange(10**6)
        line.slice("link", "to host", "DATA", link, link + 7_041_250, dwords=1025, bytes=4096)
        line.slice("host requests", f"tag {i}", "READ", max(0, begin - chance.randrange(10**9)), link + 7_041_250,
                   lba=chance.randrange(2**24), bytes=4096, request=i)
        answer = link + 7_041_250 + chance.randrange(10**6)
        line.slice("link", "to device", "DATA", link + 7_041_250, answer, dwords=5)
        if i % 2:
            line.arrow(f"tag {i}", begin, f"die {place}", begin)
        line.slice("firmware", "core 0", "hil+sched", link, link + 1250 * (i % 9 + 100 + i % 4),
                   **({"hil": i % 9} if i % 9 else {}), sched=100, core=i % 4)
        link = answer
    return line


@pytest.mark.parametrize("count, limit", [(40, ALL), (3000, ALL), (3000, 9000)])
def test_every_slice_comes_back_whole(tmp_path, count, limit):
    random_run(count, seed=count).write(tmp_path / "timeline.json.gz")
    timeline = read_timeline(tmp_path / "timeline.json.gz", limit)
    page = Unpacked(encode(timeline))
    assert (timeline.cut_at is None) == (limit == ALL)
    for name, group in timeline.groups.items():
        slices = list(zip(group.start.tolist(), group.end.tolist()))
        assert page.times(name) == [slices[low:high] for low, high in group.ranges()]
        for key, column in group.columns.items():
            if isinstance(column, ListColumn):
                assert page.lists(name, key) == [column.at(i) for i in range(len(slices))]
            elif column.texts is not None:
                assert page.texts(name, key) == [column.at(i) for i in range(len(slices))]
            else:
                assert page.column(name, key) == column.values.tolist()
    if count == 3000:  # and is told by the times of another group where that is smaller
        columns = {name: group["columns"] for name, group in page.groups.items()}
        assert columns["planes"]["start"]["group"] == "dies" and columns["dies"]["start"]["group"] == "channels"
        assert columns["host requests"]["end"]["group"] == "link"
        assert columns["firmware"]["duration"]["as"] == "sum" and columns["dies"]["tag"]["as"] == "there"
        assert [columns["planes"][key]["as"] for key in ("block", "page")] == ["row", "row"]
        assert "turn" in columns["link"]


def test_arrows_come_back_whole(tmp_path):
    """Some operations name two requests, and the arrow comes from the second."""
    line = Timeline()
    for i in range(50):
        now = 1_000_000 * i
        line.slice("host requests", f"tag {i % 3}", "READ", now, now + 2_900_000, request=90 - i)
        line.slice("dies", "die 0/0/0", "READ", now + 5000, now + 900_000, request=[191, 90 - i][i % 2:])
        line.arrow(f"tag {i % 3}", now + 2000 + i, "die 0/0/0", now + 5000)
    line.write(tmp_path / "timeline.json.gz")
    packed = encode(read_timeline(tmp_path / "timeline.json.gz", ALL))
    arrows, data = packed["arrows"], data_of(packed["arrows"])
    numbers, causes = Unpacked(packed).column("host requests", "request"), Unpacked(packed).lists("dies", "request")
    operations = unpacked(arrows["columns"]["operation"], data, 50)
    assert operations == list(range(50)) and arrows["columns"]["request"]["as"] == "cause"
    items = unpacked(arrows["columns"]["request"]["items"], data, 50)
    assert [causes[operation][item] for operation, item in zip(operations, items)] == [90 - i for i in range(50)]
    assert items == [1, 0] * 25 and len(set(numbers)) == 50
    assert unpacked(arrows["columns"]["submit"], data, 50) == [2000 + i for i in range(50)]


def test_arrows_of_numbers_that_occur_twice_come_back_whole(tmp_path):
    line = Timeline()
    for i in range(6):
        now = 1_000_000 * i
        line.slice("host requests", "tag 0", "READ", now, now + 900_000, request=i % 3)
        line.slice("dies", "die 0/0/0", "READ", now + 5000, now + 800_000, request=[i % 3])
        line.arrow("tag 0", now + 2000, "die 0/0/0", now + 5000)
    line.write(tmp_path / "timeline.json.gz")
    arrows = encode(read_timeline(tmp_path / "timeline.json.gz", ALL))["arrows"]
    assert unpacked(arrows["columns"]["request"], data_of(arrows), 6) == [0, 1, 2, 3, 4, 5]


def test_frames_that_overlap_come_back_whole(tmp_path):
    """Two directions at once (NVMe): told in turn or not, nothing is lost."""
    line, chance = Timeline(), random.Random(6)
    for i in range(500):
        for track in ("to device", "to host"):
            now = 10**6 * i + chance.randrange(1000)
            line.slice("link", track, "DATA", now, now + chance.choice([0, 400_000, 999_000]), dwords=i % 3)
    line.write(tmp_path / "timeline.json.gz")
    timeline = read_timeline(tmp_path / "timeline.json.gz", ALL)
    link = timeline.groups["link"]
    slices = list(zip(link.start.tolist(), link.end.tolist()))
    assert Unpacked(encode(timeline)).times("link") == [slices[low:high] for low, high in link.ranges()]


def test_times_before_all_of_the_other_group_come_back_whole(tmp_path):
    """A window of a run may begin within an operation: its first segments are not in the file."""
    line, chance = Timeline(), random.Random(4)
    for i in range(2000):
        begin = 10**8 * i + chance.randrange(10**7)
        line.slice("planes", "plane 0/0/0/0", "READ", begin, begin + 50_100_000)
        if i > 2:
            line.slice("dies", "die 0/0/0", "READ", begin - 90_000, begin + 70_000_000)
    line.write(tmp_path / "timeline.json.gz")
    timeline = read_timeline(tmp_path / "timeline.json.gz", ALL)
    page, planes = Unpacked(encode(timeline)), timeline.groups["planes"]
    assert "start" in page.groups["planes"]["columns"]
    assert page.times("planes") == [list(zip(planes.start.tolist(), planes.end.tolist()))]


def test_waiting_for_a_tag_is_kept_instead_of_the_arrival(tmp_path):
    busy_timeline().write(tmp_path / "timeline.json.gz")
    page = Unpacked(encode(read_timeline(tmp_path / "timeline.json.gz", ALL)))
    assert page.column("host requests", "wait_us") == [50]  # from the arrival at 50 ps to the tag at 100 ps


def test_arrows_join_the_request_and_its_operations(tmp_path):
    busy_timeline().write(tmp_path / "timeline.json.gz")
    arrows = encode(read_timeline(tmp_path / "timeline.json.gz", ALL))["arrows"]
    data, columns = data_of(arrows), arrows["columns"]
    assert arrows["count"] == 2
    assert unpacked(columns["operation"], data, 2) == [0, 2]  # slices through all dies
    assert columns["request"]["as"] == "cause"  # 77 is the first that both operations name
    assert unpacked(columns["request"]["items"], data, 2) == [0, 0]
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
