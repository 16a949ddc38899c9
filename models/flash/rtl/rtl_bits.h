// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fields of Verilated ports, whose C++ type depends on the port's width.
#pragma once

#include <verilated.h>

#include "models/common/types.h"

namespace tlmssd::flash {

/// Bits [lsb, lsb + width) of a port of at most 64 bits; width <= 32.
template <class Port>
u32 port_bits(const Port& port, u32 lsb, u32 width)
{
    return static_cast<u32>((u64{port} >> lsb) & ((u64{1} << width) - 1));
}

/// The same of a wide port; the field does not straddle a 32-bit word.
template <std::size_t Words>
u32 port_bits(const VlWide<Words>& port, u32 lsb, u32 width)
{
    return static_cast<u32>((u64{port[lsb / 32]} >> (lsb % 32)) & ((u64{1} << width) - 1));
}

template <class Port>
void set_port_bits(Port& port, u32 lsb, u32 width, u32 value)
{
    const u64 mask = ((u64{1} << width) - 1) << lsb;
    port = static_cast<Port>((u64{port} & ~mask) | ((u64{value} << lsb) & mask));
}

template <std::size_t Words>
void set_port_bits(VlWide<Words>& port, u32 lsb, u32 width, u32 value)
{
    const u64 mask = ((u64{1} << width) - 1) << (lsb % 32);
    EData& word = port[lsb / 32];
    word = static_cast<EData>((word & ~mask) | ((u64{value} << (lsb % 32)) & mask));
}

} // namespace tlmssd::flash
