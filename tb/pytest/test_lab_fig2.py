# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab figure paq-fig2: its arithmetic by hand, and that random reads lose by what was measured."""

import csv

import pytest

from cli import DONE, INPUT_ERROR
from conftest import binary_path
from lab_support import call_lab, crafted, fake_program, traffic
from tlmssd_lab.figures.paq_fig2 import size_name


def test_sizes_are_named_as_on_the_axis():
    assert [size_name(s) for s in ("512", "1024", "131072")] == ["512 B", "1 KiB", "128 KiB"]


def test_the_penalty_is_the_latency_of_random_reads_by_the_others_less_one(tmp_path):
    """Random reads 300 us, sequential reads 200, random writes 120, sequential writes 100: 50, 150
    and 200 per cent, the second within 25 to 361 (A) and 56 to 319 (B)."""
    cases = [[f"workload.rw={rw} ", 0, "", crafted(host__all=traffic(100, 1000.0, mean, 400.0))]
             for rw, mean in (("randread", 300.0), ("read", 200.0), ("randwrite", 120.0),
                              ("write", 100.0))]
    status, out, err = call_lab("figure", "paq-fig2", "--quick", "--out", tmp_path,
                                program=fake_program(tmp_path, cases))
    assert status == DONE, err
    assert out.count("+200 | +150 | +50 |") == 6  # three sizes of two drives
    assert out.count("random reads take 150 to 150 % longer than random writes") == 2
    assert " ".join(out.split()).count("3 of 3 sizes are within") == 2
    assert (tmp_path / "paq-fig2-quick/paq-fig2.svg").read_text().count("128 KiB") >= 4


def test_a_penalty_outside_what_was_measured_is_counted(tmp_path):
    """30 per cent are within 25 to 361 of A, not within 56 to 319 of B."""
    cases = [[f"workload.rw={rw} ", 0, "", crafted(host__all=traffic(100, 1000.0, mean, 400.0))]
             for rw, mean in (("randread", 130.0), ("", 100.0)) if rw]
    cases.append(["", 0, "", crafted(host__all=traffic(100, 1000.0, 100.0, 400.0))])
    _, out, _ = call_lab("figure", "paq-fig2", "--quick", "--out", tmp_path,
                         program=fake_program(tmp_path, cases))
    words = " ".join(out.split())
    assert "3 of 3 sizes are within" in words and "0 of 3 sizes are within" in words


def test_what_fails_is_a_gap_and_is_told(tmp_path):
    cases = [["workload.rw=randread ", 2, "no such thing", None], ["", 0, "", crafted()]]
    status, out, err = call_lab("figure", "paq-fig2", "--quick", "--out", tmp_path,
                                program=fake_program(tmp_path, cases))
    assert status == INPUT_ERROR and "no such thing" in err
    assert "0 of 3 sizes are within" in " ".join(out.split()) and "| - | - | - |" in out


@pytest.fixture(scope="module")
def latency(tmp_path_factory):
    """Of the real program: by drive, size and pattern."""
    folder = tmp_path_factory.mktemp("fig2")
    status, _, err = call_lab("figure", "paq-fig2", "--quick", "--out", folder,
                              program=binary_path(), timeout=600)
    assert status == DONE, err
    with open(folder / "paq-fig2-quick/paq-fig2.csv", encoding="utf-8", newline="") as file:
        return {(row["drive"], int(row["size"]), row["pattern"]):
                float(row["host.all.latency_us.mean"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("drive, low, high", [("SSD A", 25, 361), ("SSD B", 56, 319)])
@pytest.mark.parametrize("size", [512, 4096, 131072])
def test_random_reads_lose_to_random_writes_by_what_was_measured(latency, drive, low, high, size):
    reads, writes = latency[drive, size, "random reads"], latency[drive, size, "random writes"]
    assert low <= 100 * (reads / writes - 1) <= high


def test_writes_of_128_kib_are_bounded_by_the_link(latency):
    """300 MB/s at most in the payload of 3 Gb/s with 8b/10b, and the buffer takes all: 16 commands of
    131,072 bytes take 16 x 131072 / 300 = 6991 us at least; less than a twentieth above it."""
    for drive in ("SSD A", "SSD B"):
        assert 6991 * 0.95 < latency[drive, 131072, "random writes"] < 6991 * 1.06
