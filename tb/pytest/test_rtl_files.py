# SPDX-License-Identifier: BSD-3-Clause
"""The RTL's file lists, what each file has to have, and the shapes that can be built."""
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import binary_path

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import rtl_sources  # noqa: E402

RTL = ROOT / "rtl"
SOURCES = sorted(RTL.glob("*/*.sv"))
LISTS = sorted(RTL.glob("*/*.f"))

# No clock, so nowhere to assert: what they return is asserted where it is used (docs/contributing/rtl-style.md).
CLOCKLESS = {"onfi_bytes", "o3_choose", "o3_earliest", "o3_first", "o3_phases", "o3_select", "rr_pick"}
# Make a clock and a reset: o3_gates_test.cpp compares what runs with gates and without; all of o3_top starts by its reset.
GATES = {"o3_gate", "o3_reset"}


def lists():
    """Sources of each list, paths from rtl/."""
    return {path.stem: [str(source.relative_to(RTL)) for source in rtl_sources.sources(path)] for path in LISTS}


def code(path):
    """Without comments."""
    return re.sub(r"//[^\n]*", "", path.read_text())


def test_each_file_is_in_a_list_that_is_linted():
    named = {name for files in lists().values() for name in files}
    assert named == {str(path.relative_to(RTL)) for path in SOURCES}


def test_a_list_names_what_a_module_uses_before_it():
    for top, files in lists().items():
        assert len(files) == len(set(files)), top
        seen = set()
        for name in files:
            text = code(RTL / name)
            modules = set(re.findall(r"^\s*(\w+) (?:#\(.*\) )?u_\w+ \(", text, re.MULTILINE))
            packages = set(re.findall(r"\b(\w+_pkg)::", text))
            assert modules | packages <= seen, (top, name)
            seen.add(pathlib.PurePath(name).stem)
        assert pathlib.PurePath(files[-1]).name == f"{top}.sv"


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_cmake_reads_a_list_as_the_scripts_do(path, tmp_path):
    script = tmp_path / "print.cmake"
    script.write_text(f'include({ROOT}/cmake/TlmssdRtlSources.cmake)\ntlmssd_rtl_sources(sources {path})\n'
                      'message("${sources}")\n')
    run = subprocess.run(["cmake", "-P", str(script)], capture_output=True, text=True, check=True)
    assert run.stderr.strip().split(";") == [str(source) for source in rtl_sources.sources(path)]


