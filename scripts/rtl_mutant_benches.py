# SPDX-License-Identifier: BSD-3-Clause
"""tlmssd: the tests of the bare RTL with all mutants in their models (scripts/rtl-mutants).

A stage is some tests of one program, and the models that they run. Its models are Verilated again from a copy of
rtl/ in which every mutant is present (scripts/rtl_schema.py), compiled, and linked with the objects of a build.
TLMSSD_MUTANT selects a mutant when the program starts; 0 selects none."""
import dataclasses
import fcntl
import functools
import hashlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading
import time

import rtl_schema

ROOT = pathlib.Path(__file__).resolve().parent.parent
RTL = ROOT / "rtl"
SELECTOR = """#include <cstdlib>
int tlmssd_mutant() {
    const char* text = std::getenv("TLMSSD_MUTANT");
    return text ? std::atoi(text) : 0;
}
"""
PROGRAMS = ("rtl_unit_test", "rtl_o3_regs_test", "rtl_o3_test", "rtl_onfi_phy_test")
FIXED = {"TLMSSD_TEST_LONG": "0", "TLMSSD_RTL_POWER_ON": "1"}  # the same tests each time


class Broken(Exception):
    """Building failed, or the tests fail without a mutant: nothing is known of a mutant."""


@dataclasses.dataclass(frozen=True)
class Stage:
    """Tests of a program; `models`: prefixes of the Verilated classes with mutants; top: the module that is tested;
    bench: the file of a module's tests."""
    name: str
    program: str
    models: tuple
    tests: str
    top: str
    bench: str = ""


# Of the whole: first what takes the least.
DIRECTED = ("O3Rtl.*:O3RtlModel.*:O3RtlPolled.*:*O3RtlSuspended*.*:O3RtlRetry.*:O3RtlRetryModel.*:O3Abort*.*:"
            "*O3SoftReset.*")
WHOLE = (
    Stage("registers", "rtl_o3_regs_test", ("Vo3_top",), "*", "o3_top"),
    Stage("directed", "rtl_o3_test", ("Vo3_top",), DIRECTED, "o3_top"),
    Stage("abort", "rtl_o3_test", ("Vo3_top",), "O3RtlAbort.*", "o3_top"),
    Stage("retry", "rtl_o3_test", ("Vo3_top",), "O3RtlRetries.*", "o3_top"),
    Stage("suspend", "rtl_o3_test", ("Vo3_top",), "O3RtlSuspend.*:O3RtlPolling.*", "o3_top"),
    Stage("random", "rtl_o3_test", ("Vo3_top",), "*O3RtlRandom.*:O3RtlWide.*", "o3_top"),
    Stage("small", "rtl_o3_test", ("Vo3_small",), "O3Small.*", "o3_top"),
    Stage("gates", "rtl_o3_test", ("Vo3_small", "Vo3_ungated"), "O3Gates.*", "o3_top"),
)
# Two channels in a SystemC kernel, which elaborates once a process: a test each.
TIES = tuple(Stage(f"tie-{i}", "rtl_onfi_phy_test", ("Vonfi_phy",), f"*/Tie.*Channel{i % 2}*/{clock}", "onfi_phy")
             for i, clock in enumerate(("Free", "Free", "Gated", "Gated")))
PHY = (Stage("pins", "rtl_onfi_phy_test", ("Vonfi_phy",), "*OnfiPhy*", "onfi_phy"), *TIES)


@functools.lru_cache(None)
def below(module):
    """Modules that `module` is made of, itself included."""
    found, todo = set(), [module]
    while todo:
        name = todo.pop()
        path = next(RTL.glob(f"*/{name}.sv"), None)
        if name not in found and path is not None:
            found.add(name)
            todo += re.findall(r"^\s*((?:o3|rr|onfi)_\w+) (?:#\(|u_)", path.read_text(encoding="utf-8"), re.M)
    return found


def suites(source):
    """The filter of all tests of a file."""
    forms = {"TEST": "{}.*", "TEST_F": "{}.*", "TYPED_TEST": "{}/*.*", "TEST_P": "*{}.*"}
    found = {forms[kind].format(name)
             for kind, name in re.findall(r"^(TEST|TEST_F|TYPED_TEST|TEST_P)\((\w+),", source, re.M)}
    return ":".join(sorted(found))


