// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what stood in a request's way, for the sentence in `worst[].cause`.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::probes {

/// Use of a die or a channel when others wait for it.
enum class Use : u8 {
    HostRead,
    HostProgram,
    GcRead,
    GcProgram,
    GcErase,
    Other, ///< RESET, SET FEATURES, status
    Free   ///< nothing that was seen: an order kept others from using it
};
inline constexpr std::size_t kUses = 7;

/// The longest of several waits for resources of one kind.
struct Wait {
    Picoseconds time;
    u32 where = 0; ///< die over the device, or channel
    Use use = Use::Free; ///< what took most of the time

    void keep_longest(const Wait& other)
    {
        if (time < other.time) {
            *this = other;
        }
    }
};

struct Facts {
    Wait die;
    Wait bus;
    Picoseconds no_line; ///< without a page buffer
    u32 op_die = 0;      ///< of the flash operation that ended last
    u16 retries = 0;     ///< pages read again
    u16 failures = 0;    ///< operations that did not end well
    bool programmed = false; ///< that operation was a program
    bool flash = false;      ///< there was one
    bool parked = false;     ///< waited for a free block
    u8 held = 0;             ///< fw_held: why hil kept its pages back; 0: it did not

    /// As built, in place.
    void clear()
    {
        die.time = bus.time = no_line = Picoseconds();
        die.where = bus.where = op_die = 0;
        die.use = bus.use = Use::Free;
        retries = failures = 0;
        programmed = flash = parked = false;
        held = 0;
    }
    void add(const Facts& other)
    {
        die.keep_longest(other.die);
        bus.keep_longest(other.bus);
        no_line += other.no_line;
        retries = static_cast<u16>(retries + other.retries);
        failures = static_cast<u16>(failures + other.failures);
        parked = parked || other.parked;
        if (other.flash) {
            flash = true;
            op_die = other.op_die;
            programmed = other.programmed;
        }
    }
};

} // namespace tlmssd::probes
