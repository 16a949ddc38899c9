// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NVMe controller without time of its own (docs/explanation/nvme-device.md).
#pragma once

#include <array>
#include <vector>

#include "models/common/fifo.h"
#include "models/nvme/port_stats.h"
#include "models/nvme_device/core/admin.h"
#include "models/nvme_device/core/io_commands.h"

namespace tlmssd::nvme_device {

/// Three units work; they have something to do after any other call. One fetches: begin_fetch(), a read of host memory,
/// end_fetch(). One executes what has come, entry by entry. One completes: begin_post(), a write of host memory,
/// end_post(). Any number of fetches and posts may be open. Inside execute(), where reads_memory() says so, and inside
/// compare() host memory may take time; all other calls return at once and may come meanwhile.
class Controller {
public:
    static constexpr u32 kMostFetched = 16; ///< entries in one read of host memory

    struct Fetch {
        u64 address = 0;
        u32 sq = 0;
        u32 count = 0;
        u32 generation = 0; ///< of the controller
    };
    struct Post {
        u64 address = 0;
        std::array<u8, kCompletionBytes> bytes{};
        u32 cq = 0;
        u32 generation = 0; ///< of the controller
        u32 creation = 0;   ///< of the queue
    };
    /// The way of the data of a page buffer.
    enum class Move : u8 {
        Nothing, ///< the command has failed, or a reset has come
        ToHost,
        FromHost,
        Zeroes, ///< into the page buffer
        Compare
    };

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
    /// One turn of arbitration: the entries to be read. False: none now.
    bool begin_fetch(Fetch& fetch);
    /// `bytes`: the entries; `good`: memory has given them.
    void end_fetch(const Fetch& fetch, const u8* bytes, bool good);
    /// Entries have come that have not been executed.
    bool has_entry() const { return !entries_.empty(); }
    /// The next of them makes accesses of host memory in execute(): lists, ranges, data of admin commands.
    bool reads_memory() const;
    /// Execute the next entry, or hand it on.
    void execute();
    /// One completion entry to be written. False: none now.
    bool begin_post(Post& post);
    /// Its interrupt: once its write is on the way.
    void announce(const Post& post);
    void end_post(const Post& post, bool good);
    /// When to call expire(): held-back interrupts; kTimeNever: never.
    Picoseconds deadline() const { return interrupts_.deadline(); }
    void expire() { interrupts_.expire(backend_.now()); }

    // The back-end's side.
    /// Data of a page buffer are about to move. end_data() has to follow.
    Move begin_data(u32 tag);
    /// Where the data of the command lie.
    const ScatterList& data(u32 tag) const { return open_[tag].list; }
    /// A reset has come: host memory is not to be touched any more.
    bool orphan(u32 tag) const { return open_[tag].orphan; }
    /// Data of a Compare against those of the device, `offset` bytes from the start of the command.
    void compare(u32 tag, u32 offset, const u8* data, u32 bytes);
    /// `good`: host memory has given or taken them. False: the command has failed; what a write has brought is not to
    /// be used.
    bool end_data(u32 tag, bool good);
    void ended(u32 tag, bool good);

    const PortStats& counts() const { return counts_; }
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
        bool orphan = false;     ///< a reset has come: its host does not wait for it
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
    struct Entry {
        u32 sq = 0;
        Submission command;
    };
    bool next_batch(Fetch& fetch);
    bool has_list(const Submission& command, u32 bytes) const;
    u64 ready_queues() const;
    void execute_admin(const Submission& command);
    void execute_io(u32 sq, const Submission& command);
    Status prepare(Open& open, const Submission& command, const IoCommand& io);
    u32 take_tag(Kind kind, u32 sq, u16 id);
    void claim(u32 place);
    void free_tag(u32 tag);
    void leave()
    {
        --inside_;
        settle();
    }
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
    std::vector<u32> place_; ///< by tag: its place in free_tags_
    Fifo<Entry> entries_{kMostFetched};
    u64 pending_ = 0; ///< completions that wait to be written, or more: those of queues that are gone
    u32 claimed_ = 0; ///< entries of I/O queues that are fetched and not executed
    PortStats counts_;
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
