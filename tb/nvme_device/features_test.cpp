// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: features, Identify and log pages as a driver gets them.
#include "tb/nvme_device/rig.h"

namespace tlmssd::nvme_device {
namespace {

using testing::Each;

struct NvmeFeatures : testing::Test, Rig {
    NvmeFeatures() { enable(); }
    Answer set(u32 id, u32 value) { return admin(kSetFeatures, id, value); }
    Answer get(u32 id, u32 select = 0, u32 dw11 = 0) { return admin(kGetFeatures, id | select << 8, dw11); }
    const u8* data() { return memory.at(kData); }
    std::string text(u32 at, u32 bytes) { return {reinterpret_cast<const char*>(data() + at), bytes}; }
    Answer log(u32 id, u32 bytes, u64 offset = 0, u32 nsid = 0xffffffff)
    {
        Submission s = command(kGetLogPage, nsid, kData);
        s.dw[10] = id | (bytes / 4 - 1) << 16;
        s.dw[12] = static_cast<u32>(offset);
        return run(0, s);
    }
};

TEST_F(NvmeFeatures, IdentifyController)
{
    ASSERT_EQ(admin(kIdentify, 1).status, kSuccess);
    EXPECT_EQ(text(4, 20), "S123                ");
    EXPECT_EQ(text(24, 8), "tlmssd  ");
    EXPECT_EQ(data()[77], 5u) << "MDTS: 128 KiB";
    EXPECT_EQ(get32(data() + 80), 0x00010400u);
    EXPECT_EQ(data()[111], 1u) << "I/O controller";
    EXPECT_EQ(get32(data() + 92), 0u) << "OAES";
    EXPECT_EQ(get16(data() + 256), 2u) << "OACS: format";
    EXPECT_EQ(data()[262], 63u) << "ELPE";
    EXPECT_EQ(data()[512], 0x66u);
    EXPECT_EQ(data()[513], 0x44u);
    EXPECT_EQ(get32(data() + 516), 1u) << "NN";
    EXPECT_EQ(get16(data() + 520), 0x1du) << "ONCS: compare, DSM, write zeroes, save and select";
    EXPECT_EQ(data()[525] & 1, 1) << "VWC";
    EXPECT_EQ(text(768, 39), "nqn.2014-08.org.nvmexpress:tlmssd:S123" + std::string(1, '\0'));
}

TEST_F(NvmeFeatures, IdentifyNamespace)
{
    ASSERT_EQ(admin(kIdentify, 0, 0, 1).status, kSuccess);
    EXPECT_EQ(get64(data()), kSectors);
    EXPECT_EQ(get64(data() + 8), kSectors);
    EXPECT_EQ(data()[25], 1u) << "two formats";
    EXPECT_EQ(data()[26], 0u);
    EXPECT_EQ(data()[130], 9u);
    EXPECT_EQ(data()[134], 12u);
    EXPECT_NE(get64(data() + 104), 0u) << "NGUID";
}

TEST_F(NvmeFeatures, IdentifyLists)
{
    ASSERT_EQ(admin(kIdentify, 2).status, kSuccess);
    EXPECT_EQ(get32(data()), 1u);
    EXPECT_EQ(get32(data() + 4), 0u);
    ASSERT_EQ(admin(kIdentify, 2, 0, 1).status, kSuccess);
    EXPECT_EQ(get32(data()), 0u) << "none above 1";
    const std::vector<u8> eui64 = [&] {
        admin(kIdentify, 0, 0, 1);
        return copy(kData + 120, 8);
    }();
    ASSERT_EQ(admin(kIdentify, 3, 0, 1).status, kSuccess);
    EXPECT_EQ(data()[0], 1u);
    EXPECT_EQ(data()[1], 8u);
    EXPECT_EQ(copy(kData + 4, 8), eui64);
    EXPECT_EQ(data()[12], 2u);
    EXPECT_EQ(data()[13], 16u);
    EXPECT_EQ(get32(data() + 32), 0u) << "end of the list";
    EXPECT_EQ(admin(kIdentify, 6).status, kInvalidField) << "Linux asks, and takes no for an answer";
}

TEST_F(NvmeFeatures, SerialNumbersMakeIdentifiers)
{
    Facts other = small_facts();
    other.serial = "S124";
    Rig second(other);
    second.enable();
    admin(kIdentify, 0, 0, 1);
    second.admin(kIdentify, 0, 0, 1);
    EXPECT_NE(copy(kData + 104, 24), second.copy(kData + 104, 24));
}

TEST_F(NvmeFeatures, QueueCount)
{
    EXPECT_EQ(set(7, 0x00030003).result, 0x00070007u) << "8 pairs, whatever is asked for";
    EXPECT_EQ(set(7, 0xffff0000).status, kInvalidField);
    create_pair(1);
    EXPECT_EQ(set(7, 0).status, kSequenceError);
    EXPECT_EQ(get(7).result, 0x00070007u);
}

TEST_F(NvmeFeatures, ValuesDefaultsAndCapabilities)
{
    EXPECT_EQ(set(8, 0x0503).status, kSuccess);
    EXPECT_EQ(get(8).result, 0x0503u);
    EXPECT_EQ(get(8, 1).result, 0u) << "default";
    EXPECT_EQ(get(8, 2).result, 0u) << "saved";
    EXPECT_EQ(get(8, 3).result, 4u) << "changeable";
    EXPECT_EQ(get(8, 4).status, kInvalidField);
    EXPECT_EQ(set(8 | 1u << 31, 0).status, kNotSaveable);
    EXPECT_EQ(set(6, 0).status, kSuccess);
    EXPECT_EQ(get(6).result, 0u);
    EXPECT_EQ(get(6, 1).result, 1u);
    EXPECT_EQ(set(9, 5u | 1u << 16).status, kSuccess);
    EXPECT_EQ(get(9, 0, 5).result, 5u | 1u << 16);
    EXPECT_EQ(get(9, 0, 9).status, kInvalidField) << "9 vectors";
    EXPECT_EQ(set(4, 0x00100111).status, kSuccess) << "under";
    EXPECT_EQ(get(4, 0, 0x00100000).result, 0x0111u);
    EXPECT_EQ(get(4).result, 0xffffu) << "over";
    controller.write(reg::kCc, 0x00460000);
    enable();
    EXPECT_EQ(get(8).result, 0u) << "a reset brings the defaults";
}

TEST_F(NvmeFeatures, WhatCannotBe)
{
    EXPECT_EQ(set(0x03, 0).status, kInvalidField) << "no LBA ranges";
    EXPECT_EQ(set(0x10, 0).status, kInvalidField);
    EXPECT_EQ(set(0x02, 1).status, kInvalidField) << "one power state";
    EXPECT_EQ(set(0x05, 1u << 16).status, kInvalidField) << "DULBE";
    EXPECT_EQ(set(0x04, 3u << 16).status, kInvalidField) << "no sensor";
    EXPECT_EQ(get(0xc0).status, kInvalidField);
    EXPECT_EQ(admin(kSetFeatures, 8, 0, 1).status, kNotNamespaceSpecific);
    EXPECT_EQ(admin(kSetFeatures, 8, 0, 2).status, kInvalidNamespace);
    EXPECT_EQ(admin(kSetFeatures, 8, 0, 0xffffffff).status, kSuccess);
}

TEST_F(NvmeFeatures, NoWriteCacheNoFeature)
{
    Facts f = small_facts();
    f.volatile_cache = false;
    Rig r(f);
    r.boot();
    EXPECT_EQ(r.admin(kGetFeatures, 6).status, kInvalidField);
    EXPECT_EQ(r.run(1, Rig::command(kFlush, 1)).status, kSuccess);
    EXPECT_TRUE(r.backend.seen.empty()) << "a flush has nothing to do";
}

TEST_F(NvmeFeatures, SwitchingTheWriteCacheOffFlushesIt)
{
    backend.at_once = false;
    submit(0, [] {
        Submission s = command(kSetFeatures, 0);
        s.dw[10] = 6;
        return s;
    }());
    work();
    ASSERT_EQ(backend.waiting.size(), 1u);
    EXPECT_EQ(backend.waiting[0].op, Op::Flush);
    EXPECT_FALSE(take(0).came);
    backend.run_all();
    work();
    EXPECT_EQ(take(0).status, kSuccess);
}

TEST_F(NvmeFeatures, ErrorLog)
{
    create_pair(1);
    const u16 id = submit(1, blocks(kRead, kSectors, 1, kData));
    work();
    EXPECT_TRUE(take(1).more);
    EXPECT_EQ(run(1, command(0x7f, 1)).status, kInvalidOpcode);
    ASSERT_EQ(log(1, 3 * 64).status, kSuccess);
    EXPECT_EQ(get64(data()), 2u) << "the newest first";
    EXPECT_EQ(get16(data() + 12) >> 1 & 0x7ff, kInvalidOpcode);
    EXPECT_EQ(get64(data() + 64), 1u);
    EXPECT_EQ(get16(data() + 64 + 8), 1u) << "queue";
    EXPECT_EQ(get16(data() + 64 + 10), id);
    EXPECT_EQ(get16(data() + 64 + 12) >> 1 & 0x7ff, kLbaOutOfRange);
    EXPECT_EQ(get64(data() + 128), 0u) << "no third one";
    ASSERT_EQ(log(1, 64, 64).status, kSuccess);
    EXPECT_EQ(get64(data()), 1u) << "from an offset";
}

TEST_F(NvmeFeatures, ErrorLogKeepsTheLast64)
{
    for (u32 i = 0; i < 70; ++i) {
        admin(0x7f, 0);
    }
    ASSERT_EQ(log(1, 64 * 64).status, kSuccess);
    EXPECT_EQ(get64(data()), 70u);
    EXPECT_EQ(get64(data() + 63 * 64), 7u);
}

TEST_F(NvmeFeatures, Health)
{
    create_pair(1);
    fill(kData + 0x10000, 4096, 1);
    backend.at_once = false;
    submit(1, blocks(kWrite, 0, 8, kData + 0x10000));
    work();
    backend.time = Picoseconds(61000000000000); // the write takes 61 s
    backend.run_all();
    work();
    EXPECT_EQ(take(1).status, kSuccess);
    backend.at_once = true;
    run(1, blocks(kRead, 0, 8, kData + 0x10000));
    run(1, blocks(kRead, 0, 1, kData + 0x10000));
    backend.time = Picoseconds(2 * 3600000000000000);
    backend.figures.used_percent = 101;
    backend.figures.spare_percent = 9;
    backend.figures.media_errors = 3;
    ASSERT_EQ(log(2, 512).status, kSuccess);
    EXPECT_EQ(data()[0], 1u | 4u) << "spare, reliability";
    EXPECT_EQ(data()[3], 9u);
    EXPECT_EQ(data()[5], 101u);
    EXPECT_EQ(get64(data() + 32), 1u) << "9 sectors are one unit of 1000";
    EXPECT_EQ(get64(data() + 48), 1u);
    EXPECT_EQ(get64(data() + 64), 2u);
    EXPECT_EQ(get64(data() + 80), 1u);
    EXPECT_EQ(get64(data() + 96), 1u) << "busy minutes";
    EXPECT_EQ(get64(data() + 128), 2u) << "hours";
    EXPECT_EQ(get64(data() + 160), 3u);
    EXPECT_EQ(log(2, 512, 0, 1).status, kInvalidField) << "not by namespace";
}

TEST_F(NvmeFeatures, FirmwareSlots)
{
    ASSERT_EQ(log(3, 512).status, kSuccess);
    EXPECT_EQ(data()[0], 1u);
    EXPECT_EQ(text(8, 8), "1.0     ");
    EXPECT_EQ(get64(data() + 16), 0u);
}

TEST_F(NvmeFeatures, WrongLogPages)
{
    EXPECT_EQ(log(4, 512).status, kInvalidLogPage);
    EXPECT_EQ(log(2, 512, 2).status, kInvalidField) << "offset of half a dword";
    EXPECT_EQ(log(2, 512, 516).status, kInvalidField) << "beyond its end";
    EXPECT_EQ(log(2, 132 * 1024).status, kInvalidField) << "above MDTS";
    fill(kData, 1024, 5);
    ASSERT_EQ(log(3, 1024).status, kSuccess);
    EXPECT_THAT(copy(kData + 512, 512), Each(0)) << "after the page";
}

TEST_F(NvmeFeatures, HealthEventsComeWhereTheyAreAskedFor)
{
    set(0x0b, 1);
    backend.figures.spare_percent = 5;
    backend.figures.used_percent = 100;
    const u16 id = submit(0, command(kAsyncEvent, 0));
    work();
    const Answer a = take(0);
    ASSERT_TRUE(a.came);
    EXPECT_EQ(a.id, id);
    EXPECT_EQ(a.result, 0x00020201u) << "SMART, spare below threshold, log 02h";
    submit(0, command(kAsyncEvent, 0));
    work();
    EXPECT_FALSE(take(0).came) << "wear was not asked for";
}

} // namespace
} // namespace tlmssd::nvme_device
