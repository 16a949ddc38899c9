// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: issue and completion of host requests.
#include "models/host/initiator.h"

#include "models/common/error.h"
#include "models/common/geometry.h"

namespace tlmssd::host {

namespace {

workload::JobRules plain_rules(const InitiatorOptions& options)
{
    workload::JobRules rules;
    rules.mode = options.mode;
    rules.iodepth = options.tags;
    return rules;
}

} // namespace

Initiator::Initiator(sc_core::sc_module_name name, time::EventQueue& event_queue,
                     const InitiatorOptions& options, DeviceLinkIf& link, ExpectedVersions& versions)
    : sc_module(name), event_queue_(event_queue), link_(link), versions_(versions),
      timer_(event_queue, time::Priority::Host, time::Timer::call<&Initiator::pump, Initiator>, this),
      unit_shift_(bits_for(options.sectors_per_unit)), depth_(options.tags),
      plain_(plain_rules(options)),
      errors_allowed_(options.errors_allowed)
{
    if (depth_ == 0 || depth_ > kMaxTags) {
        throw InputError("host.queue_depth: " + std::to_string(depth_) + " is not in 1.." + std::to_string(kMaxTags));
    }
    for (u32 tag = 0; tag < depth_; ++tag) {
        free_tag(tag);
        slots_[tag].words.resize(kFirstUnits);
    }
    link_.bind(*this);
}

void Initiator::start(const std::vector<workload::Job>& jobs, RunListenerIf& listener)
{
    for (const workload::Job& job : jobs) {
        add_job(job.rules, *job.source);
    }
    begin(listener);
}

void Initiator::start(workload::RequestSource& source, RunListenerIf& listener)
{
    add_job(plain_, source);
    begin(listener);
}

void Initiator::add_job(const workload::JobRules& rules, workload::RequestSource& source)
{
    jobs_.emplace_back(rules, source, static_cast<u16>(jobs_.size()), event_queue_.now());
}

void Initiator::begin(RunListenerIf& listener)
{
    listener_ = &listener;
    done_ = false;
    stats_.started = stats_.last_completion = outstanding_since_ = event_queue_.now();
    job_stats_.resize(jobs_.size() > 1 ? jobs_.size() : 0);
    running_ = static_cast<u32>(jobs_.size());
    for (JobState& job : jobs_) {
        if (job.reactive != nullptr) {
            reactive_.push_back(&job);
        }
        pull(job);
    }
    timer_.arm(event_queue_.now());
}

void Initiator::restart_statistics()
{
    static_cast<RequestStats&>(stats_) = RequestStats();
    for (RequestStats& stats : job_stats_) {
        stats = RequestStats();
    }
    stats_.started = stats_.last_completion = outstanding_since_ = event_queue_.now();
    stats_.last_arrival = stats_.last_latency = Picoseconds();
    stats_.outstanding_ps = 0;
}

void Initiator::pull(JobState& job)
{
    job.arrived = false;
    if (job.reactive != nullptr) {
        job.have_head = false;
        poll(job);
        return;
    }
    try {
        job.have_head = source_error_ == nullptr && job.source->next(job.head);
    } catch (...) {
        source_error_ = std::current_exception();
        for (JobState& other : jobs_) {
            other.have_head = other.waits = false;
        }
        listener_->on_source_error();
        return;
    }
    if (job.have_head) {
        job.head.job = job.number;
        versions_.prefetch(unit_of(job.head.lba));
    } else if (job.waits = source_error_ == nullptr && job.source->waits(); !job.waits) {
        --running_;
    }
}

void Initiator::wake()
{
    for (JobState& job : jobs_) {
        if (job.waits) {
            job.waits = false;
            pull(job);
        }
    }
    pump();
}

/// Asks a reactive source, which may say that it does not know yet.
void Initiator::poll(JobState& job)
{
    using Next = workload::ReactiveSource::Next;
    if (job.have_head || job.over || source_error_ != nullptr) {
        return;
    }
    const Picoseconds now = event_queue_.now();
    const Picoseconds elapsed = now > job.begin ? now - job.begin : Picoseconds();
    const Next next = now < job.end ? job.reactive->poll(elapsed, job.head) : Next::End;
    if (next == Next::Request) {
        job.have_head = true;
        job.head.job = job.number;
        versions_.prefetch(unit_of(job.head.lba));
    } else if (next == Next::End) {
        job.over = true;
        --running_;
    } else if (job.head.arrival != kTimeNever) {
        const Picoseconds at = min(job.begin + job.head.arrival, job.end);
        if (!timer_.armed() || timer_.at() > at) {
            timer_.arm(at);
        }
    }
}

/// True where the head has arrived by now; it arrives here. Else the timer is set where the time is
/// known.
bool Initiator::arrived(JobState& job)
{
    if (job.arrived) {
        return true;
    }
    const Picoseconds now = event_queue_.now();
    const Picoseconds at = job.next_arrival();
    if (at > now) {
        if (at == kTimeNever) {
            return false;
        }
        if (at < job.end) {
            if (!timer_.armed() || timer_.at() > at) {
                timer_.arm(at);
            }
            return false;
        }
    }
    if (at >= job.end) {
        job.have_head = false;
        job.over = true;
        --running_;
        return false;
    }
    job.arrive(at, at < now || outstanding_ == depth_);
    return true;
}

void Initiator::pump()
{
    if (pumping_) {
        return; // a command ended inside submit(): the loop below goes on with it
    }
    pumping_ = true;
    for (JobState* job : reactive_) {
        poll(*job);
    }
    if (jobs_.size() == 1) {
        pump_one(jobs_.front());
    } else {
        pump_all();
    }
    pumping_ = false;
    if (running_ == 0 && outstanding_ == 0 && !done_ && source_error_ == nullptr) {
        done_ = true;
        listener_->on_workload_done();
    }
}

void Initiator::pump_one(JobState& job)
{
    while (job.have_head && arrived(job) && outstanding_ < depth_ && !exclusive_ &&
           !(runs_alone(job.head) && outstanding_ != 0)) {
        issue(job);
    }
}

void Initiator::pump_all()
{
    for (;;) {
        JobState* best = nullptr;
        for (JobState& job : jobs_) {
            const bool ready = job.have_head && arrived(job);
            if (ready && (best == nullptr || job.priority > best->priority ||
                          (job.priority == best->priority && job.arrival < best->arrival))) {
                best = &job;
            }
        }
        if (draining_ != nullptr) {
            best = draining_; // or a stream of others would starve it
        }
        if (best == nullptr || outstanding_ == depth_ || exclusive_ || !best->have_head) {
            return;
        }
        if (runs_alone(best->head) && outstanding_ != 0) {
            draining_ = best;
            return;
        }
        draining_ = nullptr;
        issue(*best);
    }
}

u32 Initiator::take_tag()
{
    u32 word = 0;
    while (free_[word] == 0) {
        ++word;
    }
    const u32 bit = static_cast<u32>(__builtin_ctzll(free_[word]));
    free_[word] &= free_[word] - 1;
    return word * 64 + bit;
}

void Initiator::account_outstanding()
{
    const Picoseconds now = event_queue_.now();
    stats_.outstanding_ps +=
        static_cast<unsigned __int128>(outstanding_) * (now - outstanding_since_).value();
    outstanding_since_ = now;
}

void Initiator::issue(JobState& job)
{
    const Picoseconds now = event_queue_.now();
    const u32 tag = take_tag();
    const workload::Request& head = job.head;
    const bool alone = runs_alone(head);
    Slot& slot = slots_[tag];
    slot.command.lba = head.lba;
    slot.command.sectors = head.sectors;
    slot.command.tag = static_cast<u16>(tag);
    slot.command.opcode = static_cast<u8>(head.kind);
    slot.command.flags = static_cast<u8>((head.fua ? HAL_HOST_FUA : 0) |
                                         job.priority << HAL_HOST_PRIORITY_SHIFT);
    slot.job = job.number;
    slot.cookie = head.cookie;
    slot.found_full = job.found_full;
    slot.arrival = job.arrival;
    slot.issued = now;
    slot.number = ++issued_;
    slot.sequence = 0;
    if (job.open_loop) {
        slot.sequence = ++sequence_;
        stats_.last_arrival = slot.arrival;
    }
    slot.sectors_moved = slot.next_sector = 0;
    note_versions(slot);
    account_outstanding();
    ++outstanding_;
    exclusive_ = alone;
    job.issued(alone);
    pull(job);
    if (observer_ != nullptr) {
        observer_->on_issued({slot.command, slot.job, slot.arrival, now, {}, HAL_HOST_OK});
    }
    link_.submit_for_job(slot.job, slot.command);
}

void Initiator::on_completed(u32 tag, u32 status)
{
    if (tag >= kMaxTags || slots_[tag].command.opcode == 0) {
        throw ModelError("host: tag " + std::to_string(tag) + " ended, but was not open");
    }
    Slot& slot = slots_[tag];
    const Picoseconds now = event_queue_.now();
    check_ended(slot, status);
    record(stats_, slot, status, now);
    if (!job_stats_.empty()) {
        record(job_stats_[slot.job], slot, status, now);
    }
    if (slot.sequence == sequence_ && slot.sequence != 0) {
        stats_.last_latency = now - slot.issued;
    }
    stats_.last_completion = now;
    if (observer_ != nullptr) {
        observer_->on_request({slot.command, slot.job, slot.arrival, slot.issued, now, status});
    }
    slot.command.opcode = 0;
    free_tag(tag);
    account_outstanding();
    --outstanding_;
    exclusive_ = false; // if it was set, this was the only open command
    JobState& job = jobs_[slot.job];
    if (job.reactive != nullptr) {
        job.reactive->ended(slot.cookie, now - job.begin);
    }
    job.ended(now);
    pump();
}

void Initiator::check_ended(const Slot& slot, u32 status)
{
    const hal_host_command& command = slot.command;
    if (status != HAL_HOST_OK) {
        if (!errors_allowed_ && status != kIoError) {
            report_error(command, "the device reported an error");
        } else if (command.opcode == HAL_HOST_WRITE) {
            doubt(command);
        }
    } else if ((command.opcode == HAL_HOST_READ || command.opcode == HAL_HOST_WRITE) &&
               slot.sectors_moved != command.sectors) {
        report_error(command, "ended after " + std::to_string(slot.sectors_moved) + " of " +
                                  std::to_string(command.sectors) + " sectors");
    }
}

void Initiator::record(RequestStats& stats, const Slot& slot, u32 status, Picoseconds now)
{
    const u8 opcode = slot.command.opcode;
    const Picoseconds wait = slot.issued - slot.arrival;
    const Picoseconds latency = now - slot.issued;
    stats.queue_wait.record(wait);
    if (slot.found_full) {
        stats.queue_wait_when_full.record(wait);
    }
    if (status != HAL_HOST_OK) {
        DeviceErrors& errors = stats.device_errors;
        ++(opcode == HAL_HOST_READ ? errors.reads
                                   : opcode == HAL_HOST_WRITE ? errors.writes : errors.others);
        return;
    }
    switch (opcode) {
    case HAL_HOST_FLUSH:
        ++stats.flushes;
        stats.flush_latency.record(latency);
        return;
    case HAL_HOST_TRIM:
        ++stats.trims;
        stats.trim_latency.record(latency);
        return;
    default: break;
    }
    DirectionStats& direction = opcode == HAL_HOST_READ ? stats.reads : stats.writes;
    direction.record(u64{slot.command.sectors} * kSectorBytes, latency, now - slot.arrival);
}

} // namespace tlmssd::host
