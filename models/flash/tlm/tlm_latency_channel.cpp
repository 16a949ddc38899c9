// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: when the events of a channel are picked, and what that delays.
#include <cstddef>

#include "models/flash/tlm/tlm_controller.h"
#include "models/flash/tlm/tlm_latency.h"

namespace tlmssd::flash {

void TlmLatency::Channel::on_release() { owner.inner_->hold_bursts(number, false); }

void TlmLatency::Channel::hold(Picoseconds until)
{
    owner.inner_->hold_bursts(number, true);
    if (!release.armed() || release.at() < until) {
        release.arm(until);
    }
}

/// A new event of the channel, to be filled in and then armed.
TlmLatency::Event& TlmLatency::Channel::add(Picoseconds edge, u32 rank)
{
    std::size_t place = events.size();
    const auto before = [edge, rank](const Event& other) {
        return edge < other.edge || (edge == other.edge && rank < other.rank);
    };
    while (place != 0 && before(events[place - 1])) {
        --place;
    }
    Event& event = place == events.size() ? events.emplace_back()
                                          : *events.emplace(events.begin() + static_cast<std::ptrdiff_t>(place));
    event.edge = edge;
    event.rank = rank;
    return event;
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

} // namespace tlmssd::flash
