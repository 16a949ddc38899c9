// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an AXI4-Lite master for the registers of a Verilated controller, one access at a time. No kernel.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "models/flash/rtl/rtl_model.h"

namespace tlmssd::flash {

/// Performance counters of o3_top (docs/reference/o3-registers.md). Times in clock cycles.
struct RtlCounters {
    struct Channel {
        u64 reads = 0, programs = 0, erases = 0, resets = 0;
        u64 dependent = 0, fenced = 0;
        u64 bus_busy = 0, bus_starved = 0, blocked = 0, lun_busy = 0;
        friend bool operator==(const Channel& a, const Channel& b)
        {
            return a.reads == b.reads && a.programs == b.programs && a.erases == b.erases &&
                   a.resets == b.resets && a.dependent == b.dependent && a.fenced == b.fenced &&
                   a.bus_busy == b.bus_busy && a.bus_starved == b.bus_starved &&
                   a.blocked == b.blocked && a.lun_busy == b.lun_busy;
        }
    };
    friend bool operator==(const RtlCounters& a, const RtlCounters& b)
    {
        return a.cycles == b.cycles && a.ended == b.ended && a.held == b.held &&
               a.outstanding_max == b.outstanding_max && a.channels == b.channels;
    }
    u64 cycles = 0;
    u64 ended = 0;
    u64 held = 0;
    u64 outstanding_max = 0;
    std::vector<Channel> channels;
};

/// Accesses are queued and done in order: drive() before an edge, sample() after it.
class RtlRegisters {
public:
    /// The result of an access: data of a read, and the response (0: OKAY, 2: SLVERR).
    struct Result {
        u32 data = 0;
        u8 response = 0;
    };
    using Edge = std::function<void()>;
    using Done = std::function<void(const Result&)>;

    /// `model` has registers and outlives this.
    explicit RtlRegisters(RtlModelIf& model) : model_(model) {}

    void write(u32 address, u32 data, Done done = {}, u8 strobes = 0xf);
    void read(u32 address, Done done);
    /// An access is queued or running: the clock must run.
    bool busy() const { return head_ < queue_.size(); }
    void drive();
    void sample();

    /// Do one access at once; `edge` runs one clock edge. ModelError: the answer is SLVERR or does not
    /// come. Not while queued ones wait.
    void write_now(u32 address, u32 data, const Edge& edge);
    u32 read_now(u32 address, const Edge& edge);
    /// Stop the counters and read those of `channels` channels.
    RtlCounters read_counters(u32 channels, const Edge& edge);

private:
    struct Access {
        bool write;
        u32 address;
        u32 data;
        u8 strobes;
        Done done;
    };
    Result finish_now(const Edge& edge);
    u64 counter(u32 address, const Edge& edge);

    RtlModelIf& model_;
    std::vector<Access> queue_; ///< from head_ on; the first is running
    std::size_t head_ = 0;
    bool driven_ = false;       ///< its request stands on the bus
    bool address_taken_ = false;
    bool data_taken_ = false;
};

} // namespace tlmssd::flash
