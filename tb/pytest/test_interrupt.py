# SPDX-License-Identifier: BSD-3-Clause
"""An interrupted run keeps what it has and says so."""
import json
import signal
import subprocess
import time

import jsonschema
import pytest

from cli import DEFAULT, INTERRUPTED, ROOT, set_options

ENDLESS = ["workload.rw=randread", "workload.bs=4096", "workload.requests=4000000000"]


@pytest.mark.parametrize("kind, sent", [("tlm", signal.SIGINT), ("rtl", signal.SIGINT),
                                        ("tlm", signal.SIGTERM)])
def test_interrupt_keeps_and_marks_partial_results(tlmssd, tmp_path, kind, sent):
    sets = [*ENDLESS, f"controller.kind={kind}"]
    process = tlmssd.start("run", DEFAULT, *set_options(sets), "--out", tmp_path)
    try:
        time.sleep(2.0)
        assert process.poll() is None, process.communicate()
        process.send_signal(sent)
        _, stderr = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        pytest.fail(f"the run goes on after {sent.name}")
    finally:
        process.kill()
        process.wait()
    assert process.returncode == INTERRUPTED, stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    jsonschema.validate(results, json.loads((ROOT / "docs/reference/results.schema.json").read_text()))
    assert results["status"] == "interrupted"
    assert 0 < results["host"]["all"]["count"] < 4000000000
    assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0
