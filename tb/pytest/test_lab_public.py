# SPDX-License-Identifier: BSD-3-Clause
"""The names of the Python API: sweep, fit, report and query as functions, tables and plots for notebooks."""

import gc
import inspect
import subprocess
import sys

import matplotlib
import pandas
import pytest

import tlmssd_lab
from lab_support import CONFIG, crafted, fake_program, traffic, write_results
from sweep_support import calls, fast
from tlmssd_lab import lab

matplotlib.use("agg")

SWEEP = {
    "title": "<depths>",
    "config": CONFIG,
    "workload": "randread-4k",
    "parameters": {"scheduler": ["inorder", "vaq"], "host.queue_depth": [1, 8]},
    "objectives": {"host.all.iops": "max", "host.all.latency_us.p99": "min"},
}
FIT = """config: CONFIG
set: {buffer.policy: none, workload.requests: 100, geometry.blocks: 32, precondition.fill: 0.2,
      ftl.over_provisioning: 0.4, workload.size: 20%}
points: 20
parameters:
  cpu.mhz: {from: 100, to: 1600, log: true}
rows:
  - {figure: RR1, value: 4.096, unit: MB/s, name: <one>}
"""


# The names


def test_every_public_name_exists_and_is_explained():
    assert len(set(lab.__all__)) == len(lab.__all__) == len([name for name in lab.__all__ if hasattr(lab, name)])
    for name in lab.__all__:
        text = inspect.getdoc(getattr(lab, name))
        assert text and not text.startswith(f"{name}("), f"{name}: no docstring"
    for name in ("run", "compare", "sweep", "fit", "report", "query"):
        assert "Raises:" in inspect.getdoc(getattr(lab, name)), name


@pytest.mark.parametrize("before", [
    "", "import tlmssd_lab.run.process, tlmssd_lab.report.build", "from tlmssd_lab import lab",
    "from tlmssd_lab.sweep import plan; from tlmssd_lab.compare.diff import diff"])
