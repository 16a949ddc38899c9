// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the SystemC side shows in the wave file: buses, ready lines, firmware probes.
#pragma once

#include <vector>

#include "models/common/geometry.h"
#include "models/cpu/native_cpu.h"
#include "models/observe/waves.h"
#include "models/onfi/bus_if.h"

namespace tlmssd::platform {

/// Writes one channel's decoded bus state and R/B# lines, and passes everything on to `next`.
/// A segment is known when it has ended; R/B# edges are shown at once, the bus state of the segment
/// that ended last with its end: `bus.opcode` changes at the end of each segment.
class WaveTap final : public onfi::BusObserverIf {
public:
    /// `next` may be null.
    WaveTap(observe::Waves& waves, u32 channel, const Geometry& geometry,
            onfi::BusObserverIf* next);

    void on_observed(u32 channel, const onfi::Segment& segment) override;
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;

private:
    observe::Waves& waves_;
    onfi::BusObserverIf* next_;
    u32 luns_per_ce_;
    u32 opcode_, ce_, bytes_, count_;
    u64 segments_ = 0;
    std::vector<u32> ready_; ///< signal ids by CE# and LUN
};

/// Show the firmware's probes (firmware/hal/probes.def) under "firmware".
void show_probes(observe::Waves& waves, cpu::NativeCpu& cpu);

} // namespace tlmssd::platform
