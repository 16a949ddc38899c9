# SPDX-License-Identifier: BSD-3-Clause
"""The report of eviction to all channels: its figures by hand, and points of the real program."""

import pytest

from cli import DONE, ROOT
from lab_support import call_lab, crafted, fake_program, traffic
from tlmssd_lab.figures import experiment, experiment_points
from tlmssd_lab.figures.cawr import variation
from tlmssd_lab.figures.cawr_length import exponent

SMALL = """
title: Small
source: nobody
page: page.md
report: cawr
config: CONFIG
set: {geometry.blocks: 256}
dimensions:
  scheme:
    rr: {buffer.policy: ccf_lru}
    cave: {buffer.policy: cave}
    cawr: {buffer.policy: cawr}
  size: {key: buffer.size_mib, values: [1, 16]}
loads:
  presets: [uniform-Financial1]
  set_presets: {workload.random_distribution: "zipf:1.1"}
limits: {requests: 300}
arrivals: [own]
paper: PAPER
"""


def write(folder, text=SMALL):
    paper = experiment.load("cawr").paper
    path = folder / "small.yaml"
    text = text.replace("CONFIG", str(ROOT / "configs/ssd/cawr.yaml")).replace("PAPER", str(dict(paper)))
    path.write_text(text, encoding="utf-8")
    return path


def run(folder, program, *more):
    return call_lab("figure", write(folder), "--out", folder / "out", "--quiet", *more, program=program)


def test_variation_is_that_of_a_population():
    # Mean 5, squares of the differences 9 + 1 + 1 + 9 = 20, over 4: 5; sqrt(5) / 5.
    assert variation([2, 4, 6, 8]) == pytest.approx(5**0.5 / 5)
    assert variation([7, 7, 7, 7]) == 0
    assert variation([0, 0, 0, 0]) is None
    assert variation([]) is None


def test_own_arrivals_leave_the_rate_of_the_preset():
    wanted = experiment.load("cawr")
    loads = [x for x in experiment_points.loads(wanted)[0] if x.preset is not None and not x.fitted]
    points = experiment_points.points(wanted, loads)
    assert {p.settings["workload.mode"] for p in points} == {"open"}
    assert not any("workload.rate_iops" in p.settings for p in points)
    assert {p.settings["workload.random_distribution"] for p in points} == {"zipf:1.1"}
    assert not any("workload.beyond" in p.settings for p in points), "of traces only"


def case(policy, hits, moved, erased, response, programs):
    channels = [{"reads": 10, "programs": n, "erases": 5} for n in programs]
    return [f"buffer.policy={policy}", 0, "", crafted(
        host__all=traffic(100, 10.0, response, 200.0),
        buffer__hit_ratio=hits,
        ftl__gc={"pages_moved": moved, "blocks_erased": erased},
        flash__channels=channels,
    )]


def test_the_report_has_the_papers_figures_by_hand(tmp_path):
    program = fake_program(tmp_path, [
        case("ccf_lru", 0.5, 2000, 200, 800.0, [4, 4, 4, 4]),
        case("cave", 0.5, 2100, 200, 300.0, [4, 4, 4, 4]),
        case("cawr", 0.49, 1800, 190, 240.0, [2, 4, 6, 8]),
    ])
    status, out, err = run(tmp_path, program)
    assert status == DONE, err
    assert "| 6: hit ratio of CAWR over CCF-LRU, points | about 0 | -1.0 | - |" in out
    assert "| 7: pages moved, CAWR over CCF-LRU in turn, 1 MiB, % | -7 | -10.0 | - |" in out
    assert "| 7: blocks erased, best, % | -5 | -5.0 (uniform-Financial1) | - |" in out
    assert "| 8: response time, CAWR over CCF-LRU in turn, % | -26 | -70.0 | - |" in out
    assert "| 9: response time, CAWR over CAVE, % | about 0; better on Financial1, 2 | -20.0 | - |" in out
    assert "| V.2.E: pages moved, CAVE over CCF-LRU in turn, % | about 0 | +5.0 | - |" in out
    # sqrt(5) / 5 = 0.4472
    assert "| uniform-Financial1 | cawr | 0.0023 | 0.0000 | 0.0045 | 0.4472 | 0.0043 | 0.0000 |" in out


