# SPDX-License-Identifier: BSD-3-Clause
"""The installed Python package in an empty folder, with an installed program and without the repository."""
import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from cli import ROOT

CALLS = """
import json, pathlib, sys
import tlmssd_lab as tl
from tlmssd_lab import lab
from tlmssd_lab.run.process import ROOT, find_binary
from tlmssd_lab.run.settings import known_keys

if __name__ == "__main__":
    keys = {"workload.requests": 100, "geometry.pages": 16}
    result = tl.run("default", workload="randread-4k", settings=keys)
    comparison = lab.compare("default", schedulers=["inorder", "vaq"], workloads=["randread-4k"],
                             settings=keys, seeds=1, out="compared")
    page = lab.report("compared", "page.html")
    swept = lab.sweep({"config": "default", "workload": "randread-4k", "set": keys,
                       "parameters": {"host.queue_depth": [1, 4]}}, jobs=1)
    swept.raise_for_status()
    depths = lab.query(swept, 'select "host.queue_depth" as depth from points order by depth')
    try:
        lab.run("defautl")
    except lab.LabInputError as error:
        message = str(error)
    print(json.dumps({
        "package": tl.__file__, "binary": str(find_binary()), "root": str(ROOT), "count": result.all.count,
        "rows": [row.status for row in comparison.rows], "page": page.stat().st_size,
        "depths": depths["depth"].tolist(), "message": message, "keys": len(known_keys()),
        "typed": (pathlib.Path(tl.__file__).parent / "py.typed").is_file()}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory, tlmssd):
    """A folder with the package in site/, and the program and its files as `cmake --install` lays them out."""
    place = tmp_path_factory.mktemp("installed")
    source = place / "source"  # setuptools leaves folders beside the sources
    shutil.copytree(ROOT / "scripts", source, ignore=shutil.ignore_patterns("*.egg-info", "__pycache__", "build"))
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--no-index",
         "--target", str(place / "site"), str(source)],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    (place / "bin").mkdir()
    shutil.copy2(tlmssd.path, place / "bin/tlmssd")
    shutil.copytree(ROOT / "configs", place / "share/tlmssd/configs")
    return place


def call(installed, folder, **environment):
    (folder / "calls.py").write_text(CALLS, encoding="utf-8")
    kept = {key: value for key, value in os.environ.items()
            if key not in ("TLMSSD", "TLMSSD_BIN", "PYTHONPATH")}
    done = subprocess.run([sys.executable, "calls.py"], cwd=folder, capture_output=True, text=True, check=False,
                          env={**kept, "PYTHONPATH": str(installed / "site"), **environment})
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("found_by", ["PATH", "TLMSSD"])
def test_the_api_needs_no_repository(installed, tmp_path, found_by):
    program = installed / "bin/tlmssd"
    path = os.environ["PATH"]
    environment = {"PATH": f"{program.parent}:{path}"} if found_by == "PATH" else {"TLMSSD": str(program)}
    found = call(installed, tmp_path, **environment)
    assert pathlib.Path(found["package"]).is_relative_to(installed / "site") and found["typed"]
    assert found["binary"] == str(program) and not (pathlib.Path(found["root"]) / "configs").exists()
    assert (found["count"], found["rows"], found["depths"]) == (100, ["done", "done"], [1, 4])
    assert found["page"] > 10_000 and found["keys"] > 100
    assert found["message"].startswith("no device 'defautl'") and found["message"].endswith("did you mean 'default'?")


def test_a_link_to_the_program_leads_to_its_files(installed, tmp_path):
    (tmp_path / "links").mkdir()
    (tmp_path / "links/tlmssd").symlink_to(installed / "bin/tlmssd")
    found = call(installed, tmp_path, PATH=f"{tmp_path / 'links'}:{os.environ['PATH']}")
    assert found["count"] == 100 and found["binary"] == str(tmp_path / "links/tlmssd")
