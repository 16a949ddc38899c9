// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: following the flash chips.
#include "models/probes/stages/chip_tracker.h"

#include <algorithm>
#include <numeric>

#include "firmware/core/fw.h"

namespace tlmssd::probes {

using flash::Phase;

namespace {

constexpr std::size_t at(ChipTime t) { return static_cast<std::size_t>(t); }

ChipClass class_of(u32 dies, bool planes)
{
    if (dies > 1) {
        return planes ? ChipClass::DieAndPlane : ChipClass::DieInterleaving;
    }
    return planes ? ChipClass::PlaneSharing : ChipClass::None;
}

} // namespace

u64 ChipCounters::all_transactions() const
{
    return std::accumulate(transactions.begin(), transactions.end(), u64{0});
}

ChipCounters ChipCounters::since(const ChipCounters& b) const
{
    ChipCounters c = *this;
    for (std::size_t i = 0; i < kChipClasses; ++i) {
        c.transactions[i] -= std::min(c.transactions[i], b.transactions[i]); // one may have changed its class
    }
    for (std::size_t i = 0; i < kChipTimes; ++i) {
        c.times[i] = times[i] - b.times[i];
    }
    for (std::size_t i = 0; i < b.occupied.size(); ++i) {
        c.occupied[i] = occupied[i] - b.occupied[i];
    }
    c.conflict_wait = conflict_wait - b.conflict_wait;
    return c;
}

ChipTracker::ChipTracker(const Geometry& geometry, u32 tags)
    : geometry_(geometry), operations_(tags), chips_(geometry.channels * geometry.ways),
      channels_(geometry.channels), tag_of_die_(geometry.total_dies(), kNoTag)
{
}

// ---- time ----

ChipTime ChipTracker::state(const Chip& chip)
{
    for (const ChipTime t :
         {ChipTime::Bus, ChipTime::Cell, ChipTime::WaitChannel, ChipTime::WaitDie}) {
        if (chip.doing[at(t)] != 0) {
            return t;
        }
    }
    return ChipTime::Idle;
}

void ChipTracker::count_time(Chip& chip, Picoseconds t)
{
    if (chip.since < t) { // a segment is announced a little before it starts: time may lie behind
        chip.before = state(chip);
        sums_.times[at(chip.before)] += t - chip.since;
        chip.since = t;
    }
}

void ChipTracker::move(Operation& o, ChipTime doing, Picoseconds t)
{
    if (!o.open || o.doing == doing) {
        return;
    }
    Chip& chip = chips_[o.chip];
    count_time(chip, t);
    if (o.doing != ChipTime::Idle) {
        --chip.doing[at(o.doing)];
    }
    if (doing != ChipTime::Idle) {
        ++chip.doing[at(doing)];
    }
    o.doing = doing;
}

ChipCounters ChipTracker::counters(Picoseconds now) const
{
    ChipCounters c = sums_;
    for (const Chip& chip : chips_) {
        if (chip.since < now) {
            c.times[at(state(chip))] += now - chip.since;
        } else {
            Picoseconds& ahead = c.times[at(chip.before)];
            ahead = ahead - min(ahead, chip.since - now);
        }
    }
    for (const Channel& channel : channels_) {
        c.occupied.push_back(channel.occupied +
                             (channel.open != 0 ? now - channel.since : Picoseconds()));
    }
    if (held_chip_ != kNoTag && held_since_ < now) {
        c.conflict_wait += now - held_since_;
    }
    return c;
}

// ---- the controller's side ----

/// What a chip is given at once is one transaction: its class is that of what has come of it so far.
void ChipTracker::count_transaction(const Operation& o, const flash_op& op)
{
    Transaction& t = chips_[o.chip].last[op.opcode % kOpcodes];
    if (t.group == o.group && t.dies != 0) {
        --sums_.transactions[static_cast<std::size_t>(class_of(t.dies, t.planes))];
    } else {
        t = Transaction{o.group, 0, false};
    }
    ++t.dies;
    t.planes = t.planes || op.nplanes > 1;
    ++sums_.transactions[static_cast<std::size_t>(class_of(t.dies, t.planes))];
}

void ChipTracker::on_issue(u32 tag, const flash_op& op, Picoseconds now)
{
    Operation& o = operations_[tag];
    o.die = geometry_.die_index_ce(op.channel, op.ce, op.opcode == FLASH_OP_RESET ? 0 : op.lun);
    o.chip = o.die / geometry_.dies;
    o.channel = op.channel;
    o.open = true;
    o.suspending = false;
    o.doing = ChipTime::Idle;
    u32& holder = tag_of_die_[o.die];
    if (holder != kNoTag && operations_[holder].suspending) {
        move(operations_[holder], ChipTime::Idle, now);
    }
    holder = tag;
    count_transaction(o, op);
    Channel& channel = channels_[o.channel];
    if (channel.open++ == 0) {
        channel.since = now;
    }
    move(o, ChipTime::WaitChannel, now); // the bus, at once or later
}

void ChipTracker::on_wait(u32 tag, Picoseconds now)
{
    move(operations_[tag], ChipTime::WaitChannel, now);
}

void ChipTracker::on_bus(u32 tag, u32, Picoseconds start)
{
    move(operations_[tag], ChipTime::Bus, start);
}

void ChipTracker::on_phase(u32 tag, u32, Phase phase, Picoseconds, Picoseconds end)
{
    Operation& o = operations_[tag];
    if (phase == Phase::Suspend || phase == Phase::Resume) {
        o.suspending = phase == Phase::Suspend;
    }
    // Behind data-out comes the next plane's, which is told, or nothing. Behind a status read the
    // array works on, or the end or the next segment follow at the same instant.
    const bool rests =
        phase == Phase::DataOut || (phase == Phase::Status && o.suspending);
    move(o, rests ? ChipTime::Idle : ChipTime::Cell, end);
}

void ChipTracker::on_complete(u32 tag, const flash_completion&, Picoseconds now)
{
    if (tag >= operations_.size() || !operations_[tag].open) {
        return;
    }
    Operation& o = operations_[tag];
    move(o, ChipTime::Idle, now);
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

u32 ChipTracker::probes() const
{
    return 1u << FW_PROBE_FLASH_TAG | 1u << FW_PROBE_SCHED_CONFLICT;
}

void ChipTracker::hold(u32 die, Picoseconds t)
{
    if (held_chip_ != kNoTag) {
        Chip& chip = chips_[held_chip_];
        count_time(chip, t);
        chip.doing[at(ChipTime::WaitDie)] = 0;
        sums_.conflict_wait += t - held_since_;
    }
    held_chip_ = die == 0 ? kNoTag : (die - 1) / geometry_.dies;
    held_since_ = t;
    if (held_chip_ != kNoTag) {
        Chip& chip = chips_[held_chip_];
        count_time(chip, t);
        chip.doing[at(ChipTime::WaitDie)] = 1;
    }
}

void ChipTracker::on_probe(u32 id, u32 value, Picoseconds, Picoseconds when)
{
    if (id == FW_PROBE_FLASH_TAG) {
        group_ += (value & FW_FLASH_JOINED) == 0;
        operations_[value & ~FW_FLASH_JOINED].group = group_;
    } else if (id == FW_PROBE_SCHED_CONFLICT) {
        hold(value, when);
    }
}

} // namespace tlmssd::probes
