# SPDX-License-Identifier: BSD-3-Clause
"""docs/reference/compatibility.md: which settings conflict, asked of the program's own checks: each
cell is a call of `tlmssd describe` (or of the command in question) that ends well or is refused."""

import concurrent.futures
import itertools
import pathlib
import re
import subprocess
import tempfile
import time
from typing import NamedTuple

from docs_tools.catalogue import definitions
from docs_tools.programs import ROOT, ProgramError, Programs

HEAD = """# Compatibility

Which settings conflict. `scripts/gen/gen_reference.py --write` makes this page from the checks that refuse: it asks
`tlmssd` for each pair on `configs/ssd/default.yaml` (with `ftl.over_provisioning: 0.3`), and quotes its answers.

`yes`: accepted together. A number: refused, with the reason of that number below the table. `-`: nothing to ask.
"""
DEVICE = "configs/ssd/default.yaml"
ROOMY = ("ftl.over_provisioning=0.3",)  # so that no feature is refused for want of spare blocks


class Feature(NamedTuple):
    """A row: what a user sets, what else it needs on this device, the schedulers' mode that it is for."""

    settings: tuple[str, ...]
    scheduler: str = ""  # one that it needs; "": the device's

    @property
    def name(self) -> str:
        key, value = self.settings[0].split("=")
        return f"`{key}: {value}`"


def _feature(*settings: str, scheduler: str = "") -> Feature:
    return Feature(settings, scheduler)


CONTROLLERS = {
    "tlm": ("controller.kind=tlm",),
    "o3": ("controller.kind=rtl", "controller.rtl=o3"),
    "o3, pins": ("controller.kind=rtl_pins", "controller.rtl=o3"),
    "round_robin": ("controller.kind=rtl", "controller.rtl=round_robin"),
}
HOSTS = {"sata": ("host.kind=sata",), "nvme": ("host.kind=nvme",), "direct": ("host.kind=direct",)}
FLASH = (
    _feature("controller.kind=rtl"),
    _feature("controller.kind=rtl_pins"),
    _feature("controller.issue_policy=clump", scheduler="host"),
    _feature("controller.suspend=erase", scheduler="host"),
    _feature("controller.cache_ops=both"),
    _feature("controller.priorities=reads_first", scheduler="host"),
    _feature("controller.streams=per_request", scheduler="host"),
    _feature("controller.streams=free", scheduler="host"),
    _feature("controller.read_retries=2"),
    _feature("controller.timeout_us=20000"),
    _feature("onfi.ready=target"),
    _feature("onfi.ready=status"),
    _feature("onfi.timeless=true"),
    _feature("onfi.interface=nvddr2", "nand.nvddr2_modes=6"),
    _feature("nand.errors.enabled=true"),
    _feature("data=full"),
    _feature("cpu.model=iss"),
    _feature("dram.model=banks"),
    _feature("dram.arbitration=round_robin"),
)
FIRMWARE = (
    _feature("ftl.mapping=dftl"),
    _feature("ftl.mapping=log_block"),
    _feature("ftl.mapping_unit=4KiB"),
    _feature("ftl.write_size_factor=0.7", "ftl.mapping_unit=4KiB"),
    _feature("ftl.recovery=scan"),
    _feature("ftl.recovery=journal"),
    _feature("ftl.placement=queue_aware"),
    _feature("ftl.placement=static"),
    _feature("ftl.lockstep=true"),
    _feature("ftl.write_points=channel"),
    _feature("ftl.gc.copyback=true"),
    _feature("ftl.gc.separate=false"),
    _feature("ftl.gc.scope=channel"),
    _feature("buffer.policy=none"),
    _feature("buffer.policy=gating"),
    _feature("buffer.policy=cave"),
    _feature("buffer.policy=cawr"),
    _feature("buffer.policy=cawr_block"),
    _feature("buffer.write=through"),
    _feature("buffer.reads=bypass"),
    _feature("buffer.read_ahead=8"),
    _feature("buffer.power=capacitors"),
    _feature("prefetch.mode=two_phase"),
)
LINK = (
    _feature("sata.ncq=false", "host.queue_depth=1"),
    _feature("sata.queued_trim=true"),
    _feature("sata.extended_tags=true"),
    _feature("sata.fifo_kib=64"),
    _feature("sata.bit_error_rate=0.0000001"),
    _feature("host.queue_depth=64"),
    _feature("nvme.queues=4"),
)
# Commands with requirements of their own, each in a folder of its own.
COMMANDS = {
    "run --ops": ["run", DEVICE, "--ops", "ops.csv", "--quiet"],
    "run --steps": ["run", DEVICE, "--steps", "steps", "--quiet"],
    "snapshot save": ["snapshot", "save", DEVICE, "--out", "device.snapshot"],
    "powercut": ["powercut", DEVICE, "--cuts", "1", "--within", "1ms", "--quiet"],
    "serve": ["serve", DEVICE, "--socket", "socket"],
    "serve --device": ["serve", DEVICE, "--socket", "socket", "--device", "disk"],
}
OF_COMMANDS = (
    _feature("ftl.recovery=none"), _feature("ftl.recovery=scan"), _feature("ftl.recovery=journal"),
    _feature("ftl.mapping=dftl"), _feature("ftl.gc.copyback=true"), _feature("data=tags"),
    _feature("data=full"), _feature("nand.errors.enabled=true"), _feature("buffer.power=capacitors"),
    _feature("cpu.model=iss"),
)
SMALL = ("ftl.over_provisioning=1", "geometry.blocks=24", "geometry.channels=1", "geometry.ways=1", "workload.requests=8")


