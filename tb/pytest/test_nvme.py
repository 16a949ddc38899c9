# SPDX-License-Identifier: BSD-3-Clause
# tlmssd: host.kind: nvme in whole runs.
import json

import jsonschema
import pytest

from cli import DEFAULT, DONE, ROOT, deterministic, set_options

NVME = ["host.kind=nvme"]
# 2 GiB, quick to fill.
SMALL = ["geometry.channels=4", "geometry.ways=1", "geometry.blocks=64", "geometry.pages=64", "precondition.fill=1"]
BUSY = ["workload.rw=randrw", "workload.bssplit=512/10:4k/50:12k/20:64k/20", "workload.requests=2500",
        "workload.trim_percent=4", "workload.flush_every=150", "host.queue_depth=200", "nvme.queues=6",
        "nvme.steer=round_robin"]


def run(tlmssd, out, sets):
    return json.loads(tlmssd.run(out, sets=[*NVME, *SMALL, *sets]))


@pytest.mark.parametrize("model", ["native", "iss"])
@pytest.mark.parametrize("scheduler", ["serial", "barrier", "inorder", "vaq", "host", "paq0", "paq1", "paq2", "sost",
                                       "hybrid"])
def test_every_scheduler_serves_deep_queues(tlmssd, tmp_path, scheduler, model):
    results = run(tlmssd, tmp_path, [*BUSY, f"scheduler={scheduler}", f"cpu.model={model}"])
    assert results["integrity"]["mismatches"] == results["checker"]["violations"] == 0
    nvme, host = results["nvme"], results["host"]
    ended = sum(host[kind]["count"] for kind in ("reads", "writes", "flushes", "trims"))
    assert nvme["commands"] == nvme["doorbells"]["submission"] == ended
    assert nvme["link"]["to_host"]["payload_bytes"] == host["reads"]["bytes"]
    assert nvme["link"]["to_device"]["payload_bytes"] == host["writes"]["bytes"]
    schema = json.loads((ROOT / "docs/reference/results.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(results, schema)


@pytest.mark.parametrize("sets", [
    ["data=full"], ["controller.kind=rtl", "scheduler=host"], ["buffer.policy=none"], ["nvme.command_limit=7"],
    ["nvme.queue_entries=4"], ["nvme.arbitration=weighted", "nvme.classes=urgent,high,medium,low,low,high"],
    ["pcie.generation=1", "pcie.lanes=1", "pcie.read_tags=8"],
    ["nand.errors.enabled=true", "nand.errors.program_fail=0.001"],
], ids=" ".join)
def test_in_other_company(tlmssd, tmp_path, sets):
    results = run(tlmssd, tmp_path, [*BUSY, *sets])
    assert results["status"] == "done" and results["integrity"]["mismatches"] == 0


def test_both_timer_backends_agree(tlmssd, tmp_path):
    texts = [tlmssd.run(tmp_path / backend, sets=[*NVME, *SMALL, *BUSY, f"time.backend={backend}"])
             for backend in ("queue", "kernel")]
    assert len({deterministic(text, ["config.time.backend"]) for text in texts}) == 1


def test_the_links_part_of_one_read_is_that_of_the_equations(tlmssd, tmp_path):
    # Doorbell 28, fetch 24 and 84, data 4096 + 16 * 24, completion 40, interrupt 28 bytes of 253.90625 ps;
    # five times 150 ns from end to end, once 100 ns of host memory (docs/explanation/nvme.md).
    results = run(tlmssd, tmp_path, ["workload.rw=randread", "workload.requests=1", "host.queue_depth=1"])
    expected_ns = (28 + 24 + 84 + 4480 + 40 + 28) * 0.25390625 + 5 * 150 + 100
    assert results["stages"]["reads"]["link_us"]["mean"] * 1000 == pytest.approx(expected_ns, abs=0.01)


@pytest.mark.parametrize("rw, payload", [("read", 256 / 280), ("write", 256 / 276)])
def test_a_narrow_link_is_filled(tlmssd, tmp_path, rw, payload):
    # Generation 1, one lane: 250 MB/s. 128 KiB requests of unwritten pages, or into a buffer that has room.
    results = run(tlmssd, tmp_path, [
        f"workload.rw={rw}", "workload.bs=131072", "workload.requests=400", "pcie.generation=1", "pcie.lanes=1",
        "precondition.fill=0", "buffer.size_mib=128"])
    mb_per_s = results["host"]["all"]["mb_s"]
    # Commands, completions and acknowledgements take about 1 per cent beside the packets of the data.
    assert 0.98 * 250 * payload < mb_per_s < 250 * payload


def read_latency_ns(tlmssd, out, sets):
    results = run(tlmssd, out, ["workload.rw=randread", "workload.requests=1", "host.queue_depth=1", *sets])
    return results["host"]["reads"]["latency_us"]["mean"] * 1000, results


def test_the_controllers_own_time(tlmssd, tmp_path):
    """One read: each of the three actions once. On the core it takes the same time, and counts as work of the CPU."""
    plain, _ = read_latency_ns(tlmssd, tmp_path / "plain", [])
    times = ["nvme.fetch_ns=3000", "nvme.decode_ns=500", "nvme.completion_ns=20000"]
    hardware, before = read_latency_ns(tlmssd, tmp_path / "hardware", times)
    firmware, after = read_latency_ns(tlmssd, tmp_path / "firmware", [*times, "nvme.engine=firmware"])
    assert hardware - plain == pytest.approx(23500, abs=1)
    assert firmware >= hardware - 1
    busy_ns = [sum(r["cpu"]["busy_fraction"]) * r["sim"]["time_s"] * 1e9 for r in (before, after)]
    assert busy_ns[1] - busy_ns[0] == pytest.approx(23500, rel=0.02)


def test_an_engine_without_times_is_refused(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, *set_options([*NVME, "nvme.engine=firmware"]), "--out", tmp_path, "--quiet")
    assert done.returncode == 2 and "nvme.engine" in done.stderr and "nvme.fetch_ns" in done.stderr


def test_a_burst_is_a_power_of_two(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, *set_options([*NVME, "nvme.queues=2", "nvme.arbitration_burst=3"]), "--out", tmp_path,
                  "--quiet")
    assert done.returncode == 2 and "3 is not a power of two" in done.stderr


def test_weights_decide_who_waits(tlmssd, tmp_path):
    """Two equal jobs in queues of their own, few commands inside: the classes' weights are the shares, but for
    the 128 commands of each that are open when the jobs end."""
    config = tmp_path / "two.yaml"
    config.write_text(f"""
include: {DEFAULT}
host: {{kind: nvme, queue_depth: 256}}
precondition: {{fill: 1}}
nvme: {{queues: 2, command_limit: 16, arbitration: weighted, classes: "high,low", high_weight: 6, low_weight: 2}}
workload:
  runtime_ms: 500
  iodepth: 128
  jobs:
    - {{name: first, rw: randread, bs: 4k}}
    - {{name: second, rw: randread, bs: 4k}}
""", encoding="utf-8")
    results = json.loads(tlmssd.run(tmp_path / "out", config=config))
    first, second = (job["reads"]["iops"] for job in results["host"]["jobs"])
    assert first / second == pytest.approx(3, rel=0.05)


def test_requests_that_share_a_page_without_overlapping(tlmssd, tmp_path):
    """Three of 1.5 KiB in a unit of 4 KiB: reads see what was written last before them, in every queue."""
    results = run(tlmssd, tmp_path, ["workload.rw=randrw", "workload.bs=1536", "workload.size=64k", "workload.requests=3000",
                                     "host.queue_depth=32", "nvme.queues=4", "nvme.steer=round_robin"])
    assert results["integrity"]["pages_checked"] > 1000


def test_more_queue_pairs_than_jobs_is_no_error(tlmssd, tmp_path):
    done = tlmssd("run", DEFAULT, *set_options([*NVME, *SMALL, "nvme.queues=64", "workload.requests=50"]),
                  "--out", tmp_path, "--quiet")
    assert done.returncode == DONE


@pytest.mark.parametrize("policy", ["none", "lru"])
def test_cuts_of_the_supply(tlmssd, policy):
    done = tlmssd("powercut", ROOT / "configs/ssd/powercut.yaml", "--cuts", 30, "--seed", 3, *set_options([
        *NVME, "host.queue_depth=64", "nvme.queues=3", "nvme.steer=round_robin", f"buffer.policy={policy}"]))
    assert done.returncode == DONE, done.stdout + done.stderr
