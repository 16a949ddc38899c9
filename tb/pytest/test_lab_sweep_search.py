# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab sweep: the front of several objectives, and searches."""

import sys

import pytest

from cli import DONE, INPUT_ERROR, ROOT
from sweep_support import GRID, ask, calls, plan, run
from tlmssd_lab.sweep import table as sweep_table


def frame_of(tmp_path, rows):
    import pandas

    asked = plan(tmp_path, GRID + "objectives: {a: max, b: min}\n")
    names = ["scheduler", "host.queue_depth", "a", "b"]
    frame = pandas.DataFrame([dict(zip(names, row)) for row in rows])
    return asked, frame.assign(status="done", point="x", seed=1)


def test_the_front_is_what_nothing_dominates(tmp_path):
    asked, frame = frame_of(tmp_path, [
        ("inorder", 1, 10, 5),  # worse than the next in b only: a is equal
        ("inorder", 8, 10, 4),  # front: least b of those with 10
        ("inorder", 32, 30, 9),  # front: most a
        ("vaq", 1, 20, 9),  # dominated: 30 has the same b
        ("vaq", 8, 5, 1),  # front: least b
        ("vaq", 32, 10, 4),  # equal to a point of the front: so it is one
    ])
    assert list(sweep_table.front(asked, frame)) == [False, True, True, False, True, True]


SEARCH = """
config: CONFIG
method: search
points: 24
sampler: SAMPLER
seed: 3
parameters:
  host.queue_depth: {from: 1, to: 32}
  scheduler: [inorder, vaq]
objectives: {host.all.iops: max}
"""

# 1000 at depth 20, less the farther from it; vaq has 100 more.
HILL = """#!{python}
import json, pathlib, re, sys
sys.path.insert(0, "{here}")
from lab_support import crafted, traffic
line = " ".join(sys.argv)
if sys.argv[1] == "describe":
    print("# config_hash " + line)
    sys.exit(0)
with open("{calls}", "a") as file:
    file.write(line + "\\n")
depth = int(re.search(r"host.queue_depth=(\\d+)", line)[1])
iops = 1000.0 - 40 * abs(depth - 20) + 100 * ("scheduler=vaq" in line)
out = pathlib.Path(sys.argv[sys.argv.index("--out") + 1])
out.mkdir(parents=True, exist_ok=True)
(out / "results.json").write_text(json.dumps(crafted(host__all=traffic(9, iops, 1.0, 2.0))))
"""


def hill(tmp_path):
    path = tmp_path / "hill"
    path.write_text(HILL.format(python=sys.executable, here=ROOT / "tb/pytest",
                                calls=path.with_suffix(".calls")))
    path.chmod(0o755)
    return path


@pytest.mark.parametrize("sampler", ["tpe", "nsga2", "random"])
def test_a_search_comes_near_the_top(tmp_path, sampler):
    status, _, err = run(tmp_path, hill(tmp_path), "--jobs", "1",
                         text=SEARCH.replace("SAMPLER", sampler))
    assert status == DONE, err
    best, count = ask(tmp_path, 'select max("host.all.iops"), count(*) from points')[0]
    # 64 combinations; 24 draws miss the best 8 (from 940 on) with (56/64)^24 = 4 % at the most.
    assert best >= 940 and 8 <= count <= 24
    assert "Most host.all.iops" in (tmp_path / "out/report.html").read_text()


def test_an_interrupted_search_goes_on_as_if_it_had_not_been(tmp_path):
    text = SEARCH.replace("SAMPLER", "tpe")
    whole, half = tmp_path / "whole", tmp_path / "half"
    whole.mkdir()
    half.mkdir()
    assert run(whole, hill(whole), "--jobs", "1", text=text)[0] == DONE
    assert run(half, hill(half), "--jobs", "1", text=text.replace("24", "10"))[0] == DONE
    first = len(calls(half / "hill"))
    assert run(half, half / "hill", "--jobs", "1", text=text)[0] == DONE
    order = "select \"host.queue_depth\", scheduler from points"
    assert ask(half, order) == ask(whole, order)
    assert len(calls(half / "hill")) == len(calls(whole / "hill")) > first, "none run twice"
    changed = text.replace("[inorder, vaq]", "[inorder, sost]")
    status, _, err = run(half, half / "hill", "--jobs", "1", text=changed)
    assert status == INPUT_ERROR and "search with other parameters" in err
