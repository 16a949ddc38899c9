// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what of a run goes into the wave file, and the command line's words for it.
#pragma once

#include <optional>
#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::probes {

enum class WaveView : u8 { Decoded, Pins, Both };

struct WaveOptions {
    std::string file; ///< FST; empty: no waves
    WaveView view = WaveView::Decoded;
    Picoseconds from;
    Picoseconds to = kTimeNever;
    u32 channels = ~u32{0}; ///< bit c: buses and dies of channel c

    bool on() const { return !file.empty(); }
    bool decoded() const { return view != WaveView::Pins; }
    bool pins() const { return view != WaveView::Decoded; }
    bool shows(u32 channel) const { return (channels >> channel) & 1; }
};

/// The options as typed; nullopt: not given.
struct WaveArguments {
    std::optional<std::string> file;
    std::optional<std::string> view;
    std::optional<std::string> from;
    std::optional<std::string> to;
    std::optional<std::string> channels;
};

/// InputError names the option, what is wrong with it and what would be right. `channels`: of the
/// device.
WaveOptions parse_wave_options(const WaveArguments& arguments, u32 channels);

} // namespace tlmssd::probes
