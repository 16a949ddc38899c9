# SPDX-License-Identifier: BSD-3-Clause
"""--timeline writes trace events that say what happened, exactly, and change nothing."""
import collections
import decimal
import gzip
import json
import signal
import subprocess
import time

import pytest

import read_costs
from cli import DEFAULT, DONE, INPUT_ERROR, INTERRUPTED, MODEL_ERROR, deterministic, set_options
from test_determinism import BUSY

# The device of docs/explanation/latency.md, "One 4 KiB read of a mapped page".
ONE_READ = """
nand: {page_bytes: 8192, spare_bytes: 448, t_read_us: 50, t_program_us: 900, array_variation: 0}
geometry: {channels: 1, ways: 1, dies: 2, chip_enables: 2, planes: 1, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
cpu: {mhz: 800}
controller: {ecc_us: 1}
dram: {mb_per_s: 3200, access_ns: 100}
sata: {gbps: 6, handshake_dwords: 20}
host: {queue_depth: 1}
ftl: {over_provisioning: 1.2}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 0.5}
workload: {rw: randread, bs: 4096, size: 25%, requests: 1}
"""

# Eight dies of two planes on two channels, no variation of array times, no garbage collection.
EIGHT_DIES = """
nand: {page_bytes: 4096, spare_bytes: 224, t_read_us: 50, t_program_us: 900, array_variation: 0}
geometry: {channels: 2, ways: 2, dies: 2, chip_enables: 1, planes: 2, blocks: 64, pages: 32}
onfi: {interface: nvddr, mode: 5}
host: {queue_depth: 32}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
"""
PS = 1000000  # of a microsecond, the unit of trace events
TWB = 100000  # ps, NV-DDR mode 5


class Slice:
    def __init__(self, event):
        self.name = event["name"]
        self.start = picoseconds(event["ts"])
        self.end = self.start + picoseconds(event["dur"])
        self.args = event.get("args", {})

    def __repr__(self):
        return f"{self.name} [{self.start}, {self.end}] {self.args}"


def picoseconds(us):
    """Exact: the numbers are read as decimals, never as floats."""
    ps = decimal.Decimal(us) * PS
    assert ps == ps.to_integral_value()
    return int(ps)


class Trace:
    """A timeline file: slices[process][track] in the order of the file; arrows by id."""

    def __init__(self, path):
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("ascii")
        document = json.loads(text, parse_float=decimal.Decimal)
        assert document["displayTimeUnit"] == "ns"
        assert set(document) == {"displayTimeUnit", "traceEvents"}
        processes, tracks = {}, {}
        self.slices = collections.defaultdict(dict)
        self.starts, self.ends = collections.defaultdict(list), collections.defaultdict(list)
        last = {}
        for event in document["traceEvents"]:
            place = (event["pid"], event["tid"])
            if event["ph"] == "M":
                if event["name"] == "process_name":
                    processes[event["pid"]] = event["args"]["name"]
                elif event["name"] == "thread_name":
                    tracks[place] = (processes[event["pid"]], event["args"]["name"])
                    self.slices[processes[event["pid"]]][event["args"]["name"]] = []
                continue
            process, track = tracks[place]
            now = picoseconds(event["ts"])
            assert now >= last.get(place, 0), f"{track} goes back in time: {event}"
            last[place] = now
            if event["ph"] == "X":
                self.slices[process][track].append(Slice(event))
            elif event["ph"] == "s":
                self.starts[event["id"]].append((process, track, now))
            else:
                assert event["ph"] == "f" and event["bp"] == "e", event
                self.ends[event["id"]].append((process, track, now))

    def all(self, process, name=None):
        return [s for track in self.slices[process].values() for s in track
                if name in (None, s.name)]


