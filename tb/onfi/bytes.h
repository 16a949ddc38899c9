// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI segments for tests, written byte by byte.
#pragma once

#include <initializer_list>

#include "models/onfi/segment.h"

namespace tlmssd::tb {

using onfi::DataCells;
using onfi::DataDirection;
using onfi::Segment;

/// Appends `bytes` as address cycles.
inline void addresses(Segment& s, std::initializer_list<u32> bytes)
{
    for (const u32 byte : bytes) {
        s.address(static_cast<u8>(byte));
    }
}

inline void column_row(Segment& s, u32 column, u32 row)
{
    addresses(s, {column & 0xff, column >> 8, row & 0xff, (row >> 8) & 0xff, row >> 16});
}

/// 00h C2R3 30h (or 32h)
inline Segment read_command(u32 row, u32 column = 0, u8 confirm = 0x30)
{
    Segment s;
    s.command(0x00);
    column_row(s, column, row);
    s.command(confirm);
    return s;
}

/// A burst out without any cycle before it.
inline Segment direct_out(u32 bytes, DataCells& cells)
{
    Segment s;
    s.burst(DataDirection::Out, bytes, &cells);
    return s;
}

/// 06h C2R3 E0h and a burst out
inline Segment enhanced_out(u32 row, u32 column, u32 bytes, DataCells& cells)
{
    Segment s;
    s.command(0x06);
    column_row(s, column, row);
    s.command(0xe0);
    s.burst(DataDirection::Out, bytes, &cells);
    return s;
}

/// 05h C2 E0h and a burst out
inline Segment column_out(u32 column, u32 bytes, DataCells& cells)
{
    Segment s;
    s.command(0x05);
    addresses(s, {column & 0xff, column >> 8});
    s.command(0xe0);
    s.burst(DataDirection::Out, bytes, &cells);
    return s;
}

/// 80h C2R3 data 10h (or 11h)
inline Segment program(u32 row, u32 column, u32 bytes, DataCells& cells, u8 confirm = 0x10)
{
    Segment s;
    s.command(0x80);
    column_row(s, column, row);
    s.burst(DataDirection::In, bytes, &cells);
    s.command(confirm);
    return s;
}

/// 60h R3 D0h (or D1h)
inline Segment erase(u32 row, u8 confirm = 0xd0)
{
    Segment s;
    s.command(0x60);
    addresses(s, {row & 0xff, (row >> 8) & 0xff, row >> 16});
    s.command(confirm);
    return s;
}

/// 70h and one byte
inline Segment read_status(DataCells& cells)
{
    Segment s;
    s.command(0x70);
    s.burst(DataDirection::Out, 1, &cells);
    return s;
}

/// 78h R3 and one byte
inline Segment read_status_enhanced(u32 row, DataCells& cells)
{
    Segment s;
    s.command(0x78);
    addresses(s, {row & 0xff, (row >> 8) & 0xff, row >> 16});
    s.burst(DataDirection::Out, 1, &cells);
    return s;
}

/// A single command cycle, FFh for instance.
inline Segment lone_command(u8 byte)
{
    Segment s;
    s.command(byte);
    return s;
}

} // namespace tlmssd::tb
