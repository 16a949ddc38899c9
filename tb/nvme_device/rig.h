// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NVMe controller with host memory, a driver and a device of plain sectors, without time.
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <vector>

#include "models/common/hash.h"
#include "models/nvme_device/core/controller.h"
#include "tb/nvme_device/fake_memory.h"

namespace tlmssd::nvme_device {

inline constexpr u32 kSectors = 4096; ///< of the device, 512 bytes each

/// Holds commands until a test lets them run.
struct FakeBackend final : BackendIf {
    Controller* controller = nullptr;
    FakeMemory* memory = nullptr;
    std::vector<u8> flash = std::vector<u8>(kSectors * 512);
    std::deque<BackendCommand> waiting;
    std::vector<BackendCommand> seen;
    bool at_once = true;
    bool fail = false;
    bool protect = false;
    Health figures;
    Picoseconds time;

    void submit(const BackendCommand& c) override
    {
        seen.push_back(c);
        if (at_once) {
            execute(c);
        } else {
            waiting.push_back(c);
        }
    }
    bool read_only() const override { return protect; }
    Health health() const override { return figures; }
    Picoseconds now() const override { return time; }

    void run(std::size_t index = 0)
    {
        const BackendCommand c = waiting.at(index);
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(index));
        execute(c);
    }
    void run_all()
    {
        while (!waiting.empty()) {
            run();
        }
    }
    /// In pieces of at most 8 sectors, as page buffers come.
    void execute(const BackendCommand& c)
    {
        ASSERT_LE(c.lba + c.sectors, kSectors);
        for (u32 done = 0; !fail && done < c.sectors;) {
            const u32 part = std::min(8u, c.sectors - done);
            u8* const at = flash.data() + (c.lba + done) * 512;
            if (c.op == Op::Read) {
                to_host(c.tag, done * 512, at, part * 512);
            } else if (c.op == Op::Write) {
                std::vector<u8> data(part * 512);
                if (from_host(c.tag, done * 512, data.data(), part * 512)) {
                    std::copy(data.begin(), data.end(), at);
                }
            } else if (c.op == Op::Trim) {
                std::fill_n(at, part * 512, u8{0});
            }
            done += part;
        }
        controller->ended(c.tag, !fail);
    }
    void to_host(u32 tag, u32 offset, const u8* data, u32 bytes)
    {
        const Controller::Move move = controller->begin_data(tag);
        const auto write = [&](const Segment& s, u32 done) {
            return controller->orphan(tag) || s.bucket || memory->write(s.address, data + done, s.bytes);
        };
        if (move == Controller::Move::Compare) {
            controller->compare(tag, offset, data, bytes);
        }
        controller->end_data(tag, move != Controller::Move::ToHost ||
                                      controller->data(tag).for_range(offset, bytes, write));
    }
    bool from_host(u32 tag, u32 offset, u8* data, u32 bytes)
    {
        const Controller::Move move = controller->begin_data(tag);
        const auto read = [&](const Segment& s, u32 done) {
            return controller->orphan(tag) || memory->read(s.address, data + done, s.bytes);
        };
        if (move == Controller::Move::Zeroes) {
            std::fill_n(data, bytes, u8{0});
        }
        return controller->end_data(tag, move != Controller::Move::FromHost ||
                                             controller->data(tag).for_range(offset, bytes, read));
    }
};

struct FakeInterrupts final : InterruptSinkIf {
    std::vector<u32> messages;
    bool pin = false;
    void message(u32 vector) override { messages.push_back(vector); }
    void level(bool on) override { pin = on; }
};

inline Facts small_facts()
{
    Facts f;
    f.serial = "S123";
    f.sectors = kSectors;
    f.tags = 16;
    f.queue_pairs = 8;
    f.queue_entries = 64;
    f.vectors = 9;
    return f;
}

/// Of a completion entry.
struct Answer {
    bool came = false;
    u16 id = 0;
    u16 status = 0; ///< type and code
    bool more = false;
    bool final = false; ///< do not retry
    u32 result = 0;
    u16 sq = 0;
    u16 sq_head = 0;
};

/// The driver's side of one queue pair.
struct Pair {
    u64 sq = 0;
    u64 cq = 0;
    u32 entries = 0;
    u32 tail = 0;
    u32 head = 0;
    bool phase = true;
};

struct Rig {
    explicit Rig(const Facts& f = small_facts()) : facts(f), controller(f, memory, backend, interrupts)
    {
        backend.controller = &controller;
        backend.memory = &memory;
    }

    static constexpr u64 kQueues0 = kRam;           ///< queue pair n at + n * 0x4000
    static constexpr u64 kData = kRam + 0x200000;

    Facts facts;
    FakeMemory memory;
    FakeBackend backend;
    FakeInterrupts interrupts;
    Controller controller;
    std::map<u32, Pair> pairs;
    u16 next_id = 1;

