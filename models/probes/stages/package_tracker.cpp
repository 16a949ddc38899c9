// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: following the flash packages.
#include "models/probes/stages/package_tracker.h"

#include <algorithm>
#include <numeric>

#include "firmware/core/fw.h"

namespace tlmssd::probes {

using flash::Phase;

namespace {

constexpr std::size_t at(PackageTime t) { return static_cast<std::size_t>(t); }

PackageClass class_of(u32 dies, bool planes)
{
    if (dies > 1) {
        return planes ? PackageClass::DieAndPlane : PackageClass::DieInterleaving;
    }
    return planes ? PackageClass::PlaneSharing : PackageClass::None;
}

} // namespace

u64 PackageCounters::all_operations() const
{
    return std::accumulate(operations.begin(), operations.end(), u64{0});
}

PackageCounters PackageCounters::since(const PackageCounters& b) const
{
    PackageCounters c = *this;
    for (std::size_t i = 0; i < kPackageClasses; ++i) {
        c.operations[i] -= std::min(c.operations[i], b.operations[i]); // one may have changed its class
    }
    for (std::size_t i = 0; i < kPackageTimes; ++i) {
        c.times[i] = times[i] - b.times[i];
    }
    for (std::size_t i = 0; i < b.occupied.size(); ++i) {
        c.occupied[i] = occupied[i] - b.occupied[i];
    }
    c.conflict_wait = conflict_wait - b.conflict_wait;
    return c;
}

PackageTracker::PackageTracker(const Geometry& geometry, u32 tags)
    : geometry_(geometry), operations_(tags), packages_(geometry.channels * geometry.ways),
      channels_(geometry.channels), tag_of_die_(geometry.total_dies(), kNoTag)
{
}

// ---- time ----

PackageTime PackageTracker::state(const Package& package)
{
    for (const PackageTime t :
         {PackageTime::Bus, PackageTime::Cell, PackageTime::WaitChannel, PackageTime::WaitDie}) {
        if (package.doing[at(t)] != 0) {
            return t;
        }
    }
    return PackageTime::Idle;
}

void PackageTracker::count_time(Package& package, Picoseconds t)
{
    if (package.since < t) { // a segment is announced a little before it starts: time may lie behind
        package.before = state(package);
        sums_.times[at(package.before)] += t - package.since;
        package.since = t;
    }
}

void PackageTracker::move(Operation& o, PackageTime doing, Picoseconds t)
{
    if (!o.open || o.doing == doing) {
        return;
    }
    Package& package = packages_[o.package];
    count_time(package, t);
    if (o.doing != PackageTime::Idle) {
        --package.doing[at(o.doing)];
    }
    if (doing != PackageTime::Idle) {
        ++package.doing[at(doing)];
    }
    o.doing = doing;
}

PackageCounters PackageTracker::counters(Picoseconds now) const
{
    PackageCounters c = sums_;
    for (const Package& package : packages_) {
        if (package.since < now) {
            c.times[at(state(package))] += now - package.since;
        } else {
            Picoseconds& ahead = c.times[at(package.before)];
            ahead = ahead - min(ahead, package.since - now);
        }
    }
    for (const Channel& channel : channels_) {
        c.occupied.push_back(channel.occupied +
                             (channel.open != 0 ? now - channel.since : Picoseconds()));
    }
    if (held_package_ != kNoTag && held_since_ < now) {
        c.conflict_wait += now - held_since_;
    }
    return c;
}

// ---- the controller's side ----

/// What a package is given at once is one operation: its class is that of what has come of it so far.
void PackageTracker::count_operation(const Operation& o, const flash_op& op)
{
    Joined& t = packages_[o.package].last[op.opcode % kOpcodes];
    if (t.group == o.group && t.dies != 0) {
        --sums_.operations[static_cast<std::size_t>(class_of(t.dies, t.planes))];
    } else {
        t = Joined{o.group, 0, false};
    }
    ++t.dies;
    t.planes = t.planes || op.nplanes > 1;
    ++sums_.operations[static_cast<std::size_t>(class_of(t.dies, t.planes))];
}

void PackageTracker::on_issue(u32 tag, const flash_op& op, Picoseconds now)
{
    Operation& o = operations_[tag];
    o.die = geometry_.die_index_ce(op.channel, op.ce, op.opcode == FLASH_OP_RESET ? 0 : op.lun);
    o.package = o.die / geometry_.dies;
    o.channel = op.channel;
    o.open = true;
    o.suspending = false;
    o.doing = PackageTime::Idle;
    u32& holder = tag_of_die_[o.die];
    if (holder != kNoTag && operations_[holder].suspending) {
        move(operations_[holder], PackageTime::Idle, now);
    }
    holder = tag;
    count_operation(o, op);
    Channel& channel = channels_[o.channel];
    if (channel.open++ == 0) {
        channel.since = now;
    }
    move(o, PackageTime::WaitChannel, now); // the bus, at once or later
}

void PackageTracker::on_wait(u32 tag, Picoseconds now)
{
    move(operations_[tag], PackageTime::WaitChannel, now);
}

void PackageTracker::on_bus(u32 tag, u32, Picoseconds start)
{
    move(operations_[tag], PackageTime::Bus, start);
}

void PackageTracker::on_phase(u32 tag, u32, Phase phase, Picoseconds, Picoseconds end)
{
    Operation& o = operations_[tag];
    if (phase == Phase::Suspend || phase == Phase::Resume) {
        o.suspending = phase == Phase::Suspend;
    }
    // Behind data-out comes the next plane's, which is told, or nothing. Behind a status read the
    // array works on, or the end or the next segment follow at the same instant.
    const bool rests =
        phase == Phase::DataOut || (phase == Phase::Status && o.suspending);
    move(o, rests ? PackageTime::Idle : PackageTime::Cell, end);
}

void PackageTracker::on_complete(u32 tag, const flash_completion&, Picoseconds now)
{
    if (tag >= operations_.size() || !operations_[tag].open) {
        return;
    }
    Operation& o = operations_[tag];
    move(o, PackageTime::Idle, now);
    o.open = false;
    if (tag_of_die_[o.die] == tag) {
        tag_of_die_[o.die] = kNoTag;
    }
    Channel& channel = channels_[o.channel];
    if (--channel.open == 0) {
        channel.occupied += now - channel.since;
    }
}

// ---- the firmware's side ----

u32 PackageTracker::probes() const
{
    return 1u << FW_PROBE_FLASH_TAG | 1u << FW_PROBE_SCHED_CONFLICT;
}

void PackageTracker::hold(u32 die, Picoseconds t)
{
    if (held_package_ != kNoTag) {
        Package& package = packages_[held_package_];
        count_time(package, t);
        package.doing[at(PackageTime::WaitDie)] = 0;
        sums_.conflict_wait += t - held_since_;
    }
    held_package_ = die == 0 ? kNoTag : (die - 1) / geometry_.dies;
    held_since_ = t;
    if (held_package_ != kNoTag) {
        Package& package = packages_[held_package_];
        count_time(package, t);
        package.doing[at(PackageTime::WaitDie)] = 1;
    }
}

void PackageTracker::on_probe(u32 id, u32 value, Picoseconds, Picoseconds when)
{
    if (id == FW_PROBE_FLASH_TAG) {
        group_ += (value & FW_FLASH_JOINED) == 0;
        operations_[value & ~FW_FLASH_JOINED].group = group_;
    } else if (id == FW_PROBE_SCHED_CONFLICT) {
        hold(value, when);
    }
}

} // namespace tlmssd::probes
