# SPDX-License-Identifier: BSD-3-Clause
"""What is generated from rtl/o3/o3_regs.rdl is what is committed, and all of it says the same."""
import pathlib
import re
import subprocess
import sys

import pytest
from systemrdl import RDLCompiler

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/gen"))

import gen_o3_regs  # noqa: E402
import rdl_model  # noqa: E402
import rdl_sv  # noqa: E402


def map_of(text):
    compiler = RDLCompiler()
    path = pathlib.Path(map_of.folder) / "x.rdl"
    path.write_text(text)
    compiler.compile_file(str(path))
    return rdl_model.map_of(compiler.elaborate().top)


@pytest.fixture(autouse=True)
def folder(tmp_path):
    map_of.folder = tmp_path


@pytest.mark.parametrize("name", ["rtl/o3/o3_regs.sv", "firmware/hal/o3_regs.h", "models/flash/o3/o3_regs.h",
                                  "docs/reference/o3-registers.md"])
def test_the_committed_file_is_the_generated_one(name):
    assert (ROOT / name).read_text() == gen_o3_regs.generated()[name]


def test_check_finds_a_stale_file_and_writes_nothing(tmp_path, monkeypatch):
    for name in gen_o3_regs.generated():
        target = tmp_path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((ROOT / name).read_text())
    stale = tmp_path / "rtl/o3/o3_regs.sv"
    stale.write_text(stale.read_text().replace("10'h006", "10'h007"))
    before = stale.read_text()
    monkeypatch.setattr(gen_o3_regs, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["gen_o3_regs.py", "--check"])
    assert gen_o3_regs.main() == 1
    assert stale.read_text() == before
    monkeypatch.setattr(sys, "argv", ["gen_o3_regs.py"])
    assert gen_o3_regs.main() == 0
    assert stale.read_text() == (ROOT / "rtl/o3/o3_regs.sv").read_text()


def test_c_header_and_cpp_constants_agree(tmp_path):
    """Places of some registers in PeakRDL's C struct, and masks, against the C++ constants."""
    cpp = (ROOT / "models/flash/o3/o3_regs.h").read_text()
    k = {name: int(value, 0) for name, value in re.findall(r"u32 (k\w+) = (\w+);", cpp)}
    last = k["kPerfChannel"] + 15 * k["kPerfChannelStride"] + k["kPerfChannelLunBusyHi"]
    checks = [
        f"offsetof(o3_regs_t, geometry) == {k['kGeometry']}",
        f"offsetof(o3_regs_t, window[15]) == {k['kWindow'] + 60}",
        f"offsetof(o3_regs_t, cq_pop) == {k['kCqPop']}",
        f"offsetof(o3_regs_t, perf.held_lo) == {k['kPerf'] + k['kPerfHeldLo']}",
        f"offsetof(o3_regs_t, perf_channel[15].lun_busy_hi) == {last}",
        f"O3_REGS__GEOMETRY__LUN_SHIFT_bm == {k['kGeometryLunShiftMask']}",
        f"O3_REGS__CQ_HEAD__STATUS_bp == {k['kCqHeadStatusLsb']}",
        f"O3_REGS__AGE_LIMIT__STAMPS_reset == {k['kAgeLimitStampsReset']}",
    ]
    source = tmp_path / "x.c"
    source.write_text('#include <stddef.h>\n#include "firmware/hal/o3_regs.h"\n'
                      + "".join(f'_Static_assert({c}, "{i}");\n' for i, c in enumerate(checks)))
    run = subprocess.run(["gcc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", f"-I{ROOT}", str(source)],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


ONE = "addrmap x {{ reg {{ {reg} field {{ {field} }} f[7:0]{reset}; }} one @ 0x4; }};"


@pytest.mark.parametrize("reg, field, reset, what", [
    ("", "sw = rw; hw = r; onread = rclr;", " = 0", "onread is not supported"),
    ("regwidth = 64;", "sw = rw; hw = r;", " = 0", "32 bits"),
    ("", "sw = rw; hw = r;", "", "needs a reset value"),
    ("", "sw = r; hw = w;", " = 1", "has no reset value"),
    ("", "sw = rw; hw = rw; hwset; onwrite = woclr;", " = 0", "has one bit"),
    ("", "sw = rw; hw = rw; hwclr; onwrite = woset;", " = 0", "has one bit"),
    ("", "sw = rw; hw = rw; hwclr; onwrite = woclr;", " = 0", "hwclr needs onwrite = woset"),
    ("", "sw = w; hw = r;", " = 0", "cannot be built"),
])
def test_what_the_exporters_cannot_do_is_an_error(reg, field, reset, what):
    with pytest.raises(rdl_model.RdlError, match=what):
        map_of(ONE.format(reg=reg, field=field, reset=reset))


def test_a_bit_that_hardware_clears_stands_until_then():
    text = rdl_sv.module(map_of("addrmap x { reg { field { sw = rw; hw = rw; hwclr; onwrite = woset; } f[3:3] = 0; }"
                                " one @ 0x4; };"), "x.")
    assert re.search(r"input  wire logic +one_f_clr_i,", text)
    assert "one_f_o <= (w_one && w_strb_q[0] && w_data_q[3]) || (one_f_o && !one_f_clr_i);" in text
    assert re.search(r"1'h001: r_data = \{28'd0, one_f_o, 3'd0\};", text)


def test_a_new_register_is_in_the_block():
    text = rdl_sv.module(map_of(ONE.format(reg="", field="sw = rw; hw = r;", reset=" = 0x5a")), "x.")
    assert "output logic      [7:0]    one_f_o" in text
    assert "one_f_o <= 8'h5a;" in text
    assert re.search(r"1'h001: r_data = \{24'd0, one_f_o\};", text)
