# SPDX-License-Identifier: BSD-3-Clause
"""Every command of the documentation is run as it stands, page by page, in a folder that looks like
the repository; those that take long, or need what a page cannot have, are named here with the test
that runs them."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

import tutorial
from cli import ROOT
from conftest import binary_path, traces_folder
from tlmssd_lab.figures import experiment

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PROGRAM = re.compile(
    r"(?:\w+=\S+ )*(?:build/release/bin/|\.venv/bin/|\$BUILD/bin/)?"
    r"(tlmssd-keys|tlmssd-lab|tlmssd|scripts/[\w-]+)(?=\s|$)"
)
# What another test runs, or what takes minutes. A pattern, and where it is run.
ELSEWHERE = [
    (r"scripts/(demo|setup|build|test|bench)\b", "scripts/test itself, tb/pytest/test_scripts.py"),
    (r"scripts/(synth|prove|rtl-mutants|lint-rtl|rtl-coverage)\b", "scripts/test, test_synth.py"),
    (r"scripts/netlist-test\b", "minutes: tb/pytest/test_netlist.py"),
    (r"scripts/equivalence\b", "minutes: tb/pytest/test_equivalence.py"),
    (r"scripts/place-and-route\b", "minutes: tb/pytest/test_place_and_route.py"),
    (r"scripts/map-cells\b", "minutes: tb/pytest/test_map_cells.py"),
    (r"tlmssd-lab figure [a-z]", "tb/pytest/test_lab_figure.py; names are looked at here"),
    (r"tlmssd-lab reproduce (?!--list)", "tb/pytest/test_reproduce.py, test_docs_reproduction.py"),
    (r"tlmssd-lab calibrate", "tb/pytest/test_lab_calibrate.py"),
    (r"tlmssd-lab sweep .*--(dask|cluster)", "tb/pytest/test_lab_sweep_cluster.py"),
    (r"powercut .*(cpu\.model=iss)", "tb/pytest/test_powercut.py"),
    (r"--gdb ", "tb/pytest/test_gdb.py"),
    (r"reads_first|my_fifo", "tb/conformance/page makes these schedulers"),
    (r"out/stall$", "a picture of a run of that scheduler with a mistake: tb/ssd/stall_report_test.cpp"),
    (r"\$OWN|\$BUILD|own-race", "tb/pytest/test_own_rtl.py"),
    (r"tlmssd-keys --write", "tb/config: what it writes is compared"),
    (r"hybrid\.SWITCH=OFF", "a pattern: tb/pytest/test_lab_figure.py"),
    (r"scripts/linux\b|scripts/(uml|qemu)-kernel|tlmssd guest",
     "requires a kernel: tb/pytest/test_linux.py, test_qemu.py"),
    (r"tlmssd-lab fsync out/", "a run of scripts/linux: tb/pytest/test_linux_fsync.py"),
    (r"scripts/boot-image\b", "requires a kernel: tb/pytest/test_qemu.py"),
    (r"tlmssd serve", "it goes on until it is stopped: tb/pytest/test_serve.py"),
    (r"rtl_pins --workload mixed-70-30-32k", "minutes: tb/pytest/test_rtl_pins.py"),
    (r"^scripts/waves$", "looks below out/ of the repository itself: tb/pytest/test_waves.py"),
    (r"workload\.requests=1000000 --out out/big|report out/big", "minutes: tb/pytest/test_report_browser.py"),
    (r"workload\.requests=10000000 --sample", "minutes: shorter in tb/pytest/test_sampled_run.py"),
    (r"fit my\.yaml", "a file of one's own: tb/pytest/test_lab_fit.py"),
    (r"policy=\$p", "minutes: tb/pytest/test_powercut.py"),
    (r"scripts/docs\b", "tb/pytest/test_docs_site.py"),
    (r"scripts/same-results\b", "minutes: tb/pytest/test_same_results.py"),
]
# What does not end with 0, and is said to by its page.
ENDS_WITH = {"buffer.hold_up_ms=1": 3, "sata.bit_error_rate=1e-4 --set workload.requests=800": 3}
# What reads no file of its page and writes none: where another page has it, too, it ends in the same way.
ALONE = re.compile(r"tlmssd (?:powercut configs/|list |explain )(?!.*(?:--out|\s-o\s|[>$]))")
# What stands for something: no command.
PATTERN = re.compile(r"\bCONFIG\b|\bDEVICE\b|\bOPS\b|\[--|\.\.\.|\bFILE\b|\bDIR\b|\bA\b \bB\b|\|")
TRACES = re.compile(r"A\.csv\.xz|B\.spc|\.blkparse\.txt\.xz|TPCC_")
FIO = "[global]\nioengine=libaio\nrw=randread\nbs=4k\nsize=16m\nnumber_ios=200\n[one]\niodepth=4\n"


def commands(page):
    """(line, command) of each command in an indented or fenced block; continued lines are joined,
    what stands behind two blanks or a # is a remark."""
    lines, found, fenced, number = page.read_text(encoding="utf-8").split("\n"), [], False, 0
    shown = False  # a block of text: what a program prints
    while number < len(lines):
        line, at = lines[number], number + 1
        if line.startswith("```"):
            fenced = not fenced
            shown = fenced and line.startswith("```text")
        elif not shown and (fenced or line.startswith("    ")):
            text = line.strip()
            while text.endswith("\\") and number + 1 < len(lines):
                number += 1
                text = text[:-1].rstrip() + " " + lines[number].strip()
            if PROGRAM.match(text):
                found.append((at, re.split(r"\s+#|(?<=\S)\s{3,}(?=[^-\s])", text)[0].strip()))
        number += 1
    return found


