// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: report of a firmware trap, fault or endless step.
#include "models/cpu/iss/iss_report.h"

#include <cstdio>
#include <cstring>

#include "firmware/hal/mmio.h"
#include "models/cpu/iss/iss_disasm.h"

namespace tlmssd::cpu {

namespace {

constexpr u32 kBefore = 6; ///< instructions shown before the PC
constexpr u32 kAfter = 3;
constexpr u32 kStackShown = 8; ///< return addresses

std::string hex8(u32 value)
{
    char text[16];
    std::snprintf(text, sizeof text, "%08x", value);
    return text;
}

std::string registers(const IssIf& iss)
{
    std::string text;
    for (u32 i = 1; i < 32; ++i) {
        text += (i % 8 == 1 ? "\n  " : "  ") + std::string(register_name(i)) + " " + hex8(iss.reg(i));
    }
    return text;
}

u32 bits_at(IssIf& iss, u32 address)
{
    u32 bits = 0;
    if (const u8* low = iss.memory(address, 2); low != nullptr) {
        std::memcpy(&bits, low, 2);
    }
    if (const u8* all = iss.memory(address, 4); (bits & 3) == 3 && all != nullptr) {
        std::memcpy(&bits, all, 4);
    }
    return bits;
}

u32 length(u32 bits) { return (bits & 3) == 3 ? 4 : 2; }

/// The instructions around `pc`, from a function's beginning, where instructions are known to start.
std::string code(IssIf& iss, const ElfImage& image, u32 pc)
{
    u32 at = pc;
    for (const ElfSymbol& symbol : image.symbols) {
        if (symbol.function && pc >= symbol.address && pc - symbol.address < symbol.bytes) {
            at = symbol.address;
        }
    }
    u32 starts[kBefore + 1] = {};
    u32 count = 0;
    for (; at < pc; at += length(bits_at(iss, at))) {
        starts[count++ % kBefore] = at;
    }
    std::string text;
    const auto line = [&](u32 address) {
        const u32 bits = bits_at(iss, address);
        char raw[16];
        std::snprintf(raw, sizeof raw, length(bits) == 4 ? "%08x" : "    %04x", bits);
        text += std::string(address == pc ? "\n> " : "\n  ") + hex8(address) + "  " + raw + "  " +
                disassemble(bits, address);
    };
    for (u32 i = count > kBefore ? count - kBefore : 0; i < count; ++i) {
        line(starts[i % kBefore]);
    }
    at = pc;
    for (u32 i = 0; i <= kAfter && iss.memory(at, 2) != nullptr && at < kIssCodeBytes; ++i) {
        line(at);
        at += length(bits_at(iss, at));
    }
    return text;
}

std::string stack(IssIf& iss, const ElfImage& image)
{
    std::string text = "\n  ra " + image.describe(iss.reg(1));
    u32 shown = 0;
    for (u32 sp = iss.reg(2) & ~3u; shown < kStackShown; sp += 4) {
        const u8* word = iss.memory(sp, 4);
        if (word == nullptr) {
            break;
        }
        u32 value = 0;
        std::memcpy(&value, word, 4);
        const std::string place = value >= 4 && value < kIssCodeBytes ? image.describe(value) : "";
        if (place.find('+') != std::string::npos) {
            text += "\n  " + hex8(sp) + "  " + place;
            ++shown;
        }
    }
    return text;
}

} // namespace

std::string report_cpu(IssIf& iss, const ElfImage& image, u32 pc)
{
    return "registers:" + registers(iss) + "\ncode:" + code(iss, image, pc) +
           "\nstack (what may be return addresses):" + stack(iss, image);
}

} // namespace tlmssd::cpu
