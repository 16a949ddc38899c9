# SPDX-License-Identifier: BSD-3-Clause
"""Cases of scripts/same-results: one feature of the firmware, the host, the NAND or the DRAM in each."""
from .case import DEFAULT, Case, Command, run, run_case, set_options
from .cases_devices import BUSY, MIXED, RECORDED, SMALL

POLICIES = ("none", "lru", "fifo", "clock", "cflru", "lru_wsr", "ccf_lru", "ref", "fab", "bplru", "clc", "gating",
            "cave", "cawr", "cawr_block")
VICTIMS = ("greedy", "cost_benefit", "fifo", "random", "d_choices", "windowed_greedy")
ORDERS = ("CDPW", "CPDW", "CWPD", "DCPW", "DPWC", "DWCP", "PCDW", "PDWC", "PWCD", "WCDP", "WDPC", "WPCD")
UNITS = "nand.page_bytes=16384 ftl.mapping_unit=4KiB "
LOG = "ftl.mapping=log_block ftl.log_blocks=4 "
# Some pages are used much more often than others.
SKEWED = "workload.random_distribution=zipf:0.9 workload.bssplit=4k/40:8k/40:32k/20 buffer.size_mib=0.75 "

# Blocks of cold data have fewer erases than others, by more than the threshold.
WORN = ("ftl.wear.threshold=2 precondition.overwrite=6 precondition.range=0.2 workload.size=20% "
        "workload.requests=2000 ")