def test_no_list_repeats_another_one():
    """o3_top adds its own sources to the list of o3_controller; packages stand in the list of each side."""
    lines = [(path.parent / line).resolve() for path in LISTS for line in path.read_text().splitlines()
             if not line.startswith(("//", "-F "))]
    assert {path.name for path in lines if lines.count(path) > 1} == {"flash_op_pkg.sv"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_file_has_header_nettype_and_one_module_of_its_name(path):
    lines = path.read_text().splitlines()
    assert lines[0] == "// SPDX-License-Identifier: BSD-3-Clause"
    assert lines[1].startswith("// tlmssd: ")
    text = code(path)
    assert text.split()[:2] == ["`default_nettype", "none"]
    assert text.split()[-2:] == ["`default_nettype", "wire"]
    assert re.findall(r"^(?:module|package) (\w+)", text, re.MULTILINE) == [path.stem]


@pytest.mark.parametrize("path", [p for p in SOURCES if not p.stem.endswith("_pkg")],
                         ids=lambda path: path.stem)
def test_a_module_with_a_clock_asserts_something(path):
    text = code(path)
    clocked = re.search(r"\bclk_i\b", text) is not None
    assert clocked == (path.stem not in CLOCKLESS)
    assert ("`O3_ASSERT(" in text or "`O3_HOLDS(" in text) == (clocked and path.stem not in GATES)


def test_the_document_names_the_modules_without_a_clock():
    text = (ROOT / "docs/contributing/rtl-style.md").read_text()
    sentence = re.search(r"([^.]*?)\s+have no clock", text).group(1)
    assert set(re.findall(r"`(\w+)`", sentence)) == CLOCKLESS


def shape(**variables):
    """What CMake says of a shape; "" where it can be built."""
    flags = [f"-DTLMSSD_RTL_{name}={value}" for name, value in variables.items()]
    run = subprocess.run(["cmake", *flags, "-P", str(RTL / "shape.cmake")],
                         capture_output=True, text=True, check=False)
    assert (run.returncode != 0) == ("CMake Error" in run.stderr)
    return " ".join(run.stderr.split())


@pytest.mark.parametrize("variables", [
    {}, {"CHANNELS": 1, "LUNS": 1, "TAGS": 16, "STATIONS": 1}, {"CHANNELS": 4, "LUNS": 4, "TAGS": 64},
    {"CHANNELS": 16, "LUNS": 64, "TAGS": 256, "STATIONS": 16}, {"CHANNELS": 3, "STATIONS": 6}])
def test_shapes_that_can_be_built(variables):
    assert shape(**variables) == ""


@pytest.mark.parametrize("name, value, allowed, nearest", [
    ("CHANNELS", 0, "1 to 16", 1), ("CHANNELS", 17, "1 to 16", 16),
    ("LUNS", 0, "a power of two, 1 to 64", 1), ("LUNS", 12, "a power of two, 1 to 64", 16),
    ("LUNS", 5, "a power of two, 1 to 64", 4), ("LUNS", 128, "a power of two, 1 to 64", 64),
    ("TAGS", 8, "a power of two, 16 to 256", 16), ("TAGS", 100, "a power of two, 16 to 256", 128),
    ("TAGS", 257, "a power of two, 16 to 256", 256),
    ("STATIONS", 0, "1 to 16", 1), ("STATIONS", 32, "1 to 16", 16)])
def test_others_are_refused_with_variable_range_and_nearest_value(name, value, allowed, nearest):
    text = shape(**{name: value})
    assert f"TLMSSD_RTL_{name}: {value} " in text
    assert f"({allowed})" in text
    assert text.split("the nearest is ")[1].split()[0] == str(nearest)


@pytest.mark.parametrize("value", ["x", "-4", "4.5", "99999999999999999999"])
def test_what_is_no_number_is_refused(value):
    text = shape(CHANNELS=value)
    assert f'TLMSSD_RTL_CHANNELS: "{value}" is no number of channels (1 to 16)' in text


def test_ce_of_the_phy_comes_straight_from_flip_flops():
    """A decoder between flip-flop and pin would show its glitches to the dies."""
    sources = " ".join(map(str, rtl_sources.sources(RTL / "onfi/onfi_phy.f")))
    drivers = "o:ce_no %ci1 c:* %i"
    run = subprocess.run(["yosys", "-q", "-p", f"read_verilog -sv -I{RTL}/common {sources}; hierarchy -top onfi_phy; "
                          f"proc; flatten; opt_clean -purge; select -assert-none {drivers} t:$*dff %d; "
                          f"select -assert-min 1 {drivers}"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("model", ["tlmssd_rtl_o3", "tlmssd_rtl_o3_clump"])
def test_the_channels_of_the_verilated_controller_share_their_code(model):
    """Of equal instances the first one's functions are kept: rtl/o3/o3_shared.vlt, docs/notebook/speed-rtl.md."""
    folder = binary_path().parents[1] / "rtl" / f"{model}.dir"
    if not folder.is_dir():
        pytest.skip("no Verilated sources beside this program")
    owners = set()
    for source in folder.glob("*_o3_channel_*__0.cpp"):
        owners |= set(re.findall(r"^VL_INLINE_OPT void \w+_nba_\w+g_channel__BRA__(\d+)__KET", source.read_text(), re.M))
    assert owners == {"0"}
