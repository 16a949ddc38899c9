# SPDX-License-Identifier: BSD-3-Clause
"""The notebooks of examples/notebooks/ run, and what they conclude is true."""
import json
import os

import nbformat
import pytest
from nbclient import NotebookClient

from cli import ROOT

FOLDER = ROOT / "examples/notebooks"
SECONDS = 180  # on a loaded machine; the notebooks name their time on a free one
NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


def executed(name, values, tlmssd, folder, monkeypatch):
    """The notebook after its run in `folder`, and the value of each expression of `values` there."""
    monkeypatch.setenv("TLMSSD", str(tlmssd.path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "scripts"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "ipython"))
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    asked = "import json\nprint(json.dumps({" + ", ".join(f"{key!r}: {text}" for key, text in values.items()) + "}))"
    notebook.cells.append(nbformat.v4.new_code_cell(asked))
    NotebookClient(notebook, timeout=SECONDS, kernel_name="python3",
                   resources={"metadata": {"path": str(folder)}}).execute()
    return notebook, json.loads(texts(notebook.cells[-1]))


def texts(cell):
    return "".join(output.text for output in cell.outputs if output.output_type == "stream" and output.name == "stdout")


def shown(notebook, kind):
    """How many outputs of a kind the notebook has."""
    return sum(kind in output.get("data", {}) for cell in notebook.cells if cell.cell_type == "code"
               for output in cell.outputs)


def test_there_are_three():
    assert NOTEBOOKS == ["comparison", "first-run", "sweep-and-pareto"]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_stored_without_outputs(name):
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.outputs and cell.execution_count is None
               for cell in notebook.cells if cell.cell_type == "code")


def test_the_first_run_names_the_longest_stage(tlmssd, tmp_path, monkeypatch):
    notebook, found = executed("first-run", {
        "document": "result.json", "longest": "longest_stage", "share": "float(share)",
        "rows": "len(result.log)", "top": "float(axes.get_lines()[0].get_ydata()[-1])",
    }, tlmssd, tmp_path, monkeypatch)
    document = found["document"]
    means = {key.removesuffix("_us"): value["mean"] for key, value in document["stages"].items()
             if key.endswith("_us")}
    assert found["longest"] == max(means, key=means.get) == "wait_die"
    assert found["share"] == pytest.approx(means["wait_die"] / document["host"]["all"]["latency_us"]["mean"], rel=1e-3)
    assert means["cell"] < means["wait_die"] and document["bound"]["fraction_of_bound"] < 0.7
    assert found["rows"] == document["host"]["all"]["count"] == 2000
    assert found["top"] == pytest.approx(document["host"]["all"]["latency_us"]["max"], rel=1e-6)
    assert shown(notebook, "image/png") == 1 and shown(notebook, "text/html") >= 2


def test_the_comparison_is_right_about_throughput_and_tail(tlmssd, tmp_path, monkeypatch):
    notebook, found = executed("comparison", {
        "faster": "faster", "longer": "longer_tail",
        "rows": "{row.name: {key: row.values(key) for key in keys} for row in rows}",
    }, tlmssd, tmp_path, monkeypatch)
    rows = found["rows"]
    assert found["faster"] == ["hybrid", "paq2"] and found["longer"] == ["paq2"]
    for name in ("paq2", "hybrid"):  # with each of the five seeds
        pairs = list(zip(rows["inorder"]["host.all.iops"], rows[name]["host.all.iops"], strict=True))
        assert len(pairs) == 5 and all(other > first for first, other in pairs)
    tails = [other - first for first, other in zip(rows["inorder"]["host.all.latency_us.p99"],
                                                   rows["paq2"]["host.all.latency_us.p99"], strict=True)]
    assert sum(tails) > 0
    assert shown(notebook, "image/png") == 1 and shown(notebook, "text/html") >= 2


def test_the_sweep_chooses_from_its_front(tlmssd, tmp_path, monkeypatch):
    notebook, found = executed("sweep-and-pareto", {
        "points": "result.frame[['scheduler', 'host.queue_depth', 'host.all.iops', "
                  "'host.all.latency_us.p99']].values.tolist()",
        "front": "result.front[['scheduler', 'host.queue_depth']].values.tolist()",
        "choice": "[choice['scheduler'], int(choice['host.queue_depth'])]", "limit": "limit_us",
        "best": "best['scheduler'].tolist()",
    }, tlmssd, tmp_path, monkeypatch)
    points = [(s, int(d), iops, p99) for s, d, iops, p99 in found["points"]]
    assert len(points) == 12
    front = {(s, d) for s, d, iops, p99 in points
             if not any(i >= iops and p <= p99 and (i, p) != (iops, p99) for _, _, i, p in points)}
    assert {(s, int(d)) for s, d in found["front"]} == front
    assert {s for s, d in front if d >= 16} == {"hybrid"} and "paq2" not in {s for s, _ in front}
    allowed = [point for point in points if point[3] <= found["limit"]]
    assert tuple(found["choice"]) == max(allowed, key=lambda point: point[2])[:2] == ("hybrid", 16)
    assert found["best"][0] == "hybrid" and shown(notebook, "image/png") == 1
