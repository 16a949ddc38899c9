// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: taking the place of functions inside Unicorn: fast stores, and memory with wait states.
#pragma once

#include "models/common/types.h"

namespace tlmssd::cpu {

/// Memory with wait states, and registers, of the simulator that runs.
class SlowMemoryIf {
public:
    virtual ~SlowMemoryIf() = default;
    /// Charge an access and give its bytes; nullptr: the address is of other memory.
    virtual u8* access(u32 address, u32 bytes, bool is_store) = 0;
    virtual bool has(u32 address) const = 0;
    /// Charge an access to a whole register and do it; false: the address is of something else.
    virtual bool load_register(u32 address, u32& value) = 0;
    virtual bool store_register(u32 address, u32 value) = 0;
};

/// From here on this thread runs code over that memory; nullptr: nothing is taken over. Returns what it was.
SlowMemoryIf* take_over(SlowMemoryIf* memory);

/// Whether this Unicorn calls the functions that take the place of its own, tried on a program with one
/// access of each kind.
bool can_take_over();

} // namespace tlmssd::cpu
