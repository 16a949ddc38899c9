// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what one flash operation says of another.
#include "tb/rtl/op_rules.h"

namespace tlmssd::tb {

bool OpRules::legal(const flash_op& op) const
{
    return op.opcode >= 1 && op.opcode <= 4 && op.channel < geometry_.channels &&
           op.ce < geometry_.ces_per_channel() && op.lun < geometry_.luns_per_ce() &&
           op.nplanes >= 1 && op.nplanes <= 4;
}

std::vector<u32> OpRules::luns_held(const flash_op& op) const
{
    std::vector<u32> luns;
    if (op.opcode == FLASH_OP_RESET) {
        for (u32 lun = 0; lun < geometry_.luns_per_ce(); ++lun) {
            luns.push_back(geometry_.die_index_ce(op.channel, op.ce, lun));
        }
    } else {
        luns.push_back(lun_of(op));
    }
    return luns;
}

bool OpRules::depends(const flash_op& younger, const flash_op& older) const
{
    if (luns_held(younger) != luns_held(older)) {
        const bool reset = younger.opcode == FLASH_OP_RESET || older.opcode == FLASH_OP_RESET;
        return reset && younger.channel == older.channel && younger.ce == older.ce;
    }
    if (younger.opcode == FLASH_OP_RESET || older.opcode == FLASH_OP_RESET) {
        return true;
    }
    if (younger.opcode == FLASH_OP_READ && older.opcode == FLASH_OP_READ) {
        return false;
    }
    const bool erase = younger.opcode == FLASH_OP_ERASE || older.opcode == FLASH_OP_ERASE;
    const u32 shift = erase || younger.opcode == older.opcode ? geometry_.page_bits() : 0;
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
