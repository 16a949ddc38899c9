// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: flash operations of the unit benches, and the table of dependencies of docs/explanation/o3.md.
#pragma once

#include "firmware/hal/flash_op.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {

/// A READ, PROGRAM or ERASE with rows out of few, so that operations meet; every field is drawn.
inline flash_op random_unit_op(Random& random, u16 tag, u32 rows)
{
    flash_op op{};
    op.tag = tag;
    const u32 kind = random.below(8);
    op.opcode = kind < 4 ? FLASH_OP_READ : kind < 7 ? FLASH_OP_PROGRAM : FLASH_OP_ERASE;
    op.nplanes = static_cast<u8>(1 + random.below(4));
    op.stream = static_cast<u16>(random.below(4));
    op.seq = static_cast<u16>(random.word());
    for (u32 p = 0; p < 4; ++p) {
        op.row[p] = random.below(rows);
        op.buf[p] = static_cast<u32>(random.word());
        op.col[p] = static_cast<u8>(random.word());
        op.len[p] = static_cast<u8>(random.word());
    }
    op.oob = random.percent(30) ? FLASH_NO_OOB : random.below(1u << 30);
    op.cookie = static_cast<u32>(random.word());
    return op;
}

/// docs/explanation/o3.md, "Dependencies", for two operations of one LUN: the younger has to wait for the older.
inline bool depends_on(const flash_op& younger, const flash_op& older, u32 page_bits)
{
    if (younger.opcode == FLASH_OP_READ && older.opcode == FLASH_OP_READ) {
        return false;
    }
    const bool page_grain = younger.opcode != FLASH_OP_ERASE && older.opcode != FLASH_OP_ERASE &&
                            !(younger.opcode == FLASH_OP_PROGRAM && older.opcode == FLASH_OP_PROGRAM);
    const u32 shift = page_grain ? 0 : page_bits;
    for (u32 i = 0; i < younger.nplanes; ++i) {
        for (u32 j = 0; j < older.nplanes; ++j) {
            if (younger.row[i] >> shift == older.row[j] >> shift) {
                return true;
            }
        }
    }
    return false;
}

} // namespace tlmssd::tb
