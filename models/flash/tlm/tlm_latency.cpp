// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: delays of the RTL controller around the TLM controller.
#include "models/flash/tlm/tlm_latency.h"

#include <string>

#include "models/common/error.h"
#include "models/flash/tlm/tlm_controller.h"

namespace tlmssd::flash {

TlmLatency::TlmLatency(time::EventQueue& event_queue, const config::Controller& config, const Geometry& geometry,
                       SegmentPortIf& port, config::ReadyFalls falls)
    : event_queue_(event_queue), port_(port),
      period_((1000000u + config.clock_mhz / 2) / config.clock_mhz),
      edges_per_ps_(1 / static_cast<double>(period_.value())),
      in_order_(config.mode != config::ControllerMode::Ooo), check_(in_order_ ? kCheck : 0),
      synchroniser_(falls == config::ReadyFalls::AtOnce ? 0 : kSynchroniser),
      luns_per_ce_(geometry.luns_per_ce()), stations_(config.stations),
      die_number_(geometry), issues_(config.tags), waiting_(config.tags),
      in_stations_(geometry.total_dies()), submitted_(config.tags),
      completions_(config.tags),
      submit_timer_(event_queue, time::Priority::Clock,
                    time::Timer::call<&TlmLatency::on_submit, TlmLatency>, this),
      completion_timer_(event_queue, time::Priority::Clock,
                  time::Timer::call<&TlmLatency::on_completed, TlmLatency>, this)
{
    for (u32 c = 0; c < geometry.channels; ++c) {
        channels_.push_back(std::make_unique<Channel>(event_queue, *this, c,
                                                      geometry.dies_per_channel()));
        channels_.back()->intake = Fifo<u32>(config.tags);
    }
    port_.bind(*this);
}

TlmLatency::~TlmLatency() = default;

void TlmLatency::wrap(TlmController& inner)
{
    inner_ = &inner;
    inner.bind(*this);
    inner.bind_observer(*this);
    if (!in_order_) {
        inner.pace_intake();
    }
}

u32 TlmLatency::tags() const { return inner_->tags(); }

void TlmLatency::begin(Doing what)
{
    doing_ = what;
    issued_ = 0;
    ++doings_;
    inner_->set_age_lag(edges(what == Doing::Submit ? kAgeSubmit : what == Doing::Look ? kAgeLook : 0));
}

/// The first edge of the grid that sees what happens at `t`.
Picoseconds TlmLatency::edge_of(Picoseconds t) const
{
    // By a product, which may be an edge off: a division takes longer.
    const u64 p = period_.value();
    u64 edge = static_cast<u64>(static_cast<double>(t.value()) * edges_per_ps_) * p;
    while (edge < t.value()) {
        edge += p;
    }
    while (edge >= t.value() + p) {
        edge -= p;
    }
    return Picoseconds(edge);
}

// ---- above ----

bool TlmLatency::submit(const flash_op& op)
{
    const Picoseconds at =
        max(edge_of(event_queue_.now()) + edges(kSubmit + check_), last_submit_ + edges(kHead + check_));
    last_submit_ = at;
    Submitted& submitted = submitted_.append();
    submitted.at = at;
    submitted.op = op;
    if (!in_order_ && op.channel < channels_.size()) { // an ILLEGAL one may name any
        channels_[op.channel]->enter(at, op.tag);
    }
    if (!submit_timer_.armed()) {
        submit_timer_.arm(at);
    }
    return true;
}

void TlmLatency::on_submit()
{
    const flash_op op = submitted_.front().op;
    submitted_.drop();
    if (!submitted_.empty()) {
        submit_timer_.arm(submitted_.front().at);
    }
    begin(Doing::Submit);
    refused_ = false;
    if (!inner_->submit(op)) { // its caller has been told already that it was taken
        throw ModelError("rtl latencies: the TLM controller does not take tag " + std::to_string(op.tag));
    }
    begin(Doing::Nothing);
    if (in_order_ || refused_) {
        return;
    }
    Channel& c = *channels_[op.channel];
    const u32 lun = op.opcode == FLASH_OP_RESET ? 0 : op.lun;
    waiting_[op.tag] = {op.channel, die_number_(op.channel, op.ce, lun), op.opcode, false};
    c.intake.push(op.tag);
    if (c.intake.size() == 1 && !c.head.armed()) {
        if (event_queue_.now() < c.next_head) {
            c.head.arm(c.next_head);
        } else {
            compare_head(c);
        }
    }
}

/// The head of the intake gets its LUN at once where that is free and no operation is in its stations. Else it meets
/// those one after the other (reads pass reads), goes into a station, and its LUN is looked at.
void TlmLatency::compare_head(Channel& channel)
{
    const Waiting& w = waiting_[channel.intake.front()];
    u32 later = 0;
    if (w.opcode != FLASH_OP_RESET) {
        const Stations& s = in_stations_[w.die];
        if (s.reads + s.others == stations_) {
            return; // left_station() goes on
        }
        if (!inner_->needs_no_station(channel.intake.front(), w.die)) {
            later = (s.others + (w.opcode == FLASH_OP_READ ? 0 : s.reads)) * kCompare + kStation;
        }
    }
    channel.compared = true;
    if (later == 0) {
        let_in(channel);
    } else {
        channel.head.arm(event_queue_.now() + edges(later));
    }
}

void TlmLatency::let_in(Channel& channel)
{
    Waiting& w = waiting_[channel.intake.pop()];
    channel.compared = false;
    channel.next_head = event_queue_.now() + edges(1);
    if (!channel.intake.empty()) {
        channel.head.arm(channel.next_head);
    }
    if (w.opcode != FLASH_OP_RESET) {
        w.in_station = true;
        ++(w.opcode == FLASH_OP_READ ? in_stations_[w.die].reads : in_stations_[w.die].others);
    }
    begin(Doing::Submit);
    inner_->let_in(channel.number);
    begin(Doing::Nothing);
}

void TlmLatency::on_issue(u32 tag, const flash_op& op, Picoseconds)
{
    Picoseconds shows = edge_of(event_queue_.now()) + edges(issue_edges());
    if (in_order_) { // heads go one after the other
        shows = max(shows, last_issue_ + edges(kHead + check_));
        last_issue_ = shows;
        channels_[op.channel]->enter(shows, tag);
    }
    issues_[tag] = {doings_, shows};
    ++issued_;
    left_station(tag);
}

/// Issued, or refused as its LUN is lost.
void TlmLatency::left_station(u32 tag)
{
    if (in_order_ || tag >= waiting_.size() || !waiting_[tag].in_station) { // an ILLEGAL tag may be any
        return;
    }
    Waiting& w = waiting_[tag];
    w.in_station = false;
    --(w.opcode == FLASH_OP_READ ? in_stations_[w.die].reads : in_stations_[w.die].others);
    Channel& c = *channels_[w.channel];
    if (!c.intake.empty() && !c.head.armed()) {
        c.head.arm(event_queue_.now() + edges(1));
    }
}

/// Reads end by their landing. All else has passed through a delayed event already.
void TlmLatency::on_flash_completion(const flash_completion& completion)
{
    const bool landing = doing_ == Doing::Nothing;
    refused_ = completion.status == FLASH_STATUS_ILLEGAL;
    Picoseconds at = landing ? edge_of(event_queue_.now()) + edges(kLanding) : event_queue_.now();
    at = max(at, last_completed_ + edges(1));
    last_completed_ = at;
    Completed& completed = completions_.append();
    completed.at = at;
    completed.completion = completion;
    if (!completion_timer_.armed()) {
        completion_timer_.arm(at);
    }
}

void TlmLatency::on_completed()
{
    const Completed next = completions_.pop();
    if (!completions_.empty()) {
        completion_timer_.arm(completions_.front().at);
    }
    sink_->on_flash_completion(next.completion);
}

// ---- below ----

/// Edges more for segments where what is being done has issued operations.
u32 TlmLatency::issue_edges() const
{
    const u32 issue = in_order_ ? kIssueInOrder : kSteps + kIssue;
    switch (doing_) {
    case Doing::Submit:
    case Doing::Look:
        return 0;
    case Doing::Ready:
    case Doing::Done:
        return issue;
    case Doing::DoneStatus:
        return issue + (in_order_ ? kEndInOrder : kEnd);
    case Doing::Nothing:
        break;
    }
    return kAfterLanding + check_;
}

void TlmLatency::start(u32 channel, const SegmentRequest& request)
{
    Channel& c = *channels_[channel];
    c.phase = request.phase;
    c.lets_go = request.phase == Phase::Status;
    c.die = die_number_(channel, request.ce, request.lun);
    // An issued operation comes first, and its look holds bursts back; in order not commands that wait already.
    const Issue& issue = issues_[request.tag];
    const bool burst = request.phase == Phase::DataOut || request.phase == Phase::DataIn;
    const bool issued = issue.doing == doings_;
    const u32 more = issued_ != 0 && !issued && (burst || !in_order_) ? issue_edges() : 0;
    Picoseconds at = edge_of(event_queue_.now()) + edges(more);
    if (in_order_ || issued) {
        at = max(at, issue.shows);
    }
    if (at == event_queue_.now()) {
        port_.start(channel, request);
        return;
    }
    c.request = request;
    c.out.arm(at);
}

void TlmLatency::on_segment_done(u32 channel, const SegmentResult& result)
{
    Channel& c = *channels_[channel];
    const Stations& waiting = in_stations_[c.die];
    c.lets_go = c.lets_go || (c.phase == Phase::DataOut && inner_->ends_read(channel, result.uncorrectable));
    const Picoseconds edge = edge_of(event_queue_.now());
    if (c.lets_go && waiting.reads + waiting.others != 0) {
        c.free = max(c.free, edge) + edges(kSteps); // the event itself; then comes the look
        Event& event = c.add(edge + edges(kSteps + (c.phase == Phase::Status ? kEnd : 0)), kLook);
        event.more = kIssue + (waiting.reads + waiting.others > 1 ? kSeveral : 0);
        event.steps += event.more;
        event.result = result;
    } else {
        c.add(edge, 0).result = result;
    }
    c.arm();
}

/// A falling edge is passed on at once: nothing waits for it.
void TlmLatency::on_ready(u32 channel, u32 ce, u32 lun, bool ready)
{
    if (!ready) {
        client_->on_ready(channel, ce, lun, ready);
        return;
    }
    Channel& c = *channels_[channel];
    Event& event = c.add(edge_of(event_queue_.now()) + edges(synchroniser_),
                         1 + ce * luns_per_ce_ + (lun == kTargetLine ? 0 : lun));
    event.ce = static_cast<u8>(ce);
    event.lun = static_cast<u8>(lun);
    c.arm();
}

/// An event of its channel.
bool TlmLatency::goes_on(const flash_op& op)
{
    Channel& c = *channels_[op.channel];
    c.add(edge_of(event_queue_.now()), kVerdict + op.ce * luns_per_ce_ + op.lun).tag = op.tag;
    c.arm();
    return false;
}

void TlmLatency::deliver(Channel& channel)
{
    Event event = channel.events.front();
    channel.events.erase(channel.events.begin());
    channel.free = event_queue_.now() + edges(event.steps) - edges(kEvent + event.more);
    channel.arm();
    if (event.rank == 0 || event.rank == kLook) {
        event.result.data_at = max(event.result.data_at, event_queue_.now()); // landed while this was on its way
        begin(event.rank == kLook                ? Doing::Look
              : channel.phase == Phase::Status ? Doing::DoneStatus
                                                : Doing::Done);
        const Picoseconds now = event_queue_.now();
        for (u32 c = 0; in_order_ && channel.lets_go && c < channels_.size(); ++c) {
            channels_[c]->release_first(now);
        }
        if (in_order_ && channel.lets_go) {
            channel.hold(now + edges(kHold));
        }
        client_->on_segment_done(channel.number, event.result);
        if (in_order_ && issued_ != 0) { // heads that go hold up the bursts of all channels
            const Picoseconds until = now + edges(kHold + issued_ * kHoldHead);
            channel.hold(until);
            for (const auto& other : channels_) {
                other->hold_soon(now + edges(kHold), until);
            }
        }
    } else {
        begin(Doing::Ready);
        event.rank >= kVerdict ? inner_->go_on(event.tag) : client_->on_ready(channel.number, event.ce, event.lun, true);
    }
    begin(Doing::Nothing);
}

} // namespace tlmssd::flash
