# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab fit: what is found, what a file may not ask for, what is kept."""

import json
import math
import signal
import subprocess
import time

import numpy as np
import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, ROOT
from conftest import binary_path
from lab_support import CONFIG, call_lab, crafted, fake_program, start_lab, traffic
from tlmssd_lab.errors import LabInputError
from tlmssd_lab.fit import plan as fit_plan
from tlmssd_lab.fit import solve as fit_solve
from tlmssd_lab.fit.fio import rows_of_fio
from tlmssd_lab.fit.rows import DATASHEET_FIGURES
from tlmssd_lab.ranges import Range

SMALL = """config: CONFIG
parameters:
  cpu.mhz: {from: 100, to: 1600, log: true}
rows:
  - {figure: RR1, value: 30, unit: MB/s}
"""


def write(folder, text=SMALL, name="mine.yaml"):
    path = folder / name
    path.write_text(text.replace("CONFIG", CONFIG), encoding="utf-8")
    return path


def run(tmp_path, program, *words, text=SMALL, **options):
    return call_lab("fit", write(tmp_path, text), "--out", tmp_path / "out", *words,
                    program=program, **options)


def found(tmp_path):
    return json.loads((tmp_path / "out/fit.json").read_text())


# The search, on functions whose answer is known


def searched(parameters, measured, model, start, weights=None):
    search = fit_solve.Search(parameters, measured, weights or [1.0] * len(measured),
                              lambda sets: [model(*values) for values in sets])
    search.run(start, 8)
    return search


def parameter(key, low, high, log=False, integer=False):
    return fit_plan.Parameter(key, Range(low, high, None, log, integer), None)


def test_a_stepped_function_is_fitted():
    """Rows in steps of 1 per cent, as a simulation's: a power law's two parameters come back."""
    def model(a, b):
        rows = [a * b, a / b, a]
        return [math.exp(round(100 * math.log(row)) / 100) for row in rows]

    two = [parameter("a", 1, 1000, log=True), parameter("b", 0.1, 10)]
    search = searched(two, model(70, 3), model, (10.0, 1.0))
    assert search.best == pytest.approx((70, 3), rel=0.02)


def test_whole_numbers_stay_whole():
    search = searched([parameter("ways", 1, 16, integer=True)], [5 * 7.0],
                      lambda ways: [7.0 * ways], (1,))
    assert search.best == (5,) and search.cost == pytest.approx(0, abs=1e-12)


def test_elasticity_and_standard_error_in_closed_form():
    """y = p on three rows measured 99, 100, 101: the fit is their geometric mean, about 100, the
    elasticity 1, the standard error s / sqrt(3) with s^2 = 2 * 0.01^2 / 2, so 0.577."""
    search = searched([parameter("p", 50, 200, log=True)], [99.0, 100.0, 101.0],
                      lambda p: [p, p, p], (60.0,))
    assert search.best[0] == pytest.approx(100, rel=2e-3)
    sensitivity = search.sensitivity()
    assert np.array(sensitivity.elasticity) == pytest.approx(np.ones((3, 1)), rel=0.01)
    assert sensitivity.standard_error[0] == pytest.approx(100 * 0.01 / math.sqrt(3), rel=0.05)
    assert sensitivity.flat == [False] and sensitivity.alike == []


def test_parameters_that_the_rows_do_not_tell_apart_are_named():
    search = searched([parameter("a", 1, 100, log=True), parameter("b", 1, 100, log=True),
                       parameter("c", 1, 100, log=True)],
                      [200.0, 400.0, 6.0], lambda a, b, c: [a * b, 2 * a * b, c], (20.0, 5.0, 2.0))
    sensitivity = search.sensitivity()
    assert sensitivity.alike == [[0, 1]]
    assert sensitivity.standard_error[:2] == [None, None]


def test_a_weight_draws_the_fit():
    """Rows 100 and 200 with weights 3 and 1: ln p is the weighted mean, 100 * 2^(1/4)."""
    search = searched([parameter("p", 50, 400, log=True)], [100.0, 200.0], lambda p: [p, p],
                      (60.0,), weights=[3.0, 1.0])
    assert search.best[0] == pytest.approx(100 * 2**0.25, rel=2e-3)


# The whole, with the model