def test_no_zero_stands_for_garbage_collection_that_did_not_run(tmp_path):
    """As in the quick form, whose runs are too short for it."""
    program = fake_program(tmp_path, [
        case(policy, 0.5, 0, 0, 800.0, [4, 4, 4, 4]) for policy in ("ccf_lru", "cave", "cawr")
    ])
    status, out, err = run(tmp_path, program)
    assert status == DONE, err
    for title in ("Pages moved by garbage collection", "Blocks erased"):
        assert f"{title}: garbage collection did not run at any point" in " ".join(out.split())
    assert "| 0 |" not in out
    assert "| uniform-Financial1 | cawr | 800 | 800 |" in out


def test_where_it_ran_at_some_points_the_others_have_a_dash(tmp_path):
    idle = case("cave", 0.5, 0, 0, 800.0, [4, 4, 4, 4])
    none_moved = case("cawr", 0.5, 0, 7, 800.0, [4, 4, 4, 4])  # all pages of its victims were dead
    program = fake_program(tmp_path, [case("ccf_lru", 0.5, 2000, 200, 800.0, [4, 4, 4, 4]), idle, none_moved])
    status, out, err = run(tmp_path, program)
    assert status == DONE, err
    moved = out.split("Pages moved by garbage collection:")[1].split("Blocks erased:")[0]
    assert "| uniform-Financial1 | rr | 2,000 | 2,000 |" in moved
    assert "| uniform-Financial1 | cave | - | - |" in moved
    assert "| uniform-Financial1 | cawr | 0 | 0 |" in moved


def with_devices(report, size="[1, 16]"):
    """SMALL on two devices, with another report."""
    text = SMALL.replace("report: cawr", f"report: {report}").replace("values: [1, 16]", f"values: {size}")
    return text.replace("dimensions:", "dimensions:\n  device: {as is: {}, slow: {nand.t_read_us: 90}}")


def test_the_spread_stands_by_device_and_operation(tmp_path):
    def of(words, reads, programs, erases):
        channels = [{"reads": r, "programs": p, "erases": e} for r, p, e in zip(reads, programs, erases)]
        return [words, 0, "", crafted(flash__channels=channels)]

    even, none = [6, 6, 6, 6], [0, 0, 0, 0]
    program = fake_program(tmp_path, [
        # sqrt(5) / 5 = 0.4472 at 1 MiB and 0 at 16: the mean is 0.2236.
        of("nand.t_read_us=90 --set buffer.policy=cawr --set buffer.size_mib=16", even, even, none),
        of("nand.t_read_us=90 --set buffer.policy=cawr", [2, 4, 6, 8], even, none),
        of("buffer.policy=", even, [2, 4, 6, 8], even),
    ])
    path = write(tmp_path, with_devices("cawr_spread"))
    status, out, err = call_lab("figure", path, "--out", tmp_path / "out", "--quiet", program=program)
    assert status == DONE, err
    reads, writes, erases = out.split("Coefficient of variation over the channels, ")[1:]
    assert reads.startswith("reads, means over 1, 16 MiB:")
    assert "| as is | cawr | 0.0000 |" in reads and "| slow | rr | 0.0000 |" in reads
    assert "| slow | cawr | 0.2236 |" in reads
    assert "| as is | cawr | 0.4472 |" in writes and "| slow | cawr | 0.0000 |" in writes
    assert "| as is | cawr | 0.0000 |" in erases and "| slow | cawr | - |" in erases


def test_an_exponent_is_the_slope_of_the_logarithms():
    assert exponent({100: 0.2, 400: 0.1, 1600: 0.05}) == pytest.approx(-0.5)
    assert exponent({100: 0.1, 10000: 0.1}) == pytest.approx(0)
    assert exponent({100: 0.0, 400: 0.1, 1600: 0.4}) == pytest.approx(1), "none has no logarithm"
    assert exponent({100: 0.1}) is None


def test_the_spread_stands_by_number_of_requests(tmp_path):
    def of(words, programs, moved):
        channels = [{"reads": 5, "programs": p, "erases": 0} for p in programs]
        return [words, 0, "", crafted(flash__channels=channels, ftl__gc={"pages_moved": moved})]

    program = fake_program(tmp_path, [
        of("buffer.policy=cawr --set workload.requests=400", [4, 4, 6, 6], 1800),  # 1 / 5
        of("buffer.policy=cawr", [3, 3, 7, 7], 900),  # 2 / 5
        of("workload.requests=400", [5, 5, 5, 5], 2000),
        of("buffer.policy=", [4, 4, 6, 6], 999),
    ])
    text = SMALL.replace("report: cawr", "report: cawr_length").replace("limits: {requests: 300}\n", "")
    text = text.replace("    cave: {buffer.policy: cave}\n", "")
    text = text.replace("size: {key: buffer.size_mib, values: [1, 16]}", "requests: {key: workload.requests, values: [100, 400]}")
    path = write(tmp_path, text)
    status, out, err = call_lab("figure", path, "--out", tmp_path / "out", "--quiet", program=program)
    assert status == DONE, err
    assert "| scheme | operations | paper | 100 | 400 | exponent |" in out
    assert "| cawr | writes | 0.00450 | 0.4000 | 0.2000 | -0.50 |" in out
    assert "| rr | writes | 0.00310 | 0.2000 | 0.0000 | - |" in out
    assert "| cawr | erases | 0.00430 | - | - | - |" in out
    assert "| uniform-Financial1 | - | -10.0 |" in out, "fewer than 1,000 are no base"


