// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host: takes requests from a workload, issues them under tags, checks what it reads.
#pragma once

#include <array>
#include <exception>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/host/expected_versions.h"
#include "models/host/host_data_if.h"
#include "models/host/initiator_stats.h"
#include "models/host/job_state.h"
#include "models/host/request_record.h"
#include "models/interfaces/device_link_if.h"
#include "models/time/event_queue.h"
#include "models/workload/jobs.h"

namespace tlmssd::host {

/// Told about the run's fate; usually stops the event queue.
class RunListenerIf {
public:
    virtual ~RunListenerIf() = default;
    /// The source is exhausted and no command is open.
    virtual void on_workload_done() = 0;
    /// A wrong tag, a missing sector, or a command that failed on a device whose flash has no
    /// errors; called for each (exit status 3).
    virtual void on_failure(const Failure& failure) = 0;
    /// The source threw, see Initiator::source_error(); no further request is issued.
    virtual void on_source_error() = 0;
};

/// Sees each request that has ended (log, series, timeline). May be absent.
class RequestObserverIf {
public:
    virtual ~RequestObserverIf() = default;
    /// The request has got its tag and goes to the device.
    virtual void on_issued(const RequestRecord& request) { static_cast<void>(request); }
    /// It has ended: READ, WRITE, FLUSH or TRIM, well or not.
    virtual void on_request(const RequestRecord& request) = 0;
};

struct InitiatorOptions {
    u32 tags = 32;
    u32 sectors_per_unit = 8; ///< sectors that have one version: reads are checked by it
    config::LoopMode mode = config::LoopMode::Closed; ///< of the only job, where none are given
    bool errors_allowed = false; ///< the device may end commands with an error

    static InitiatorOptions of(const config::Config& config)
    {
        return {config.host.queue_depth, config.geometry.sectors_per_unit(), config.workload.mode,
                config.operations_fail()};
    }
};

/// Jobs share the tags. Closed loop: a request arrives when one of its job's `iodepth` slots is
/// free for it. Open loop: a request arrives at its time. Each job is a FIFO queue; of the arrived
/// heads the one with the highest priority gets a free tag, then the earliest, then that of the job
/// with the lowest number.
/// FLUSH and TRIM run alone where the link does not queue them: once it is the first choice,
/// nothing else is issued; it waits until no command is open.
/// Commands that overlap take effect in the order of their issue; that is what reads are checked
/// against. Where the configuration gives the flash errors or a fault script, a command may end
/// with an error: it is counted, and after a failed write reads may see what was there before.
/// With bytes in `versions` (`data: full`) each sector carries a pattern that is compared too.
class Initiator : public sc_core::sc_module, public LinkClientIf {
public:
    Initiator(sc_core::sc_module_name name, time::EventQueue& event_queue, const InitiatorOptions& options,
              DeviceLinkIf& link, ExpectedVersions& versions);

    /// Start the jobs now. All must outlive the run. Call before sc_start or from a callback.
    void start(const std::vector<workload::Job>& jobs, RunListenerIf& listener);
    /// One job: the configuration's loop mode, all tags.
    void start(workload::RequestSource& source, RunListenerIf& listener);

    const InitiatorStats& stats() const { return stats_; }
    /// Of one job. All its requests have ended in time for stats() too.
    const RequestStats& job_stats(u32 job) const
    {
        return job_stats_.empty() ? stats_ : job_stats_[job];
    }
    /// A source that waited may have a request, or have ended.
    void wake();
    /// `data: full`: the client's own bytes, instead of the pattern of `versions`. Before start().
    void carry(HostDataIf& data) { data_ = &data; }
    /// The end of a warm-up: from now on what has ended counts, also where it was issued before.
    /// `started`, the makespan and the integral of open commands begin now; what integrity checks
    /// have found stays.
    void restart_statistics();
    u32 outstanding() const { return outstanding_; }
    Picoseconds last_change() const { return outstanding_since_; } ///< of outstanding()
    std::exception_ptr source_error() const { return source_error_; }
    void observe(RequestObserverIf* observer) { observer_ = observer; }

