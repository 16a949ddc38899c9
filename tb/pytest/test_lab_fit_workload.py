# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab fit-workload: distances, the fit and its check."""

import sys

import numpy as np
import pytest

from cli import DONE, INPUT_ERROR, ROOT
from lab_support import call_lab
from tlmssd_lab import lab
from tlmssd_lab.locality import fit, stack
from tlmssd_lab.locality.arrivals import fit_arrivals, variation
from tlmssd_lab.run.run import Trace

sys.path.insert(0, str(ROOT / "scripts/gen"))
from gen_fitted_presets import PIECES  # noqa: E402

COLUMNS = "device,op,lba:sectors,size:bytes,time:ns"


def requests(write, start, sectors):
    write, start, sectors = (np.asarray(part) for part in (write, start, sectors))
    return stack.Requests(write.astype(bool), start, sectors, np.arange(len(start)) * 1e-3)


def test_distances_are_those_of_a_plain_list():
    draws = np.random.default_rng(1)
    blocks = draws.zipf(1.3, 3000) % 500
    order, plain = [], []
    for block in blocks.tolist():
        plain.append(order.index(block) + 1 if block in order else 0)
        if block in order:
            order.remove(block)
        order.insert(0, block)
    assert stack.distances(blocks).tolist() == plain
    assert stack.hit_ratios(stack.distances(np.array([1, 2, 1, 1, 2])), np.array([1, 2])).tolist() == [0.2, 0.6]


def test_blocks_of_a_request_are_those_that_it_touches():
    uses = stack.accesses(requests([0, 1], [7, 16], [2, 8]), 8)
    assert uses.block.tolist() == [0, 1, 2] and uses.request.tolist() == [0, 0, 1]


def test_a_loop_that_has_just_begun_again_is_known_to_be_a_loop():
    """Half of its uses are new, but each could only show that its distance is above what was used before."""
    blocks = np.tile(np.arange(1000), 2)
    distance = stack.distances(blocks)
    beyond = fit.survival(distance, stack.used_before(distance), np.array([1, 999, 1000]))
    assert beyond.tolist() == [1.0, 1.0, 0.0]


def test_runs_are_requests_of_one_kind_that_follow():
    made = requests([0, 0, 0, 1, 1, 0], [0, 8, 100, 108, 116, 0], [8, 8, 8, 8, 16, 8])
    runs = fit.runs_of(made)
    assert runs.sectors.tolist() == [16, 8, 24, 8] and runs.write.tolist() == [False, False, True, False]
    kinds = fit.run_kinds(made.part(slice(3, 5)), fit.runs_of(made.part(slice(3, 5))), True, 8)
    assert [(k.sectors, k.request, k.more) for k in kinds] == [(24, 8, True), (24, 16, True)]
    assert [k.weight for k in kinds] == [33333, 66667], "one run, shared by bytes"


def test_a_group_of_long_runs_has_its_mean_in_whole_blocks_where_all_of_them_have():
    assert fit.grouped(np.array([8, 64, 72, 80, 88, 88])).tolist() == [8, 64, 72, 88, 88, 88]
    assert fit.grouped(np.array([80, 83, 83])).tolist() == [82, 82, 82]
    assert fit.grouped(np.array([100000])).tolist() == [65536]


