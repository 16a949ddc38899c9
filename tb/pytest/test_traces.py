# SPDX-License-Identifier: BSD-3-Clause
"""Real traces run to their last line, open and closed loop, without a fault."""
import json

import pytest

# file, format, requests it holds (rows of the publisher's file, not of what the reader says):
# the collection's MANIFEST.csv; blkparse: its D rows that have a size.
PIECES = [
    ("umass/Financial1_first949.spc.xz", "spc", 949),
    ("umass/Financial1_first10000.ssdsim.ascii.xz", "ssdsim", 10000),
    ("umass/WebSearch1_first24783.mqsim.trace.xz", "mqsim", 24783),
    ("msr/prxy_0_section20000.csv.xz", "msr", 20000),
    ("msprod/TPCC_first6999.mqsim.trace.xz", "mqsim", 6999),
    ("msprod/DTRS_127043.ssdsim.trace.xz", "ssdsim", 127043),
    ("disksim/ssd-postmark-aligned2.trace.xz", "disksim", 62257),
    ("blkparse/java_f2fs.blkparse.txt.xz", "blkparse", 5727),
]


@pytest.mark.parametrize("mode", ["open", "closed"])
@pytest.mark.parametrize("name, form, rows", PIECES, ids=[piece[0] for piece in PIECES])
def test_a_trace_runs_to_its_last_line(tlmssd, traces, tmp_path, name, form, rows, mode):
    path = traces / name
    if not path.is_file():
        pytest.skip(f"traces not found: set TLMSSD_TRACES (no {name} there)")
    text = tlmssd.run(tmp_path, "--trace", path, "--format", form, sets=[f"workload.mode={mode}"],
                      timeout=600)
    results = json.loads(text)
    workload, host = results["workload"], results["host"]
    assert results["status"] == "done"
    assert workload["requests"] == rows and workload["skipped"] == workload["dropped"] == 0
    assert host["all"]["count"] + host["flushes"]["count"] + host["trims"]["count"] == rows
    assert results["integrity"]["mismatches"] == 0
    assert results["checker"]["violations"] == 0
    assert 0 < results["bound"]["fraction_of_bound"] <= 1
