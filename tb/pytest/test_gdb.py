# SPDX-License-Identifier: BSD-3-Clause
"""--gdb PORT: gdb's remote serial protocol, spoken over a socket to a real run."""
import json
import re
import shutil
import socket
import struct
import subprocess

import pytest

from cli import INPUT_ERROR, INTERRUPTED, MODEL_ERROR, DONE, deterministic, set_options
from test_iss import TINY, iss_is_built

ISS = ["cpu.model=iss", "workload.requests=200"]


@pytest.fixture
def device(tmp_path):
    path = tmp_path / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture
def needs_iss(tlmssd):
    if not iss_is_built(tlmssd):
        pytest.skip("no ISS in this build: libunicorn-dev is absent")


def symbols(tlmssd):
    """Name -> address of the functions of the RV32 image, read from its ELF tables; of a compiler's
    version of one (`name.constprop.0`) the plain name."""
    elf = (tlmssd.path.parent / "../firmware/tlmssd_fw_rv32.elf").read_bytes()
    table, = struct.unpack_from("<I", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 46)
    sections = [struct.unpack_from("<10I", elf, table + size * i) for i in range(count)]
    symtab = next(s for s in sections if s[1] == 2)
    strings = sections[symtab[6]][4]
    found = {}
    for at in range(symtab[4], symtab[4] + symtab[5], 16):
        name, value, _, info = struct.unpack_from("<IIIB", elf, at)
        if info & 15 == 2:
            found[elf[strings + name:elf.index(b"\0", strings + name)].decode().split(".")[0]] = value
    return found


class Gdb:
    """The other end of the protocol, as simple as can be."""

    def __init__(self, tlmssd, *arguments, out):
        self.process = tlmssd.start("run", *arguments, "--gdb", "0", "--quiet", "--out", out)
        line = self.process.stderr.readline()
        match = re.search(r"waiting for a connection: target remote 127\.0\.0\.1:(\d+)", line)
        assert match, line
        self.port = int(match.group(1))
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def raw(self, data):
        self.socket.sendall(data)

    def send(self, payload, then=b""):
        """A frame, and in the same segment what comes after it."""
        self.raw(b"$%s#%02x" % (payload, sum(payload) % 256) + then)

    def byte(self):
        if not self.bytes:
            self.bytes = self.socket.recv(65536)
            assert self.bytes, "the connection is closed"
        first, self.bytes = self.bytes[:1], self.bytes[1:]
        return first

    def receive(self):
        """The payload of the next frame, expanded."""
        while self.byte() != b"$":
            pass
        raw = b""
        while (c := self.byte()) != b"#":
            raw += c
        assert int(self.byte() + self.byte(), 16) == sum(raw) % 256
        self.raw(b"+")
        out = b""
        i = 0
        while i < len(raw):
            if raw[i:i + 1] == b"}":
                out += bytes([raw[i + 1] ^ 0x20])
                i += 2
            elif raw[i:i + 1] == b"*":
                out += out[-1:] * (raw[i + 1] - 29)
                i += 2
            else:
                out += raw[i:i + 1]
                i += 1
        return out.decode("latin-1")

    def ask(self, text):
        self.send(text.encode("latin-1"))
        return self.receive()

    def register(self, number):
        return struct.unpack("<I", bytes.fromhex(self.ask(f"p{number:x}")))[0]

    def pc(self):
        return self.register(32)

    def end(self):
        """The rest of stderr, and the exit status."""
        _, stderr = self.process.communicate(timeout=120)
        return stderr, self.process.returncode


def results(tmp_path, name):
    return (tmp_path / name / "results.json").read_text(encoding="utf-8")


def test_a_session_changes_no_result(tlmssd, device, tmp_path, needs_iss):
    tlmssd.run(tmp_path / "plain", config=device, sets=ISS)
    address = symbols(tlmssd)
    with Gdb(tlmssd, device, *set_options(ISS), out=tmp_path / "debugged") as gdb:
        assert "qXfer:features:read+" in gdb.ask("qSupported:multiprocess+;swbreak+")
        assert "riscv:rv32" in gdb.ask("qXfer:features:read:target.xml:0,1000")
        assert gdb.ask("?").startswith("T05")
        assert gdb.pc() == 0, "it halts at reset"
        registers = bytes.fromhex(gdb.ask("g"))
        assert len(registers) == 33 * 4 and registers[-4:] == bytes(4)

        step = address["fw_step"]
        assert gdb.ask(f"Z0,{step:x},4") == "OK"
        for _ in range(3):
            assert gdb.ask("c").startswith("T05")
            assert gdb.pc() == step
        assert 0x1000b000 < gdb.register(2) <= 0x10010000, "sp is in the stack (docs/reference/rv32-interface.md)"
        code = bytes.fromhex(gdb.ask(f"m{step:x},4"))
        length = 4 if code[0] & 3 == 3 else 2
        assert gdb.ask("s").startswith("T05")
        assert gdb.pc() == step + length, "a function begins with an instruction that does not jump"
        assert gdb.ask("vCont;s:1").startswith("T05")
        assert gdb.pc() != step + length
        sp = gdb.register(2)
        word = bytes.fromhex(gdb.ask(f"m{sp:x},4"))
        assert gdb.ask(f"M{sp:x},4:{word.hex()}") == "OK"
        assert gdb.ask("m40000000,4") == "E0e", "a register's read would have effects"
        assert gdb.ask(f"M{step:x},2:0000") == "E0e", "code is not written"
        assert gdb.ask(f"z0,{step:x},4") == "OK"

        gdb.send(b"c", then=b"\x03")  # by itself it may come when these 200 requests have ended
        assert gdb.receive().startswith("T02")
        assert gdb.ask("D") == "OK"
        stderr, status = gdb.end()
    assert (stderr, status) == ("", DONE)
    assert deterministic(results(tmp_path, "debugged")) == deterministic(results(tmp_path, "plain"))


