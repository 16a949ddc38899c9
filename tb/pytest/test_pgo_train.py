# SPDX-License-Identifier: BSD-3-Clause
"""The training runs of scripts/build release-pgo."""
import pathlib
import subprocess
import sys

import pytest

from cli import DONE, INPUT_ERROR, MODEL_ERROR, ROOT

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
import bench_runs
import pgo_train


def settings(sets):
    return dict(setting.split("=", 1) for setting in sets)


@pytest.fixture(name="train")
def _train(monkeypatch, tmp_path):
    """A function that trains a planted program, which writes counts if it is to: (exit status, commands that were
    run, names in the folder of the counts)."""
    profile = tmp_path / "profile"
    profile.mkdir()
    (profile / "of_another_program.gcda").touch()

    def train(status=0, counts=("a.gcda",)):
        commands = []

        def run(command, env, **_words):
            assert env["TLMSSD_CACHE"] == "off"  # preconditioning is trained, too
            commands.append(command)
            profile.mkdir(exist_ok=True)
            for name in counts:
                (profile / name).touch()
            return subprocess.CompletedProcess(command, status)
        monkeypatch.setattr(pgo_train.subprocess, "run", run)
        ended = pgo_train.main([str(tmp_path / "tlmssd"), str(profile)])
        return ended, commands, sorted(path.name for path in profile.iterdir())
    return train


def test_each_load_of_the_bench_is_trained_shorter_and_with_its_own_seed():
    trained = [(config, settings(sets)) for config, sets in pgo_train.runs() if not set(pgo_train.WATCHED) <= set(sets)]
    assert len(trained) == len(bench_runs.CASES)
    for (config, has), (_, _, _, requests, measured, sets) in zip(trained, bench_runs.CASES):
        assert config == measured
        assert settings(sets).items() <= has.items()
        assert 10 * int(has["workload.requests"]) == requests
    seeds = {has["seed"] for _, has in trained}
    assert len(seeds) == len(trained) and "1" not in seeds  # 1 is the default, and so that of the bench


def test_models_alone_are_trained_with_checker_and_stages_too():
    runs = list(pgo_train.runs())
    watched = [run for run in runs if set(pgo_train.WATCHED) <= set(run[1])]
    assert [(config, [word for word in sets if word not in pgo_train.WATCHED]) for config, sets in watched] == [
        (config, sets) for config, sets in runs if settings(sets).get("controller.kind") != "rtl"
        and (config, sets) not in watched]
    assert watched


def test_all_runs_are_of_the_named_program_and_their_counts_alone_are_kept(train, tmp_path):
    status, commands, names = train()
    assert status == DONE and names == ["a.gcda"]
    assert [command[:3] for command in commands] == [
        [str((tmp_path / "tlmssd").resolve()), "run", config] for config, _ in pgo_train.runs()]


@pytest.mark.parametrize("ended, status", [(2, INPUT_ERROR), (3, MODEL_ERROR), (1, MODEL_ERROR), (-9, MODEL_ERROR)])
def test_a_run_that_fails_ends_the_training(train, capsys, ended, status):
    assert train(ended)[0] == status
    assert capsys.readouterr().err.startswith(f"pgo_train: status {ended} from: ")


def test_a_program_that_counts_nothing_is_an_error(train, capsys):
    assert train(counts=["a.txt"])[0] == MODEL_ERROR
    assert "has written no counts" in capsys.readouterr().err


def test_the_presets_share_one_folder_of_counts():
    tree = pathlib.Path("build/release-pgo-train")
    script = (ROOT / "scripts/build").read_text(encoding="utf-8")
    presets = (ROOT / "CMakePresets.json").read_text(encoding="utf-8")
    assert f"train={tree}\n" in script and '"$train/bin/tlmssd" "$train/profile"' in script
    assert f'"TLMSSD_PROFILE": "${{sourceDir}}/{tree}/profile"' in presets


def test_a_target_of_the_profiled_build_is_refused():
    done = subprocess.run([ROOT / "scripts/build", "release-pgo", "tlmssd_bench"], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    assert done.returncode == INPUT_ERROR
    assert done.stderr == "scripts/build: release-pgo builds tlmssd alone, not 'tlmssd_bench'\n"
