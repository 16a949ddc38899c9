# SPDX-License-Identifier: BSD-3-Clause
"""The views of the out-of-order RTL: their bits of vectors are compared with the SystemC side of the
same file, their names with the constants of the RTL."""
import importlib.machinery
import importlib.util
import os
import re
import shutil
import types

import pytest

from cli import DONE, ROOT
from fst import Waves
from test_waves import SCRIPT, call, names_of

FILTERS = ROOT / "waves/filters"
O3_VIEWS = sorted((ROOT / "waves").glob("o3_*.gtkw"))
O3 = ["controller.kind=rtl", "controller.rtl=o3", "scheduler=host", "workload=mixed-70-30-4k",
      "workload.requests=150", "buffer.size_mib=1"]
NOT_VALID = 8  # a filter's values from here on have the valid bit


def script():
    """scripts/waves as a module."""
    loader = importlib.machinery.SourceFileLoader("waves_script", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("waves_script", loader))
    loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def fst(tlmssd, tmp_path_factory):
    folder = tmp_path_factory.mktemp("waves-o3")
    tlmssd.run(folder, "--waves", folder / "run.fst", "--waves-to", "2ms", sets=O3)
    return folder / "run.fst"


@pytest.fixture(scope="module")
def waves(fst):
    return Waves(fst)


def moved(fst, channel):
    """The text of view o3_channel as the script makes it for `channel`."""
    waves = script()
    options = types.SimpleNamespace(view="o3_channel", channel=channel, ce=None, lun=None)
    text = (ROOT / "waves/o3_channel.gtkw").read_text(encoding="utf-8")
    return waves.fitted(waves.placed(text, options), waves.file_signals(fst), channel)


def line(text, label):
    """The bits of the line `label`: (signal, place from the left)."""
    [found] = re.findall(rf"^#\{{{re.escape(label)}\}} (.*)$", text, re.MULTILINE)
    bits = []
    for word in found.split():
        place, name = re.fullmatch(r"(?:\((\d+)\))?(\S+)", word).groups()
        bits.append((re.sub(r"\[\d+:\d+\]$", "", name), int(place or 0)))
    return bits


def value(waves, bits, time):
    number = 0
    for name, place in bits:
        number = number * 2 + (waves.at(name, time) >> (waves.bits[name] - 1 - place) & 1)
    return number


def filter_names(stem):
    rows = (FILTERS / f"{stem}.txt").read_text(encoding="utf-8").splitlines()
    matches = [re.fullmatch(r"([0-9a-f]+) (?:\?[\w ]+\?)?(\S+)", row) for row in rows if row[0] != "#"]
    return {int(match[1], 16): match[2] for match in matches}


def constants(package, prefix):
    """PREFIX_NAME = 3'd5 of an RTL package -> {"NAME": 5}"""
    path, = (ROOT / "rtl").glob(f"*/{package}.sv")
    text = path.read_text(encoding="utf-8")
    found = re.findall(rf"localparam logic [^;]*\b{prefix}_(\w+)\s*= *\d+'([dh])(\w+);", text)
    return {name: int(digits, 16 if base == "h" else 10) for name, base, digits in found}


def test_there_are_views_of_the_whole_and_of_a_channel():
    assert {view.stem for view in O3_VIEWS} == {"o3_overview", "o3_channel"}


@pytest.mark.parametrize("stem, package, prefix", [
    ("o3_operation", "flash_op_pkg", "FLASH_OP"), ("o3_status", "flash_op_pkg", "FLASH_STATUS"),
    ("o3_grant", "o3_pkg", "PHASE")])
def test_filters_name_the_constants_of_the_rtl(stem, package, prefix):
    wanted = {name: NOT_VALID + number for name, number in constants(package, prefix).items()
              if not name.endswith(("_LSB", "_W", "BITS"))}
    assert len(wanted) >= 4
    table = filter_names(stem)
    assert {name.upper(): number for number, name in table.items() if number >= NOT_VALID} == {
        name.replace("_", ""): number for name, number in wanted.items()}
    assert all(table[number] == "-" for number in range(NOT_VALID))


@pytest.mark.parametrize("view", O3_VIEWS, ids=lambda view: view.stem)
def test_each_signal_of_an_o3_view_is_in_the_file(waves, view):
    there = {f"{name}[{bits - 1}:0]" if bits > 1 else name for name, bits in waves.bits.items()}
    names = names_of(view.read_text(encoding="utf-8").replace("@200\n-", "@200\n*"))
    assert len(names) > 20 and names <= there, names - there


@pytest.mark.parametrize("channel", range(4))
def test_grants_are_those_that_the_bus_shows(fst, waves, channel):
    text = moved(fst, channel)
    operation, phase, tag = (line(text, label) for label in ("granted operation", "bus grant", "segment tag"))
    bus = f"ssd.channel{channel}.bus"
    shown = 0
    for time, owner in waves.changes[f"{bus}.owner"]:
        if owner == 0xffff:
            continue
        shown += 1
        assert value(waves, tag, time) == owner, time
        assert value(waves, operation, time) == NOT_VALID + waves.at(f"{bus}.operation", time), time
        assert filter_names("o3_grant")[value(waves, phase, time)] != "-", time
    assert shown > 20
    # Bytes on the bus go the way that the grant says.
    ways = {"DataOut": "DataOut", "DataIn": "DataIn", "Status": "DataOut"}
    for time, name in waves.named(f"{bus}.phase"):
        if name in ("DataIn", "DataOut"):
            assert ways[filter_names("o3_grant")[value(waves, phase, time)]] == name, time


