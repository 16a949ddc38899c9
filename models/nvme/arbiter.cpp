// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: round robin, and weighted round robin with an urgent class.
#include "models/nvme/arbiter.h"

#include <algorithm>
#include <string>

namespace tlmssd::nvme {

namespace {

constexpr u32 kUrgent = 3;
constexpr u32 kHigh = 2;

u32 class_from(char letter)
{
    static const std::string letters = "lmhu";
    return static_cast<u32>(letters.find(letter));
}

} // namespace

Arbiter::Arbiter(const config::Nvme& config)
    : weighted_(config.arbitration == config::NvmeArbitration::Weighted),
      burst_(config.arbitration_burst == 0 ? ~u32{0} : config.arbitration_burst),
      weights_{config.low_weight, config.medium_weight, config.high_weight, 0},
      class_of_(config.queues, 0), count_(config.queues, 0)
{
    for (u32 queue = 0; queue < config.queues; ++queue) {
        if (weighted_) {
            class_of_[queue] = class_from(config.classes[queue % config.classes.size()]);
        }
        classes_[class_of_[queue]].queues.push_back(queue);
    }
    for (u32 i = 0; i < kClasses; ++i) {
        classes_[i].credit = weights_[i];
    }
}

void Arbiter::add(u32 queue, u32 count)
{
    count_[queue] += count;
    classes_[class_of_[queue]].waiting += count;
    waiting_ += count;
}

/// Urgent first. Of the others the one whose turn it is, while it has commands and credit; then the next
/// one below. When none has both, a new round begins.
u32 Arbiter::next_class()
{
    if (!weighted_) {
        return 0;
    }
    if (classes_[kUrgent].waiting != 0) {
        return kUrgent;
    }
    for (;;) {
        for (u32 tried = 0; tried <= kHigh; ++tried) {
            const Class& c = classes_[current_];
            if (c.waiting != 0 && c.credit != 0) {
                return current_;
            }
            current_ = current_ == 0 ? kHigh : current_ - 1;
        }
        for (u32 i = 0; i <= kHigh; ++i) {
            classes_[i].credit = weights_[i];
        }
        current_ = kHigh;
    }
}

u32 Arbiter::next_queue(const Class& c, const std::vector<u32>& count)
{
    u32 turn = c.turn;
    while (count[c.queues[turn]] == 0) {
        turn = (turn + 1) % static_cast<u32>(c.queues.size());
    }
    return turn;
}

Arbiter::Turn Arbiter::next(u32 most)
{
    const u32 number = next_class();
    Class& c = classes_[number];
    const u32 turn = next_queue(c, count_);
    if (turn != c.turn || c.left == 0) {
        c.turn = turn;
        c.left = burst_;
    }
    const u32 queue = c.queues[turn];
    u32 count = std::min({most, count_[queue], c.left});
    if (weighted_ && number != kUrgent) {
        count = std::min(count, c.credit);
        c.credit -= count;
    }
    count_[queue] -= count;
    c.waiting -= count;
    waiting_ -= count;
    c.left -= burst_ == ~u32{0} ? 0 : count;
    if (c.left == 0 || count_[queue] == 0) {
        c.turn = (turn + 1) % static_cast<u32>(c.queues.size());
        c.left = 0;
    }
    return {queue, count};
}

} // namespace tlmssd::nvme
