// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NVMe controller without time of its own (docs/explanation/nvme-device.md).
#pragma once

#include <vector>

#include "models/nvme_device/core/admin.h"
#include "models/nvme_device/core/io_commands.h"

namespace tlmssd::nvme_device {

/// Two units work: one calls fetch(), one post(), each while it returns true; they have something to do after any
/// other call. Host memory may take time inside both and inside to_host() and from_host(); all other calls return at
/// once and may come meanwhile.
class Controller {
public:
    Controller(const Facts& facts, HostMemoryIf& memory, BackendIf& backend, InterruptSinkIf& interrupts);

    // The host's side.
    u32 read(u32 offset) const { return offset < reg::kDoorbells ? registers_.read(offset) : 0; }
    /// A dword; bytes of `mask`.
    void write(u32 offset, u32 value, u32 mask = ~0u);
    /// Function level reset: CC.EN 0, and AQA, ASQ, ACQ are 0.
    void reset_function()
    {
        registers_.function_reset();
        reset();
    }
    /// Bytes of the register space, a power of two.
    u32 register_bytes() const;

    // Work.
    /// One turn of arbitration: fetch entries, execute or hand them on. False: nothing to do.
    bool fetch();
    /// One completion entry, and its interrupt. False: nothing to do.
    bool post();
    /// When to call expire(): held-back interrupts; kTimeNever: never.
    Picoseconds deadline() const { return interrupts_.deadline(); }
    void expire() { interrupts_.expire(backend_.now()); }

    // The back-end's side.
    /// Data of a read or compare, `offset` bytes from the start of the command.
    void to_host(u32 tag, u32 offset, const u8* data, u32 bytes);
    /// Data of a write. False: they cannot be had, and the command will fail.
    bool from_host(u32 tag, u32 offset, u8* data, u32 bytes);
    void ended(u32 tag, bool good);

    const Usage& usage() const { return usage_; }
    const LogPages& logs() const { return logs_; }
    const Interrupts& interrupts() const { return interrupts_; }
    const Namespace& name_space() const { return name_space_; }
    u32 outstanding() const { return open_count_; } ///< commands in the back-end

private:
    enum class Kind : u8 { None, Read, Compare, Write, Zeroes, Trim, Flush, Format, Shutdown };
    struct Open {
        Kind kind = Kind::None;
        u8 priority = 0;
        bool fua = false;
        bool orphan = false;     ///< a reset has come: nobody waits for it
        bool submitting = false; ///< inside BackendIf::submit()
        bool again = false;      ///< it has ended there
        u16 sq = 0;
        u16 id = 0;
        u16 status = kSuccess;
        u32 step = 0;    ///< back-end commands so far
        Op op = Op::Read; ///< of the last one
        u64 first = 0;   ///< LBA of the command, sectors of 512 bytes
        u64 lba = 0;     ///< of the rest
        u64 sectors = 0; ///< left
        ScatterList list;
        std::vector<Range> ranges; ///< after the one in lba and sectors, the last one first
    };
    /// Counts calls that may take time and have not returned: a reset waits for them.
    struct Inside {
        explicit Inside(Controller& c) : controller(c) { ++c.inside_; }
        ~Inside()
        {
            --controller.inside_;
            controller.settle();
        }
        Controller& controller;
    };

    // controller.cpp
    bool running() const { return registers_.ready() && !registers_.failed() && !resetting_; }
    void enable();
    void reset();
    void settle();
    void ring(u32 offset, u32 value);
    void report(const Event& event, const ErrorEntry& entry);
    void deliver_events();

    // controller_fetch.cpp
    struct Batch {
        u32 sq = 0;
        u32 count = 0;
    };
    Batch next_batch();
    u64 ready_queues() const;
    void execute(u32 sq, const Submission& command);
    void execute_admin(const Submission& command);
    void execute_io(u32 sq, const Submission& command);
    Status prepare(Open& open, const Submission& command, const IoCommand& io);
    u32 take_tag(Kind kind, u32 sq, u16 id);
    void free_tag(u32 tag);
    void begin_format();

    // controller_end.cpp
    bool next_step(Open& open, BackendCommand& command) const;
    void advance(u32 tag);
    void finish(u32 tag);
    void count(const Open& open);
    void complete(u32 sq, u16 id, u16 status, u32 result = 0, u64 lba = 0);
    void queue_completion(u32 sq, u16 id, u16 status, u32 result, u64 lba);
    void after_command(u32 sq);
    void try_delete(u32 sq);
    void kill_sq(u32 sq);
    void kill_cq(u32 cq);
    CompletionQueue* next_posting(u32& id);
    void check_health();

    const Facts facts_;
    HostMemoryIf& memory_;
    BackendIf& backend_;
    Registers registers_;
    Queues queues_;
    Arbitration arbitration_;
    Interrupts interrupts_;
    Features features_;
    LogPages logs_;
    Events events_;
    Namespace name_space_;
    Usage usage_;
    AdminCommands admin_;
    std::vector<Open> open_; ///< by tag
    std::vector<u32> free_tags_;
    u32 open_count_ = 0;
    Picoseconds busy_since_;
    u32 inside_ = 0;
    u32 generation_ = 0;      ///< counts resets
    bool resetting_ = false;  ///< waits for what is inside, then RDY is 0
    bool flushing_ = false;   ///< the flush of a shutdown has begun
    bool format_waits_ = false;
    u16 format_id_ = 0;       ///< of its admin command
    u32 format_ = 0;
    u32 post_turn_ = 0;       ///< completion queue
    u8 warned_ = 0;           ///< critical warnings that have been reported
};

} // namespace tlmssd::nvme_device
