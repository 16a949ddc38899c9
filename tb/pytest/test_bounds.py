# SPDX-License-Identifier: BSD-3-Clause
"""What repeats under faults has bounds: a run ends, and says which bound it has reached."""
import json

import pytest

from cli import DEFAULT, DONE, MODEL_ERROR, set_options

SEQUENTIAL = ["--workload", "seqread-128k"]


def run(tlmssd, folder, *sets):
    return tlmssd("run", DEFAULT, *SEQUENTIAL, *set_options(["workload.requests=800", *sets]), "--out", folder,
                  "--quiet", timeout=60)


def results_of(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("sets", [["sata.bit_error_rate=1e-4"], ["sata.bit_error_rate=2e-5", "sata.retries=2"],
                                  ["sata.bit_error_rate=1e-3", "sata.retries=0"],
                                  ["sata.bit_error_rate=1e-4", "sata.link=full", "data=full"]])
def test_a_hopeless_link_ends_the_run(tlmssd, tmp_path, sets):
    done = run(tlmssd, tmp_path, *sets)
    assert done.returncode == MODEL_ERROR
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and "(sata.resets_in_a_row)" in lines[0], done.stderr
    assert results_of(tmp_path)["status"] == "failed"


def test_what_repeats_is_counted(tlmssd, tmp_path):
    """Resets 2, 4 and 6 are measures; 6 gives up the 32 commands of the queue, 12 and 18 one each."""
    run(tlmssd, tmp_path, "sata.bit_error_rate=1e-4")
    host = results_of(tmp_path)["host"]
    assert host["sata"]["resets"] == 21
    assert host["sata"]["commands_given_up"] == host["errors"]["reads"] == 34
    assert host["sata"]["line_rate_mbit"] == 1500
    assert host["sata"]["ncq"] is False


def test_a_slower_link_with_fewer_errors_ends_well(tlmssd, tmp_path):
    done = run(tlmssd, tmp_path, "sata.bit_error_rate=1e-4", "sata.slower_error_factor=0.1")
    assert done.returncode == DONE, done.stderr
    results = results_of(tmp_path)
    assert results["host"]["sata"]["line_rate_mbit"] < 6000
    assert results["host"]["reads"]["count"] + results["host"]["errors"]["reads"] == 800
    assert results["integrity"]["mismatches"] == 0


@pytest.mark.parametrize("key, value, reason", [("sata.resets_in_a_row", 3, "3 COMRESETs in a row"),
                                                ("sata.resets_in_a_row", 50, "50 COMRESETs in a row")])
def test_the_bound_is_a_key(tlmssd, tmp_path, key, value, reason):
    done = run(tlmssd, tmp_path, "sata.bit_error_rate=1e-4", f"{key}={value}")
    assert done.returncode == MODEL_ERROR
    assert reason in done.stderr
    assert results_of(tmp_path)["host"]["sata"]["resets"] == value + 1


def test_a_device_that_is_busy_without_an_end_is_given_up(tlmssd, tmp_path):
    """A program takes a second, so a read of its die has not ended after a tenth of one."""
    sets = ["nand.t_program_us=1000000", "host.timeout_ms=100", "workload.rw=write", "buffer.policy=none",
            "precondition.fill=0", "workload.requests=100"]
    done = tlmssd("run", DEFAULT, *set_options(sets), "--out", tmp_path, "--quiet", timeout=60)
    assert done.returncode == MODEL_ERROR
    assert "(host.timeout_ms)" in done.stderr
    assert tlmssd("run", DEFAULT, *set_options(sets[:1] + sets[2:]), "--quiet", timeout=60).returncode == DONE


def test_a_stalled_device_ends_the_wait_for_a_steady_state(tlmssd, tmp_path):
    """Two observers that look again while something is armed once kept each other alive."""
    script = tmp_path / "faults.txt"
    script.write_text("at 0 us: die 0/0/0 stops answering\n", encoding="utf-8")
    sets = ["workload.warmup=until_steady", f"inject.fault_script={script}", "workload.requests=2000",
            "host.timeout_ms=never"]
    done = tlmssd("run", DEFAULT, *set_options(sets), "--quiet", timeout=60)
    assert done.returncode == MODEL_ERROR
    assert "nothing left to do" in done.stderr
