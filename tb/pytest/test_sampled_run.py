# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd run --sample: estimates beside whole runs, what is exact, and what is refused."""
import json
import os
import random
import signal
import subprocess
import time

import pytest

from cli import DEFAULT, DONE, INPUT_ERROR, INTERRUPTED, long_form, set_options

RTL = ["controller.kind=rtl", "scheduler=host"]
# 32 windows of 2,048 requests, 32 open behind each, twice: the least that can be sampled.
LEAST = 32 * 2 * (2048 + 32)


def run(tlmssd, *arguments, sets=(), status=DONE, config=DEFAULT, timeout=300):
    done = tlmssd("run", config, *arguments, *set_options(sets), "--json", "--quiet", timeout=timeout)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout) if status == DONE else done.stderr


def sampled(tlmssd, *arguments, **options):
    return run(tlmssd, "--sample", *arguments, **options)


def iops(results):
    return results["host"]["reads"]["iops"] + results["host"]["writes"]["iops"]


def inside(estimate, value):
    return estimate["low"] <= value <= estimate["high"]


@pytest.mark.parametrize("more", [[], ["host.kind=nvme"], ["scheduler=paq2"]])
def test_reads_are_estimated_as_a_whole_run_has_them(tlmssd, more):
    options = {"sets": ["workload.requests=300000", *more]}
    whole = run(tlmssd, "--workload", "randread-4k", **options)
    part = sampled(tlmssd, "--workload", "randread-4k", **options)
    assert part["sample"]["met"]
    assert part["config_hash"] == whole["config_hash"]
    assert part["workload"] == {"requests": 300000, "reads": 300000}
    # An interval misses once in 20; one of twice the width nearly never.
    latency = whole["host"]["reads"]["latency_us"]
    for estimate, true in ((part["host"]["iops"], iops(whole)),
                           (part["host"]["reads"]["mean_us"], latency["mean"]),
                           (part["host"]["reads"]["p99_us"], latency["p99"])):
        assert abs(estimate["value"] - true) <= 2 * (estimate["high"] - estimate["low"]) / 2
    assert "writes" not in part["host"]
    assert part["ftl"]["waf"] is None


def test_the_rtl_is_estimated_and_the_tlm_run_is_exact(tlmssd):
    # With polls the RTL's latencies are not known: the TLM controller of the pass is that of a run.
    sets = [f"workload.requests={LEAST}", "scheduler=host", "onfi.ready=status"]
    load = ("--workload", "mixed-70-30-4k")
    part = sampled(tlmssd, *load, "--sample-error", 10, sets=[*sets, *RTL])
    twin = run(tlmssd, *load, sets=sets)
    assert part["ftl"]["host_pages"] == twin["ftl"]["host_pages_written"]
    assert part["ftl"]["flash_pages"] == twin["ftl"]["flash_pages_written"]
    whole = run(tlmssd, *load, sets=[*sets, *RTL])
    assert part["sample"]["met"]
    assert abs(part["host"]["iops"]["value"] / iops(whole) - 1) < 0.1
    assert {"all", "reads", "writes"} < set(part["host"])


@pytest.mark.parametrize("mode, ready", [("open", "lun"), ("open", "status"), ("closed", "lun")])
def test_a_slow_rtl_clock_is_in_the_estimate(tlmssd, mode, ready):
    # At 5 MHz a decision takes microseconds. In closed loop the RTL alone serves reads. In open loop the TLM controller
    # stands by; with polls it has no clock, and the windows alone show it.
    sets = [f"workload.requests={LEAST}", "scheduler=host", f"onfi.ready={ready}", f"workload.mode={mode}",
            *(["workload.rate_iops=20000"] if mode == "open" else [])]
    load = ("--workload", "randread-4k")
    twin = run(tlmssd, *load, sets=sets)
    whole = run(tlmssd, *load, sets=[*sets, *RTL, "controller.clock_mhz=5"])
    part = sampled(tlmssd, *load, sets=[*sets, *RTL, "controller.clock_mhz=5"])
    true = whole["host"]["reads"]["latency_us"]["mean"]
    assert true > 1.05 * twin["host"]["reads"]["latency_us"]["mean"]
    estimate = part["host"]["reads"]["mean_us"]
    assert abs(estimate["value"] - true) <= 2 * (estimate["high"] - estimate["low"]) / 2