def check_structure(trace):
    """What holds for every timeline: tracks do not overlap, arrows have both ends on slices."""
    for process, tracks in trace.slices.items():
        for track, slices in tracks.items():
            for one, other in zip(slices, slices[1:]):
                assert one.end <= other.start, f"{process}, {track}: {one} overlaps {other}"
    assert trace.starts.keys() == trace.ends.keys()
    for arrow, starts in trace.starts.items():
        assert len(starts) == len(trace.ends[arrow]) == 1, arrow
        process, track, now = starts[0]
        assert process == "host requests"
        requests = [s for s in trace.slices[process][track] if s.start <= now <= s.end]
        assert requests, f"arrow {arrow} starts on no slice"
        process, track, now = trace.ends[arrow][0]
        assert process == "dies"
        operation, = (s for s in trace.slices[process][track] if s.start == now)
        assert any(s.args.get("request") in operation.args["request"] for s in requests), arrow


def run(tlmssd, tmp_path, device=None, sets=(), arguments=(), name="run", suffix=".json.gz"):
    """(results, Trace) of a run that must succeed."""
    config = DEFAULT
    if device is not None:
        config = tmp_path / f"{name}.yaml"
        config.write_text(device, encoding="ascii")
    path = tmp_path / (name + suffix)
    results = tlmssd.run(tmp_path / name, "--timeline", path, *arguments, config=config, sets=sets)
    trace = Trace(path)
    check_structure(trace)
    return json.loads(results), trace


def times(slices):
    return [(s.name, s.start, s.end) for s in slices]


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_one_read_on_the_direct_port_is_drawn_part_by_part(tlmssd, tmp_path, suffix):
    # docs/explanation/latency.md. Cycles to the doorbell; tCS + 7 tCAD; tWB + tR; the burst; 1380 ns of DMA and
    # 1000 ns of ECC; cycles; 1380 ns of DRAM; cycles to close the command.
    doorbell = read_costs.TO_DOORBELL
    command_end = doorbell + 330000
    ready = command_end + 50100000
    burst_end = ready + 21660000
    completion = burst_end + 1380000 + 1000000
    end = completion + read_costs.TO_HOST_DMA + 1380000
    assert end == read_costs.DIRECT
    _, trace = run(tlmssd, tmp_path, ONE_READ, ["host.kind=direct"], suffix=suffix)
    request, = trace.slices["host requests"]["tag 0"]
    assert (request.name, request.start, request.end) == ("READ", 0, end)
    assert request.args["bytes"] == 4096 and request.args["arrival_us"] == 0
    assert times(trace.slices["firmware"]["core 0"]) == [
        ("hil+buffer+ftl+sched", 0, doorbell + read_costs.BEHIND_DOORBELL),
        ("hil+buffer+ftl+sched", completion, completion + read_costs.TO_HOST_DMA + read_costs.END),
        ("hil+buffer", end, end + read_costs.CLOSING)]
    channel = trace.slices["channels"]["channel 0"]
    assert times(channel) == [("READ", doorbell, command_end), ("DATA OUT", ready, burst_end)]
    assert channel[0].args["cycles"] == "00-30" and "bytes" not in channel[0].args
    assert channel[1].args["bytes"] == 8 * 539
    die, = trace.all("dies")
    assert (die.name, die.start, die.end) == ("READ", doorbell, burst_end)
    assert die.args["planes"] == [0] and die.args["retries"] == 0 and die.args["wait_us"] == 0
    assert die.args["status"] == "ok" and die.args["request"] == [request.args["request"]]
    assert times(trace.all("planes")) == [("READ", command_end, ready)]
    # From the step that submits it to its first cycle.
    assert list(trace.starts.values()) == [[("host requests", "tag 0", 0)]]
    assert [now for (_, _, now), in trace.ends.values()] == [doorbell]
    assert "link" not in trace.slices


