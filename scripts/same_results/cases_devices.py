# SPDX-License-Identifier: BSD-3-Clause
"""Cases of scripts/same-results: device files, parts, workload presets, schedulers and the flash bus."""
from .case import run_case

DEVICES = ("bluessd", "cawr", "default", "device_256g", "jasmine", "kingspec", "mqsim_8x8", "mqsim_8x8_gc", "palloc",
           "paq", "paq-isca", "powercut", "samsung-470-a", "samsung-470-b", "vertex-3", "x25-m")
PARTS = ("bluedbm_mlc", "generic_mlc", "generic_qlc", "generic_slc", "generic_tlc", "k9lcg08u1m", "mqsim_mlc",
         "mt29f16g08abaca", "mt29f16g08maa", "mt29f32g08cbaba", "mt29f4g08aaa", "mt29f64g08cbaaa", "mt29f8g08maa",
         "mt29h8g08")
PRESETS = ("background-reads", "fitted-desktop", "fitted-financial1", "fitted-hadoop", "fitted-mail", "fitted-mysql",
           "fitted-prxy0", "fitted-tencent", "fitted-tpcc", "fitted-websearch1", "flocked-reads", "launch",
           "launch-detour", "launch-noise", "mixed-70-30-32k", "mixed-70-30-4k", "randread-4k", "randwrite-4k",
           "randwrite-4k-fsync", "seqread-128k", "seqwrite-128k", "two-priorities", "uniform-Financial1",
           "uniform-Financial2", "uniform-fin1", "uniform-fin2", "uniform-msnfs1", "uniform-msnfs2", "uniform-msnfs3",
           "uniform-msnfs4", "uniform-msnfs5", "uniform-msnfs6", "uniform-palloc-fin1", "uniform-palloc-fin2",
           "uniform-palloc-msnfs", "uniform-palloc-sql0", "uniform-palloc-sql1", "uniform-palloc-sql2",
           "uniform-palloc-sql3", "uniform-palloc-usr", "uniform-palloc-web", "uniform-prn1", "uniform-prn2",
           "uniform-rsrch_0", "uniform-sql1", "uniform-sql2", "uniform-sql3", "uniform-sql4", "uniform-src2_0",
           "uniform-stg_0", "uniform-usr1", "uniform-usr2", "uniform-usr3", "uniform-web1", "uniform-web2",
           "uniform-web3", "zipf-mixed-30-70-4k", "zipf-mixed-70-30-4k")
SCHEDULERS = ("serial", "barrier", "inorder", "vaq", "host", "paq0", "paq1", "paq2", "sost", "hybrid")

# 8 planes of 40 blocks of 16 pages: garbage collection from the first write on.
SMALL = ("geometry.channels=2 geometry.ways=1 geometry.dies=2 geometry.planes=2 geometry.blocks=40 "
         "geometry.pages=16 buffer.size_mib=1 ftl.over_provisioning=0.5 precondition.fill=1 "
         "precondition.overwrite=0.5 ")
# Whole and partial pages, all kinds of commands.
MIXED = ("workload.rw=randrw workload.rwmixread=40 workload.bssplit=512/10:4k/30:8k/30:24k/20:64k/10 "
         "workload.trim_percent=4 workload.flush_every=150 workload.requests=1000 ")
BUSY = SMALL + MIXED
# Pages are written again while they still wait for the flash.
HOT = "workload.random_distribution=zipf:1.1 workload.size=30% buffer.size_mib=0.5 "
RECORDED = ("--log", "log.csv.gz", "--ops", "ops.csv.gz")
SHORT = "workload.requests=40 "  # of a run through the pins: some 20 ms of wall time a request

# Interface, timing mode and further keys of the flash bus.
BUSES = {
    "sdr0": "onfi.interface=sdr onfi.mode=0", "sdr5": "onfi.interface=sdr onfi.mode=5",
    "sdr4-x16": "onfi.interface=sdr onfi.mode=4 onfi.width=16",
    "sdr-40ns": "onfi.interface=sdr onfi.mode=3 onfi.cycle_ns=40",
    "nvddr0": "onfi.interface=nvddr onfi.mode=0", "nvddr5-x16": "onfi.interface=nvddr onfi.mode=5 onfi.width=16",
    "nvddr2-3": "nand=configs/nand/generic_mlc.yaml onfi.interface=nvddr2 onfi.mode=3",
    "nvddr2-8": "nand=configs/nand/generic_mlc.yaml onfi.interface=nvddr2 onfi.mode=8",
    "nvddr3-10": "nand=configs/nand/generic_mlc.yaml onfi.interface=nvddr3 onfi.mode=10",
}


def _devices():
    for device in DEVICES:
        yield run_case(f"device/{device}", "workload.requests=500", RECORDED, f"configs/ssd/{device}.yaml")
    for part in PARTS:
        yield run_case(f"part/{part}", f"{BUSY}nand=configs/nand/{part}.yaml onfi.interface=sdr onfi.mode=0 "
                       "geometry.planes=1 workload.requests=300", RECORDED)
    for preset in PRESETS:
        size = "workload.launches=3" if preset.startswith("launch") else "workload.requests=400"
        yield run_case(f"preset/{preset}", f"{size} geometry.blocks=16 ftl.over_provisioning=0.8 "
                       "precondition.fill=0.5",
                       ("--workload", preset, "--log", "log.csv.gz"))


