# SPDX-License-Identifier: BSD-3-Clause
"""controller.kind rtl_pins: the results, the data and the timeline of rtl, through pins; 0 violations."""
import csv
import gzip
import json

import pytest

import test_traces
from cli import DEFAULT, INPUT_ERROR, MODEL_ERROR, deterministic, long_form, set_options

# A small device, mixed reads and writes, garbage collection and partial pages. 4 CE# of one LUN.
SMALL = ["geometry.channels=2", "geometry.ways=2", "geometry.blocks=64", "geometry.pages=32",
         "ftl.over_provisioning=0.25", "buffer.size_mib=1", "precondition.fill=1", "precondition.overwrite=1",
         "workload.rw=randrw", "workload.rwmixread=50", "workload.bs=4096"]
ONE_LUN = [*SMALL, "geometry.dies=1"]
TWO_LUNS = [*SMALL, "geometry.dies=2"]
SDR = ["onfi.interface=sdr"]
# 8.6 wrong bits a codeword of 12 that ECC corrects: of ten codewords one is lost at level 0, at level 2 none.
RETRY = ["nand.errors.enabled=true", "nand.errors.e=2e-3", "nand.errors.a=0", "nand.errors.b=0", "nand.errors.g=0",
         "controller.ecc_bits=12", "controller.read_retries=7"]
# NV-DDR mode 4 asks for a PHY of 1 ns, which does not divide the 12.5 ns of 80 MHz; where it does not, a segment may
# begin up to one clock of the PHY later than in rtl (docs/explanation/rtl-pins.md, "What is the same").
MODE_4 = ["onfi.mode=4", "controller.clock_mhz=200"]
LOADS = {
    "sdr5": [*ONE_LUN, *SDR, "onfi.mode=5"],
    "sdr0": [*TWO_LUNS, *SDR, "onfi.mode=0"],
    "sdr4_x16": [*TWO_LUNS, *SDR, "onfi.mode=4", "onfi.width=16"],
    "sdr_40ns": [*ONE_LUN, *SDR, "onfi.mode=3", "onfi.cycle_ns=40"],
    "nvddr5": [*TWO_LUNS, "onfi.mode=5"],
    "nvddr5_x16": [*ONE_LUN, "onfi.mode=5", "onfi.width=16"],
    "nvddr4": [*ONE_LUN, *MODE_4],
    "nvddr3_ooo": [*TWO_LUNS, "onfi.mode=3", "scheduler=host"],
    "full": [*ONE_LUN, "onfi.mode=5", "data=full"],
    "full_sdr": [*TWO_LUNS, *SDR, "onfi.mode=5", "data=full"],
    "suspend": [*TWO_LUNS, "onfi.mode=5", "scheduler=host", "controller.suspend=program_and_erase"],
    "errors": [*TWO_LUNS, "onfi.mode=5", "nand.errors.enabled=true"],
    "retry": [*TWO_LUNS, "onfi.mode=5", "scheduler=host", *RETRY],
    "retry_x16_polled": [*ONE_LUN, *MODE_4, "onfi.width=16", "onfi.ready=status", *RETRY],
    "retry_sdr_full": [*TWO_LUNS, *SDR, "onfi.mode=5", "data=full", *RETRY],
    "retry_sdr_x16": [*ONE_LUN, *SDR, "onfi.mode=4", "onfi.width=16", *RETRY],
}
KIND = ["config.controller.kind"]


