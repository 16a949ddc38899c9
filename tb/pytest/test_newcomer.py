# SPDX-License-Identifier: BSD-3-Clause
"""tb/newcomer/walk.py: each command of the newcomer's pages is taken, and what goes wrong is found."""

import subprocess
import sys

import pytest

from cli import ROOT

sys.path.insert(0, str(ROOT / "tb/newcomer"))
import walk  # noqa: E402  (no package: a program beside the tests)

PAGES = [name for name, _ in walk.PATH]
README = "# A\n\n    git clone URL a && cd a\n    scripts/hello           # 1 s\n"
TUTORIAL = "# B\n\n```sh\nscripts/hello >out\ncat out\n```\n\n```text\nhello 1\n```\n"
OWN = "# C\n\n    scripts/hello\n\n    not a command\n\n```sh\ncat >file <<'END'\nx\nEND\n```\n"


@pytest.fixture(name="repository")
def _repository(tmp_path):
    """A repository with the pages of the path and one program."""
    place = tmp_path / "repository"
    for name, text in zip(PAGES, (README, TUTORIAL, OWN), strict=True):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    (place / "scripts").mkdir()
    (place / "scripts/hello").write_text("#!/bin/sh\necho hello 1\n")
    (place / "scripts/hello").chmod(0o755)
    commit(place)
    return place


def commit(place):
    for words in (["init", "-q"], ["add", "-A"],
                  ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=place, check=True)


def test_all_steps_in_their_order(repository, tmp_path, capsys):
    assert walk.walk(str(repository), tmp_path) == 0
    said = capsys.readouterr().out.splitlines()
    wanted = ["git clone", "README.md:3", "after README.md", "tutorial.md:3", "after docs/start/tutorial.md",
              "add-a-scheduler.md:3", "add-a-scheduler.md:7", "after docs/start/add-a-scheduler.md"]
    assert len(said) == len(wanted) and all(w in line for w, line in zip(wanted, said, strict=True)), said
    assert (tmp_path / "tlmssd/file").read_text() == "x\n"
    assert walk.walk(str(repository), tmp_path) == 2, "the folder is there"


@pytest.mark.parametrize("name, old, new, words", [
    (PAGES[0], "scripts/hello ", "scripts/nothing ", "FAILED, status 127"),
    (PAGES[1], "hello 1", "hello 2", "OTHER OUTPUT"),
    (PAGES[2], "scripts/hello", "scripts/hello && false", "FAILED, status 1"),
])
def test_what_goes_wrong_is_found(repository, tmp_path, capsys, name, old, new, words):
    text = (repository / name).read_text()
    assert old in text
    (repository / name).write_text(text.replace(old, new))
    commit(repository)
    assert walk.walk(str(repository), tmp_path) == 1
    assert words in capsys.readouterr().out


def test_a_path_that_takes_too_long_is_found(repository, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(walk, "PATH", ((PAGES[0], 1e-9),))
    assert walk.walk(str(repository), tmp_path) == 1
    assert "LATER than" in capsys.readouterr().out


def test_the_pages_of_the_path_have_steps():
    for name in PAGES:
        assert len(walk.steps((ROOT / name).read_text(encoding="utf-8"))) >= 1, name
    own = walk.steps((ROOT / PAGES[2]).read_text(encoding="utf-8"))
    assert any("sched.def" in step.script for step in own), "the scheduler's row"
    assert any("compare" in step.script for step in own), "the comparison"
