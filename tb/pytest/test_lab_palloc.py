# SPDX-License-Identifier: BSD-3-Clause
"""The report of the 24 page-allocation orders: its figures by hand, and one point of the real program."""

import pytest

from cli import DONE, ROOT
from lab_support import call_lab, crafted, fake_program, traffic
from tlmssd_lab.figures import experiment

SMALL = """
title: Small
source: nobody
page: page.md
report: palloc
config: CONFIG
set: {observe.packages: true, geometry.blocks: 80, geometry.pages: 8}
dimensions:
  order: {key: ftl.allocation, values: [CWDP, WCDP, PDWC]}
base: {order: CWDP}
loads: {presets: [uniform-palloc-web]}
limits: {requests: 60}
paper:
  presets: [uniform-palloc-web]
  sequential: []
  figures: FIGURES
"""

CAUSES = """
title: Small
source: nobody
page: page.md
report: palloc_causes
config: CONFIG
dimensions:
  device:
    as is: {}
    packages: {vaq.conflict: package}
  order: {key: ftl.allocation, values: [CWDP, PDWC]}
base: {order: CWDP}
loads: {presets: [uniform-palloc-web]}
paper: {figures: {iops_gain: 40.1, latency_penalty: 11.1}}
"""


LAYOUT = """
title: Small
source: nobody
page: page.md
report: palloc_layout
config: CONFIG
dimensions:
  overwritten: {"0": {}, "40": {precondition.overwrite: 0.511}}
  order: {key: ftl.allocation, values: [CWDP, PDWC]}
base: {order: CWDP}
loads: {presets: [uniform-palloc-sql1]}
paper: {figures: {die_and_plane: 12.9 to 21.4, iops_gain: 40.1, latency_penalty: 11.1}}
"""

OPEN = """
title: Small
source: nobody
page: page.md
report: palloc_open
config: CONFIG
dimensions:
  device: {as is: {}}
  order: {key: ftl.allocation, values: [CWDP, CDPW, PDWC]}
base: {order: CWDP}
arrivals: [closed, 0.5]
loads: {presets: [uniform-palloc-fin2]}
paper:
  figures: {iops_gain: +40.1, latency_penalty: +11.1, iops_fin2: "-27.9", latency_fin2: "+12.5"}
"""


def write(folder, text):
    figures = experiment.load("palloc").paper["figures"]
    text = text.replace("CONFIG", str(ROOT / "configs/ssd/palloc.yaml"))
    path = folder / "small.yaml"
    path.write_text(text.replace("FIGURES", str(figures)), encoding="utf-8")
    return path


def packages(iops, latency, transactions, none, bus, cell, idle, occupied):
    return crafted(
        host__all=traffic(100, iops, latency, 200.0),
        flash__package_operations=transactions,
        flash__parallelism={"none": none, "die_interleaving": 0.0, "plane_sharing": 0.0,
                            "die_and_plane": 100.0 - none},
        flash__breakdown={"bus": bus, "cell": cell, "wait_channel": 0.0, "wait_die": 0.0,
                          "idle": idle},
        flash__conflict_wait_us={"package": 30.0, "channel": 10.0 * transactions / 100},
        flash__channels=[{"busy_s": 0.1, "occupied_s": occupied}, {"busy_s": 0.3, "occupied_s": 0.5}],
    )


ALIKE = (400, 90.0, 10.0, 30.0, 60.0, 0.1)


def cases():
    return [
        ["ftl.allocation=CWDP", 0, "", packages(1000.0, 100.0, 400, 90.0, 10.0, 30.0, 60.0, 0.1)],
        ["ftl.allocation=WCDP", 0, "", packages(800.0, 120.0, 400, 90.0, 10.0, 30.0, 60.0, 0.1)],
        ["ftl.allocation=PDWC", 0, "", packages(1500.0, 80.0, 100, 20.0, 12.0, 8.0, 80.0, 0.3)],
    ]


def run(tmp_path, program, text, *words):
    return call_lab("figure", write(tmp_path, text), "--out", tmp_path / "out", "--quiet", *words,
                    program=program)