@functools.lru_cache(None)
def units():
    """The stages of the benches of modules, the smallest module first."""
    text = (ROOT / "tb/rtl/CMakeLists.txt").read_text(encoding="utf-8")
    stages = []
    for module, name in re.findall(r"tlmssd_rtl_unit\((\w+) (\w+)", text):
        for path in sorted((ROOT / "tb/rtl").glob("unit_*_test.cpp")):
            source = path.read_text(encoding="utf-8")
            if f"<V{name}.h>" in source:
                stages.append(Stage(name, "rtl_unit_test", (f"V{name}",), suites(source), module, path.name))
    return sorted(stages, key=lambda stage: len(below(stage.top)))


@functools.lru_cache(None)
def stages_of(module):
    """The stages that a mutant of `module` meets, the nearest first."""
    return [stage for stage in (*units(), *WHOLE, *PHY) if module in below(stage.top)]


def call(command, timeout, cwd=None, env=None):
    """(exit status, output); a command that does not end in time has status None."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False, timeout=timeout, cwd=cwd, env=env, errors="replace")
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, ""


def attack(program, stage, number, limit):
    """The test that fails with this mutant, or "". One process: an assertion that fails ends it. `limit`: seconds of
    the processor, so that a busy machine kills no mutant; a process that waits has failed after ten times as long."""
    code, text = call(["prlimit", f"--cpu={limit:.0f}", str(program), f"--gtest_filter={stage.tests}",
                       "--gtest_break_on_failure=0", "--gtest_fail_fast", "--gtest_color=no"], 10 * limit, cwd=ROOT,
                      env={**os.environ, **FIXED, "TLMSSD_MUTANT": str(number)})
    if code == 0:
        ran = re.search(r"^\[==========\] (\d+) tests?.* ran", text, re.M)
        if not ran or int(ran[1]) == 0:
            raise Broken(f"{stage.name}: no test of {stage.tests} ran")
        return ""
    if code in (None, -signal.SIGXCPU):
        return f"{stage.name}: not at its end after {limit:.0f} s"
    failed = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", text, re.M)  # or its process ended in it
    begun = re.findall(r"^\[ RUN      \] (\S+)", text, re.M)
    assertion = re.findall(r"assertion failed: (\w+)", text)
    return (failed or begun[-1:] or [stage.name])[0] + (f", assertion {assertion[-1]}" if assertion else "")


class Verdicts:
    """What killed each mutant in a stage, or "": a file that begins with the digest of what the stage is linked from.
    Tests draw from fixed seeds, so that the same program has the same verdict."""

    def __init__(self, path, parts, tests):
        digest = hashlib.sha256(b"".join(part.read_bytes() for part in parts) + tests.encode()).hexdigest()
        self.path, self.killers = path, {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if lines[:1] == [digest]:
            self.killers = dict(line.split("\t") for line in lines[1:] if line.count("\t") == 1)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(digest + "\n", encoding="utf-8")

    def add(self, name, killer):
        self.killers[name] = killer
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{name}\t{killer}\n")


class Benches:
    """Builds what stages need in `build`/rtl-mutants, when they need it first. `mutants`: which are in the models."""

    def __init__(self, build, mutants, folder=None):
        self.build = build
        self.mutants = mutants
        self.folder = folder or build / "rtl-mutants"
        self.without_place = set()  # mutants that no schema can have
        self.lock = threading.RLock()
        self.seconds, self.programs, self.models, self.commands, self.known, self.broken = {}, {}, {}, {}, {}, {}
        self.rtl = self.folder / "rtl"
        self.held = None  # the file that keeps another run out of the folder

    def prepare(self, forget=False):
        """Writes the copy of rtl/. `forget`: verdicts of former runs do not count."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.held = (self.folder / "lock").open("w", encoding="utf-8")
        fcntl.flock(self.held, fcntl.LOCK_EX)  # until this run ends
        if forget:
            shutil.rmtree(self.folder / "verdicts", ignore_errors=True)
        shutil.rmtree(self.rtl, ignore_errors=True)
        shutil.copytree(RTL, self.rtl)
        for path in sorted(self.rtl.glob("*/*.sv")):
            here = [m for m in self.mutants if m.file == path.name and m.folder == path.parent.name]
            try:
                text, left = rtl_schema.schema(path.read_text(encoding="utf-8"), [
                    rtl_schema.Edit(m.number, m.start, m.end, m.text) for m in here])
            except rtl_schema.NotRead as why:
                raise Broken(f"rtl/{path.parent.name}/{path.name}: {why}") from None
            path.write_text(text, encoding="utf-8")
            numbers = {edit.number for edit in left}
            self.without_place |= {m.name for m in here if m.number in numbers}

    def command(self, program):
        """Lines of commands that make a program of the build."""
        if program not in self.commands:
            code, text = call(["ninja", "-C", str(self.build), "-t", "commands", program], 60)
            if code != 0 or not (self.build / "bin" / program).exists():
                raise Broken(f"{self.build} has no {program}: build it first")
            self.commands[program] = text.splitlines()
        return self.commands[program]

    def verilation(self, program, prefix):
        """(words of the build's Verilator command for a model, its folder)."""
        for line in self.command(program):
            found = re.search(rf"&& (\S*verilator --cc .* --prefix {prefix} --Mdir (\S+) [^&]*)&&", line)
            if found:
                return found[1].split(), pathlib.Path(found[2])
        raise Broken(f"{self.build} does not say how {prefix} is Verilated for {program}")

    def model(self, program, prefix):
        """(the library of the build, the object that takes its place)."""
        words, out = self.verilation(program, prefix)
        library = f"{out.parent.relative_to(self.build)}/lib{out.name.removesuffix('.dir')}.a"
        if prefix in self.models:
            return library, self.models[prefix]
        needed = below(words[words.index("--top-module") + 1])
        folder = self.folder / prefix
        words = [word.replace(str(RTL), str(self.rtl)).replace(str(out), str(folder)) for word in words
                 if not word.endswith(".sv") or word.endswith("_pkg.sv") or pathlib.Path(word).stem in needed]
        texts = [pathlib.Path(w).read_text(encoding="utf-8") for w in words if w.startswith(str(self.rtl))]
        optimize = "-O1" if program == "rtl_unit_test" else "-O2"
        key = hashlib.sha256("\0".join([optimize, SELECTOR, *words, *texts]).encode()).hexdigest()
        made, result = folder / "key", folder / "model.o"
        if not (made.exists() and result.exists() and made.read_text(encoding="utf-8") == key):
            self.compile(words, prefix, folder, out / f"{prefix}.h", optimize)
            made.write_text(key, encoding="utf-8")
        self.models[prefix] = result
        return library, result

    def compile(self, words, prefix, folder, header, optimize):
        """The object of a model, whose class has to be the one that the tests were compiled for."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        code, text = call([*words, "-Wno-fatal", "-Wno-lint", "-Wno-style"], 300)
        if code != 0:
            raise Broken(f"verilator: {text[-800:]}")
        if (folder / f"{prefix}.h").read_text() != header.read_text():
            raise Broken(f"{header} is of other flags than this model: the test would not find its members")
        call(["make", "-s", "-C", str(folder), "-f", f"{prefix}.mk", "VM_PARALLEL_BUILDS=0", f"{prefix}__ALL.cpp"], 60)
        (folder / "selector.h").write_text("int tlmssd_mutant();\n", encoding="utf-8")
        root = subprocess.run(["verilator", "--getenv", "VERILATOR_ROOT"], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.strip()
        code, text = call(["c++", "-std=gnu++17", optimize, "-w", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=1",
                           "-DVM_TRACE_FST=1", "-DVM_TRACE_VCD=0", f"-I{root}/include", f"-I{root}/include/vltstd",
                           f"-I{folder}", "-include", str(folder / "selector.h"),
                           "-c", str(folder / f"{prefix}__ALL.cpp"), "-o", str(folder / "model.o")], 1800)
        if code != 0:
            raise Broken(f"c++: {text[-800:]}")

    def readers(self, program, prefix):
        """Objects of sources that read members of the model's own class (`Vx___024root.h`), which stand elsewhere with
        mutants: compiled again, beside the model."""
        _, out = self.verilation(program, prefix)
        folder, made = self.folder / prefix, []
        for line in self.command(program):
            source = re.search(r" -c (\S+\.cpp)$", line)
            if f" {out} " not in line or not source or f"<{prefix}___024root.h>" not in (
                    pathlib.Path(source[1]).read_text(encoding="utf-8")):
                continue
            result = folder / f"{pathlib.Path(source[1]).stem}.o"
            words = re.sub(r" -MD -MT \S+ -MF \S+ -o \S+ ", f" -o {result} ", line.replace(f" {out} ", f" {folder} "))
            if f" -o {result} " not in words:
                raise Broken(f"{self.build} does not say how {source[1]} is compiled")
            code, text = call(words.split(), 300, cwd=self.build)
            if code != 0:
                raise Broken(f"c++: {text[-800:]}")
            made.append(str(result))
        return made

    def program(self, stage):
        """The path of a stage's program, which passes its tests without a mutant."""
        with self.lock:
            if stage in self.broken:
                raise Broken(self.broken[stage])
            if stage not in self.programs:
                program, begin = self.link(stage), time.monotonic()
                killer = attack(program, stage, 0, 600)
                if killer:
                    self.broken[stage] = f"{stage.name} fails without a mutant: {killer}"
                    raise Broken(self.broken[stage])
                self.seconds[stage] = time.monotonic() - begin
                self.known[stage] = Verdicts(self.folder / "verdicts" / stage.name, self.parts(stage), stage.tests)
                self.programs[stage] = program
            return self.programs[stage]

    def link(self, stage):
        lines = [x for x in self.command(stage.program) if f"-o bin/{stage.program} " in x]
        if not lines:
            raise Broken(f"{self.build} does not say how {stage.program} is linked")
        words = lines[-1].split("&&")[1]
        readers = []
        for prefix in stage.models:
            library, result = self.model(stage.program, prefix)
            if f" {library} " not in words:
                raise Broken(f"{stage.program} does not link {library}")
            words = words.replace(f" {library} ", f" {result} ")
            readers += self.readers(stage.program, prefix)
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        selector = folder / "selector.cpp"
        selector.write_text(SELECTOR, encoding="utf-8")
        binary = folder / f"{stage.program}-{'-'.join(stage.models)}"
        words = words.replace(f"-o bin/{stage.program} ", f"-o {binary} {' '.join(readers)} ")
        code, text = call([*words.split(), str(selector)], 300, cwd=self.build)
        if code != 0:
            raise Broken(f"link: {text[-800:]}")
        return binary

    def parts(self, stage):
        """The files that a stage's program is linked from, but benches and models of other modules."""
        line = [x for x in self.command(stage.program) if f"-o bin/{stage.program} " in x][-1]
        models = {self.model(stage.program, prefix) for prefix in stage.models}
        parts = [result for _, result in sorted(models)]
        replaced = {library for library, _ in models}
        for word in line.split("&&")[1].split():
            path = self.build / word
            other = re.search(r"/unit_\w+_test\.cpp\.o$|/libtlmssd_unit_\w+\.a$", word)
            own = other and word.endswith(".cpp.o") and f"/{stage.bench}.o" in word
            if word.endswith((".o", ".a")) and word not in replaced and (own or not other) and path.is_file():
                parts.append(path)
        return parts

    def verdict(self, stage, mutant):
        """The test of a stage that kills a mutant, or "". A test that takes ten times as long as without a mutant, and
        five seconds, has failed. What is known of the same program is not run again."""
        program = self.program(stage)
        known = self.known[stage]
        if mutant.name not in known.killers:
            killer = attack(program, stage, mutant.number, 5 + 10 * self.seconds[stage])
            with self.lock:
                known.add(mutant.name, killer)
        return known.killers[mutant.name]
