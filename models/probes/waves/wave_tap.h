// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one channel's observer for the wave file: decoded bus and dies, pins, or both.
#pragma once

#include <memory>

#include "models/onfi/bus/bus_if.h"
#include "models/probes/waves/wave_bus.h"
#include "models/probes/waves/wave_dies.h"
#include "models/probes/waves/wave_pins.h"

namespace tlmssd::probes {

/// Parts that are not wanted are null.
class WaveTap final : public onfi::BusObserverIf {
public:
    WaveTap(std::unique_ptr<WaveBus> bus, std::unique_ptr<WaveDies> dies,
            std::unique_ptr<WavePins> pins);

    void on_started(u32 channel, const onfi::Segment& segment) override;
    void on_observed(u32 channel, const onfi::Segment& segment) override;
    /// Null where pins are not wanted, or drawn from segments.
    onfi::PinObserverIf* live_pins() { return pins_ && pins_->live() ? pins_.get() : nullptr; }
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;
    void on_array_edge(u32 channel, u32 ce, u32 lun, bool busy, Picoseconds when) override;

private:
    std::unique_ptr<WaveBus> bus_;
    std::unique_ptr<WaveDies> dies_;
    std::unique_ptr<WavePins> pins_;
};

} // namespace tlmssd::probes
