// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: states of an NVMe controller, doorbells, asynchronous events.
#include "models/nvme_device/core/controller.h"

#include <algorithm>

namespace tlmssd::nvme_device {

Controller::Controller(const Facts& facts, HostMemoryIf& memory, BackendIf& backend, InterruptSinkIf& interrupts)
    : facts_(facts), memory_(memory), backend_(backend), registers_(facts_),
      queues_(facts.queue_pairs, facts.queue_entries, facts.vectors), interrupts_(facts.vectors, interrupts),
      features_(facts_), logs_(facts_), name_space_(facts.sectors),
      admin_({facts_, registers_, memory_, backend_, queues_, arbitration_, interrupts_, features_, logs_, events_,
              name_space_, usage_}),
      open_(facts.tags)
{
    place_.resize(facts.tags);
    for (u32 tag = facts.tags; tag != 0; --tag) {
        place_[tag - 1] = static_cast<u32>(free_tags_.size());
        free_tags_.push_back(tag - 1);
    }
}

u32 Controller::register_bytes() const
{
    u32 bytes = 2 * reg::kDoorbells;
    while (bytes < reg::kDoorbells + 2 * kQueues * (4u << facts_.doorbell_stride)) {
        bytes *= 2;
    }
    return bytes;
}

void Controller::write(u32 offset, u32 value, u32 mask)
{
    if (offset >= reg::kDoorbells) {
        if (mask == ~0u) { // parts of a doorbell are undefined: ignored
            ring(offset, value);
        }
        return;
    }
    const u32 actions = registers_.write(offset, value, mask);
    if (actions & kNewMask) {
        interrupts_.set_mask(registers_.interrupt_mask());
    }
    if (actions & kSubsystemReset) {
        registers_.subsystem_reset();
    }
    if (actions & (kDisable | kSubsystemReset)) {
        reset();
    }
    if (actions & kEnable) {
        enable();
    }
    if (actions & kShutdown) {
        settle();
    }
}

void Controller::enable()
{
    if (resetting_) {
        return; // settle() comes back
    }
    if (!registers_.settings_right()) {
        registers_.set_failed();
        return;
    }
    queues_.create_admin(registers_.admin_sq(), registers_.admin_sq_entries(), registers_.admin_cq(),
                         registers_.admin_cq_entries());
    features_.reset();
    arbitration_.clear();
    admin_.apply_features();
    registers_.set_ready();
    flushing_ = flushing_ && registers_.shut_down();
}

/// Commands in the back-end go on without the host's memory; RDY is 0 when they have ended.
void Controller::reset()
{
    ++generation_;
    resetting_ = true;
    flushing_ = false;
    format_waits_ = false;
    name_space_.formatting = false;
    for (Open& o : open_) {
        o.orphan = o.kind != Kind::None;
        o.ranges.clear();
        o.sectors = 0;
    }
    while (!entries_.empty()) {
        entries_.drop();
    }
    claimed_ = 0;
    pending_ = 0;
    queues_.clear();
    arbitration_.clear();
    events_.clear();
    interrupts_.clear();
    settle();
}

/// What waits for the end of everything else.
void Controller::settle()
{
    if (inside_ != 0 || open_count_ != 0 || !entries_.empty()) {
        return;
    }
    if (resetting_) {
        resetting_ = false;
        registers_.end_reset();
        interrupts_.set_mask(registers_.interrupt_mask());
        if (registers_.enabled()) {
            enable();
        }
    } else if (registers_.shut_down() && !flushing_) {
        flushing_ = true;
        const u32 tag = take_tag(Kind::Shutdown, 0, 0);
        advance(tag);
    } else if (format_waits_) {
        format_waits_ = false;
        begin_format();
    }
}

void Controller::ring(u32 offset, u32 value)
{
    const u32 shift = 2 + facts_.doorbell_stride;
    const u32 place = (offset - reg::kDoorbells) >> shift;
    if (!running() || reg::kDoorbells + (place << shift) != offset) {
        return;
    }
    const u32 queue = place / 2;
    const bool completion = place % 2 == 1;
    value &= 0xffff; // above it is reserved
    const u32 before = completion && queues_.has_cq(queue) ? queues_.cq(queue).head : 0;
    const Bell bell = completion ? queues_.ring_cq(queue, value) : queues_.ring_sq(queue, value);
    if (bell != Bell::Good) {
        report(bell == Bell::NoQueue ? event::kInvalidDoorbell : event::kInvalidDoorbellValue, ErrorEntry());
        return;
    }
    if (queue != 0) {
        ++(completion ? counts_.completion_bells : counts_.submission_bells);
        counts_.most_waiting = std::max(counts_.most_waiting, queues_.waiting());
    }
    if (completion) {
        const CompletionQueue& q = queues_.cq(queue);
        if (q.interrupts) {
            interrupts_.taken(q.vector, (value + q.entries - before) % q.entries);
        }
    }
}

void Controller::report(const Event& event, const ErrorEntry& entry)
{
    logs_.add_error(entry);
    events_.report(event);
    deliver_events();
}

void Controller::deliver_events()
{
    u16 id = 0;
    Event event;
    while (running() && events_.next(id, event)) {
        complete(0, id, kSuccess, event.result());
    }
}

} // namespace tlmssd::nvme_device
