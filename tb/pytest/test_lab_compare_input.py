# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd-lab compare: a file that is missing is told before the first run."""

import pytest

from cli import DONE, INPUT_ERROR
from lab_support import CONFIG, call_lab


def compare(tlmssd, tmp_path, *words):
    return call_lab("compare", *words, "--seeds", 1, "--set", "workload.requests=50", "--set",
                    "geometry.pages=16", "--out", tmp_path / "out", program=tlmssd.path)


@pytest.mark.parametrize("words, told", [
    (["--workload", "randread-4k", "--trace", "absent.spc"],
     "workload.trace: cannot read 'absent.spc': No such file or directory"),
    (["--workload", "randread-4k", "--trace", "."], "workload.trace: '.' is a folder, not a file"),
    (["--workload", "randread-4k,mine.yaml"],
     "mine.yaml:2:8: workload.trace: cannot read 'absent.spc': No such file or directory"),
    (["--workload", "randread-4k", "--vary", "workload.trace=|absent.spc"],
     "--set workload.trace=absent.spc: workload.trace: cannot read 'absent.spc': No such file or directory"),
    (["--workload", "randread-4k,raedrandom"], "workload: no preset 'raedrandom'"),
    (["absent.yaml"], "absent.yaml: cannot read 'absent.yaml': No such file or directory"),
])
def test_a_missing_file_is_named_before_the_first_run(tlmssd, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("# A load\ntrace: absent.spc\nformat: spc\n", encoding="utf-8")
    words = [str(tmp_path / word) if word.startswith("mine") else word for word in words]
    status, out, err = compare(tlmssd, tmp_path, CONFIG, *words)
    assert (status, out, err.count("\n")) == (INPUT_ERROR, "", 1), err
    assert told in err.replace(f"{tmp_path}/", ""), err
    assert not (tmp_path / "out").exists(), "nothing was run"


def test_a_renamed_result_is_called_by_its_new_name(tlmssd, tmp_path):
    status, out, err = compare(tlmssd, tmp_path, CONFIG, "--metric", "workload.requests")
    assert (status, out, err.count("\n")) == (INPUT_ERROR, "", 1), err
    assert "'workload.requests' was renamed to 'workload.source_requests'" in err


def test_two_values_that_do_not_go_together_still_are_a_row(tlmssd, tmp_path):
    one, other = "controller.stations=1", "controller.suspend=erase"
    status, out, err = compare(tlmssd, tmp_path, CONFIG, "--set", "scheduler=host", "--variant", one, "--variant",
                               other, "--variant", f"{one},{other}")
    assert status == DONE and out.count("(unfit)") == 1, out + err
