// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: errors of the queue, log 10h, data that do not fit, resets.
#include "tb/sata/device_rig.h"

namespace tlmssd::sata {
namespace {

using testing::ElementsAre;
using testing::StartsWith;
using Errors = DeviceRig<false>;
using TrimErrors = DeviceRig<true>;

RegisterH2D ask_log()
{
    RegisterH2D fis;
    fis.command = ata::kReadLogExt;
    fis.lba = kLogNcqError;
    fis.count = 1;
    return fis;
}
RegisterH2D control(u8 bits)
{
    RegisterH2D fis;
    fis.c = false;
    fis.control = bits;
    return fis;
}
NcqError told(const Block& block)
{
    NcqError error;
    read_ncq_error(block, error);
    return error;
}

TEST_F(Errors, OneFailsAllAreAbortedAndTheLogTellsWhich)
{
    for (u16 tag = 0; tag < 3; ++tag) {
        host.send(command(HAL_HOST_READ, 100 + tag, 8, tag));
    }
    run();
    port.complete(1, HAL_HOST_ERROR);
    run();
    ASSERT_EQ(host.log.size(), 4u);
    EXPECT_THAT(host.log[3], StartsWith("failed 0 "));
    host.send(command(HAL_HOST_READ, 0, 8, 1)); // nothing but the log is heard
    run();
    EXPECT_THAT(host.log[4], StartsWith("register error @"));
    host.send(ask_log());
    run();
    EXPECT_EQ(host.log.size(), 5u); // two commands are still in the firmware
    // They end there without the link: a transfer is reported at once, an end tells the host nothing.
    port.start_dma(dma(0, true, 0, 0, 4, 8, 9));
    EXPECT_EQ(firmware.done.size(), 1u);
    EXPECT_TRUE(dram.accesses.empty());
    port.complete(2, HAL_HOST_ERROR);
    EXPECT_EQ(port.open(), 0u);
    run();
    ASSERT_EQ(host.log.size(), 8u);
    EXPECT_THAT(host.log[5], StartsWith("ended 4294967295 "));
    EXPECT_THAT(host.log[6], StartsWith("pio 512"));
    const NcqError why = told(host.blocks.at(0));
    EXPECT_FALSE(why.not_queued);
    EXPECT_EQ(why.tag, 1);
    EXPECT_EQ(why.status, 0x51);
    EXPECT_EQ(why.error, ata::kErrorUnreadable);
    EXPECT_EQ(why.lba, 101u);
    // From here on all is as before.
    host.send(command(HAL_HOST_READ, 0, 8, 1));
    run();
    EXPECT_THAT(host.log[8], StartsWith("register @"));
    EXPECT_EQ(port.stats().aborts, 1u);
}

TEST_F(Errors, TheErrorIsToldWhenTheDmaOnTheLinkHasEnded)
{
    firmware.react = [this](const hal_host_command& c) {
        if (c.tag == 0) {
            port.start_dma(dma(0, true, 0, 0, 0, 32, 0)); // 16 KiB
        } else {
            port.complete(1, HAL_HOST_ERROR);
        }
    };
    host.send(command(HAL_HOST_READ, 0, 32, 0));
    host.send(command(HAL_HOST_READ, 64, 8, 1));
    run();
    ASSERT_EQ(host.log.size(), 7u);
    EXPECT_THAT(host.log[3], StartsWith("data 16"));
    EXPECT_THAT(host.log[4], StartsWith("data 16"));
    EXPECT_THAT(host.log[5], StartsWith("ended 1 ")); // it has ended well before
    EXPECT_THAT(host.log[6], StartsWith("failed 0 "));
}

TEST_F(Errors, AnAbortedWriteGivesItsBufferBackWithoutData)
{
    host.send(command(HAL_HOST_WRITE, 0, 16, 0));
    host.send(command(HAL_HOST_READ, 64, 8, 1));
    run();
    port.complete(1, HAL_HOST_ERROR);
    hal_host_dma d = dma(0, false, 0, 0, 0, 16, 5);
    d.complete = 0;
    port.start_dma(d);
    ASSERT_EQ(firmware.done.size(), 1u);
    EXPECT_THAT(firmware.done[0], StartsWith("0:" + std::to_string(HAL_HOST_DMA_ABORTED | 5u)));
    port.complete(0, HAL_HOST_OK);
    EXPECT_EQ(port.open(), 0u);
    EXPECT_TRUE(dram.accesses.empty());
}

TEST_F(Errors, IllegalCommandsOfTheQueueAbortIt)
{
    const auto refused = [this](const RegisterH2D& fis, u8 error, bool not_queued, u8 tag) {
        host.log.clear();
        host.blocks.clear();
        host.send(fis);
        run();
        EXPECT_THAT(host.log, testing::SizeIs(1));
        EXPECT_THAT(host.log.at(0), StartsWith("register error"));
        if (port.open() != 0) {
            port.complete(7, HAL_HOST_OK);
        }
        host.send(ask_log());
        run();
        const NcqError why = told(host.blocks.at(0));
        EXPECT_EQ(why.error, error);
        EXPECT_EQ(why.not_queued, not_queued);
        EXPECT_EQ(why.tag, tag);
        EXPECT_EQ(port.open(), 0u);
    };
    const auto open_one = [this] {
        host.send(command(HAL_HOST_READ, 0, 8, 7));
        run();
        EXPECT_EQ(port.open(), 1u);
    };
    open_one(); // its tag again
    refused(encode_command(command(HAL_HOST_READ, 8, 8, 7)), ata::kErrorAbort, false, 7);
    open_one(); // behind the end
    refused(encode_command(command(HAL_HOST_WRITE, 99999, 2, 3)), ata::kErrorNotFound, false, 3);
    open_one(); // not of the queue
    refused(encode_command(command(HAL_HOST_FLUSH, 0, 0, 0)), ata::kErrorAbort, true, 0);
    RegisterH2D identify;
    identify.command = ata::kIdentifyDevice;
    open_one();
    refused(identify, ata::kErrorAbort, true, 0);
    // no room for it in an empty queue either
    refused(encode_command(command(HAL_HOST_READ, 100000, 1, 2)), ata::kErrorNotFound, false, 2);
    EXPECT_EQ(port.stats().aborts, 5u);
}

TEST_F(Errors, TooMuchDataFailTheCommand)
{
    firmware.react = [this](const hal_host_command& c) {
        hal_host_dma d = dma(c.tag, false, 0, 0, 0, 8, 1);
        d.complete = 0;
        port.start_dma(d);
    };
    host.next_sectors = 9;
    host.send(command(HAL_HOST_WRITE, 0, 8, 4));
    run();
    ASSERT_EQ(firmware.done.size(), 1u);
    EXPECT_EQ(port.stats().stray_data, 1u);
    port.complete(4, HAL_HOST_OK);
    run();
    EXPECT_THAT(host.log.back(), StartsWith("failed 0 "));
    host.send(ask_log());
    run();
    EXPECT_EQ(told(host.blocks.at(0)).error, ata::kErrorAbort);
    EXPECT_EQ(told(host.blocks.at(0)).tag, 4);
}

TEST_F(Errors, DataBehindAFirstPieceWaitForItsWayIntoDram)
{
    // 8 KiB have come and are on their way to DRAM (3 us) when a wrong data FIS comes.
    firmware.react = [this](const hal_host_command& c) {
        hal_host_dma d = dma(c.tag, false, 0, 0, 0, 32, 1);
        d.complete = 0;
        port.start_dma(d);
    };
    host.send(command(HAL_HOST_WRITE, 0, 32, 0));
    host.send_data(16, UnitTag{}); // at once: stray
    run();
    EXPECT_EQ(port.stats().stray_data, 1u);
    EXPECT_EQ(firmware.done.size(), 1u);
    EXPECT_EQ(port.open(), 1u);
}

TEST_F(Errors, FisesThatNoHostSendsAreDropped)
{
    Frame& activate = host.pool.take(kDmaActivateDwords);
    pack_dma_activate(activate.fis);
    queue_frame(host.socket, activate);
    Frame& shorter = host.pool.take(3);
    pack(encode_command(command(HAL_HOST_READ, 0, 8, 0)), shorter.fis);
    queue_frame(host.socket, shorter);
    host.send_data(8, UnitTag{});
    run();
    EXPECT_EQ(port.stats().illegal_fises, 2u);
    EXPECT_EQ(port.stats().stray_data, 1u);
    EXPECT_TRUE(host.log.empty());
    EXPECT_TRUE(firmware.commands.empty());
}

TEST_F(Errors, SoftResetEndsWithTheSignatureOnceTheFirmwareIsDone)
{
    host.send(command(HAL_HOST_READ, 0, 8, 3));
    run();
    host.send(control(ata::kControlReset));
    host.send(control(0));
    run();
    EXPECT_EQ(host.log.size(), 1u);
    port.complete(3, HAL_HOST_OK);
    run();
    ASSERT_EQ(host.log.size(), 2u);
    EXPECT_THAT(host.log[1], StartsWith("signature"));
    host.send(command(HAL_HOST_READ, 0, 8, 3));
    run();
    EXPECT_THAT(host.log[2], StartsWith("register @"));
}

TEST_F(Errors, SoftResetWaitsForTheDataOnTheLink)
{
    firmware.react = [this](const hal_host_command& c) {
        port.start_dma(dma(c.tag, true, 0, 0, 0, 32, 0));
    };
    host.send(command(HAL_HOST_READ, 0, 32, 0));
    host.send(control(ata::kControlReset));
    host.send(control(0));
    run();
    // Release, setup, one data FIS that had been handed over, signature.
    ASSERT_EQ(host.log.size(), 4u);
    EXPECT_THAT(host.log[2], StartsWith("data 16"));
    EXPECT_THAT(host.log[3], StartsWith("signature"));
    EXPECT_EQ(port.open(), 0u);
}

TEST_F(Errors, ComresetDropsWhatIsOnTheLink)
{
    firmware.react = [this](const hal_host_command& c) {
        port.start_dma(dma(c.tag, true, 0, 0, 0, 16, 0));
    };
    host.send(command(HAL_HOST_READ, 0, 16, 0));
    struct Asking {
        ScriptedHost& host;
        static void run(void* self)
        {
            Frame nothing;
            FramePhase phase = FramePhase::Reset;
            sc_core::sc_time zero;
            static_cast<Asking*>(self)->host.socket->nb_transport_fw(nothing, phase, zero);
        }
    } asking{host};
    time::Timer timer(event_queue, time::Priority::Output, Asking::run, &asking);
    timer.arm(microseconds(5)); // in the middle of the data FIS
    sc_core::sc_start(3, sc_core::SC_MS);
    ASSERT_EQ(host.log.size(), 3u) << testing::PrintToString(host.log);
    // The link is down for 1 ms.
    EXPECT_EQ(host.log[2], at("signature", 5000000 + 1000000000 + kRegister));
    EXPECT_EQ(link.stats().resets, 1u);
    EXPECT_EQ(port.open(), 0u);
}

TEST_F(TrimErrors, ARangeBehindTheEndFailsTheCommand)
{
    host.trim = {0xa0, 0x86, 0x01, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0}; // LBA 100,000
    host.send(command(HAL_HOST_TRIM, 0, 0, 5), true);
    run();
    EXPECT_THAT(host.log.back(), StartsWith("failed 0 "));
    EXPECT_TRUE(firmware.commands.empty());
    host.send(ask_log());
    run();
    EXPECT_EQ(told(host.blocks.at(0)).tag, 5);
}

} // namespace
} // namespace tlmssd::sata
