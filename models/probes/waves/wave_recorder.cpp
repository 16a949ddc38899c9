// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which taps a run has, by its options.
#include "models/probes/waves/wave_recorder.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/common/error.h"

namespace tlmssd::probes {

WaveRecorder::WaveRecorder(const WaveOptions& options, const WaveDevice& device)
    : options_(options), device_(device), waves_(options.file), names_(waves_),
      owners_(device.tags)
{
    constexpr u32 kMaxPins = 32; // of onfi::Pins::ce_n
    const u32 ces = device.geometry.ces_per_channel();
    if (options.pins() && ces > kMaxPins) {
        throw InputError("--waves-view: pins are drawn for at most " + std::to_string(kMaxPins) +
                         " CE# per channel, and the device has " + std::to_string(ces));
    }
    waves_.window(options.from, options.to);
}

onfi::PinObserverIf* WaveRecorder::pins_of(u32 channel)
{
    WaveTap* const tap = channel < tap_of_channel_.size() ? tap_of_channel_[channel] : nullptr;
    return tap != nullptr ? tap->live_pins() : nullptr;
}

onfi::BusObserverIf* WaveRecorder::observer_of(u32 channel)
{
    tap_of_channel_.resize(std::max<std::size_t>(tap_of_channel_.size(), channel + 1), nullptr);
    if (!options_.shows(channel)) {
        return nullptr;
    }
    const std::string scope = "ssd.channel" + std::to_string(channel);
    const Geometry& g = device_.geometry;
    std::unique_ptr<WaveBus> bus;
    std::unique_ptr<WaveDies> dies;
    std::unique_ptr<WavePins> pins;
    if (options_.decoded()) {
        bus = std::make_unique<WaveBus>(waves_, names_, scope + ".bus", owners_);
        dies = std::make_unique<WaveDies>(waves_, names_, scope, g);
    }
    if (options_.pins()) {
        pins = std::make_unique<WavePins>(waves_, scope + ".pins", g, device_.width,
                                          device_.rtl_pins);
    }
    taps_.push_back(std::make_unique<WaveTap>(std::move(bus), std::move(dies), std::move(pins)));
    tap_of_channel_[channel] = taps_.back().get();
    return taps_.back().get();
}

flash::ControllerIf& WaveRecorder::tap_controller(flash::ControllerIf& controller,
                                                  const time::EventQueue& event_queue)
{
    controller_ = std::make_unique<WaveController>(waves_, names_, device_.geometry,
                                                   options_.channels, event_queue, controller, owners_);
    return *controller_;
}

host::DeviceLinkIf& WaveRecorder::tap_host(host::DeviceLinkIf& device,
                                           const time::EventQueue& event_queue)
{
    host_ = std::make_unique<WaveHost>(waves_, event_queue, device);
    return *host_;
}

cpu::StepObserverIf& WaveRecorder::tap_firmware(const fw& firmware, cpu::StepObserverIf* next)
{
    firmware_ = &firmware;
    steps_ = std::make_unique<WaveFirmware>(waves_, names_, firmware, owners_, next);
    return *steps_;
}

void WaveRecorder::open()
{
    if (steps_) {
        steps_->show(*firmware_, Picoseconds());
    }
    waves_.open();
}

void WaveRecorder::close(Picoseconds end) { waves_.close(end); }

} // namespace tlmssd::probes
