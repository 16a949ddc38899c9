// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: resets of an NVMe controller, in the middle of everything.
#include "tb/nvme_device/rig.h"

namespace tlmssd::nvme_device {
namespace {

struct NvmeReset : testing::Test, Rig {
    void disable() { controller.write(reg::kCc, 0x00460000); }
    void expect_works()
    {
        backend.at_once = true;
        boot();
        EXPECT_EQ(csts(), 1u);
        EXPECT_EQ(run(1, command(kFlush, 1)).status, kSuccess);
    }
};

TEST_F(NvmeReset, WaitsForTheDevice)
{
    boot();
    backend.at_once = false;
    fill(kData, 512, 1);
    submit(1, blocks(kRead, 0, 1, kData));
    submit(1, blocks(kWrite, 1, 1, kData));
    work();
    const std::vector<u8> before = copy(kData, 512);
    disable();
    EXPECT_EQ(csts(), 1u) << "commands are outstanding";
    backend.run();
    EXPECT_EQ(csts(), 1u);
    backend.run();
    EXPECT_EQ(csts(), 0u);
    EXPECT_EQ(copy(kData, 512), before) << "host memory is left alone";
    EXPECT_EQ(backend.flash[512], 0u) << "data of the host are not fetched";
    expect_works();
}

TEST_F(NvmeReset, EnabledBeforeItHasEnded)
{
    boot();
    backend.at_once = false;
    submit(1, command(kFlush, 1));
    work();
    disable();
    controller.write(reg::kCc, 0x00460001);
    EXPECT_EQ(csts(), 1u);
    backend.run_all();
    EXPECT_EQ(csts(), 1u);
    disable();
    EXPECT_EQ(csts(), 0u);
    expect_works();
}

TEST_F(NvmeReset, ForgetsQueuesAndEvents)
{
    boot();
    submit(0, command(kAsyncEvent, 0));
    work();
    disable();
    enable();
    ring_sq(1, 1);
    EXPECT_EQ(controller.logs().errors(), 1u) << "queue 1 is gone";
    work();
    EXPECT_FALSE(take(0).came) << "and so is the request";
}

/// A reset at each access of host memory that a program of commands makes.
TEST_F(NvmeReset, InsideEachAccessOfMemory)
{
    u32 resets = 0;
    for (u32 at = 1; at < 80; ++at) {
        Rig r;
        r.boot();
        u32 accesses = 0;
        bool hit = false;
        r.memory.during = [&](u64) {
            if (++accesses == at) {
                hit = true;
                r.controller.write(reg::kCc, 0x00460000);
                EXPECT_EQ(r.csts(), 1u) << "not before the access has ended";
            }
        };
        for (u32 i = 0; i < 5; ++i) {
            put64(r.memory.at(kData + 0x3000 + 8 * i), kData + 0x4000 + i * 0x2000);
        }
        r.put(1, blocks(kRead, 0, 40, kData + 0x1000, kData + 0x3000));
        r.put(1, blocks(kWrite, 0, 40, kData + 0x1000, kData + 0x3000));
        Submission dsm = command(kDatasetManagement, 1, kData);
        dsm.dw[10] = 255;
        dsm.dw[11] = 4;
        r.put(1, dsm);
        r.put(1, blocks(kCompare, 0, 16, kData + 0x1000, kData + 0x5000));
        r.ring_sq(1, 4);
        r.put(0, command(kIdentify, 1, kData));
        Submission log = command(kGetLogPage, 0, kData);
        log.dw[10] = 2 | 127u << 16;
        r.put(0, log);
        r.ring_sq(0, r.pairs[0].tail);
        r.work();
        r.memory.during = nullptr;
        resets += hit;
        EXPECT_EQ(r.csts(), hit ? 0u : 1u) << "at access " << at;
        EXPECT_EQ(r.controller.outstanding(), 0u);
        r.controller.write(reg::kCc, 0x00460000);
        r.boot();
        EXPECT_EQ(r.run(1, command(kFlush, 1)).status, kSuccess);
    }
    EXPECT_GT(resets, 20u);
}

TEST_F(NvmeReset, SubsystemReset)
{
    boot();
    controller.write(reg::kNssr, 0x4e564d65);
    EXPECT_EQ(csts(), 1u << 4) << "NSSRO";
    EXPECT_EQ(controller.read(reg::kCc), 0u);
    EXPECT_EQ(controller.read(reg::kAqa), 0u);
    controller.write(reg::kCsts, 1u << 4);
    expect_works();
}

TEST_F(NvmeReset, EndsAFormat)
{
    boot();
    backend.at_once = false;
    Submission s = command(kFormatNvm, 1);
    s.dw[10] = 1;
    submit(0, s);
    work();
    disable();
    backend.run_all();
    EXPECT_EQ(csts(), 0u);
    expect_works();
    EXPECT_EQ(run(1, blocks(kRead, kSectors - 1, 1, kData)).status, kSuccess) << "the old format";
}

TEST_F(NvmeReset, ShutdownWhileDisabled)
{
    controller.write(reg::kCc, 0x00464000);
    EXPECT_EQ(csts(), 2u << 2);
    controller.write(reg::kCc, 0);
    expect_works();
}

TEST_F(NvmeReset, DuringAShutdown)
{
    boot();
    backend.at_once = false;
    controller.write(reg::kCc, 0x00464001);
    ASSERT_EQ(backend.waiting.size(), 1u);
    disable();
    EXPECT_EQ(csts(), 1u | 1u << 2);
    backend.run_all();
    EXPECT_EQ(csts(), 0u);
    expect_works();
}

} // namespace
} // namespace tlmssd::nvme_device