def test_the_papers_sentences_stand_beside_what_the_runs_give(tmp_path):
    status, out, err = run(tmp_path, fake_program(tmp_path, cases()), SMALL)
    assert status == DONE, err
    rows = dict(line.strip("| ").split(" | ", 1) for line in out.splitlines()
                if line.startswith("| ") and " | " in line.strip("| "))
    assert rows["4: IOPS of die- and plane-first orders over CWDP, %"] == "40.1 | 50.0 | -"
    assert rows["5.5: IOPS of way-first over channel-first orders, %"] == "better | -20.0 | -"
    assert rows["5: latency of die- and plane-first orders over CWDP, %"] == "11.1 | -20.0 | -"
    assert rows["6: transactions of die- and plane-first orders over CWDP, %"].endswith("-75.0 | -")
    # 1 - 10 / 80: channel-first orders have 10 % parallel transactions, plane-first 80.
    assert rows["8: parallelism lost by channel-first against plane-first orders, %"] == (
        "44.9 | 87.5 | -")
    # of 0.5 s: (20 + 100) / 2 twice and (60 + 100) / 2; busy (20 + 60) / 2
    assert rows["9: channels occupied, %"] == "43.1 | 66.7 | -"
    assert rows["9: channels' bus busy, %"] == "- | 40.0 | -"
    assert rows["1: packages' bus and cells active, %"] == "22.1 | 33.3 | -"  # 40, 40, 20
    assert rows["5.1: bus share of reads (uniform-palloc-web), %"] == "at least 50.5 | 36.7 | -"  # 25, 25, 60
    assert rows["4: best order"] == "PWCD | PDWC | -"
    # IOPS, latency, transactions; waits 30 + 40 and 30 + 10.
    assert "| PDWC | 1.500 | - | 0.800 | - | 0.250 | 0.571 | 80.0 | 80.0 | 40.0 | 80.0 |" in out
    assert (tmp_path / "out/small/small.svg").read_bytes().startswith(b"<svg")


def test_a_cause_is_shown_by_the_gain_without_it(tmp_path):
    slower = packages(1100.0, 90.0, 100, 20.0, 12.0, 8.0, 80.0, 0.3)
    program = fake_program(tmp_path, [["packages+PDWC", 0, "", slower], *cases()])
    status, out, err = run(tmp_path, program, CAUSES)
    assert status == DONE, err
    assert "| as is | 1,000 | +50.0 | +50.0 | -20.0 | 10.0 | 80.0 |" in out
    assert "| packages | 1,000 | +10.0 | +10.0 | -10.0 | 10.0 | 80.0 |" in out
    assert "the paper has +40.1 %" in " ".join(out.split())


def test_what_is_left_of_a_layout_that_was_overwritten(tmp_path):
    left = packages(900.0, 110.0, 200, 80.0, 12.0, 8.0, 80.0, 0.3)
    program = fake_program(tmp_path, [["40+PDWC", 0, "", left],
                                      *cases()])
    status, out, err = run(tmp_path, program, LAYOUT)
    assert status == DONE, err
    assert "| 0 | 80.0 |" in out and "| 40 | 20.0 |" in out  # 100 - none
    assert "| 0 | +50.0 | -20.0 | 10.0 | 80.0 |" in out
    assert "| 40 | -10.0 | +10.0 | 10.0 | 20.0 |" in out


def test_open_loop_has_latency_beside_the_closed_loops_throughput(tmp_path):
    seldom = packages(500.0, 60.0, 100, 20.0, 12.0, 8.0, 80.0, 0.3)
    program = fake_program(tmp_path, [
        ["PDWC/0.5-seed", 0, "", seldom],
        ["CDPW/0.5-seed", 0, "", packages(500.0, 50.0, *ALIKE)],
        ["workload.rate_iops=500.0", 0, "", packages(500.0, 40.0, *ALIKE)],  # half of CWDP's 1,000
        ["ftl.allocation=CDPW", 0, "", packages(1250.0, 100.0, *ALIKE)],
        *cases(),
    ])
    status, out, err = run(tmp_path, program, OPEN)
    assert status == DONE, err
    # closed: 1,500 over 1,000 requests a second, 80 over 100 us; open: 60 over 40 us
    assert "| all | 40.1 and 11.1 | +50.0 | -20.0 | +50.0 |" in out
    # closed: (1 + 1.25) / 2 over 1.5, (1 + 1) / 2 over 0.8; open: (1 + 1.25) / 2 over 1.5
    assert "| fin2 | -27.9 and +12.5 | -25.0 | +25.0 | -25.0 |" in out


@pytest.mark.parametrize("form", ["palloc", "palloc-causes"])
def test_all_orders_and_devices_are_those_of_the_page(form):
    wanted = experiment.load(form)
    orders = next(d for d in wanted.dimensions if d.name == "order").labels
    assert len(set(orders)) == (24 if form == "palloc" else 5)
    assert all(sorted(order) == sorted("CWDP") for order in orders)


def test_plane_and_die_first_need_fewer_transactions_on_the_real_program(tlmssd, tmp_path):
    status, out, err = run(tmp_path, tlmssd.path, SMALL)
    assert status == DONE, err
    row = next(line for line in out.splitlines() if line.startswith("| PDWC | ") and line.count("|") > 10)
    assert float(row.split("|")[6]) < 0.8, row
