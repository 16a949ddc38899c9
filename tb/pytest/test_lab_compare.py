# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab compare: variants, seeds, statistics, files and what cannot run."""

import csv
import json
import signal
import statistics
import time

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR
from lab_support import CONFIG, call_lab, crafted, fake_program, start_lab, traffic
from tlmssd_lab import lab
from tlmssd_lab.files import folder_names

# A short run on a device of 512 MiB, which is soon filled beforehand.
SMALL = ["--set", "workload.requests=100", "--set", "geometry.pages=16"]
FIGURE = "host.all.iops"


def results(seed, iops, **changes):
    return crafted(seed=seed, host__all=traffic(100, iops, 80.0, 200.0), **changes)


@pytest.fixture
def two(tmp_path):
    """Seeds 1, 2, 3: serial does 10, 20, 30 IOPS, vaq 11, 23, 32; nix is refused, dead fails."""
    cases = [
        ["scheduler=nix", 2, "'nix' is not serial", None],
        ["scheduler=dead", 3, "integrity: LBA 8", None],
    ]
    for name, values in (("serial", (10.0, 20.0, 30.0)), ("vaq", (11.0, 23.0, 32.0))):
        cases += [
            [
                f"--set scheduler={name} --set seed={seed}",
                0,
                "",
                results(seed, iops, sched__name=name),
            ]
            for seed, iops in enumerate(values, 1)
        ]
    return fake_program(tmp_path, cases)


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def row_of(rows, variant, figure=FIGURE):
    (row,) = [row for row in rows if row["variant"] == variant and row["figure"] == figure]
    return row


def test_means_and_paired_differences_reach_every_output(two, tmp_path):
    # t(0.975, 2) = 4.302653. serial: mean 20, s = 10, half = 4.302653 * 10 / sqrt 3 = 24.841378.
    # vaq - serial: 1, 3, 2: mean 2, s = 1, half = 2.484138; of the base's mean: 10 %.
    status, out, err = call_lab(
        "compare",
        CONFIG,
        "--scheduler",
        "serial,vaq",
        "--seeds",
        3,
        "--csv",
        tmp_path / "c.csv",
        "--out",
        tmp_path / "out",
        program=two,
    )
    assert (status, err) == (DONE, ""), "no progress on a pipe"
    rows = read_csv(tmp_path / "c.csv")
    serial, vaq = row_of(rows, "serial"), row_of(rows, "vaq")
    assert (serial["scheduler"], serial["status"], serial["seeds"], serial["unit"]) == (
        "serial",
        "done",
        "3",
        "1/s",
    )
    assert float(serial["mean"]) == 20.0 and serial["difference"] == "" == serial["differs"]
    assert float(serial["ci_low"]) == pytest.approx(20 - 24.841378, abs=1e-6)
    assert (float(vaq["difference"]), float(vaq["difference_percent"])) == (2.0, 10.0)
    assert float(vaq["difference_ci_high"]) == pytest.approx(4.484138, abs=1e-6)
    assert vaq["differs"] == "False"
    document = json.loads((tmp_path / "out/compare.json").read_text(encoding="utf-8"))
    assert (document["schema"], document["seeds"], document["status"]) == (
        "tlmssd-compare-1",
        [1, 2, 3],
        "done",
    )
    (load,) = document["workloads"]
    assert load["base"] == "serial"
    variant = load["variants"][1]
    assert variant["settings"] == {"scheduler": "vaq"}
    assert variant["figures"][FIGURE]["values"] == [11.0, 23.0, 32.0]
    assert variant["differences"][FIGURE]["ci_low"] == pytest.approx(-0.484138, abs=1e-6)
    assert variant["differences"][FIGURE]["differs"] is False
    assert variant["differences"]["host.writes.latency_us.mean"]["mean"] is None, (
        "undefined stays so"
    )
    assert "0.02 +-0.02" in out  # kIOPS: 20 +- 24.8
    assert (
        "+10.0 % [-2.4, +22.4]" in out
        and "*" not in out.split("[-2.4, +22.4]")[1].split("\n")[0][:2]
    )


def test_a_sure_difference_has_a_star(tmp_path):
    # differences 10, 12, 11 to 10, 20, 30: mean 11, half 2.484138; 55 % [42.6, 67.4]
    cases = [
        [
            f"scheduler={name} --set seed={seed}",
            0,
            "",
            results(seed, 10.0 * seed + more, sched__name=name),
        ]
        for name, extra in (("serial", (0, 0, 0)), ("vaq", (10, 12, 11)))
        for seed, more in enumerate(extra, 1)
    ]
    _, out, _ = call_lab(
        "compare",
        CONFIG,
        "--scheduler",
        "serial,vaq",
        "--seeds",
        3,
        "--quiet",
        program=fake_program(tmp_path, cases),
    )
    assert "+55.0 % [+42.6, +67.4] *" in out


