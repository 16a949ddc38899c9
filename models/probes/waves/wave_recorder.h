// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the wave file of one run and everything that writes into it.
#pragma once

#include <memory>
#include <vector>

#include "models/config/config.h"
#include "models/observe/fst/waves.h"
#include "models/probes/waves/wave_options.h"
#include "models/probes/waves/wave_interfaces.h"
#include "models/probes/waves/wave_tap.h"

namespace tlmssd::probes {

/// The part of a device's configuration that waves need.
struct WaveDevice {
    Geometry geometry;
    u32 width = 8;         ///< DQ lines
    u32 tags = 0;          ///< flash operations in flight
    bool rtl_pins = false; ///< an RTL PHY drives the pins

    static WaveDevice of(const config::Config& config)
    {
        return {config.geometry, config.onfi.width, config.controller.tags,
                config.controller.kind == config::ControllerKind::RtlPins};
    }
};

/// Each tap_...() puts a tap in front of what it is given and answers what to use instead, as
/// long as the recorder lives; all before open(). Taps change nothing.
class WaveRecorder {
public:
    /// InputError: the options do not fit the device.
    WaveRecorder(const WaveOptions& options, const WaveDevice& device);

    /// For RTL, which brings its own signals.
    observe::Waves& waves() { return waves_; }

    /// A further observer of the channel; null where the channel is filtered out.
    onfi::BusObserverIf* observer_of(u32 channel);
    /// Of a channel whose pins an RTL PHY drives, after observer_of(); null where they are not
    /// shown.
    onfi::PinObserverIf* pins_of(u32 channel);
    flash::ControllerIf& tap_controller(flash::ControllerIf& controller,
                                        const time::EventQueue& event_queue);
    host::DeviceLinkIf& tap_host(host::DeviceLinkIf& device, const time::EventQueue& event_queue);
    /// `firmware` is booted; `next` may be null.
    cpu::StepObserverIf& tap_firmware(const fw& firmware, cpu::StepObserverIf* next);

    /// After preconditioning.
    void open();
    void close(Picoseconds end);

private:
    WaveOptions options_;
    WaveDevice device_;
    observe::Waves waves_;
    WaveNames names_;
    WaveOwners owners_;
    const fw* firmware_ = nullptr;
    std::vector<std::unique_ptr<WaveTap>> taps_;
    std::vector<WaveTap*> tap_of_channel_; ///< null where filtered out
    std::unique_ptr<WaveController> controller_;
    std::unique_ptr<WaveHost> host_;
    std::unique_ptr<WaveFirmware> steps_;
};

} // namespace tlmssd::probes
