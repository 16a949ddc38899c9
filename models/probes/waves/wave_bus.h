// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the decoded state of one ONFI bus in the wave file.
#pragma once

#include <string>
#include <vector>

#include "models/observe/fst/waves.h"
#include "models/onfi/bus/segment.h"
#include "models/probes/waves/wave_names.h"

namespace tlmssd::probes {

/// The owner of a segment (its flash tag); filled by the taps above the bus.
struct WaveOwner {
    u8 operation = kNoOperation; ///< FLASH_OP_*
    u8 stream = kNoStream;
    u32 request = 0;             ///< running number of the host command; 0: none
};
using WaveOwners = std::vector<WaveOwner>;

/// When the parts of a segment pass (docs/explanation/onfi.md). Before first_cycle CE# is low already.
struct SegmentTimes {
    Picoseconds first_cycle; ///< lead cycles follow each other
    Picoseconds lead_end;
    Picoseconds burst;       ///< first byte; burst_end where there is none
    Picoseconds burst_end;   ///< last byte, without postamble
    Picoseconds trail;       ///< first closing cycle; the end where there is none
};

/// Of a segment whose start, end and timing are set.
SegmentTimes times_of(const onfi::Segment& segment);

/// Writes a segment ahead when it takes the bus.
class WaveBus {
public:
    /// Signals `scope`.phase, .opcode, ...
    WaveBus(observe::Waves& waves, const WaveNames& names, const std::string& scope,
            const WaveOwners& owners);

    void started(const onfi::Segment& segment, const SegmentTimes& times);
    void ended(const onfi::Segment& segment);

private:
    void cycles(const onfi::Segment& segment, u32 begin, u32 end, Picoseconds at);
    void phase(BusPhase value, Picoseconds at)
    {
        waves_.schedule(phase_, static_cast<u64>(value), at);
    }

    observe::Waves& waves_;
    const WaveOwners& owners_;
    u32 phase_, opcode_, byte_, column_, row_, ce_, direction_, bytes_, owner_, operation_;
    u32 stream_, request_, status_, count_;
    u64 segments_ = 0;
};

} // namespace tlmssd::probes
