// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: interrupt vectors: coalescing, and the mask of pins and MSI.
#pragma once

#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::nvme_device {

/// Takes the interrupts of the controller.
class InterruptSinkIf {
public:
    virtual ~InterruptSinkIf() = default;
    /// A message of this vector is due.
    virtual void message(u32 vector) = 0;
    /// The pin: some vector that is not masked has asked, and not all its entries have been taken.
    virtual void level(bool on) = 0;
};

/// Vector 0 serves the admin queue, too; its entries are never held back. The entries of an I/O queue are announced
/// when there are THR + 1 of them, or TIME after the first (Base Specification 1.4, 5.21.1.8).
class Interrupts {
public:
    Interrupts(u32 vectors, InterruptSinkIf& sink) : vectors_(vectors), sink_(sink) {}

    /// Dword 11 of feature 08h: threshold from 0 in 7:0, time of 100 us in 15:8.
    void coalesce(u32 feature);
    /// Feature 09h: this vector is not coalesced.
    void disable_coalescing(u32 vector, bool disabled) { vectors_[vector].at_once = disabled; }
    bool coalescing_disabled(u32 vector) const { return vectors_[vector].at_once; }
    u32 vectors() const { return static_cast<u32>(vectors_.size()); }

    void posted(u32 vector, bool admin, Picoseconds now);
    /// The host has taken `count` entries.
    void taken(u32 vector, u32 count);
    void set_mask(u32 mask);
    /// When expire() has something to do; kTimeNever: nothing.
    Picoseconds deadline() const;
    void expire(Picoseconds now);
    void clear();

    u64 messages() const { return messages_; }

private:
    struct Vector {
        u32 unread = 0;  ///< entries in its queues
        u32 held = 0;    ///< entries that have not been announced
        Picoseconds due = kTimeNever;
        bool raised = false;
        bool at_once = false;
    };

    bool masked(u32 vector) const { return vector < 32 && (mask_ >> vector & 1); }
    void raise(u32 vector);
    void drive();

    std::vector<Vector> vectors_;
    InterruptSinkIf& sink_;
    u32 threshold_ = 1; ///< entries
    Picoseconds time_;
    u32 mask_ = 0;
    bool level_ = false;
    bool holding_ = false; ///< some vector may hold entries back
    u64 messages_ = 0;
};

} // namespace tlmssd::nvme_device
