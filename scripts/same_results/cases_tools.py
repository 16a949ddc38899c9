# SPDX-License-Identifier: BSD-3-Clause
"""Cases of scripts/same-results: traces, job files, recordings, pictures, help and error messages."""
from . import traces
from .case import DEFAULT, Case, Command, run, run_case, set_options, tool_case
from .cases_devices import BUSY, DEVICES, MIXED, RECORDED, SCHEDULERS, SHORT, SMALL

FIO = """[global]
ioengine=libaio
bs=4k
size=30%
randrepeat=1

[readers]
rw=randread
iodepth=8
number_ios=300
numjobs=2
offset_increment=10%

[writer]
rw=randrw
rwmixwrite=80
bssplit=4k/50:16k/50
iodepth=4
fsync=40
prio=0
prioclass=1
number_ios=200
startdelay=2ms
random_distribution=zipf:1.1
"""
SPOILT = {
    "unknown-key.yaml": "include: configs/ssd/default.yaml\nschedular: vaq\n",
    "unknown-section.yaml": "seed: 1\ngeometri:\n  channels: 4\n",
    "broken.yaml": "seed: 1\ngeometry: {channels: 4\n",
    "twice.yaml": "seed: 1\nscheduler: vaq\nseed: 2\n",
    "type.yaml": "geometry:\n  channels: many\n",
    "circle.yaml": "include: circle.yaml\n",
    "idle.yaml": "workload:\n  trace: a.spc\n  rw: read\n",
    "list.yaml": "include: configs/ssd/default.yaml\nworkload:\n  jobs:\n    - {rw: read, warmup: time}\n",
}
SETTINGS = {
    "key": "sceduler=vaq", "choice": "scheduler=vak", "section": "geometry.chanels=4",
    "number": "geometry.channels=zero", "range": "geometry.channels=0", "depth": "host.queue_depth=64",
    "order": "ftl.allocation=CWDD",
    "condition": "inject.no_grants=1", "no-effect": "vaq.block=request", "units": "ftl.mapping_unit=8KiB",
    "small-buffer": "buffer.size_mib=0.01", "part-mode": "onfi.interface=nvddr3 onfi.mode=11",
    "policy": "buffer.hot_blocks=0.3", "suspend": "controller.suspend=erase", "polling": "onfi.ready=stat",
    "polling-rtl": "controller.kind=rtl onfi.ready=target",
    "retries-rtl": "controller.kind=rtl controller.rtl=round_robin controller.read_retries=4",
    "mode": "controller.mode=serial", "units-sost": "scheduler=sost ftl.mapping_unit=4KiB nand.page_bytes=16384",
    "journal": "ftl.recovery=journal geometry.pages=4096", "unit-compression": "ftl.write_size_factor=0.5",
    "prefetch": "prefetch.depth=4", "timing": "dram.timing.t_rcd_ns=10",
    "firmware": "cpu.model=iss cpu.firmware=absent.elf",
    "iss-cycles": "cpu.model=iss cpu.command_cycles=3", "cores": "cpu.core_of.ftl=2", "dftl": "ftl.map.cache_kib=8",
    "distribution": "workload.random_distribution=zipg:1", "nvme": "nvme.queues=4",
    "sata": "host.kind=nvme sata.ncq=false",
}
LINES = {
    "nothing": (), "subcommand": ("race",), "no-config": ("run",), "option": ("run", DEFAULT, "--nonsense"),
    "set": ("run", DEFAULT, "--set"), "set-form": ("run", DEFAULT, "--set", "seed"), "version": ("--version",),
    "absent": ("run", "absent.yaml"), "absent-trace": ("run", DEFAULT, "--trace", "absent.spc", "--format", "spc"),
    "preset": ("run", DEFAULT, "--workload", "randreed-4k"), "steps": (
        "run", DEFAULT, "--set", "ftl.mapping=dftl", "--set", "buffer.policy=none", "--steps", "a.steps"),
    "wave-view": ("run", DEFAULT, "--waves", "a.fst", "--waves-view", "pin"),
    "wave-window": ("run", DEFAULT, "--waves", "a.fst", "--waves-from", "5"),
    "wave-channels": ("run", DEFAULT, "--waves", "a.fst", "--waves-channels", "9"),
    "timeline-window": ("run", DEFAULT, "--timeline-from", "1ms"), "log-name": ("run", DEFAULT, "--log", "log.txt"),
    "snapshot": ("run", DEFAULT, "--snapshot", "absent.snapshot"), "gdb": ("run", DEFAULT, "--gdb", "70000"),
    "powercut": ("powercut", DEFAULT), "save": ("snapshot", "save", DEFAULT, "-o", "a.snapshot"),
    "serve": ("serve", DEFAULT), "replay-absent": ("replay-ops", "absent.csv", DEFAULT),
    "replay-mode": ("replay-ops", "a.csv", DEFAULT, "--mode", "fast"),
    "format-first": ("run", DEFAULT, "--trace", "a", "--format", "spc", "--format", "msr"),
}
HELP = ((), ("run",), ("describe",), ("replay-ops",), ("snapshot",), ("snapshot", "save"), ("snapshot", "info"),
        ("snapshot", "load"), ("powercut",), ("serve",))
