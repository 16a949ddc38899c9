// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the registers of o3_top on a bus of random delays, against a plain model of them.
#include <cstring>
#include <deque>
#include <vector>

#include "firmware/hal/flash_op.h"
#include "models/flash/o3/o3_regs.h"
#include "tb/rtl/o3_bus.h"

namespace tlmssd::tb {
namespace {

using namespace flash::o3_regs;

TEST_F(O3Bus, EveryRegisterHasItsValueAfterReset)
{
    for (const Plain& r : model.registers) {
        const Answer answer = read(r.address);
        EXPECT_EQ(answer.response, kOkay) << std::hex << r.address;
        EXPECT_EQ(answer.data, r.value) << std::hex << r.address;
    }
}

TEST_F(O3Bus, EveryOtherAddressIsAnError)
{
    for (u32 address = 0; address < 0x1000; address += 4) {
        if (model.find(address) != nullptr) {
            continue;
        }
        EXPECT_EQ(read(address).response, kSlverr) << std::hex << address;
        if (address != 0x080) {
            EXPECT_EQ(write(address, 0xffffffff, 0xf).response, kSlverr) << std::hex << address;
        }
    }
    for (const Plain& r : model.registers) { // and nothing has changed
        EXPECT_EQ(read(r.address).data, r.value) << std::hex << r.address;
    }
}

TEST_F(O3Bus, EachBitIsWrittenOrNot)
{
    for (Plain& r : model.registers) {
        for (const u32 data : {0xffffffffu, 0x00000000u, 0xa5a5a5a5u, 0x5a5a5a5au}) {
            EXPECT_EQ(write(r.address, data, 0xf).response, model.write(r.address, data, 0xf))
                << std::hex << r.address;
            if (r.address != 0x0c0) { // counters that count are not of this test
                EXPECT_EQ(read(r.address).data, r.value) << std::hex << r.address;
            }
        }
        if (r.address == 0x0c0) {
            write(0x0c0, 2, 0xf);
            model.write(0x0c0, 2, 0xf);
        }
    }
}

class O3BusRandom : public O3Bus, public testing::WithParamInterface<u64> {};

TEST_P(O3BusRandom, IsAsThePlainModel)
{
    seed = GetParam();
    for (u32 i = 0; i < 4000 && !HasFailure(); ++i) {
        const u32 n = draw(20);
        u32 address = model.registers[draw(static_cast<u32>(model.registers.size()))].address;
        if (n < 12) { // most of them not counters
            address = 4 * draw(0x40) + draw(4);
        } else if (n < 14) {
            address = draw(0x1000);
        }
        if (draw(2) == 0) {
            const u32 data = static_cast<u32>(draw64(seed, 8, i));
            const u32 strobes = draw(16);
            const bool counts = (address & ~3u) == 0x0c0 && (strobes & 1) != 0 && (data & 1) != 0;
            const bool rings = (address & ~3u) == 0x080 && (model.find(0x040)->value & 0xffff) < kTags;
            if (counts || rings) {
                continue; // other tests
            }
            ASSERT_EQ(write(address, data, strobes).response, model.write(address, data, strobes))
                << std::hex << address;
        } else {
            Plain* const r = model.find(address);
            const Answer answer = read(address);
            ASSERT_EQ(answer.response, r != nullptr ? kOkay : kSlverr) << std::hex << address;
            if (r != nullptr) {
                ASSERT_EQ(answer.data, r->value) << std::hex << address;
            }
        }
        ASSERT_EQ(top->irq_o != 0, model.interrupt());
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, O3BusRandom, testing::Range<u64>(1, 9));

// A landing goes first: as long as one comes at each edge (of tags not in use, so none is kept) an abort waits.
TEST_F(O3Bus, AnAbortThatWaitsCannotBeOverwritten)
{
    top->land_valid_i = 1;
    EXPECT_EQ(write(0x0b4, 7 | 1u << 16, 0xf).response, kOkay);
    edges(10);
    EXPECT_FALSE(top->idle_o) << "an abort that waits needs edges";
    EXPECT_EQ(read(0x0b4).data, 7u | 1u << 18);
    EXPECT_EQ(write(0x0b4, 8, 0xf).response, kSlverr);
    top->land_valid_i = 0;
    edges(2);
    EXPECT_EQ(read(0x0b4).data, 7u) << "no operation has tag 7";
    EXPECT_EQ(write(0x0b4, 8, 0xf).response, kOkay);
    EXPECT_EQ(read(0x0b4).data, 8u);
}

// One that waits, as landings go first, and the answer to one that was found.
TEST_F(O3Bus, AResetForgetsAnAbortAndItsAnswer)
{
    top->land_valid_i = 1;
    EXPECT_EQ(write(0x0b4, 7 | 1u << 16, 0xf).response, kOkay);
    edges(10);
    ASSERT_EQ(read(0x0b4).data, 7u | 1u << 18);
    reset();
    EXPECT_EQ(read(0x0b4).data, 0u) << "it would wait still";
    top->land_valid_i = 0;
    edges(2);
    write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); // one LUN
    offer(FLASH_OP_ERASE, 0, 9);
    EXPECT_EQ(write(0x0b4, 9 | 1u << 16, 0xf).response, kOkay);
    edges(5);
    ASSERT_EQ(read(0x0b4).data, 9u | 1u << 17);
    reset();
    EXPECT_EQ(read(0x0b4).data, 0u);
}

// An erase of a die that never gets ready. A stamp has 2^20 ps, 209.7 edges. With a limit of 1000 stamps it would be
// given up after 209,000 edges at the earliest; a limit of 3 is written after 5,000. The first sweep comes 3 to 4 stamps
// after that write, the second, which gives it up, 4 stamps later.
TEST_F(O3Bus, ANewTimeLimitGivesUpWhatHangs)
{
    write(0x024, 1000, 0xf);
    write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); // one LUN
    offer_erase();
    ASSERT_TRUE(top->seg_valid_o & 1);
    std::memset(&top->ready_i, 0, sizeof top->ready_i);
    top->seg_done_i = 1;
    edges(1);
    top->seg_done_i = 0;
    edges(5000);
    EXPECT_FALSE(top->done_valid_o);
    EXPECT_EQ(write(0x010, 2, 0xf).response, kOkay); // a soft reset waits for the die, too
    EXPECT_EQ(write(0x024, 3, 0xf).response, kOkay);
    const u64 from = cycle;
    while (!top->done_valid_o && cycle < from + 5000) {
        edge();
    }
    EXPECT_GE(cycle - from, 7u * 209);
    EXPECT_LE(cycle - from, 8u * 210 + 20);
    EXPECT_EQ(top->done_status_o, FLASH_STATUS_TIMEOUT);
    edges(2);
    EXPECT_EQ(read(0x010).data, 0u);
    EXPECT_EQ(read(0x014).data, 0u);
}

// A soft reset lasts until its operation has ended, whatever is written meanwhile: here to another register, without
// any byte. The LUN has to be ready, and its status read, before it ends.
TEST_F(O3Bus, ASoftResetLastsUntilItsOperationHasEnded)
{
    write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); // one LUN
    std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
    offer_erase();
    ASSERT_TRUE(top->seg_valid_o & 1);
    std::memset(&top->ready_i, 0, sizeof top->ready_i);
    end_segment(0);
    EXPECT_EQ(write(0x010, 2, 0xf).response, kOkay);
    EXPECT_EQ(write(0x024, 0, 0).response, kOkay);
    edges(100);
    EXPECT_EQ(read(0x010).data, 2u);
    std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
    edges(20);
    EXPECT_EQ(read(0x010).data, 2u) << "its status is read first";
    ASSERT_TRUE(top->seg_valid_o & 1);
    end_segment(0x60);
    EXPECT_EQ(read(0x010).data, 0u);
    EXPECT_EQ(read(0x014).data, 0u);
}

