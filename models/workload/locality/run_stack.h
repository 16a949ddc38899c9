// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an LRU stack of blocks that finds a run of blocks at a stack distance.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/common/types.h"
#include "models/config/locality.h"
#include "models/workload/locality/bit_index.h"

namespace tlmssd::workload {

/// Mattson's LRU stack (1970) of blocks. Blocks that were used in one go, in the order of their addresses, are one
/// entry. The stack distance of a block is the number of different blocks used since, itself included: 1 is the last.
/// An LRU cache of k blocks holds exactly the blocks of distance 1 to k.
///
/// Entries have slots in the order of their use: a Fenwick tree over their lengths turns distance into slot and back,
/// and the entries of each state and power of two of the length are a BitIndex over the slots. Each call costs
/// O(log entries) for each entry that it uses or cuts. Memory: 4 bytes per block and about 50 per entry.
class RunStack {
public:
    using State = config::BlockState;
    /// Where a run of blocks may start.
    struct Place {
        u32 block = 0;
        u32 inside = 0;   ///< blocks of its entry that lie before it
        u64 distance = 0; ///< of `block`; 0: it was never used
    };

    /// Blocks 0 to blocks - 1; none is on the stack.
    explicit RunStack(u32 blocks);

    u64 size() const { return size_; } ///< blocks on the stack
    u32 entries() const { return live_; }

    /// A place whose distance is about `distance` (1 to size()), where about `blocks` blocks of the same distance lie
    /// of that state. Where no such entry is near, one of another state; then a shorter one: the blocks after it have
    /// distances of their own. `avoid`: a block at which it does not start.
    Place find(u64 distance, u32 blocks, State state, u32 avoid) const;

    /// Uses the blocks from `place.block` in order: they become one entry on top. `place` is what find() has returned
    /// for as many blocks since the last use(), or a block that was never used. Blocks that follow on it may be on the
    /// stack or not; behind one that was never used there is none that was.
    void use(const Place& place, u32 blocks, bool write);

private:
    static constexpr u32 kNone = ~u32{0};
    static constexpr std::size_t kLengths = 17; ///< 1, 2, 3-4, 5-8, ..., above 32768

    struct Entry {
        u32 start = 0;
        u32 blocks = 0; ///< 0: none
        State state = State::OnlyRead;
    };
    /// The best place so far.
    struct Search {
        u64 distance;
        u32 blocks;
        u32 avoid;
        u32 middle; ///< the slot at that distance
        double error;
        Place best;
    };

    static std::size_t length_class(u32 blocks);
    BitIndex& index_of(const Entry& entry) { return index_[static_cast<std::size_t>(entry.state)][length_class(entry.blocks)]; }
    void consider(Search& search, u32 slot) const;
    void nearest(Search& search, State state, std::size_t length) const;
    u64 distance_of_slot(u32 slot) const { return size_ - before(slot); } ///< of its entry's first block
    u64 before(u32 slot) const;   ///< blocks in the slots below
    u32 slot_at(u64 index) const; ///< that holds this block, counted from the one used longest ago
    void add(u32 slot, u64 blocks);
    void put(u32 slot, const Entry& entry);
    void take(u32 slot, u32 blocks, bool from_end);
    void compact();
    void resize(u32 slots);

    std::vector<u32> slot_of_; ///< by block, right for the first of each entry; kNone: never used
    std::vector<Entry> slots_;
    std::vector<u64> tree_; ///< Fenwick: tree_[i] is of the slots (i - lowest bit of i, i]
    std::array<std::array<BitIndex, kLengths>, config::kBlockStates> index_; ///< slots, by state and length
    u32 next_ = 0; ///< slot
    u32 live_ = 0;
    u64 size_ = 0;
};

} // namespace tlmssd::workload
