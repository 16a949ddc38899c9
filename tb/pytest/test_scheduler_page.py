# SPDX-License-Identifier: BSD-3-Clause
"""What docs/start/add-a-scheduler.md promises: a scheduler that places writes itself is one file and one row."""
import importlib.util
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/start/add-a-scheduler.md"


def page_blocks():
    """(action, path, text) of each code block that tb/conformance/page takes from the page."""
    script = ROOT / "tb/conformance/page/page_firmware.py"
    spec = importlib.util.spec_from_file_location("page_firmware", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def blocks_that_name(word):
    return [(action, path) for action, path, text in page_blocks() if re.search(rf"\b{word}\b", text)]


def test_placing_writes_takes_one_file_and_one_row():
    assert blocks_that_name("first_free") == [("file", "firmware/sched/first_free.c"),
                                              ("append", "firmware/hal/sched.def")]
    row, = (text for action, path, text in page_blocks()
            if path == "firmware/hal/sched.def" and "first_free" in text)
    assert "SCHED_PLACES_WRITES" in row


def test_the_suite_runs_each_scheduler_of_the_page():
    cmake = (ROOT / "tb/conformance/page/CMakeLists.txt").read_text(encoding="utf-8")
    names = re.search(r"set\(names ([a-z_ ]+)\)", cmake).group(1).split()
    files = [path for action, path, _ in page_blocks() if action == "file"]
    assert files == [f"firmware/sched/{name}.c" for name in names]