// Operations without an opcode, one after the other through the window, until the completion queue is full: it is ready
// to be popped, the window's operation has been taken, the queue is full (bits 0 to 2). Bits 1 and 2 are of byte 0: a
// write of the other bytes clears neither.
TEST_F(O3Bus, InterruptBitsAreClearedByTheirOwnByte)
{
    constexpr u32 kDepth = 16; // of the completion queue
    for (u32 tag = 0; tag < kDepth; ++tag) {
        EXPECT_EQ(read(0x030).data, tag == 0 ? 0u : 3u);
        EXPECT_EQ(write(0x040, tag, 0xf).response, kOkay);
        EXPECT_EQ(write(0x080, 1, 0xf).response, kOkay);
        edges(20);
    }
    EXPECT_EQ(read(0x030).data, 7u);
    EXPECT_EQ(write(0x030, 0xffffffff, 0xe).response, kOkay);
    EXPECT_EQ(read(0x030).data, 7u);
    EXPECT_EQ(write(0x030, 2, 0xf).response, kOkay);
    EXPECT_EQ(read(0x030).data, 5u);
    EXPECT_EQ(write(0x030, 0xffffffff, 0x1).response, kOkay);
    EXPECT_EQ(read(0x030).data, 1u);
}

// An erase of four planes through the window, which fails.
TEST_F(O3Bus, TheCompletionQueueNamesAllFailedPlanes)
{
    constexpr u32 kTag = 0x5a % kTags, kPlanes = 4;
    write(0x028, 1u | 1u << 8 | 1u << 16, 0xf); // one LUN
    std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
    EXPECT_EQ(write(0x040, kTag | u32{FLASH_OP_ERASE} << 16, 0xf).response, kOkay);
    EXPECT_EQ(write(0x044, kPlanes << 24, 0xf).response, kOkay);
    EXPECT_EQ(write(0x080, 1, 0xf).response, kOkay);
    edges(20);
    for (u32 plane = 0; plane < kPlanes; ++plane) {
        ASSERT_TRUE(top->seg_valid_o & 1);
        EXPECT_EQ(flash::port_bits(top->seg_plane_o, 0, 2), plane);
        end_segment(0);
        edges(100); // until R/B# is looked at
    }
    EXPECT_EQ(read(0x090).data, 0u);
    end_segment(0x61); // RDY, ARDY, FAIL
    EXPECT_EQ(read(0x090).data, 1u);
    EXPECT_EQ(read(0x094).data, kTag | u32{FLASH_STATUS_FAIL} << 16 | 0xfu << 24);
    EXPECT_EQ(write(0x040, kTag, 0xf).response, kOkay); // no opcode
    EXPECT_EQ(write(0x080, 1, 0xf).response, kOkay);
    edges(20);
    EXPECT_EQ(write(0x09c, 1, 0xf).response, kOkay);
    EXPECT_EQ(read(0x094).data, kTag | u32{FLASH_STATUS_ILLEGAL} << 16);
}

