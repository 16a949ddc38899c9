// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: when NVMe interrupts are sent.
#include "models/nvme_device/core/interrupts.h"

#include <algorithm>

namespace tlmssd::nvme_device {

void Interrupts::coalesce(u32 feature)
{
    threshold_ = (feature & 0xff) + 1;
    time_ = (feature >> 8 & 0xff) * microseconds(100);
}

void Interrupts::posted(u32 vector, bool admin, Picoseconds now)
{
    Vector& v = vectors_[vector];
    ++v.unread;
    ++v.held;
    if (admin || v.at_once || time_ == Picoseconds() || v.held >= threshold_) {
        raise(vector);
    } else if (v.due == kTimeNever) {
        v.due = now + time_;
        holding_ = true;
    }
}

void Interrupts::raise(u32 vector)
{
    Vector& v = vectors_[vector];
    v.held = 0;
    v.due = kTimeNever;
    v.raised = true;
    if (!masked(vector)) {
        ++messages_;
        sink_.message(vector);
    }
    if (!level_) {
        drive();
    }
}

void Interrupts::taken(u32 vector, u32 count)
{
    Vector& v = vectors_[vector];
    v.unread -= std::min(v.unread, count);
    v.held = std::min(v.held, v.unread);
    if (v.held == 0) {
        v.due = kTimeNever; // the host has polled them
    }
    if (v.unread == 0 && v.raised) {
        v.raised = false;
        drive();
    }
}

/// A vector that has asked while it was masked sends its message when the mask goes.
void Interrupts::set_mask(u32 mask)
{
    const u32 freed = mask_ & ~mask;
    mask_ = mask;
    for (u32 i = 0; i < vectors_.size() && i < 32; ++i) {
        if ((freed >> i & 1) && vectors_[i].raised) {
            ++messages_;
            sink_.message(i);
        }
    }
    drive();
}

Picoseconds Interrupts::deadline() const
{
    Picoseconds first = kTimeNever;
    if (!holding_) {
        return first;
    }
    for (const Vector& v : vectors_) {
        first = min(first, v.due);
    }
    return first;
}

void Interrupts::expire(Picoseconds now)
{
    for (u32 i = 0; i < vectors_.size(); ++i) {
        if (vectors_[i].due <= now) {
            raise(i);
        }
    }
    holding_ = deadline() != kTimeNever;
}

void Interrupts::clear()
{
    for (Vector& v : vectors_) {
        v = Vector();
    }
    coalesce(0);
    holding_ = false;
    mask_ = 0;
    drive();
}

void Interrupts::drive()
{
    bool on = false;
    for (u32 i = 0; i < vectors_.size(); ++i) {
        on = on || (vectors_[i].raised && !masked(i));
    }
    if (on != level_) {
        level_ = on;
        sink_.level(on);
    }
}

} // namespace tlmssd::nvme_device
