// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: PRPs and SGLs against lists written by hand.
#include <gmock/gmock.h>

#include "models/nvme_device/protocol/prp.h"
#include "models/nvme_device/protocol/sgl.h"
#include "tb/nvme_device/fake_memory.h"

namespace tlmssd::nvme_device {
namespace {

using testing::ElementsAre;

using Places = std::vector<std::pair<u64, u32>>;

struct DataPointer : testing::Test {
    FakeMemory memory;
    ScatterList list;

    Places parts() const
    {
        Places p;
        for (const Segment& s : list.segments()) {
            p.emplace_back(s.bucket ? 0 : s.address, s.bytes);
        }
        return p;
    }
    Status prp(u64 prp1, u64 prp2, u32 bytes, u32 page = 4096) { return walk_prp(memory, prp1, prp2, bytes, page, list); }
    void entry(u64 at, u64 value) { put64(memory.at(at), value); }

    static void descriptor(u8* at, u64 address, u32 bytes, u8 type)
    {
        put64(at, address);
        put32(at + 8, bytes);
        at[12] = at[13] = at[14] = 0;
        at[15] = type;
    }
    Status sgl(u64 address, u32 length, u8 type, u32 bytes, bool to_host = true)
    {
        u8 d[16];
        descriptor(d, address, length, type);
        return walk_sgl(memory, d, bytes, to_host, list);
    }
};

TEST_F(DataPointer, OnePage)
{
    EXPECT_EQ(prp(kRam + 0x1200, 0xbad, 0xe00), kSuccess) << "PRP 2 is not looked at";
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x1200, 0xe00)));
    EXPECT_EQ(memory.reads, 0u);
}

TEST_F(DataPointer, TwoPages)
{
    EXPECT_EQ(prp(kRam + 0x1e00, kRam + 0x5000, 1024), kSuccess);
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x1e00, 512), std::pair<u64, u32>(kRam + 0x5000, 512)));
    EXPECT_EQ(memory.reads, 0u);
}

TEST_F(DataPointer, ListFromTheThirdPageOn)
{
    entry(kRam + 0x100, kRam + 0x8000);
    entry(kRam + 0x108, kRam + 0x6000);
    EXPECT_EQ(prp(kRam + 0x1e00, kRam + 0x100, 512 + 4096 + 100), kSuccess);
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x1e00, 512), std::pair<u64, u32>(kRam + 0x8000, 4096),
                                     std::pair<u64, u32>(kRam + 0x6000, 100)));
}

TEST_F(DataPointer, NeighbouringPagesAreOneSegment)
{
    entry(kRam + 0x100, kRam + 0x2000);
    entry(kRam + 0x108, kRam + 0x3000);
    EXPECT_EQ(prp(kRam + 0x1000, kRam + 0x100, 3 * 4096), kSuccess);
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x1000, 3 * 4096)));
}

// A list that begins 16 bytes before the end of its page: one page, then the pointer to the next list.
TEST_F(DataPointer, ListsAreChained)
{
    entry(kRam + 0xff0, kRam + 0x10000);
    entry(kRam + 0xff8, kRam + 0x2000);
    entry(kRam + 0x2000, kRam + 0x12000);
    entry(kRam + 0x2008, kRam + 0x14000);
    EXPECT_EQ(prp(kRam + 0x20000, kRam + 0xff0, 4 * 4096), kSuccess);
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x20000, 4096), std::pair<u64, u32>(kRam + 0x10000, 4096),
                                     std::pair<u64, u32>(kRam + 0x12000, 4096),
                                     std::pair<u64, u32>(kRam + 0x14000, 4096)));
}

// With as many pages as entries are left the last entry is a page, not a pointer.
TEST_F(DataPointer, LastEntryOfAListPageMayBeAPage)
{
    entry(kRam + 0xff0, kRam + 0x10000);
    entry(kRam + 0xff8, kRam + 0x12000);
    EXPECT_EQ(prp(kRam + 0x20000, kRam + 0xff0, 3 * 4096), kSuccess);
    EXPECT_EQ(parts().back(), (std::pair<u64, u32>(kRam + 0x12000, 4096)));
}

TEST_F(DataPointer, LargerMemoryPages)
{
    EXPECT_EQ(prp(kRam + 0x3000, kRam + 0x10000, 0x1000 + 0x4000, 0x4000), kSuccess);
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x3000, 0x1000),
                                     std::pair<u64, u32>(kRam + 0x10000, 0x4000)));
    EXPECT_EQ(prp(kRam + 0x3000, kRam + 0x11000, 0x1000 + 0x4000, 0x4000), kInvalidPrpOffset);
}

TEST_F(DataPointer, PrpOffsetsAreChecked)
{
    EXPECT_EQ(prp(kRam + 2, 0, 512), kInvalidPrpOffset);
    EXPECT_EQ(prp(kRam, kRam + 0x1200, 8192), kInvalidPrpOffset) << "second page";
    EXPECT_EQ(prp(kRam, kRam + 0x1204, 3 * 4096), kInvalidPrpOffset) << "list";
    entry(kRam + 0x100, kRam + 0x8000);
    entry(kRam + 0x108, kRam + 0x6004);
    EXPECT_EQ(prp(kRam, kRam + 0x100, 3 * 4096), kInvalidPrpOffset) << "entry of a list";
    entry(kRam + 0xff0, kRam + 0x10000);
    entry(kRam + 0xff8, kRam + 0x2008);
    EXPECT_EQ(prp(kRam, kRam + 0xff0, 4 * 4096), kInvalidPrpOffset) << "pointer to the next list";
}

