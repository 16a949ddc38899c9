// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: NAND parts of tests.
#pragma once

#include "models/config/nand.h"

namespace tlmssd::tb {

/// A part with these array times in us (tR, tPROG, tBERS); all else as in config::Nand.
inline config::Nand make_part(u64 read_us, u64 program_us, u64 erase_us)
{
    config::Nand n;
    n.t_read = microseconds(read_us);
    n.t_program = microseconds(program_us);
    n.t_erase = microseconds(erase_us);
    return n;
}

} // namespace tlmssd::tb
