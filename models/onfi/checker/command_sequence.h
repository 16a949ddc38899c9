// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the command sequence that is open on a CE#.
#pragma once

#include "models/onfi/bus/violation.h"
#include "models/onfi/checker/part_limits.h"

namespace tlmssd::onfi {

/// The cycles that one target has got so far, kept between segments.
struct CommandSequence {
    u64 address = 0;        ///< address cycles, the first in the low byte
    u64 from = 0;           ///< first cycle of the segment in which the sequence was opened
    u32 cycles = 0;         ///< address cycles seen
    u8 opener = 0;          ///< the first command
    bool open = false;
    bool spoiled = false;   ///< the sequence broke a rule, its rest is not judged
    bool row_done = false;  ///< 80h, 85h: row taken
    bool change = false;    ///< 85h inside a program: its address is being collected
    bool status = false;    ///< bursts out are status bytes
    bool registers = false; ///< bursts out are ID, parameter page or feature bytes
    u8 lun = 0;             ///< the LUN that the bus talks to
    RowAddress row;         ///< of the program that is open
    Cycle opened;           ///< the cycle of `opener`
    Cycle last;             ///< seen on this CE#

    u32 column() const { return static_cast<u32>(address) & 0xffff; }
    u64 row_after_column() const { return address >> 16; }
    /// Bursts out deliver page data again.
    void deliver_page()
    {
        status = false;
        registers = false;
    }
};

} // namespace tlmssd::onfi
