# SPDX-License-Identifier: BSD-3-Clause
"""The report of launches: its percentages by hand, and that the real file has every mode."""

import json

from cli import DONE, ROOT
from lab_support import call_lab, crafted, fake_program
from tlmssd_lab.figures import experiment

SMALL = f"""
title: Small
source: nobody
page: page.md
report: launch
config: {ROOT / "configs/ssd/default.yaml"}
dimensions:
  app: {{one: {{workload.launch_cpu_ms: 60}}}}
  scheme:
    cold: {{}}
    host baseline: {{workload.launch_prefetch: baseline}}
    host two-phase: {{workload.launch_prefetch: two_phase}}
    host FAST: {{workload.launch_prefetch: fast}}
    warm: {{workload.launch_cache: warm}}
base: {{scheme: cold}}
loads: {{presets: [launch]}}
paper: {{two_phase_prefetcher: 37, two_phase_launch: 18, fast: 28, fast_range: 16 to 46, warm: 37}}
"""


def launched(first, later, prefetch=0.0):
    """The first launch does not count, the others do."""
    listed = [{"app": 0, "number": i, "detour": False, "start_s": i / 10, "time_ms": time, "prefetch_ms": prefetch,
               "reads": 1, "waited": 0, "prefetched": 0, "useless": 0, "mean_depth": 0.25}
              for i, time in enumerate([first, *later])]
    return crafted(host__jobs=[{"launches": {"count": 3, "cpu_ms": 60.0, "mean_ms": 1.0, "list": listed}}])


def test_percentages_are_of_the_launches_behind_the_first(tmp_path):
    program = fake_program(tmp_path, [
        ["workload.launch_prefetch=baseline", 0, "", launched(500.0, [90.0, 110.0], 40.0)],  # 100
        ["workload.launch_prefetch=two_phase", 0, "", launched(500.0, [80.0, 90.0], 25.0)],  # 85
        ["workload.launch_prefetch=fast", 0, "", launched(500.0, [70.0, 74.0], 1.0)],  # 72
        ["workload.launch_cache=warm", 0, "", launched(500.0, [60.0, 60.0])],
        ["launch_cpu_ms=60", 0, "", launched(500.0, [100.0, 140.0])],  # 120
    ])
    path = tmp_path / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    status, out, err = call_lab("figure", path, "--out", tmp_path / "out", "--quiet", program=program)
    assert status == DONE, err
    assert "baseline prefetcher's | 37 | 37.5 |" in out  # 1 - 25 / 40
    assert "less than the baseline prefetcher's | 18 | 15.0 |" in out  # 1 - 85 / 100
    assert "| FAST on the host, less than cold | 28 (16 to 46) | 40.0 |" in out  # 1 - 72 / 120
    assert "| warm, less than cold | 37 | 50.0 |" in out
    assert "| mean queue depth of a cold launch | 0.3 | 0.25 |" in out
    assert "| host baseline | 100.0 | 16.7 |" in out
    assert "| FAST in the controller, less than cold |  | - |" in out, "not among the schemes"


def modes(part, key):
    """The words of a key, wherever a part of the schema has it."""
    if isinstance(part, dict):
        for name, value in part.items():
            found = value.get("enum") if name == key and isinstance(value, dict) else modes(value, key)
            if found:
                return found
    elif isinstance(part, list):
        return next((found for found in (modes(value, key) for value in part) if found), None)
    return None


def test_the_experiment_has_every_mode():
    schema = json.loads((ROOT / "configs/schema.json").read_text(encoding="utf-8"))
    labels = next(d for d in experiment.load("launch").dimensions if d.name == "scheme").labels
    used = [value for keys in labels.values() for value in keys.items()]
    for section, key, part in (("workload", "launch_prefetch", schema),
                               ("prefetch", "mode", schema["properties"]["prefetch"])):
        for mode in modes(part, key):
            assert mode == "none" or (f"{section}.{key}", mode) in used, mode