RECOVER = """config: CONFIG
set: {buffer.policy: none, workload.requests: 300, geometry.blocks: 32, precondition.fill: 0.2,
      ftl.over_provisioning: 0.4,
      workload.size: 20%}
parameters:
  nand.t_read_us: {from: 20, to: 200, log: true}
  nand.t_program_us: {from: 300, to: 3000, log: true}
  nand.t_erase_us: {from: 1000, to: 10000, log: true}
points: 60
table: datasheet.csv
"""


def test_known_parameters_are_found_again(tmp_path, tlmssd):
    """tR 80 us and tPROG 700 us from four rows that the model made with them, within 2 per cent;
    tBERS, on which nothing depends, is told; a row that was held out is predicted."""
    conditions = ["buffer.policy=none", "workload.requests=300", "geometry.blocks=32", "ftl.over_provisioning=0.4",
                  "precondition.fill=0.2", "workload.size=20%", "nand.t_read_us=80",
                  "nand.t_program_us=700"]
    lines = ["figure,value,unit,use"]
    for figure, (rw, size, depth) in DATASHEET_FIGURES.items():
        if figure == "SR":
            continue
        keys = [*conditions, f"workload.rw={rw}", f"workload.bs={size}", f"host.queue_depth={depth}"]
        out = tmp_path / figure
        subprocess.run([binary_path(), "run", CONFIG, "--quiet", "--out", out,
                        *(word for key in keys for word in ("--set", key))], check=True)
        speed = json.loads((out / "results.json").read_text())["host"]["all"]["mb_s"]
        lines.append(f"{figure},{speed:.4g},MB/s,{'predict' if figure == 'RW32' else 'fit'}")
    (tmp_path / "datasheet.csv").write_text("\n".join(lines) + "\n")
    preset = tmp_path / "fitted.yaml"
    status, out, err = run(tmp_path, binary_path(), "--write", preset, text=RECOVER, timeout=600)
    assert status == DONE, err
    document = found(tmp_path)
    values = {each["key"]: each for each in document["parameters"]}
    assert values["nand.t_read_us"]["fitted"] == pytest.approx(80, rel=0.02)
    assert values["nand.t_program_us"]["fitted"] == pytest.approx(700, rel=0.02)
    assert values["nand.t_read_us"]["identifiable"] and values["nand.t_read_us"]["standard_error"]
    assert not values["nand.t_erase_us"]["identifiable"]
    assert values["nand.t_erase_us"]["fitted"] == values["nand.t_erase_us"]["start"] == 3000
    assert "nand.t_erase_us" in out and "not identifiable" in out
    rows = {row["name"]: row for row in document["rows"]}
    assert rows["RW32"]["use"] == "predict" and abs(rows["RW32"]["error_percent"]) < 3
    assert rows["RW32"]["elasticity"] is None
    # The preset is the device with what was fitted, and nothing of the conditions.
    described = subprocess.run([binary_path(), "describe", preset], capture_output=True, text=True,
                               check=True).stdout
    shown = values["nand.t_read_us"]["fitted"]
    assert f"t_read_us: {shown:g} " in described and "policy: lru " in described
    text = preset.read_text()
    assert "include:" in text and "  t_erase_us:" not in text and "RW32" in text
    # It is not overwritten, and with all points there nothing is run again.
    status, _, err = run(tmp_path, binary_path(), "--write", preset, text=RECOVER)
    assert status == INPUT_ERROR and "already exists" in err and preset.read_text() == text
    status, _, _ = run(tmp_path, binary_path(), "--write", preset, "--force", text=RECOVER,
                       timeout=600)
    assert status == DONE and found(tmp_path)["runs"] == 0


def test_the_example_is_read():
    plan = fit_plan.load(ROOT / "configs/fits/example.yaml")
    assert [row.name for row in plan.rows] == list(DATASHEET_FIGURES)
    assert [row.name for row in plan.rows if row.use == "predict"] == ["RW1", "RW32"]


# What a file may not ask for


