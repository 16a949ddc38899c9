// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: delays of the RTL controller around the TLM controller.
#include "models/flash/tlm/tlm_latency.h"

#include <algorithm>
#include <deque>
#include <string>

#include "models/common/error.h"
#include "models/flash/tlm/tlm_controller.h"

namespace tlmssd::flash {

struct TlmLatency::Channel {
    /// Of an operation that enters the channel: the edge after which its event is picked.
    struct Enter {
        Picoseconds after;
        u32 tag;
    };
    Channel(time::EventQueue& event_queue, TlmLatency& o, u32 n, u32 luns)
        : owner(o), number(n),
          in(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_in, Channel>, this),
          out(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_out, Channel>, this),
          head(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_head, Channel>, this),
          stop(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_stop, Channel>, this),
          release(event_queue, time::Priority::Clock, time::Timer::call<&Channel::on_release, Channel>, this)
    {
        events.reserve(luns + 1);
    }
    void on_in() { owner.deliver(*this); }
    void on_out() { owner.port_.start(number, request); }
    void on_head() { compared ? owner.let_in(*this) : owner.compare_head(*this); }
    /// The head that may have been let go has its bus, or there is none: bursts go on.
    void on_release() { owner.inner_->hold_bursts(number, false); }
    /// A burst that may go at this edge goes before an operation that is issued at it.
    void release_first(Picoseconds now)
    {
        if (release.armed() && release.at() == now) {
            release.cancel();
            on_release();
        }
    }
    void on_stop() { hold(held_until); }
    /// No burst starts from now until this time.
    void hold(Picoseconds until)
    {
        owner.inner_->hold_bursts(number, true);
        if (!release.armed() || release.at() < until) {
            release.arm(until);
        }
    }
    /// The same from `from` on.
    void hold_soon(Picoseconds from, Picoseconds until)
    {
        held_until = max(held_until, until);
        if (!stop.armed()) {
            stop.arm(from);
        }
    }
    void arm();
    void enter(Picoseconds shows, u32 tag);
    void delay(Enter& enter, Picoseconds until);

    TlmLatency& owner;
    u32 number;
    time::Timer in;
    time::Timer out;
    std::vector<Event> events; ///< in the order in which the RTL takes them; at most one a LUN
    Phase phase = Phase::Command; ///< of the segment under way
    bool lets_go = false;         ///< that is its operation's last
    u32 die = 0;                  ///< that it is for
    Picoseconds free; ///< edge that the next event may be picked after
    std::deque<Enter> enters;
    SegmentRequest request; ///< on its way to the port
    time::Timer head;       ///< of the intake: when it is compared, or has been
    Fifo<u32> intake;       ///< tags that have no station yet; ooo only
    bool compared = false;
    // Of the bursts; in order only.
    time::Timer stop;
    time::Timer release;
    Picoseconds held_until; ///< after `stop`
};

TlmLatency::TlmLatency(time::EventQueue& event_queue, const config::Controller& config, const Geometry& geometry,
                       SegmentPortIf& port, config::ReadyFalls falls)
    : event_queue_(event_queue), port_(port),
      period_((1000000u + config.clock_mhz / 2) / config.clock_mhz),
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
    const u64 p = period_.value();
    return Picoseconds((t.value() + p - 1) / p * p);
}

// ---- above ----

bool TlmLatency::submit(const flash_op& op)
{
    const Picoseconds at =
        max(edge_of(event_queue_.now()) + edges(kSubmit + check_), last_submit_ + edges(kHead + check_));
    last_submit_ = at;
    submitted_.push({at, op});
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
    const Submitted next = submitted_.pop();
    if (!submitted_.empty()) {
        submit_timer_.arm(submitted_.front().at);
    }
    begin(Doing::Submit);
    refused_ = false;
    if (!inner_->submit(next.op)) { // its caller has been told already that it was taken
        throw ModelError("rtl latencies: the TLM controller does not take tag " +
                         std::to_string(next.op.tag));
    }
    begin(Doing::Nothing);
    if (in_order_ || refused_) {
        return;
    }
    const flash_op& op = next.op;
    Channel& c = *channels_[op.channel];
    const u32 lun = op.opcode == FLASH_OP_RESET ? 0 : op.lun;
    waiting_[op.tag] = {op.channel, die_number_(op.channel, op.ce, lun), op.opcode, false};
    c.intake.push(op.tag);
    if (c.intake.size() == 1 && !c.head.armed()) {
        compare_head(c);
    }
}

