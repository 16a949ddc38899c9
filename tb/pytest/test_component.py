# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd installed, and used by a project that knows nothing of its sources."""

import os
import shutil
import subprocess

import pytest

from cli import ROOT
from conftest import binary_path


def call(*words, cwd=None, environment=None):
    done = subprocess.run([str(word) for word in words], cwd=cwd, capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL, env=environment)
    assert done.returncode == 0, f"{words}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    call("cmake", "--install", binary_path().parents[1], "--prefix", prefix)
    return prefix


def test_headers_are_the_public_ones_only(installed):
    headers = sorted(str(path.relative_to(installed)) for path in installed.rglob("*.h"))
    assert headers == [f"include/tlmssd/ssd_{name}.h" for name in ("ahci", "nvme", "observation")]
    for header in headers:
        assert '#include "' not in (installed / header).read_text(), "a public header includes nothing of the sources"
    config = next(installed.rglob("tlmssdConfig.cmake")).read_text()
    assert str(ROOT) not in config and "${PACKAGE_PREFIX_DIR}" in config


def test_the_installed_program_runs_alone(installed, tmp_path):
    moved = tmp_path / "elsewhere"
    shutil.copytree(installed, moved, symlinks=True)
    device = moved / "share/tlmssd/configs/ssd/default.yaml"
    short = ("--workload", "randread-4k", "--set", "workload.requests=200")
    for extra in ((), ("--set", "cpu.model=iss"), ("--set", "controller.kind=rtl")):
        said = call(moved / "bin/tlmssd", "run", device, *short, *extra, cwd=tmp_path)
        assert "IOPS" in said


def test_a_project_of_somebody_else_finds_it(installed, tmp_path):
    for name in ("component", "ahci-host"):
        shutil.copytree(ROOT / "examples" / name, tmp_path / name)
    environment = {key: text for key, text in os.environ.items() if key != "CMAKE_PREFIX_PATH"}
    build = tmp_path / "build"
    call("cmake", "-S", tmp_path / "component", "-B", build, f"-DCMAKE_PREFIX_PATH={installed}",
         environment=environment)
    call("cmake", "--build", build, environment=environment)
    said = call("ctest", "--test-dir", build, "--output-on-failure", "-V", environment=environment)
    assert "100% tests passed, 0 tests failed out of 2" in said
    assert 'read "through AHCI to the flash and back"' in said
    assert "64 stripes of 8192 bytes read back" in said