DESCRIBED = {
    "nvme": "host.kind=nvme nvme.queues=4", "dftl": "ftl.mapping=dftl buffer.policy=none ftl.over_provisioning=0.3",
    "iss": "cpu.model=iss scheduler=hybrid", "banks": "dram.model=banks",
    "units": "nand.page_bytes=16384 ftl.mapping_unit=4KiB",
    "errors": "nand.errors.enabled=true onfi.interface=sdr", "steady": "precondition.steady=true",
    "sost": "scheduler=sost sost.reads_first=true", "pins": "controller.kind=rtl_pins onfi.ready=status",
}


def _workloads():
    device = SMALL + "host.kind=direct "
    for name, text in traces.FORMATS.items():
        yield run_case(f"trace/{name}", device, ("--trace", "trace.txt", "--format", name, *RECORDED),
                       files={"trace.txt": text()})
    yield run_case("trace/columns", device, (
        "--trace", "trace.txt", "--trace-columns", "time:us,-,lba:sectors,size:bytes,op,skip=1", *RECORDED),
                   files={"trace.txt": traces.columns()})
    yield run_case("trace/unnamed", device, ("--trace", "trace.csv", *RECORDED),
                   files={"trace.csv": traces.FORMATS["msr"]()})
    yield run_case("trace/closed", device + "workload.mode=closed workload.beyond=drop",
                   ("--trace", "trace.spc", *RECORDED), files={"trace.spc": traces.FORMATS["spc"]()})
    yield run_case("trace/scaled", device + "workload.time_scale=0.3 workload.dedup_us=1000 workload.sort=true "
                   "scheduler=hybrid", ("--trace", "trace.spc"), files={"trace.spc": traces.FORMATS["spc"]()})
    yield run_case("trace/loops", device + "workload.loops=3 workload.requests=700 workload.dedup_us=1000",
                   ("--trace", "trace.spc", *RECORDED), files={"trace.spc": traces.FORMATS["spc"]()})
    yield run_case("trace/paced", device + "workload.rate_iops=4000 cpu.model=iss", ("--trace", "trace.csv"),
                   files={"trace.csv": traces.FORMATS["alibaba"]()})
    yield run_case("trace/two", device, ("--trace", "a.spc", "--format", "spc", "--trace", "b.csv", "--format", "msr",
                                         *RECORDED),
                   files={"a.spc": traces.FORMATS["spc"](), "b.csv": traces.FORMATS["msr"]()})
    broken = {"three.spc": "0,8,4096,R,0.0\n0,oops,4096,R,0.1\n0,16,4096,W,0.2\n"}
    yield run_case("trace/broken", device, ("--trace", "three.spc", "--format", "spc"), status=2, files=broken)
    yield run_case("trace/lenient", device, ("--trace", "three.spc", "--format", "spc", "--lenient"), files=broken)
    yield run_case("trace/ambiguous", device, ("--trace", "five"), status=2,
                   files={"five": "0 0 8 8 1\n1000 0 16 8 0\n"})
    yield run_case("fio/jobs", SMALL, ("--workload", "jobs.fio", *RECORDED), files={"jobs.fio": FIO})
    yield run_case("fio/all-flush", SMALL + "workload.fua=true scheduler=sost", ("--workload", "jobs.fio"),
                   files={"jobs.fio": FIO})
    yield run_case("fio/unknown", SMALL, ("--workload", "jobs.fio"), status=2, files={"jobs.fio": FIO + "verify=md5\n"})
    yield run_case("fio/two-presets", SMALL + "workload.requests=300",
                   ("--workload", "uniform-fin1", "--workload", "seqwrite-128k", *RECORDED))