/// The head of the intake gets its LUN at once where that is free and no operation is in its stations. Else it meets
/// those one after the other (reads pass reads), goes into a station, and its LUN is looked at.
void TlmLatency::compare_head(Channel& channel)
{
    if (channel.intake.empty()) {
        return;
    }
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
    channel.head.arm(event_queue_.now() + edges(1));
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
    completions_.push({at, completion});
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

/// An operation whose first segment shows then enters the channel, which takes an event; others wait for its end.
void TlmLatency::Channel::enter(Picoseconds shows, u32 tag)
{
    while (!enters.empty() && enters.front().after + owner.edges(kSteps) <= owner.event_queue_.now()) {
        enters.pop_front();
    }
    enters.push_back({shows - owner.edges(kEvent), tag});
}

/// In order; else on_submit() is armed already, and a few edges late.
void TlmLatency::Channel::delay(Enter& enter, Picoseconds until)
{
    if (!owner.in_order_) {
        return;
    }
    Picoseconds& shows = owner.issues_[enter.tag].shows;
    if (out.armed() && request.tag == enter.tag && out.at() == shows) {
        out.arm(shows + (until - enter.after));
    }
    shows = shows + (until - enter.after);
    enter.after = until;
}

void TlmLatency::Channel::arm()
{
    if (events.empty()) {
        return;
    }
    Picoseconds after = max(events.front().edge, free);
    for (const Enter& enter : enters) {
        if (enter.after <= after && after < enter.after + owner.edges(kSteps)) {
            after = enter.after + owner.edges(kSteps);
        }
    }
    for (Enter& enter : enters) {
        const Picoseconds over = after + owner.edges(events.front().steps);
        if (after < enter.after && enter.after < over) {
            delay(enter, over);
        }
    }
    const Picoseconds at = after + owner.edges(kEvent + events.front().more);
    if (!in.armed() || at < in.at()) {
        in.arm(at);
    }
}

void TlmLatency::push(Channel& channel, const Event& event)
{
    const auto place = std::find_if(channel.events.begin(), channel.events.end(),
                                    [&event](const Event& other) {
                                        return event.edge < other.edge ||
                                               (event.edge == other.edge && event.rank < other.rank);
                                    });
    channel.events.insert(place, event);
    channel.arm();
}

void TlmLatency::on_segment_done(u32 channel, const SegmentResult& result)
{
    Channel& c = *channels_[channel];
    const Stations& waiting = in_stations_[c.die];
    c.lets_go = c.lets_go || (c.phase == Phase::DataOut && inner_->ends_read(channel, result.uncorrectable));
    Event event;
    event.edge = edge_of(event_queue_.now());
    event.result = result;
    if (c.lets_go && waiting.reads + waiting.others != 0) {
        c.free = max(c.free, event.edge) + edges(kSteps); // the event itself; then comes the look
        event.edge += edges(kSteps + (c.phase == Phase::Status ? kEnd : 0));
        event.more = kIssue + (waiting.reads + waiting.others > 1 ? kSeveral : 0);
        event.steps += event.more;
        event.rank = kLook;
    }
    push(c, event);
}

/// A falling edge is passed on at once: nothing waits for it.
void TlmLatency::on_ready(u32 channel, u32 ce, u32 lun, bool ready)
{
    if (!ready) {
        client_->on_ready(channel, ce, lun, ready);
        return;
    }
    Event event;
    event.edge = edge_of(event_queue_.now()) + edges(synchroniser_);
    event.ce = static_cast<u8>(ce);
    event.lun = static_cast<u8>(lun);
    event.rank = 1 + ce * luns_per_ce_ + (lun == kTargetLine ? 0 : lun);
    push(*channels_[channel], event);
}

/// An event of its channel.
bool TlmLatency::goes_on(const flash_op& op)
{
    Event event;
    event.edge = edge_of(event_queue_.now());
    event.rank = kVerdict + op.ce * luns_per_ce_ + op.lun;
    event.tag = op.tag;
    push(*channels_[op.channel], event);
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
