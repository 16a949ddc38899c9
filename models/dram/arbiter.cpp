// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: grants of the DRAM to its masters.
#include "models/dram/arbiter.h"

#include <algorithm>

namespace tlmssd::dram {

namespace {

/// Masters in the order that the name of the enumerator says.
std::array<u32, kDramMasters> order_of(config::DramPriority priority)
{
    switch (priority) {
    case config::DramPriority::LinkFlashCpu: return {0, 1, 2};
    case config::DramPriority::LinkCpuFlash: return {0, 2, 1};
    case config::DramPriority::FlashLinkCpu: return {1, 0, 2};
    case config::DramPriority::FlashCpuLink: return {1, 2, 0};
    case config::DramPriority::CpuLinkFlash: return {2, 0, 1};
    case config::DramPriority::CpuFlashLink: return {2, 1, 0};
    }
    return {0, 1, 2};
}

} // namespace

/// Twice the size, with all that is remembered.
void Arbiter::Master::grow()
{
    std::vector<Transfer> larger(2 * ring.size());
    const u64 first = added > ring.size() ? added - ring.size() : 0;
    for (u64 number = first; number != added; ++number) {
        larger[number & (larger.size() - 1)] = at(number);
    }
    ring.swap(larger);
}

Arbiter::Arbiter(const config::Dram& config, Banks* banks)
    : kind_(config.arbitration), order_(order_of(config.priority)), grant_bytes_(config.grant_bytes),
      starvation_(config.passed_over), access_time_(config.access_time), mb_per_s_(config.mb_per_s), banks_(banks)
{
}

/// Service of what is left behind `done` bytes if nobody comes between: not more than it will be.
Picoseconds Arbiter::least(const DramAccess& access, u32 done) const
{
    if (banks_ != nullptr) {
        return banks_->data_time({access.address + done, access.bytes - done, access.write});
    }
    const u32 begun = (done + kAccessBytes - 1) / kAccessBytes;
    const u32 all = (access.bytes + kAccessBytes - 1) / kAccessBytes;
    return (all - begun) * access_time_ + moved(access.bytes) - moved(done);
}

/// Of a transfer that is not granted wholly; grants that are due before `now` are made. After `now`.
Picoseconds Arbiter::earliest_end(Master& m, u64 number, Picoseconds now) const
{
    const Transfer& head = m.at(m.head);
    const Picoseconds start = banks_ != nullptr ? max(free_, banks_->earliest_data(now, head.access.write))
                                                : max(free_, now);
    return start + least(head.access, head.done) + (m.at(number).least - head.least);
}

DramEnd Arbiter::add(Picoseconds now, const DramAccess& access)
{
    advance(now);
    const u32 master = index(access.master);
    Master& m = masters_[master];
    if (access.bytes == 0) { // behind the master's last one
        if (m.added == 1) {
            m.at(0).end = now;
        }
        const u64 ticket = (m.added - 1) << 2 | master;
        DramEnd end{now, ticket};
        settle(now, end);
        return {max(end.at, now), ticket};
    }
    if (2 * (m.added - m.head) >= m.ring.size()) { // half of it is memory of those that have ended
        m.grow();
    }
    Transfer& t = m.at(m.added);
    t = Transfer{};
    t.access = access;
    t.arrival = now;
    m.least += least(access, 0);
    t.least = m.least;
    m.stats.bytes += access.bytes;
    const u64 number = m.added++;
    return {earliest_end(m, number, now), number << 2 | master};
}

bool Arbiter::settle(Picoseconds now, DramEnd& end)
{
    advance(now);
    Master& m = masters_[end.ticket & 3];
    const u64 number = end.ticket >> 2;
    if (number >= m.head) {
        end.at = earliest_end(m, number, now);
        return false;
    }
    if (m.added - number <= m.ring.size()) { // else long over
        end.at = max(end.at, m.at(number).end);
    }
    end.ticket = 0;
    return end.at <= now;
}

void Arbiter::advance(Picoseconds now)
{
    for (;;) {
        Picoseconds first = kTimeNever;
        for (Master& m : masters_) {
            first = m.waits() ? min(first, m.at(m.head).arrival) : first;
        }
        if (first >= now) {
            return;
        }
        Picoseconds at = max(next_, first);
        at = banks_ != nullptr ? banks_->edge(at) : at;
        if (at >= now) {
            return;
        }
        grant(at, choose(at));
    }
}

/// One that is ready at `at` there is.
u32 Arbiter::choose(Picoseconds at)
{
    u32 chosen = kDramMasters;
    if (kind_ == config::DramArbitration::RoundRobin) {
        for (u32 i = 1; i <= kDramMasters && chosen == kDramMasters; ++i) {
            const u32 master = (last_ + i) % kDramMasters;
            chosen = ready(master, at) ? master : chosen;
        }
        return chosen;
    }
    for (const u32 master : order_) {
        if (!ready(master, at)) {
            continue;
        }
        if (chosen == kDramMasters ||
            (masters_[master].passed >= starvation_ && masters_[chosen].passed < starvation_)) {
            chosen = master;
        }
    }
    for (const u32 master : order_) {
        if (master != chosen && ready(master, at)) {
            ++masters_[master].passed;
        }
    }
    masters_[chosen].passed = 0;
    return chosen;
}

/// Bytes of the next grant: up to a multiple of grant_bytes, of the transfer (bus) or of addresses (banks).
u32 Arbiter::chunk(const Transfer& t) const
{
    const u32 place = banks_ != nullptr ? t.access.address + t.done : t.done;
    return std::min(t.access.bytes - t.done, grant_bytes_ - place % grant_bytes_);
}

void Arbiter::grant(Picoseconds at, u32 master)
{
    Master& m = masters_[master];
    Transfer& t = m.at(m.head);
    const u32 bytes = chunk(t);
    const Picoseconds begin = max(at, free_);
    if (banks_ != nullptr) {
        free_ = banks_->transfer(at, {t.access.address + t.done, bytes, t.access.write, t.access.master});
        next_ = max(at, banks_->last_column());
    } else {
        const bool anew = t.done % kAccessBytes == 0 || last_ != master || last_number_ != m.head;
        free_ = begin + moved(t.done + bytes) - moved(t.done);
        free_ += anew ? access_time_ : Picoseconds();
        next_ = free_;
    }
    last_ = master;
    last_number_ = m.head;
    busy_ += free_ - begin;
    m.stats.busy += free_ - begin;
    t.service += free_ - begin;
    t.done += bytes;
    if (t.done == t.access.bytes) {
        t.end = free_;
        m.stats.ended(t.end - t.arrival - t.service);
        ++m.head;
    }
}

} // namespace tlmssd::dram
