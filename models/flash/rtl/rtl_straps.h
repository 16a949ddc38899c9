// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: does a geometry fit into a built RTL controller?
#pragma once

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/flash/rtl/rtl_model.h"

namespace tlmssd::flash {

/// Straps for `geometry`. InputError, naming the CMake variable, when `shape` is too small for it or
/// for `config.tags`.
RtlStraps rtl_straps(const config::Controller& config, const Geometry& geometry,
                     const RtlShape& shape);

/// Ticks for which the line of a LUN is not looked at after a command: its fall, the synchroniser's two flops and
/// the edge that sees the segment's end.
u32 ready_mask(Picoseconds falls_within, Picoseconds period);

/// Ticks of 2^16 ps that last `key` and `more` at least from any moment inside one on; 0 for none.
/// InputError above what the RTL's timers reach: `name` is the key's.
u32 rtl_ticks(const char* name, Picoseconds key, Picoseconds more = Picoseconds());

} // namespace tlmssd::flash
