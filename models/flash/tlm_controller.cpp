// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: in-order issue, phases of an operation, the bus queues.
#include "models/flash/tlm_controller.h"

#include <algorithm>

namespace tlmssd::flash {

TlmController::TlmController(sc_core::sc_module_name name, time::EventWheel& wheel,
                             const config::Controller& config, const Geometry& geometry,
                             SegmentPortIf& port)
    : sc_module(name), wheel_(wheel), geometry_(geometry), port_(port),
      serial_(config.mode == config::ControllerMode::Serial), operations_(config.tags),
      waiting_(config.tags), on_die_(geometry.total_dies(), kNoTag), in_stream_(kStreams, 0),
      channels_(geometry.channels),
      finished_timer_(wheel, time::Priority::Dma,
                      time::Timer::call<&TlmController::on_finished, TlmController>, this)
{
    port_.bind(*this);
}

bool TlmController::submit(const flash_op& op)
{
    if (op.tag >= tags() || op.channel >= geometry_.channels ||
        op.ce >= geometry_.ces_per_channel() || op.lun >= geometry_.luns_per_ce() ||
        op.nplanes < 1 || op.nplanes > FLASH_MAX_PLANES || op.opcode < FLASH_OP_READ ||
        op.opcode > FLASH_OP_RESET) {
        flash_completion illegal{};
        illegal.tag = op.tag;
        illegal.status = FLASH_STATUS_ILLEGAL;
        illegal.cookie = op.cookie;
        sink_->on_flash_completion(illegal);
        return true;
    }
    Operation& o = operations_[op.tag];
    o.op = op;
    o.failed_planes = 0;
    waiting_.push(op.tag);
    issue_from_head();
    return true;
}

void TlmController::issue_from_head()
{
    while (!waiting_.empty()) {
        const u32 tag = waiting_.front();
        const flash_op& op = operations_[tag].op;
        const bool blocked = !luns_free(op) || (serial_ && issued_ != 0) ||
                             ((op.flags & FLASH_FLAG_FENCE) && in_stream_[op.stream % kStreams] != 0);
        if (blocked) {
            return;
        }
        waiting_.pop();
        take_luns(tag);
        ++in_stream_[op.stream % kStreams];
        ++issued_;
        want(tag, op.opcode == FLASH_OP_PROGRAM ? Phase::DataIn : Phase::Command, 0);
    }
}

void TlmController::want(u32 tag, Phase phase, u8 plane)
{
    Operation& o = operations_[tag];
    o.phase = phase;
    o.plane = plane;
    ChannelState& channel = channels_[o.op.channel];
    const bool burst = phase == Phase::DataIn || phase == Phase::DataOut;
    (burst ? channel.bursts : channel.commands).push(tag);
    serve(o.op.channel);
}

void TlmController::serve(u32 channel)
{
    ChannelState& c = channels_[channel];
    if (c.current != kNoTag || (c.commands.empty() && c.bursts.empty())) {
        return;
    }
    c.current = c.commands.empty() ? c.bursts.pop() : c.commands.pop();
    const Operation& o = operations_[c.current];
    const flash_op& op = o.op;
    SegmentRequest r;
    r.ce = op.ce;
    r.lun = op.lun;
    r.phase = o.phase;
    r.opcode = op.opcode;
    r.plane = o.plane;
    r.nplanes = op.nplanes;
    r.col = op.col[o.plane];
    r.len = op.len[o.plane];
    r.flags = op.flags;
    r.tag = op.tag;
    r.row = op.row[o.plane];
    r.buf = op.buf[o.plane];
    r.oob = op.oob == FLASH_NO_OOB ? FLASH_NO_OOB : op.oob + kOobBytes * o.plane;
    port_.start(channel, r);
}

void TlmController::on_segment_done(u32 channel, u8 status, Picoseconds data_at)
{
    ChannelState& c = channels_[channel];
    const u32 tag = c.current;
    Operation& o = operations_[tag];
    c.current = kNoTag;
    const u8 next = static_cast<u8>(o.plane + 1);
    if (o.phase == Phase::DataOut) {
        if (next < o.op.nplanes) {
            want(tag, Phase::DataOut, next);
        } else {
            release_die(tag);
            finish(tag, FLASH_STATUS_OK, data_at);
        }
    } else if (o.phase == Phase::Status) {
        const bool failed = (status & 1) != 0; /* FAIL of 70h: some plane of the operation */
        o.failed_planes = failed ? static_cast<u8>((1u << o.op.nplanes) - 1) : 0;
        release_die(tag);
        finish(tag, failed ? FLASH_STATUS_FAIL : FLASH_STATUS_OK, wheel_.now());
    } /* else the LUN is busy now: on_ready() goes on */
    issue_from_head(); // first: a command for the LUN that has become free goes before a burst
    serve(channel);
}

void TlmController::on_ready(u32 channel, u32 ce, u32 lun, bool ready)
{
    const u32 tag = on_die_[geometry_.die_index_ce(channel, ce, lun)];
    if (!ready || tag == kNoTag) {
        return;
    }
    Operation& o = operations_[tag];
    const u8 next = static_cast<u8>(o.plane + 1);
    if (next < o.op.nplanes) {
        want(tag, o.phase, next);
    } else if (o.op.opcode == FLASH_OP_READ) {
        want(tag, Phase::DataOut, 0);
    } else if (o.op.opcode == FLASH_OP_RESET) {
        if (--o.luns_resetting == 0) {
            release_die(tag);
            finish(tag, FLASH_STATUS_OK, wheel_.now());
            issue_from_head();
        }
    } else {
        want(tag, Phase::Status, o.plane);
    }
}

bool TlmController::luns_free(const flash_op& op) const
{
    const u32 first = first_die(op);
    for (u32 i = 0; i < dies_taken(op); ++i) {
        if (on_die_[first + i] != kNoTag) {
            return false;
        }
    }
    return true;
}

void TlmController::take_luns(u32 tag)
{
    Operation& o = operations_[tag];
    o.luns_resetting = dies_taken(o.op);
    std::fill_n(on_die_.begin() + first_die(o.op), dies_taken(o.op), tag);
}

void TlmController::release_die(u32 tag)
{
    const flash_op& op = operations_[tag].op;
    std::fill_n(on_die_.begin() + first_die(op), dies_taken(op), kNoTag);
}

void TlmController::finish(u32 tag, u8 status, Picoseconds at)
{
    Finished f;
    f.at = at;
    f.completion = flash_completion{};
    f.completion.tag = static_cast<u16>(tag);
    f.completion.status = status;
    f.completion.failed_planes = operations_[tag].failed_planes;
    f.completion.cookie = operations_[tag].op.cookie;
    if (operations_[tag].op.opcode != FLASH_OP_READ) {
        complete(f.completion);
        return;
    }
    finished_.push(f); /* reads end in the order in which DRAM takes their data */
    if (!finished_timer_.armed()) {
        finished_timer_.arm(at);
    }
}

void TlmController::complete(const flash_completion& completion)
{
    --in_stream_[operations_[completion.tag].op.stream % kStreams];
    --issued_;
    sink_->on_flash_completion(completion);
}

void TlmController::on_finished()
{
    while (!finished_.empty() && finished_.front().at <= wheel_.now()) {
        complete(finished_.pop().completion);
    }
    if (!finished_.empty()) {
        finished_timer_.arm(finished_.front().at);
    }
    issue_from_head();
}

} // namespace tlmssd::flash
