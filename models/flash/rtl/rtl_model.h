// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the ports of a Verilated flash controller, free of its widths and of generated headers.
#pragma once

#include "firmware/hal/flash_op.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/config/config.h"
#include "models/interfaces/controller_if.h"

class VerilatedFstC;

namespace tlmssd::flash {

/// The shape that an RTL controller was built for.
struct RtlShape {
    u32 channels = 0;
    u32 luns = 0; ///< a channel; LUN index = (ce << lun_shift) | lun
    u32 tags = 0;
    u32 stations = 0; ///< a LUN; 0: not of a number that could be set
    u32 luns_per_ce = 0; ///< LUNs of a CE# at most; 0: as many as `luns`
};

/// Polls of LUNs that have no ready line: from the end of a segment to the first one, by what the LUN
/// does, and to the next one. In ticks of 2^16 ps, below 2^23.
struct RtlPolling {
    bool on = false;
    u32 read = 0, program = 0, erase = 0, plane_queue = 0, reset = 0;
    u32 suspend_program = 0, suspend_erase = 0;
    u32 interval = 0;
    u32 feature = 0;
};

/// How LUNs are found ready.
struct RtlSensing {
    RtlPolling polling;
    /// From a command to the fall of R/B# at most. Zero: it falls at once, in step with the controller's clock.
    Picoseconds falls_within;
};

/// The geometry in use, at most the built shape. Constant after reset.
struct RtlStraps {
    u32 channels = 1;
    u32 ces = 1;       ///< CE# a channel
    u32 luns = 1;      ///< LUNs a CE#
    u32 lun_shift = 0; ///< bits for `luns`
    config::ControllerMode mode = config::ControllerMode::InOrder;
    u32 stations = 8;   ///< a LUN, of those built; ooo only
    u32 age_limit = 0;  ///< in stamps of 2^20 ps, below 2^23; ooo only
    u32 timeout = 0;    ///< in stamps; 0: wait without end
    u32 no_grants = 0;  ///< bit c: channel c's bus is never given away (inject.no_grants); o3 only
    u32 page_bits = 0;  ///< of a row; the bits above name plane, block and LUN
    config::Suspend suspend = config::Suspend::None; ///< ooo only, as what is called suspend_*
    u32 suspends = 4;         ///< of one operation at most, below 16
    u32 suspend_priority = 0; ///< least priority of a read that suspends
    RtlPolling polling;
    u32 ready_mask = 0;       ///< ticks from a command until R/B# has fallen, below 64; o3 only
    bool ready_synchronous = true; ///< R/B# comes from the clock; o3 only
    u32 read_retries = 0;     ///< levels that are tried after an uncorrectable read, at most 63; o3 only
    u32 row_lun = 0;          ///< lowest bit of the LUN in a row
    u32 suspend_progress = 0; ///< from a resume to the next suspend, in ticks of 2^16 ps
    bool test_enable = false; ///< scan test: gated clocks run at every edge, where there is test_en_i
    u64 period_ps = 5000; ///< of the clock, for the number of an edge
};

/// Levels of the register port, AXI4-Lite: what the master drives ...
struct AxiRequest {
    bool awvalid = false;
    u32 awaddr = 0;
    bool wvalid = false;
    u32 wdata = 0;
    u8 wstrb = 0;
    bool bready = false;
    bool arvalid = false;
    u32 araddr = 0;
    bool rready = false;
};

/// ... and what it sees.
struct AxiAnswer {
    bool awready = false;
    bool wready = false;
    bool bvalid = false;
    u8 bresp = 0; ///< 0: OKAY, 2: SLVERR
    bool arready = false;
    bool rvalid = false;
    u32 rdata = 0;
    u8 rresp = 0;
};

/// One Verilated controller (contract of the ports: docs/explanation/rtl.md). Outputs are those after the last
/// edge; inputs are seen at the next one and stand until they are changed.
class RtlModelIf {
public:
    virtual ~RtlModelIf() = default;
    virtual RtlShape shape() const = 0;
    /// Hold reset for a few edges in no time and release it; all LUNs are ready.
    virtual void reset(const RtlStraps& straps) = 0;
    /// One rising edge at `now_ps`. Throws ModelError when an assertion of the RTL fails.
    virtual void edge(u64 now_ps) = 0;
    /// The falling edge, for waves only; edge() makes up for one that was left out.
    virtual void fall() = 0;
    /// Nothing changes at any edge before an input changes.
    virtual bool idle() const = 0;
    /// Without the port idle() is never true: the clock cannot be gated.
    virtual bool knows_idle() const { return true; }
    /// Stamp in ps at which an edge is needed although idle; all ones: never.
    virtual u64 wake_at() const = 0;

    virtual bool op_ready() const = 0;
    /// Offer `op` at the next edge; nullptr: offer nothing.
    virtual void offer(const flash_op* op) = 0;

    virtual bool done_valid() const = 0;
    virtual flash_completion done() const = 0;

    /// The next edge takes the end of an operation that waits for an older one of its stream: which, and how
    /// it has ended (no cookie). Controllers that hold nothing back: never.
    virtual bool held_valid() const = 0;
    virtual flash_completion held() const = 0;

    virtual bool land_ready() const = 0;
    virtual void land(bool valid, u16 tag) = 0;

    virtual u64 segments() const = 0; ///< bit c: channel c wants or runs a segment
    virtual SegmentRequest segment(u32 channel) const = 0;
    virtual void segment_done(u32 channel, bool done, u8 status) = 0;
    /// ECC's verdict on the read of this LUN: it goes on at the next level. Controllers without retry: no effect.
    virtual void retry(u32 channel, u32 lun_index, bool on) = 0;
    virtual void ready(u32 channel, u32 lun_index, bool ready) = 0;

    /// Registers (docs/reference/o3-registers.md). Without them the calls below do nothing.
    virtual bool has_registers() const = 0;
    virtual void drive_axi(const AxiRequest& request) = 0;
    virtual AxiAnswer axi() const = 0;
    virtual bool interrupt() const = 0;

    /// Add all signals to an FST file that has not been opened yet.
    virtual void trace(VerilatedFstC& file) = 0;
};

} // namespace tlmssd::flash
