// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NVMe controller: admin queue, creation and deletion, events, shutdown, format.
#include "tb/nvme_device/rig.h"

namespace tlmssd::nvme_device {
namespace {

using testing::Contains;
using testing::ElementsAre;

struct NvmeController : testing::Test, Rig {};

TEST_F(NvmeController, BecomesReady)
{
    EXPECT_EQ(csts(), 0u);
    enable();
    EXPECT_EQ(csts(), 1u);
}

TEST_F(NvmeController, DoesNotRunWithSettingsThatCannotBe)
{
    enable(0x00460011);
    EXPECT_EQ(csts(), 2u) << "CFS";
    controller.write(reg::kCc, 0);
    EXPECT_EQ(csts(), 0u);
    enable();
    EXPECT_EQ(csts(), 1u);
}

TEST_F(NvmeController, PhaseTurnsAroundTheEndOfTheQueue)
{
    enable(0x00460001, 4);
    for (u32 i = 0; i < 11; ++i) {
        const Answer a = admin(kGetFeatures, 7);
        EXPECT_EQ(a.status, kSuccess);
        EXPECT_EQ(a.sq_head, (i + 1) % 4);
    }
}

TEST_F(NvmeController, FullCompletionQueueWaits)
{
    enable(0x00460001, 4);
    for (u32 i = 0; i < 3; ++i) {
        put(0, command(kGetFeatures, 0));
    }
    ring_sq(0, 3);
    work();
    for (u32 i = 0; i < 3; ++i) {
        put(0, command(kGetFeatures, 0));
    }
    ring_sq(0, 2);
    work();
    u32 came = 0;
    while (take(0, false).came) {
        ++came;
    }
    EXPECT_EQ(came, 3u) << "no entry is overwritten";
    ring_cq(0, pairs[0].head);
    work();
    while (take(0).came) {
        ++came;
    }
    work();
    while (take(0).came) {
        ++came;
    }
    EXPECT_EQ(came, 6u);
}

TEST_F(NvmeController, InterruptsByTheVectorOfTheQueue)
{
    enable();
    create_pair(2, 32, 5);
    interrupts.messages.clear();
    run(2, command(kFlush, 1));
    EXPECT_THAT(interrupts.messages, ElementsAre(5));
    EXPECT_FALSE(interrupts.pin);
}

TEST_F(NvmeController, CoalescedInterruptsComeLater)
{
    enable();
    create_pair(1, 32, 3);
    admin(kSetFeatures, 8, 1 | 2 << 8); // 2 entries, 200 us
    interrupts.messages.clear();
    run(1, command(kFlush, 1));
    backend.time = microseconds(50);
    submit(1, command(kFlush, 1));
    work();
    EXPECT_EQ(controller.deadline(), microseconds(250));
    submit(1, command(kFlush, 1));
    work();
    EXPECT_THAT(interrupts.messages, ElementsAre(3));
}

TEST_F(NvmeController, DeletedQueueEndsItsCommandsFirst)
{
    boot();
    backend.at_once = false;
    const u16 flush = submit(1, command(kFlush, 1));
    work();
    const u16 deletion = submit(0, [] {
        Submission s = command(kDeleteSq, 0);
        s.dw[10] = 1;
        return s;
    }());
    work();
    EXPECT_FALSE(take(0).came) << "a command is outstanding";
    submit(1, command(kFlush, 1)); // is never fetched
    work();
    EXPECT_EQ(backend.waiting.size(), 1u);
    backend.run_all();
    work();
    EXPECT_EQ(take(1).id, flush);
    const Answer a = take(0);
    EXPECT_EQ(a.id, deletion);
    EXPECT_EQ(a.status, kSuccess);
    EXPECT_EQ(admin(kDeleteCq, 1).status, kSuccess);
    EXPECT_EQ(admin(kDeleteCq, 1).status, kInvalidQueueId);
}

TEST_F(NvmeController, AbortEndsEventRequestsOnly)
{
    boot();
    const u16 event = submit(0, command(kAsyncEvent, 0));
    work();
    EXPECT_FALSE(take(0).came);
    const u16 abort = submit(0, [&] {
        Submission s = command(kAbort, 0);
        s.dw[10] = u32{event} << 16;
        return s;
    }());
    work();
    const Answer first = take(0);
    EXPECT_EQ(first.id, event);
    EXPECT_EQ(first.status, kAbortRequested);
    const Answer second = take(0);
    EXPECT_EQ(second.id, abort);
    EXPECT_EQ(second.result, 0u);
    backend.at_once = false;
    const u16 flush = submit(1, command(kFlush, 1));
    work();
    EXPECT_EQ(admin(kAbort, 1u | u32{flush} << 16).result, 1u) << "the device takes nothing back";
    backend.run_all();
    work();
    EXPECT_EQ(take(1).status, kSuccess);
}

TEST_F(NvmeController, EventRequestsHaveALimit)
{
    enable();
    for (u32 i = 0; i < 4; ++i) {
        submit(0, command(kAsyncEvent, 0));
    }
    EXPECT_EQ(run(0, command(kAsyncEvent, 0)).status, kEventLimitExceeded);
}

TEST_F(NvmeController, WrongDoorbellsAreEvents)
{
    boot();
    const u16 id = submit(0, command(kAsyncEvent, 0));
    work();
    ring_sq(5, 1);
    work();
    Answer a = take(0);
    EXPECT_EQ(a.id, id);
    EXPECT_EQ(a.result, 0x00010000u) << "error, invalid doorbell register, log 01h";
    submit(0, command(kAsyncEvent, 0));
    ring_sq(1, 32);
    ring_cq(1, 3);
    work();
    EXPECT_FALSE(take(0).came) << "masked until the log has been read";
    Submission log = command(kGetLogPage, 0, kData);
    log.dw[10] = 1 | 15u << 16;
    submit(0, log);
    work();
    EXPECT_EQ(take(0).status, kSuccess);
    a = take(0);
    EXPECT_EQ(a.result, 0x00010100u) << "invalid value";
    EXPECT_EQ(get64(memory.at(kData)), 3u) << "three entries in the log";
    EXPECT_EQ(run(1, command(kFlush, 1)).status, kSuccess) << "the queue goes on";
}

TEST_F(NvmeController, DoorbellStride)
{
    Facts f = small_facts();
    f.doorbell_stride = 3;
    Rig r(f);
    r.boot();
    EXPECT_EQ(r.run(1, command(kFlush, 1)).status, kSuccess);
    EXPECT_GE(r.controller.register_bytes(), 0x1000u + 2 * 65 * 32);
    r.controller.write(0x1000 + 4, 1); // between two doorbells
    EXPECT_EQ(r.controller.logs().errors(), 0u);
}

TEST_F(NvmeController, ShutdownFlushes)
{
    boot();
    backend.at_once = false;
    const u16 write = submit(1, blocks(kWrite, 0, 1, kData));
    work();
    controller.write(reg::kCc, 0x00464001);
    EXPECT_EQ(csts(), 1u | 1u << 2) << "SHST: occurring";
    submit(1, command(kFlush, 1));
    work();
    ASSERT_EQ(backend.waiting.size(), 1u) << "nothing more is fetched";
    backend.run();
    ASSERT_EQ(backend.waiting.size(), 1u);
    EXPECT_EQ(backend.waiting[0].op, Op::Flush);
    work();
    EXPECT_EQ(take(1).id, write);
    EXPECT_EQ(csts(), 1u | 1u << 2);
    backend.run();
    EXPECT_EQ(csts(), 1u | 2u << 2) << "SHST: complete";
    controller.write(reg::kCc, 0x00460000);
    EXPECT_EQ(csts(), 0u);
    backend.at_once = true;
    boot();
    EXPECT_EQ(run(1, command(kFlush, 1)).status, kSuccess);
}

TEST_F(NvmeController, FormatErasesAndChangesTheBlockSize)
{
    boot();
    fill(kData, 4096, 1);
    run(1, blocks(kWrite, 8, 8, kData));
    backend.at_once = false;
    const u16 read = submit(1, blocks(kRead, 8, 1, kData));
    work();
    const u16 format = submit(0, [] {
        Submission s = command(kFormatNvm, 1);
        s.dw[10] = 1;
        return s;
    }());
    work();
    EXPECT_EQ(run(1, blocks(kRead, 0, 1, kData)).status, kFormatInProgress);
    backend.run_all(); // the read, then the trim
    work();
    EXPECT_EQ(take(1).id, read);
    const Answer a = take(0);
    EXPECT_EQ(a.id, format);
    EXPECT_EQ(a.status, kSuccess);
    EXPECT_THAT(backend.flash, testing::Each(0));
    backend.at_once = true;
    ASSERT_EQ(admin(kIdentify, 0, 0, 1).status, kSuccess);
    EXPECT_EQ(get64(memory.at(kData)), kSectors / 8);
    EXPECT_EQ(memory.at(kData)[26], 1u);
    fill(kData, 4096, 2);
    EXPECT_EQ(run(1, blocks(kWrite, 3, 1, kData)).status, kSuccess);
    EXPECT_EQ(backend.seen.back().lba, 24u);
    EXPECT_EQ(backend.seen.back().sectors, 8u);
    EXPECT_EQ(run(1, blocks(kRead, kSectors / 8, 1, kData)).status, kLbaOutOfRange);
}

TEST_F(NvmeController, FormatsThatCannotBe)
{
    enable();
    EXPECT_EQ(admin(kFormatNvm, 2, 0, 1).status, kInvalidFormat);
    EXPECT_EQ(admin(kFormatNvm, 1u << 5, 0, 1).status, kInvalidFormat) << "protection information";
    EXPECT_EQ(admin(kFormatNvm, 2u << 9, 0, 1).status, kInvalidField) << "cryptographic erase";
    EXPECT_EQ(admin(kFormatNvm, 0, 0, 2).status, kInvalidNamespace);
    EXPECT_EQ(admin(kFormatNvm, 1u << 9, 0, 0xffffffff).status, kSuccess);
}

} // namespace
} // namespace tlmssd::nvme_device
