# SPDX-License-Identifier: BSD-3-Clause
"""The report in Debian's Chromium: it opens, draws, is fast enough, and stands odd data.

Expected slices are worked out here from the timeline file, not by the code that the page has.
"""
import base64
import gzip
import io
import json
import statistics

import pytest

from browser import ReportPage
from report_expected import a_request, parts_of, shown_parts
from report_fixtures import Timeline, results, worst_entry, write_run
from test_report_pack import random_run
from tlmssd_lab.report import build, build_report
from tlmssd_lab.report.timeline import overview
from tlmssd_lab.report.timeline.timeline import read_timeline


def test_page_opens_without_a_word_from_the_console(page):
    assert page.errors() == []
    assert page.state()["runs"] == sorted(page.state()["runs"]) and page.state()["shapes"] > 0
    assert page.js("return document.documentElement.scrollWidth <= window.innerWidth")


def test_pictures_are_not_blank(page, runs):
    page.js("arguments[0].scrollIntoView()", page.boxes()[0])
    page.state()
    picture = page.picture()
    counts = {colour: count for count, colour in picture.getcolors(1 << 24)}
    read = (0x7C, 0xC4, 0xF0)
    assert counts.get(read, 0) > 5000  # requests of 32 tags are nearly all reads
    whole = picture.tobytes()
    page.keys("++++")
    assert page.picture().tobytes() != whole


def test_kinds_differ_without_colour(page):
    from PIL import Image
    lists = page.js("""return Array.from(document.querySelectorAll('#tl-legend ul'), (list) =>
        Array.from(list.querySelectorAll('.swatch'), (one) => one.style.backgroundImage))""")
    assert len(lists) == 4
    for urls in lists:
        tiles = []
        for url in urls:
            data = base64.b64decode(url.split("base64,")[1].split('"')[0])
            tiles.append(list(Image.open(io.BytesIO(data)).convert("L").tobytes()))
        for i, one in enumerate(tiles):
            for other in tiles[:i]:
                assert statistics.mean(abs(a - b) for a, b in zip(one, other)) > 20


def test_frames_stay_within_a_few_thousand_shapes(page):
    page.keys("0")
    for _ in range(24):
        assert page.keys("+")["shapes"] <= 5000


def test_worst_request_leads_to_the_timeline(driver, runs, tmp_path):
    number, track, start, end = a_request(runs[1], "READ")
    for folder in runs:
        (tmp_path / folder.name).mkdir()
        for name in ("results.json", "timeline.json.gz"):
            (tmp_path / folder.name / name).write_bytes((folder / name).read_bytes())
    other = json.loads((tmp_path / "inorder/results.json").read_text(encoding="utf-8"))
    other["worst"] = []
    (tmp_path / "inorder/results.json").write_text(json.dumps(other), encoding="utf-8")
    document = json.loads((tmp_path / "vaq/results.json").read_text(encoding="utf-8"))
    document["worst"] = [worst_entry(start / 1e6, (end - start) / 1e6, int(track.split()[1]), 1)]
    (tmp_path / "vaq/results.json").write_text(json.dumps(document), encoding="utf-8")
    build_report([tmp_path / "inorder", tmp_path / "vaq"], tmp_path / "report.html", "t")
    page = ReportPage(driver).open(tmp_path / "report.html")
    page.click("[data-show-request]")
    page.wait(f"window.tlmssdTimeline.number === {number}")
    state = page.state()
    assert state["from"] < start < end < state["to"]
    assert "tl-box" in page.js("return document.activeElement.className")


def test_hostile_names_do_not_run(driver, tmp_path):
    evil = '</script><script>window.owned=1</script><img src=x onerror="window.owned=1">'
    document = results(evil, config={evil: evil})
    document["worst"] = [worst_entry(1.0, 8.0, 3, 8, cause=evil)]
    line = Timeline()
    line.slice("host requests", "tag 3", evil, 1_000_000, 9_000_000, lba=8, request=5, evil=evil)
    line.slice("dies", "die 0/0/0", evil, 2_000_000, 3_000_000, tag=1, planes=[0], request=[5])
    build_report([write_run(tmp_path / "a<b>&", document, line)], tmp_path / "r.html", evil)
    page = ReportPage(driver).open(tmp_path / "r.html")
    page.follow(5)
    assert page.js("return window.owned") is None
    assert "<script>" in page.find("#tl-details").text
    assert page.errors() == []


