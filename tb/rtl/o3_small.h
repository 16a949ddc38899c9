// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_top in a second shape, for tests: 4x4, with stations that are no power of two.
#pragma once

#include <memory>

#include "models/flash/rtl/rtl_model.h"

namespace tlmssd::tb {

inline constexpr u32 kSmallChannels = 4, kSmallLuns = 4, kSmallTags = 64, kSmallStations = 6;
std::unique_ptr<flash::RtlModelIf> make_small_o3();

struct Mix;
/// The random load of that shape for this seed: geometries, modes, suspends, polls and read retry take turns.
Mix small_mix(u64 seed);

} // namespace tlmssd::tb
