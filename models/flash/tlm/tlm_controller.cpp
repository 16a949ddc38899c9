// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: issue, the bus queues, completions.
#include "models/flash/tlm/tlm_controller.h"

#include <algorithm>

#include "models/onfi/bus/timing.h"

namespace tlmssd::flash {

namespace {

O3Core::Shape shape_of(const config::Controller& config, const Geometry& geometry)
{
    O3Core::Shape s;
    s.mode = config.mode;
    s.tags = config.tags;
    s.channels = geometry.channels;
    s.luns = geometry.total_dies();
    s.page_bits = bits_for(geometry.pages);
    s.stations = config.stations;
    s.age_limit = config.age_limit;
    s.stamp_bits = O3Core::kStampBits;
    s.suspend = config.suspend;
    s.suspends = config.suspends;
    s.suspend_priority = config.suspend_priority;
    return s;
}

} // namespace

TlmController::TlmController(sc_core::sc_module_name name, time::EventQueue& event_queue,
                             const config::Controller& config, const Geometry& geometry,
                             const config::Onfi& bus, const config::Nand& part, SegmentPortIf& port)
    : sc_module(name), event_queue_(event_queue), geometry_(geometry),
      die_number_(geometry_), ces_per_channel_(geometry_.ces_per_channel()), port_(port),
      core_(shape_of(config, geometry)), clump_(config.issue_policy == config::IssuePolicy::Clump),
      cache_ops_(config.cache_ops), caches_(cache_ops_ != config::CacheOps::None),
      polled_(bus.ready == config::ReadySense::Status ||
              (bus.ready == config::ReadySense::Target && geometry_.luns_per_ce() > 1)),
      retry_levels_(static_cast<u8>(config.read_retries)),
      timeout_(config.timeout), poll_interval_(bus.poll_interval),
      progress_(config.suspend_progress),
      typical_{part.t_read,        part.t_program, part.t_erase,
               part.t_plane_queue, part.t_feature, part.t_reset_idle,
               part.t_suspend_program, part.t_suspend_erase, part.t_read_cache, part.t_program_cache,
               onfi::bus_timing(bus, part).sheet.t_wb},
      operations_(config.tags),
      held_(core_.retires_in_order() ? config.tags : 0), dies_(geometry_.total_dies()),
      channels_(geometry_.channels),
      landed_timer_(event_queue, time::Priority::Dma,
                    time::Timer::call<&TlmController::on_landed, TlmController>, this),
      poll_timer_(event_queue, time::Priority::Dma,
                  time::Timer::call<&TlmController::on_poll_due, TlmController>, this),
      watch_timer_(event_queue, time::Priority::Dma,
                   time::Timer::call<&TlmController::on_watch, TlmController>, this)
{
    asked_.reserve(dies_.size());
    port_.bind(*this);
}

bool TlmController::submit(const flash_op& op)
{
    if (op.tag >= tags() || op.channel >= geometry_.channels ||
        op.ce >= ces_per_channel_ || op.lun >= die_number_.luns_per_ce() ||
        op.nplanes < 1 || op.nplanes > FLASH_MAX_PLANES || op.opcode < FLASH_OP_READ ||
        op.opcode > FLASH_OP_COPYBACK || (op.opcode == FLASH_OP_COPYBACK && op.nplanes != 1)) {
        flash_completion illegal{};
        illegal.tag = op.tag;
        illegal.status = FLASH_STATUS_ILLEGAL;
        illegal.cookie = op.cookie;
        tell(illegal);
        return true;
    }
    Operation& o = operations_[op.tag];
    o = Operation(op, die_number_(op.channel, op.ce, op.opcode == FLASH_OP_RESET ? 0 : op.lun));
    core_.submit(op, o.first_die, dies_taken(op), age_now());
    issue();
    return true;
}

/// All that O3Core lets go at this time, and only then the buses: a burst does not get ahead of a
/// command whose operation is issued at the same time. What a completion brings meanwhile, the loop goes on to.
void TlmController::issue_and_offer()
{
    issuing_ = true;
    do {
        followed_ = false;
        issue_all();
        for (const u32 asking : asked_) { // one may be followed (cache operations)
            offer(asking);
        }
        asked_.clear();
    } while (followed_);
    issuing_ = false;
}

void TlmController::issue_all()
{
    u32 tag = kNoTag;
    O3Core::Act act = O3Core::Act::Issue;
    while (core_.next(age_now(), tag, act)) {
        if (act == O3Core::Act::Suspend) {
            suspend(tag);
            continue;
        }
        if (refuse_lost(tag)) {
            continue;
        }
        take_luns(tag);
        if (act == O3Core::Act::Resume) {
            resume(tag);
            continue;
        }
        for (OperationObserverIf* const observer : observers_) {
            observer->on_issue(tag, operations_[tag].op, event_queue_.now());
        }
        begin(tag);
    }
}

/// Its LUN has been given up: it ends at once, without a segment.
bool TlmController::refuse_lost(u32 tag)
{
    Operation& o = operations_[tag];
    if (!dies_[o.first_die].lost || o.op.opcode == FLASH_OP_RESET) {
        return false;
    }
    o.failed_planes = static_cast<u8>((1u << o.op.nplanes) - 1);
    core_.release(tag);
    complete(completion_of(tag, FLASH_STATUS_TIMEOUT));
    return true;
}

void TlmController::begin(u32 tag)
{
    const flash_op& op = operations_[tag].op;
    Die& die = dies_[operations_[tag].first_die];
    if (die.level != 0 && op.opcode != FLASH_OP_RESET) { // left by the retries of a read
        die.level = 0;
        want(tag, Phase::Feature, 0);
        return;
    }
    want(tag, op.opcode == FLASH_OP_PROGRAM ? Phase::DataIn : Phase::Command, 0);
}

void TlmController::want(u32 tag, Phase phase, u8 plane)
{
    Operation& o = operations_[tag];
    o.phase = phase;
    o.plane = plane;
    const bool page = o.op.opcode != FLASH_OP_COPYBACK || // which has some bytes on the bus at most
                      (phase == Phase::DataIn ? o.rewrites : o.op.len[0] != 0);
    ask(tag, page && (phase == Phase::DataIn || phase == Phase::DataOut));
}

/// LUN that the operation's next segment is for: a RESET that polls asks one after the other.
u8 TlmController::lun_of(const Operation& o) const
{
    return o.polling && o.op.opcode == FLASH_OP_RESET
               ? static_cast<u8>(die_number_.luns_per_ce() - o.luns_resetting)
               : o.op.lun;
}

void TlmController::ask(u32 tag, bool burst)
{
    ChannelState& channel = channels_[operations_[tag].op.channel];
    (burst ? channel.bursts : channel.commands).push(tag);
    if (issuing_) {
        asked_.push_back(tag);
    } else {
        offer(tag);
    }
}

/// The channel's bus to whose turn it is; where that is another, `tag` waits from now on.
void TlmController::offer(u32 tag)
{
    const Operation& o = operations_[tag];
    serve(o.op.channel);
    if (channels_[o.op.channel].current != tag) {
        port_.wants(o.op.channel, o.op.ce, lun_of(o));
        for (OperationObserverIf* const observer : observers_) {
            observer->on_wait(tag, event_queue_.now());
        }
    }
}

/// Of the bursts that wait on a channel, by controller.issue_policy.
u32 TlmController::next_burst(ChannelState& channel)
{
    Fifo<u32>& bursts = channel.bursts;
    return clump_ ? bursts.take(channel.clump.grant(static_cast<u32>(bursts.size()),
                                                    [&](u32 i) { return clump_level(bursts[i]); }))
                  : bursts.pop();
}

/// Who stands behind the burst of `tag` now.
ClumpLevel TlmController::clump_level(u32 tag) const
{
    const Operation& o = operations_[tag];
    if (core_.has_waiting(o.first_die)) {
        return ClumpLevel::Node;
    }
    const u32 first = o.first_die - o.op.lun; // of its CE#
    for (u32 i = 0; i < die_number_.luns_per_ce(); ++i) {
        if (core_.has_waiting(first + i)) {
            return ClumpLevel::Cluster;
        }
    }
    return ClumpLevel::None;
}

void TlmController::hold_bursts(u32 channel, bool held)
{
    channels_[channel].held = held;
    if (!held) {
        serve(channel);
    }
}

/// The bus is free and somebody waits for it: who has it next, and his segment.
void TlmController::grant(u32 channel, ChannelState& c, bool burst_may)
{
    if (burst_may && (c.commands.empty() || c.passed == kPasses)) {
        c.current = next_burst(c);
        c.passed = 0;
    } else {
        c.current = c.commands.pop();
        c.passed = burst_may ? c.passed + 1 : c.bursts.empty() ? 0 : c.passed;
    }
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
    const bool in_place = op.opcode == FLASH_OP_COPYBACK && o.phase == Phase::DataIn && !o.rewrites;
    r.len = in_place ? u8{0} : op.len[o.plane];
    r.flags = op.flags;
    r.tag = op.tag;
    r.row = op.row[op.opcode == FLASH_OP_COPYBACK && o.phase != Phase::Command && o.phase != Phase::DataOut ? 1 : o.plane];
    r.buf = op.buf[o.plane];
    r.oob = op.oob == FLASH_NO_OOB ? FLASH_NO_OOB : op.oob + kOobBytes * o.plane;
    r.level = o.level;
    r.after_status = o.after_status;
    if (caches_) {
        r.cache = cache_step(c.current);
        r.mixed = r.cache != CacheStep::None && dies_[o.first_die].mixed;
    }
    if (o.level != 0) { // a plane that is read again goes alone
        r.plane = 0;
        r.nplanes = 1;
    }
    if (o.polling) {
        r.phase = Phase::Status;
        if (op.opcode == FLASH_OP_RESET) {
            r.lun = lun_of(o);
            r.row = geometry_.row(r.lun, 0, 0, 0);
        }
    }
    port_.start(channel, r);
    if (followed_ && !issuing_) {
        issue();
    }
}

void TlmController::on_segment_done(u32 channel, const SegmentResult& result)
{
    ChannelState& c = channels_[channel];
    const u32 tag = c.current;
    const Operation& o = operations_[tag];
    c.current = kNoTag;
    if (o.polling) {
        polled(tag, result.status);
    } else if (o.phase == Phase::Suspend) {
        suspend_sent(tag);
    } else if (o.phase == Phase::DataOut) {
        burst_over(tag, result);
    } else if (o.phase == Phase::Status) {
        status_over(tag, result.status);
    } else {
        confirmed(tag);
    }
    issue(); // first: a command for the LUN that has become free goes before a burst
    serve(channel);
}

/// The status byte of a program or erase that has ended or is suspended.
void TlmController::status_over(u32 tag, u8 status)
{
    if (caches_ && cached_status(tag, status)) {
        return;
    }
    Operation& o = operations_[tag];
    if (core_.pending(tag) && status_suspended(status)) {
        dies_[o.first_die].tag = kNoTag;
        core_.suspended(tag);
        return;
    }
    const bool failed = status_failed(status); /* of some plane of the operation */
    o.failed_planes = failed ? static_cast<u8>((1u << o.op.nplanes) - 1) : o.lost_planes;
    release_die(tag);
    finish(tag,
           failed                 ? FLASH_STATUS_FAIL
           : o.lost_planes != 0 ? FLASH_STATUS_UNCORRECTABLE // a copyback that has been checked
                                  : FLASH_STATUS_OK,
           event_queue_.now());
}

void TlmController::take_luns(u32 tag)
{
    Operation& o = operations_[tag];
    o.luns_resetting = dies_taken(o.op);
    for (u32 i = 0; i < o.luns_resetting; ++i) {
        dies_[o.first_die + i].tag = tag;
    }
}

void TlmController::release_die(u32 tag)
{
    const Operation& o = operations_[tag];
    const u32 taken = dies_taken(o.op);
    for (u32 i = 0; i < taken; ++i) {
        dies_[o.first_die + i].tag = kNoTag;
    }
    core_.release(tag);
    if (caches_) {
        hand_over(o.first_die);
    }
}

flash_completion TlmController::completion_of(u32 tag, u8 status) const
{
    const Operation& o = operations_[tag];
    flash_completion c{};
    c.tag = static_cast<u16>(tag);
    c.status = status;
    c.failed_planes = o.failed_planes;
    c.retries = o.retries;
    c.corrected = static_cast<u16>(std::min<u32>(o.corrected, 0xffff));
    c.cookie = o.op.cookie;
    return c;
}

void TlmController::finish(u32 tag, u8 status, Picoseconds at)
{
    const flash_completion completion = completion_of(tag, status);
    if (operations_[tag].op.opcode == FLASH_OP_READ) {
        land({at, completion, false});
    } else {
        complete(completion);
    }
}

void TlmController::complete(const flash_completion& completion)
{
    if (!core_.retires_in_order()) {
        core_.end(completion.tag, event_queue_.now());
        tell(completion);
    } else {
        retire(completion);
    }
}

/// It has ended; what its stream may tell now is told.
void TlmController::retire(const flash_completion& completion)
{
    for (OperationObserverIf* const observer : observers_) {
        observer->on_complete(completion.tag, completion, event_queue_.now());
    }
    held_[completion.tag] = completion;
    const u32 stream = core_.end(completion.tag, event_queue_.now());
    u32 tag = kNoTag;
    while (core_.retire(stream, event_queue_.now(), tag)) {
        sink_->on_flash_completion(flash_completion(held_[tag])); // it may use the tag again
    }
}

void TlmController::tell(const flash_completion& completion)
{
    for (OperationObserverIf* const observer : observers_) {
        observer->on_complete(completion.tag, completion, event_queue_.now());
    }
    sink_->on_flash_completion(completion);
}

} // namespace tlmssd::flash
