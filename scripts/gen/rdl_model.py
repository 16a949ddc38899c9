# SPDX-License-Identifier: BSD-3-Clause
"""What the exporters need of a SystemRDL register map, as plain data.

Only what rdl_sv.py can build is let through; anything else in the file is an error, so that no
property is silently ignored.
"""
from dataclasses import dataclass, field

from systemrdl.node import RegfileNode, RegNode
from systemrdl.rdltypes import AccessType, OnWriteType

KNOWN_OF_A_FIELD = {"name", "desc", "sw", "hw", "reset", "onwrite", "hwset", "hwclr", "singlepulse"}
KNOWN_OF_A_REG = {"name", "desc", "regwidth", "accesswidth", "write_if"}


class RdlError(Exception):
    """The file asks for something that the exporters cannot do."""


@dataclass
class Field:
    name: str
    lsb: int
    width: int
    reset: int
    kind: str         # constant, input, store, sticky (set by hardware, cleared by a 1), lasting (the reverse), pulse
    reads: bool       # software
    desc: str

    @property
    def writes(self):
        return self.kind in ("store", "sticky", "lasting", "pulse")

    @property
    def mask(self):
        return ((1 << self.width) - 1) << self.lsb


@dataclass
class Reg:
    name: str
    address: int      # of the first one
    count: int        # 1 where it is no array
    title: str
    desc: str
    write_if: str     # "" or the input without which a write is refused
    fields: list

    @property
    def array(self):
        return self.count > 1

    @property
    def reads(self):
        return any(f.reads for f in self.fields)

    @property
    def writes(self):
        return any(f.writes for f in self.fields)


@dataclass
class Block:
    """An external register file: its registers are kept elsewhere and are read only."""
    name: str
    address: int
    count: int
    stride: int
    title: str
    desc: str
    regs: list = field(default_factory=list)

    @property
    def bits(self):
        """Of a byte address inside the whole block; the block is aligned to it."""
        size = self.stride * self.count
        if size & (size - 1) or self.address % size:
            raise RdlError(f"{self.name}: an external block must be aligned to its size, a power of two")
        return size.bit_length() - 1


@dataclass
class Map:
    name: str
    title: str
    desc: str
    size: int
    regs: list
    blocks: list

    @property
    def guards(self):
        return sorted({r.write_if for r in self.regs if r.write_if})

    @property
    def bits(self):
        return (self.size - 1).bit_length()


def text_of(node, key, fallback=""):
    return " ".join((node.get_property(key, default=None) or fallback).split())


def check_known(node, known):
    for key in node.list_properties():
        if key not in known:
            raise RdlError(f"{node.get_path()}: property {key} is not supported")


def field_of(node):
    check_known(node, KNOWN_OF_A_FIELD)
    sw, hw = node.get_property("sw"), node.get_property("hw")
    reset = node.get_property("reset")
    if node.get_property("singlepulse"):
        kind, wanted = "pulse", (AccessType.w, AccessType.r)
        if node.width != 1 or reset:
            raise RdlError(f"{node.get_path()}: a pulse has one bit, 0 after reset")
    elif node.get_property("hwset"):
        kind, wanted = "sticky", (AccessType.rw, AccessType.rw)
        if node.get_property("onwrite") != OnWriteType.woclr:
            raise RdlError(f"{node.get_path()}: hwset needs onwrite = woclr")
        if node.width != 1:
            raise RdlError(f"{node.get_path()}: a field that hardware sets has one bit")
    elif node.get_property("hwclr"):
        kind, wanted = "lasting", (AccessType.rw, AccessType.rw)
        if node.get_property("onwrite") != OnWriteType.woset:
            raise RdlError(f"{node.get_path()}: hwclr needs onwrite = woset")
        if node.width != 1:
            raise RdlError(f"{node.get_path()}: a field that hardware clears has one bit")
    elif sw == AccessType.rw:
        kind, wanted = "store", (AccessType.rw, AccessType.r)
    elif hw == AccessType.na:
        kind, wanted = "constant", (AccessType.r, AccessType.na)
    else:
        kind, wanted = "input", (AccessType.r, AccessType.w)
    if (sw, hw) != wanted or (kind not in ("sticky", "lasting") and node.get_property("onwrite") is not None):
        raise RdlError(f"{node.get_path()}: cannot be built with sw = {sw.name}, hw = {hw.name}")
    if kind != "input" and not isinstance(reset, int):
        raise RdlError(f"{node.get_path()}: needs a reset value")
    if kind == "input" and reset is not None:
        raise RdlError(f"{node.get_path()}: comes from outside and has no reset value")
    return Field(node.inst_name, node.low, node.width, reset or 0, kind, kind != "pulse",
                 text_of(node, "desc"))


def reg_of(node):
    check_known(node, KNOWN_OF_A_REG)
    if node.get_property("regwidth") != 32 or node.get_property("accesswidth") != 32:
        raise RdlError(f"{node.get_path()}: registers have 32 bits")
    count = 1
    if node.is_array:
        if len(node.array_dimensions) != 1 or node.array_stride != 4:
            raise RdlError(f"{node.get_path()}: arrays have one dimension and no gaps")
        count = node.array_dimensions[0]
    fields = [field_of(f) for f in node.fields()]
    return Reg(node.inst_name, node.raw_address_offset, count, text_of(node, "name"), text_of(node, "desc"),
               node.get_property("write_if", default="") or "", fields)


def block_of(node):
    check_known(node, {"name", "desc"})
    count, stride = 1, 1 << (node.size - 1).bit_length()
    if node.is_array:
        if len(node.array_dimensions) != 1:
            raise RdlError(f"{node.get_path()}: arrays have one dimension")
        count, stride = node.array_dimensions[0], node.array_stride
    block = Block(node.inst_name, node.raw_address_offset, count, stride, text_of(node, "name"), text_of(node, "desc"))
    for child in node.children():
        if not isinstance(child, RegNode):
            raise RdlError(f"{child.get_path()}: an external block has registers only")
        reg = reg_of(child)
        if reg.array or any(f.kind != "input" for f in reg.fields):
            raise RdlError(f"{child.get_path()}: external registers are single and read only")
        block.regs.append(reg)
    return block


def map_of(top):
    check_known(top, {"name", "desc"})
    result = Map(top.inst_name, text_of(top, "name"), text_of(top, "desc"),
                 1 << (top.size - 1).bit_length(), [], [])
    for child in top.children():
        if isinstance(child, RegNode) and not child.external:
            result.regs.append(reg_of(child))
        elif isinstance(child, RegfileNode) and child.external:
            result.blocks.append(block_of(child))
        else:
            raise RdlError(f"{child.get_path()}: only registers and external register files")
    return result