def _replay(ops, out, sets, *options, status=0):
    return Command(("replay-ops", ops, DEFAULT, *set_options(BUSY + sets), "--out", out, *options), status)


def _recordings():
    """Streams of flash operations and of firmware steps, replayed."""
    host = "scheduler=host "
    yield Case("ops/host", (
        run(BUSY + host, ("--ops", "ops.csv.zst")), _replay("ops.csv.zst", "tlm", host),
        _replay("ops.csv.zst", "closed", host, "--closed", "--timeline", "closed.json"),
        _replay("ops.csv.zst", "latencies", host, "--rtl-latencies"),
        _replay("ops.csv.zst", "inorder", host, "--mode", "inorder", "--against", "tlm", "--tolerance", "1us"),
        _replay("ops.csv.zst", "rtl", host + "controller.kind=rtl", "--against", "tlm", "--waves", "rtl.fst",
                "--waves-to", "3ms")))
    yield Case("ops/rtl", (
        run(BUSY + "controller.kind=rtl", ("--ops", "ops.csv.xz")),
        _replay("ops.csv.xz", "rtl", "controller.kind=rtl"), _replay("ops.csv.xz", "tlm", "", "--against", "rtl"),
        _replay("ops.csv.xz", "serial", "controller.kind=rtl", "--mode", "serial", "--closed")))
    yield Case("ops/pins", (run(BUSY + SHORT, ("--ops", "ops.csv")),
                            _replay("ops.csv", "pins", "controller.kind=rtl_pins"),
                            _replay("ops.csv", "wrong", "geometry.channels=1", status=2)))
    for scheduler in ("inorder", "vaq", "paq2", "sost", "hybrid"):
        yield Case(f"steps/{scheduler}", (
            run(f"{BUSY}scheduler={scheduler} precondition.overwrite=0 precondition.fill=0.2 workload.requests=200",
                ("--steps", "run.steps")),
            Command(("run.steps", "costs.csv"), program="tlmssd-costs")))


def _pictures():
    """Waves and timelines."""
    short = BUSY + "workload.requests=150 "
    for name, sets, options in (
            ("tlm", "", ()), ("hybrid", "scheduler=hybrid", ("--waves-from", "1ms", "--waves-to", "4ms")),
            ("iss", "cpu.model=iss scheduler=sost", ("--waves-to", "3ms")),
            ("pins-view", "", ("--waves-view", "both", "--waves-to", "500us")),
            ("channel", "host.kind=nvme data=full", ("--waves-channels", "1", "--waves-to", "3ms")),
            ("rtl", "controller.kind=rtl scheduler=host", ("--waves-to", "1ms")),
            ("rtl-pins", f"controller.kind=rtl_pins {SHORT}", ("--waves-view", "both", "--waves-to", "400us",
                                                               "--waves-channels", "0"))):
        yield run_case(f"waves/{name}", short + sets, ("--waves", "run.fst", *options))
    for name, sets in {"tlm": "", "rtl": "controller.kind=rtl", "hybrid-iss": "scheduler=hybrid cpu.model=iss",
                       "nvme": "host.kind=nvme scheduler=sost", "direct": "host.kind=direct data=full scheduler=vaq",
                       "suspend": "scheduler=host controller.suspend=program_and_erase",
                       "units": "nand.page_bytes=16384 ftl.mapping_unit=4KiB", "cores": "cpu.cores=2 cpu.core_of.ftl=1",
                       "copyback": "ftl.gc.copyback=true"}.items():
        yield run_case(f"timeline/{name}", short + sets, ("--timeline", "run.json.gz"))
    yield run_case("timeline/window", short, ("--timeline", "run.json", "--timeline-from", "2ms",
                                              "--timeline-to", "5ms", "--log", "log.csv"))


