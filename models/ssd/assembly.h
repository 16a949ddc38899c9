// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the one builder of a run: event queue, observers and an SSD, for every kind of run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/host/expected_versions.h"
#include "models/observe/timeline.h"
#include "models/probes/timeline/timeline_tap.h"
#include "models/probes/waves/wave_recorder.h"
#include "models/ssd/include/tlmssd/ssd.h"
#include "models/time/event_queue.h"

namespace tlmssd::ssd {

/// Files of observers that an Assembly opens and closes itself.
struct Recordings {
    probes::WaveOptions waves;
    std::string timeline; ///< trace events; empty: none
    observe::Timeline::Window timeline_window;
};

/// An event queue and an SSD on it, with the observers of waves and timeline. Build, precondition or mount
/// the SSD, elaborate(), run(), close(). The members stand in the order in which they are built.
class Assembly {
public:
    /// `config` outlives the assembly. InputError: it asks for something that this build lacks, or a file
    /// cannot be written.
    /// `taps.waves` and `taps.timeline` are filled in from `recordings`.
    Assembly(const config::Config& config, const Recordings& recordings, SsdTaps taps, const SsdOptions& options);
    Assembly(config::Config&& config, const Recordings& recordings, SsdTaps taps, const SsdOptions& options) = delete;

    /// Elaborate the design without letting simulated time pass, and open the waves.
    void elaborate();
    /// Let simulated time pass until the queue is stopped or nothing is left to do.
    void run();
    /// Complete the files of waves and timeline; `end`: the last simulated time in them.
    void close(Picoseconds end);
    /// Write the head of the timeline's file; once every observer is bound.
    void open_timeline();
    /// The error that stopped the kernel, and the checker's violations; empty: none.
    std::vector<std::string> failures() const;

    time::EventQueue& event_queue() { return event_queue_; }
    const time::EventQueue& event_queue() const { return event_queue_; }
    Ssd& ssd() { return ssd_; }
    const Ssd& ssd() const { return ssd_; }
    probes::WaveRecorder* waves() { return waves_.get(); }         ///< null without waves
    probes::TimelineTap* timeline_tap() { return timeline_tap_.get(); } ///< null without timeline

private:
    SsdTaps with_recordings(SsdTaps taps) const;

    std::unique_ptr<probes::WaveRecorder> waves_;
    std::unique_ptr<observe::Timeline> timeline_;
    std::unique_ptr<probes::TimelineTap> timeline_tap_;
    time::EventQueue event_queue_;
    Ssd ssd_;
};

/// The back-end that the configuration names.
time::Backend timer_backend(const config::Config& config);

/// The state that the device begins in: what a file that is not new holds, mounted, else what `precondition` asks for.
void bring_up(Ssd& ssd, const config::Config& config, const nand::StoreFile* cells);

/// The data that the host expects to read back from a new device of `config`: none, with bytes under `data: full`.
std::unique_ptr<host::ExpectedVersions> expected_versions(const config::Config& config);

} // namespace tlmssd::ssd