def test_one_read_over_sata_draws_its_frames(tlmssd, tmp_path):
    # A command FIS later than on the direct port, the setup beside the DRAM read, data, bits.
    command = 188125
    started = command + read_costs.DIRECT - 1380000
    read = started + 1380000
    _, trace = run(tlmssd, tmp_path, ONE_READ, ["host.kind=sata"])
    assert times(trace.slices["link"]["to device"]) == [("COMMAND", 0, command)]
    assert times(trace.slices["link"]["to host"]) == [
        ("REGISTER", command, 2 * command), ("DMA SETUP", started, started + 201563),
        ("DATA", read, read + 7041250), ("SET DEVICE BITS", read + 7041250, read_costs.SATA)]
    assert trace.slices["link"]["to host"][2].args == {"dwords": 1025, "bytes": 4096}
    assert times(trace.all("host requests")) == [("READ", 0, read_costs.SATA)]
    die, = trace.all("dies")
    doorbell = command + read_costs.TO_DOORBELL
    assert (die.start, die.end) == (doorbell, doorbell + 330000 + 50100000 + 21660000)


def test_reads_add_up_to_the_results(tlmssd, tmp_path):
    results, trace = run(tlmssd, tmp_path, EIGHT_DIES, [
        "precondition.fill=1", "workload.rw=randread", "workload.bs=4096", "workload.requests=2000"])
    assert len(trace.all("host requests", "READ")) == results["host"]["reads"]["count"] == 2000
    dies = trace.all("dies")
    assert len(dies) == results["flash"]["die_operations"]
    assert {s.name for s in dies} == {"READ"} and all("open" not in s.args for s in dies)
    reads = sum(len(s.args["planes"]) for s in dies)
    assert reads == results["flash"]["ops"]["read"]
    # Every operation has its array time: tWB + tR of single planes.
    planes = trace.all("planes")
    assert all(len(s.args["planes"]) == 1 for s in dies)
    assert sum(s.end - s.start for s in planes) == reads * (TWB + 50 * PS)
    # A die is busy from its first command cycle to the end of data-out: flash.die_idle_s.
    makespan = round(results["sim"]["time_s"] * 1e12)
    busy = sum(s.end - s.start for s in dies)
    assert 8 * makespan - busy == round(results["flash"]["die_idle_s"] * 1e12)
    # Channels: each segment; link: each frame.
    for index, channel in enumerate(results["flash"]["channels"]):
        segments = trace.slices["channels"][f"channel {index}"]
        assert sum(s.end - s.start for s in segments) == round(channel["busy_s"] * 1e12)
    for track, key in (("to host", "busy_to_host_s"), ("to device", "busy_to_device_s")):
        frames = trace.slices["link"][track]
        assert sum(s.end - s.start for s in frames) == round(results["link"][key] * 1e12)
    # One request causes each operation (a few others find its page on the way, and cause none).
    assert len(trace.starts) == len(dies) > 1900
    # Steps: cycles of the modules.
    steps = trace.slices["firmware"]["core 0"]
    for module, cycles in results["cpu"]["cycles"].items():
        assert sum(s.args.get(module, 0) for s in steps) == cycles


def test_writes_add_up_to_the_results(tlmssd, tmp_path):
    results, trace = run(tlmssd, tmp_path, EIGHT_DIES, [
        "workload.rw=randwrite", "workload.bs=4096", "workload.requests=600"])
    programs = trace.all("dies", "PROGRAM")
    assert sum(len(s.args["planes"]) for s in programs) == results["flash"]["ops"]["program"]
    assert len(trace.all("dies")) == results["flash"]["die_operations"]
    assert sum(s.end - s.start for s in trace.all("planes", "PROGRAM")) == \
        results["flash"]["ops"]["program"] * (TWB + 900 * PS)
    # Written through: the request that caused a program waits for it.
    assert len(trace.starts) == len(programs) == 600


def test_requests_joined_in_one_operation_each_have_an_arrow(tlmssd, tmp_path):
    results, trace = run(tlmssd, tmp_path, EIGHT_DIES, [
        "scheduler=vaq", "precondition.fill=1", "workload.rw=read", "workload.bs=4096",
        "workload.requests=1000", "ftl.allocation=PDWC"])
    joined = [s for s in trace.all("dies") if len(s.args["request"]) > 1]
    assert results["sched"]["multi_plane_ops"] > 0 and joined
    assert len(trace.starts) == sum(len(s.args["request"]) for s in trace.all("dies")) == 1000
    # Both planes work at the same time for one tR; before that the first waits in the queue.
    assert len(trace.all("planes", "QUEUE")) == results["sched"]["multi_plane_ops"]