@pytest.mark.parametrize("channel", range(4))
def test_luns_are_busy_as_long_as_their_dies(fst, waves, channel):
    text = moved(fst, channel)
    names = filter_names("o3_lun")
    seen = set()
    for ce in range(4):
        for lun in range(2):
            bits = line(text, f"ce{ce} lun{lun}")
            changes = waves.changes[f"ssd.channel{channel}.ce{ce}.lun{lun}.rb_n"]
            for (time, level), (end, _) in zip(changes, changes[1:]):
                if end - time < 100_000:
                    continue
                # The RTL sees the line at its next edge that runs, two at the most, 5 ns each.
                state = names[value(waves, bits, time + 50_000)]
                seen.add(state)
                assert (state == "Busy") == (level == 0), (ce, lun, time, state)
    assert {"Busy", "Waits"} <= seen


@pytest.mark.parametrize("view", O3_VIEWS, ids=lambda view: view.stem)
def test_gtkwave_loads_what_an_o3_view_names(fst, view, tmp_path):
    shutil.copytree(ROOT / "waves", tmp_path / "waves")
    (tmp_path / "save.tcl").write_text(
        f"gtkwave::/File/Write_Save_File_As {tmp_path}/saved.gtkw\nexit\n", encoding="utf-8")
    call("xvfb-run", "-a", "gtkwave", "--rcvar", "splash_disable on", "-S", tmp_path / "save.tcl", fst,
         tmp_path / "waves" / view.name, cwd="/")
    saved = (tmp_path / "saved.gtkw").read_text(encoding="utf-8")
    text = view.read_text(encoding="utf-8")
    assert names_of(saved) == names_of(text)
    # An alias of a signal below g_channel[] shows zeros (GTKWave 3.3.118).
    assert not re.search(r"^[+#(].*g_channel\[", text, re.MULTILINE)


@pytest.fixture
def tree(tmp_path):
    """The script with an out/ folder of its own."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(SCRIPT, tmp_path / "scripts/waves")
    shutil.copytree(ROOT / "waves", tmp_path / "waves")
    return tmp_path


def no_display(**more):
    kept = {name: text for name, text in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return {**kept, **more}


def place(fst, path, age_s):
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(fst, path)
    now = path.stat().st_mtime
    os.utime(path, (now - age_s, now - age_s))


def test_script_takes_a_folder_or_the_newest_run_and_draws_without_a_display(fst, tree):
    place(fst, tree / "out/old/a.fst", 100)
    place(fst, tree / "out/new/deep/b.fst", 10)
    place(fst, tree / "out/old/c.fst", 50)
    part = ["--view", "o3_overview", "--from", "0us", "--to", "100us", "--size", "900x700"]
    done = call(tree / "scripts/waves", *part, env=no_display())
    assert done.returncode == DONE, done.stderr
    assert str(tree / "out/new/deep/b.fst") in done.stderr and "no display" in done.stderr
    assert (tree / "out/new/deep/b-o3_overview.png").stat().st_size > 1000
    done = call(tree / "scripts/waves", *part, tree / "out/old", env=no_display())
    assert done.returncode == DONE and (tree / "out/old/c-o3_overview.png").is_file(), done.stderr
    assert not (tree / "out/old/a-o3_overview.png").exists()


def test_script_opens_gtkwave_where_there_is_a_display(fst, tree):
    place(fst, tree / "out/run/a.fst", 0)
    tools = tree / "tools"
    tools.mkdir()
    (tools / "gtkwave").write_text(f'#!/bin/sh\necho "$@" >{tree}/called\nexit 7\n', encoding="utf-8")
    (tools / "gtkwave").chmod(0o755)
    done = call(tree / "scripts/waves", "out/run", cwd=tree,
                env=no_display(DISPLAY=":99", PATH=f"{tools}:{os.environ['PATH']}"))
    assert done.returncode == 7, done.stderr  # GTKWave's own
    assert "out/run/a.fst" in (tree / "called").read_text(encoding="utf-8")
    assert not list((tree / "out").rglob("*.png"))


@pytest.mark.parametrize("arguments, words", [
    ([], ["no FST file below", "--waves FILE.fst"]), (["empty"], ["empty", "no FST file in it"]),
    (["absent"], ["absent", "no such file"])])
def test_script_says_that_there_is_no_run(tree, arguments, words):
    (tree / "empty").mkdir()
    done = call(tree / "scripts/waves", *arguments, cwd=tree, env=no_display())
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1
    for word in words:
        assert word in done.stderr


def test_view_of_an_o3_channel_is_moved_with_its_bits(fst):
    """seg_valid_o has a bit a channel, channel 0 the lowest: the last place of eight. seg_tag_o 16."""
    for channel in (0, 3):
        text = moved(fst, channel)
        assert line(text, "granted operation")[0] == ("rtl.o3_top.u_controller.seg_valid_o", 7 - channel)
        assert line(text, "segment tag")[-1][1] == 8 * 16 - 1 - 16 * channel
        assert f"g_channel[{channel}].u_channel.h_any" in text
        assert f"ssd.channel{channel}.operations" in text