// Operations of opcodes that are none, at the port: their ends stand until they are taken.
TEST_F(O3Bus, AnEndStandsUntilThePortTakesIt)
{
    top->done_ready_i = 0;
    for (u32 i = 0; i < 40; ++i) {
        const u32 tag = draw(kTags), cookie = static_cast<u32>(draw64(seed, 9, i));
        for (u32 word = 0; word < 16; ++word) {
            top->op_i[word] = static_cast<u32>(draw64(seed, 10 + word, i));
        }
        top->op_i[0] = tag | (5 + draw(251)) << 16;
        top->op_i[14] = cookie;
        top->op_valid_i = 1;
        for (bool taken = false; !taken;) {
            taken = top->op_ready_o;
            edge();
        }
        top->op_valid_i = 0;
        edges(10);
        for (u32 n = 0; n < 5; ++n) {
            ASSERT_TRUE(top->done_valid_o);
            EXPECT_EQ(top->done_tag_o, tag);
            EXPECT_EQ(top->done_status_o, FLASH_STATUS_ILLEGAL);
            EXPECT_EQ(top->done_planes_o, 0);
            EXPECT_EQ(top->done_cookie_o, cookie);
            edge();
        }
        top->done_ready_i = 1;
        edge();
        EXPECT_FALSE(top->done_valid_o);
        top->done_ready_i = 0;
        edges(2);
    }
}

