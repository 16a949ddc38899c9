// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the flash controller in C++: serial and in-order ("interleaving") modes.
#pragma once

#include <systemc>
#include <vector>

#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/flash/controller_if.h"
#include "models/time/event_wheel.h"

namespace tlmssd::flash {

/// `controller.kind: tlm`. Operations are issued in the order of submission: the head waits until
/// its LUN has no operation (serial: until the controller has none; fence: until its stream has
/// none) and holds back all behind it. Issued operations overlap; each channel serves the segments
/// that its LUNs ask for, commands and status before page bursts, each first come first served
/// (docs/flash.md).
class TlmController final : public sc_core::sc_module,
                            public ControllerIf,
                            public SegmentClientIf {
public:
    TlmController(sc_core::sc_module_name name, time::EventWheel& wheel,
                  const config::Controller& config, const Geometry& geometry, SegmentPortIf& port);

    void bind(CompletionSinkIf& sink) override { sink_ = &sink; }
    u32 tags() const override { return static_cast<u32>(operations_.size()); }
    bool submit(const flash_op& op) override;

    void on_segment_done(u32 channel, u8 status, Picoseconds data_at) override;
    void on_ready(u32 channel, u32 ce, u32 lun, bool ready) override;

private:
    static constexpr u32 kNoTag = 0xffffffff;
    static constexpr u32 kStreams = 16; ///< streams are told apart modulo this

    struct Operation {
        flash_op op;
        Phase phase = Phase::Command; ///< of the segment asked for last
        u8 plane = 0;
        u8 failed_planes = 0;
        u32 luns_resetting = 0; ///< RESET: LUNs that are not ready yet
    };
    struct ChannelState {
        Fifo<u32> commands; ///< tags whose next segment has no page burst; they go first, or the
                            ///< dies behind them would stand idle while others' data pass
        Fifo<u32> bursts;   ///< tags whose next segment has one
        u32 current = kNoTag;
    };
    struct Finished {
        Picoseconds at;
        flash_completion completion;
    };

    /// A RESET takes all LUNs of its CE#, any other operation one.
    u32 dies_taken(const flash_op& op) const
    {
        return op.opcode == FLASH_OP_RESET ? geometry_.luns_per_ce() : 1;
    }
    u32 first_die(const flash_op& op) const
    {
        return geometry_.die_index_ce(op.channel, op.ce, op.opcode == FLASH_OP_RESET ? 0 : op.lun);
    }
    bool luns_free(const flash_op& op) const;
    void take_luns(u32 tag);
    void issue_from_head();
    void want(u32 tag, Phase phase, u8 plane);
    void serve(u32 channel);
    void release_die(u32 tag);
    void finish(u32 tag, u8 status, Picoseconds at);
    void complete(const flash_completion& completion);
    void on_finished();

    time::EventWheel& wheel_;
    const Geometry& geometry_;
    SegmentPortIf& port_;
    CompletionSinkIf* sink_ = nullptr;
    bool serial_;
    std::vector<Operation> operations_; ///< by tag
    Fifo<u32> waiting_;                 ///< submitted, not issued
    std::vector<u32> on_die_;           ///< tag that the die works on
    std::vector<u32> in_stream_;        ///< submitted and not completed, issued ones only
    u32 issued_ = 0;
    std::vector<ChannelState> channels_;
    Fifo<Finished> finished_; ///< reads, in order of time
    time::Timer finished_timer_;
};

} // namespace tlmssd::flash
