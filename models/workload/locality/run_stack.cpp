// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an LRU stack of blocks that finds a run of blocks at a stack distance.
#include "models/workload/locality/run_stack.h"

#include <algorithm>
#include <cmath>

namespace tlmssd::workload {
namespace {

constexpr u32 kFirstSlots = 1024;
// How far a distance may be off, as |ln(found / wanted)|: at once for the next better length; at all for an entry of
// another place.
constexpr double kGood = 0.1;
constexpr double kFair = 0.2;
constexpr u64 kBlur = 8;

/// The states that stand in for one, itself first.
using State = config::BlockState;
constexpr State kNearest[config::kBlockStates][config::kBlockStates] = {
    {State::OnlyRead, State::ReadLast, State::WrittenLast},
    {State::ReadLast, State::OnlyRead, State::WrittenLast},
    {State::WrittenLast, State::ReadLast, State::OnlyRead},
};

double error_of(u64 found, u64 wanted)
{
    return std::fabs(std::log(static_cast<double>(found + kBlur) / static_cast<double>(wanted + kBlur)));
}

} // namespace

RunStack::RunStack(u32 blocks) : slot_of_(blocks, kNone) { resize(kFirstSlots); }

void RunStack::resize(u32 slots)
{
    slots_.resize(slots);
    tree_.assign(slots + 1, 0);
    for (auto& of_state : index_) {
        for (BitIndex& index : of_state) {
            index.resize(slots);
        }
    }
}

std::size_t RunStack::length_class(u32 blocks)
{
    const std::size_t log = blocks <= 1 ? 0 : 32 - static_cast<std::size_t>(__builtin_clz(blocks - 1));
    return std::min(log, kLengths - 1);
}

void RunStack::add(u32 slot, u64 blocks)
{
    for (u32 i = slot + 1; i < tree_.size(); i += i & -i) {
        tree_[i] += blocks; // wraps where blocks leave
    }
}

u64 RunStack::before(u32 slot) const
{
    u64 sum = 0;
    for (u32 i = slot; i > 0; i &= i - 1) {
        sum += tree_[i];
    }
    return sum;
}

u32 RunStack::slot_at(u64 index) const
{
    u32 at = 0;
    for (u32 step = u32{1} << (31 - __builtin_clz(static_cast<u32>(slots_.size()))); step > 0; step /= 2) {
        if (at + step < tree_.size() && tree_[at + step] <= index) {
            at += step;
            index -= tree_[at];
        }
    }
    return at;
}

/// With the first blocks of an entry, or with its last: in both cases the rest of it stays whole.
void RunStack::consider(Search& search, u32 slot) const
{
    const Entry& entry = slots_[slot];
    const u64 of_start = distance_of_slot(slot);
    for (const u32 skipped : {u32{0}, entry.blocks - std::min(search.blocks, entry.blocks)}) {
        const double error = error_of(of_start - skipped, search.distance);
        if (error < search.error && entry.start + skipped != search.avoid) {
            search.error = error;
            search.best = {entry.start + skipped, skipped, of_start - skipped};
        }
    }
}

void RunStack::nearest(Search& search, State state, std::size_t length) const
{
    const BitIndex& index = index_[static_cast<std::size_t>(state)][length];
    if (const std::optional<u32> older = index.before(search.middle + 1)) {
        consider(search, *older);
    }
    if (const std::optional<u32> newer = index.at_or_after(search.middle + 1)) {
        consider(search, *newer);
    }
}

RunStack::Place RunStack::find(u64 distance, u32 blocks, State state, u32 avoid) const
{
    Search search{distance, blocks, avoid, slot_at(size_ - distance), HUGE_VAL, Place()};
    const std::size_t wanted = length_class(blocks);
    for (const State of : kNearest[static_cast<std::size_t>(state)]) {
        for (std::size_t length = wanted; length < kLengths && search.error > kGood; ++length) {
            nearest(search, of, length);
        }
        if (search.error <= kFair) {
            return search.best;
        }
    }
    for (const State of : kNearest[static_cast<std::size_t>(state)]) {
        for (std::size_t length = wanted; length > 0 && search.error > kGood; --length) {
            nearest(search, of, length - 1);
        }
        if (search.error <= kFair) {
            return search.best;
        }
    }
    if (search.best.distance == 0) { // there is only the entry to avoid
        search.avoid = kNone;
        consider(search, search.middle);
    }
    return search.best;
}

void RunStack::put(u32 slot, const Entry& entry)
{
    slots_[slot] = entry;
    slot_of_[entry.start] = slot;
    add(slot, entry.blocks);
    index_of(entry).insert(slot);
    size_ += entry.blocks;
    ++live_;
}

/// The first or the last blocks of an entry leave it; the rest keeps its slot.
void RunStack::take(u32 slot, u32 blocks, bool from_end)
{
    Entry& entry = slots_[slot];
    index_of(entry).erase(slot);
    add(slot, ~u64{blocks} + 1);
    size_ -= blocks;
    entry.blocks -= blocks;
    if (entry.blocks == 0) {
        --live_;
        return;
    }
    index_of(entry).insert(slot);
    if (!from_end) {
        entry.start += blocks;
        slot_of_[entry.start] = slot;
    }
}

void RunStack::compact()
{
    std::vector<Entry> kept;
    kept.reserve(live_);
    for (const Entry& entry : slots_) {
        if (entry.blocks != 0) {
            kept.push_back(entry);
        }
    }
    slots_.clear();
    resize(std::max<u32>(kFirstSlots, 2 * live_));
    next_ = live_ = 0;
    size_ = 0;
    for (const Entry& entry : kept) {
        put(next_++, entry);
    }
}

void RunStack::use(const Place& place, u32 blocks, bool write)
{
    if (next_ == slots_.size()) {
        compact();
    }
    u32 block = place.block;
    const u32 end = block + blocks;
    const u32 holder = slot_of_[place.block - place.inside];
    const bool only_read = holder == kNone || slots_[holder].state == State::OnlyRead;
    const State state = write ? State::WrittenLast : only_read ? State::OnlyRead : State::ReadLast;
    if (place.inside != 0) {
        const u32 slot = holder;
        const u32 taken = slots_[slot].blocks - place.inside;
        take(slot, taken, true);
        block += taken;
    }
    while (block < end && slot_of_[block] != kNone) {
        const u32 slot = slot_of_[block];
        const u32 taken = std::min(end - block, slots_[slot].blocks);
        take(slot, taken, false);
        block += taken;
    }
    put(next_++, {place.block, blocks, state});
}

} // namespace tlmssd::workload
