// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI segments for tests, written byte by byte.
#pragma once

#include <initializer_list>

#include "models/onfi/bus/segment.h"

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
    s.narrow = true;
    return s;
}

/// 78h R3 and one byte
inline Segment read_status_enhanced(u32 row, DataCells& cells)
{
    Segment s;
    s.command(0x78);
    addresses(s, {row & 0xff, (row >> 8) & 0xff, row >> 16});
    s.burst(DataDirection::Out, 1, &cells);
    s.narrow = true;
    return s;
}

/// A single command cycle, FFh for instance.
inline Segment lone_command(u8 byte)
{
    Segment s;
    s.command(byte);
    return s;
}

/// A command and three row cycles: suspend (84h, 61h), resume (13h, D2h), RESET LUN (FAh).
inline Segment row_command(u8 byte, u32 row)
{
    Segment s;
    s.command(byte);
    addresses(s, {row & 0xff, (row >> 8) & 0xff, row >> 16});
    return s;
}

/// 80h C2R3 data without an end; bytes may be 0: no burst
inline Segment open_program(u32 row, u32 column, u32 bytes, DataCells& cells)
{
    Segment s;
    s.command(0x80);
    column_row(s, column, row);
    if (bytes > 0) {
        s.burst(DataDirection::In, bytes, &cells);
    }
    return s;
}

/// 85h C2 data: another column of the open program
inline Segment write_column(u32 column, u32 bytes, DataCells& cells)
{
    Segment s;
    s.command(0x85);
    addresses(s, {column & 0xff, column >> 8});
    s.burst(DataDirection::In, bytes, &cells);
    return s;
}

/// 85h C2R3 [data] 10h (or 11h): COPYBACK PROGRAM
inline Segment copyback_program(u32 row, u32 column, u32 bytes, DataCells& cells, u8 confirm = 0x10)
{
    Segment s;
    s.command(0x85);
    column_row(s, column, row);
    if (bytes > 0) {
        s.burst(DataDirection::In, bytes, &cells);
    }
    s.command(confirm);
    return s;
}

/// 90h, ECh or EDh and its address
inline Segment read_register(u8 byte, u8 address)
{
    Segment s;
    s.command(byte);
    s.address(address);
    return s;
}

/// Register bytes without any cycle before them.
inline Segment register_out(u32 bytes, DataCells& cells)
{
    Segment s = direct_out(bytes, cells);
    s.narrow = true;
    return s;
}

/// 90h, its address, and `bytes` of the ID
inline Segment read_id(u8 address, u32 bytes, DataCells& cells)
{
    Segment s = read_register(0x90, address);
    s.burst(DataDirection::Out, bytes, &cells);
    s.narrow = true;
    return s;
}

/// EFh, feature, P1 to P4 from cells.bytes
inline Segment set_features(u8 feature, DataCells& cells)
{
    Segment s = read_register(0xef, feature);
    s.burst(DataDirection::In, 4, &cells);
    s.narrow = true;
    return s;
}

/// D5h, LUN, feature, P1 to P4 from cells.bytes
inline Segment lun_set_features(u8 lun, u8 feature, DataCells& cells)
{
    Segment s = read_register(0xd5, lun);
    s.address(feature);
    s.burst(DataDirection::In, 4, &cells);
    s.narrow = true;
    return s;
}

/// D4h, LUN, feature
inline Segment lun_get_features(u8 lun, u8 feature)
{
    Segment s = read_register(0xd4, lun);
    s.address(feature);
    return s;
}

} // namespace tlmssd::tb
