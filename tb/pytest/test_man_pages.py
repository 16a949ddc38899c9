# SPDX-License-Identifier: BSD-3-Clause
"""Man pages: made from the help texts, complete, and free of warnings; what an installation holds."""
import os
import re
import subprocess
import sys

import pytest

from cli import ROOT
from conftest import binary_path

GENERATOR = ROOT / "scripts/gen/gen_man.py"


def made(tmp_path_factory, name, command):
    path = tmp_path_factory.mktemp("man") / f"{name}.1"
    subprocess.run([sys.executable, GENERATOR, name, "a sentence", path, *command], check=True, timeout=120,
                   env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")})
    return path


@pytest.fixture(scope="module")
def pages(tlmssd, tmp_path_factory):
    return {"tlmssd": made(tmp_path_factory, "tlmssd", [tlmssd.path]),
            "tlmssd-lab": made(tmp_path_factory, "tlmssd-lab", [sys.executable, "-m", "tlmssd_lab.cli"])}


def shown(path):
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", path], text=True, check=True, timeout=60,
                          capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return done.stdout, done.stderr


@pytest.mark.parametrize("name, verbs", [
    ("tlmssd", ["RUN", "DESCRIBE", "LIST", "EXPLAIN", "SNAPSHOT SAVE", "POWERCUT", "SERVE"]),
    ("tlmssd-lab", ["COMPARE", "SWEEP", "REPORT"]),
])
def test_a_page_has_no_warning_and_every_verb(pages, name, verbs):
    text, warnings = shown(pages[name])
    assert warnings == ""
    for heading in ("NAME", "DESCRIPTION", *(f"{name.upper()} {verb}" for verb in verbs)):
        assert re.search(rf"^{heading}$", text, re.MULTILINE), heading


def test_a_page_has_every_option_of_the_help(pages, tlmssd):
    text = shown(pages["tlmssd"])[0]
    for verb in (["run"], ["snapshot", "save"], ["powercut"]):
        help_text = tlmssd(*verb, "--help").stdout
        for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_text, re.MULTILINE):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", text), option


def test_a_program_that_fails_leaves_no_page(tmp_path):
    done = subprocess.run([sys.executable, GENERATOR, "x", "y", tmp_path / "x.1", "false"], text=True, check=False,
                          capture_output=True)
    assert done.returncode == 2 and "ended with 1" in done.stderr and not (tmp_path / "x.1").exists()


def test_an_installation_has_pages_completion_licence_and_views(tmp_path):
    build = binary_path().parents[1]
    done = subprocess.run(["cmake", "--install", build, "--prefix", tmp_path], text=True, check=False,
                          capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for name in ("man/man1/tlmssd.1", "bash-completion/completions/tlmssd", "bash-completion/completions/tlmssd-lab",
                 "zsh/site-functions/_tlmssd", "fish/vendor_completions.d/tlmssd.fish", "doc/tlmssd/LICENSE",
                 "tlmssd/waves/overview.gtkw", "tlmssd/configs/ssd/default.yaml"):
        assert (tmp_path / "share" / name).is_file(), name
    program = tmp_path / "bin/tlmssd"
    listed = subprocess.run([program, "list", "devices"], cwd=tmp_path, text=True, check=True, capture_output=True)
    assert "default" in listed.stdout
    subprocess.run([program, "run", "default", "-w", "randread-4k", "-s", "workload.requests=10", "-q"], cwd=tmp_path,
                   check=True, timeout=60)