@pytest.mark.parametrize("kind", ["tlm", "rtl"])
def test_a_busy_device_is_drawn_whole(tlmssd, tmp_path, kind):
    results, trace = run(tlmssd, tmp_path, sets=[*BUSY, f"controller.kind={kind}"])
    requests = trace.all("host requests")
    assert sum("open" not in s.args for s in requests) == results["host"]["all"]["count"]
    done = collections.Counter()
    for s in trace.all("dies"):
        done[s.name] += len(s.args["planes"])
    under_way = collections.Counter()
    for s in trace.all("dies"):
        under_way[s.name] += len(s.args["planes"]) if "open" in s.args else 0
    for name, key in (("READ", "read"), ("PROGRAM", "program"), ("ERASE", "erase")):
        # Operations that are under way at the end may have had their bursts.
        count = results["flash"]["ops"][key]
        assert done[name] - under_way[name] <= count <= done[name], name
        assert count > 0
    collected = [s for s in trace.all("dies") if s.args["stream"] == 1]
    assert collected and all("request" not in s.args for s in collected)
    assert trace.starts


# Erases of 10 ms that reads interrupt.
SUSPENDING = """
nand: {page_bytes: 8192, spare_bytes: 448, t_read_us: 50, t_program_us: 400, t_erase_us: 10000,
       t_suspend_erase_us: 100, t_suspend_program_us: 20}
geometry: {channels: 2, ways: 2, dies: 2, planes: 2, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
host: {kind: direct, queue_depth: 2}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 1.0}
workload: {rw: randrw, rwmixread: 50, bs: 8k, requests: 2000}
scheduler: host
controller: {priorities: reads_first, streams: per_request, age_limit_us: 1000000,
             suspend: program_and_erase, suspend_limit: 15, suspend_progress_us: 0}
"""


@pytest.mark.parametrize("kind", ["tlm", "rtl"])
def test_a_suspended_operation_is_drawn_in_parts(tlmssd, tmp_path, kind):
    results, trace = run(tlmssd, tmp_path, SUSPENDING, [f"controller.kind={kind}"])
    slices = trace.all("dies")
    resumed = [s for s in slices if "resumed" in s.args]
    # Each resume begins a part, and each part has one before it that ends suspended.
    assert len(resumed) == results["controller"]["resumes"] > 50
    assert sum(s.args.get("status") == "suspended" for s in slices) == len(resumed)
    assert {s.name for s in resumed} == {"PROGRAM", "ERASE"}
    # Some may be under way at the end, others still wait in the controller.
    assert results["sched"]["multi_plane_ops"] == 0
    over = sum(results["flash"]["ops"].values())
    assert over <= len(slices) - len(resumed) <= results["flash"]["die_operations"]
    between = 0
    for die in trace.slices["dies"].values():
        stopped = None  # the part that was suspended, and what has come since
        reads = 0
        for s in die:
            if "resumed" in s.args:
                assert stopped is not None and s.args["rows"] == stopped.args["rows"], s
                between += reads
                stopped = None
            if s.args.get("status") == "suspended":
                stopped, reads = s, 0
            elif stopped is not None:
                assert s.name == "READ", s
                reads += 1
    assert between >= len(resumed), "it was suspended for reads"


@pytest.mark.parametrize("kind", ["tlm", "rtl"])
def test_a_timeline_changes_nothing(tlmssd, tmp_path, kind):
    sets = [*BUSY, f"controller.kind={kind}", "workload.requests=300"]
    off = tlmssd.run(tmp_path / "off", sets=sets)
    on = tlmssd.run(tmp_path / "on", "--timeline", tmp_path / "t.json.gz", sets=sets)
    waves = tlmssd.run(tmp_path / "both", "--timeline", tmp_path / "u.json.gz", "--waves",
                       tmp_path / "w.fst", sets=sets)
    assert deterministic(off) == deterministic(on) == deterministic(waves)
    # Equal runs give equal files, waves or not.
    assert (tmp_path / "t.json.gz").read_bytes() == (tmp_path / "u.json.gz").read_bytes()


