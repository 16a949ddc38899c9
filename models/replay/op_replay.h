// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: hands recorded flash operations to a controller and notes what becomes of each.
#pragma once

#include <array>
#include <vector>

#include "models/interfaces/controller_if.h"
#include "models/interfaces/flash_port.h"
#include "models/probes/ops/op_stream.h"
#include "models/time/event_queue.h"

namespace tlmssd::replay {

/// The times of an operation in one replay. Never reached: kTimeNever.
struct ReplayedOp {
    Picoseconds arrival;   ///< recorded; in a closed loop when it was handed over
    Picoseconds submitted; ///< handed over: later than arrival where no tag was free
    Picoseconds started = kTimeNever; ///< its first segment on the bus
    Picoseconds ended = kTimeNever;   ///< its last one
    Picoseconds completed = kTimeNever; ///< reported by the controller
    u8 status = 0;
    u32 die = 0; ///< first die that it takes
    u32 dies = 1;
};

/// A use of the bus.
struct ReplayedSegment {
    u32 op = 0;
    flash::Phase phase = flash::Phase::Command;
    Picoseconds start;
    Picoseconds end;
};

/// One replay, operations in the order of the recording.
struct ReplayRecord {
    std::vector<probes::RecordedOp> stream;
    std::vector<ReplayedOp> ops;
    std::vector<ReplayedSegment> segments; ///< by operation, each in order of time
};

/// The order in which a die's operations have started: their numbers, one list a die.
std::vector<std::vector<u32>> order_per_die(const ReplayRecord& record, u32 dies);

/// Takes the firmware's place. Bind it to the segment port, too. An operation keeps its tag where that
/// is free, else it gets the lowest free one. Its OOB records are those of its tag.
class OpReplay final : public flash::CompletionSinkIf, public flash::OperationObserverIf {
public:
    /// `oob_base`: DRAM offset of the OOB records, 64 bytes a tag. `closed`: hand over as soon as a tag is
    /// free, whatever the recorded times.
    OpReplay(time::EventQueue& event_queue, flash::ControllerIf& controller, const Geometry& geometry,
             u32 oob_base, std::vector<probes::RecordedOp> stream, bool closed);

    void start();
    /// Operations that have been completed; the event queue is stopped after the last.
    u64 completed() const { return completed_; }
    u64 delayed() const { return delayed_; }   ///< handed over later than recorded: no tag was free
    u64 retagged() const { return retagged_; } ///< under another tag than recorded
    /// After the run: segments sorted by operation.
    const ReplayRecord& finish();
    const ReplayRecord& record() const { return record_; }

    void on_flash_completion(const flash_completion& completion) override;
    void on_flash_space() override;
    void on_issue(u32, const flash_op&, Picoseconds) override {}
    void on_bus(u32 tag, u32 channel, Picoseconds start) override;
    void on_phase(u32 tag, u32 channel, flash::Phase phase, Picoseconds start,
                  Picoseconds end) override;
    void on_complete(u32, const flash_completion&, Picoseconds) override {}

private:
    static constexpr u32 kNone = ~u32{0};

    void hand_over();
    u32 free_tag(u32 wanted) const;

    time::EventQueue& event_queue_;
    flash::ControllerIf& controller_;
    u32 oob_base_;
    bool closed_;
    time::Timer timer_;
    ReplayRecord record_;
    std::vector<u32> outstanding_; ///< by tag: number of the operation; kNone: free
    u64 next_ = 0;            ///< to hand over
    u64 completed_ = 0;
    u64 delayed_ = 0;
    u64 retagged_ = 0;
    bool refused_ = false;
};

} // namespace tlmssd::replay
