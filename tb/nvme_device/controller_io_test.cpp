// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: I/O commands of an NVMe controller, with data.
#include "tb/nvme_device/rig.h"

namespace tlmssd::nvme_device {
namespace {

using testing::Each;
using testing::ElementsAre;

struct NvmeIo : testing::Test, Rig {
    NvmeIo() { boot(); }
    u8* sector(u64 lba) { return backend.flash.data() + lba * 512; }
    std::vector<u8> sectors(u64 lba, u32 count) { return {sector(lba), sector(lba) + count * 512}; }
    std::vector<Op> ops() const
    {
        std::vector<Op> list;
        for (const BackendCommand& c : backend.seen) {
            list.push_back(c.op);
        }
        return list;
    }
    /// The command with an SGL of one data block.
    static Submission with_sgl(Submission s, u64 address, u32 bytes)
    {
        s.dw[0] |= 1u << 14;
        s.dw[6] = static_cast<u32>(address);
        s.dw[7] = static_cast<u32>(address >> 32);
        s.dw[8] = bytes;
        s.dw[9] = 0;
        return s;
    }
};

TEST_F(NvmeIo, WhatIsWrittenIsRead)
{
    // 40 sectors at offset 0x600 of a page: 6 pages, a PRP list.
    const u64 list = kData + 0x1000;
    const u64 out = kData + 0x10600;
    for (u32 i = 0; i < 5; ++i) {
        put64(memory.at(list + 8 * i), kData + 0x11000 + (4 - i) * 0x1000); // pages in reverse order
    }
    fill(kData + 0x10000, 0x6000, 7);
    EXPECT_EQ(run(1, blocks(kWrite, 5, 40, out, list)).status, kSuccess);
    EXPECT_EQ(sectors(5, 5), copy(out, 0xa00));
    EXPECT_EQ(sectors(10, 8), copy(kData + 0x15000, 0x1000)) << "the first page of the list";
    const Submission back = with_sgl(blocks(kRead, 5, 40, 0), kData + 0x20001, 40 * 512);
    EXPECT_EQ(run(1, back).status, kSuccess);
    EXPECT_EQ(copy(kData + 0x20001, 40 * 512), sectors(5, 40));
}

TEST_F(NvmeIo, ForceUnitAccess)
{
    Submission w = blocks(kWrite, 0, 1, kData);
    w.dw[12] |= 1u << 30;
    run(1, w);
    EXPECT_TRUE(backend.seen.back().fua);
    run(1, blocks(kWrite, 0, 1, kData));
    EXPECT_FALSE(backend.seen.back().fua);
    backend.seen.clear();
    Submission r = blocks(kRead, 0, 1, kData);
    r.dw[12] |= 1u << 30;
    run(1, r);
    EXPECT_THAT(ops(), ElementsAre(Op::Flush, Op::Read)) << "the data have to be in the flash";
}

TEST_F(NvmeIo, WithoutWriteCacheEachWriteIsForced)
{
    admin(kSetFeatures, 6, 0);
    run(1, blocks(kWrite, 0, 1, kData));
    EXPECT_TRUE(backend.seen.back().fua);
}

TEST_F(NvmeIo, WriteZeroes)
{
    std::fill(backend.flash.begin(), backend.flash.end(), u8{0x55});
    EXPECT_EQ(run(1, blocks(kWriteZeroes, 3, 1000, 0)).status, kSuccess) << "longer than MDTS, no data";
    EXPECT_THAT(sectors(3, 1000), Each(0));
    EXPECT_EQ(*sector(2), 0x55);
    EXPECT_EQ(*sector(1003), 0x55);
}

TEST_F(NvmeIo, Compare)
{
    fill(kData, 8192, 1);
    run(1, blocks(kWrite, 0, 16, kData, kData + 0x1000));
    EXPECT_EQ(run(1, blocks(kCompare, 0, 16, kData, kData + 0x1000)).status, kSuccess);
    *memory.at(kData + 8191) ^= 1;
    const Answer a = run(1, blocks(kCompare, 0, 16, kData, kData + 0x1000));
    EXPECT_EQ(a.status, kCompareFailure);
    EXPECT_FALSE(a.final);
    *memory.at(kData + 8191) ^= 1;
    EXPECT_EQ(copy(kData, 8192), sectors(0, 16)) << "memory is not written";
}

TEST_F(NvmeIo, DatasetManagement)
{
    std::fill(backend.flash.begin(), backend.flash.end(), u8{0x55});
    const auto range = [&](u32 i, u64 lba, u32 count) {
        put32(memory.at(kData + 16 * i), 0);
        put32(memory.at(kData + 16 * i + 4), count);
        put64(memory.at(kData + 16 * i + 8), lba);
    };
    range(0, 0, 8);
    range(1, 5, 0);
    range(2, 100, 16);
    Submission s = command(kDatasetManagement, 1, kData);
    s.dw[10] = 2;
    EXPECT_EQ(run(1, s).status, kSuccess);
    EXPECT_TRUE(backend.seen.empty()) << "other attributes are hints";
    s.dw[0] &= 0xffff;
    s.dw[11] = 4;
    EXPECT_EQ(run(1, s).status, kSuccess);
    EXPECT_THAT(ops(), ElementsAre(Op::Trim, Op::Trim));
    EXPECT_THAT(sectors(0, 8), Each(0));
    EXPECT_THAT(sectors(100, 16), Each(0));
    EXPECT_EQ(*sector(8), 0x55);
    range(1, kSectors - 1, 2);
    EXPECT_EQ(run(1, s).status, kLbaOutOfRange);
    EXPECT_EQ(backend.seen.size(), 2u) << "nothing of it is done";
}

TEST_F(NvmeIo, FlushLetsOthersPass)
{
    backend.at_once = false;
    const u16 flush = submit(1, command(kFlush, 0xffffffff));
    const u16 read = submit(1, blocks(kRead, 0, 1, kData));
    work();
    ASSERT_EQ(backend.waiting.size(), 2u);
    backend.run(1);
    work();
    EXPECT_EQ(take(1).id, read);
    backend.run(0);
    work();
    EXPECT_EQ(take(1).id, flush);
}

TEST_F(NvmeIo, FailuresOfTheDevice)
{
    backend.fail = true;
    const Answer a = run(1, blocks(kRead, 0, 1, kData));
    EXPECT_EQ(a.status, kUnrecoveredRead);
    EXPECT_TRUE(a.more);
    EXPECT_FALSE(a.final);
    EXPECT_EQ(run(1, blocks(kWrite, 0, 1, kData)).status, kWriteFault);
    EXPECT_EQ(run(1, command(kFlush, 1)).status, kInternalError);
    backend.fail = false;
    backend.protect = true;
    EXPECT_EQ(run(1, blocks(kWrite, 0, 1, kData)).status, kWriteToReadOnly);
    EXPECT_EQ(run(1, blocks(kRead, 0, 1, kData)).status, kSuccess);
}

TEST_F(NvmeIo, MemoryThatFails)
{
    std::fill(backend.flash.begin(), backend.flash.end(), u8{0x55});
    EXPECT_EQ(run(1, blocks(kRead, 0, 1, 0x1000)).status, kDataTransferError);
    EXPECT_EQ(run(1, blocks(kWrite, 0, 1, 0x1000)).status, kDataTransferError);
    EXPECT_EQ(*sector(0), 0x55) << "nothing is written";
    EXPECT_EQ(run(1, blocks(kRead, 0, 1, kData)).status, kSuccess);
}

TEST_F(NvmeIo, AsManyCommandsAsTags)
{
    backend.at_once = false;
    for (u32 i = 0; i < 20; ++i) {
        put(1, blocks(kRead, i, 1, kData));
    }
    ring_sq(1, 20);
    work();
    EXPECT_EQ(backend.waiting.size(), 15u) << "the last of 16 is for admin commands";
    EXPECT_EQ(admin(kSetFeatures, 8, 0).status, kSuccess);
    backend.run(7);
    work();
    EXPECT_EQ(backend.waiting.size(), 15u);
    backend.run_all();
    work();
    backend.run_all();
    work();
    u32 came = 0;
    while (take(1).came) {
        ++came;
    }
    EXPECT_EQ(came, 20u);
}

TEST_F(NvmeIo, WeightedQueuesGivePriorities)
{
    controller.write(reg::kCc, 0);
    enable(0x00460801); // AMS 1
    create_pair(1, 32, 0, 3);
    create_pair(2, 32, 0, 0);
    backend.at_once = false;
    submit(1, blocks(kRead, 1, 1, kData));
    submit(2, blocks(kRead, 2, 1, kData));
    work();
    ASSERT_EQ(backend.waiting.size(), 2u);
    EXPECT_EQ(backend.waiting[0].lba, 2u) << "urgent first";
    EXPECT_EQ(backend.waiting[0].priority, 3u);
    EXPECT_EQ(backend.waiting[1].priority, 0u);
}

TEST_F(NvmeIo, SixtyFourQueuePairs)
{
    Facts f = small_facts();
    f.queue_pairs = 64;
    f.vectors = 65;
    Rig r(f);
    r.enable();
    for (u32 id = 1; id <= 64; ++id) {
        r.create_pair(id, 8, id);
    }
    r.interrupts.messages.clear();
    for (u32 id = 1; id <= 64; ++id) {
        r.submit(id, command(kFlush, 1));
    }
    r.work();
    for (u32 id = 1; id <= 64; ++id) {
        EXPECT_EQ(r.take(id).status, kSuccess);
        EXPECT_EQ(r.interrupts.messages[id - 1], id);
    }
}

} // namespace
} // namespace tlmssd::nvme_device