def test_the_package_has_the_names_of_lab(before):
    """Whatever was imported before: a sub-package of the same name is called as the function."""
    code = (f"{before}\nimport tlmssd_lab as tl\nfrom tlmssd_lab import lab\n"
            "assert tl.Result is lab.Result and tl.load is lab.load and tl.query is lab.query\n"
            "for name in ('run', 'compare', 'sweep', 'fit', 'report'):\n"
            "    assert callable(getattr(tl, name)), name\n"
            "import tlmssd_lab.run.settings\nassert tl.run.settings.settings_of({'a__b': 1}) == {'a.b': '1'}\n"
            "try:\n    tl.report([], '/')\nexcept tl.LabInputError as error:\n    print(error)\n"
            "try:\n    tl.nothing\nexcept AttributeError as error:\n    print(error)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "/: is a folder; use the name of a file in it", "module 'tlmssd_lab' has no attribute 'nothing'"]
    assert tlmssd_lab.__version__


def test_settings_name_keys_by_their_dotted_names(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    lab.run(CONFIG, settings={"host.queue_depth": 8, "scheduler": "vaq"}, binary=program)
    lab.run(CONFIG, settings={"seed": 1}, overrides={"seed": 2}, seed=3, binary=program)
    first, second = calls(program)
    assert "--set host.queue_depth=8 --set scheduler=vaq" in first
    assert second.endswith("--set seed=1 --set seed=2 --set seed=3")  # the last one counts


# Sweeps


def test_a_sweep_of_a_map_gives_its_table_and_front(tmp_path, capfd):
    seen = []
    found = lab.sweep(SWEEP, out=tmp_path / "out", jobs=1, binary=fast(tmp_path), progress=seen.append)
    assert (found.status, found.message, len(found.frame)) == (0, "", 4)
    assert found.parameters == ("workload", "scheduler", "host.queue_depth")
    assert found.objectives == {"host.all.iops": "max", "host.all.latency_us.p99": "min"}
    assert list(found.frame["status"]) == ["done"] * 4 and list(found.frame["host.queue_depth"]) == [1, 8, 1, 8]
    # vaq has 2000 IOPS and 90 us, inorder 1000 IOPS and 200 us
    assert set(found.front["scheduler"]) == {"vaq"} and len(found.means) == 4
    assert found.failures.empty and found.page.is_file() and found.folder == tmp_path / "out"
    found.raise_for_status()
    assert [(step.done, step.total) for step in seen if step.name] == [(n, 4) for n in (1, 2, 3, 4)]
    html = found._repr_html_()
    assert "&lt;depths&gt;: 4 of 4 runs done; Pareto front, 2 of 4" in html and "2,000" in html
    axes = found.plot_front()
    assert [len(part.get_offsets()) for part in axes.collections] == [4, 2]
    assert capfd.readouterr() == ("", "")  # a function prints nothing


def test_a_question_may_go_to_the_sweep_its_folder_or_its_table(tmp_path):
    found = lab.sweep(SWEEP, out=tmp_path / "out", jobs=1, binary=fast(tmp_path))
    sql = 'select max("host.all.iops") as best from points where scheduler = \'inorder\''
    for place in (found, tmp_path / "out", tmp_path / "out/points.parquet"):
        answer = lab.query(place, sql)
        assert isinstance(answer, pandas.DataFrame) and answer["best"].tolist() == [1000.0]
    assert found.query(sql)["best"].tolist() == [1000.0]
    with pytest.raises(lab.LabInputError, match="SQL"):
        lab.query(found, "select nothing from points")
    with pytest.raises(lab.LabInputError, match="no such file"):
        lab.query(tmp_path, sql)


def test_points_that_fail_are_rows_and_raise_on_demand(tmp_path):
    program = fake_program(tmp_path, [["scheduler=vaq", 3, "a reason", None], ["", 0, "", crafted()]])
    found = lab.sweep({**SWEEP, "retries": 0}, out=tmp_path / "out", jobs=1, binary=program)
    assert found.status == 3 and found.message.endswith("a reason (and 1 more)")
    assert list(found.failures["status"]) == ["failed"] * 2 and "a reason" in found.failures["message"][0]
    with pytest.raises(lab.LabModelError, match="a reason"):
        found.raise_for_status()
    refused = fake_program(tmp_path, [["", 2, "no", None]])
    with pytest.raises(lab.LabInputError, match="no"):
        lab.sweep(SWEEP, out=tmp_path / "refused", jobs=1, binary=refused).raise_for_status()


def test_a_temporary_folder_of_a_sweep_goes_with_it(tmp_path):
    found = lab.sweep({key: value for key, value in SWEEP.items() if key != "objectives"},
                      jobs=1, binary=fast(tmp_path))
    folder = found.folder
    assert (folder / "points.parquet").is_file() and found.front.empty
    html = found._repr_html_()
    assert html.count("<tr>") == 5 and "host.all.iops" in html and "<td style=\"text-align: right\">2,000</td>" in html
    with pytest.raises(lab.LabInputError, match="two objectives"):
        found.plot_front()
    del found
    gc.collect()
    assert not folder.exists()


@pytest.mark.parametrize("change, arguments, words", [
    ({"confg": 1}, {}, "sweep: confg: no such key; did you mean 'config'"),
    ({"config": "defautl"}, {}, "no device 'defautl'"),
    ({"parameters": {"host.queue_dept": [1]}}, {}, "did you mean 'host.queue_depth'"),
    ({}, {"jobs": 1, "dask": "tcp://x"}, "conflict"),
])
def test_a_wrong_sweep_is_refused_before_anything_runs(tmp_path, change, arguments, words):
    program = fast(tmp_path)
    with pytest.raises(lab.LabInputError, match=words):
        lab.sweep({**SWEEP, **change}, out=tmp_path / "out", binary=program, **arguments)
    assert calls(program) == []


def test_one_objective_has_a_best_combination(tmp_path):
    found = lab.sweep({**SWEEP, "parameters": {"scheduler": ["inorder", "vaq"]}, "title": "one",
                       "objectives": {"host.all.iops": "max"}}, jobs=1, binary=fast(tmp_path))
    assert found.front["scheduler"].tolist() == ["vaq"]
    assert "one: 2 of 2 runs done; best combination, 1 of 2<" in found._repr_html_()


# Fits


def fit_file(folder):
    path = folder / "fit.yaml"
    path.write_text(FIT.replace("CONFIG", CONFIG), encoding="utf-8")
    return path


def test_a_fit_has_its_parameters_rows_and_device(tmp_path, tlmssd, capfd):
    found = lab.fit(fit_file(tmp_path), out=tmp_path / "out", device=tmp_path / "mine.yaml", jobs=1,
                    binary=tlmssd.path)
    assert found.status == 0 and list(found.best) == ["cpu.mhz"]
    parameters, rows = found.parameters, found.rows
    assert parameters.loc[0, "fitted"] == found.best["cpu.mhz"] and parameters.loc[0, "from"] == 100
    assert rows.loc[0, "name"] == "<one>" and rows.loc[0, "measured"] == pytest.approx(4.096)
    assert rows.loc[0, "error_percent"] == pytest.approx(
        100 * (rows.loc[0, "model"] / rows.loc[0, "measured"] - 1))
    assert found.document["schema"] == "tlmssd-fit-1" and "cpu.mhz" in found.text
    assert (tmp_path / "mine.yaml") in found.files and found.device == tmp_path / "out/preset.yaml"
    assert "&lt;one&gt;" in found._repr_html_() and "cpu.mhz" in found._repr_html_()
    assert capfd.readouterr() == ("", "")
    with pytest.raises(lab.LabInputError, match="overwrite=True"):
        lab.fit(fit_file(tmp_path), device=tmp_path / "mine.yaml", binary=tlmssd.path)
    with pytest.raises(lab.LabInputError, match="is the device to fit"):
        lab.fit(fit_file(tmp_path), device=CONFIG, overwrite=True, binary=tlmssd.path)


def test_a_fit_whose_file_cannot_be_written_keeps_its_values(tmp_path, tlmssd):
    out = tmp_path / "out"
    (out / "fit.txt").mkdir(parents=True)
    with pytest.raises(lab.LabFitNotWritten, match="fit.txt") as caught:
        lab.fit(fit_file(tmp_path), out=out, jobs=1, binary=tlmssd.path)
    assert caught.value.status == 2 and 100 <= caught.value.result.best["cpu.mhz"] <= 1600
    with pytest.raises(lab.LabInputError, match="fit.txt"):
        caught.value.result.raise_for_status()


# Pages and differences


def test_a_report_takes_results_and_folders(runs, tmp_path, capfd):
    page = lab.report([lab.load(runs[0]), runs[1]], tmp_path / "new/page.html", title="<two>")
    assert page == tmp_path / "new/page.html" and "<h1>&lt;two&gt;</h1>" in page.read_text(encoding="utf-8")
    alone = lab.report(runs[0], tmp_path / "one.html")
    assert "<title>mixed-70-30-4k</title>" in alone.read_text(encoding="utf-8")
    assert capfd.readouterr() == ("", "")
    with pytest.raises(lab.LabInputError, match="no results.json"):
        lab.report(tmp_path, tmp_path / "none.html")
    assert not (tmp_path / "none.html").exists()


def test_results_are_compared_as_their_files_are(runs):
    a, b = map(lab.load, runs)
    assert lab.diff(a, b) == lab.diff(*runs) and not lab.diff(a, b).identical
    assert lab.diff(a, a).identical


# Notebooks


def test_a_result_is_a_table(tmp_path):
    result = lab.load(write_results(tmp_path, workload__name="<w>", config__nand={"name": "part"},
                                    config__geometry={"channels": 4, "ways": 2, "dies": 1}))
    html = result._repr_html_()
    assert result.device == "part, 4 channels x 2 ways x 1 dies" and result.device in html
    assert "&lt;w&gt;" in html and "<w>" not in html
    for word in ("1,000", "80", "200", "die (50.0 % of bound)", "WAF: 1", "scheduler inorder"):
        assert word in html
    assert html.count("<tr>") == 2  # all requests are reads: one row


def test_a_comparison_is_a_table(tmp_path):
    program = fake_program(tmp_path, [
        ["scheduler=nix", 2, "<no>", None],
        *[[f"scheduler=vaq --set seed={seed}", 0, "", crafted(host__all=traffic(100, iops, 40.0, 90.0))]
          for seed, iops in ((1, 1100.0), (2, 1120.0))],
        ["seed=1", 0, "", crafted()], ["seed=2", 0, "", crafted(host__all=traffic(100, 1010.0, 80.0, 200.0))]])
    comparison = lab.compare(CONFIG, schedulers=["inorder", "vaq", "nix"], seeds=2, binary=program)
    html = comparison._repr_html_()
    # (100 + 110) / 2 of (1000 + 1010) / 2, in %
    assert "+10.4 [" in html and "unfit: &lt;no&gt;" in html and "2 seeds" in html
    assert "1.11 \u00b1" in html and "difference from inorder" in html


def test_a_plot_has_the_percentiles_of_the_result(tmp_path):
    result = lab.load(write_results(tmp_path))
    axes = result.plot_latency()
    line = axes.get_lines()[0]
    # 100 requests: p50, p95, p99; and the largest at (n - 1) / n, which is p99 as well
    assert list(line.get_ydata()) == [80.0, 200.0, 200.0]
    assert list(line.get_xdata()) == pytest.approx([0.30103, 1.30103, 2.0])
    assert result.plot_latency(axes, label="again") is axes and len(axes.get_lines()) == 2
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["inorder, randread-4k", "again"]
    cdf = result.plot_latency(cdf=True).get_lines()[0]
    assert list(cdf.get_xdata()) == [80.0, 200.0, 200.0]
    assert list(cdf.get_ydata()) == pytest.approx([0.5, 0.95, 0.99])
    with pytest.raises(lab.LabInputError, match="too few requests"):
        result.plot_latency(kind="writes")
    with pytest.raises(lab.LabInputError, match="none of all, reads, writes"):
        result.plot_latency(kind="trims")


def test_a_plot_of_a_log_has_every_request(tmp_path):
    rows = [f"0,{'read' if n % 2 else 'write'},8,4096,0,0,0,{1000 * n},0,1,ok" for n in range(1, 11)]
    head = "job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,flash_ops,status"
    result = lab.load(write_results(tmp_path))
    (tmp_path / "log.csv").write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    assert sorted(set(result.plot_latency().get_lines()[0].get_ydata())) == [float(n) for n in range(1, 11)]
    reads = result.plot_latency(kind="reads").get_lines()[0]
    assert sorted(set(reads.get_ydata())) == [1.0, 3.0, 5.0, 7.0, 9.0]