def events(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def same_but_kind(text):
    """What results of rtl and rtl_pins share: all but the key that differs and the hash of all keys."""
    return deterministic(text, [*KIND, "config_hash"])


@pytest.mark.parametrize("load", LOADS)
def test_results_and_timeline_are_those_of_rtl(tlmssd, tmp_path, load):
    texts, lines = {}, {}
    for kind in ("rtl", "rtl_pins"):
        sets = [*LOADS[load], f"controller.kind={kind}", f"workload.requests={1000 if long_form() else 100}"]
        timeline = tmp_path / f"{kind}.json.gz"
        texts[kind] = tlmssd.run(tmp_path / kind, "--timeline", timeline, sets=sets, timeout=900)
        lines[kind] = events(timeline)
    results = json.loads(texts["rtl_pins"])
    assert results["checker"]["violations"] == 0 and results["integrity"]["mismatches"] == 0
    assert results["integrity"]["pages_checked"] > 30
    # Same data, same order on each die, same times of each segment; of segments of two channels that end at
    # one picosecond the same is told first (docs/explanation/rtl-pins.md, "Ties").
    if load.startswith("retry"):  # half of 100 requests read 8 codewords: 1 - 0.9 ** 8 = 57 % of them are lost
        assert results["ecc"]["retries"] > 20 and results["ecc"]["uncorrectable_pages"] == 0
    assert lines["rtl"]["traceEvents"] == lines["rtl_pins"]["traceEvents"]
    assert same_but_kind(texts["rtl"]) == same_but_kind(texts["rtl_pins"])


@pytest.mark.parametrize("load", ["sdr5", "nvddr5"])
def test_gating_and_waves_change_nothing(tlmssd, tmp_path, load):
    sets = [*LOADS[load], "controller.kind=rtl_pins", "workload.requests=100", "precondition.overwrite=0"]
    gated = tlmssd.run(tmp_path / "gated", sets=sets)
    free = tlmssd.run(tmp_path / "free", sets=[*sets, "controller.clock_gating=false"], timeout=600)
    waves = tlmssd.run(tmp_path / "waves", "--waves", tmp_path / "a.fst", "--waves-view", "both", sets=sets)
    key = ["config.controller.clock_gating"]
    assert deterministic(gated, key) == deterministic(free, key)
    assert deterministic(gated) == deterministic(waves)


def test_a_polling_controller_reads_status_through_the_pins(tlmssd, tmp_path):
    sets = [*LOADS["nvddr5"], "controller.kind=rtl_pins", "onfi.ready=status", "workload.requests=200"]
    results = json.loads(tlmssd.run(tmp_path, sets=sets))
    assert results["checker"]["violations"] == 0 and results["integrity"]["mismatches"] == 0


def test_round_robin_keeps_tceh(tlmssd, tmp_path):
    """At 200 MHz its next segment comes 10 ns after the last; CE# has to stay high for 20 ns."""
    sets = [*LOADS["sdr5"], "controller.kind=rtl_pins", "controller.rtl=round_robin",
            "controller.clock_mhz=200", "workload.requests=200"]
    results = json.loads(tlmssd.run(tmp_path, sets=sets))
    assert results["checker"]["violations"] == 0 and results["integrity"]["mismatches"] == 0


@pytest.mark.parametrize("mhz", [133, 1000])
def test_clocks_that_do_not_divide_each_other_work(tlmssd, tmp_path, mhz):
    sets = [*LOADS["nvddr5"], "controller.kind=rtl_pins", f"controller.clock_mhz={mhz}",
            "workload.requests=100"]
    results = json.loads(tlmssd.run(tmp_path, sets=sets, timeout=300))
    assert results["checker"]["violations"] == 0 and results["integrity"]["mismatches"] == 0


@pytest.mark.parametrize("key", ["inject.swap_page_registers_at", "inject.falsify_dma_at"])
def test_a_planted_fault_is_found_through_the_pins(tlmssd, tmp_path, key):
    sets = [*LOADS["nvddr5"], "controller.kind=rtl_pins", "workload.requests=200", f"{key}=20"]
    done = tlmssd("run", DEFAULT, *set_options(sets), "--out", tmp_path)
    assert done.returncode == MODEL_ERROR, done.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert results["integrity"]["mismatches"] > 0


@pytest.mark.parametrize("sets, words", [
    (["onfi.interface=nvddr2", "onfi.mode=0"], ["onfi.interface", "nvddr"]),
    (["controller.phy_mhz=333"], ["controller.phy_mhz", "400"]),
    (["controller.phy_mhz=400", "controller.kind=rtl"], ["controller.phy_mhz", "rtl_pins"]),
    (["onfi.cycle_ns=10.007"], ["onfi.cycle_ns"]),
])
def test_what_the_phy_cannot_do_is_refused(tlmssd, tmp_path, sets, words):
    done = tlmssd("run", DEFAULT, *set_options(["controller.kind=rtl_pins", *sets]), "--out", tmp_path)
    assert done.returncode == INPUT_ERROR, done.stderr
    assert all(word in done.stderr for word in words), done.stderr


def requests_of(tlmssd, options, folder):
    """How many requests of a trace are 2,000 or 16 MiB, whichever is less: counted in a run of the TLM."""
    log = folder / "log.csv"
    tlmssd.run(folder / "count", *options, "--log", log, sets=[*TRACED, "workload.requests=2000"],
               timeout=900)
    left, count = 16 << 20, 0
    with open(log, encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: float(row["arrival_ns"]))
    for row in rows:
        left -= int(row["bytes"]) if row["kind"] in ("read", "write") else 0
        if left < 0:
            break
        count += 1
    return max(count, 1)


TRACED = ["workload.mode=closed", "precondition.fill=1"]
SHORT = ["umass/Financial1_first949.spc.xz", "msr/prxy_0_section20000.csv.xz",
         "blkreplay/linux-mysql.load.gz"]


@pytest.mark.parametrize("name", test_traces.FILES if long_form() else SHORT)
def test_traces_run_through_the_pins(tlmssd, traces, tmp_path, name):
    path = traces / name
    if not path.is_file():
        pytest.skip(f"traces not found: set TLMSSD_TRACES (no {name} there)")
    spec = test_traces.FILES[name]
    options = ["--trace", path, "--format", spec["format"]]
    sets = [*TRACED, "controller.kind=rtl_pins"]
    if "action" in spec:
        options += ["--set", f"workload.blkparse_action={spec['action']}"]
    count = requests_of(tlmssd, options, tmp_path) if long_form() else 30
    results = json.loads(tlmssd.run(tmp_path / "pins", *options, sets=[*sets, f"workload.requests={count}"],
                                    timeout=1800))
    test_traces.sound(results)
    assert results["workload"]["source_requests"] == count
    assert results["config"]["controller"]["kind"] == "rtl_pins"