def test_damaged_data_are_told_in_the_page(driver, report, tmp_path):
    text = report.read_text(encoding="utf-8")
    at = text.index('id="blob-0-dies">') + len('id="blob-0-dies">')
    (tmp_path / "r.html").write_text(text[:at] + "AAAA" + text[at + 4:], encoding="utf-8")
    driver.get((tmp_path / "r.html").as_uri())
    page = ReportPage(driver)
    page.wait("document.getElementById('tl-status').textContent"
              ".startsWith('The timeline could not')")
    driver.get_log("browser")


def test_hundred_thousand_operations_open_within_a_second_and_10_mb(driver, tlmssd, tmp_path):
    out = tmp_path / "big"
    tlmssd.run(out, "--workload", "randread-4k", "--timeline", out / "timeline.json.gz",
               sets=["workload.requests=101000"])
    assert json.loads((out / "results.json").read_text())["flash"]["die_operations"] >= 100000
    build_report([out], tmp_path / "report.html", "100,000 operations")
    assert (tmp_path / "report.html").stat().st_size < 10_000_000
    times = []
    page = ReportPage(driver)
    for _ in range(3):
        page.open(tmp_path / "report.html")
        times.append(page.js("return performance.getEntriesByName('tlmssd-timeline-drawn')[0]"
                             ".startTime"))
    assert statistics.median(times) < 1000, times
    number, _, start, end = a_request(out, "READ")
    parts, arrows = parts_of(out, number)
    state = page.follow(number)
    assert shown_parts(state["followed"][0]) == parts
    assert sorted(map(tuple, state["followed"][0]["arrows"])) == arrows