if long_form():  # 70 s: 65,536 requests through pins
    def test_pins_are_sampled(tlmssd):
        sets = [f"workload.requests={LEAST}", "scheduler=host", "onfi.interface=sdr", "onfi.mode=5"]
        part = sampled(tlmssd, "--workload", "randread-4k", sets=[*sets, "controller.kind=rtl_pins"], timeout=1800)
        whole = run(tlmssd, "--workload", "randread-4k", sets=[*sets, "controller.kind=rtl"])
        assert abs(part["host"]["iops"]["value"] / iops(whole) - 1) < 0.02  # rtl_pins waits for the pins' clock


def test_equal_draws_are_equal_and_others_are_not(tlmssd):
    def estimate(*arguments):
        part = sampled(tlmssd, "--workload", "randread-4k", *arguments, sets=["workload.requests=200000"])
        del part["wall"]
        return part
    first = estimate()
    assert estimate() == first
    assert estimate("--sample-draw", 1) == first
    other = estimate("--sample-draw", 2)
    assert other["host"] != first["host"]
    assert other["sample"]["draw"] == 2


def test_wide_intervals_ask_for_more_windows(tlmssd):
    load = ("--workload", "randread-4k")
    wide = sampled(tlmssd, *load, "--sample-error", 5, sets=["workload.requests=400000"])
    narrow = sampled(tlmssd, *load, "--sample-error", 0.4, sets=["workload.requests=400000"])
    assert wide["sample"]["passes"] == 1 and wide["sample"]["windows"] == 32
    assert narrow["sample"]["passes"] > 1 and narrow["sample"]["windows"] > 32
    for name, least in (("mean_us", 0.4), ("p99_us", 1)):
        estimate = narrow["host"]["reads"][name]
        half = max(estimate["high"] - estimate["value"], estimate["value"] - estimate["low"])
        assert not narrow["sample"]["met"] or half <= least / 100 * estimate["value"]
    impossible = tlmssd("run", DEFAULT, *load, "--sample", "--sample-error", 0.01, "--set", "workload.requests=200000")
    assert impossible.returncode == DONE
    assert "wider than was asked for" in impossible.stderr


def test_files_and_texts(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, "--workload", "randread-4k", "--sample", "--set", "workload.requests=200000",
                  "--out", tmp_path / "out")
    assert done.returncode == DONE
    assert done.stdout.startswith("sampled: 32 windows of 2,048 requests, 512 of each for warm-up; 200,000 requests")
    results = json.loads((tmp_path / "out/sample.json").read_text(encoding="utf-8"))
    assert results["schema"] == "tlmssd-sample-1"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["sample.json"]


def test_notes_and_warnings_of_a_trace_are_told_once(tlmssd, tmp_path):
    trace = tmp_path / "t.ssdsim"  # the third row is broken
    trace.write_text("0 0 8 8 1\n5000 0 16 8 1\nnone\n20000 0 24 8 1\n", encoding="utf-8")
    done = tlmssd("run", DEFAULT, "--sample", "--trace", trace, "--format", "ssdsim", "--lenient", "--quiet",
                  *set_options(["workload.loops=50000", "workload.mode=closed"]))
    assert done.returncode == DONE, done.stderr
    assert done.stderr.count("t.ssdsim:3:") == 1


