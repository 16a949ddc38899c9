# SPDX-License-Identifier: BSD-3-Clause
"""A program in the place of QEMU: its side of x-pci-proxy-dev and of the test socket, for tests without QEMU."""

import array
import os
import re
import socket
import struct
import sys

SYNC_SYSMEM, RET, CFGWRITE, CFGREAD, BAR_WRITE, BAR_READ, SET_IRQFD, RESET = range(8)


class FakeQemu:
    """Both connections, as the command line of QEMU names them."""

    def __init__(self, words):
        line = " ".join(words)
        self.registers = socket.socket(fileno=int(re.search(r"x-pci-proxy-dev,id=ssd,fd=(\d+)", line)[1]))
        self.qtest = socket.socket(socket.AF_UNIX)
        self.qtest.connect(re.search(r"-qtest unix:(\S+)", line)[1])
        self.memory = os.memfd_create("guest")
        os.ftruncate(self.memory, 1 << 20)

    def send(self, command, data=b"", fds=()):
        """A message."""
        self.raw(struct.pack("<iIQ", command, 0, len(data)) + data, fds)

    def raw(self, data, fds=()):
        """Bytes, and descriptors beside them."""
        beside = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
        self.registers.sendmsg([data], beside)

    def answer(self):
        """The value of the next answer; None where it has none."""
        command, _, size = struct.unpack("<iIQ", self.registers.recv(16, socket.MSG_WAITALL))
        assert command == RET and size in (0, 8)
        return struct.unpack("<Q", self.registers.recv(8, socket.MSG_WAITALL))[0] if size else None

    def config(self, at, size=4):
        """A read of configuration space."""
        self.send(CFGREAD, struct.pack("<IIi", at, 0, size))
        return self.answer()

    def set_config(self, at, value, size=4):
        """A write of configuration space."""
        self.send(CFGWRITE, struct.pack("<IIi", at, value, size))
        assert self.answer() == 0

    def bar(self, address, size=4):
        """A read of a BAR."""
        self.send(BAR_READ, struct.pack("<QQIB3x", address, 0, size, 1))
        return self.answer()

    def set_bar(self, address, value, size=4):
        """A write of a BAR."""
        self.send(BAR_WRITE, struct.pack("<QQIB3x", address, value, size, 1))
        assert self.answer() == 0

    def line(self):
        """The next line of the test socket."""
        text = b""
        while not text.endswith(b"\n"):
            byte = self.qtest.recv(1)
            assert byte
            text += byte
        return text.decode().rstrip("\n")

    def share(self):
        """One MiB of memory from address 0."""
        self.send(SYNC_SYSMEM, struct.pack("<24Q", *([0] * 8 + [1 << 20] + [0] * 7 + [0] * 8)), [self.memory])


def identify(qemu, answer=b"OK\n"):
    """As a driver does it: the controller's data, in real mode's memory, and the interrupt that announces them."""
    qemu.send(RESET)
    assert qemu.answer() is None
    qemu.share()
    assert qemu.config(8) >> 8 == 0x010802
    qemu.set_config(0x10, 0xFFFFFFFF)
    assert qemu.config(0x10) == 0xFFFFC000  # 16 KiB, 32 bits
    qemu.set_config(0x10, 0xFEB00000)
    qemu.set_config(4, 6, 2)
    capability = qemu.config(0x34, 1)
    while qemu.config(capability, 1) != 0x11:
        capability = qemu.config(capability + 1, 1)
    for word, value in enumerate((0xFEE01000, 0, 0x4021, 0)):
        qemu.set_bar(0xFEB02000 + 4 * word, value)
    qemu.set_config(capability + 2, 0x8000, 2)
    assert qemu.bar(0xFEB00008) == 0x10400  # NVMe 1.4
    for at, value in ((0x24, 0x1F001F), (0x28, 0x10000), (0x2C, 0), (0x30, 0x11000), (0x34, 0), (0x14, 0x460001)):
        qemu.set_bar(0xFEB00000 + at, value)
    while qemu.bar(0xFEB0001C) & 1 == 0:
        pass
    command = struct.pack("<IIQQQQIIIIII", 6 | 7 << 16, 0, 0, 0, 0x12000, 0, 1, 0, 0, 0, 0, 0)
    os.pwrite(qemu.memory, command, 0x10000)
    qemu.set_bar(0xFEB01000, 1)
    lines = []
    while not lines or not lines[-1].startswith("writel"):
        lines.append(qemu.line())
        qemu.qtest.sendall(answer)
    # 4 KiB of data, 16 bytes of completion; then the interrupt.
    assert lines == ["memset 0x12000 0x1000 0x0", "memset 0x11000 0x10 0x0", "writel 0xfee01000 0x4021"], lines
    assert struct.unpack("<I", os.pread(qemu.memory, 4, 0x1100C))[0] == 7 | 1 << 16  # command 7, phase 1, status 0
    assert struct.unpack("<I", os.pread(qemu.memory, 4, 0x12000 + 80))[0] == 0x10400  # VER


def refused_clearing(qemu):
    """A driver, and a QEMU that writes no zeros."""
    identify(qemu, b"FAIL\n")


def no_clearing(qemu):
    """A driver, and a QEMU that ends where it should write zeros."""
    identify(qemu, b"")


def unknown_command(qemu):
    """A command that is none."""
    qemu.send(77)


def wrong_size(qemu):
    """An access with a size that is not its own."""
    qemu.send(BAR_READ, bytes(20))


def no_descriptor(qemu):
    """A memory map without its files."""
    qemu.send(SYNC_SYSMEM, bytes(192))


def short_message(qemu):
    """Part of a message, then the end."""
    qemu.config(0)
    qemu.raw(bytes(5))


def stalled_message(qemu):
    """Part of a message, then nothing."""
    qemu.raw(struct.pack("<iIQ", CFGREAD, 0, 12) + bytes(3))
    qemu.registers.recv(1)


def refused_interrupt(qemu):
    """An answer that no interrupt message has asked for."""
    qemu.config(0)
    qemu.qtest.sendall(b"FAIL\n")
    qemu.registers.recv(1)


def closed_test_socket(qemu):
    """Only the registers stay open."""
    qemu.config(0)
    qemu.qtest.close()
    qemu.registers.recv(1)


def silent(qemu):
    """Neither a message nor an end."""
    print("up", flush=True)
    qemu.registers.recv(1)


def fails(qemu):
    """An end with a status of its own."""
    qemu.config(0)
    sys.exit(5)


if __name__ == "__main__":
    globals()[os.path.basename(sys.argv[0])](FakeQemu(sys.argv))