def page(programs: Programs) -> str:
    ask = Asker(programs)
    schedulers = {name: (f"scheduler={name}",) for _, name, *_ in definitions(
        (ROOT / "firmware/hal/sched.def").read_text(encoding="utf-8"), "SCHED")}
    parts = [HEAD]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        parts += ask.table(pool, "Schedulers and the flash", FLASH, schedulers)
        parts += ask.table(pool, "Schedulers and the firmware", FIRMWARE, schedulers)
        parts += ask.table(pool, "Flash controllers",
                           [f for f in FLASH if not f.settings[0].startswith("controller.kind")] +
                           [_feature("scheduler=vaq"), _feature("scheduler=host"),
                            *(f for f in FIRMWARE if "copyback" in f.settings[0])], CONTROLLERS)
        parts += ask.table(pool, "Hosts", LINK, HOSTS)
        parts += ask.pairs(pool, FLASH + FIRMWARE + LINK[:5])
        parts += ask.commands(pool)
    return "\n".join(parts)


class Asker:
    """Asks the program, and remembers the answers."""

    def __init__(self, programs: Programs):
        self.programs = programs

    def describe(self, settings: tuple[str, ...]) -> str:
        """"" where the settings are accepted together, else the refusal."""
        return refusal(self.programs.run(["tlmssd", "describe", DEVICE, *_sets((*ROOMY, *settings))]))

    def table(self, pool, title: str, features, columns: dict) -> list[str]:
        asked = {(feature, name): pool.submit(self.cell, feature, settings)
                 for feature in features for name, settings in columns.items()}
        notes = Notes()
        heads = " | ".join(f"`{name}`" if "," not in name else name for name in columns)
        lines = [f"## {title}\n", f"| | {heads} |", "|---" * (len(columns) + 1) + "|"]
        for feature in features:
            cells = [notes.cell(asked[feature, name].result(), name) for name in columns]
            lines.append(f"| {feature.name} | " + " | ".join(cells) + " |")
        return [*lines, "", *notes.lines()]

    def cell(self, feature: Feature, settings: tuple[str, ...]) -> str | None:
        """The column's settings first, and a scheduler that the feature is for where the column names none."""
        if _same_key(feature.settings, settings):
            return None
        needs = () if any(s.startswith("scheduler=") for s in (*settings, *feature.settings)) else (
            f"scheduler={feature.scheduler}",) if feature.scheduler else ()
        return self.describe((*settings, *needs, *feature.settings))

    def pairs(self, pool, features) -> list[str]:
        """The pairs of features that are refused together, though each is accepted alone."""
        alone = {feature: pool.submit(self.cell, feature, ()) for feature in features}
        for feature, asked in alone.items():
            if asked.result():
                raise ProgramError(f"compatibility: {feature.name} alone is refused: {asked.result()}")
        asked = {}
        for one, two in itertools.combinations(features, 2):
            if not _same_key(one.settings, two.settings):
                asked[one, two] = pool.submit(self.both, one, two)
        rows = {}  # by the reason: a feature that needs another is refused for the other's reasons
        for (one, two), future in asked.items():
            if answer := future.result():
                names = (one.name, two.name)
                if not any(set(names) & set(listed) for listed in rows.get(answer, [])):
                    rows.setdefault(answer, []).append(names)
        rows = [(*names, answer) for answer, listed in rows.items() for names in listed]
        return ["## Features with each other\n",
                "Each pair of the features above that is refused with scheduler `inorder`, or `host` where a feature needs "
                "it.\nA pair that is not here is accepted.\n",
                *_tables(["one", "the other", "reason"], rows)]

    def both(self, one: Feature, two: Feature) -> str:
        scheduler = one.scheduler or two.scheduler
        needs = (f"scheduler={scheduler}",) if scheduler else ()
        return self.describe((*needs, *one.settings, *two.settings))

    def commands(self, pool) -> list[str]:
        asked = {(feature, name): pool.submit(self.command, feature, name)
                 for feature in OF_COMMANDS for name in COMMANDS}
        notes = Notes()
        lines = ["## Commands\n", "| | " + " | ".join(f"`{name}`" for name in COMMANDS) + " |",
                 "|---" * (len(COMMANDS) + 1) + "|"]
        for feature in OF_COMMANDS:
            cells = [notes.cell(asked[feature, name].result(), name) for name in COMMANDS]
            lines.append(f"| {feature.name} | " + " | ".join(cells) + " |")
        return [*lines, "", *notes.lines()]

    def command(self, feature: Feature, name: str) -> str:
        """Runs it with what it needs anyway: what is asked is the feature."""
        recovers = [] if feature.settings[0].startswith(("ftl.recovery", "ftl.mapping=")) or name.startswith(
            "run") or name == "serve" else ["ftl.recovery=scan"]
        words = [*COMMANDS[name], *_sets((*SMALL, *recovers, *feature.settings))]
        words = [str(ROOT / word) if word == DEVICE else word for word in words]
        with tempfile.TemporaryDirectory(prefix="tlmssd") as folder:
            if name.startswith("serve"):
                return self.served(words, pathlib.Path(folder))
            return refusal(self.programs.run(["tlmssd", *words], cwd=pathlib.Path(folder)))

    def served(self, words: list[str], folder: pathlib.Path) -> str:
        """A server that is ready has accepted the feature: it is stopped."""
        process = subprocess.Popen(self.programs.command(["tlmssd", *words]), cwd=folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        limit = time.monotonic() + 60
        while process.poll() is None and not (folder / "socket").exists() and time.monotonic() < limit:
            time.sleep(0.02)
        ready = process.poll() is None
        process.terminate()
        out, err = process.communicate(timeout=60)
        return "" if ready else refusal(subprocess.CompletedProcess(words, process.returncode, out, err))


class Notes:
    """The refusals of a table, each with a number."""

    def __init__(self):
        self.numbers: dict[str, int] = {}

    def cell(self, answer: str | None, name: str) -> str:
        if answer is None:
            return "-"
        if not answer:
            return "yes"
        general = re.sub(rf"\bbecause (\S+) is {re.escape(name)}$", r"with this \1", answer)
        general = re.sub(rf"\bscheduler:? {re.escape(name)}\b", "this scheduler", general)
        return str(self.numbers.setdefault(general, len(self.numbers) + 1))

    def lines(self) -> list[str]:
        return [f"{number}. {answer}" for answer, number in self.numbers.items()] + [""]


def refusal(done: subprocess.CompletedProcess) -> str:
    """"" of a call that ended well; of one that was refused the reason, without the option that set it."""
    if done.returncode == 0:
        return ""
    last = done.stderr.strip().split("\n")[-1] if done.stderr.strip() else ""
    if done.returncode != 2 or not last.startswith("tlmssd: "):
        raise ProgramError(f"compatibility: {' '.join(map(str, done.args))}: status {done.returncode}: {done.stderr}")
    if "was not built" in last or "is not installed" in last:
        raise ProgramError(f"compatibility: {last}")
    text = last.removeprefix("tlmssd: ").replace(str(ROOT) + "/", "")
    text = re.sub(r"^(?:--set \S+|configs/\S+:\d+:\d+): ", "", text)
    return text.replace("|", "\\|")


def _sets(settings) -> list[str]:
    return [word for setting in settings for word in ("--set", setting)]


def _same_key(one, two) -> bool:
    return bool({s.split("=")[0] for s in one[:1]} & {s.split("=")[0] for s in two})


def _tables(heads: list[str], rows: list[tuple]) -> list[str]:
    """Tables of at most 40 rows."""
    lines = []
    for at in range(0, len(rows), 40):
        lines += ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in rows[at:at + 40]]
        lines.append("")
    return lines
