# SPDX-License-Identifier: BSD-3-Clause
"""The report's page: what it says follows from the runs, and it needs nothing but itself."""
import collections
import html.parser
import json
import math
import re

import pytest

from report_fixtures import (STAGES, Timeline, add_measurements, results, worst_entry, write_run)
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.html_text import number, table
from tlmssd_lab.report import build_report
from tlmssd_lab.report.runs import differences, load_runs
from tlmssd_lab.report.summary import summary, warnings
from tlmssd_lab.run.latency import curve

VOID = {"meta", "input", "br", "link", "img"}


class Page(html.parser.HTMLParser):
    """Collects elements and text, and checks that every element is closed in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.texts = [], [], collections.defaultdict(list)
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        for tag in set(self.open):
            self.texts[tag].append(data)

    def words(self, tag="main"):
        return " ".join(" ".join(self.texts[tag]).split())


def page_of(tmp_path, *documents, title="A title", timelines=()):
    """The page on runs named a, b, ..."""
    folders = [write_run(tmp_path / "abcdefgh"[i], document, *timelines[i:i + 1])
               for i, document in enumerate(documents)]
    build_report(folders, tmp_path / "report.html", title)
    return (tmp_path / "report.html").read_text(encoding="utf-8")


def runs_of(tmp_path, *documents):
    return load_runs([write_run(tmp_path / "abcdefgh"[i], document)
                      for i, document in enumerate(documents)])


def small_timeline():
    line = Timeline()
    line.slice("host requests", "tag 3", "READ", 1_000_000, 9_000_000, lba=8, bytes=4096,
               arrival_us=1.0, request=5)
    return line


def test_page_is_whole_and_fetches_nothing(tmp_path):
    text = page_of(tmp_path, results(), results("vaq"), timelines=[small_timeline()])
    page = Page(text)
    for tag, attributes in page.elements:
        for key in ("src", "href", "xlink:href", "action", "data"):
            assert attributes.get(key, "#").startswith("#"), (tag, attributes)
    assert not re.search(r"@import|url\((?!#)", re.sub(r"<script>.*?</script>", "", text,
                                                       flags=re.DOTALL))
    policy = [a["content"] for t, a in page.elements
              if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"]
    assert len(policy) == 1 and policy[0].startswith("default-src 'none'; script-src 'sha256-")


def test_waveforms_are_one_click_away_with_their_pictures(tmp_path):
    folder = write_run(tmp_path / "a", results(), small_timeline())
    (folder / "host & rtl.fst").write_bytes(b"fst")
    (folder / "host & rtl.png").write_bytes(b"png")
    (folder / "other.fst").write_bytes(b"fst")
    (tmp_path / "page").mkdir()
    build_report([folder], tmp_path / "page/report.html", "waves")
    page = Page((tmp_path / "page/report.html").read_text(encoding="utf-8"))
    links = [a["href"] for t, a in page.elements if t == "a" and not a["href"].startswith("#")]
    assert links == ["../a/host%20%26%20rtl.fst", "../a/other.fst"]
    assert [a["src"] for t, a in page.elements if t == "img"] == ["data:image/png;base64,cG5n"]
    (tmp_path / "none").mkdir()
    assert "Waveforms" not in Page(page_of(tmp_path / "none", results("vaq"))).words()


def test_structure_serves_a_screen_reader(tmp_path):
    page = Page(page_of(tmp_path, results(), results("vaq")))
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in zip(levels, levels[1:]))
    tags = [tag for tag, _ in page.elements]
    assert tags.count("caption") == tags.count("table") > 4
    ids = [a["id"] for _, a in page.elements if "id" in a]
    assert len(ids) == len(set(ids))
    links = [a["href"][1:] for t, a in page.elements if t == "a" and "href" in a]
    assert links[0] == "summary" and set(links) <= set(ids)
    assert all(a.get("aria-label") for t, a in page.elements if t == "svg")


def test_texts_of_runs_cannot_become_markup(tmp_path):
    evil = '</script><script>alert("1")</script><img src=x onerror=alert(1)>&"\'$x^2$'
    document = results(evil, config={evil: evil})
    document["worst"] = [worst_entry(1.0, 8.0, 3, 8, cause=evil, kind=evil)]
    document["host"]["jobs"][0] |= {"name": evil, "workload": evil, "mode": evil}
    document["bound"]["limiter"] = evil
    document["status"] = evil
    line = Timeline()
    line.slice("host requests", "tag 3", evil, 1_000_000, 9_000_000, lba=8, request=5, evil=evil)
    line.slice("dies", evil, evil, 1, 2, tag=1, request=[5])
    folder = write_run(tmp_path / "<b>&'\"", document, line)
    build_report([folder], tmp_path / "report.html", evil)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert not [tag for tag, _ in page.elements if tag in ("img", "b")]
    assert not any(key.startswith("on") for _, a in page.elements for key in a)
    kinds = [a.get("type", "code") for t, a in page.elements if t == "script"]
    assert kinds.count("code") == 1
    assert evil in "".join(page.texts["h1"]) and evil in "".join(page.texts["td"])


def test_equal_runs_make_equal_pages(tmp_path):
    first = page_of(tmp_path, results(), results("vaq"), timelines=[small_timeline()])
    assert first == page_of(tmp_path, results(), results("vaq"), timelines=[small_timeline()])


def test_older_results_are_shown_with_a_note_on_what_they_lack(tmp_path):
    page = Page(page_of(tmp_path, results(additions=False)))
    words = page.words()
    for what in ("stage breakdown", "series over time", "figures of single jobs",
                 "table of what acted", "worst requests", "timeline"):
        assert f"No {what} in a: " in words
    assert "a completed 20,000 reads and writes" in words


def test_one_old_run_among_new_ones_is_named(tmp_path):
    words = Page(page_of(tmp_path, results(), results(additions=False))).words()
    assert "No stage breakdown in b: " in words
    assert "No stage breakdown in a" not in words


# Ten stages of 1 us each, wait_die aside: 9 + 91 = 100 us in a, 9 + 41 = 50 us in b.
def slow_and_fast():
    return [results("inorder", time_s=1.0, stages_us={"wait_die": 91.0}),
            results("vaq", time_s=0.5, stages_us={"wait_die": 41.0})]


def test_summary_names_the_fastest_and_by_how_much(tmp_path):
    said = dict(summary(runs_of(tmp_path, *slow_and_fast())))
    # 20,000 requests in 0.5 s and in 1 s
    assert said["Fastest"] == (
        "b, with 40,000 requests/s; 2.00 times as much as a (20,000 requests/s).")


def test_summary_tells_the_second_and_the_slowest_of_several(tmp_path):
    runs = runs_of(tmp_path, results(time_s=0.5), results(time_s=0.55), results(time_s=1.0))
    # 40,000, 36,363.6 (a tenth less than 1.1 times) and 20,000 requests/s
    assert dict(summary(runs))["Fastest"] == (
        "a, with 40,000 requests/s; 10.0 % more than b (36,364 requests/s); 2.00 times as much as "
        "c, the slowest (20,000 requests/s).")


def test_summary_names_the_stage_that_differs_most(tmp_path):
    said = dict(summary(runs_of(tmp_path, *slow_and_fast())))
    # All 50 us of the difference are in wait_die.
    assert said["Where the time goes"] == (
        "Of a mean latency of 50 \u00b5s in b and 100 \u00b5s in a, the stage that differs most is "
        "\u201cwait for the die\u201d: 41 against 91 \u00b5s, 100 % of the difference.")


def test_summary_tells_limit_and_utilisation(tmp_path):
    said = dict(summary(runs_of(tmp_path, results())))
    assert said["Limit"] == ("a ran at 80.0 % of the bound that the host link sets, which was idle "
                             "for the other 20.0 % of the time.")
    # Channels 40 % and 60 %; four dies, idle for two of their four run lengths.
    assert said["Busy"] == ("a: channels 50.0 % on average, the busiest 60.0 %; dies 50.0 %; "
                            "firmware cores 25.0 %. No core is busy half of the time: the "
                            "firmware is not what limits.")


def test_summary_does_not_rank_runs_that_are_equal(tmp_path):
    runs = runs_of(tmp_path, results(time_s=0.5), results("vaq", time_s=0.501))  # 0.2 %
    assert dict(summary(runs))["Fastest"].startswith("None: all runs are within 0.5 %")


def test_summary_does_not_name_a_cause_where_several_keys_differ(tmp_path):
    runs = runs_of(tmp_path, results(config={"cpu": {"mhz": 800}}),
                   results("vaq", time_s=1.0, config={"cpu": {"mhz": 400}}))
    assert "do not show which key made" in dict(summary(runs))["Changed"]
    runs = runs_of(tmp_path, results(), results("vaq", time_s=1.0))
    assert dict(summary(runs))["Changed"] == (
        "a and b differ in one key: scheduler (inorder against vaq).")


def test_parameters_of_a_choice_are_not_taken_for_further_causes(tmp_path):
    sost = {"sost": {"leveler": True, "return_reads": 3}}  # inorder has no such keys
    runs = runs_of(tmp_path, results(), results("sost", time_s=1.0, config=sost))
    assert dict(summary(runs))["Changed"] == (
        "a and b differ in one key: scheduler (inorder against sost). "
        "2 more keys belong to what only one of them uses (see Configuration).")


def test_values_are_told_as_the_configuration_writes_them(tmp_path):
    runs = runs_of(tmp_path, results(config={"checker": True}),
                   results(time_s=1.0, config={"checker": False}))
    assert dict(summary(runs))["Changed"] == "a and b differ in one key: checker (true against false)."


def test_open_loop_is_ranked_by_response_not_by_throughput(tmp_path):
    slow = results("inorder", time_s=0.4, mode="open", stages_us={"cell": 91.0})  # 100 us
    fast = results("vaq", time_s=0.5, mode="open", stages_us={"cell": 31.0})  # 40 us
    for document in (slow, fast):
        document["host"]["jobs"][0]["mode"] = "open"
    said = dict(summary(runs_of(tmp_path, slow, fast)))["Fastest"]
    assert said.startswith("b, with a mean response of 40 \u00b5s; a takes 2.50 times as long "
                           "(a mean response of 100 \u00b5s).")


def test_work_that_differs_is_told(tmp_path):
    other = results("vaq", count=10000)
    other["seed"] = 2
    said = " ".join(warnings(runs_of(tmp_path, results(), other)))
    assert "different amounts of work" in said and "seeds differ" in said
    said = " ".join(warnings(runs_of(tmp_path, results(), results("vaq"))))
    assert "not strictly comparable" not in said and "One run each" in said


def test_wrong_results_are_not_passed_over(tmp_path):
    document = results()
    document |= {"status": "failed", "integrity": {"mismatches": 3}, "checker": {"violations": 2},
                 "warmup": {"kind": "until_steady", "steady": False}, "calibrated": False}
    document["host"]["errors"] = {"reads": 4, "writes": 0, "others": 1}
    said = " ".join(warnings(runs_of(tmp_path, document)))
    for text in ("a is failed", "3 data mismatches", "2 ONFI protocol violations",
                 "ended 5 commands with an error", "never became steady", "estimates"):
        assert text in said


def test_tail_is_told_only_as_far_as_the_run_is_long(tmp_path):
    # Ten slowest at least: p99.9 needs 10,000 requests, p99 1,000, p95 200.
    for count, text in ((10000, "p99.9 "), (9999, "p99 "), (999, "p95 "), (199, None)):
        said = dict(summary(runs_of(tmp_path, results(count=count)))).get("Tail")
        assert said is None if text is None else said.startswith(text)


def test_percentiles_end_where_the_run_has_no_request_beyond(tmp_path):
    run, = runs_of(tmp_path, results(count=1000, stages_us={"cell": 91.0}))  # mean 100 us
    points, whole = curve(run.results, run.log)
    # 1,000 requests reach p99.9, which is also the place of the maximum (3 nines).
    assert not whole
    assert [round(x, 3) for x, _ in points] == [0.301, 1.301, 2.0, 3.0]
    assert [y for _, y in points] == [100, 200, 300, 600]


def test_log_gives_every_percentile(tmp_path):
    folder = write_run(tmp_path / "a", results(count=4))
    rows = "".join(f"0,read,0,4096,0,0.000,0.000,{ns}.000,0,1,ok\n"
                   for ns in (3000, 1000, 4000, 2000))
    (folder / "log.csv").write_text(
        "job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,flash_ops,status\n" + rows
        + "0,trim,0,4096,0,0.000,0.000,9000.000,0,0,ok\n"
        + "0,read,0,4096,0,0.000,0.000,8000.000,0,1,error\n", encoding="ascii")
    run = load_runs([folder])[0]
    points, whole = curve(run.results, run.log)
    assert whole and [y for _, y in points] == [1.0, 2.0, 3.0, 4.0]  # TRIM is not in it
    # Rank r ends at r / 4: up to 25 % 1 us, ..., the last at 75 %.
    assert points[-1][0] == pytest.approx(math.log10(4))
    assert points[0][0] <= -math.log10(0.75) < points[1][0] <= -math.log10(0.5) < points[2][0]


def test_differences_are_by_dotted_key(tmp_path):
    runs = runs_of(tmp_path, results(config={"cpu": {"mhz": 800, "cores": 1}, "list": [1]}),
                   results(config={"cpu": {"mhz": 400, "cores": 1}, "list": [2]}))
    assert differences(runs) == {"cpu.mhz": [800, 400], "list": [[1], [2]]}


def test_worst_requests_lead_to_the_timeline_where_they_are_in_it(tmp_path):
    document = results()
    document["worst"] = [worst_entry(1.0, 8.0, 3, 8), worst_entry(50.0, 7.0, 3, 8)]
    page = Page(page_of(tmp_path, document, timelines=[small_timeline()]))
    buttons = [a for t, a in page.elements if t == "button" and "data-show-request" in a]
    assert [(a["data-show-run"], a["data-show-request"]) for a in buttons] == [("0", "5")]
    assert "wait for the die, 8" in page.words()


def test_decisions_of_a_run_stand_in_the_summary_and_once_if_all_runs_made_them(tmp_path):
    both, one = "the spare is 0.24", "the trace is of format msr"
    first, second = results(), results("vaq")
    first["notes"], second["notes"] = [both, one], [both]
    said = warnings(runs_of(tmp_path, first, second))
    assert said.count(both) == 1 and said.count(f"a: {one}") == 1
    assert sum(both in text or one in text for text in said) == 2
    words = Page(page_of(tmp_path, first)).words()
    assert both in words and one in words


def test_what_acted_and_what_did_nothing_stand_beside_each_other(tmp_path):
    words = Page(page_of(tmp_path, results())).words()
    assert "a: 2 mechanisms are on, 1 of them did nothing" in words
    assert "read hits buffer.reads 7 10 page reads of the host 7 waits of reads for flash" in words
    assert "garbage collection ftl.gc.policy 0 \u2013 pages programmed" in words
    assert "the host wrote nothing" in words


@pytest.mark.parametrize("paths, names", [
    (["x/inorder", "x/vaq"], ["inorder", "vaq"]),
    (["x/inorder/seed-1", "x/vaq/seed-1"], ["inorder", "vaq"]),
    (["x/s/one", "y/s/two", "y/t/two"], ["x/s/one", "y/s/two", "y/t/two"]),
    (["x", "x"], ["x", "x (2)"])])
def test_runs_are_named_by_what_tells_their_folders_apart(tmp_path, paths, names):
    for path in paths:
        write_run(tmp_path / path, results())
    got = [run.name for run in load_runs([tmp_path / path for path in paths])]
    if paths[0] == "x/s/one":  # one/two alone does not do; the shortest common length that does
        names = ["s/one", "s/two", "t/two"]
    assert got == names


@pytest.mark.parametrize("text, word", [
    (None, "not found"), ("{", "results.json"), ("[]", "tlmssd-results-1"),
    ('{"schema": "tlmssd-results-2"}', "tlmssd-results-1"),
    ('{"schema": "tlmssd-results-1", "config": {}}', "'sim'")])
def test_what_is_no_run_is_refused_and_nothing_is_written(tmp_path, text, word):
    folder = tmp_path / "a"
    folder.mkdir()
    if text is not None:
        (folder / "results.json").write_text(text, encoding="utf-8")
    with pytest.raises(LabInputError) as refusal:
        build_report([folder], tmp_path / "report.html", "t")
    assert str(folder / "results.json") in str(refusal.value) and word in str(refusal.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]


def test_damaged_timeline_leaves_an_older_page_as_it_was(tmp_path):
    folder = write_run(tmp_path / "a", results())
    (folder / "timeline.json").write_text("no timeline", encoding="ascii")
    (tmp_path / "report.html").write_text("older", encoding="ascii")
    with pytest.raises(LabInputError, match="timeline.json"):
        build_report([folder], tmp_path / "report.html", "t")
    assert (tmp_path / "report.html").read_text(encoding="ascii") == "older"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "report.html"]


def test_no_run_is_an_error(tmp_path):
    with pytest.raises(LabInputError, match="at least one"):
        build_report([], tmp_path / "report.html", "t")


@pytest.mark.parametrize("value, text", [
    (None, "\u2013"), (0.0, "0"), (1234567, "1,234,567"), (1234567.8, "1,234,568"),
    (1.23456, "1.235"), (999.96, "1000"), (0.000012345, "1.23e-05")])
def test_numbers_have_four_digits_and_counts_all(value, text):
    assert number(value) == text


def test_table_escapes_cells():
    assert "<td>&lt;i&gt;</td>" in table("c", ["a", "b"], [["x", "<i>"]], texts=(1,))


def test_stage_numbers_are_in_the_page(tmp_path):
    document = results(additions=False)
    add_measurements(document, {stage: float(i + 1) for i, stage in enumerate(STAGES)})
    page = Page(page_of(tmp_path, document))
    # 1 + 2 + ... + 10 = 55
    row = "a, reads and writes 1 2 3 4 5 6 7 8 9 10 55"
    assert row in " ".join(" ".join(page.texts["tr"]).split())


def test_undefined_figures_are_dashes(tmp_path):
    document = results(count=0)
    for part in ("all", "reads", "writes"):
        document["host"][part] |= {"iops": None, "mb_s": None,
                                   "latency_us": dict.fromkeys(
                                       ("mean", "p50", "p95", "p99", "p999", "p9999", "max"))}
        document["host"][part]["response_us"] = document["host"][part]["latency_us"]
    document["series"]["points"] = [
        {"t_s": 0.0, "iops": None, "mb_s": None, "reads": 0, "writes": 0,
         "latency_us": {"mean": None, "p99": None, "max": None}, "queue_depth": None, "waf": None,
         "channels_busy": None, "dies_busy": None, "cores_busy": None}]
    document["bound"]["fraction_of_bound"] = None
    words = Page(page_of(tmp_path, document)).words()
    assert "No run completed enough" in words and "\u2013 \u2013" in words
    json.dumps(document)
