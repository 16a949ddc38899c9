# SPDX-License-Identifier: BSD-3-Clause
"""What docs/start/add-a-scheduler.md and its second page promise: how many files are edited, and that the code that they
show is the code that is compiled. tb/conformance/page compiles and runs it."""
import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = ROOT / "docs/start/add-a-scheduler.md"
SECOND = ROOT / "docs/start/add-a-scheduler-2.md"
EXAMPLES = ROOT / "examples/own-scheduler"


def load():
    script = ROOT / "tb/conformance/page/page_firmware.py"
    spec = importlib.util.spec_from_file_location("page_firmware", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


page_firmware = load()


def made(page):
    """(how, path) of each file that the page makes or adds to."""
    return [(how, path) for how, path, _ in page_firmware.actions(ROOT, page)]


def test_a_scheduler_is_one_file_and_one_row():
    assert made(FIRST) == [("file", "firmware/sched/my_fifo.c"), ("append", "firmware/hal/sched.def")]
    assert "Two files are edited" in FIRST.read_text(encoding="utf-8")
    code = page_firmware.actions(ROOT, FIRST)[0][2]
    assert len(code.rstrip().split("\n")) == 49 and "49 lines of C" in FIRST.read_text(encoding="utf-8")


def test_the_second_page_adds_two_and_one_age_limit():
    assert made(SECOND) == [("file", "firmware/sched/reads_first.c"), ("file", "firmware/sched/first_free.c"),
                            ("append", "firmware/hal/sched.def"), ("append", "tb/conformance/age_limits.def")]
    texts = {path: text for _, path, text in page_firmware.actions(ROOT, SECOND)}
    row, = re.findall(r"^SCHED\(FIRST_FREE.*?\)$", texts["firmware/hal/sched.def"], re.DOTALL | re.MULTILINE)
    assert "SCHED_PLACES_WRITES" in row
    assert re.findall(r"AGE_LIMIT\((\w+)", texts["tb/conformance/age_limits.def"]) == ["reads_first"]


def test_the_code_that_the_second_page_shows_is_in_the_example():
    shown = re.findall(r"^```c\n(.*?)^```$", SECOND.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    sources = [path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.c")]
    assert len(shown) >= 3
    for block in shown:
        assert sum(block in source for source in sources) == 1, block


def test_the_suite_runs_each_scheduler_of_the_pages():
    cmake = (ROOT / "tb/conformance/page/CMakeLists.txt").read_text(encoding="utf-8")
    names = re.search(r"set\(names ([a-z_ ]+)\)", cmake).group(1).split()
    files = [path for page in (FIRST, SECOND) for how, path in made(page) if how == "file"]
    assert files == [f"firmware/sched/{name}.c" for name in names]
    assert sorted(path.name for path in EXAMPLES.glob("*.c")) == sorted(f"{name}.c" for name in names[1:])


@pytest.mark.parametrize("text, part", [
    ("```sh\ncat >firmware/sched/sched.c <<'END'\nx\nEND\n```\n", "exists"),
    ("```sh\ncat >>firmware/sched/nothing.c <<'END'\nx\nEND\n```\n", "does not exist"),
    ("```sh\nls\n```\n", "no shell block makes a file"),
])
def test_a_page_that_cannot_be_followed_is_an_error(tmp_path, text, part):
    page = tmp_path / "page.md"
    page.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit, match=part):
        page_firmware.wanted_files(ROOT, [page])