TEST_F(DataPointer, ListOutsideMemoryIsATransferError)
{
    EXPECT_EQ(prp(kRam, 0x1000, 3 * 4096), kDataTransferError);
    entry(kRam + 0xff0, kRam + 0x10000);
    entry(kRam + 0xff8, 0x1000);
    EXPECT_EQ(prp(kRam, kRam + 0xff0, 4 * 4096), kDataTransferError);
}

TEST_F(DataPointer, SglOfOneBlock)
{
    EXPECT_EQ(sgl(kRam + 0x123, 512, 0x00, 512), kSuccess) << "any alignment";
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x123, 512)));
    EXPECT_EQ(sgl(kRam, 511, 0x00, 512), kInvalidSglLength);
    EXPECT_EQ(sgl(kRam, 4096, 0x00, 512), kSuccess) << "SGLS says that it may be longer";
    EXPECT_EQ(list.bytes(), 512u);
}

TEST_F(DataPointer, SglWithSegments)
{
    u8* const first = memory.at(kRam + 0x100);
    descriptor(first, kRam + 0x1000, 100, 0x00);
    descriptor(first + 16, kRam + 0x200, 32, 0x30); // last segment
    u8* const last = memory.at(kRam + 0x200);
    descriptor(last, 0, 200, 0x10); // bit bucket
    descriptor(last + 16, kRam + 0x3000, 212, 0x00);
    EXPECT_EQ(sgl(kRam + 0x100, 32, 0x20, 512), kSuccess);
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x1000, 100), std::pair<u64, u32>(0, 200),
                                     std::pair<u64, u32>(kRam + 0x3000, 212)));
    EXPECT_EQ(sgl(kRam + 0x100, 32, 0x20, 312, false), kSuccess) << "a bucket holds nothing for the device";
    EXPECT_THAT(parts(), ElementsAre(std::pair<u64, u32>(kRam + 0x1000, 100), std::pair<u64, u32>(kRam + 0x3000, 212)));
}

TEST_F(DataPointer, SglTypesAreChecked)
{
    EXPECT_EQ(sgl(kRam, 512, 0x40, 512), kInvalidSglType) << "keyed";
    EXPECT_EQ(sgl(kRam, 512, 0x01, 512), kInvalidSglType) << "offset";
    descriptor(memory.at(kRam + 0x100), kRam, 512, 0x50);
    EXPECT_EQ(sgl(kRam + 0x100, 16, 0x30, 512), kInvalidSglType);
}

TEST_F(DataPointer, SglSegmentsAreChecked)
{
    EXPECT_EQ(sgl(kRam + 0x100, 0, 0x30, 512), kInvalidSglSegment) << "length 0";
    EXPECT_EQ(sgl(kRam + 0x100, 24, 0x30, 512), kInvalidSglSegment) << "no multiple of 16";
    EXPECT_EQ(sgl(kRam + 0x104, 16, 0x30, 512), kInvalidSglSegment) << "address";
    u8* const at = memory.at(kRam + 0x100);
    descriptor(at, kRam + 0x200, 16, 0x30);
    descriptor(at + 16, kRam, 512, 0x00);
    EXPECT_EQ(sgl(kRam + 0x100, 32, 0x20, 512), kInvalidSglCount) << "points on before its end";
    EXPECT_EQ(sgl(kRam + 0x100, 16, 0x30, 512), kInvalidSglSegment) << "a last segment points on";
    descriptor(at, kRam, 100, 0x00);
    EXPECT_EQ(sgl(kRam + 0x100, 16, 0x20, 512), kInvalidSglSegment) << "a segment does not point on";
    EXPECT_EQ(sgl(kRam + 0x100, 16, 0x30, 512), kInvalidSglLength) << "too short";
    EXPECT_EQ(sgl(0x1000, 16, 0x30, 512), kDataTransferError);
}

TEST_F(DataPointer, SglThatPointsToItselfEnds)
{
    descriptor(memory.at(kRam + 0x100), kRam + 0x100, 16, 0x20);
    EXPECT_EQ(sgl(kRam + 0x100, 16, 0x20, 512), kInvalidSglCount);
    EXPECT_LE(memory.reads, kMostSglDescriptors + 1);
}

TEST_F(DataPointer, PartsOfAList)
{
    list.add(0x1000, 100);
    list.add_bucket(50);
    list.add(0x3000, 100);
    Places p;
    const auto note = [&](const Segment& s, u32 done) {
        p.emplace_back(s.bucket ? 0 : s.address, s.bytes);
        return done < 1000;
    };
    EXPECT_TRUE(list.for_range(90, 80, note));
    EXPECT_THAT(p, ElementsAre(std::pair<u64, u32>(0x105a, 10), std::pair<u64, u32>(0, 50),
                               std::pair<u64, u32>(0x3000, 20)));
}

} // namespace
} // namespace tlmssd::nvme_device