    u32 csts() const { return controller.read(reg::kCsts); }
    void ring_sq(u32 id, u32 value) { controller.write(0x1000 + (2 * id) * (4u << facts.doorbell_stride), value); }
    void ring_cq(u32 id, u32 value) { controller.write(0x1000 + (2 * id + 1) * (4u << facts.doorbell_stride), value); }
    void work()
    {
        for (bool more = true; more;) {
            more = fetch();
            more = post() || more;
        }
    }
    bool fetch()
    {
        Controller::Fetch f;
        if (!controller.begin_fetch(f)) {
            return false;
        }
        std::array<u8, Controller::kMostFetched * kSubmissionBytes> bytes{};
        const bool good = memory.read(f.address, bytes.data(), f.count * kSubmissionBytes);
        controller.end_fetch(f, bytes.data(), good);
        while (controller.has_entry()) {
            const u32 before = memory.reads + memory.writes;
            const bool expected = controller.reads_memory();
            const bool data = backend.at_once; // moves data inside
            controller.execute();
            EXPECT_TRUE(expected || data || memory.reads + memory.writes == before);
        }
        return true;
    }
    bool post()
    {
        Controller::Post p;
        if (!controller.begin_post(p)) {
            return false;
        }
        controller.announce(p);
        controller.end_post(p, memory.write(p.address, p.bytes.data(), kCompletionBytes));
        return true;
    }
    void enable(u32 cc = 0x00460001, u32 entries = 32)
    {
        pairs.clear();
        std::fill_n(memory.at(kRam), kData - kRam, u8{0}); // no entries of an earlier life
        pairs[0] = {kQueues0, kQueues0 + 0x2000, entries};
        controller.write(reg::kAqa, (entries - 1) | (entries - 1) << 16);
        controller.write(reg::kAsq, static_cast<u32>(pairs[0].sq));
        controller.write(reg::kAsq + 4, 0);
        controller.write(reg::kAcq, static_cast<u32>(pairs[0].cq));
        controller.write(reg::kAcq + 4, 0);
        controller.write(reg::kCc, cc);
    }
    void create_pair(u32 id, u32 entries = 32, u32 vector = 0, u32 priority = 0)
    {
        pairs[id] = {kQueues0 + id * 0x4000, kQueues0 + id * 0x4000 + 0x2000, entries};
        Submission c = command(kCreateCq, 0, pairs[id].cq);
        c.dw[10] = id | (entries - 1) << 16;
        c.dw[11] = 3 | vector << 16;
        ASSERT_EQ(run(0, c).status, kSuccess);
        Submission s = command(kCreateSq, 0, pairs[id].sq);
        s.dw[10] = id | (entries - 1) << 16;
        s.dw[11] = 1 | priority << 1 | id << 16;
        ASSERT_EQ(run(0, s).status, kSuccess);
    }
    void boot()
    {
        enable();
        create_pair(1);
    }

    static Submission command(u8 opcode, u32 nsid, u64 prp1 = 0, u64 prp2 = 0)
    {
        Submission s;
        s.dw[0] = opcode;
        s.dw[1] = nsid;
        s.dw[6] = static_cast<u32>(prp1);
        s.dw[7] = static_cast<u32>(prp1 >> 32);
        s.dw[8] = static_cast<u32>(prp2);
        s.dw[9] = static_cast<u32>(prp2 >> 32);
        return s;
    }
    static Submission blocks(u8 opcode, u64 lba, u32 count, u64 prp1, u64 prp2 = 0)
    {
        Submission s = command(opcode, 1, prp1, prp2);
        s.dw[10] = static_cast<u32>(lba);
        s.dw[11] = static_cast<u32>(lba >> 32);
        s.dw[12] = count - 1;
        return s;
    }
    /// Into the queue, without the doorbell; its identifier.
    u16 put(u32 queue, Submission s)
    {
        Pair& p = pairs.at(queue);
        if ((s.dw[0] >> 16) == 0) {
            s.dw[0] |= u32{next_id++} << 16;
        }
        for (u32 i = 0; i < 16; ++i) {
            put32(memory.at(p.sq + p.tail * 64 + 4 * i), s.dw[i]);
        }
        p.tail = (p.tail + 1) % p.entries;
        return s.id();
    }
    u16 submit(u32 queue, const Submission& s)
    {
        const u16 id = put(queue, s);
        ring_sq(queue, pairs.at(queue).tail);
        return id;
    }
    /// The next completion entry of the queue, if there is one.
    Answer take(u32 queue, bool ring = true)
    {
        Pair& p = pairs.at(queue);
        const u8* const e = memory.at(p.cq + p.head * 16);
        Answer a;
        if ((get16(e + 14) & 1) != u32{p.phase}) {
            return a;
        }
        a.came = true;
        a.result = get32(e);
        a.sq_head = get16(e + 8);
        a.sq = get16(e + 10);
        a.id = get16(e + 12);
        const u32 status = get16(e + 14) >> 1;
        a.status = status & 0x7ff;
        a.more = status >> 13 & 1;
        a.final = status >> 14 & 1;
        if (++p.head == p.entries) {
            p.head = 0;
            p.phase = !p.phase;
        }
        if (ring) {
            ring_cq(queue, p.head);
        }
        return a;
    }
    Answer run(u32 queue, const Submission& s)
    {
        const u16 id = submit(queue, s);
        work();
        const Answer a = take(queue);
        EXPECT_TRUE(a.came) << "no completion";
        EXPECT_EQ(a.id, id);
        return a;
    }
    Answer admin(u8 opcode, u32 dw10, u32 dw11 = 0, u32 nsid = 0)
    {
        Submission s = command(opcode, nsid, kData);
        s.dw[10] = dw10;
        s.dw[11] = dw11;
        return run(0, s);
    }
    void fill(u64 address, u32 bytes, u64 seed)
    {
        for (u32 i = 0; i < bytes; ++i) {
            *memory.at(address + i) = static_cast<u8>(draw64(seed, 1, i));
        }
    }
    std::vector<u8> copy(u64 address, u32 bytes) { return {memory.at(address), memory.at(address) + bytes}; }
};

} // namespace tlmssd::nvme_device
