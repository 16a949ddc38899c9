# SPDX-License-Identifier: BSD-3-Clause
"""Every RTL module has a bench, or a reason; scripts/rtl-coverage runs every test of the bare RTL and of the PHY."""
import re
import runpy

from cli import ROOT

CMAKE = (ROOT / "tb/rtl/CMakeLists.txt").read_text(encoding="utf-8")
# Tested in what they are part of: docs/contributing/rtl-style.md, "Tests of a module".
INSIDE = {"o3_perf_channel": "o3_perf", "o3_segment": "o3_channel", "o3_phases": "o3_channel",
          "o3_luns": "o3_channel", "o3_requests": "o3_channel", "o3_controller": "o3_rtl_", "o3_top": "o3_rtl_",
          "o3_regs": "o3_regs_",
          **dict.fromkeys(("onfi_timing", "onfi_bytes", "onfi_sequencer",
                           "onfi_phy_sdr", "onfi_phy_ddr", "onfi_phy"),
                          "onfi_phy")}


def modules():
    """Modules of rtl/; packages have nothing to run."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "rtl").glob("*/*.sv"))]
    return {name for text in texts for name in re.findall(r"^module (\w+)", text, re.MULTILINE)}


def test_each_module_has_a_bench_or_is_said_not_to():
    benched = dict(re.findall(r"tlmssd_rtl_unit\((\w+) (\w+)", CMAKE))
    assert modules() == set(benched) | set(INSIDE)
    assert not set(benched) & set(INSIDE)
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "tb/rtl").glob("unit_*_test.cpp"))
    assert [name for name in benched.values() if f"#include <V{name}.h>" not in sources] == []
    style = (ROOT / "docs/contributing/rtl-style.md").read_text(encoding="utf-8").split("## Tests of a module")[1]
    for name, where in INSIDE.items():
        assert f"`{name}`" in style
        assert where in benched or list((ROOT / "tb/rtl").glob(f"{where}*_test.cpp")), name


def test_coverage_runs_every_test_of_the_bare_rtl_and_of_the_phy():
    run = runpy.run_path(str(ROOT / "scripts/rtl-coverage"))["TESTS"]
    tests = re.findall(r"tlmssd_test\((\w+) LABEL rtl\b(?! SYSTEMC)", CMAKE)
    assert len(tests) >= 4
    tests.remove("rtl_netlist_test")  # no RTL
    assert sorted(run) == sorted([*tests, "rtl_onfi_phy_test"])