def test_the_table_shows_what_the_results_say(tmp_path):
    latency = {
        "mean": 81.04,
        "p50": 1,
        "p95": 1,
        "p99": 170.3,
        "p999": 1999.96,
        "p9999": 1,
        "max": 1,
    }
    document = crafted(
        host__all={
            "count": 9,
            "bytes": 9,
            "iops": 12345.6,
            "mb_s": 50.57,
            "latency_us": latency,
            "response_us": latency,
        },
        ftl__waf=None,
        sched__name="vaq",
        config__controller__kind="rtl",
        wall__seconds=1.004,
    )
    status, out, _ = call_lab(
        "compare",
        CONFIG,
        "--seeds",
        1,
        "--metric",
        "ftl.gc.runs",
        "--quiet",
        "--set",
        "k=v",
        "--workload",
        "my-load",
        program=fake_program(tmp_path, [["", 0, "", document]]),
    )
    lines = out.splitlines()
    assert status == DONE and lines[0] == f"my-load, k=v, {CONFIG}"
    assert lines[2].split() == [
        "vaq",
        "rtl",
        "12.35",
        "50.6",
        "81.0",
        "170.3",
        "2000.0",
        "-",
        "0.500",
        "0.000",
        "die",
        "1.00",
    ]
    assert "difference" not in out and "+-" not in out, "one variant, one seed"


def test_what_cannot_run_is_a_row_with_its_message(two, tmp_path):
    status, out, err = call_lab(
        "compare",
        CONFIG,
        "--scheduler",
        "nix,serial,vaq",
        "--seeds",
        2,
        "--quiet",
        "--csv",
        tmp_path / "c.csv",
        "--out",
        tmp_path / "out",
        program=two,
    )
    assert (status, err) == (INPUT_ERROR, "tlmssd-lab: nix: 'nix' is not serial\n")
    assert "nix (unfit): 'nix' is not serial" in out
    assert "difference to 'serial'" in out, "the first that ran is the base"
    (lost,) = [row for row in read_csv(tmp_path / "c.csv") if row["variant"] == "nix"]
    assert (lost["status"], lost["message"], lost["figure"]) == ("unfit", "'nix' is not serial", "")


def test_values_that_run_but_not_together_are_no_error(tmp_path):
    program = fake_program(
        tmp_path,
        [["scheduler=b --set controller.kind=rtl", 2, "b needs tlm", None], ["", 0, "", crafted()]],
    )
    words = ["--scheduler", "a,b", "--controller", "tlm,rtl", "--seeds", 1, "--quiet"]
    status, out, err = call_lab("compare", CONFIG, *words, program=program)
    assert (status, err) == (DONE, "")
    assert "(unfit): b needs tlm" in out


def test_status_2_where_nothing_could_run(two):
    status, out, err = call_lab("compare", CONFIG, "--scheduler", "nix", "--quiet", program=two)
    assert status == INPUT_ERROR and "'nix' is not serial" in err and len(err.splitlines()) == 1


def test_an_error_of_the_model_is_status_3_and_the_rest_is_shown(two):
    status, out, err = call_lab(
        "compare", CONFIG, "--scheduler", "serial,dead", "--seeds", 2, "--quiet", program=two
    )
    assert status == MODEL_ERROR and "integrity: LBA 8" in err
    assert "dead (failed): integrity: LBA 8" in out and "serial" in out.splitlines()[2]


