// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command sequence that is open on a CE#, kept between segments.
#pragma once

#include "models/onfi/bus/segment.h"

namespace tlmssd::nand {

/// First command, address cycles, and how far a program has come.
struct CommandSequence {
    static constexpr u32 kNone = 0x100; ///< no sequence open (00h is a command)
    static constexpr u32 kRowCycles = 3;
    static constexpr u32 kColumnCycles = 2;
    static constexpr u32 kMaxAddresses = kColumnCycles + kRowCycles;

    u32 first = kNone;        ///< its first command byte
    u32 address_count = 0;
    u64 addresses = 0;        ///< address cycles, the first in the low byte
    bool dead = false;        ///< it broke a rule: its rest has no effect
    bool programming = false; ///< 80h or 85h and its address are accepted
    bool changing = false;    ///< 85h inside a program: its address is still to come

    bool is_open() const { return first != kNone; }
    /// 00h alone: back to data output.
    bool bare_read() const { return first == onfi::cmd::kRead && address_count == 0; }
    /// Only a bare 00h, and what has broken a rule, may be left without an end.
    bool may_be_left() const { return !is_open() || bare_read() || dead; }
    void open(u8 byte)
    {
        first = byte;
        clear_address();
        dead = false;
        programming = false;
        changing = false;
    }
    /// The addresses stay readable.
    void end()
    {
        first = kNone;
        dead = false;
        programming = false;
        changing = false;
    }
    void clear_address()
    {
        address_count = 0;
        addresses = 0;
    }
    /// `count` address cycles; the first kMaxAddresses of them are in `value`.
    void add(u64 value, u32 count)
    {
        if (address_count < kMaxAddresses) {
            addresses |= value << (8 * address_count);
        }
        address_count += count;
    }
    u32 column() const { return static_cast<u32>(addresses & 0xffff); }
    u32 row_after_column() const { return static_cast<u32>(addresses >> 16) & 0xffffff; }
    u32 row() const { return static_cast<u32>(addresses) & 0xffffff; }
};

} // namespace tlmssd::nand