def test_what_the_response_over_cave_consists_of_stands_by_device_and_load(tmp_path):
    def of(words, response, reads, writes, misses, sets):
        return [words, 0, "", crafted(
            host__all=traffic(100, 10.0, response, 200.0),
            host__reads=traffic(50, 10.0, reads, 200.0),
            host__writes=traffic(50, 10.0, writes, 200.0),
            buffer={"hit_ratio": 0.5, "read_misses": misses[0], "write_misses": misses[1],
                    "evicted_sets": sets},
            ftl__gc={"pages_moved": 0, "blocks_erased": 0},
        )]

    program = fake_program(tmp_path, [
        of("nand.t_read_us=90 --set buffer.policy=cawr", 330.0, 220.0, 440.0, (80, 110), 0),
        of("nand.t_read_us=90", 300.0, 200.0, 400.0, (100, 100), 0),
        of("buffer.policy=cawr", 90.0, 50.0, 150.0, (150, 90), 25),
        of("buffer.policy=", 100.0, 100.0, 100.0, (100, 100), 20),
    ])
    path = write(tmp_path, with_devices("cawr_pages", "[1]"))
    status, out, err = call_lab("figure", path, "--out", tmp_path / "out", "--quiet", program=program)
    assert status == DONE, err
    heads = "response | reads | writes | read misses | write misses | sets written"
    assert f"| device | load | {heads} |" in out
    assert "| as is | uniform-Financial1 | -10.0 | -50.0 | +50.0 | +50.0 | -10.0 | +25.0 |" in out
    assert "| slow | uniform-Financial1 | +10.0 | +10.0 | +10.0 | -20.0 | +10.0 | - |" in out
    assert "| as is | cawr | 90.0 | -10.0 |" in out, "and the table of the causes before it"


def test_the_real_program_runs_a_point_of_each_scheme(tlmssd, tmp_path):
    status, out, err = run(tmp_path, tlmssd.path)
    assert status == DONE, err
    assert "Not in these tables" not in out


def test_an_arrival_that_is_none_is_refused(tmp_path):
    path = write(tmp_path, SMALL.replace("arrivals: [own]", "arrivals: [owm]"))
    status, _, err = call_lab("figure", path, "--out", tmp_path / "out", program=tmp_path)
    assert status == 2 and "'owm' is no share, and not closed or own" in err


def test_presets_with_locality_have_a_column_of_their_own_and_no_other_addresses(tmp_path):
    more = SMALL.replace("loads:\n", "loads:\n  fitted: [fitted-financial1]\n")
    wanted = experiment.load(str(write(tmp_path, more)))
    points = experiment_points.points(wanted, experiment_points.loads(wanted)[0])
    settings = {point.load.name: point.settings for point in points}
    assert settings["uniform-Financial1"]["workload.random_distribution"] == "zipf:1.1"
    assert "workload.random_distribution" not in settings["fitted-financial1"]
    program = fake_program(tmp_path, [
        ["fitted-financial1/rr+", 0, "", crafted(host__all=traffic(100, 10.0, 400.0, 500.0))],
        ["fitted-financial1/", 0, "", crafted(host__all=traffic(100, 10.0, 300.0, 500.0))],
        ["/rr+", 0, "", crafted(host__all=traffic(100, 10.0, 1000.0, 2000.0))],
        ["/", 0, "", crafted(host__all=traffic(100, 10.0, 500.0, 2000.0))],
    ])
    status, out, err = call_lab("figure", write(tmp_path, more), "--out", tmp_path / "out", "--quiet", program=program)
    assert status == DONE, err
    assert "1 presets of the paper's table of its traces, 1 with the locality of real pieces and 0 real pieces" in (
        " ".join(out.split()))
    assert "| figure of the paper | paper | presets | fitted | pieces |" in out
    assert "| 8: response time, CAWR over CCF-LRU in turn, % | -26 | -50.0 | -25.0 | - |" in out
