# SPDX-License-Identifier: BSD-3-Clause
"""cpu.model: iss as the user sees it: results, a missing back-end, a trap."""
import json
import shutil

import jsonschema
import pytest

from cli import ROOT, set_options

TINY = """
nand: {page_bytes: 4096, spare_bytes: 224, t_read_us: 50, t_program_us: 400, t_erase_us: 1000}
geometry: {channels: 2, ways: 2, dies: 1, planes: 2, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
host: {kind: direct, queue_depth: 8}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
workload: {rw: randread, bs: 4096, requests: 500}
"""


@pytest.fixture
def device(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


def iss_is_built(tlmssd):
    return (tlmssd.path.parent / "../lib/libtlmssd_iss_unicorn.so").exists()


def test_results_have_cycles_by_function_and_core(tlmssd, device, tmp_path):
    if not iss_is_built(tlmssd):
        pytest.skip("no ISS in this build: libunicorn-dev is absent")
    run = tlmssd("run", device, *set_options(["cpu.model=iss", "precondition.fill=1.0"]),
                     "--quiet", "--out", tmp_path)
    assert run.returncode == 0, run.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(results, json.loads((ROOT / "docs/reference/results.schema.json").read_text()))
    iss = results["cpu"]["iss"]
    assert results["integrity"] == {"pages_checked": 500, "bytes_checked": 0, "mismatches": 0}
    assert sum(iss["core_cycles"]) == sum(f["cycles"] for f in iss["functions"])
    cycles = [f["cycles"] for f in iss["functions"]]
    assert cycles == sorted(cycles, reverse=True)
    assert {"fw_step", "fw_hil_command", "sched_submit_as"} <= {f["name"] for f in iss["functions"]}


def test_a_missing_back_end_names_the_package(tlmssd, device, tmp_path, monkeypatch):
    monkeypatch.delenv("TLMSSD_ISS_MODULE", raising=False)
    alone = tmp_path / "bin" / "tlmssd"  # without ../lib beside it
    alone.parent.mkdir()
    shutil.copy(tlmssd.path, alone)
    run = type(tlmssd)(alone)("run", device, *set_options(["cpu.model=iss"]))
    assert run.returncode == 2
    assert "libunicorn-dev" in run.stderr
    assert len(run.stderr.splitlines()) == 1


def test_an_endless_step_is_status_3_with_a_report(tlmssd, device):
    if not iss_is_built(tlmssd):
        pytest.skip("no ISS in this build: libunicorn-dev is absent")
    run = tlmssd("run", device, *set_options(["cpu.model=iss", "cpu.watchdog_instructions=1000"]),
                     "--quiet")
    assert run.returncode == 3
    lines = run.stderr.splitlines()
    assert all(line.startswith("tlmssd: ") for line in lines)
    assert "watchdog: no wfi after 1000 instructions, in " in lines[0]
    assert "tlmssd: registers:" in lines and "tlmssd: code:" in lines
    assert any(line.startswith("tlmssd: > ") for line in lines)


def test_keys_of_the_iss_need_it(tlmssd, device):
    run = tlmssd("run", device, *set_options(["cpu.watchdog_instructions=5000"]))
    assert run.returncode == 2
    assert "cpu.watchdog_instructions: has no effect because cpu.model is native" in run.stderr