def test_overview_looks_as_the_slices_do(driver, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(overview, "FROM_SLICES", 1)
    build_report([runs[0]], tmp_path / "report.html", "An overview")
    page = ReportPage(driver).open(tmp_path / "report.html")
    page.wait("performance.getEntriesByName('tlmssd-timeline-details').length === 1")
    covered = """
        const view = window.tlmssdTimeline.views[0];
        for (const group of view.run.groups.values()) if (group.columns) group.ready = arguments[0];
        window.tlmssdTimeline.draw();
        const { data, width } = view.context.getImageData(0, 0, view.canvas.width, view.canvas.height);
        return view.rows.filter((row) => row.track).map(({ y, height }) => {
          let coloured = 0;
          for (let line = y + 1; line < y + height - 1; line++) {
            for (let x = GUTTER; x < width; x++) {
              const at = 4 * (line * width + x);
              if (Math.max(...data.subarray(at, at + 3)) - Math.min(...data.subarray(at, at + 3)) > 20) coloured++;
            }
          }
          return coloured;
        });""".replace("GUTTER", "118")
    slices, bins = page.js(covered, True), page.js(covered, False)
    page.js(covered, True)
    assert len(slices) == len(bins) > 32 and max(slices) > 1000
    for one, other in zip(slices, bins):  # where a slice begins or ends, its bin colours a column more
        assert other == pytest.approx(one, rel=0.2, abs=150)
    assert sum(bins) == pytest.approx(sum(slices), rel=0.1)


def test_what_is_asked_of_an_overview_is_answered_by_the_slices(driver, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(overview, "FROM_SLICES", 1)
    build_report([runs[0], runs[1]], tmp_path / "report.html", "Two overviews")
    for number in (a_request(runs[0], kind)[0] for kind in ("READ", "READ")):
        page = ReportPage(driver).open(tmp_path / "report.html")
        state = page.follow(number)
        for folder in runs:
            parts, arrows = parts_of(folder, number)
            followed = state["followed"][state["runs"].index(folder.name)]
            assert shown_parts(followed) == parts and sorted(map(tuple, followed["arrows"])) == arrows
    page = ReportPage(driver).open(tmp_path / "report.html")
    page.keys("\ue015")  # down: the first track, its slice in the middle
    page.wait("window.tlmssdTimeline.selected !== null")
    assert page.state()["selected"]["track"] == "tag 0"
    page.click("[data-group=planes]")
    page.wait("performance.getEntriesByName('tlmssd-timeline-details').length === 1"
              " && window.tlmssdTimeline.views[0].run.ready('planes')")
    assert page.errors() == []


@pytest.mark.parametrize("limit", [10**9, 9000])
def test_page_unpacks_every_slice_of_the_file(driver, tmp_path, monkeypatch, limit):
    monkeypatch.setattr(build, "MAX_SLICES", limit)
    random_run(3000, seed=11).write(write_run(tmp_path / "a", results()) / "timeline.json.gz")
    build_report([tmp_path / "a"], tmp_path / "report.html", "t")
    page = ReportPage(driver).open(tmp_path / "report.html")
    timeline = read_timeline(tmp_path / "a/timeline.json.gz", limit)
    driver.execute_async_script("window.tlmssdTimeline.runs[0].loadAll().then(arguments[0])")
    assert page.js("return window.tlmssdTimeline.runs[0].cutAt") == timeline.cut_at
    for name, group in timeline.groups.items():
        start, end, *columns = page.js("""
            const group = window.tlmssdTimeline.runs[0].group(arguments[0]);
            const each = (key) => Array.from(group.start, (_, i) => group.columns.value(key, i) ?? null);
            const once = arguments[1].map(each); // one value at a time, and from whole columns
            for (const key of arguments[1]) if (!group.columns.headers[key].counts) group.columns.get(key);
            return [Array.from(group.start), Array.from(group.end), once, arguments[1].map(each)];
            """, name, list(group.columns))
        assert (start, end) == (group.start.tolist(), group.end.tolist())
        wanted = [[column.at(i) for i in range(len(start))] for column in group.columns.values()]
        assert columns == [wanted, wanted], name
    arrows = page.js("""const { arrows } = window.tlmssdTimeline.runs[0];
        return ["operation", "request", "submit"].map((key) => Array.from(arrows.get(key)));""")
    hosts = timeline.groups["host requests"].start
    assert len(timeline.arrows) > 500 and arrows == [
        timeline.arrows.operation.tolist(), timeline.arrows.request.tolist(),
        (timeline.arrows.submit - hosts[timeline.arrows.request]).tolist()]


MANY = 1_000_000
EVERY, DIE_BUSY = 3_000_000, 92_000_000  # ps


def many_reads(path):
    """MANY reads, one every 3 us more or less, in turn on 32 dies and under 32 tags. See parts_of_read."""
    line = Timeline()  # for its heads
    hosts = [line.track("host requests", f"tag {i}") for i in range(32)]
    link, core = line.track("link", "to host"), line.track("firmware", "core 0")
    channels = [line.track("channels", f"channel {i}") for i in range(4)]
    dies = [line.track("dies", f"die {i % 4}/{i // 4}/0") for i in range(32)]
    planes = [line.track("planes", f"plane {i % 4}/{i // 4 % 8}/0/{i // 32}") for i in range(64)]
    slice_ = '{"ph":"X","pid":%d,"tid":%d,"name":"'
    read = ",\n".join([
        slice_ + 'READ","ts":%d.%06d,"dur":95.000000,"args":{"lba":%d,"bytes":4096,"request":%d}}',
        slice_ + 'hil+sched","ts":%d.%06d,"dur":0.%06d,"args":{"hil":%d,"sched":%d}}',
        slice_ + 'DATA","ts":%d.%06d,"dur":0.700000,"args":{"dwords":1025,"bytes":4096}}',
        slice_ + 'READ","ts":%d.%06d,"dur":0.400000,"args":{"cycles":"00-30","tag":%d}}',
        slice_ + 'READ","ts":%d.%06d,"dur":92.000000,"args":{"tag":%d,"rows":[%d],"planes":[%d],"request":[%d],'
        '"status":"ok"}}',
        slice_ + 'READ","ts":%d.%06d,"dur":50.100000,"args":{"page":%d}}',
        '{"ph":"s","pid":1,"tid":%d,"id":%d,"ts":%d.%06d}', '{"ph":"f","pid":5,"tid":%d,"id":%d,"ts":%d.%06d}', ""])
    out = slice_ + 'DATA OUT","ts":%d.%06d,"dur":4.000000,"args":{"cycles":"06-E0","tag":%d}},\n'
    with gzip.open(path, "wt", encoding="ascii", compresslevel=1) as file:
        file.write('{"displayTimeUnit":"ns","traceEvents":[\n'
                   + "".join(json.dumps(head) + ",\n" for head in line.heads))
        for first in range(0, MANY + 28, 20_000):
            texts = []
            for i in range(first, min(first + 20_000, MANY + 28)):
                at, cycles = read_begins(i), (100 + i % 50, 200 + i % 7)
                die, host = dies[i % 32], hosts[i % 32]
                if i < MANY:
                    texts.append(read % (
                        *host, *divmod(at - 2_000_000, 10**6), lba_of(i), i,
                        *core, *divmod(at - 1_000_000, 10**6), 1250 * sum(cycles), *cycles,
                        *link, *divmod(at + DIE_BUSY + 300_000, 10**6),
                        *channels[i % 4], *divmod(at, 10**6), i % 64,
                        *die, *divmod(at, 10**6), i % 64, i * 40503 % 65536, i // 32 % 2, i,
                        *planes[i % 64], *divmod(at + 500_000, 10**6), i % 192,
                        host[1], i, *divmod(at - 900_000, 10**6), die[1], i, *divmod(at, 10**6)))
                if i >= 28:  # 28 reads later its channel sends the data: in order of time on each track
                    end = read_begins(i - 28) + DIE_BUSY
                    texts.append(out % (*channels[i % 4], *divmod(end - 4_000_000, 10**6), (i - 28) % 64))
            file.write("".join(texts))
        file.write('{"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":0}}\n]}\n')


def read_begins(i):
    return 10_000_000 + EVERY * i + i * 7919 % 1000 * 1000


def lba_of(i):
    return i * 2654435761 % 2**28 // 8 * 8


def parts_of_read(i):
    """{(track, name, start, end)}, arrows of read i"""
    at, end = read_begins(i), read_begins(i) + DIE_BUSY
    place, channel = f"{i % 4}/{i % 32 // 4}/0", f"channel {i % 4}"
    step = 1250 * (100 + i % 50 + 200 + i % 7)
    return {(f"tag {i % 32}", "READ", at - 2_000_000, end + 1_000_000),
            ("core 0", "hil+sched", at - 1_000_000, at - 1_000_000 + step),
            ("to host", "DATA", end + 300_000, end + 1_000_000),
            (channel, "READ", at, at + 400_000), (channel, "DATA OUT", end - 4_000_000, end),
            (f"die {place}", "READ", at, end),
            (f"plane {place}/{i // 32 % 2}", "READ", at + 500_000, at + 50_600_000)}, [(at - 900_000, at)]


def test_million_operations_open_within_two_seconds_and_40_mb(driver, tmp_path):
    out = write_run(tmp_path / "big", results(count=MANY))
    many_reads(out / "timeline.json.gz")
    build_report([out], tmp_path / "report.html", "1,000,000 operations")
    (out / "timeline.json.gz").unlink()
    assert (tmp_path / "report.html").stat().st_size < 40_000_000
    times = []
    page = ReportPage(driver)
    for _ in range(3):
        page.open(tmp_path / "report.html")
        times.append(page.js("return performance.getEntriesByName('tlmssd-timeline-drawn')[0].startTime"))
    assert statistics.median(times) < 2000, times
    for number in (700_123, 0, MANY - 1):
        state = page.follow(number)
        parts, arrows = parts_of_read(number)
        assert shown_parts(state["followed"][0]) == parts
        assert list(map(tuple, state["followed"][0]["arrows"])) == arrows
        assert f"at LBA {lba_of(number)}, tag {number % 32}" in page.find("#tl-status").text
    assert page.errors() == []
    driver.get("about:blank")
    (tmp_path / "report.html").unlink()
