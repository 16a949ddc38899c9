# SPDX-License-Identifier: BSD-3-Clause
"""Wave files of whole runs: exact times, what the options cut, views and pictures of GTKWave."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import pytest

import read_costs
from cli import DEFAULT, DONE, INPUT_ERROR, ROOT, deterministic, set_options
from conftest import binary_path
from fst import Waves

SCRIPT = ROOT / "scripts/waves"
VIEWS = sorted((ROOT / "waves").glob("*.gtkw"))
# The others: test_waves_o3.py, test_waves_pins.py.
TLM_VIEWS = [view for view in VIEWS if not view.stem.startswith(("o3_", "rtl_"))]
PICTURES = ROOT / "out/test"

# The device of docs/explanation/latency.md: NV-DDR mode 5, tR 50 us, 800 MHz, one die here.
ONE_DIE = """
nand: {page_bytes: 8192, spare_bytes: 448, t_read_us: 50, t_program_us: 900, array_variation: 0}
geometry: {channels: 1, ways: 1, dies: 1, planes: 1, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
cpu: {mhz: 800}
controller: {ecc_us: 1}
dram: {mb_per_s: 3200, access_ns: 100}
host: {kind: direct, queue_depth: 1}
ftl: {over_provisioning: 1.2}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 0.5}
workload: {rw: randread, bs: 4096, size: 25%, requests: 1}
"""
MIXED = ["workload=mixed-70-30-32k", "workload.requests=60", "buffer.size_mib=1"]


def names_of(view):
    """The signals that the text of a view names, as GTKWave names them."""
    names = set()
    for line in view.splitlines():
        if line and line[0] not in "@[-*^":
            names |= set(re.sub(r"^[+#]\{[^}]*\} *|\(\d+\)", "", line).split())
    return names


def call(*command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, check=False, timeout=120, **options)


@pytest.fixture(scope="module")
def record(tlmssd, tmp_path_factory):
    """Runs the tool once for each set of arguments; the wave file."""
    made = {}

    def run(*arguments, config=DEFAULT, sets=()):
        key = (arguments, config, tuple(sets))
        if key not in made:
            folder = tmp_path_factory.mktemp("waves")
            tlmssd.run(folder, "--waves", folder / "run.fst", *arguments, config=config, sets=sets)
            made[key] = folder / "run.fst"
        return made[key]

    return run


@pytest.fixture(scope="module")
def mixed(record):
    """Reads and writes on configs/ssd/default.yaml, all that can be shown."""
    return record("--waves-view", "both", "--waves-to", "2ms", sets=MIXED)


@pytest.fixture(scope="module")
def shown(mixed):
    """What is in that file."""
    return Waves(mixed)


@pytest.fixture(scope="module")
def plain(tlmssd, tmp_path_factory):
    """Results of the same run without a wave file."""
    return tlmssd.run(tmp_path_factory.mktemp("plain"), sets=MIXED)


@pytest.fixture(scope="module")
def one_read(record, tmp_path_factory):
    config = tmp_path_factory.mktemp("one") / "one.yaml"
    config.write_text(ONE_DIE, encoding="utf-8")
    return Waves(record("--waves-view", "both", config=config))


# docs/explanation/latency.md: the doorbell rings when the firmware's cycles before it have been spent.
DOORBELL = read_costs.TO_DOORBELL
# CE# falls; tCS 15; 00h, 5 addresses and 30h 45 each; then R/B# falls.
BUSY = DOORBELL + 15_000 + 7 * 45_000
READY = BUSY + 100_000 + 50_000_000  # tWB + tR
# tCS 15; tRR 20, tWRCK 20, tDQSCK 25; 8 codewords of 539 bytes, two a tCK of 10; tDQSHZ 20
DATA = READY + 15_000 + 65_000
DATA_END = DATA + 8 * 539 // 2 * 10_000
FREE = DATA_END + 20_000


def test_phases_of_one_read_come_at_the_sums_of_their_parts(one_read):
    assert FREE == READY + 21_660_000  # the line of docs/explanation/latency.md
    assert one_read.named("ssd.channel0.bus.phase") == [
        (0, "Idle"), (DOORBELL, "Select"), (DOORBELL + 15_000, "Command"),
        (DOORBELL + 60_000, "Address"), (DOORBELL + 285_000, "Command"), (BUSY, "Idle"),
        (READY, "Select"), (READY + 15_000, "Wait"), (DATA, "DataOut"), (DATA_END, "Wait"),
        (FREE, "Idle")]
    assert one_read.named("ssd.channel0.bus.opcode") == [
        (0, "-"), (DOORBELL + 15_000, "READ_00h"), (DOORBELL + 285_000, "READ_30h"), (BUSY, "-")]


def test_die_plane_and_ready_line_of_one_read(one_read):
    assert one_read.changes["ssd.channel0.ce0.rb_n"] == [(0, 1), (BUSY, 0), (READY, 1)]
    assert one_read.named("ssd.channel0.ce0.lun0.state") == [(0, "Idle"), (BUSY, "Read"), (READY, "Idle")]
    assert one_read.named("ssd.channel0.ce0.lun0.plane0.state") == [
        (0, "Idle"), (BUSY, "Read"), (READY, "Loaded"), (DATA, "DataOut"), (DATA_END, "Idle")]


def test_owner_and_queue_depths_of_one_read(one_read):
    used = [(DOORBELL, BUSY), (READY, FREE)]
    tag, request = (one_read.at(f"ssd.channel0.bus.{name}", DOORBELL) for name in ("owner", "request"))
    assert tag < 0xffff and request > 0
    for name, inside, outside in [("owner", tag, 0xffff), ("request", request, 0), ("operation", 1, 0),
                                  ("stream", 0, 2), ("ce", 0, 0xff)]:
        wanted = [(0, outside), *((time, value) for begin, end in used
                                  for time, value in [(begin, inside), (end, outside)])]
        assert one_read.changes[f"ssd.channel0.bus.{name}"] == wanted, name
    # Completion after DMA (1380 ns) and ECC (1000 ns), host data some cycles and a DMA later.
    done = FREE + 1_380_000 + 1_000_000
    for name in ("ssd.controller.operations", "ssd.controller.reads", "ssd.channel0.operations"):
        assert one_read.changes[name] == [(0, 0), (DOORBELL, 1), (done, 0)], name
    assert one_read.named("ssd.controller.state") == [(0, "Idle"), (DOORBELL, "Working"), (done, "Idle")]
    assert one_read.changes["host.outstanding"] == [(0, 1), (read_costs.DIRECT, 0)]  # the sum of docs/explanation/latency.md


def test_pins_of_one_read(one_read):
    pins = {name: one_read.changes[f"ssd.channel0.pins.{name}"] for name in ("ce_n", "cle", "ale", "dqs")}
    assert pins["ce_n"] == [(0, 1), (DOORBELL, 0), (BUSY, 1), (READY, 0), (FREE, 1)]
    # One byte an edge of DQS, all within the burst and its postamble.
    burst = [time for time, _ in pins["dqs"] if DATA <= time <= DATA_END]
    assert 8 * 539 <= len(burst) <= 8 * 539 + 2
    assert len([time for time, level in pins["cle"] if level and time < BUSY]) == 2  # 00h, 30h
    # CLE and ALE are high together only while the die drives the bus (NV-DDR).
    both = [time for time, level in pins["cle"] if level and one_read.at("ssd.channel0.pins.ale", time)]
    assert both and all(READY < time < FREE for time in both)


def test_status_byte_stands_on_dq_though_the_die_gives_it_last(record, tmp_path):
    config = tmp_path / "one.yaml"
    config.write_text(ONE_DIE.replace("rw: randread", "rw: randwrite"), encoding="utf-8")
    waves = Waves(record("--waves-view", "both", config=config))
    ends = [time for time, value in waves.changes["ssd.channel0.bus.status"] if value == 0xe0]
    assert ends  # ready, array ready, not protected; no FAIL
    on_dq = [time for time, value in waves.changes["ssd.channel0.pins.dq"] if value == 0xe0]
    assert any(ends[0] - 215_000 < time < ends[0] for time in on_dq)


def test_multi_plane_program_shows_both_planes(record):
    # Sequential pages under PCWD lie on the planes of one die; vaq joins them.
    waves = Waves(record(sets=["scheduler=vaq", "ftl.allocation=PCWD", "workload=seqread-128k",
                               "workload.requests=2", "geometry.channels=1", "geometry.ways=1"]))
    planes = [f"ssd.channel0.ce0.lun0.plane{p}.state" for p in (0, 1)]
    starts = [{time for time, state in waves.named(name) if state == "Read"} for name in planes]
    assert starts[0] and starts[0] == starts[1]
    gathered = [time for time, state in waves.named(planes[0]) + waves.named(planes[1])
                if state == "Gathered"]
    queued = [time for time, state in waves.named("ssd.channel0.ce0.lun0.state") if state == "Queue"]
    assert sorted(gathered) == queued and len(queued) == len(starts[0])


def test_depth_and_states_of_a_busy_device(shown):
    assert max(value for _, value in shown.changes["host.outstanding"]) == 32  # host.queue_depth
    for name in ("host.outstanding", "ssd.controller.operations"):
        parts = ["host.reads", "host.writes"] if name.startswith("host") else [
            f"ssd.controller.{kind}" for kind in ("reads", "programs", "erases")]
        for time, total in shown.changes[name]:
            assert sum(shown.at(part, time) for part in parts) == total, (name, time)
    for time, total in shown.changes["ssd.controller.operations"]:
        assert sum(shown.at(f"ssd.channel{c}.operations", time) for c in range(4)) == total
    assert [name for _, name in shown.named("firmware.scheduler")] == ["inorder"]
    assert {"Idle", "Working"} <= {name for _, name in shown.named("firmware.sched_state")}
    for channel in range(4):
        for time, phase in shown.named(f"ssd.channel{channel}.bus.phase"):
            none = shown.at(f"ssd.channel{channel}.bus.owner", time) == 0xffff
            assert none == (phase == "Idle"), (channel, time)


def test_window_keeps_what_is_inside(record):
    whole = Waves(record("--waves-view", "both", "--waves-to", "1ms", sets=MIXED))
    begin, end = 400_000_000, 600_000_000
    part = Waves(record("--waves-view", "both", "--waves-from", "0.4ms", "--waves-to", "600 us", sets=MIXED))
    assert part.end == end and set(part.changes) == set(whole.changes)
    for name, changes in part.changes.items():
        # Between segments the pins of a window's first moments have not moved yet.
        inside = [change for change in whole.changes[name] if begin < change[0] <= end]
        assert [change for change in changes if change[0] > begin] == inside, name
        assert all(begin <= time <= end for time, _ in changes), name
        if ".pins." not in name:
            assert part.at(name, begin) == whole.at(name, begin), name


def test_run_that_ends_before_the_window_leaves_a_readable_file(record):
    waves = Waves(record("--waves-from", "100s", sets=["workload=randread-4k", "workload.requests=1"]))
    assert waves.changes["host.completed"][-1][1] <= 1 and 0 < waves.end < 100e12


def test_channels_leave_out_the_others(record):
    waves = Waves(record("--waves-channels", "0,2-3", "--waves-to", "10us", sets=MIXED))
    assert {name.split(".")[1] for name in waves.changes if name.startswith("ssd.channel")} == {
        "channel0", "channel2", "channel3"}
    assert waves.changes["ssd.controller.operations"]


@pytest.mark.parametrize("view, wanted, absent", [
    ("decoded", "bus.phase", "pins.dq"), ("pins", "pins.dq", "bus.phase"),
])
def test_view_chooses_pins_or_decoded_state(record, view, wanted, absent):
    names = set(Waves(record("--waves-view", view, "--waves-to", "10us", sets=MIXED)).changes)
    assert f"ssd.channel0.{wanted}" in names and f"ssd.channel0.{absent}" not in names
    assert "host.outstanding" in names


def test_rtl_stands_in_the_same_file(record):
    waves = Waves(record("--waves-view", "both", "--waves-to", "200us",
                         sets=[*MIXED, "controller.kind=rtl"]))
    assert any(name.endswith("clk_i") for name in waves.changes)
    assert {"Read"} <= {state for _, state in waves.named("ssd.channel0.ce0.lun0.state")} | {
        state for _, state in waves.named("ssd.channel0.ce1.lun0.state")}
    assert len(waves.changes["ssd.channel0.pins.dqs"]) > 1000


@pytest.mark.parametrize("options", [
    ["--waves-view", "decoded"], ["--waves-view", "pins"], ["--waves-view", "both"],
    ["--waves-view", "both", "--waves-from", "100us", "--waves-to", "1ms", "--waves-channels", "1"],
], ids=" ".join)
def test_no_option_changes_the_results(tlmssd, tmp_path, plain, options):
    on = tlmssd.run(tmp_path / "on", "--waves", tmp_path / "w.fst", *options, sets=MIXED)
    assert deterministic(plain) == deterministic(on)
    assert json.loads(on)["checker"]["violations"] == 0


@pytest.mark.parametrize("options, words", [
    (["--waves-view", "pins"], ["--waves-view", "--waves FILE"]),
    (["--waves-from", "1ms"], ["--waves-from", "--waves FILE"]),
    (["--waves-channels", "0"], ["--waves-channels", "--waves FILE"]),
    (["--waves", "W", "--waves-view", "all"], ["--waves-view", "all", "decoded, pins or both"]),
    (["--waves", "W", "--waves-from", "12"], ["--waves-from", "12", "ms"]),
    (["--waves", "W", "--waves-from", "1 fortnight"], ["--waves-from", "fortnight"]),
    (["--waves", "W", "--waves-to", "-1ms"], ["--waves-to", "-1ms"]),
    (["--waves", "W", "--waves-from", "2ms", "--waves-to", "2000us"], ["--waves-to", "later"]),
    (["--waves", "W", "--waves-to", "0ns"], ["--waves-to", "later"]),
    (["--waves", "W", "--waves-channels", "4"], ["--waves-channels", "4", "0 to 3"]),
    (["--waves", "W", "--waves-channels", "2-1"], ["--waves-channels", "2-1"]),
    (["--waves", "W", "--waves-channels", "1,"], ["--waves-channels", "0,2-3"]),
    (["--waves", "W", "--waves-channels", "x"], ["--waves-channels", "x"]),
    (["--waves", ""], ["--waves", "file"]),
], ids=lambda value: " ".join(value))
def test_wrong_options_are_named(tlmssd, tmp_path, options, words):
    options = [str(tmp_path / "w.fst") if word == "W" else word for word in options]
    done = tlmssd("run", DEFAULT, *options, *set_options(["workload.requests=1"]), "--quiet")
    assert done.returncode == INPUT_ERROR and len(done.stderr.splitlines()) == 1, done.stderr
    for word in words:
        assert word in done.stderr
    assert not (tmp_path / "w.fst").exists()


def test_there_are_views_of_overview_channel_die_and_pins():
    assert {"overview", "channel", "die", "pins"} <= {view.stem for view in VIEWS}


@pytest.mark.parametrize("view", TLM_VIEWS, ids=lambda view: view.stem)
def test_each_signal_of_a_view_is_in_the_file(shown, view):
    there = {f"{name}[{bits - 1}:0]" if bits > 1 else name for name, bits in shown.bits.items()}
    names = names_of(view.read_text(encoding="utf-8"))
    assert len(names) > 5 and names <= there, names - there


@pytest.mark.parametrize("view", TLM_VIEWS, ids=lambda view: view.stem)
def test_filters_of_a_view_name_the_values_as_the_file_does(shown, view):
    lines = view.read_text(encoding="utf-8").splitlines()
    used = 0
    for path, signal in zip(lines, lines[1:]):
        match = re.fullmatch(r"\^\d+ /tlmssd/(waves/filters/\w+\.txt)", path)
        if not match:
            continue
        used += 1
        [name] = names_of(signal)
        name = re.sub(r"\[.*", "", name)
        digits = (shown.bits[name] + 3) // 4
        table = {}
        for row in (ROOT / match[1]).read_text(encoding="utf-8").splitlines():
            if not row.startswith("#"):
                value, text = re.fullmatch(r"([0-9a-f]+) (?:\?[\w ]+\?)?(\S+)", row).groups()
                assert len(value) == digits, f"{match[1]}: GTKWave compares {digits} hex digits: {row}"
                table[int(value, 16)] = text
        assert table == shown.enums[name], (match[1], name)
    assert used or view.stem == "pins"


def test_the_names_of_schedulers_are_written_by_the_program(tmp_path):
    (tmp_path / "configs").mkdir()
    (tmp_path / "waves/filters").mkdir(parents=True)
    subprocess.run([binary_path().parent / "tlmssd-keys", "--write"], cwd=tmp_path, check=True,
                   timeout=60)
    made = [path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()]
    assert len(made) == 3
    assert [path for path in made if (ROOT / path).read_bytes() != (tmp_path / path).read_bytes()] == []


@pytest.mark.parametrize("view", TLM_VIEWS, ids=lambda view: view.stem)
def test_gtkwave_shows_a_view(mixed, view):
    PICTURES.mkdir(parents=True, exist_ok=True)
    picture = PICTURES / f"waves-{view.stem}.png"
    picture.unlink(missing_ok=True)
    part = ["--from", "100us", "--to", "101us"] if view.stem == "pins" else ["--from", "0us", "--to", "2ms"]
    done = call(SCRIPT, "--view", view.stem, *part, "--png", picture, mixed)
    assert done.returncode == DONE and done.stderr == "", done.stderr
    size, colours = call("identify", "-format", "%wx%h %k", picture).stdout.split()
    assert size == "1600x1000"
    assert int(colours) > 64
    # Most of the window is the waves' black; a good part of the rest is drawn on it.
    crop = call("convert", picture, "-crop", "1300x800+250+150", "-fill", "white", "+opaque", "black",
                "-format", "%[fx:mean]", "info:")
    assert 0.01 < float(crop.stdout) < 0.9, crop.stdout + crop.stderr


@pytest.mark.parametrize("view", TLM_VIEWS, ids=lambda view: view.stem)
def test_gtkwave_finds_each_signal_and_filter_of_a_view(mixed, view, tmp_path):
    """What GTKWave does not find it leaves out: save what it has loaded and compare."""
    shutil.copytree(ROOT / "waves", tmp_path / "waves")
    (tmp_path / "save.tcl").write_text(
        f"gtkwave::/File/Write_Save_File_As {tmp_path}/saved.gtkw\nexit\n", encoding="utf-8")
    done = call("xvfb-run", "-a", "gtkwave", "--rcvar", "splash_disable on", "-S", tmp_path / "save.tcl",
                mixed, tmp_path / "waves" / view.name, cwd="/")
    saved = (tmp_path / "saved.gtkw").read_text(encoding="utf-8")
    text = view.read_text(encoding="utf-8")
    assert names_of(saved) == names_of(text)
    assert "Could not" not in done.stdout + done.stderr
    filters = set(re.findall(r"^\^\d+ (\S+)$", saved, re.MULTILINE))
    wanted = set(re.findall(r"^\^\d+ /tlmssd/waves/(\S+)$", text, re.MULTILINE))
    assert filters == {str(tmp_path / "waves" / name) for name in wanted}


def test_script_makes_the_view_of_another_place(mixed, tmp_path):
    pictures = []
    for lun in (0, 1):
        pictures.append(tmp_path / f"{lun}.png")
        done = call(SCRIPT, "--view", "die", "--channel", "3", "--ce", "2", "--lun", lun, "--size", "900x700",
                    "--png", pictures[-1], mixed)
        assert done.returncode == DONE and done.stderr == "", done.stderr
    assert pictures[0].read_bytes() != pictures[1].read_bytes()


def test_script_says_what_a_file_lacks(record, tmp_path):
    fst = record("--waves-channels", "0", "--waves-to", "100us", sets=MIXED)
    done = call(SCRIPT, "--png", tmp_path / "a.png", fst)
    assert done.returncode == DONE and (tmp_path / "a.png").is_file()
    assert "signals of view overview are not in" in done.stderr and "ssd.channel1" in done.stderr
    done = call(SCRIPT, "--view", "die", "--channel", "1", "--png", tmp_path / "b.png", fst)
    assert done.returncode == INPUT_ERROR and "none of the signals of view die" in done.stderr


@pytest.mark.parametrize("arguments, word", [
    (["absent.fst"], "absent.fst"), (["--view", "sideways", "FST"], "sideways"),
    (["--view", "absent.gtkw", "FST"], "absent.gtkw"), (["--from", "1ms", "FST"], "--to"),
    (["--from", "2ms", "--to", "1ms", "FST"], "--to"), (["--from", "2", "--to", "3ms", "FST"], "2"),
    (["--size", "0x9", "FST"], "0x9"), (["--ce", "1", "--view", "channel", "FST"], "--ce"),
    (["FST", "--view", "pins", "--channel", "31", "--png", "PNG"], "channel31"),
    (["TEXT", "--png", "PNG"], "not an FST"), (["FST", "--png", "FST/p.png"], "cannot be written"),
])
def test_script_names_wrong_arguments(mixed, tmp_path, arguments, word):
    (tmp_path / "text.fst").write_text("no waves", encoding="utf-8")
    words = {"FST": mixed, "PNG": tmp_path / "p.png", "TEXT": tmp_path / "text.fst"}
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    words["FST/p.png"] = mixed / "p.png"  # no folder
    done = call(SCRIPT, *(words.get(a, a) for a in arguments), env=environment)
    assert done.returncode == INPUT_ERROR
    assert word in done.stderr.splitlines()[-1]
    assert not pathlib.Path(tmp_path / "p.png").exists()


def test_script_has_help():
    done = call(SCRIPT, "--help")
    assert done.returncode == DONE and "scripts/waves" in done.stdout and "Examples" in done.stdout