def _schedulers():
    for scheduler in SCHEDULERS:
        for controller in ("tlm", "rtl"):
            for cpu in ("native", "iss"):
                yield run_case(f"sched/{scheduler}-{controller}-{cpu}",
                               f"{BUSY}scheduler={scheduler} controller.kind={controller} cpu.model={cpu}", RECORDED)
        yield run_case(f"sched/{scheduler}-pins-native",
                       f"{BUSY}{SHORT}scheduler={scheduler} controller.kind=rtl_pins", RECORDED)
        yield run_case(f"sched/{scheduler}-deep", f"{MIXED}scheduler={scheduler} host.kind=nvme host.queue_depth=200 "
                       "geometry.blocks=16 geometry.pages=64 ftl.over_provisioning=0.8 precondition.fill=1 "
                       "precondition.overwrite=1", RECORDED)
    for scheduler in ("inorder", "hybrid"):
        yield run_case(f"sched/{scheduler}-pins-iss",
                       f"{BUSY}{SHORT}scheduler={scheduler} controller.kind=rtl_pins cpu.model=iss", RECORDED)
    for name, sets in {
            "vaq-request": "scheduler=vaq vaq.block=request", "vaq-alone": "scheduler=vaq vaq.join_adjacent=false",
            "vaq-window": "scheduler=vaq vaq.join_window=64 vaq.conflict=channel ftl.lockstep=true",
            "paq2-die": "scheduler=paq2 paq.cluster_limit=die paq.wait=block",
            "paq2-age": "scheduler=paq2 paq.age_limit_us=500",
            "sost-plain": "scheduler=sost sost.leveler=false sost.hit_manager=false sost.priorities=false",
            "sost-classes": "scheduler=sost sost.reads_first=true sost.hot_hits=1 sost.ranges_mib=0-4:3,4-8:1 "
                            "sost.age_limit_us=2000 sost.return_reads=1",
            "hybrid-plain": "scheduler=hybrid hybrid.hit_manager=false hybrid.place_late=false hybrid.pack=false "
                            "hybrid.defer_gc=false hybrid.priorities=false",
            "hybrid-windows": "scheduler=hybrid hybrid.window=3 hybrid.gc_window=1 hybrid.age_limit_us=500 "
                              "hybrid.join_writes=false hybrid.return_reads=never",
            "sost-hot": HOT + "scheduler=sost sost.return_reads=1",
            "hybrid-hot": HOT + "scheduler=hybrid hybrid.return_reads=1",
            "host-free": "scheduler=host controller.streams=free",
            "host-streams": "scheduler=host controller.streams=per_request controller.priorities=reads_first",
    }.items():
        for cpu in ("native", "iss"):
            yield run_case(f"sched/{name}-{cpu}", f"{BUSY}{sets} cpu.model={cpu}", RECORDED)


def _controllers():
    for name, sets in BUSES.items():
        for controller in ("tlm", "rtl"):
            yield run_case(f"bus/{name}-{controller}", f"{BUSY}{sets} controller.kind={controller} "
                           "workload.requests=300", (*RECORDED, "--timeline", "timeline.json.gz"))
    for name, sets in {
            "timeless": "onfi.timeless=true", "target": "onfi.ready=target", "status": "onfi.ready=status",
            "status-poll": "onfi.ready=status onfi.poll_us=1.5",
            "status-rtl": "onfi.ready=status controller.kind=rtl onfi.poll_us=2",
            "status-pins": f"onfi.ready=status controller.kind=rtl_pins {SHORT}",
            "shared-ce": "onfi.ready=target geometry.dies=4 geometry.chip_enables=2",
    }.items():
        yield run_case(f"bus/{name}", f"{BUSY}{sets}", RECORDED)
    ooo = "scheduler=host "
    for name, sets in {
            "few-tags": f"{ooo}controller.tags=16", "clump": f"{ooo}controller.issue_policy=clump",
            "clump-rtl": f"{ooo}controller.issue_policy=clump controller.kind=rtl",
            "stations": f"{ooo}controller.stations=1 controller.age_limit_us=200",
            "stations-rtl": f"{ooo}controller.stations=1 controller.age_limit_us=200 controller.kind=rtl",
            "suspend": f"{ooo}controller.suspend=program_and_erase",
            "suspend-rtl": f"{ooo}controller.suspend=program_and_erase controller.kind=rtl",
            "suspend-pins": f"{ooo}controller.suspend=program_and_erase controller.kind=rtl_pins {SHORT}",
            "suspend-erase": "scheduler=hybrid controller.suspend=erase controller.suspend_limit=1 "
                             "controller.suspend_progress_us=20",
            "cache": f"{ooo}controller.cache_ops=both", "cache-inorder": "controller.cache_ops=both",
            "ecc": "controller.ecc_us=3.5", "slow-clock": "controller.kind=rtl controller.clock_mhz=50",
            "no-gating": "controller.kind=rtl controller.clock_gating=false workload.requests=30",
            "phy": f"controller.kind=rtl_pins controller.phy_mhz=400 {SHORT}",
            "kernel": "time.backend=kernel", "kernel-rtl": "time.backend=kernel controller.kind=rtl",
            "unchecked": "checker=false", "no-stages": "observe.stages=false",
            "packages": "observe.packages=true observe.series_ms=0.5",
    }.items():
        yield run_case(f"controller/{name}", f"{BUSY}{sets}", RECORDED)


def cases():
    """All cases of this module."""
    yield from _devices()
    yield from _schedulers()
    yield from _controllers()
