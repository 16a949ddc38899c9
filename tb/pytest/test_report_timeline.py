# SPDX-License-Identifier: BSD-3-Clause
"""The reader of timelines: its columns hold what the file's lines say, wherever blocks of it end."""
import gzip
import json
import random

import pytest

from report_fixtures import Timeline
from test_timeline import picoseconds
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.report.timeline import lines
from tlmssd_lab.report.timeline.columns import ListColumn
from tlmssd_lab.report.timeline.timeline import read_timeline

ALL = 10**9
HEAD = '{"displayTimeUnit":"ns","traceEvents":[\n'


def mixed_timeline(count=3000):
    """Slices of several shapes: keys come late, times without a fraction beside others, lists of
    different lengths, arrows to some operations. Every number follows from i."""
    line, shuffled = Timeline(), random.Random(5)
    for i in range(count):
        now = 1_000_000 * i
        args = {"lba": shuffled.randrange(2**40), "request": i // 2}
        line.slice("host requests", f"tag {i % 4}", "READ" if i % 3 else "WRITE", now, now + 900_000 + i, **args,
                   **({"arrival_us": i + 0.25} if i % 7 else {}))
        line.slice("channels", "channel 0", "READ", now + 7, now + 7 + i, cycles="00-30", tag=i % 256,
                   **({"bytes": i} if i > 2000 else {}))
        line.slice("dies", f"die 0/{i % 3}/0", "READ", now + 7, now + 500_000, rows=list(range(i % 5)),
                   wait_us=i if i < 1500 else i + 0.5, request=[i // 2, i], status="ok" if i % 2 else "suspended")
        if i % 3 == 0:
            line.arrow(f"tag {i % 4}", now + 3, f"die 0/{i % 3}/0", now + 7)
    return line


def simply(path):
    """{group: [(track, name, start, end, args)]}, in the order of tracks, by the json module alone."""
    events = json.loads(gzip.decompress(path.read_bytes()), parse_float=str)["traceEvents"]
    groups = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
    tracks = {event["tid"]: (groups[event["pid"]], event["args"]["name"])
              for event in events if event["name"] == "thread_name"}
    found = {group: [] for group in groups.values()}
    for tid, (group, track) in tracks.items():
        for event in events:
            if event["ph"] == "X" and event["tid"] == tid:
                start = picoseconds(event["ts"])
                found[group].append((track, event["name"], start, start + picoseconds(event["dur"]), event["args"]))
    return found


def same(column, index, value):
    """Whether a column says about a slice what its line says under the key (None: nothing)."""
    if isinstance(column, ListColumn):
        return column.at(index) == (value or [])
    if column.unit == "ps" and value is not None:
        return column.at(index) == picoseconds(value if isinstance(value, str) else f"{value}.000000")
    return column.at(index) == value


@pytest.mark.parametrize("block", [700, 40_000, 1 << 23])
def test_columns_hold_what_the_lines_say(tmp_path, monkeypatch, block):
    mixed_timeline(400 if block < 1000 else 3000).write(tmp_path / "timeline.json.gz")
    monkeypatch.setattr(lines, "_BLOCK", block)
    timeline = read_timeline(tmp_path / "timeline.json.gz", ALL)
    wanted = simply(tmp_path / "timeline.json.gz")
    assert set(timeline.groups) == set(wanted) and timeline.cut_at is None
    for name, slices in wanted.items():
        group = timeline.groups[name]
        assert [track for track, size in zip(group.tracks, group.sizes) for _ in range(size)] \
            == [track for track, *_ in slices]
        assert group.start.tolist() == [start for _, _, start, _, _ in slices]
        assert group.end.tolist() == [end for _, _, _, end, _ in slices]
        assert set(group.columns) == {key for *_, args in slices for key in args} | {"name"}
        for index in range(0, len(slices), 7):
            _, text, _, _, args = slices[index]
            for key, column in group.columns.items():
                assert same(column, index, text if key == "name" else args.get(key)), (name, index, key)


def test_arrows_lead_from_the_request_that_the_operation_names(tmp_path):
    mixed_timeline().write(tmp_path / "timeline.json.gz")
    timeline = read_timeline(tmp_path / "timeline.json.gz", ALL)
    host, dies = timeline.groups["host requests"], timeline.groups["dies"]
    arrows = timeline.arrows
    assert len(arrows) == 1000  # one a third operation
    for i, (operation, request, submit) in enumerate(zip(arrows.operation, arrows.request, arrows.submit)):
        # Those of die 0 are operations 0, 3, 6, ...: by operation, the i-th is that of request 3i.
        assert dies.start[operation] == 3_000_000 * i + 7 and submit == 3_000_000 * i + 3
        assert host.start[request] == 3_000_000 * i


def test_line_that_is_written_otherwise_is_read_all_the_same(tmp_path):
    text = (HEAD + '{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"dies"}},\r\n'
            '{"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"die 0/0/0"}},\n\n'
            '{ "pid": 1, "tid": 7, "name": "READ", "ph": "X", "ts": 1.5, "dur": 2 },\n'
            '{"ph":"C","pid":1,"tid":7,"ts":1},\n'
            '{"ph":"X","pid":1,"tid":7,"name":"READ","ts":4,"dur":1,"args":{"open":1}}\n]}')
    (tmp_path / "timeline.json").write_text(text, encoding="ascii")
    dies = read_timeline(tmp_path / "timeline.json", ALL).groups["dies"]
    assert dies.start.tolist() == [1_500_000, 4_000_000] and dies.end.tolist() == [3_500_000, 5_000_000]
    assert [dies.columns["open"].at(i) for i in (0, 1)] == [None, 1]


@pytest.mark.parametrize("bad, said", [
    ('{"ph":"X","pid":1,"tid":7,"name":"READ","ts":4,"du', "timeline.json:1004: "),
    ('{"ph":"X","pid":1,"tid":7,"name":"READ","ts":4}', "timeline.json:1004: unexpected event"),
    ('{"ph":"X","pid":1,"tid":7,"name":"READ","ts":"4","dur":1}', "timeline.json:1004: unexpected event"),
    ('{"ph":"X","pid":1,"tid":7,"name":"A","ts":4,"dur":1}{"ph":"X"}', "timeline.json:1004: "),
    ('{"ph":"X","pid":1,"tid":9,"name":"A","ts":4,"dur":1}', "track 9 has no name"),
    ('{"ph":"X","pid":1,"tid":7,"name":"A","ts":4,"dur":1,"args":{"bytes":"many"}}', "'bytes' holds "),
    ('{"ph":"X","pid":1,"tid":7,"name":"A","ts":4,"dur":1,"args":{"bytes":{"a":1}}}', "'bytes' holds ")])
def test_bad_line_among_good_ones_is_named(tmp_path, bad, said):
    good = [f'{{"ph":"X","pid":1,"tid":7,"name":"READ","ts":{i},"dur":1,"args":{{"bytes":{i}}}}}' for i in range(2000)]
    heads = ['{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"dies"}}',
             '{"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"die 0/0/0"}}']
    (tmp_path / "timeline.json").write_text(
        HEAD + ",\n".join([*heads, *good[:1000], bad, *good[1000:]]) + "\n]}\n", encoding="ascii")
    with pytest.raises(LabInputError) as refusal:
        read_timeline(tmp_path / "timeline.json", ALL)
    assert str(tmp_path / "timeline.json") in str(refusal.value) and said in str(refusal.value)