FTL = {
    "dftl": "ftl.mapping=dftl ftl.map.cache_kib=4 buffer.policy=none workload.requests=3000",
    "dftl-planes": "ftl.mapping=dftl ftl.map.cache_kib=8 ftl.map.buffers=4 ftl.map.planes=2 scheduler=hybrid",
    "log-bast": LOG + "ftl.log_policy=bast", "log-fast": LOG + "ftl.log_policy=fast scheduler=host",
    "units": UNITS, "units-compressed": UNITS + "ftl.write_size_factor=0.55 buffer.size_mib=2 precondition.overwrite=2",
    "units-clock": UNITS + "scheduler=vaq buffer.policy=clock",
    "queue-aware": "ftl.placement=queue_aware", "static": "ftl.placement=static",
    "write-points": "ftl.write_points=channel", "lockstep": "ftl.lockstep=true scheduler=paq0",
    "scan": "ftl.recovery=scan", "journal": "ftl.recovery=journal",
    "journal-host": "ftl.recovery=journal scheduler=host",
    "cores": "cpu.cores=4 cpu.core_of.buffer=1 cpu.core_of.ftl=2 cpu.core_of.sched=3",
    "slow-cpu": "cpu.mhz=72",
}
GC = {
    "copyback": "ftl.gc.copyback=true ftl.gc.copyback_limit=2", "share": "ftl.gc.share=0.2 ftl.gc.threshold_blocks=6 "
    "ftl.gc.hard_blocks=2", "channel": "ftl.gc.scope=channel ftl.gc.separate=false",
    "wear-static": WORN + "ftl.wear.policy=static", "wear-both": WORN + "ftl.wear.policy=both",
    "wear-dynamic": "ftl.wear.policy=dynamic",
}
BUFFER = {
    "through": "buffer.write=through", "bypass": "buffer.reads=bypass", "flush": "buffer.flush_after_ms=1",
    "capacitors": "buffer.power=capacitors", "on-demand": "buffer.evict=on_demand",
    "each": "buffer.evict=on_demand_each", "free-pages": "buffer.free_pages=8", "tables": "buffer.tables_inside=true",
    "padding": "buffer.policy=bplru buffer.block_pages=4 buffer.page_padding=true",
    "cave-fab": "buffer.policy=cave buffer.cave_over=fab buffer.block_pages=8",
    "cawr-bplru": "buffer.policy=cawr_block buffer.cawr_over=bplru buffer.block_pages=8",
    "cawr-any": "buffer.policy=cawr buffer.cawr_sequence=any_neighbour buffer.cawr_list=8",
}
NAND = {
    "errors": "nand.errors.enabled=true controller.read_retries=4 controller.ecc_bits=2 "
              "nand.errors.retention_days=20 nand.wear.initial_erases=2000 controller.ecc_per_bit_ns=50",
    "failing": "nand.errors.enabled=true nand.errors.program_fail=0.002 nand.errors.erase_fail=0.002 "
               "nand.errors.factory_bad=0.02 ftl.over_provisioning=1",
    "layers": "nand.errors.enabled=true nand.errors.layers=8 nand.errors.layer_spread=0.5 controller.ecc_bits=1 "
              "controller.read_retries=2 nand.wear.initial_erases=3000",
    "variation": "nand.array_variation=0.2 nand.die_variation=0.1 seed=7",
    "paired": "nand.pairing=distance3 nand.bits_per_cell=3 nand.lower.t_program_us=300 nand.upper.t_program_us=1500",
    "wear": "nand.wear.program_change=-0.3 nand.wear.erase_change=0.5 nand.wear.read_change=0.2 "
            "nand.wear.initial_erases=4000",
    "ready-max": "nand.ready_falls=max scheduler=host", "ready-random": "nand.ready_falls=random onfi.ready=target",
    "restricted": "nand.block_restriction=true", "partial": "nand.partial_programs=4",
}
DRAM = {
    "banks": "dram.model=banks", "ddr2": "dram.model=banks dram.timing=configs/dram/ddr2-667.yaml",
    "sdr": "dram.model=banks dram.timing=configs/dram/sdr-133.yaml host.kind=direct",
    "round-robin": "dram.mb_per_s=300 dram.arbitration=round_robin dram.grant_bytes=512",
    "priority": "dram.mb_per_s=300 dram.arbitration=priority dram.priority=cpu_flash_link dram.passed_over=2",
}
HOST = {
    "direct": "host.kind=direct", "direct-link": "host.kind=direct host.direct_mb_per_s=100 host.queue_depth=200",
    "depth-1": "host.queue_depth=1", "full-direct": "data=full host.kind=direct",
    "full-rtl": "data=full controller.kind=rtl", "sata-1.5": "sata.gbps=1.5 sata.handshake_dwords=100",
    "sata-tags": "sata.extended_tags=true host.queue_depth=100", "sata-trim": "sata.queued_trim=true",
    "sata-no-ncq": "sata.ncq=false host.queue_depth=1", "sata-full": "sata.link=full",
    "sata-errors": "sata.bit_error_rate=0.000005 sata.retries=1 sata.comreset_us=200", "sata-fifo": "sata.fifo_kib=8",
    "nvme": "host.kind=nvme", "nvme-queues": "host.kind=nvme nvme.queues=6 nvme.steer=round_robin nvme.queue_entries=4",
    "nvme-weighted": "host.kind=nvme nvme.queues=4 nvme.steer=round_robin nvme.arbitration=weighted "
                     "nvme.classes=urgent,high,medium,low nvme.arbitration_burst=2 nvme.high_weight=4",
    "nvme-narrow": "host.kind=nvme pcie.generation=1 pcie.lanes=1 pcie.read_tags=8 nvme.command_limit=7",
    "nvme-iss": "host.kind=nvme nvme.queues=3 nvme.steer=round_robin cpu.model=iss",
    "nvme-engine": "host.kind=nvme nvme.fetch_ns=400 nvme.decode_ns=900 nvme.completion_ns=300 nvme.engine=firmware",
}
# Generator and warm-up, without MIXED: each has the keys that it needs.
WORKLOAD = {
    "open": "workload.mode=open workload.rate_iops=3000 workload.rate_process=poisson workload.requests=800",
    "linear": "workload.mode=open workload.rate_iops=900 workload.rw=randwrite workload.requests=500",
    "bursts": "workload.mode=open workload.rate_iops=3000 workload.rate_process=bursts workload.burst_requests=8 "
              "workload.burst_gap_us=30 workload.requests=800",
    "think": "workload.thinktime_us=300 workload.thinktime_blocks=4 workload.iodepth=3 workload.requests=500",
    "read-ahead": "buffer.read_ahead=16 workload.rw=read workload.bs=12k workload.requests=400",
    "sequential": "workload.rw=readwrite workload.bs=48k workload.requests=400 workload.offset=10% workload.size=20%",
    "trims": "workload.rw=randtrimwrite workload.bs=16k workload.requests=400",
    "pareto": "workload.rw=randrw workload.random_distribution=pareto:0.3 workload.io_size=4m",
    "normal": "workload.rw=randwrite workload.random_distribution=normal:10 workload.number_ios=400 workload.fua=true",
    "zoned": "workload.rw=randread workload.random_distribution=zoned:60/10:30/20:10/70 workload.requests=500",
    "map": "workload.rw=randwrite workload.norandommap=false workload.bs=16k workload.requests=400",
    "part-random": "workload.rw=randrw workload.percentage_random=30,70 workload.requests=500",
    "runs": "workload.rw=randrw workload.random_read_percent=40 workload.random_write_percent=90 workload.requests=500",
    "clones": "workload.numjobs=3 workload.rw=randrw workload.requests=200 workload.randseed=9",
    "runtime": "workload.runtime_ms=40 workload.rw=randrw workload.start_us=500",
    "reads-writes": "workload.rw=randrw workload.reads=200 workload.writes=100",
    "warmup-requests": "workload.rw=randrw workload.requests=600 workload.warmup=requests workload.warmup_requests=200",
    "warmup-time": "workload.rw=randrw workload.requests=600 workload.warmup=time workload.warmup_ms=20",
    "warmup-steady": "workload.rw=randread workload.requests=20000 workload.warmup=until_steady "
                     "workload.steady_window_ms=4",
}
PREFETCH = ("geometry.blocks=64 geometry.pages=16 ftl.over_provisioning=0.3 buffer.size_mib=4 precondition.fill=1 "
            "workload.launches=6 workload.launch_apps=2 workload.launch_reads=150 workload.launch_cpu_ms=30 ")
