// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one malformed field each, and the status that the standard has for it.
#include "tb/nvme_device/rig.h"

namespace tlmssd::nvme_device {
namespace {

struct Case {
    const char* name;
    u32 queue;
    u32 dword;
    u32 value; ///< of that dword, in a command that is right
    u16 status;
    u8 opcode;
};

constexpr Case kCases[] = {
    {"admin_fuse", 0, 0, kIdentify | 1u << 8, kInvalidField, kIdentify},
    {"admin_sgl", 0, 0, kIdentify | 1u << 14, kInvalidField, kIdentify},
    {"admin_opcode", 0, 0, 0x0d, kInvalidOpcode, kIdentify},
    {"firmware_commit", 0, 0, 0x10, kInvalidOpcode, kIdentify},
    {"keep_alive", 0, 0, 0x18, kInvalidOpcode, kIdentify},
    {"identify_structure", 0, 10, 0x10, kInvalidField, kIdentify},
    {"identify_namespace_0", 0, 1, 0, kInvalidNamespace, kIdentify},
    {"identify_namespace_2", 0, 1, 2, kInvalidNamespace, kIdentify},
    {"identify_prp", 0, 6, Rig::kData + 2, kInvalidPrpOffset, kIdentify},
    {"identify_no_memory", 0, 7, 0x1234, kDataTransferError, kIdentify},
    {"read_fuse", 1, 0, kRead | 2u << 8, kInvalidField, kRead},
    {"read_psdt", 1, 0, kRead | 3u << 14, kInvalidField, kRead},
    {"opcode", 1, 0, 0x04, kInvalidOpcode, kRead},
    {"reservation", 1, 0, 0x0d, kInvalidOpcode, kRead},
    {"namespace_0", 1, 1, 0, kInvalidNamespace, kRead},
    {"namespace_2", 1, 1, 2, kInvalidNamespace, kRead},
    {"namespace_all", 1, 1, 0xffffffff, kInvalidNamespace, kRead},
    {"prp", 1, 6, Rig::kData + 1, kInvalidPrpOffset, kRead},
    {"no_memory", 1, 7, 0xffffffff, kDataTransferError, kRead},
    {"lba_last", 1, 10, kSectors - 7, kLbaOutOfRange, kRead},
    {"lba_high", 1, 11, 0xffffffff, kLbaOutOfRange, kRead},
    {"above_mdts", 1, 12, 256, kInvalidField, kRead},
    {"protection", 1, 12, 1u << 29 | 7, kInvalidProtection, kRead},
    {"write_lba", 1, 10, kSectors, kLbaOutOfRange, kWrite},
    {"write_protection", 1, 12, 1u << 26 | 7, kInvalidProtection, kWrite},
    {"compare_lba", 1, 10, kSectors, kLbaOutOfRange, kCompare},
    {"zeroes_lba", 1, 12, 0xffff, kLbaOutOfRange, kWriteZeroes},
    {"flush_namespace", 1, 1, 7, kInvalidNamespace, kFlush},
    {"dsm_namespace", 1, 1, 7, kInvalidNamespace, kDatasetManagement},
};

struct Malformed : testing::TestWithParam<Case>, Rig {};

TEST_P(Malformed, HasItsStatus)
{
    const Case& c = GetParam();
    boot();
    Submission s = c.queue == 0 ? command(c.opcode, 1, kData) : blocks(c.opcode, 0, 8, kData);
    EXPECT_EQ(run(c.queue, s).status, kSuccess) << "without the fault";
    s.dw[c.dword] = c.value;
    const std::size_t before = backend.seen.size();
    const Answer a = run(c.queue, s);
    EXPECT_EQ(a.status, c.status);
    EXPECT_EQ(a.final, !is_transient(c.status));
    EXPECT_TRUE(a.more);
    if (c.status != kDataTransferError) {
        EXPECT_EQ(backend.seen.size(), before) << "the device has seen nothing of it";
    }
    EXPECT_EQ(run(1, blocks(kRead, 0, 8, kData)).status, kSuccess);
}

INSTANTIATE_TEST_SUITE_P(Fields, Malformed, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<Case>& it) { return std::string(it.param.name); });

struct Conflict : testing::Test, Rig {};

TEST_F(Conflict, IdentifierInUse)
{
    boot();
    backend.at_once = false;
    const u16 id = submit(1, command(kFlush, 1));
    work();
    Submission second = command(kFlush, 1);
    second.dw[0] |= u32{id} << 16;
    submit(1, second);
    work();
    EXPECT_EQ(take(1).status, kIdConflict);
    backend.run_all();
    work();
    EXPECT_EQ(take(1).status, kSuccess) << "the first one goes on";
    submit(1, second);
    work();
    backend.run_all();
    work();
    EXPECT_EQ(take(1).status, kSuccess) << "the identifier is free again";
}

TEST_F(Conflict, QueueWithoutMemoryStandsStillOthersGoOn)
{
    boot();
    Submission s = command(kCreateSq, 0, 0x1000); // no memory
    s.dw[10] = 2 | 31u << 16;
    s.dw[11] = 1 | 1u << 16;
    ASSERT_EQ(run(0, s).status, kSuccess);
    submit(0, command(kAsyncEvent, 0));
    ring_sq(2, 3);
    work();
    EXPECT_EQ(take(0).result, 0x00010300u) << "error, persistent internal error";
    EXPECT_EQ(run(1, command(kFlush, 1)).status, kSuccess);
    EXPECT_EQ(csts(), 1u);
    EXPECT_EQ(admin(kDeleteSq, 2).status, kSuccess);
}

TEST_F(Conflict, CompletionQueueWithoutMemory)
{
    boot();
    Submission c = command(kCreateCq, 0, 0x1000);
    c.dw[10] = 2 | 31u << 16;
    c.dw[11] = 1;
    ASSERT_EQ(run(0, c).status, kSuccess);
    Submission s = command(kCreateSq, 0, kQueues0 + 0x8000);
    s.dw[10] = 2 | 31u << 16;
    s.dw[11] = 1 | 2u << 16;
    ASSERT_EQ(run(0, s).status, kSuccess);
    pairs[2] = {kQueues0 + 0x8000, kQueues0 + 0xa000, 32};
    submit(2, command(kFlush, 1));
    work();
    EXPECT_EQ(run(1, command(kFlush, 1)).status, kSuccess);
    EXPECT_EQ(admin(kDeleteSq, 2).status, kSuccess);
    EXPECT_EQ(admin(kDeleteCq, 2).status, kSuccess);
}

TEST_F(Conflict, AdminQueueWithoutMemoryIsFatal)
{
    enable();
    controller.write(reg::kCc, 0);
    controller.write(reg::kAsq, 0x1000);
    controller.write(reg::kCc, 0x00460001);
    ring_sq(0, 1);
    work();
    EXPECT_EQ(csts(), 3u) << "CFS";
    controller.write(reg::kCc, 0);
    EXPECT_EQ(csts(), 0u);
    boot();
    EXPECT_EQ(run(1, command(kFlush, 1)).status, kSuccess);
}

} // namespace
} // namespace tlmssd::nvme_device