// Two reads, whose data are in DRAM at the same time: the second landing stands until the first has been taken.
TEST_F(O3Bus, ALandingWaitsForTheOneBefore)
{
    write(0x028, 1u | 2u << 8 | 1u << 16, 0xf); // two CE#
    for (u32 round = 0; round < 12; ++round) {
        const u32 tags[] = {draw(kTags / 2), kTags / 2 + draw(kTags / 2)};
        std::memset(&top->ready_i, 0, sizeof top->ready_i);
        for (u32 ce = 0; ce < 2; ++ce) {
            offer(FLASH_OP_READ, ce, tags[ce]);
            end_segment(0);
        }
        edges(100); // R/B# is not looked at before
        std::memset(&top->ready_i, 0xff, sizeof top->ready_i);
        edges(20);
        end_segment(0); // the bursts
        end_segment(0);
        EXPECT_FALSE(top->done_valid_o);
        u32 waited = 0;
        std::vector<u32> ended;
        top->land_valid_i = 1;
        for (u32 n = 0, landed = 0; n < 40; ++n) {
            top->land_tag_i = static_cast<u16>(tags[landed < 2 ? landed : 1]);
            top->land_valid_i = landed < 2;
            top->eval();
            const bool takes = top->land_valid_i && top->land_ready_o;
            waited += top->land_valid_i && !top->land_ready_o;
            if (top->done_valid_o) {
                ended.push_back(top->done_tag_o);
                EXPECT_EQ(top->done_status_o, FLASH_STATUS_OK);
            }
            edge();
            landed += takes;
        }
        EXPECT_GT(waited, 0u);
        EXPECT_EQ(ended, (std::vector<u32>{tags[0], tags[1]}));
    }
}

// A master that offers the next access before the answer to the last: addresses and data stand until they are taken,
// answers come in order. No byte is written.
TEST_F(O3Bus, AccessesMayBeOfferedAheadOfTheAnswers)
{
    std::deque<u32> writes, reads; // addresses that were taken
    const auto next = [this] {
        const u32 address = draw(2) != 0 ? 4 * draw(0x40) + draw(4) : draw(0x1000);
        return (address & ~3u) == 0x080 || (address & ~3u) == 0x0c0 ? 0u : address;
    };
    u32 aw = next(), ar = next(), data = 0, answered = 0;
    top->awvalid_i = top->wvalid_i = top->arvalid_i = 1;
    for (u32 n = 0; n < 6000; ++n) {
        top->awaddr_i = static_cast<u16>(aw);
        top->araddr_i = static_cast<u16>(ar);
        top->wdata_i = static_cast<u32>(draw64(seed, 9, data));
        top->wstrb_i = 0;
        top->bready_i = draw(4) != 0;
        top->rready_i = draw(4) != 0;
        top->eval();
        const bool takes_aw = top->awready_o, takes_w = top->wready_o, takes_ar = top->arready_o;
        if (top->bvalid_o && top->bready_i) {
            ASSERT_FALSE(writes.empty());
            EXPECT_EQ(top->bresp_o, model.write(writes.front(), 0, 0)) << std::hex << writes.front();
            writes.pop_front();
            ++answered;
        }
        if (top->rvalid_o && top->rready_i) {
            ASSERT_FALSE(reads.empty());
            const Plain* const r = model.find(reads.front());
            EXPECT_EQ(top->rresp_o, r != nullptr ? kOkay : kSlverr) << std::hex << reads.front();
            if (r != nullptr) {
                EXPECT_EQ(top->rdata_o, r->value) << std::hex << reads.front();
            }
            reads.pop_front();
            ++answered;
        }
        edge();
        if (takes_aw) {
            writes.push_back(aw);
            aw = next();
        }
        if (takes_ar) {
            reads.push_back(ar);
            ar = next();
        }
        data += takes_w;
    }
    EXPECT_GT(answered, 2000u);
}