def test_a_window_keeps_what_it_touches(tlmssd, tmp_path):
    sets = [*BUSY, "workload.requests=1000", "workload.rwmixread=90"]
    _, whole = run(tlmssd, tmp_path, sets=sets, name="whole")
    first, last = 10_000_000 * 1000, 12_500_000 * 1000  # 10 ms, 12.5 ms
    _, part = run(tlmssd, tmp_path, sets=sets, name="part",
                  arguments=["--timeline-from", "10ms", "--timeline-to", "12.5ms"])
    for process, tracks in whole.slices.items():
        for track, slices in tracks.items():
            inside = [s for s in slices if s.start < last and s.end >= first]
            assert times(part.slices[process][track]) == times(inside), (process, track)
    assert 0 < len(part.all("dies")) < len(whole.all("dies"))
    assert 0 < len(part.starts) < len(whole.starts)


def test_interrupt_leaves_a_whole_file(tlmssd, tmp_path):
    path = tmp_path / "out" / "t.json.gz"
    # Few blocks, so that preconditioning, whose end by a signal leaves no file, takes a moment on any machine.
    endless = ["workload.rw=randread", "workload.bs=4096", "workload.requests=4000000000", "geometry.blocks=32",
               "ftl.over_provisioning=0.4"]
    process = tlmssd.start("run", DEFAULT, *set_options(endless), "--timeline", path,
                           "--timeline-to", "3ms", "--out", tmp_path)
    try:
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("out/*.part*")) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(1.0)
        assert process.poll() is None, process.communicate()
        assert not path.exists(), "the file has its name before it is whole"
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        pytest.fail("the run goes on after SIGINT")
    finally:
        process.kill()
        process.wait()
    assert process.returncode == INTERRUPTED, stderr
    assert [p.name for p in path.parent.iterdir()] == ["t.json.gz"]
    trace = Trace(path)
    check_structure(trace)
    assert trace.all("host requests")


def test_what_is_under_way_at_the_end_is_marked(tlmssd, tmp_path):
    # The fault is found in the middle of things and ends the run.
    path, device = tmp_path / "t.json", tmp_path / "device.yaml"
    device.write_text(EIGHT_DIES, encoding="ascii")
    done = tlmssd("run", device, "--timeline", path, "--quiet", *set_options([
        "precondition.fill=1", "workload.rw=randread", "workload.bs=4096", "workload.requests=2000",
        "inject.swap_page_registers_at=500"]))
    assert done.returncode == MODEL_ERROR, done.stderr
    trace = Trace(path)
    check_structure(trace)
    assert any("open" in s.args for s in trace.all("host requests"))
    assert any("open" in s.args for s in trace.all("dies"))


@pytest.mark.parametrize("arguments, words", [
    (["--timeline-from", "1ms"], "require --timeline"),
    (["--timeline", "t.json", "--timeline-from", "soon"], "is not a time"),
    (["--timeline", "t.json", "--timeline-from", "2ms", "--timeline-to", "1ms"], "must be after"),
    (["--timeline", "/proc/none/t.json.gz"], "/proc/none/t.json.gz"),
    (["--timeline", "/"], "not a regular file"),
])
def test_wrong_use_is_one_line_and_status_2(tlmssd, tmp_path, arguments, words):
    done = tlmssd("run", DEFAULT, "--quiet", *arguments, cwd=tmp_path)
    assert done.returncode == INPUT_ERROR, done.stderr
    assert len(done.stderr.splitlines()) == 1 and words in done.stderr, done.stderr
    assert not list(tmp_path.iterdir())


def test_a_run_without_the_option_writes_none(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, "--quiet", *set_options(["workload.requests=10"]), cwd=tmp_path)
    assert done.returncode == DONE
    assert not list(tmp_path.iterdir())