@pytest.mark.parametrize(
    "old, new, line, words",
    [
        ("config: CONFIG\n", "", 1, "config: is missing"),
        ("config:", "confg: 1\nconfig:", 1, "confg: no such key; did you mean 'config'?"),
        ("CONFIG", "nowhere.yaml", 1, "config: nowhere.yaml: no such file"),
        ("cpu.mhz", "cpu.mhzz", 3, "parameters.cpu.mhzz: is no key of a configuration; did you mean 'cpu.mhz'?"),
        ("cpu.mhz", "nvme.commands", 3, "parameters.nvme.commands: was renamed to 'nvme.command_limit'"),
        ("from: 100", "from: 1600", 3, "parameters.cpu.mhz.from: from (1600) must be less"),
        ("from: 100", "from: 0", 3, "from: must be above 0 with log"),
        ("from: 100, ", "", 3, "from: is missing"),
        ("log: true", "log: 7", 3, "log: must be true or false"),
        ("log: true", "lgo: true", 3, "lgo: no such key; did you mean 'log'?"),
        ("log: true", "start: 5", 3, "start: 5 is not in 100 to 1600"),
        ("log: true", "start: 200.5", 3, "whole numbers"),
        ("RR1", "RR2", 5, "rows.1.figure: 'RR2' is none of SR, SW, RR1, RR32, RW1, RW32; did you mean"),
        ("MB/s", "MBps", 5, "rows.1.unit: 'MBps' is none of"),
        ("unit: MB/s", "unit: MB/s, metric: host.all.iops", 5, "conflicts with host.all.iops; use one of IOPS, kIOPS"),
        ("unit: MB/s", "unit: us, metric: host.all.latency_us.p90", 5, "did you mean 'host.all.latency_us.p9"),
        ("value: 30", "value: -3", 5, "rows.1.value: must be a number above 0, not -3"),
        ("value: 30, ", "", 5, "rows.1.value: is missing"),
        ("value: 30", "value: 30, use: preditc", 5, "did you mean 'predict'?"),
        ("value: 30", "value: 30, weight: 0", 5, "rows.1.weight: must be a number above 0"),
        ("value: 30", "value: 30, workload: randread-4k", 5, "conflicts with figure"),
        ("value: 30", "value: 30, set: {cpu.mzh: 3}", 5, "rows.1.set: 'cpu.mzh' is no key"),
        ("value: 30", "value: 30, vlaue: 3", 5, "rows.1.vlaue: no such key of a row; did you mean 'value'?"),
        ("figure: RR1, ", "", 5, "a row needs figure, workload or set"),
        ("value: 30", "value: 30, use: predict", 2, "1 parameters and 0 rows to fit"),
        ("rows:", "points: 0\nrows:", 4, "points: must be a whole number"),
        ("rows:", "timeout_s: no\nrows:", 4, "timeout_s: must be a number above 0"),
        ("rows:", "table: none.csv\nrows:", 4, "table: none.csv: no such file"),
        ("rows:", "set: {cpu.mhz: 200}\nrows:", 4, "set.cpu.mhz: is a parameter, too"),
        ("rows:", "parameters: {}\nrows:", 4, "parameters: is given twice (line 2)"),
        ("rows:", "rows: [\n", 0, "is not YAML"),
    ],
)
def test_a_wrong_file_is_told_by_line_and_key(tmp_path, old, new, line, words):
    assert old in SMALL
    path = write(tmp_path, SMALL.replace(old, new, 1))
    with pytest.raises(LabInputError) as error:
        fit_plan.load(path)
    assert words in str(error.value)
    assert str(error.value).startswith(f"{path}:{line}: " if line else f"{path}:")


@pytest.mark.parametrize(
    "text, line, words",
    [
        ("corner,value,unit\n", 1, "corner: was renamed to 'figure'"),
        ("figure,value,unti\n", 1, "unti: no such column; did you mean 'unit'?"),
        ("figure,value,unit\nRR1,3\n", 2, "2 cells, but the heading has 3 columns"),
        ("# c\n\nfigure,value,unit\nRR1,x,MB/s\n", 4, "value: must be a number above 0, not 'x'"),
        ("figure,figure\n", 1, "figure: is given twice"),
        ("set,value,unit\ncpu.mhz=5,3,MB/s\n", 2, "cpu.mhz: is a parameter of the fit, too"),
        ("set,value,unit\nhost.kind,3,MB/s\n", 2, "must be KEY=VALUE"),
    ],
)
def test_a_wrong_table_is_told_by_line_and_column(tmp_path, text, line, words):
    (tmp_path / "t.csv").write_text(text)
    head = SMALL.split("rows:")[0]
    with pytest.raises(LabInputError) as error:
        fit_plan.load(write(tmp_path, head + "table: t.csv\n"))
    assert words in str(error.value) and f"t.csv:{line}: " in str(error.value)