def test_a_breakpoint_in_every_step_changes_no_result(tlmssd, device, tmp_path, needs_iss):
    sets = ISS[:1] + ["workload.requests=20", "host.queue_depth=1", "workload.rw=randwrite",
                      "cpu.cores=2", "cpu.core_of.sched=1"]
    tlmssd.run(tmp_path / "plain", config=device, sets=sets)
    with Gdb(tlmssd, device, *set_options(sets), out=tmp_path / "debugged") as gdb:
        assert gdb.ask("QStartNoAckMode") == "OK"
        assert gdb.ask(f"Z1,{symbols(tlmssd)['fw_step']:x},2") == "OK"
        hits = 0
        while (reply := gdb.ask("vCont;c")).startswith("T05"):
            hits += 1
            for _ in range(3):
                assert gdb.ask("vCont;s:1;c").startswith("T05")
        assert reply == "W00", "the process ends by itself"
        stderr, status = gdb.end()
    assert (stderr, status) == ("", DONE)
    assert hits >= 60, "three steps a request at least: command, end of the transfer, end of the program"
    assert deterministic(results(tmp_path, "debugged")) == deterministic(results(tmp_path, "plain"))


def test_kill_ends_the_run_like_an_interrupt(tlmssd, device, tmp_path, needs_iss):
    with Gdb(tlmssd, device, *set_options(["cpu.model=iss", "workload.requests=100000"]),
             out=tmp_path / "killed") as gdb:
        assert gdb.ask(f"Z0,{symbols(tlmssd)['fw_step']:x},4") == "OK"
        assert gdb.ask("c").startswith("T05")
        gdb.send(b"k")
        stderr, status = gdb.end()
    assert status == INTERRUPTED, stderr
    assert json.loads(results(tmp_path, "killed"))["sim"]["time_s"] < 0.1


def test_a_lost_connection_does_not_end_the_run(tlmssd, device, tmp_path, needs_iss):
    with Gdb(tlmssd, device, *set_options(ISS), out=tmp_path / "lost") as gdb:
        gdb.ask("?")
        gdb.socket.close()
        stderr, status = gdb.end()
    assert status == DONE
    assert "the connection is closed; the run goes on" in stderr


def test_a_fault_halts_before_the_report(tlmssd, device, tmp_path, needs_iss):
    with Gdb(tlmssd, device, *set_options(ISS + ["cpu.watchdog_instructions=1000"]),
             out=tmp_path / "bitten") as gdb:
        assert gdb.ask("c").startswith("T0e"), "SIGALRM: the watchdog"
        assert gdb.ask("g") != ""
        gdb.send(b"c")
        stderr, status = gdb.end()
    assert status == MODEL_ERROR
    assert "watchdog" in stderr


def test_it_asks_again_for_what_is_broken(tlmssd, device, tmp_path, needs_iss):
    with Gdb(tlmssd, device, *set_options(ISS), out=tmp_path / "noise") as gdb:
        gdb.raw(b"$g#00")
        assert gdb.byte() == b"-"
        gdb.raw(b"$qC#b4")
        assert gdb.byte() == b"+"
        assert gdb.receive() == "QC1"
        gdb.raw(b"-")
        assert gdb.receive() == "QC1", "sent again"
        assert gdb.ask("D") == "OK"
        assert gdb.end()[1] == DONE


def test_it_needs_the_iss(tlmssd, device, tmp_path):
    run = tlmssd("run", device, "--gdb", "0", "--quiet")
    assert run.returncode == INPUT_ERROR
    assert run.stderr == "tlmssd: --gdb requires the firmware on the ISS: use --set cpu.model=iss\n"
    assert tlmssd("run", device, "--gdb", "65536").returncode == INPUT_ERROR
    assert tlmssd("run", device, "--gdb", "x").returncode == INPUT_ERROR


def test_a_port_in_use_is_named(tlmssd, device, needs_iss):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        port = other.getsockname()[1]
        run = tlmssd("run", device, "--set", "cpu.model=iss", "--gdb", port, "--quiet")
    assert run.returncode == INPUT_ERROR
    assert f"--gdb {port}: cannot listen on 127.0.0.1:{port}: " in run.stderr


def test_help_tells_of_it(tlmssd):
    assert "--gdb" in tlmssd("run", "--help").stdout


def test_gdb_itself_if_it_is_there(tlmssd, device, tmp_path, needs_iss):
    gdb = shutil.which("gdb-multiarch") or shutil.which("riscv64-unknown-elf-gdb")
    if gdb is None:
        pytest.skip("no gdb for RISC-V: gdb-multiarch is absent")
    process = tlmssd.start("run", device, *set_options(ISS), "--gdb", "0", "--quiet")
    try:
        port = re.search(r":(\d+)$", process.stderr.readline().strip()).group(1)
        image = tlmssd.path.parent / "../firmware/tlmssd_fw_rv32.elf"
        commands = [f"target remote 127.0.0.1:{port}", "break fw_step", "continue", "bt 1", "stepi",
                    "info registers pc", "detach"]
        done = subprocess.run([gdb, "-batch", "-nx", image, *(w for c in commands for w in ("-ex", c))],
                              capture_output=True, text=True, timeout=60, check=False)
        assert "Breakpoint 1, fw_step" in done.stdout, done.stdout + done.stderr
        process.communicate(timeout=120)
        assert process.returncode == DONE
    finally:
        process.kill()