// Both directions at once: neither waits for the other.
TEST_F(O3Bus, AReadGoesOnBesideAWrite)
{
    top->awvalid_i = top->wvalid_i = 0;
    top->arvalid_i = 1;
    top->araddr_i = 0x000;
    top->awvalid_i = 1; // its data come later
    top->awaddr_i = 0x024;
    edge();
    top->arvalid_i = top->awvalid_i = 0;
    edge();
    EXPECT_TRUE(top->rvalid_o);
    EXPECT_EQ(top->rdata_o, 0x4f330101u);
    EXPECT_FALSE(top->bvalid_o);
    edge();
    EXPECT_TRUE(top->rvalid_o) << "an answer waits until it is taken";
    top->rready_i = 1;
    top->wvalid_i = 1;
    top->wdata_i = 77;
    top->wstrb_i = 0xf;
    edge();
    EXPECT_FALSE(top->rvalid_o);
    top->rready_i = top->wvalid_i = 0;
    edge();
    EXPECT_TRUE(top->bvalid_o);
    top->bready_i = 1;
    edge();
    top->bready_i = 0;
    EXPECT_EQ(read(0x024).data, 77u);
}

// Enabled by one write and stopped by another: the cycles between the two edges at which the bit
// changed, whatever the master's delays. While it runs the counter can be read, too.
TEST_F(O3Bus, CyclesAreThoseBetweenTheTwoWrites)
{
    const auto set = [&](u32 value) { // gives the cycle of the edge that changed the bit
        top->awvalid_i = top->wvalid_i = 1;
        top->awaddr_i = 0x0c0;
        top->wdata_i = value;
        top->wstrb_i = 1;
        edge(); // taken
        top->awvalid_i = top->wvalid_i = 0;
        edge(); // done
        const u64 at = cycle;
        top->bready_i = 1;
        edge();
        top->bready_i = 0;
        return at;
    };
    const u64 begun = set(1);
    for (u32 i = 0; i < 1234; ++i) {
        edge();
    }
    const u32 before = read(0x100).data;
    const u64 at_most = cycle - begun;
    EXPECT_GE(before, 1234u);
    EXPECT_LE(before, at_most);
    const u64 ended = set(0);
    for (u32 i = 0; i < 10; ++i) {
        edge();
    }
    EXPECT_EQ(read(0x100).data, ended - begun);
    EXPECT_EQ(read(0x104).data, 0u);
    EXPECT_EQ(write(0x0c0, 2, 1).response, kOkay);
    EXPECT_EQ(read(0x100).data, 0u);
}

// The upper half: 2^32 cycles and more pass while the clock stands, as gating lets them.
TEST_F(O3Bus, TimesHaveMoreThan32Bits)
{
    for (const u64 jump : {0x2a'aaaaaa00ull, 0x54'55555500ull, 0x80'00000005ull}) {
        EXPECT_EQ(write(0x0c0, 2, 1).response, kOkay); // cleared
        EXPECT_EQ(write(0x0c0, 1, 1).response, kOkay);
        cycle += jump;
        EXPECT_EQ(write(0x0c0, 0, 1).response, kOkay);
        const u32 lo = read(0x100).data, hi = static_cast<u32>(jump >> 32);
        EXPECT_GE(lo, static_cast<u32>(jump));
        EXPECT_LE(lo, static_cast<u32>(jump) + 100u);
        EXPECT_EQ(read(0x104).data, hi);
        EXPECT_EQ(read(0x10c).data, 0u) << "of another counter, whatever was read before";
        EXPECT_EQ(read(0x104).data, hi);
    }
}

} // namespace
} // namespace tlmssd::tb