def kind(command):
    """"run", or why not."""
    for pattern, where in ELSEWHERE:
        if re.search(pattern, command):
            return where
    if PATTERN.search(re.sub(r"'[^']*'", "", command)):
        return "a pattern"
    return "a trace that a page cannot have" if TRACES.search(command) else "run"


def workplace(tmp_path):
    """A folder like the repository, in which commands may write."""
    for name in ("configs", "scripts", "waves", "firmware", "rtl", "examples", ".venv"):
        if (ROOT / name).exists() and name != "configs":
            (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    shutil.copy(tmp_path / "configs/ssd/default.yaml", tmp_path / "configs/ssd/mine.yaml")
    (tmp_path / "build").mkdir()
    (tmp_path / "build/release").symlink_to(binary_path().parents[1])
    (tmp_path / "docs/images").mkdir(parents=True)
    (tmp_path / "my.fio").write_text(FIO)
    (tmp_path / "t.csv").write_text("".join(f"{n * 100},0,x,{n * 8},4096,r\n" for n in range(50)))
    return tmp_path


def runnable(page):
    steps = tutorial_lines(page)
    return [(at, text) for at, text in commands(page) if kind(text) == "run" and at not in steps]


def tutorial_lines(page):
    """Lines of a page that are steps of a tutorial: test_tutorials.py runs them."""
    taken = tutorial.steps(page.read_text(encoding="utf-8")) if page in tutorial.PAGES else []
    return {line for step in taken for line in range(step.line, step.line + step.script.count("\n"))}


def needs_display(text):
    """scripts/waves opens GTKWave where it does not draw a picture."""
    return "scripts/waves" in text and "--png" not in text


@pytest.fixture(name="alone", scope="module")
def _alone():
    """The commands of earlier pages that ALONE finds."""
    return set()


@pytest.mark.parametrize("page", [p for p in PAGES if runnable(p)], ids=lambda p: p.stem)
def test_the_commands_of_a_page_work_as_they_stand(page, tmp_path, alone):
    folder = workplace(tmp_path)
    path = f"{binary_path().parent}:{ROOT / '.venv/bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TLMSSD": str(binary_path()),
                   "PYTHONPATH": str(ROOT / "scripts"), "DISPLAY": ""}
    if traces_folder():
        environment["TLMSSD_TRACES"] = str(traces_folder())
    for name, value in re.findall(r"^    (\w+)=\"([^\"]*)\"$", page.read_text(), re.M):
        environment[name] = value  # S="--set ..." of a page
    seen = set()  # a command that a page has twice runs once
    for at, text in runnable(page):
        for each in _loops(page, text):
            if needs_display(each):
                each += " --png out/picture.png"
            name = each.removeprefix("build/release/bin/").removeprefix(".venv/bin/")
            if name in seen | alone:
                continue
            seen.add(name)
            done = subprocess.run(["bash", "-c", each], cwd=folder, env=environment, text=True,
                                  capture_output=True, stdin=subprocess.DEVNULL, check=False,
                                  timeout=300)
            said = (done.stdout + done.stderr)[-1500:]
            status = next((ends for word, ends in ENDS_WITH.items() if each.endswith(word)), 0)
            assert done.returncode == status, f"{page.name}:{at}: {each}\n{said}"
            if ALONE.match(name):
                alone.add(name)


def _loops(page, text):
    """The command for each value of the loop of the page that it stands in ($s, $qd)."""
    for name, words in re.findall(r"for (\w+) in ([^;]+);", page.read_text()):
        if f"${name}" in text:
            return [text.replace(f"${name}", word) for word in words.split()]
    return [text]


def test_experiments_that_the_pages_name_exist():
    known = set(experiment.names())
    named = {name for page in PAGES for _, text in commands(page)
             for word in re.findall(r"tlmssd-lab figure ([a-z][\w|-]*)", text)
             for name in word.split("|")} - {"list", "all"}
    assert named and named <= known, named - known


def test_scripts_that_the_pages_name_exist():
    named = {word for page in PAGES for _, text in commands(page)
             for word in re.findall(r"\bscripts/[\w-]+", text)}
    missing = [word for word in named if not (ROOT / word).exists()]
    assert named and not missing


def test_most_commands_are_run_here():
    found = [text for page in PAGES for _, text in commands(page)]
    here = [text for text in found if kind(text) == "run"]
    assert len(here) >= 50, (len(here), len(found))
