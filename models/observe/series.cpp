// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: closing, merging and reading intervals.
#include "models/observe/series.h"

#include <algorithm>

namespace tlmssd::observe {

namespace {

SeriesCounters difference(const SeriesCounters& now, const SeriesCounters& before)
{
    return {now.host_pages - before.host_pages, now.flash_pages - before.flash_pages,
            now.channels_busy - before.channels_busy, now.dies_busy - before.dies_busy,
            now.cores_busy - before.cores_busy};
}

void add(SeriesCounters& to, const SeriesCounters& more)
{
    to.host_pages += more.host_pages;
    to.flash_pages += more.flash_pages;
    to.channels_busy += more.channels_busy;
    to.dies_busy += more.dies_busy;
    to.cores_busy += more.cores_busy;
}

} // namespace

Series::Series(Picoseconds interval, const Units& units)
    : asked_(interval == Picoseconds() ? kFirst : interval), units_(units), intervals_(kMost + 1),
      interval_(asked_)
{
}

void Series::start(Picoseconds now, const SeriesCounters& counters, u32 open)
{
    std::fill(intervals_.begin(), intervals_.end(), Interval{});
    count_ = 0;
    interval_ = asked_;
    origin_ = begin_ = since_ = now;
    before_ = counters;
    open_ = open;
}

void Series::sample(Picoseconds now, const SeriesCounters& counters)
{
    if (now < due()) {
        return;
    }
    account(due());
    intervals_[count_].during = difference(counters, before_);
    before_ = counters;
    begin_ = due();
    if (++count_ == kMost) {
        merge_pairs();
    }
    while (due() <= now) { // nobody was there to ask: nothing has happened since
        account(due());
        begin_ = due();
        if (++count_ == kMost) {
            merge_pairs();
        }
    }
    account(now);
}

void Series::merge_pairs()
{
    static_assert(kMost % 2 == 0);
    for (u32 i = 0; i < kMost / 2; ++i) {
        if (i != 0) {
            intervals_[i] = intervals_[2 * i];
        }
        const Interval& other = intervals_[2 * i + 1];
        Interval& to = intervals_[i];
        to.reads += other.reads;
        to.writes += other.writes;
        to.bytes += other.bytes;
        to.sum_ps += other.sum_ps;
        to.open_ps += other.open_ps;
        to.max = tlmssd::max(to.max, other.max);
        add(to.during, other.during);
        for (u32 b = 0; b < kBuckets; ++b) {
            to.buckets[b] += other.buckets[b];
        }
    }
    std::fill(intervals_.begin() + kMost / 2, intervals_.end(), Interval{});
    count_ = kMost / 2;
    interval_ = 2 * interval_;
}

SeriesPoint Series::point(const Interval& i, Picoseconds start, Picoseconds length) const
{
    SeriesPoint p;
    p.start = start;
    p.length = length;
    p.reads = i.reads;
    p.writes = i.writes;
    p.bytes = i.bytes;
    if (const u64 n = i.reads + i.writes; n != 0) {
        p.mean = Picoseconds(static_cast<u64>(i.sum_ps / n));
        p.max = i.max;
        const u64 rank = (n * 99 + 99) / 100;
        u64 seen = 0;
        u32 b = 0;
        for (; seen + i.buckets[b] < rank; ++b) {
            seen += i.buckets[b];
        }
        const u32 shift = b < (2u << kSubBits) ? 0 : (b >> kSubBits) - 1;
        const u64 middle = (u64{b - (shift << kSubBits)} << shift) + ((u64{1} << shift) >> 1);
        p.p99 = rank == n ? i.max : min(i.max, Picoseconds(middle));
    }
    const double ps = static_cast<double>(length.value());
    if (length != Picoseconds()) {
        const auto fraction = [ps](Picoseconds busy, u32 units) {
            return std::min(1.0, static_cast<double>(busy.value()) / (ps * units));
        };
        p.queue_depth = static_cast<double>(i.open_ps) / ps;
        p.channels_busy = fraction(i.during.channels_busy, units_.channels);
        p.dies_busy = fraction(i.during.dies_busy, units_.dies);
        p.cores_busy = fraction(i.during.cores_busy, units_.cores);
    }
    if (i.during.host_pages != 0) {
        p.waf = static_cast<double>(i.during.flash_pages) /
                static_cast<double>(i.during.host_pages);
    }
    return p;
}

std::vector<SeriesPoint> Series::points(Picoseconds now, const SeriesCounters& counters) const
{
    std::vector<SeriesPoint> all;
    for (u32 i = 0; i < count_; ++i) {
        all.push_back(point(intervals_[i], i * interval_, interval_));
    }
    Interval last = intervals_[count_];
    last.during = difference(counters, before_);
    last.open_ps += static_cast<unsigned __int128>(open_) * (now - since_).value();
    if (begin_ < now || last.reads + last.writes != 0) {
        all.push_back(point(last, begin_ - origin_, now - begin_));
    }
    return all;
}

} // namespace tlmssd::observe
