// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the row of near timers grows; sifting in the heap of far timers.
#include "models/time/timer_queue.h"

namespace tlmssd::time {

void NearTimers::grow()
{
    const std::ptrdiff_t used = last_ - row_.data();
    row_.resize(2 * row_.size());
    last_ = row_.data() + used;
}

void FarTimers::push(TimerEntry entry)
{
    std::size_t hole = heap_.size();
    heap_.push_back(entry);
    TimerEntry* const heap = heap_.data();
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / kArity;
        if (heap[parent] <= entry) {
            break;
        }
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = entry;
}

/// The last entry goes where the root was, and down from there.
void FarTimers::pop()
{
    const TimerEntry entry = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    TimerEntry* const heap = heap_.data();
    std::size_t hole = 0;
    for (;;) {
        const std::size_t first = hole * kArity + 1;
        std::size_t best;
        if (first + kArity <= size) { // all four children: choose without branches
            const std::size_t left = first + (heap[first + 1] < heap[first]);
            const std::size_t right = first + 2 + (heap[first + 3] < heap[first + 2]);
            best = heap[right] < heap[left] ? right : left;
        } else if (first < size) {
            best = first;
            for (std::size_t i = first + 1; i < size; ++i) {
                best = heap[i] < heap[best] ? i : best;
            }
        } else {
            break;
        }
        if (entry <= heap[best]) {
            break;
        }
        heap[hole] = heap[best];
        hole = best;
    }
    heap[hole] = entry;
}

} // namespace tlmssd::time