    void receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8* bytes) override;
    void provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes) override;
    void on_repeated(u32 tag) override;
    void on_completed(u32 tag, u32 status) override;

private:
    static constexpr u32 kMaxTags = HAL_HOST_TAGS;
    static constexpr u32 kFirstUnits = 64; ///< units of a tag before any larger request

    struct Slot {
        hal_host_command command{}; ///< opcode 0: the tag is free
        u16 job = 0;
        u32 cookie = 0;
        bool found_full = false;
        Picoseconds arrival;
        Picoseconds issued;
        u64 number = 0;         ///< in order of issue
        u64 sequence = 0;       ///< among those of open-loop jobs, from 1; else 0
        u32 sectors_moved = 0;
        u32 next_sector = 0;    ///< after the last that moved: a failed page leaves a gap
        std::vector<u32> words; ///< version word of each touched unit at issue
        std::vector<u32> sector_words; ///< `data: full`: and of each sector
    };

    u64 unit_of(u64 sector) const { return sector >> unit_shift_; }
    void begin(RunListenerIf& listener);
    void add_job(const workload::JobRules& rules, workload::RequestSource& source);
    void pull(JobState& job);
    void poll(JobState& job);
    void pump();
    void pump_one(JobState& job);
    void pump_all();
    bool arrived(JobState& job);
    bool runs_alone(const workload::Request& request) const
    {
        return (request.kind == workload::Kind::Flush && !link_.queues_flush()) ||
               (request.kind == workload::Kind::Trim && !link_.queues_trim());
    }
    void issue(JobState& job);
    void note_versions(Slot& slot);
    void mark_trimmed(const hal_host_command& command);
    u32 take_tag();
    void free_tag(u32 tag) { free_[tag / 64] |= u64{1} << (tag % 64); }
    void account_outstanding();
    void check_ended(const Slot& slot, u32 status);
    static void record(RequestStats& stats, const Slot& slot, u32 status, Picoseconds now);
    void doubt(const hal_host_command& command);
    bool behind_a_write(const Slot& read, u64 lba) const;
    bool move_sectors(u32 tag, u32 offset, u32 sectors, u8 opcode);
    void note_sectors(Slot& slot);
    bool bytes_wrong(const Slot& slot, u32 first, u32 end, const u8* bytes);
    void report_mismatch(u64 unit, u32 word, UnitTag got);
    void report_bytes(u64 lba, u32 word, u32 offset, const u8* got);
    void report_error(const hal_host_command& command, const std::string& what);
    void report(u64 lba, std::string text);

    time::EventQueue& event_queue_;
    DeviceLinkIf& link_;
    ExpectedVersions& versions_;
    time::Timer timer_; ///< the next arrival
    u32 unit_shift_;    ///< log2 of sectors per unit
    u32 depth_;
    workload::JobRules plain_; ///< of the only job where none are given
    bool errors_allowed_;      ///< the device may end commands with an error
    RunListenerIf* listener_ = nullptr;
    RequestObserverIf* observer_ = nullptr;
    HostDataIf* data_ = nullptr; ///< null: bytes as `versions_` has them
    std::exception_ptr source_error_;

    std::vector<JobState> jobs_;
    std::vector<JobState*> reactive_; ///< of them, those whose sources are
    u32 running_ = 0;              ///< jobs that have a head, or may get one
    JobState* draining_ = nullptr; ///< whose head waits until it can run alone
    bool exclusive_ = false;       ///< a command that must be alone is open
    bool pumping_ = false;
    bool done_ = true;

    std::array<Slot, kMaxTags> slots_;
    u64 issued_ = 0; ///< commands
    std::array<u64, kMaxTags / 64> free_{}; ///< bit set: tag is free
    u32 outstanding_ = 0;
    Picoseconds outstanding_since_;
    u32 most_units_ = kFirstUnits; ///< of any request so far
    u64 sequence_ = 0;
    InitiatorStats stats_;
    std::vector<RequestStats> job_stats_; ///< empty for one job: stats_ has it all
};

} // namespace tlmssd::host
