// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the requests of a device whose host is a platform: sums of stages by kind, the slowest, a log.
#pragma once

#include <memory>
#include <vector>

#include "models/observe/request_log.h"
#include "models/probes/stages/slowest_requests.h"
#include "models/probes/timeline/timeline_tap.h"
#include "models/ssd/assembly.h"
#include "models/ssd/include/tlmssd/ssd_observation.h"

namespace tlmssd::ssd {

/// Make it, give it to the SSD as SsdTaps::requests, then bind() what the SSD has built.
class DeviceRequests final : public host::RequestObserverIf {
public:
    struct Kind {
        u64 count = 0, errors = 0; ///< that have ended, well or not
        observe::StageSums stages; ///< of those that ended well
    };

    /// InputError: the log cannot be written.
    explicit DeviceRequests(const SsdObservation& wanted);

    /// Whether the SSD has to follow stages for it.
    static bool follows_stages(const SsdObservation& wanted, const config::Config& config)
    {
        return (wanted.stages && config.observe.stages) || !wanted.log.empty();
    }
    /// The recordings of an Assembly for it.
    static Recordings recordings_of(const SsdObservation& wanted);
    /// The taps of an SSD that shows its commands to `requests`.
    static SsdTaps taps_of(DeviceRequests& requests);

    /// Either may be null.
    void bind(probes::StageTracker* stages, probes::TimelineTap* timeline);
    void on_issued(const host::RequestRecord& request) override;
    void on_request(const host::RequestRecord& request) override;
    /// Completes the log. InputError.
    void close();

    bool has_stages() const { return stages_ != nullptr; }
    /// `opcode`: HAL_HOST_READ, WRITE, FLUSH or TRIM.
    const Kind& kind(u8 opcode) const { return kinds_[opcode]; }
    /// Reads and writes, slowest first.
    std::vector<probes::WorstRequest> slowest() const { return worst_.sorted(); }

private:
    static constexpr std::size_t kOpcodes = HAL_HOST_TRIM + 1;

    void log(const host::RequestRecord& request, const probes::EndedStages& stages);

    probes::StageTracker* stages_ = nullptr;
    probes::TimelineTap* timeline_ = nullptr;
    std::array<Kind, kOpcodes> kinds_{};
    probes::WorstList worst_;
    std::unique_ptr<observe::RequestLog> log_;
};

} // namespace tlmssd::ssd
