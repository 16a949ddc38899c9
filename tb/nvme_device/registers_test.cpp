// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: NVMe registers by the numbers of the standard.
#include "models/nvme_device/core/registers.h"

#include <gmock/gmock.h>

namespace tlmssd::nvme_device {
namespace {

Facts facts()
{
    Facts f;
    f.queue_entries = 1024;
    f.doorbell_stride = 2;
    return f;
}

struct RegisterFile : testing::Test {
    Registers r{facts()};
    u32 write(u32 offset, u32 value) { return r.write(offset, value, ~0u); }
};

// CAP: MQES 1023, CQR, AMS weighted, TO 30 x 500 ms; DSTRD 2, NSSRS, CSS NVM, MPSMIN 0, MPSMAX 4.
TEST_F(RegisterFile, Capabilities)
{
    EXPECT_EQ(r.read(0x00), 0x1e0303ffu);
    EXPECT_EQ(r.read(0x04), 0x00400032u);
    EXPECT_EQ(r.read(0x08), 0x00010400u);
    EXPECT_EQ(r.read(0x3c), 0u) << "CMBSZ";
    write(0x00, 0);
    EXPECT_EQ(r.read(0x00), 0x1e0303ffu);
}

TEST_F(RegisterFile, AdminQueues)
{
    write(0x24, 0xffffffff);
    EXPECT_EQ(r.read(0x24), 0x0fff0fffu);
    write(0x28, 0x12345fff);
    write(0x2c, 0x1);
    EXPECT_EQ(r.admin_sq(), 0x112345000u);
    write(0x30, 0x89abc000);
    EXPECT_EQ(r.admin_cq(), 0x89abc000u);
    write(0x24, 0x001f000f);
    EXPECT_EQ(r.admin_sq_entries(), 16u);
    EXPECT_EQ(r.admin_cq_entries(), 32u);
    r.write(0x28, 0xff000000, 0xff000000);
    EXPECT_EQ(r.admin_sq(), 0x1ff345000u) << "one byte";
}

TEST_F(RegisterFile, EnableAndDisable)
{
    write(0x24, 0x001f001f);
    EXPECT_EQ(write(0x14, 0x00460001), kEnable);
    EXPECT_TRUE(r.settings_right());
    EXPECT_TRUE(r.entry_sizes_right());
    r.set_ready();
    EXPECT_EQ(r.read(0x1c), 1u);
    write(0x24, 0);
    write(0x28, 0x5000);
    EXPECT_EQ(r.read(0x24), 0x001f001fu) << "fixed while EN is 1";
    EXPECT_EQ(r.admin_sq(), 0u);
    EXPECT_EQ(write(0x14, 0x00460081), kNothing);
    EXPECT_EQ(r.page_bytes(), 4096u) << "fixed while EN is 1";
    EXPECT_EQ(write(0x14, 0x00460000), kDisable);
    r.end_reset();
    EXPECT_EQ(r.read(0x1c), 0u);
    EXPECT_EQ(r.read(0x24), 0x001f001fu) << "a reset keeps the admin queues";
}

TEST_F(RegisterFile, SettingsThatCannotBe)
{
    write(0x24, 0x001f001f);
    for (const u32 cc : {0x00460011u /* command set */, 0x00461001u /* AMS 2 */, 0x00460281u /* MPS 5 */}) {
        Registers fresh{facts()};
        fresh.write(0x24, 0x001f001f, ~0u);
        fresh.write(0x14, cc, ~0u);
        EXPECT_FALSE(fresh.settings_right()) << std::hex << cc;
    }
    write(0x24, 0x001f0000);
    write(0x14, 0x00460001);
    EXPECT_FALSE(r.settings_right()) << "an admin queue of one entry";
}

TEST_F(RegisterFile, AdminQueuesLieOnMemoryPages)
{
    write(0x24, 0x001f001f);
    write(0x28, 0x5000);
    write(0x14, 0x00460101); // MPS 2: 16 KiB
    EXPECT_FALSE(r.settings_right());
}

TEST_F(RegisterFile, Shutdown)
{
    write(0x14, 0x00460001);
    r.set_ready();
    EXPECT_EQ(write(0x14, 0x00464001), kShutdown);
    EXPECT_EQ(r.read(0x1c), 1u | 1u << 2);
    EXPECT_EQ(write(0x14, 0x00468001), kNothing) << "it is on its way";
    r.end_shutdown();
    EXPECT_EQ(r.read(0x1c), 1u | 2u << 2);
    EXPECT_EQ(write(0x14, 0x00460000), kDisable);
    r.end_reset();
    EXPECT_EQ(r.read(0x1c), 0u);
}

TEST_F(RegisterFile, InterruptMaskIsSetAndCleared)
{
    EXPECT_EQ(write(0x0c, 0x0f), kNewMask);
    EXPECT_EQ(write(0x10, 0x05), kNewMask);
    EXPECT_EQ(r.read(0x0c), 0x0au);
    EXPECT_EQ(r.read(0x10), 0x0au);
}

TEST_F(RegisterFile, SubsystemReset)
{
    EXPECT_EQ(write(0x20, 0x12345678), kNothing);
    EXPECT_EQ(write(0x20, 0x4e564d65), kSubsystemReset);
    r.subsystem_reset();
    EXPECT_EQ(r.read(0x1c), 1u << 4);
    write(0x1c, 1u << 4);
    EXPECT_EQ(r.read(0x1c), 0u);
}

} // namespace
} // namespace tlmssd::nvme_device
