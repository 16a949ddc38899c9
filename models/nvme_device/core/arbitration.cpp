// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: round robin, and weighted round robin with an urgent class, over queues that come and go.
#include "models/nvme_device/core/arbitration.h"

#include <algorithm>

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kNoLimit = 7; // of the burst, a power of two
constexpr u32 kLow = Arbitration::kClasses - 1;

/// The first queue of `set` from `from` on, around. Requires set != 0.
u32 first_from(u64 set, u32 from)
{
    const u64 above = set & ~u64{0} << from;
    return static_cast<u32>(__builtin_ctzll(above != 0 ? above : set));
}

} // namespace

void Arbitration::set_up(bool weighted, u32 feature)
{
    weighted_ = weighted;
    burst_ = (feature & 7) == kNoLimit ? ~0u : 1u << (feature & 7);
    for (u32 i = 1; i < kClasses; ++i) {
        weights_[i] = (feature >> (8 * (kClasses - i)) & 0xff) + 1; // high is the uppermost byte
    }
    new_round();
}

void Arbitration::add(u32 queue, u32 priority) { classes_[weighted_ ? priority : kUrgent].queues |= u64{1} << queue; }

void Arbitration::remove(u32 queue)
{
    for (Class& c : classes_) {
        c.queues &= ~(u64{1} << queue);
        c.left = c.turn == queue ? 0 : c.left;
    }
}

void Arbitration::clear()
{
    for (Class& c : classes_) {
        c = Class();
    }
    new_round();
}

void Arbitration::new_round()
{
    for (u32 i = 1; i < kClasses; ++i) {
        classes_[i].credit = weights_[i];
    }
    current_ = 1;
}

/// Urgent first. Of the others the one whose turn it is, while it is ready and has credit; then the next one below.
/// When none has both, a new round begins.
u32 Arbitration::next_class(u64 ready)
{
    if ((classes_[kUrgent].queues & ready) != 0) {
        return kUrgent;
    }
    for (u32 round = 0; round < 2; ++round) {
        for (; current_ <= kLow; ++current_) {
            if ((classes_[current_].queues & ready) != 0 && classes_[current_].credit != 0) {
                return current_;
            }
        }
        new_round();
    }
    return kNone;
}

Arbitration::Turn Arbitration::next(u64 ready)
{
    last_ = next_class(ready);
    if (last_ == kNone) {
        return {};
    }
    Class& c = classes_[last_];
    const u64 candidates = c.queues & ready;
    if (c.left == 0 || (candidates >> c.turn & 1) == 0) {
        c.turn = first_from(candidates, c.turn);
        c.left = burst_;
    }
    return {c.turn, last_ == kUrgent ? c.left : std::min(c.left, c.credit)};
}

void Arbitration::took(u32 count)
{
    Class& c = classes_[last_];
    c.left -= std::min(c.left, burst_ == ~0u ? 0 : count);
    if (c.left == 0) {
        c.turn = (c.turn + 1) % 64;
    }
    if (last_ != kUrgent) {
        c.credit -= std::min(c.credit, count);
    }
}

} // namespace tlmssd::nvme_device