def test_the_program_refuses_a_point(tmp_path):
    program = fake_program(tmp_path, [["", 2, "cpu.mhz: is wrong", None]])
    status, _, err = run(tmp_path, program)
    assert status == INPUT_ERROR and "row 1 (RR1) with cpu.mhz=" in err and "is wrong" in err


# What is kept


def test_an_interrupted_fit_keeps_the_best(tmp_path):
    program = fake_program(tmp_path, [["cpu.mhz=400", 0, "", crafted()], ["", 0, "sleep", None]])
    text = SMALL.replace("log: true", "log: true, start: 400")
    process = start_lab("fit", write(tmp_path, text), "--out", tmp_path / "out", "--write",
                        tmp_path / "no.yaml", program=program)
    end = time.monotonic() + 60
    while not program.with_suffix(".asleep").exists():
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == INTERRUPTED and "the best so far" in err
    document = found(tmp_path)
    assert document["status"] == INTERRUPTED and document["parameters"][0]["fitted"] == 400
    assert document["rows"][0]["model"] == pytest.approx(4.096) and "RR1" in out
    assert (tmp_path / "out/preset.yaml").exists() and not (tmp_path / "no.yaml").exists()


def test_a_point_that_fails_keeps_the_best(tmp_path):
    program = fake_program(tmp_path, [["cpu.mhz=400", 0, "", crafted()],
                                      ["", 3, "checker: broken", None]])
    status, _, err = run(tmp_path, program, text=SMALL.replace("log: true", "start: 400"))
    assert status == MODEL_ERROR and "checker: broken" in err
    assert found(tmp_path)["parameters"][0]["fitted"] == 400


def test_points_limit_the_search_and_it_is_told(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, _ = run(tmp_path, program, text=SMALL + "points: 2\n")
    assert status == DONE and "perhaps not the best" in out and "not identifiable" in out


def test_a_metric_that_the_workload_has_not_is_told(tmp_path):
    text = SMALL.replace("unit: MB/s", "unit: MB/s, metric: host.writes.mb_s")
    program = fake_program(tmp_path, [["", 0, "", crafted(host__writes=traffic(0, 0.0, None, None))]])
    status, _, err = run(tmp_path, program, text=text)
    assert status == INPUT_ERROR and "metric: host.writes.mb_s is 0 in this workload" in err


# fio


def fio_document(**options):
    """As fio 3.33 writes it (no flags such as stonewall), what is not read left out. 40 MiB in 2 s at 4 KiB: 5120 IOPS."""
    side = {"total_ios": 10240, "io_bytes": 41943040, "bw_bytes": 20971520, "bw": 20480,
            "iops": 5120.0, "lat_ns": {"mean": 196000.0},
            "clat_ns": {"mean": 195000.0, "percentile": {"50.000000": 190000, "99.000000": 250000}}}
    idle = {"total_ios": 0, "io_bytes": 0, "bw_bytes": 0, "bw": 0, "iops": 0.0}
    common = {"ioengine": "libaio", "direct": "1", "bs": "4k"}
    jobs = [
        {"jobname": "reads", "groupid": 0, "job options": {"rw": "randread", "iodepth": "1", **options},
         "read": side, "write": idle},
        {"jobname": "mixed", "groupid": 1, "job options": {
            "rw": "randrw", "rwmixread": "70", "bs": "16k", "iodepth": "8", "numjobs": "4"},
         "read": side, "write": side},
    ]
    return {"fio version": "fio-3.33", "global options": common, "jobs": jobs}


def fio_file(folder, document, before=""):
    path = folder / "fio.json"
    path.write_text(before + json.dumps(document))
    return path


def test_jobs_of_fio_become_rows(tmp_path):
    path = fio_file(tmp_path, fio_document(), before="fio: this is a warning\n")
    rows = {row.name: row for row in rows_of_fio(path, ["bw", "iops", "mean"], predicted=["mixed"])}
    assert list(rows) == ["reads bw", "reads iops", "reads mean", "mixed read bw", "mixed read iops",
                          "mixed read mean", "mixed write bw", "mixed write iops", "mixed write mean"]
    reads = rows["reads bw"]
    assert reads.measured == pytest.approx(20.97152) and reads.metric == "host.all.mb_s"
    assert reads.settings == {"workload.rw": "randread", "workload.bs": "4096",
                              "host.queue_depth": "1", "workload.norandommap": "false"}
    assert rows["reads mean"].measured == 195 and rows["reads mean"].unit == "us"
    mixed = rows["mixed write iops"]
    assert mixed.metric == "host.writes.iops" and mixed.use == "predict" and reads.use == "fit"
    assert mixed.settings["host.queue_depth"] == "32"  # 4 jobs of 8
    assert mixed.settings["workload.bs"] == "16384" and mixed.settings["workload.rwmixread"] == "70"


@pytest.mark.parametrize(
    "options, words",
    [
        ({"rw": "randraed"}, "rw: 'randraed' is none of"),
        ({"rw": "randtrim"}, "rw: 'randtrim' is none of"),
        ({"direct": "0"}, "direct: must be 1"),
        ({"bs": "4k,8k"}, "bs: '4k,8k' is no single size"),
        ({"iodepth": "many"}, "iodepth: must be a whole number"),
        ({"rate_iops": "100"}, "rate_iops: what this does is not taken over"),
    ],
)
def test_what_fio_did_and_the_model_does_not_is_told(tmp_path, options, words):
    path = fio_file(tmp_path, fio_document(**options))
    with pytest.raises(LabInputError) as error:
        rows_of_fio(path, ["bw"])
    assert words in str(error.value) and f"{path}: job 'reads': " in str(error.value)


def test_a_synchronous_engine_has_one_request_open(tmp_path):
    rows = rows_of_fio(fio_file(tmp_path, fio_document(ioengine="psync", iodepth="16")), ["bw"])
    assert rows[0].settings["host.queue_depth"] == "1"


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda d: d.clear(), "'jobs' is missing or empty"),
        (lambda d: d["jobs"][1].update(groupid=0), "ran beside another job"),
        (lambda d: d["jobs"][1].update(jobname="reads"), "is here 2 times"),
        (lambda d: d["jobs"][0]["read"].update(total_ios=0), "read: has no requests"),
        (lambda d: d["jobs"][0]["read"].update(bw_bytes="x"), "read.bw_bytes: must be a number"),
    ],
)
def test_results_of_fio_that_are_not_whole_are_told(tmp_path, change, words):
    document = fio_document()
    change(document)
    with pytest.raises(LabInputError) as error:
        rows_of_fio(fio_file(tmp_path, document), ["bw"])
    assert words in str(error.value)