@pytest.mark.parametrize("sets, message", [
    ([], "a workload with other requests than reads needs controller.kind: rtl"),
    ([*RTL, "workload.requests=1000"], "the workload has 1000 requests, and 32 windows need 133120"),
    ([*RTL, "workload.runtime_ms=5"], "--sample conflicts with workload.runtime_ms"),
    ([*RTL, "workload.rate_iops=1000"], "--sample conflicts with workload.rate_iops in closed loop"),
    ([*RTL, "workload.warmup=requests", "workload.warmup_requests=10"], "--sample conflicts with workload.warmup"),
    ([*RTL, "workload.numjobs=2"], "--sample conflicts with several jobs"),
    ([*RTL, "cpu.model=iss"], "--sample conflicts with cpu.model: iss"),
    ([*RTL, "data=full"], "--sample conflicts with data: full"),
    ([*RTL, "nand.errors.enabled=true"], "--sample conflicts with flash that fails"),
    ([*RTL, "controller.clock_gating=false"], "--sample conflicts with controller.clock_gating: false"),
])
def test_what_cannot_be_sampled_is_refused(tlmssd, tmp_path, sets, message):
    done = tlmssd("run", DEFAULT, "--workload", "mixed-70-30-4k", "--sample", "--out", tmp_path / "out",
                  *set_options(sets))
    assert done.returncode == INPUT_ERROR
    assert message in done.stderr, done.stderr
    assert not (tmp_path / "out/sample.json").exists()


def test_a_trace_that_can_be_read_once_is_refused(tlmssd, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    done = tlmssd("run", DEFAULT, "--sample", "--trace", tmp_path / "pipe", "--format", "ssdsim")
    assert done.returncode == INPUT_ERROR
    assert "not a regular file: the workload is read several times" in done.stderr


def test_a_long_trace_is_read_alike_by_all_processes(tlmssd, tmp_path):
    # The file is read in pieces of a MiB, of which a window takes half. An arrival each 100 us.
    draw = random.Random(1)
    (tmp_path / "t.csv").write_text("".join(f"{i * 100},{draw.randrange(100000) * 8},4096,{'RW'[i % 4 == 0]},{'-' * 230}\n"
                                            for i in range(LEAST)), encoding="utf-8")
    load = ("--trace", tmp_path / "t.csv", "--trace-columns", "time:us,lba:sectors,size:bytes,op,-")
    sets = ["onfi.ready=status", "scheduler=host"]  # the TLM controller of the pass is that of a run
    part = sampled(tlmssd, *load, sets=[*sets, *RTL])
    twin = run(tlmssd, *load, sets=sets)
    assert part["workload"] == {"requests": LEAST, "reads": LEAST - LEAST // 4}
    assert part["ftl"]["host_pages"] == twin["ftl"]["host_pages_written"]
    for kind in ("reads", "writes"):
        true = twin["host"][kind]["latency_us"]["mean"]
        assert abs(part["host"][kind]["mean_us"]["value"] / true - 1) < 0.1


@pytest.mark.parametrize("option", ["--waves", "--waves-from", "--timeline", "--timeline-to", "--log", "--ops", "--steps", "--snapshot",
                                    "--timed-mount", "--gdb"])
def test_recordings_show_one_run(tlmssd, tmp_path, option):
    values = {"--gdb": ["0"], "--timed-mount": [], "--waves-from": ["1ms"], "--timeline-to": ["1ms"]}
    done = tlmssd("run", DEFAULT, "--sample", option, *values.get(option, [tmp_path / "file"]))
    assert done.returncode == INPUT_ERROR
    assert "--sample" in done.stderr and option in done.stderr


def test_options_of_a_sample_need_it(tlmssd):
    for option in ("--sample-error", "--sample-draw"):
        done = tlmssd("run", DEFAULT, option, 2)
        assert done.returncode == INPUT_ERROR
        assert "--sample" in done.stderr


def others_of(process):
    """The processes of its session, itself included, that have not ended."""
    lines = subprocess.run(["ps", "-s", str(process.pid), "-o", "stat="], capture_output=True, text=True,
                           check=False).stdout.split()
    return [state for state in lines if not state.startswith("Z")]


def test_an_interrupt_ends_all_processes(tlmssd, tmp_path):
    process = tlmssd.start("run", DEFAULT, "--workload", "mixed-70-30-4k", "--sample", "--out", tmp_path / "out",
                           *set_options(["workload.requests=20000000", *RTL]), start_new_session=True)
    while len(others_of(process)) < 3:  # the parent, a pass, a window
        assert process.poll() is None
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)  # the parent alone: its children have to hear of it
    assert process.wait(timeout=60) == INTERRUPTED
    until = time.monotonic() + 30
    while others_of(process):
        assert time.monotonic() < until
        time.sleep(0.1)
    assert not (tmp_path / "out/sample.json").exists()