STEADY = ("precondition.steady=true precondition.steady_window=0.2 precondition.steady_windows=3 "
          "precondition.steady_change=0.1 precondition.overwrite=0")
PRIORITIES = {
    "include": DEFAULT,
    "workload.requests": 300,
    "workload.jobs": [{"rw": "randread", "bs": 4096, "priority": 3, "iodepth": 2, "name": "urgent"},
                      {"rw": "randwrite", "bs": 16384, "priority": 0, "name": "bulk"},
                      {"rw": "randrw", "bs": 8192, "priority": 1, "start_us": 2000, "name": "late"}],
}
FAULTS = ("# planted\nat 90 ms: die 1/0/1 stops answering\nat 0 ms: die 0/0/1 block 1/17 goes bad\n"
          "at 3 ms: die 0/0/0 fails erases\n")


def _firmware():
    for name, sets in FTL.items():
        for cpu in ("native", "iss"):
            yield run_case(f"ftl/{name}-{cpu}", f"{BUSY}cpu.model={cpu} {sets}", RECORDED)
    yield run_case("ftl/command-cycles", BUSY + "cpu.command_cycles=5000", RECORDED)
    for order in ORDERS:
        yield run_case(f"ftl/order-{order}", f"{BUSY}ftl.allocation={order} geometry.ways=2 workload.requests=300",
                       RECORDED)
    for policy in VICTIMS:
        for cpu in ("native", "iss"):
            yield run_case(f"gc/{policy}-{cpu}", f"{BUSY}{SKEWED}ftl.gc.policy={policy} cpu.model={cpu}", RECORDED)
    for name, sets in GC.items():
        for cpu in ("native", "iss"):
            recorded = RECORDED[:2] if "copyback" in name else RECORDED  # --ops knows no copybacks
            yield run_case(f"gc/{name}-{cpu}", f"{BUSY}cpu.model={cpu} {sets}", recorded)
    for policy in POLICIES:
        skewed = SKEWED.replace("buffer.size_mib=0.75", "") if policy == "none" else SKEWED
        for cpu in ("native", "iss"):
            yield run_case(f"buffer/{policy}-{cpu}", f"{BUSY}{skewed}buffer.policy={policy} cpu.model={cpu}", RECORDED)
    for name, sets in BUFFER.items():
        yield run_case(f"buffer/{name}", f"{BUSY}{SKEWED}{sets}", RECORDED)
    for mode in ("baseline", "two_phase", "fast"):
        for cpu in ("native", "iss"):
            yield run_case(f"prefetch/{mode}-{cpu}", f"{PREFETCH}prefetch.mode={mode} cpu.model={cpu}", RECORDED)
        yield run_case(f"launches/{mode}", f"{PREFETCH}workload.launch_prefetch={mode} workload.launch_noise=5",
                       RECORDED)
    yield run_case("launches/detour", PREFETCH + "prefetch.mode=fast workload.launch_detour=2 prefetch.match=4 "
                   "prefetch.depth=8", RECORDED)
    yield run_case("launches/noise", "geometry.blocks=64 geometry.pages=16 ftl.over_provisioning=0.3 "
                   "precondition.fill=1 prefetch.mode=two_phase prefetch.priority=2",
                   ("--workload", "launch-noise", "--workload", "background-reads", *RECORDED))
    yield run_case("launches/warm", PREFETCH + "workload.launch_cache=warm", RECORDED)
    for name, sets in {"jobs": "", "hybrid": "scheduler=hybrid", "sost": "scheduler=sost cpu.model=iss"}.items():
        yield run_case(f"priorities/{name}", f"{SMALL}host.queue_depth=16 {sets}", RECORDED, "device.yaml",
                       files={"device.yaml": PRIORITIES})


