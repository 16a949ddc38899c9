# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests of what a user sees: they drive the built binary and the scripts."""
import fcntl
import os
import pathlib
import subprocess

import pytest

from cli import ROOT, Tlmssd

# The files that take longest, the longest first: those of scripts/test's workers that end last then end together. The
# others follow in the order of their names.
LONGEST_FIRST = (
    "test_docs_commands", "test_report_browser", "test_synth", "test_lab_sweep", "test_scripts", "test_compression",
    "test_waves", "test_lab_sweep_cluster", "test_nvme", "test_lab_options", "test_lab_fit", "test_same_results",
    "test_scripts_failures", "test_mapping_units", "test_traces", "test_lab_sweep_search", "test_lab_sweep_batch",
    "test_report", "test_own_rtl", "test_lab_figure", "test_powercut",
)


# Devices that the tests precondition are kept among their other files, not among the user's.
os.environ.setdefault("TLMSSD_CACHE", str(ROOT / "out/test/cache"))


def pytest_addoption(parser):
    parser.addoption("--shard", default="1/1", help="i/n: only every n-th test, from the i-th on")


def pytest_collection_modifyitems(config, items):
    first, stride = (int(part) for part in config.getoption("--shard").split("/"))
    kept = items[first - 1::stride]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    place = {name: number for number, name in enumerate(LONGEST_FIRST)}
    items[:] = sorted(kept, key=lambda item: place.get(item.path.stem, len(place)))


def pytest_report_header():
    return f"tlmssd: {binary_path()}; traces: {traces_folder() or 'not found'}"


def binary_path():
    return pathlib.Path(os.environ.get("TLMSSD_BIN") or ROOT / "build/release/bin/tlmssd")


def traces_folder():
    named = os.environ.get("TLMSSD_TRACES")
    folder = pathlib.Path(named) if named else ROOT.parent / "shared/traces"
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def tlmssd():
    """The binary under test; that there is none is a failure, not a reason to skip."""
    path = binary_path()
    if not path.is_file():
        pytest.fail(f"{path} is missing: run scripts/build", pytrace=False)
    return Tlmssd(path)


@pytest.fixture(scope="session")
def asan_tlmssd():
    """The same built with AddressSanitizer and UBSan; builds it (scripts/test --asan asks for that)."""
    if os.environ.get("TLMSSD_TEST_ASAN") != "1":
        pytest.skip("comparison with asan not asked for: run scripts/test --asan")
    (ROOT / "out").mkdir(exist_ok=True)
    with open(ROOT / "out/asan.lock", "w", encoding="utf-8") as lock:  # tests run side by side
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run([ROOT / "scripts/build", "asan", "tlmssd"], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail("scripts/build asan tlmssd failed:\n" + (done.stdout + done.stderr)[-4000:],
                    pytrace=False)
    return Tlmssd(ROOT / "build/asan/bin/tlmssd")


@pytest.fixture(scope="module")
def driver():
    """Debian's Chromium."""
    from browser import chromium

    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def runs(tlmssd, tmp_path_factory):
    """The same mixed workload under two schedulers."""
    folder = tmp_path_factory.mktemp("runs")
    for scheduler in ("inorder", "vaq"):
        out = folder / scheduler
        tlmssd.run(out, "--workload", "mixed-70-30-4k", "--timeline", out / "timeline.json.gz",
                   sets=[f"scheduler={scheduler}", "workload.requests=400"])
    return [folder / "inorder", folder / "vaq"]


@pytest.fixture(scope="module")
def report(runs, tmp_path_factory):
    """The page of `runs`."""
    from tlmssd_lab.report import build_report

    path = tmp_path_factory.mktemp("page") / "report.html"
    build_report(runs, path, "Two schedulers")
    return path


@pytest.fixture
def page(driver, report):
    """`report` as it has just been opened."""
    from browser import ReportPage

    return ReportPage(driver).open(report)


@pytest.fixture
def small_disk(tmp_path):
    """A function that makes a folder with room for so many KiB."""
    if os.geteuid() != 0:
        pytest.skip("needs root to mount a small file system")
    mounted = []

    def make(name, kib):
        folder = tmp_path / name
        folder.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", folder],
                          check=False, capture_output=True).returncode != 0:
            pytest.skip("mounting is not allowed here")
        mounted.append(folder)
        return folder

    yield make
    for folder in mounted:
        subprocess.run(["umount", "-l", folder], check=False)


@pytest.fixture(scope="session")
def traces():
    """The folder of real traces, named by TLMSSD_TRACES or beside the repository."""
    folder = traces_folder()
    if folder is None:
        pytest.skip("traces not found: set TLMSSD_TRACES")
    return folder
