// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: building event queue, observers and SSD in the order that they need.
#include "models/ssd/assembly.h"

#include "models/nand/store/store_file.h"

namespace tlmssd::ssd {

time::Backend timer_backend(const config::Config& config)
{
    return config.timer_backend == config::TimerBackend::Kernel ? time::Backend::Kernel : time::Backend::Queue;
}

std::unique_ptr<host::ExpectedVersions> expected_versions(const config::Config& config)
{
    const u32 sectors = config.geometry.sectors_per_unit();
    auto versions = std::make_unique<host::ExpectedVersions>(config.logical_sectors() / sectors);
    if (config.data == config::DataKind::Full) {
        versions->carry_bytes(sectors, config.seed);
    }
    return versions;
}

void bring_up(Ssd& ssd, const config::Config& config, const nand::StoreFile* cells)
{
    const std::unique_ptr<host::ExpectedVersions> versions = expected_versions(config);
    if (cells != nullptr && !cells->fresh()) {
        ssd.adopt(*versions);
    } else {
        ssd.precondition(*versions);
    }
}

Assembly::Assembly(const config::Config& config, const Recordings& recordings, SsdTaps taps,
                   const SsdOptions& options)
    : waves_(recordings.waves.on() ? std::make_unique<probes::WaveRecorder>(recordings.waves, probes::WaveDevice::of(config))
                                 : nullptr),
      timeline_(recordings.timeline.empty()
                    ? nullptr
                    : std::make_unique<observe::Timeline>(recordings.timeline, recordings.timeline_window)),
      timeline_tap_(timeline_ ? std::make_unique<probes::TimelineTap>(*timeline_, probes::TimelineDevice::of(config))
                              : nullptr),
      event_queue_("event_queue", timer_backend(config)),
      ssd_("ssd", event_queue_, config, with_recordings(taps), options)
{
}

SsdTaps Assembly::with_recordings(SsdTaps taps) const
{
    taps.waves = waves_.get();
    taps.timeline = timeline_tap_.get();
    return taps;
}

void Assembly::open_timeline()
{
    if (timeline_) {
        timeline_->open();
    }
}

std::vector<std::string> Assembly::failures() const
{
    std::vector<std::string> texts;
    if (const std::exception_ptr error = event_queue_.failure()) {
        try {
            std::rethrow_exception(error);
        } catch (const std::exception& e) {
            texts.push_back(e.what());
        }
    }
    for (const std::string& text : ssd_.violation_texts()) {
        texts.push_back(text);
    }
    return texts;
}

void Assembly::elaborate()
{
    event_queue_.set_limit(Picoseconds()); // let nobody run ahead of the workload
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    event_queue_.set_limit(kTimeNever);
    if (waves_) {
        waves_->open();
    }
}

void Assembly::run()
{
    event_queue_.run_to_the_end();
    sc_core::sc_start();
}

void Assembly::close(Picoseconds end)
{
    if (waves_) {
        waves_->close(end);
    }
    if (timeline_) {
        timeline_tap_->close(end);
        timeline_->close();
    }
}

} // namespace tlmssd::ssd