def _surroundings():
    for group, table in (("nand", NAND), ("dram", DRAM), ("host", HOST)):
        for name, sets in table.items():
            yield run_case(f"{group}/{name}", f"{BUSY}{sets}", RECORDED)
    for name, sets in WORKLOAD.items():
        yield run_case(f"workload/{name}", f"{SMALL}{sets}", RECORDED)
    yield run_case("nand/retries-iss", f"{BUSY}{NAND['errors']} cpu.model=iss", RECORDED)
    yield run_case("nand/failing-hybrid", f"{BUSY}{NAND['failing']} scheduler=hybrid cpu.model=iss", RECORDED)
    for name, sets in {"sequential": "precondition.overwrite_pattern=sequential precondition.range=0.5",
                       "random": "precondition.pattern=random precondition.overwrite_pattern=zipf:1.1",
                       "steady": STEADY}.items():
        yield run_case(f"aged/{name}", f"{BUSY}{sets}", RECORDED)
    yield run_case("aged/steady-iss", f"{BUSY}{STEADY} cpu.model=iss", RECORDED)
    for name, sets in {"script": "", "script-host": "scheduler=host", "script-rtl": "controller.kind=rtl"}.items():
        yield run_case(f"faults/{name}", f"{BUSY}inject.fault_script=faults.txt controller.timeout_us=3000 {sets}",
                       RECORDED, files={"faults.txt": FAULTS})


def _recovery():
    device = SMALL + "host.kind=direct precondition.overwrite=1 "
    save = ("snapshot", "save", DEFAULT)
    for mode in ("scan", "journal"):
        recovery = f"ftl.recovery={mode}"
        # Written once, then read by info, by load and by three runs.
        yield Case(f"snapshot/{mode}", (
            Command((*save, *set_options(device + recovery), "-o", "aged.snapshot")),
            Command(("snapshot", "info", "aged.snapshot")),
            Command(("snapshot", "load", "aged.snapshot", DEFAULT, *set_options(SMALL + recovery))),
            run(f"{BUSY}{recovery}", ("--snapshot", "aged.snapshot", *RECORDED)),
            run(f"{BUSY}{recovery} cpu.model=iss", ("--snapshot", "aged.snapshot", "--timed-mount"), out="iss"),
            run(f"{BUSY}{recovery} scheduler=hybrid", ("--snapshot", "aged.snapshot", "--timed-mount"), out="timed")))
    yield Case("snapshot/after-workload", (
        Command((*save, *set_options(BUSY + "ftl.recovery=scan data=full"), "--after-workload", "-o", "used.snapshot")),
        Command(("snapshot", "info", "used.snapshot")),
        run(BUSY + "ftl.recovery=scan data=full controller.kind=rtl", ("--snapshot", "used.snapshot"))))
    for name, sets in {
            "scan": "", "journal": "ftl.recovery=journal ftl.over_provisioning=0.6", "iss": "cpu.model=iss",
            "hybrid": "scheduler=hybrid", "none": "buffer.policy=none scheduler=vaq",
            "capacitors": "buffer.power=capacitors buffer.policy=fab", "rtl": "controller.kind=rtl scheduler=host",
            "failing": "nand.errors.enabled=true nand.errors.program_fail=0.002 nand.errors.erase_fail=0.002 "
                       "ftl.over_provisioning=1",
    }.items():
        yield Case(f"powercut/{name}", (Command(("powercut", "configs/ssd/powercut.yaml", "--cuts", "8", "--seed", "5",
                                                 "--jobs", "1", *set_options(sets))),))


def cases():
    """All cases of this module."""
    yield from _firmware()
    yield from _surroundings()
    yield from _recovery()
    yield run_case("host/full-large", "data=full geometry.blocks=16 ftl.over_provisioning=0.8 "
                   "precondition.fill=1 scheduler=host " + MIXED, RECORDED)
