// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a hostile driver: malformed commands, PRPs, SGLs, doorbells and register writes. Every command gets a status
// of the standard, every wrong doorbell an entry of the error log, and another queue works all the while.
#include <algorithm>
#include <map>
#include <set>

#include "tb/nvme_device/rig.h"

namespace tlmssd::nvme_device {
namespace {

/// Each status that a driver can provoke, and the field by which (Base Specification 1.4, figures 126 to 128, and the
/// clauses of the commands). No other status may come: the device itself does not fail here.
struct Provoked {
    u16 status;
    const char* field;
};
constexpr Provoked kProvoked[] = {
    {kSuccess, "none"},
    {kInvalidOpcode, "OPC"},
    {kInvalidField, "FUSE; PSDT; NLB above MDTS; CNS; FID; SEL; PC of a queue; NSID and offset of a log page"},
    {kIdConflict, "CID of a command that has not ended"},
    {kDataTransferError, "PRP, SGL: no memory"},
    {kAbortRequested, "CID of Abort: an asynchronous event request"},
    {kInvalidNamespace, "NSID"},
    {kSequenceError, "FID 07h with I/O queues"},
    {kInvalidSglSegment, "length or address of a segment; a last segment that points on"},
    {kInvalidSglCount, "a segment descriptor that is not the last of its segment"},
    {kInvalidSglLength, "descriptors for less than the data"},
    {kInvalidSglType, "SGL identifier"},
    {kInvalidPrpOffset, "offset of PRP1, PRP2, an entry of a list"},
    {kLbaOutOfRange, "SLBA, NLB; a range of Dataset Management"},
    {kFormatInProgress, "I/O during Format NVM"},
    {kCompletionQueueInvalid, "CQID of a queue that does not exist"},
    {kInvalidQueueId, "QID"},
    {kInvalidQueueSize, "QSIZE"},
    {kEventLimitExceeded, "requests above AERL"},
    {kInvalidVector, "IV"},
    {kInvalidLogPage, "LID"},
    {kInvalidFormat, "LBAF, PI"},
    {kInvalidQueueDeletion, "QID of a completion queue in use"},
    {kNotSaveable, "SV"},
    {kNotNamespaceSpecific, "NSID of Set Features"},
    {kInvalidProtection, "PRINFO"},
    {kCompareFailure, "data of Compare"},
};

constexpr u32 kCommands = 20000;
constexpr u32 kGood = 3; ///< the queue pair of the well-behaved driver
constexpr u32 kWild = 2; ///< its doorbells are rung at random
constexpr u32 kGoodLba = 2048; ///< from here on the good driver has the device; the hostile one stays below

struct NvmeFuzz : testing::TestWithParam<u64>, Rig {
    u64 draws = 0;
    std::map<u16, u32> seen;          ///< answers by status
    std::multiset<u16> open;          ///< identifiers of queue 1 that wait for an answer
    std::multiset<u16> admin_open;    ///< of the admin queue, without
    std::vector<u16> event_requests;  ///< of these: at most AERL + 1 wait for long
    u64 draw(u64 below) { return draw_below(draw64(GetParam(), 9, draws++), below); }
    u32 word() { return static_cast<u32>(draw(u64{1} << 32)); }

