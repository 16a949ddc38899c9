# SPDX-License-Identifier: BSD-3-Clause
"""Each program of docs/guides/python.md runs as it stands, in an empty folder."""
import os
import re
import subprocess
import sys

import pytest

from cli import ROOT

PAGE = ROOT / "docs/guides/python.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
# For each program: words that its output has, and files that it leaves.
EXPECTED = [
    (["kind", "lba", "latency_us", "read"], []),
    (["variant", "differs", "hybrid", "True"], ["out/compared/report.html", "out/compared/compare.json"]),
    (["host.all.latency_us.p99", "hybrid", "inorder"], ["out/swept/points.parquet", "out/swept/report.html"]),
]


def test_every_program_is_expected():
    assert len(BLOCKS) == len(EXPECTED)


@pytest.mark.parametrize("number", range(len(EXPECTED)))
def test_a_program_of_the_guide_runs(tlmssd, tmp_path, number):
    (tmp_path / "program.py").write_text(BLOCKS[number], encoding="utf-8")
    path = os.pathsep.join([str(ROOT / "scripts"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run([sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
                          env={**os.environ, "TLMSSD": str(tlmssd.path), "PYTHONPATH": path})
    assert done.returncode == 0, done.stderr[-2000:]
    words, files = EXPECTED[number]
    for word in words:
        assert word in done.stdout
    for file in files:
        assert (tmp_path / file).stat().st_size > 0
