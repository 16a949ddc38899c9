// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: open and closed loop over recorded flash operations.
#include "models/replay/op_replay.h"

#include <algorithm>
#include <utility>

namespace tlmssd::replay {

OpReplay::OpReplay(time::EventQueue& event_queue, flash::ControllerIf& controller,
                   const Geometry& geometry, u32 oob_base, std::vector<probes::RecordedOp> stream,
                   bool closed)
    : event_queue_(event_queue), controller_(controller), oob_base_(oob_base), closed_(closed),
      timer_(event_queue, time::Priority::Output, time::Timer::call<&OpReplay::hand_over, OpReplay>,
             this),
      outstanding_(controller.tags(), kNone)
{
    record_.stream = std::move(stream);
    record_.ops.resize(record_.stream.size());
    for (std::size_t n = 0; n < record_.ops.size(); ++n) {
        const flash_op& op = record_.stream[n].op;
        const bool reset = op.opcode == FLASH_OP_RESET; // takes all LUNs of its CE#
        record_.ops[n].arrival = record_.stream[n].at;
        record_.ops[n].die = geometry.die_index_ce(op.channel, op.ce, reset ? 0 : op.lun);
        record_.ops[n].dies = reset ? geometry.luns_per_ce() : 1;
    }
    record_.segments.reserve(3 * record_.ops.size());
    controller_.bind(*this);
}

void OpReplay::start()
{
    timer_.arm(closed_ ? event_queue_.now() : max(event_queue_.now(), record_.stream.front().at));
}

u32 OpReplay::free_tag(u32 wanted) const
{
    if (wanted < outstanding_.size() && outstanding_[wanted] == kNone) {
        return wanted;
    }
    const auto free = std::find(outstanding_.begin(), outstanding_.end(), kNone);
    return static_cast<u32>(free - outstanding_.begin());
}

/// All that are due, in order. Where no tag is free the next completion goes on.
void OpReplay::hand_over()
{
    const Picoseconds now = event_queue_.now();
    while (!refused_ && next_ < record_.stream.size()) {
        const probes::RecordedOp& recorded = record_.stream[next_];
        if (!closed_ && recorded.at > now) {
            timer_.arm(recorded.at);
            return;
        }
        const u32 tag = free_tag(recorded.op.tag);
        if (tag == outstanding_.size()) {
            return;
        }
        flash_op op = recorded.op;
        op.tag = static_cast<u16>(tag);
        if (op.oob != FLASH_NO_OOB) {
            op.oob = oob_base_ + tag * FLASH_MAX_PLANES * kOobBytes;
        }
        ReplayedOp& r = record_.ops[next_];
        r.submitted = now;
        if (closed_) {
            r.arrival = now;
        }
        outstanding_[tag] = static_cast<u32>(next_); // the bus may start inside submit()
        if (!controller_.submit(op)) {
            outstanding_[tag] = kNone;
            refused_ = true;
            return;
        }
        delayed_ += r.submitted != r.arrival;
        retagged_ += tag != recorded.op.tag;
        ++next_;
    }
}

void OpReplay::on_flash_completion(const flash_completion& completion)
{
    ReplayedOp& r = record_.ops[outstanding_[completion.tag]];
    r.completed = event_queue_.now();
    r.status = completion.status;
    outstanding_[completion.tag] = kNone;
    ++completed_;
    if (completed_ == record_.ops.size()) {
        event_queue_.stop();
    } else if (next_ < record_.stream.size() &&
               (closed_ || record_.stream[next_].at <= event_queue_.now()) && !timer_.armed()) {
        timer_.arm(event_queue_.now()); // as the firmware would: not inside the completion
    }
}

void OpReplay::on_flash_space()
{
    refused_ = false;
    if (!timer_.armed()) {
        timer_.arm(event_queue_.now());
    }
}

void OpReplay::on_bus(u32 tag, u32, Picoseconds start)
{
    ReplayedOp& r = record_.ops[outstanding_[tag]];
    r.started = min(r.started, start);
}

void OpReplay::on_phase(u32 tag, u32, flash::Phase phase, Picoseconds start, Picoseconds end)
{
    const u32 op = outstanding_[tag];
    record_.ops[op].ended = end;
    record_.segments.push_back({op, phase, start, end});
}

const ReplayRecord& OpReplay::finish()
{
    std::stable_sort(record_.segments.begin(), record_.segments.end(),
                     [](const ReplayedSegment& a, const ReplayedSegment& b) { return a.op < b.op; });
    return record_;
}

std::vector<std::vector<u32>> order_per_die(const ReplayRecord& record, u32 dies)
{
    std::vector<std::vector<u32>> order(dies);
    for (u32 n = 0; n < record.ops.size(); ++n) {
        const ReplayedOp& r = record.ops[n];
        for (u32 i = 0; i < r.dies && r.started != kTimeNever; ++i) {
            order[r.die + i].push_back(n);
        }
    }
    for (std::vector<u32>& of_die : order) {
        std::stable_sort(of_die.begin(), of_die.end(), [&record](u32 a, u32 b) {
            return record.ops[a].started < record.ops[b].started;
        });
    }
    return order;
}

} // namespace tlmssd::replay
