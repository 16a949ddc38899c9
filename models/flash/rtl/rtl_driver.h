// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: drives the ports of a Verilated controller and says when its clock must run. No kernel.
#pragma once

#include <memory>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/flash/rtl/rtl_ecc.h"
#include "models/flash/rtl/rtl_model.h"
#include "models/flash/rtl/rtl_registers.h"
#include "models/flash/rtl/rtl_watchdog.h"
#include "models/interfaces/controller_if.h"

namespace tlmssd::flash {

/// Takes what the RTL puts out, at the clock edge at which it appears.
class RtlClientIf {
public:
    virtual ~RtlClientIf() = default;
    virtual void on_rtl_segment(u32 channel, const SegmentRequest& request) = 0;
    virtual void on_rtl_completion(const flash_completion& completion) = 0;
    /// The next edge sees ECC's verdict on a read: it goes on at the next level. `request`: its last burst.
    virtual void on_rtl_retry(u32 channel, const SegmentRequest& request) = 0;
    /// At the next edge it has ended, and its completion is held back for an older operation of its
    /// stream: on_rtl_completion() follows. No cookie.
    virtual void on_rtl_held(const flash_completion& completion) = 0;
    /// A submit was refused, and a place is free now.
    virtual void on_rtl_space() = 0;
};

struct RtlDriverConfig {
    RtlStraps straps;
    u32 tags = 128;
    Picoseconds period = nanoseconds(5);
    bool gated = true;
    RtlPatience patience; ///< of the watchdog
};

/// Decides nothing about operations: it keeps accepted descriptors until the RTL takes them, turns
/// levels into calls and calls into levels, and finds the edges that the RTL needs. Edges lie on
/// the grid n * period. With `gated` off every edge of the grid is needed; results are identical.
class RtlDriver {
public:
    RtlDriver(std::unique_ptr<RtlModelIf> model, const RtlDriverConfig& config, RtlClientIf& client);

    /// False: `tags` operations are inside; on_rtl_space() follows.
    bool submit(const flash_op& op);
    /// The segment on `channel` has ended. The RTL sees its status byte, or with read retry whether ECC has lost a
    /// codeword of a burst out. ECC's verdict is put into the read's completion, as the ECC block beside the RTL does.
    void segment_done(u32 channel, const SegmentResult& result);
    void ready(u32 channel, u32 ce, u32 lun, bool ready);

    /// The first time at which the RTL needs an edge, gated or not; kTimeNever: not before a call
    /// above. An edge before it changes nothing.
    Picoseconds needed(Picoseconds now) const;
    /// The next edge to run, on the grid, not before `now` and after the last one; kTimeNever: none
    /// until a call above.
    Picoseconds next_edge(Picoseconds now) const;
    /// Run the edge at `now`, a time that next_edge() gave. ModelError: an assertion failed, or the
    /// watchdog found that the controller has stopped.
    void edge(Picoseconds now);

    /// The segment that runs on `channel`, or ran last.
    const SegmentRequest& segment(u32 channel) const { return current_[channel]; }
    /// Registers of the controller: accesses are done at the next edges. Null where it has none.
    RtlRegisters* registers() { return registers_.get(); }
    /// `op` was handed in through the registers: as submit(), but it takes no part in the port.
    void submitted_elsewhere(const flash_op& op);
    /// And it was reported there. The result of ECC.
    flash_completion completed_elsewhere(const flash_completion& completion);
    /// The run is over at `now`: stop the counters at the next edge of the grid and read them. Outputs
    /// of the RTL meanwhile are dropped. Needs registers().
    RtlCounters finish(Picoseconds now);

    u32 outstanding() const { return outstanding_; } ///< operations submitted and not completed
    u64 edges() const { return edges_; }   ///< run so far; for statistics under `wall`
    RtlModelIf& model() { return *model_; }
    const RtlWatchdog& watchdog() const { return watchdog_; }

private:
    struct Landing {
        Picoseconds at;
        u64 sequence;
        u32 channel;
        SegmentRequest last; ///< burst of the read
    };
    using Landings = std::vector<Landing>; ///< heap, earliest first
    static bool later(const Landing& a, const Landing& b);
    static Landing pop(Landings& landings);
    void drive_retries(Picoseconds now);
    void drive(Picoseconds now);
    void collect(Picoseconds now);

    std::unique_ptr<RtlModelIf> model_;
    std::unique_ptr<RtlRegisters> registers_;
    RtlDriverConfig config_;
    RtlClientIf& client_;
    std::vector<flash_op> fifo_; ///< ring of accepted operations, `tags` places
    u32 fifo_head_ = 0;
    u32 fifo_count_ = 0;
    std::vector<SegmentRequest> current_; ///< by channel: the running segment
    u64 running_ = 0;                     ///< bit c: channel c's segment was started
    u64 ended_ = 0;                       ///< bit c: its end waits for the next edge
    u64 presented_ = 0;                   ///< bit c: the last edge saw seg_done_i of channel c
    std::vector<u8> status_;              ///< by channel
    RtlEcc ecc_;
    Landings landings_;              ///< of reads that end
    Landings retries_;               ///< of those that go on at another level
    std::vector<Landing> presented_retries_; ///< that the last edge saw
    u64 sequence_ = 0;
    Picoseconds last_edge_;
    bool edge_run_ = false;     ///< last_edge_ is valid
    bool changed_ = false;      ///< an input differs from what the last edge saw
    bool refused_ = false;
    u32 outstanding_ = 0;
    u64 edges_ = 0;
    RtlWatchdog watchdog_;
};

} // namespace tlmssd::flash
