# SPDX-License-Identifier: BSD-3-Clause
"""The generated pages of docs/reference are up to date, and their generators find what they should."""

import re
import subprocess
import sys

import pytest

from cli import ROOT
from conftest import binary_path

sys.path.insert(0, str(ROOT / "scripts"))
# pylint: disable=wrong-import-position
from docs_tools import catalogue, command_line, compatibility, python_api
from docs_tools.programs import ProgramError, Programs

GENERATOR = ROOT / "scripts/gen/gen_reference.py"


def generate(*words, **options):
    return subprocess.run([sys.executable, GENERATOR, *words], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=600, **options)


@pytest.fixture(name="programs")
def _programs():
    return Programs(binary_path().resolve().parent)


@pytest.mark.parametrize("page", ["command-line", "python", "catalogue", "compatibility"])
def test_a_generated_page_is_up_to_date(page):
    done = generate("--check", page)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_page_that_differs_is_found(tmp_path):
    place = tmp_path / "scripts/gen/gen_reference.py"
    place.parent.mkdir(parents=True)
    place.write_text(GENERATOR.read_text(encoding="utf-8"))
    (tmp_path / "scripts/docs_tools").symlink_to(ROOT / "scripts/docs_tools")
    (tmp_path / "scripts/tlmssd_lab").symlink_to(ROOT / "scripts/tlmssd_lab")
    (tmp_path / "docs/reference").mkdir(parents=True)
    page = tmp_path / "docs/reference/python.md"
    page.write_text((ROOT / "docs/reference/python.md").read_text().replace("## Functions", "## Funktions"))
    done = subprocess.run([sys.executable, place, "--check", "python"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "-## Funktions" in done.stdout, done.stdout + done.stderr
    assert "docs/reference/python.md is not up to date: scripts/gen/gen_reference.py --write" in done.stdout
    done = subprocess.run([sys.executable, place, "--write", "python"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and page.read_text() == (ROOT / "docs/reference/python.md").read_text()


def test_wrong_words_are_refused():
    for words in ((), ("--check", "nothing"), ("--force",)):
        done = generate(*words)
        assert done.returncode == 2 and "Usage: gen_reference.py" in done.stderr


def test_every_verb_of_the_programs_is_on_the_page(programs):
    page = (ROOT / "docs/reference/command-line.md").read_text()
    for program, verbs in {"tlmssd": ("run", "describe", "list", "explain", "snapshot save", "powercut",
                                      "serve", "replay-ops"),
                           "tlmssd-lab": ("compare", "figure", "sweep", "query", "fit", "fit-workload", "diff",
                                          "report", "calibrate")}.items():
        for verb in verbs:
            assert f"\n### {program} {verb}\n" in page, verb
    for name in ("setup", "build", "test", "demo", "bench", "docs", "waves", "synth", "prove", "same-results",
                 "place-and-route", "map-cells"):
        assert f"\n### scripts/{name}\n" in page, name
    assert str(ROOT) not in page and str(programs.folder) not in page


def test_verbs_are_read_from_both_kinds_of_help(programs):
    assert programs.verbs("Options:\n  -h  help\n\nSubcommands:\n  run       simulate\n"
                          "                a second line\n  replay-ops  hand\n\nExamples:\n  tlmssd run a\n") == [
        "run", "replay-ops"]
    assert programs.verbs("positional arguments:\n  COMMAND\n    compare   run\n    calibrate\n"
                          "              fit the cycles\n\noptions:\n    -h\n") == ["compare", "calibrate"]
    assert programs.verbs("Usage: a [--quick]\n\n  --quick   fast\n") == []


def test_a_program_that_is_missing_is_an_error(tmp_path):
    with pytest.raises(ProgramError, match="tlmssd is missing"):
        Programs(tmp_path).help(["tlmssd"])


def test_definitions_have_all_arguments():
    text = ('// SCHED(A, a, SERIAL, 0, "in a comment")\nSCHED(ONE, one, OOO, X | Y,\n      "first, second; (third)")\n'
            'SCHED(TWO, two, INORDER, 0, "it is \\"so\\"")\n')
    assert catalogue.definitions(text, "SCHED") == [
        ["ONE", "one", "OOO", "X | Y", "first, second; (third)"],
        ["TWO", "two", "INORDER", "0", 'it is "so"']]


def test_trace_formats_are_those_of_the_table():
    text = ('const Known kFormats[] = {\n    {"spc", plain<make_spc>},\n    {"blk", [](const W& w) { return f(w); },\n'
            '     "text output: a, b"},\n};\n\nint other[] = {\n    {"x"},\n};\n')
    assert catalogue.formats(text) == [("spc", ""), ("blk", "text output: a, b")]


def test_rtl_controllers_are_those_of_the_build():
    class Listing(Programs):
        def run(self, words, timeout=120, cwd=ROOT):
            assert words == ["tlmssd", "list", "controllers", "--json"]
            return subprocess.CompletedProcess(words, 0, """[
                {"name": "tlm", "sentence": "in C++", "key": "controller.kind"},
                {"name": "o3", "sentence": "RTL: serial, ooo: out of order, with: all", "key": "controller.rtl"}]""", "")

    assert catalogue.rtl_controllers(Listing(ROOT)) == [("o3", "serial, ooo", "out of order, with: all")]


def test_the_page_of_statuses_has_every_verb_and_script():
    page = (ROOT / "docs/reference/exit-status.md").read_text()
    verbs = set(re.findall(r"^### (?:tlmssd|tlmssd-lab) (\w[\w-]*)", (
        ROOT / "docs/reference/command-line.md").read_text(), re.M))
    assert verbs and not [verb for verb in verbs if f"`{verb}" not in page]
    assert not [name for name in command_line.scripts() if f"`{name}`" not in page and "check_" not in name]


def test_a_file_without_a_first_sentence_is_an_error():
    assert catalogue.first_sentence("# A small SSD: 4 channels. More.\n#  words\nnand: a\n", ROOT / "a") == (
        "A small SSD: 4 channels")
    with pytest.raises(ProgramError, match="begins with no comment"):
        catalogue.first_sentence("nand: a\n# late\n", ROOT / "a")


def test_tables_are_cut_at_forty_rows():
    text = catalogue.table(["name"], [[str(n)] for n in range(41)])
    assert text.count("| name |") == 2 and text.count("\n\n") == 1
    with pytest.raises(ProgramError, match="nothing found"):
        catalogue.table(["name"], [])


class Refusing(Programs):
    """Stands for tlmssd: refuses two settings together, as it would."""

    def run(self, words, timeout=120, cwd=ROOT):
        both = {"ftl.recovery=scan", "ftl.mapping=dftl"} <= set(words)
        said = "tlmssd: --set ftl.mapping=dftl: ftl.mapping: dftl conflicts with scheduler vaq, which waits\n"
        return subprocess.CompletedProcess(words, 2 if both else 0, "", said if both else "")


def test_a_refusal_becomes_a_number_and_its_reason():
    ask = compatibility.Asker(Refusing(ROOT))
    feature = compatibility.Feature(("ftl.recovery=scan",))
    assert ask.cell(feature, ("ftl.mapping=page",)) == ""
    answer = ask.cell(feature, ("ftl.mapping=dftl",))
    assert answer == "ftl.mapping: dftl conflicts with scheduler vaq, which waits"
    assert ask.cell(feature, ("ftl.recovery=none",)) is None, "nothing to ask"
    notes = compatibility.Notes()
    assert [notes.cell(each, "vaq") for each in ("", None, answer, answer)] == ["yes", "-", "1", "1"]
    assert notes.lines()[0] == "1. ftl.mapping: dftl conflicts with this scheduler, which waits"


def test_a_call_that_fails_otherwise_is_no_refusal():
    with pytest.raises(ProgramError, match="status 3"):
        compatibility.refusal(subprocess.CompletedProcess(["tlmssd"], 3, "", "tlmssd: stopped\n"))
    with pytest.raises(ProgramError, match="was not built"):
        compatibility.refusal(subprocess.CompletedProcess(["tlmssd"], 2, "", "tlmssd: it was not built\n"))


def test_signatures_break_where_they_are_long():
    def short(a: "int", *, b: "str | None" = None) -> "bool": ...
    def long(first_argument: "Sequence[str]", second_argument: "Sequence[str]" = (),
             third_argument: "Mapping[str, str] | None" = None, **rest: "Any") -> "list[str]": ...

    assert python_api._signature("short", short) == "short(a: int, *, b: str | None = None) -> bool"
    assert python_api._signature("long", long).split("\n")[1] == "    first_argument: Sequence[str],"
    assert python_api._signature("long", long).split("\n")[-2:] == ["    **rest: Any,", ") -> list[str]"]
