// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the submission and completion queues of an NVMe controller, and their doorbells.
#pragma once

#include <array>
#include <vector>

#include "models/common/fifo.h"
#include "models/nvme_device/core/facts.h"
#include "models/nvme_device/protocol/shared.h"

namespace tlmssd::nvme_device {

struct CompletionQueue {
    bool exists = false;
    bool dead = false; ///< an entry could not be written: the rest is lost
    u64 base = 0;
    u32 entries = 0;
    u32 head = 0; ///< as the host's doorbell has it
    u32 tail = 0; ///< next entry to write
    bool phase = true;
    bool interrupts = false;
    u16 vector = 0;
    u16 submissions = 0; ///< queues that use it
    u32 generation = 0;  ///< counts its creations
    Fifo<Completion> pending{8}; ///< wait to be written

    u32 unread() const { return tail >= head ? tail - head : tail + entries - head; }
    bool full() const { return unread() + 1 == entries; }
};

struct SubmissionQueue {
    bool exists = false;
    bool dead = false;     ///< its entries could not be read: no more of them are
    bool deleting = false; ///< waits for its commands; fetches no more
    u16 deleted_by = 0;    ///< identifier of that admin command
    u64 base = 0;
    u32 entries = 0;
    u32 head = 0;  ///< after the last entry that has come
    u32 asked = 0; ///< next entry to fetch
    u32 tail = 0;
    u16 cq = 0;
    u8 priority = 0;     ///< 0 urgent to 3 low, as Create I/O Submission Queue has it
    u32 outstanding = 0; ///< commands that have not ended
    std::vector<u64> ids; ///< a bit for each identifier that is in use

    u32 waiting() const { return tail >= asked ? tail - asked : tail + entries - asked; }
    bool uses(u16 id) const { return ids[id / 64] >> (id % 64) & 1; }
    void use(u16 id) { ids[id / 64] |= u64{1} << (id % 64); }
    void free(u16 id) { ids[id / 64] &= ~(u64{1} << (id % 64)); }
};

enum class Bell : u8 { Good, NoQueue, BadValue };

/// Queue 0 is the admin pair. Identifiers of I/O queues are 1 to `pairs`.
class Queues {
public:
    Queues(u32 pairs, u32 most_entries, u32 vectors) : pairs_(pairs), most_entries_(most_entries), vectors_(vectors) {}

    void clear();
    void create_admin(u64 sq, u32 sq_entries, u64 cq, u32 cq_entries);
    /// By the fields of the commands; a status of the standard where they are wrong.
    Status create_cq(const Submission& command, u32 page_bytes, bool entry_sizes_right);
    Status create_sq(const Submission& command, u32 page_bytes, bool entry_sizes_right);
    Status check_delete_sq(u32 id) const;
    void delete_sq(u32 id);
    Status delete_cq(u32 id);
    bool any_io() const;

    Bell ring_sq(u32 id, u32 tail);
    Bell ring_cq(u32 id, u32 head);

    SubmissionQueue& sq(u32 id) { return sqs_[id]; }
    const SubmissionQueue& sq(u32 id) const { return sqs_[id]; }
    CompletionQueue& cq(u32 id) { return cqs_[id]; }
    const CompletionQueue& cq(u32 id) const { return cqs_[id]; }
    bool has_sq(u32 id) const { return id < kQueues && sqs_[id].exists; }
    bool has_cq(u32 id) const { return id < kQueues && cqs_[id].exists; }
    /// Entries of I/O queues that nobody has asked for.
    u32 waiting() const { return waiting_; }
    /// No queue has any, the admin queue neither.
    bool idle() const { return waiting_ == 0 && sqs_[0].waiting() == 0; }
    /// The next `count` entries are being fetched.
    void ask(u32 id, u32 count);
    /// It has entries that may be fetched now: not while completions wait for places in its completion queue.
    bool fetchable(u32 id) const;

private:
    bool is_io(u32 id) const { return id != 0 && id <= pairs_; }
    Status check_new(const Submission& command, u32 page_bytes, bool entry_sizes_right) const;

    u32 pairs_;
    u32 most_entries_;
    u32 vectors_;
    u32 generation_ = 0;
    u32 waiting_ = 0;
    std::array<SubmissionQueue, kQueues> sqs_;
    std::array<CompletionQueue, kQueues> cqs_;
};

} // namespace tlmssd::nvme_device