    u64 address()
    {
        switch (draw(10)) {
        case 0: return draw64(GetParam(), 8, draws++);
        case 1: return kRam + kRamBytes - draw(64);
        case 2: return kData + draw(1 << 20);
        default: return kData + (draw(256) << 12) + (draw(4) == 0 ? draw(1024) * 4 : 0);
        }
    }
    /// PRP lists and SGL segments of all kinds, that point to each other.
    void scribble()
    {
        for (u32 i = 0; i < 8; ++i) {
            u8* const at = memory.at(kData + (draw(256) << 12) + draw(256) * 16);
            put64(at, address());
            if (draw(2) == 0) {
                put32(at + 8, static_cast<u32>(draw(5) == 0 ? word() : draw(64) * 16));
                at[15] = static_cast<u8>(draw(6) == 0 ? draw(256) : draw(4) << 4);
            } else {
                put64(at + 8, address());
            }
        }
    }
    Submission io()
    {
        static const u8 codes[] = {kRead, kWrite, kCompare, kWriteZeroes, kDatasetManagement, kFlush};
        Submission s = command(codes[draw(sizeof codes)], draw(20) == 0 ? word() : 1, address(), address());
        s.dw[10] = static_cast<u32>(draw(12) == 0 ? word() : draw(kGoodLba - 512));
        s.dw[11] = s.opcode() == kDatasetManagement ? static_cast<u32>(draw(8)) : draw(12) == 0 ? word() : 0;
        s.dw[12] = static_cast<u32>(draw(4) == 0 ? draw(300) : draw(64)) | (draw(15) == 0 ? word() & 0xffff0000 : 0);
        s.dw[0] |= static_cast<u32>(draw(3) == 0 ? draw(4) << 14 : 0) | (draw(30) == 0 ? 1u << 8 : 0);
        if (s.psdt() != 0 && draw(4) != 0) { // an SGL descriptor: length and type
            s.dw[8] = static_cast<u32>(draw(5) == 0 ? word() : draw(64) * 16);
            s.dw[9] = static_cast<u32>((draw(6) == 0 ? draw(256) : draw(4) << 4) << 24);
        }
        if (draw(12) == 0) {
            s.dw[draw(16)] = word();
        }
        s.dw[0] &= 0xffff; // put() gives an identifier that is free
        if (!open.empty() && draw(20) == 0) {
            s.dw[0] |= u32{*open.begin()} << 16;
        }
        s.dw[12] &= ~0xfe00u; // Write Zeroes has no limit
        return s;
    }
    Submission admin_command()
    {
        static const u8 codes[] = {kGetLogPage, kIdentify,    kAbort,    kSetFeatures, kGetFeatures, kAsyncEvent,
                                   kCreateCq,   kCreateSq,    kDeleteCq, kDeleteSq,    kFormatNvm};
        Submission s = command(codes[draw(sizeof codes)], static_cast<u32>(draw(3) == 0 ? word() : draw(2)), address(),
                               address());
        s.dw[10] = static_cast<u32>(draw(4) == 0 ? word() : draw(16)) | static_cast<u32>(draw(80) << 16);
        s.dw[11] = static_cast<u32>(draw(4) == 0 ? word() : draw(4) | draw(10) << 16);
        s.dw[12] = static_cast<u32>(draw(3) == 0 ? draw(600) : 0);
        s.dw[0] |= static_cast<u32>(draw(20) == 0 ? draw(4) << 14 : 0);
        if (draw(25) == 0) {
            s.dw[0] = (s.dw[0] & ~0xffu) | static_cast<u32>(draw(256));
        }
        const bool creates = s.opcode() == kCreateCq || s.opcode() == kCreateSq;
        const bool deletes = s.opcode() == kDeleteCq || s.opcode() == kDeleteSq;
        if ((creates || deletes) && draw(2) == 0) { // often right, if such a queue does not exist or does
            s.dw[6] &= ~0xfffu;
            s.dw[10] = static_cast<u32>(4 + draw(5)) | 15u << 16;
            s.dw[11] = 1 | static_cast<u32>(draw(12)) << 16;
        }
        if (s.opcode() == kSetFeatures && draw(8) == 0) {
            s.dw[10] |= 1u << 31;
        }
        if (s.opcode() == kFormatNvm && draw(3) == 0) {
            s.dw[1] = 1;
            s.dw[10] = 0;
        }
        if (s.opcode() == kAbort && !event_requests.empty() && draw(2) == 0) {
            s.dw[10] = u32{event_requests[draw(event_requests.size())]} << 16;
        }
        return keep_apart(s);
    }
    /// Queues 1 to 3, their vectors and the size of blocks stay as they are.
    static Submission keep_apart(Submission s)
    {
        const bool queue = s.opcode() == kDeleteCq || s.opcode() == kDeleteSq;
        const u32 low = s.dw[10] & 0xffff;
        if (queue && low >= 1 && low <= 3) {
            s.dw[10] += 3;
        }
        const bool creates_at_3 = s.opcode() == kCreateSq && s.dw[11] >> 16 <= 3;
        if (creates_at_3) {
            s.dw[11] |= 1u << 18; // completion queue 4 or above
        }
        if (s.opcode() == kFormatNvm) {
            s.dw[10] &= (s.dw[10] & 15) == 1 ? ~1u : ~0u;
        }
        return s;
    }
    void reboot()
    {
        enable();
        for (u32 id = 1; id <= 3; ++id) {
            create_pair(id, 16, id);
        }
    }
    /// Own data, written and read back.
    void good_driver(u64 round)
    {
        const u64 lba = kGoodLba + draw(kSectors - kGoodLba - 8);
        const u64 at = kData + 0x180000;
        fill(at, 4096, round);
        ASSERT_EQ(run(kGood, blocks(kWrite, lba, 8, at)).status, kSuccess);
        ASSERT_EQ(run(kGood, blocks(kRead, lba, 8, at + 4096)).status, kSuccess);
        ASSERT_EQ(copy(at, 4096), copy(at + 4096, 4096));
    }
    /// All answers of a queue. `waiting`: the identifiers that may have one; null: any.
    bool drain(u32 queue, std::multiset<u16>* waiting)
    {
        bool any = false;
        for (Answer a = take(queue); a.came; a = take(queue)) {
            any = true;
            ++seen[a.status];
            if (waiting != nullptr) {
                const auto found = waiting->find(a.id);
                EXPECT_NE(found, waiting->end()) << "an answer that nobody waits for";
                if (found != waiting->end()) {
                    waiting->erase(found);
                }
            }
        }
        return any;
    }
    bool drain_admin()
    {
        bool any = false;
        for (Answer a = take(0); a.came; a = take(0)) {
            any = true;
            ++seen[a.status];
            const auto found = admin_open.find(a.id);
            if (found != admin_open.end()) {
                admin_open.erase(found);
            } else {
                const auto event = std::find(event_requests.begin(), event_requests.end(), a.id);
                EXPECT_NE(event, event_requests.end()) << "an answer that nobody waits for";
                if (event != event_requests.end()) {
                    event_requests.erase(event);
                }
            }
        }
        return any;
    }
    /// Until nothing of the hostile driver is left but event requests.
    void settle()
    {
        backend.at_once = true;
        for (bool any = true; any;) {
            any = !backend.waiting.empty();
            backend.run_all();
            work();
            any = drain(1, &open) || any;
            any = drain(kWild, nullptr) || any;
            any = drain_admin() || any;
        }
        EXPECT_TRUE(open.empty()) << open.size() << " commands without an answer";
        EXPECT_TRUE(admin_open.empty()) << admin_open.size() << " admin commands without an answer";
    }
    void hostile_command()
    {
        switch (draw(4)) {
        case 0: {
            const Submission s = admin_command();
            const u16 id = submit(0, s);
            if (s.opcode() == kAsyncEvent) {
                event_requests.push_back(id);
            } else {
                admin_open.insert(id);
            }
            break;
        }
        case 1: {
            put(kWild, io());
            ring_sq(kWild, static_cast<u32>(draw(16)));
            const u64 before = controller.logs().errors();
            ring_sq(static_cast<u32>(10 + draw(50)), word());
            ring_cq(1, static_cast<u32>(16 + draw(60000)));
            EXPECT_EQ(controller.logs().errors(), before + 2);
            break;
        }
        default: open.insert(submit(1, io())); break;
        }
        next_id = next_id == 0 ? 1 : next_id;
    }
    void expect_statuses() const
    {
        std::map<u16, u32> rest = seen;
        for (const Provoked& p : kProvoked) {
            EXPECT_EQ(rest.erase(p.status), 1u) << "never " << std::hex << p.status << ", by " << p.field;
        }
        for (const auto& [status, count] : rest) {
            ADD_FAILURE() << count << " answers with " << std::hex << status;
        }
    }
};

TEST_P(NvmeFuzz, EveryCommandHasAnAnswer)
{
    reboot();
    for (u32 i = 0; i < kCommands; ++i) {
        scribble();
        backend.at_once = draw(3) != 0;
        hostile_command();
        work();
        while (!backend.waiting.empty() && draw(4) != 0) {
            backend.run(draw(backend.waiting.size()));
        }
        work();
        drain(1, &open);
        work();
        drain_admin();
        drain(kWild, nullptr);
        if (open.size() > 10 || i % 50 == 0) {
            settle();
            good_driver(i);
        }
        ASSERT_EQ(csts(), 1u);
        if (HasFailure()) {
            FAIL() << "at command " << i;
        }
    }
    settle();
    expect_statuses();
}

TEST_P(NvmeFuzz, RegistersAndResets)
{
    for (u32 bout = 0; bout < 200; ++bout) {
        reboot();
        for (u32 i = 0; i < 100; ++i) {
            scribble();
            backend.at_once = draw(2) != 0;
            switch (draw(12)) {
            case 0: controller.write(static_cast<u32>(draw(0x40)) * 4, word(), draw(2) != 0 ? ~0u : 0xffu << 8 * draw(4)); break;
            case 1: controller.write(static_cast<u32>(0x1000 + draw(0x1000) * 4), static_cast<u32>(draw(20))); break;
            case 2: controller.write(reg::kCc, 0x00460000u | static_cast<u32>(draw(2)) | static_cast<u32>(draw(4) << 14)); break;
            case 3:
                if (draw(10) == 0) {
                    controller.write(reg::kNssr, 0x4e564d65);
                }
                break;
            case 4: submit(0, draw(9) == 0 ? command(kFormatNvm, 1) : admin_command()); break;
            case 5: {
                Submission s = command(kSetFeatures, 0);
                s.dw[10] = static_cast<u32>(draw(16));
                s.dw[11] = word() & 0x0fff;
                submit(0, s);
                break;
            }
            default: submit(static_cast<u32>(1 + draw(3)), io()); break;
            }
            controller.read(static_cast<u32>(draw(0x2000)) & ~3u);
            work();
            if (draw(3) == 0) {
                backend.run_all();
            }
            for (u32 id = 0; id <= 3; ++id) {
                take(id);
            }
            next_id = next_id == 0 ? 1 : next_id;
        }
        backend.at_once = true;
        controller.write(reg::kCc, 0);
        backend.run_all();
        ASSERT_EQ(csts() & 3, 0u) << "bout " << bout;
        ASSERT_EQ(controller.outstanding(), 0u);
        reboot();
        good_driver(bout);
        controller.write(reg::kCc, 0);
        if (HasFailure()) {
            FAIL() << "bout " << bout;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, NvmeFuzz, testing::Values(1, 2, 3));

} // namespace
} // namespace tlmssd::nvme_device
