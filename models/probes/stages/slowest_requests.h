// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the slowest requests of a run, and why they were slow.
#pragma once

#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/host/request_record.h"
#include "models/probes/stages/stage_tracker.h"

namespace tlmssd::probes {

struct WorstRequest {
    hal_host_command command{};
    u32 job = 0;
    Picoseconds arrival, issued, ended;
    observe::StageTimes times{};
    Facts facts;
    u32 flash_ops = 0;
    bool hit = false;
    u64 order = 0; ///< of its end

    Picoseconds latency() const { return ended - issued; }
};

/// The kMost requests with the longest latencies; of equal ones those that ended first.
class WorstList {
public:
    static constexpr std::size_t kMost = 100;

    WorstList() { heap_.reserve(kMost); }
    /// Returns whether it has come into the list.
    bool consider(const host::RequestRecord& request, const EndedStages& stages)
    {
        ++order_;
        if (heap_.size() < kMost || heap_.front().latency() < request.ended - request.issued) {
            insert(request, stages);
            return true;
        }
        return false;
    }
    void clear() { heap_.clear(); }
    /// Requests that are faster have no place in the list.
    Picoseconds least() const
    {
        return heap_.size() < kMost ? Picoseconds() : heap_.front().latency();
    }
    /// Slowest first.
    std::vector<WorstRequest> sorted() const;

private:
    void insert(const host::RequestRecord& request, const EndedStages& stages);

    std::vector<WorstRequest> heap_; ///< the one to go first is in front
    u64 order_ = 0;
};

/// The part of a device's configuration that the causes need.
struct CauseDevice {
    Geometry geometry;
    config::Scheduler scheduler{};
    config::HostKind host{};
    config::Sata sata;
    config::Pcie pcie;

    static CauseDevice of(const config::Config& config)
    {
        return {config.geometry, config.scheduler, config.host.kind, config.sata, config.pcie};
    }
};

/// One sentence: the largest stage of the request and what stood in the way, such as "waited 2.10 ms
/// (81 %) for die 3/1/0, which was erasing for garbage collection".
std::string cause_of(const WorstRequest& request, const CauseDevice& device);

/// Three digits and a unit: "2.10 ms", "850 ns".
std::string time_in_words(Picoseconds time);

} // namespace tlmssd::probes
