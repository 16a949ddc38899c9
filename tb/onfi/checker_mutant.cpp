// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: editing of recorded streams, and the verdict on a broken one.
#include "tb/onfi/checker_mutant.h"

#include <algorithm>

namespace tlmssd::tb {

const Event& Mutant::previous_segment(std::size_t i) const
{
    do {
        --i;
    } while (i > 0 && !stream_.events[i].is_segment());
    return stream_.events[i];
}

/// Is anything of the LUN unfinished before event `before`?
bool Mutant::pending(std::size_t before, u32 ce, u32 lun) const
{
    const u64 start = stream_.events[before].segment.start.value();
    bool low = false;
    bool suspended = false;
    bool open = false;
    u64 ready_at = 0;
    u8 cause = 0;
    for (std::size_t i = 0; i < before; ++i) {
        const Event& e = stream_.events[i];
        if (e.ce != ce || e.lun != lun) {
            continue;
        }
        if (!e.is_segment()) {
            low = e.kind == Event::Kind::Fall;
            ready_at = low ? ready_at : e.at;
            cause = low ? cause : e.cause;
            continue;
        }
        suspended = (suspended || e.starts(0x84) || e.starts(0x61)) && !e.starts(0x13) &&
                    !e.starts(0xd2) && !e.starts(0xff) && !e.starts(0xfc) && !e.starts(0xfa);
        const bool poll = e.starts(0x70) || e.starts(0x78);
        if (!poll) {
            open = e.segment.direction == DataDirection::In && e.segment.trail == 0 &&
                   !e.starts(0xef) && !e.starts(0xd5);
        }
    }
    const bool behind = cause == 0x31 || cause == 0x15 || cause == 0x32 || cause == 0x11 ||
                        cause == 0xd1; // the operation goes on
    return low || suspended || open || behind || ready_at > start;
}

bool Mutant::idle(std::size_t i) const
{
    const Event& e = stream_.events[i];
    return e.is_segment() && i > stream_.events.size() / 4 && !pending(i, e.ce, e.lun);
}

bool Mutant::all_idle(std::size_t i) const
{
    const Event& e = stream_.events[i];
    return idle(i) && !pending(i, e.ce, 0) && !pending(i, e.ce, 1);
}

void Mutant::shift(u64 after, u64 by)
{
    for (Event& e : stream_.events) {
        if (e.at > after) {
            e.at += by;
            e.least += by;
            e.segment.start += Picoseconds(by);
            e.segment.end += Picoseconds(by);
        }
    }
}

std::size_t Mutant::put(std::size_t i, const Segment& s, u64 busy, u32 lun, u8 cause)
{
    constexpr u64 kGap = 2000000; // more than any tRHW, tCCS or tADL
    const Event next = events()[i];
    const u64 start = next.segment.start.value() + kGap;
    Event put;
    put.ce = next.ce;
    put.lun = lun == kSame ? next.lun : lun;
    put.drive = next.drive;
    put.segment = s;
    put.segment.ce = next.ce;
    put.segment.timing = &timing_of(next.drive);
    put.segment.start = Picoseconds(start);
    put.at = start + least_duration(s, kDrives[next.drive]);
    put.segment.end = Picoseconds(put.at);
    shift(next.segment.start.value(), put.at + busy + kGap - next.segment.start.value());
    std::vector<Event> all;
    if (busy != 0) {
        Event fall = put;
        fall.kind = Event::Kind::Fall;
        all.push_back(fall);
    }
    all.push_back(put);
    if (busy != 0) {
        Event rise = put;
        rise.kind = Event::Kind::Rise;
        rise.cause = cause;
        rise.at = rise.least = put.at + busy;
        all.push_back(rise);
    }
    // Edges on the way to segment i have been shifted with it: the new events come before them.
    std::size_t where = i;
    while (where > 0 && events()[where - 1].at > next.segment.start.value()) {
        --where;
    }
    events().insert(events().begin() + static_cast<long>(where), all.begin(), all.end());
    from_ = start;
    return i + all.size();
}

void Mutant::put_behind(std::size_t i, const Segment& s)
{
    constexpr u64 kGap = 1000000;
    const Event before = events()[i];
    Event put = before;
    put.mark = 0;
    put.segment = s;
    put.segment.ce = before.ce;
    put.segment.timing = &timing_of(before.drive);
    put.segment.start = Picoseconds(before.at + kGap);
    put.at = before.at + kGap + least_duration(s, kDrives[before.drive]);
    put.segment.end = Picoseconds(put.at);
    shift(before.at, put.at + kGap - before.at);
    events().insert(events().begin() + static_cast<long>(i) + 1, put);
    from_ = put.segment.start.value();
}

void Mutant::set_end(std::size_t i, u64 end)
{
    Event& e = events()[i];
    for (std::size_t j = i; j-- > 0 && events()[j].at == e.at;) {
        if (events()[j].kind == Event::Kind::Fall) {
            events()[j].at = end;
        }
    }
    e.at = end;
    e.segment.end = Picoseconds(end);
}

void Mutant::move(std::size_t i, u64 start)
{
    Event& e = events()[i];
    const u64 duration = e.at - e.segment.start.value();
    e.segment.start = Picoseconds(start);
    from_ = std::min(from_, start);
    set_end(i, start + duration);
}

void Mutant::redrive(std::size_t i, u32 drive)
{
    Event& e = events()[i];
    const u64 least = e.segment.start.value() + least_duration(e.segment, kDrives[drive]);
    e.segment.timing = &timing_of(drive);
    if (e.at < least) {
        const u64 old = e.at;
        shift(old, least - old);
        set_end(i, least);
    }
}

void Mutant::add_edge(std::size_t i, Event::Kind kind, u64 at)
{
    Event edge;
    edge.kind = kind;
    edge.ce = events()[i].ce;
    edge.lun = events()[i].lun;
    edge.at = at;
    events().push_back(edge);
    set_edge(events().size() - 1, at);
}

void Mutant::set_edge(std::size_t i, u64 at)
{
    events()[i].at = at;
    from_ = at;
    std::stable_sort(events().begin(), events().end(),
                     [](const Event& a, const Event& b) { return a.at < b.at; });
}

namespace {

void expect_caught(const Mutation& mutation, u64 seed)
{
    using onfi::CycleKind;
    static constexpr u32 kStarts[] = {kSdr5, kNvDdr2, kNvDdr5};
    StreamPart part;
    part.drive = kStarts[seed % std::size(kStarts)];
    if (mutation.part != nullptr) {
        mutation.part(part);
    }
    Stream stream(part);
    Traffic(stream, seed * 1000 + 17).run(5000);
    const onfi::ViolationLog before = stream.judge();
    ASSERT_EQ(before.count(), 0u) << to_string(before.first()[0]);
    Mutant mutant(stream, seed);
    mutation.apply(mutant);
    const onfi::ViolationLog log = stream.judge();
    ASSERT_GT(log.count(), 0u) << "not caught";
    const onfi::Violation& v = log.first()[0];
    EXPECT_STREQ(rule_text(v.rule), rule_text(mutation.rule)) << to_string(v);
    EXPECT_GE(v.when.value(), mutant.from()) << to_string(v);
    EXPECT_NE(v.first.kind, CycleKind::None) << to_string(v);
    EXPECT_NE(v.second.kind, CycleKind::None) << to_string(v);
    const bool same = v.first.kind == v.second.kind && v.first.at == v.second.at;
    EXPECT_FALSE(same) << to_string(v);
    if (v.rule != onfi::Rule::BusOverlap) { // there the first cycle ends after the second begins
        EXPECT_LE(v.first.at, v.second.at) << to_string(v);
        EXPECT_LE(v.second.at, v.when) << to_string(v);
    }
}

} // namespace

void expect_caught(const Mutation& mutation)
{
    for (u64 seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        expect_caught(mutation, seed);
    }
}

} // namespace tlmssd::tb
