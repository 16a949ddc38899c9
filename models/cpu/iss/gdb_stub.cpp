// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: packets of gdb's remote serial protocol (GDB manual, appendix E.2 to E.5).
#include "models/cpu/iss/gdb_stub.h"

#include <algorithm>

#include "models/cpu/iss/gdb_packet.h"
#include "models/cpu/iss/iss_disasm.h"

namespace tlmssd::cpu {

namespace {

const char* const kOk = "OK";
const char* const kBadPacket = "E01";
const char* const kNoMemory = "E0e"; // EFAULT
constexpr u32 kMaxRead = 4096;       ///< bytes of one 'm'

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

/// Hexadecimal digits from `at` on to the first other character, which `at` then is. False: none, or
/// more than 32 bits.
bool number(const std::string& p, std::size_t& at, u32& value)
{
    const std::size_t end = std::min(p.find_first_not_of("0123456789abcdefABCDEF", at), p.size());
    if (end == at || end - at > 8) {
        return false;
    }
    value = static_cast<u32>(std::stoul(p.substr(at, end - at), nullptr, 16));
    at = end;
    return true;
}

/// "address,length" from `at` on, up to `last` (0: the end).
bool range(const std::string& p, std::size_t at, char last, u32& address, u32& bytes, std::size_t& end)
{
    if (!number(p, at, address) || at == p.size() || p[at] != ',' || !number(p, ++at, bytes)) {
        return false;
    }
    end = at + 1;
    return last == 0 ? at == p.size() : at < p.size() && p[at] == last;
}

std::string little_endian(u32 value)
{
    std::string bytes;
    for (u32 i = 0; i < 4; ++i) {
        bytes += static_cast<char>(value >> 8 * i);
    }
    return bytes;
}

u32 of_little_endian(const std::string& bytes, std::size_t at)
{
    u32 value = 0;
    for (u32 i = 0; i < 4; ++i) {
        value |= u32{static_cast<u8>(bytes[at + i])} << 8 * i;
    }
    return value;
}

std::string target_description()
{
    std::string xml = "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
                      "<target version=\"1.0\"><architecture>riscv:rv32</architecture>"
                      "<feature name=\"org.gnu.gdb.riscv.cpu\">";
    for (u32 i = 0; i < GdbTargetIf::kRegisters; ++i) {
        const bool code = i == GdbTargetIf::kPc || i == 1; // ra
        const char* type = code ? "code_ptr" : i >= 2 && i <= 4 ? "data_ptr" : "int"; // sp, gp, tp
        xml += std::string("<reg name=\"") + (i == GdbTargetIf::kPc ? "pc" : register_name(i)) +
               "\" bitsize=\"32\" type=\"" + type + "\" regnum=\"" + std::to_string(i) + "\"/>";
    }
    return xml + "</feature></target>";
}

/// A part of `text`, as qXfer wants it: "m..." where more follows, "l..." for the last.
std::string part(const std::string& text, const std::string& p, std::size_t at)
{
    u32 offset = 0, length = 0;
    std::size_t end = 0;
    if (!range(p, at, 0, offset, length, end)) {
        return kBadPacket;
    }
    if (offset >= text.size()) {
        return "l";
    }
    return (offset + u64{length} < text.size() ? "m" : "l") + text.substr(offset, length);
}

} // namespace

std::string GdbStub::halt(u32 signal)
{
    mode_ = Mode::Halted;
    signal_ = signal;
    return "T" + gdb_hex(std::string(1, static_cast<char>(signal))) + "thread:1;";
}

GdbStub::Answer GdbStub::packet(const std::string& p)
{
    const auto is = [&](const char* text) { return p == text; };
    switch (p.empty() ? '\0' : p[0]) {
    case '?':
        return {true, halt(signal_)};
    case 'g':
        return {true, is("g") ? all_registers() : kBadPacket};
    case 'G':
        return {true, set_all_registers(p.substr(1))};
    case 'p':
    case 'P':
        return {true, one_register(p)};
    case 'm':
        return {true, memory(p)};
    case 'M':
    case 'X':
        return {true, set_memory(p, p[0] == 'X')};
    case 'Z':
    case 'z':
        return {true, breakpoint(p)};
    case 'c':
    case 's':
    case 'C':
    case 'S':
        return resume(p);
    case 'v':
        return begins(p, "vCont;") ? resume(p.substr(6))
               : is("vCont?")      ? Answer{true, "vCont;c;C;s;S"}
               : begins(p, "vKill") ? (mode_ = Mode::Killed, Answer{true, kOk})
                                    : Answer{};
    case 'k':
        mode_ = Mode::Killed;
        return {false, ""}; // gdb wants no answer
    case 'D':
        mode_ = Mode::Detached;
        breakpoints_.clear();
        return {true, kOk};
    case 'H':
    case 'T': // one thread, which is always alive
        return {true, kOk};
    case 'q':
    case 'Q':
        return query(p);
    default:
        return {};
    }
}

GdbStub::Answer GdbStub::query(const std::string& p)
{
    static const std::string kFeatures = "qXfer:features:read:target.xml:";
    if (begins(p, "qSupported")) {
        return {true, "PacketSize=2000;qXfer:features:read+;vContSupported+;QStartNoAckMode+"};
    }
    if (p == "QStartNoAckMode") {
        acknowledges_ = false;
        return {true, kOk};
    }
    if (begins(p, kFeatures.c_str())) {
        return {true, part(target_description(), p, kFeatures.size())};
    }
    if (begins(p, "qXfer:features:read:")) {
        return {true, "E00"}; // no such annex
    }
    return p == "qAttached"         ? Answer{true, "1"}
           : p == "qC"              ? Answer{true, "QC1"}
           : p == "qfThreadInfo"    ? Answer{true, "m1"}
           : p == "qsThreadInfo"    ? Answer{true, "l"}
           : begins(p, "qSymbol")   ? Answer{true, kOk}
                                    : Answer{};
}

/// c [addr], s [addr], C sig[;addr], S sig[;addr]; of vCont the first action: there is one thread.
/// Signals have no meaning for the core.
GdbStub::Answer GdbStub::resume(const std::string& p)
{
    const char kind = p.empty() ? '\0' : p[0];
    const bool step = kind == 's' || kind == 'S';
    if (!step && kind != 'c' && kind != 'C') {
        return {true, kBadPacket};
    }
    const bool with_signal = kind == 'C' || kind == 'S';
    std::size_t at = 1;
    u32 value = 0;
    if (with_signal && !number(p, at, value)) {
        return {true, kBadPacket};
    }
    if (with_signal && at < p.size() && p[at] == ';') {
        ++at;
    }
    if (at < p.size() && p[at] != ':' && p[at] != ';') { // else threads and actions of vCont
        if (!number(p, at, value) || at != p.size()) {
            return {true, kBadPacket};
        }
        target_.gdb_set_register(GdbTargetIf::kPc, value);
    }
    mode_ = step ? Mode::Step : Mode::Continue;
    return {false, ""};
}

std::string GdbStub::all_registers()
{
    std::string bytes;
    for (u32 i = 0; i < GdbTargetIf::kRegisters; ++i) {
        bytes += little_endian(target_.gdb_register(i));
    }
    return gdb_hex(bytes);
}

std::string GdbStub::set_all_registers(const std::string& digits)
{
    std::string bytes;
    if (!gdb_unhex(digits, bytes) || bytes.size() != 4 * GdbTargetIf::kRegisters) {
        return kBadPacket;
    }
    for (u32 i = 1; i < GdbTargetIf::kRegisters; ++i) { // x0 is 0
        if (const u32 value = of_little_endian(bytes, 4 * i); value != target_.gdb_register(i)) {
            target_.gdb_set_register(i, value);
        }
    }
    return kOk;
}

/// p n, P n=value
std::string GdbStub::one_register(const std::string& p)
{
    std::size_t at = 1;
    u32 n = 0;
    if (!number(p, at, n) || n >= GdbTargetIf::kRegisters) {
        return kBadPacket;
    }
    if (p[0] == 'p') {
        return at == p.size() ? gdb_hex(little_endian(target_.gdb_register(n))) : kBadPacket;
    }
    std::string bytes;
    if (at == p.size() || p[at] != '=' || !gdb_unhex(p.substr(at + 1), bytes) || bytes.size() != 4) {
        return kBadPacket;
    }
    if (n != 0) {
        target_.gdb_set_register(n, of_little_endian(bytes, 0));
    }
    return kOk;
}

/// m address,length
std::string GdbStub::memory(const std::string& p)
{
    u32 address = 0, bytes = 0;
    std::size_t end = 0;
    if (!range(p, 1, 0, address, bytes, end)) {
        return kBadPacket;
    }
    const std::string found = target_.gdb_read(address, std::min(bytes, kMaxRead));
    return found.empty() && bytes != 0 ? kNoMemory : gdb_hex(found);
}

/// M address,length:hexadecimal, X address,length:bytes
std::string GdbStub::set_memory(const std::string& p, bool binary)
{
    u32 address = 0, bytes = 0;
    std::size_t data = 0;
    std::string text;
    if (!range(p, 1, ':', address, bytes, data)) {
        return kBadPacket;
    }
    text = p.substr(data);
    if ((!binary && !gdb_unhex(p.substr(data), text)) || text.size() != bytes) {
        return kBadPacket;
    }
    return bytes == 0 || target_.gdb_write(address, text) ? kOk : kNoMemory;
}

/// Z0 and Z1 are the same here; watchpoints are not supported.
std::string GdbStub::breakpoint(const std::string& p)
{
    if (p.size() < 2 || (p[1] != '0' && p[1] != '1')) {
        return "";
    }
    u32 address = 0, kind = 0;
    std::size_t end = 0;
    if (p.size() < 3 || p[2] != ',' || !range(p, 3, 0, address, kind, end) || address % 2 != 0) {
        return kBadPacket;
    }
    if (p[0] == 'Z') {
        breakpoints_.insert(address);
    } else {
        breakpoints_.erase(address);
    }
    return kOk;
}

} // namespace tlmssd::cpu
