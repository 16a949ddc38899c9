# SPDX-License-Identifier: BSD-3-Clause
"""The report of the buffer's policies: its figures by hand, and that the real file fits the program."""

from cli import DONE, ROOT
from lab_support import call_lab, crafted, fake_program, traffic
from tlmssd_lab.figures import experiment

SMALL = f"""
title: Small
source: nobody
page: page.md
report: buffer_policies
config: {ROOT / "configs/ssd/default.yaml"}
dimensions:
  policy: {{lru: {{buffer.policy: lru}}, fab: {{buffer.policy: fab}}}}
base: {{policy: lru}}
loads: {{presets: [uniform-web1]}}
limits: {{requests: 60}}
"""


def buffered(latency, host, flash, hits, misses):
    """Page writes hit `hits` times and miss `misses` times; no reads."""
    return crafted(
        host__all=traffic(100, 1000.0, latency, 2 * latency),
        ftl__host_pages_written=host,
        ftl__flash_pages_written=flash,
        ftl__waf=flash / host,
        buffer__write_hits=hits,
        buffer__write_misses=misses,
        buffer__hit_ratio=hits / (hits + misses),
    )


def test_programs_count_what_the_buffer_absorbs(tmp_path):
    program = fake_program(tmp_path, [
        ["buffer.policy=lru", 0, "", buffered(100.0, 80, 160, 20, 80)],  # WAF 2, 160 / 100
        ["buffer.policy=fab", 0, "", buffered(150.0, 60, 90, 40, 60)],  # WAF 1.5, 90 / 100
    ])
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    status, out, err = call_lab("figure", path, "--out", tmp_path / "out", "--quiet", program=program)
    assert status == DONE, err
    assert "| lru | 20.0 | 2.00 | 1.60 | 1.00 | 1.00 | - | - | - | - | - |" in out
    # 150 / 100 twice
    assert "| fab | 40.0 | 1.50 | 0.900 | 1.50 | 1.50 | - | - | - | - | - |" in out
    assert "| policy | uniform-web1 |\n|---|---:|\n| lru | 1.60 |\n| fab | 0.90 |" in out


def test_the_experiment_has_every_policy():
    import json

    schema = json.loads((ROOT / "configs/schema.json").read_text(encoding="utf-8"))
    policies = schema["properties"]["buffer"]["properties"]["policy"]["enum"]
    found = next(d for d in experiment.load("buffer-policies").dimensions if d.name == "policy")
    assert set(policies) <= set(found.labels)