def test_of_equal_kinds_of_runs_the_longer_are_kept():
    """A run of two requests makes two kinds, each of the sectors of its requests; many kinds have equally many."""
    totals = range(21, 43, 2)
    pairs = [(total, size, total - size) for total in totals for size in range(1, total // 2 + 1)]
    sizes = [size for _, *both in pairs for size in both]
    starts = [1000 * i + second for i, (_, size, _) in enumerate(pairs) for second in (0, size)]
    made = requests([0] * len(sizes), starts, sizes)
    kinds = fit.run_kinds(made, fit.runs_of(made), False, 1)
    every = [(total, size) for total in totals for size in range(1, total)]
    kept = sorted(every, key=lambda kind: (-kind[1], -kind[0]))[: fit.MAX_KINDS]
    assert len(every) == 330 and fit.MAX_KINDS == 250
    assert [(k.sectors, k.request) for k in kinds] == sorted(kept)


def test_states_are_only_read_read_since_written_last():
    write = np.array([False, False, True, False, False, True])
    assert fit.states(write, np.array([-1, 0, 1, 2, 3, 4])).tolist() == [0, 0, 0, 2, 1, 1]


def test_two_exponentials_are_found_again():
    draws = np.random.default_rng(2)
    count, n, inside, rate = 60_000, 10.0, 1e-4, 100.0
    between = n / rate - (n - 1) * inside
    gaps = draws.exponential(np.where(draws.random(count) < 1 / n, between, inside))
    found = fit_arrivals(gaps)
    assert found.burst == pytest.approx(n, rel=0.05) and found.gap_s == pytest.approx(inside, rel=0.05)
    assert found.rate == pytest.approx(1 / gaps.mean())
    assert found.variation() == pytest.approx(variation(gaps), rel=0.1)
    assert fit_arrivals(draws.exponential(1.0, count)).burst == 1, "a Poisson process"
    assert fit_arrivals(np.zeros(5)).rate == 0


PRESET = """rw: randrw
reads: 40
writes: 60
requests: 40000
locality_footprint: 256m
locality_read_runs: 4k/50:64kx16k/50
locality_write_runs: 8k/1
locality_read_reuse: 1=new/5:64/45:4096/50, 16=new/30:2000/70
locality_write_reuse: 2=new/10:32/40+0+20:3000/30
mode: open
rate_iops: 1000
rate_process: bursts
burst_requests: 8
burst_gap_us: 50
"""


def stream(tmp_path, tlmssd):
    """A trace whose distributions are known."""
    (tmp_path / "known.yaml").write_text(PRESET)
    done = tlmssd("describe", "default", "--workload", tmp_path / "known.yaml",
                  "--requests", tmp_path / "r.csv")
    assert done.returncode == DONE, done.stderr
    rows = [row for row in (tmp_path / "r.csv").read_text().splitlines() if row[:1].isdigit()]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    return Trace(tmp_path / "t.csv", columns=COLUMNS)


def test_a_stream_with_locality_is_fitted_within_three_points(tmp_path, tlmssd):
    found = lab.fit_workload(stream(tmp_path, tlmssd), out=tmp_path / "again.yaml", binary=tlmssd.path)
    assert found.by_half.outside(found.held_out) == []
    for part in ("all", "reads", "writes"):
        assert abs(found.by_half.worst(found.held_out, part)[0]) < 3
        assert abs(found.by_all.worst(found.piece, part)[0]) < 3
    assert found.arrivals["burst"] == pytest.approx(8, rel=0.1)
    assert found.arrivals["rate"] == pytest.approx(1000, rel=0.1)
    text = (tmp_path / "again.yaml").read_text()
    assert text == found.yaml and "within 3 points at all sizes" in text
    done = tlmssd("run", "default", "--workload", tmp_path / "again.yaml", "--set", "workload.requests=2000", "-q")
    assert done.returncode == DONE, done.stderr


def test_a_trace_whose_halves_differ_is_said_to(tmp_path, tlmssd):
    """First half: one block of 8; second half: all over the device."""
    rows = [f"0,read,{8 * (i % 8 if i < 1000 else 1000 + i)},4096,{i}" for i in range(2000)]
    (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
    found = lab.fit_workload(Trace(tmp_path / "t.csv", columns=COLUMNS), binary=tlmssd.path)
    assert "NOT within 3 points" in found.text and found.by_half.outside(found.held_out)
    assert abs(found.by_half.worst(found.fitted_half)[0]) < 3, "but it is like its own half"


@pytest.mark.parametrize("words, message", [
    (["nowhere.csv", "--format", "msr"], "nowhere.csv"),
    (["t.csv", "--trace-columns", COLUMNS], "1 reads and writes; a fit needs 200"),
    (["t.csv", "--trace-columns", COLUMNS, "--block", "3000"], "3000 is not a power of two"),
    (["t.csv", "-o", "t.txt"], "does not end in .yaml"),
    (["t.csv", "-o", "there.yaml"], "already exists; --force overwrites it"),
    (["t.csv", "--force"], "--force requires --out FILE"),
    (["t.csv", "--set", "workload.sort"], "is not KEY=VALUE"),
])
def test_wrong_input_is_one_line(tmp_path, tlmssd, monkeypatch, words, message):
    (tmp_path / "t.csv").write_text("0,read,0,4096,0\n")
    (tmp_path / "there.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    status, out, err = call_lab("fit-workload", *words, program=tlmssd.path)
    assert status == INPUT_ERROR and message in err and out == ""


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece.name)
def test_a_preset_that_stands_for_a_trace_is_like_the_real_piece(piece, traces, tlmssd):
    """Over all cache sizes, with seed 1; other seeds: docs/notebook/locality.md. The file is what the fit makes."""
    if not (traces / piece.file).is_file():
        pytest.skip(f"no piece {piece.file} in {traces}")
    found = piece.fit(traces, None, tlmssd.path)
    assert abs(found.by_all.worst(found.piece)[0]) <= piece.points
    kept = (ROOT / f"configs/workloads/{piece.name}.yaml").read_text()
    assert kept == found.yaml, "stale: scripts/gen/gen_fitted_presets.py"


def test_the_command_prints_the_table_of_a_real_piece(traces, tmp_path, tlmssd):
    """TPC-C hardly comes back: its halves are alike, and the preset is like both."""
    status, out, err = call_lab(
        "fit-workload", traces / "msprod/TPCC_first6999.mqsim.trace.xz", "--format", "mqsim",
        "--set", "workload.devices=concat", "-o", tmp_path / "tpcc.yaml", program=tlmssd.path)
    assert status == DONE, err
    assert "within 3 points at all sizes" in out