def test_every_variant_has_the_same_seeds_under_every_load(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    status, out, _ = call_lab(
        "compare",
        CONFIG,
        "--scheduler",
        "a,b",
        "--controller",
        "tlm,rtl",
        "--cpu",
        "native",
        "--workload",
        "w1,w2",
        "--vary",
        "x.y=1,2",
        "--vary",
        "z=1,2|3,4",
        "--variant",
        "scheduler=c",
        "--set",
        "k=v",
        "--seeds",
        2,
        "--first-seed",
        7,
        "--quiet",
        program=program,
    )
    assert status == DONE
    calls = [
        call.split(" --set ", 1)[1]
        for call in program.with_suffix(".calls").read_text(encoding="utf-8").splitlines()
    ]
    # 2 schedulers x 2 controllers x 1 CPU x 2 x 2 values, and one more; x 2 loads x 2 seeds
    assert len(calls) == (2 * 2 * 1 * 2 * 2 + 1) * 2 * 2
    seeds = {}
    for call in calls:
        settings, seed = call.rsplit(" --set seed=", 1)
        seeds.setdefault(settings, []).append(int(seed))
    assert len(seeds) == 17 and all(sorted(found) == [7, 7, 8, 8] for found in seeds.values())
    assert (
        "k=v --set scheduler=a --set controller.kind=rtl --set cpu.model=native --set x.y=2 "
        "--set z=3,4" in seeds
    )
    assert "k=v --set scheduler=c" in seeds


def test_formats_belong_to_the_trace_before_them(tmp_path):
    program = fake_program(tmp_path, [["", 0, "", crafted()]])
    call_lab(
        "compare",
        CONFIG,
        "--trace",
        "a.gz",
        "--format",
        "spc",
        "--trace",
        "b",
        "--trace-columns",
        "time,lba",
        "--trace",
        "c",
        "--lenient",
        "--seeds",
        1,
        "--quiet",
        "--jobs",
        1,
        program=program,
    )
    calls = program.with_suffix(".calls").read_text(encoding="utf-8").splitlines()
    traces = [call[call.index("--trace") : call.index(" --set")] for call in calls]
    assert traces == [
        "--trace a.gz --format spc --lenient",
        "--trace b --trace-columns time,lba --lenient",
        "--trace c --lenient",
    ]


def test_kept_runs_are_what_the_figures_were_made_of(tlmssd, tmp_path):
    status, _, err = call_lab(
        "compare",
        CONFIG,
        "--workload",
        "randread-4k,mixed-70-30-4k",
        "--scheduler",
        "inorder,vaq",
        "--seeds",
        2,
        *SMALL,
        "--out",
        tmp_path / "out",
        "--timeline",
        "--csv",
        tmp_path / "c.csv",
        "--quiet",
        program=tlmssd.path,
    )
    assert (status, err) == (DONE, "")
    folder = tmp_path / "out/mixed-70-30-4k"
    read = {
        name: [
            json.loads((folder / name / f"seed-{seed}/results.json").read_text(encoding="utf-8"))
            for seed in (1, 2)
        ]
        for name in ("inorder", "vaq")
    }
    for name, documents in read.items():
        assert [document["seed"] for document in documents] == [1, 2]
        assert {document["config"]["scheduler"] for document in documents} == {name}
        assert (folder / name / "seed-1/timeline.json.gz").is_file()
        assert not (folder / name / "seed-2/timeline.json.gz").exists()
    rows = [row for row in read_csv(tmp_path / "c.csv") if row["workload"] == "mixed-70-30-4k"]
    iops = {
        name: [document["host"]["all"]["iops"] for document in documents]
        for name, documents in read.items()
    }
    for name in iops:
        assert float(row_of(rows, name)["mean"]) == pytest.approx(
            statistics.mean(iops[name]), rel=1e-12
        )
    change = statistics.mean(b - a for a, b in zip(iops["inorder"], iops["vaq"]))
    assert float(row_of(rows, "vaq")["difference"]) == pytest.approx(change, rel=1e-12)
    kept = json.loads((tmp_path / "out/compare.json").read_text(encoding="utf-8"))
    assert kept["workloads"][1]["variants"][1]["runs"][1]["folder"] == "mixed-70-30-4k/vaq/seed-2"


def test_variants_that_are_the_same_device_do_not_differ(tlmssd):
    # The protocol checker watches and changes nothing: each pair of runs is equal.
    comparison = lab.compare(
        CONFIG,
        vary={"checker": [True, False]},
        seeds=2,
        workloads=["randread-4k"],
        settings={"workload.requests": 100, "geometry.pages": 16},
        binary=tlmssd.path,
    )
    row = comparison.groups[0].rows[1]
    assert row.name == "checker=false" and row.status == "done"
    for key, change in row.differences.items():
        assert change is None or (change.mean, change.excludes_zero) == (0, False), key
    frame = comparison.frame
    assert set(frame["variant"]) == {"checker=true", "checker=false"}
    assert not frame.loc[frame["variant"] == "checker=false", "differs"].dropna().any()


def test_the_number_of_jobs_changes_nothing(tlmssd, tmp_path):
    printed = []
    for jobs in (1, 4):
        status, out, _ = call_lab(
            "compare",
            CONFIG,
            "--workload",
            "randread-4k",
            "--scheduler",
            "inorder,vaq",
            "--seeds",
            2,
            *SMALL,
            "--jobs",
            jobs,
            "--json",
            "--quiet",
            program=tlmssd.path,
        )
        assert status == DONE and json.loads(out)["status"] == "done"
        printed.append(out)
    assert printed[0] == printed[1]


def test_interrupt_shows_the_seeds_that_are_done(tmp_path):
    program = fake_program(
        tmp_path, [["seed=1", 0, "", results(1, 10.0)], ["seed=2", 130, "sleep", None]]
    )
    process = start_lab(
        "compare",
        CONFIG,
        "--scheduler",
        "a,b",
        "--seeds",
        3,
        "--jobs",
        2,
        "--out",
        tmp_path / "out",
        program=program,
    )
    begin = time.monotonic()
    while not program.with_suffix(".asleep").exists():
        assert time.monotonic() - begin < 30
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == INTERRUPTED and err.splitlines()[-1] == "tlmssd-lab: interrupted"
    assert out.splitlines()[2].split()[:3] == ["inorder", "tlm", "0.01"], (
        "the crafted results of seed 1"
    )
    document = json.loads((tmp_path / "out/compare.json").read_text(encoding="utf-8"))
    assert (document["seeds"], document["status"]) == ([1], "interrupted")
    assert "seed=3" not in program.with_suffix(".calls").read_text(encoding="utf-8"), (
        "no further run began"
    )


def test_names_become_folders_that_differ():
    assert folder_names(["a b/c", "a-b-c", "..", "x=1,2"]) == ["a-b-c", "a-b-c-2", "run", "x=1-2"]
