// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the register port's master.
#include "models/flash/rtl/rtl_registers.h"

#include <string>
#include <utility>

#include "models/common/error.h"
#include "models/flash/o3/o3_regs.h"

namespace tlmssd::flash {

void RtlRegisters::write(u32 address, u32 data, Done done, u8 strobes)
{
    queue_.push_back({true, address, data, strobes, std::move(done)});
}

void RtlRegisters::read(u32 address, Done done)
{
    queue_.push_back({false, address, 0, 0, std::move(done)});
}

void RtlRegisters::drive()
{
    AxiRequest request;
    driven_ = busy();
    if (driven_) {
        const Access& access = queue_[head_];
        const AxiAnswer before = model_.axi(); // a request that is ready now is taken at this edge
        if (access.write) {
            request.awvalid = !address_taken_;
            request.awaddr = access.address;
            request.wvalid = !data_taken_;
            request.wdata = access.data;
            request.wstrb = access.strobes;
            address_taken_ = address_taken_ || before.awready;
            data_taken_ = data_taken_ || before.wready;
        } else {
            request.arvalid = !address_taken_;
            request.araddr = access.address;
            address_taken_ = address_taken_ || before.arready;
        }
    }
    request.bready = request.rready = true; // an answer is taken at the edge after it has been seen
    model_.drive_axi(request);
}

void RtlRegisters::sample()
{
    if (!driven_) {
        return;
    }
    const Access& access = queue_[head_];
    const AxiAnswer answer = model_.axi();
    if (access.write ? !answer.bvalid : !answer.rvalid) {
        return;
    }
    const Result result{answer.rdata, access.write ? answer.bresp : answer.rresp};
    const Done done = std::move(queue_[head_].done);
    if (++head_ == queue_.size()) {
        queue_.clear();
        head_ = 0;
    }
    address_taken_ = data_taken_ = false;
    if (done) {
        done(result);
    }
}

RtlRegisters::Result RtlRegisters::finish_now(const Edge& edge)
{
    constexpr u32 kMostEdges = 100;
    Result result;
    bool over = false;
    queue_.back().done = [&](const Result& r) {
        result = r;
        over = true;
    };
    for (u32 i = 0; !over; ++i) {
        if (i == kMostEdges) {
            throw ModelError("rtl: the registers do not answer");
        }
        drive();
        edge();
        sample();
    }
    drive();
    edge();
    if (result.response != 0) {
        throw ModelError("rtl: a register access was answered SLVERR");
    }
    return result;
}

void RtlRegisters::write_now(u32 address, u32 data, const Edge& edge)
{
    write(address, data);
    finish_now(edge);
}

u32 RtlRegisters::read_now(u32 address, const Edge& edge)
{
    read(address, {});
    return finish_now(edge).data;
}

u64 RtlRegisters::counter(u32 address, const Edge& edge)
{
    const u64 lo = read_now(address, edge); // the counters stand still
    return u64{read_now(address + 4, edge)} << 32 | lo;
}

RtlCounters RtlRegisters::read_counters(u32 channels, const Edge& edge)
{
    using namespace o3_regs;
    write_now(kPerfCtrl, 0, edge);
    RtlCounters c;
    c.cycles = counter(kPerf + kPerfCyclesLo, edge);
    c.ended = counter(kPerf + kPerfEndedLo, edge);
    c.held = counter(kPerf + kPerfHeldLo, edge);
    c.outstanding_max = counter(kPerf + kPerfOutstandingMaxLo, edge);
    for (u32 i = 0; i < channels; ++i) {
        const u32 base = kPerfChannel + kPerfChannelStride * i;
        RtlCounters::Channel channel;
        channel.reads = counter(base + kPerfChannelReadsLo, edge);
        channel.programs = counter(base + kPerfChannelProgramsLo, edge);
        channel.erases = counter(base + kPerfChannelErasesLo, edge);
        channel.resets = counter(base + kPerfChannelResetsLo, edge);
        channel.dependent = counter(base + kPerfChannelDependentLo, edge);
        channel.fenced = counter(base + kPerfChannelFencedLo, edge);
        channel.bus_busy = counter(base + kPerfChannelBusBusyLo, edge);
        channel.bus_starved = counter(base + kPerfChannelBusStarvedLo, edge);
        channel.blocked = counter(base + kPerfChannelBlockedLo, edge);
        channel.lun_busy = counter(base + kPerfChannelLunBusyLo, edge);
        c.channels.push_back(channel);
    }
    return c;
}

} // namespace tlmssd::flash
