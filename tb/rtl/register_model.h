// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a plain model of the registers of o3_top.
#pragma once

#include <cstring>
#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/flash/o3/o3_regs.h"
#include "models/flash/rtl/rtl_registers.h"

namespace tlmssd::tb {

inline constexpr u32 kOkay = 0;
inline constexpr u32 kSlverr = 2;
inline constexpr u32 kTags = TLMSSD_RTL_TAGS;

/// What software may see, written from the tables of docs/reference/o3-registers.md: address, bits that a write
/// changes, value after reset.
struct Plain {
    u32 address;
    u32 writable;
    u32 value;
};

/// The registers of an idle controller whose window is never accepted.
class RegisterModel {
public:
    RegisterModel()
    {
        add(0x000, 0, 0x4f330101);
        add(0x004, 0, TLMSSD_RTL_CHANNELS | TLMSSD_RTL_LUNS << 8 | TLMSSD_RTL_STATIONS << 16 | 4u << 24);
        add(0x008, 0, kTags | 16u << 16 | 64u << 24);
        add(0x010, 0x1, 0);
        add(0x014, 0, 0);
        add(0x018, 0x3, 2);
        add(0x01c, 0x1f, 16);
        add(0x020, 0x7fffff, 953);
        add(0x024, 0xffffffff, 0);
        add(0x028, 0x07ffffff, 0);
        add(0x02c, 0x1f1f, 0);
        add(0x030, 0, 0);
        add(0x034, 0xf, 0);
        add(0x038, 0xf, 0);
        for (u32 i = 0; i < 16; ++i) {
            add(0x040 + 4 * i, 0xffffffff, 0);
        }
        add(0x084, 0, 0);
        add(0x090, 0, 0);
        add(0x094, 0, 0);
        add(0x098, 0, 0);
        add(0x0a0, 0x3f3, 0x40);
        add(0x0a4, 0x7fffff, 1527);
        add(0x0a8, 0x1, 0);
        add(0x0ac, 0x13f, 5);
        add(0x0b0, 0xffff, 0);
        add(0x0b4, 0xffff, 0); // no tag is in use
        add(0x0b8, 0x3f, 0);
        add(0x0bc, 0x7fffff, 0);
        for (u32 i = 0; i < 8; ++i) {
            add(0x0e0 + 4 * i, 0x7fffff, 0);
        }
        add(0x0c0, 0x1, 0);
        for (u32 i = 0; i < 8; ++i) {
            add(0x100 + 4 * i, 0, 0);
        }
        for (u32 c = 0; c < 16; ++c) {
            for (u32 i = 0; i < 20; ++i) {
                add(0x800 + 0x80 * c + 4 * i, 0, 0);
            }
        }
    }
    Plain* find(u32 address)
    {
        for (Plain& r : registers) {
            if (r.address == (address & ~3u)) {
                return &r;
            }
        }
        return nullptr;
    }
    u32 write(u32 address, u32 data, u32 strobes)
    {
        u32 mask = 0;
        for (u32 i = 0; i < 4; ++i) {
            mask |= (strobes >> i & 1) != 0 ? 0xffu << 8 * i : 0;
        }
        switch (address & ~3u) {
        case 0x080: // doorbell: the tag is out of range
            find(0x030)->value |= (data & mask & 1) << 3;
            return kOkay;
        case 0x09c: // nothing to pop
            return kSlverr;
        case 0x030:
            find(0x030)->value &= ~(data & mask & 0xe);
            return kOkay;
        default:
            break;
        }
        Plain* const r = find(address);
        if (r == nullptr || r->writable == 0) {
            return kSlverr;
        }
        mask &= r->writable;
        r->value = (r->value & ~mask) | (data & mask);
        return kOkay;
    }
    bool interrupt() { return ((find(0x030)->value | find(0x038)->value) & find(0x034)->value) != 0; }
    std::vector<Plain> registers;

private:
    void add(u32 address, u32 writable, u32 value) { registers.push_back({address, writable, value}); }
};

} // namespace tlmssd::tb