def test_no_json_and_no_such_job(tmp_path):
    (tmp_path / "fio.json").write_text("nothing")
    with pytest.raises(LabInputError, match="no JSON of fio"):
        rows_of_fio(tmp_path / "fio.json", ["bw"])
    path = fio_file(tmp_path, fio_document())
    with pytest.raises(LabInputError, match="no job 'raeds'; did you mean 'reads'"):
        rows_of_fio(path, ["bw"], predicted=["raeds"])
    head = SMALL.split("rows:")[0]
    for part, words in (("metrics: [p98]", "fio.1.metrics: 'p98' is none of"),
                        ("weigth: 2", "fio.1.weigth: no such key; did you mean 'weight'?"),
                        ("use: no", "is neither fit nor predict")):
        with pytest.raises(LabInputError) as error:
            fit_plan.load(write(tmp_path, f"{head}fio:\n  - {{file: fio.json, {part}}}\n"))
        assert words in str(error.value) and "mine.yaml:5: " in str(error.value)


def test_a_device_is_fitted_to_fio(tmp_path):
    """The fake device has 1,000 IOPS whatever is set: the row's model and error are known."""
    fio_file(tmp_path, fio_document())
    text = SMALL.split("rows:")[0] + "fio:\n  - {file: fio.json, metrics: [iops], predict: [mixed]}\n"
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, err = run(tmp_path, program, text=text.replace("cpu.mhz", "nand.t_read_us"))
    rows = {row["name"]: row for row in found(tmp_path)["rows"]} if status == DONE else {}
    assert status == INPUT_ERROR and "host.writes.iops is 0" in err, (rows, out)
    both = crafted(host__writes=traffic(10, 500.0, 10.0, 20.0))
    program = fake_program(tmp_path, [["", 0, "", both]])
    status, out, err = run(tmp_path, program, text=text)
    assert status == DONE, err
    rows = {row["name"]: row for row in found(tmp_path)["rows"]}
    assert rows["reads iops"]["model"] == 1000
    assert rows["reads iops"]["error_percent"] == pytest.approx(100 * (1000 / 5120 - 1))
    assert rows["mixed write iops"]["model"] == 500
