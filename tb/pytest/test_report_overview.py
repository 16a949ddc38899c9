# SPDX-License-Identifier: BSD-3-Clause
"""The overview of a long timeline says how busy each track is, and kinds are those that the page draws."""
import re
import zlib

import pytest

from report_fixtures import bytes_of
from test_report_pack import random_run
from tlmssd_lab.report.build import ASSETS
from tlmssd_lab.report.timeline import overview
from tlmssd_lab.report.timeline.kinds import KINDS, kinds_of
from tlmssd_lab.report.timeline.timeline import GROUPS, read_timeline

ALL = 10**9


@pytest.fixture
def timeline(tmp_path):
    random_run(300, seed=8).write(tmp_path / "timeline.json.gz")
    return read_timeline(tmp_path / "timeline.json.gz", ALL)


@pytest.mark.parametrize("bins", [1, 37, 2048])
def test_bins_hold_the_busy_part_of_their_time(monkeypatch, timeline, bins):
    monkeypatch.setattr(overview, "FROM_SLICES", 1)
    monkeypatch.setattr(overview, "BINS", bins)
    made = overview.overview(timeline)
    data = zlib.decompress(bytes_of(made["blob"]))
    assert made["bins"] == bins
    assert [group["name"] for group in made["groups"]] == [name for name in GROUPS if name in timeline.groups]
    at = 0
    edges = [timeline.end * i // bins for i in range(bins + 1)]
    for entry in made["groups"]:
        group = timeline.groups[entry["name"]]
        slice_kinds = kinds_of(group).tolist()
        assert entry["kinds"] == sorted(set(slice_kinds))
        for low, high in group.ranges():
            slices = list(zip(group.start.tolist(), group.end.tolist(), slice_kinds))[low:high]
            for kind in entry["kinds"]:
                for left, right in zip(edges, edges[1:]):
                    busy = sum(max(0, min(end, right) - max(start, left)) for start, end, one in slices if one == kind)
                    assert 0 <= data[at] - 255 * busy / (right - left) < 1.001  # rounded up
                    at += 1
    assert at == len(data)


def test_short_timeline_has_no_overview(timeline):
    assert overview.overview(timeline) is None


def test_kinds_are_those_that_the_page_can_draw():
    text = (ASSETS / "kinds.js").read_text(encoding="utf-8")
    table = text[text.index("const KINDS = {"):text.index("const KIND_NAMES")]
    assert tuple(re.findall(r"^  (\w+): \{", table, re.MULTILINE)) == KINDS