def _failures():
    """Runs that the model ends itself: exit status 3, messages on standard error."""
    reads = ("geometry.channels=2 geometry.ways=2 geometry.dies=1 geometry.blocks=64 precondition.fill=1 "
             "buffer.policy=none workload.rw=randread workload.bs=4096 workload.requests=200 ")
    for name, sets in {"swap": "inject.swap_page_registers_at=50", "dma": "inject.falsify_dma_at=100",
                       "swap-rtl": "controller.kind=rtl inject.swap_page_registers_at=50",
                       "dma-bytes": "data=full inject.falsify_dma_at=100",
                       "no-grants": "controller.kind=rtl inject.no_grants=2",
                       "watchdog": "cpu.model=iss cpu.watchdog_instructions=1000"}.items():
        yield run_case(f"failure/{name}", reads + sets, ("--log", "log.csv"), status=3)
    yield tool_case("failure/powercut", "powercut", "configs/ssd/powercut.yaml", "--cuts", "3", "--jobs", "1",
                    "--set", "inject.swap_page_registers_at=3000", status=3)


def _words():
    """Help, described devices, key reference, and what is said about a user's mistakes."""
    for words in HELP:
        yield tool_case("help/" + "-".join(words or ("tlmssd",)), *words, "--help")
    for name in DEVICES:
        yield tool_case(f"describe/{name}", "describe", f"configs/ssd/{name}.yaml")
    for scheduler in SCHEDULERS:
        yield tool_case(f"describe/sched-{scheduler}", "describe", DEFAULT, "--set", f"scheduler={scheduler}")
    for name, sets in DESCRIBED.items():
        yield tool_case(f"describe/key-{name}", "describe", DEFAULT, *set_options(sets))
    yield tool_case("keys/schema", "--schema", program="tlmssd-keys")
    yield tool_case("keys/reference", "--reference", program="tlmssd-keys")
    yield tool_case("keys/usage", "--nonsense", program="tlmssd-keys", status=2)
    yield tool_case("keys/costs-usage", program="tlmssd-costs", status=2)
    for name, text in SPOILT.items():
        yield tool_case(f"wrong/file-{name.removesuffix('.yaml')}", "describe", name, status=2, files={name: text})
    for name, sets in SETTINGS.items():
        yield tool_case(f"wrong/key-{name}", "run", DEFAULT, *set_options(sets), status=2)
    for name, words in LINES.items():
        yield tool_case(f"wrong/line-{name}", *words, status=2)
    for name, sets in (("space", "precondition.fill=1 ftl.over_provisioning=0"), ("never-steady", BUSY +
                       "precondition.steady=true precondition.steady_limit=0.5 precondition.overwrite=0")):
        yield run_case(f"wrong/device-{name}", sets, status=2)


def cases():
    """All cases of this module."""
    yield from _workloads()
    yield from _recordings()
    yield from _pictures()
    yield from _failures()
    yield from _words()
    yield run_case("workload/mixed-large", "geometry.blocks=32 geometry.pages=64 precondition.fill=1 "
                   "precondition.overwrite=1 ftl.over_provisioning=0.3 " + MIXED + "workload.requests=5000", RECORDED)
