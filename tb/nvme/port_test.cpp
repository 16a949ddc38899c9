// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: NVMe from the host's requests to a firmware that does what a test tells it, to the picosecond.
#include <gmock/gmock.h>

#include <string>

#include "models/common/error.h"
#include "tb/nvme/port_rig.h"

namespace tlmssd::nvme_device {
namespace {

using testing::ElementsAre;

// A command is with the firmware at 894 ns: doorbell 28 bytes, 212 at the device; read request 24 bytes, 408
// at the host; answer 84 bytes from 458 to 794.
constexpr u64 kCommand = 894000;
constexpr u64 kEnd = 372000; // entry 40 and interrupt 28 bytes, 100 ns

std::string at(u64 ps) { return " @" + std::to_string(ps); }

// 4096 + 24 bytes take 16480 ns.
TEST_F(NvmePortTest, ARead)
{
    build(configuration());
    dram->tags(0)->version = 5;
    firmware->react = [this](const hal_host_command& c) { firmware->read_all(c); };
    host->submit(command(HAL_HOST_READ, 16, 8, 3));
    run();
    EXPECT_THAT(firmware->times, ElementsAre(kCommand));
    EXPECT_EQ(firmware->commands[0].lba, 16u);
    EXPECT_EQ(firmware->commands[0].sectors, 8u);
    const u64 data = kCommand + 16480000 + 100000;
    EXPECT_THAT(client->events, ElementsAre("received 3 0+8" + at(data), "ended 3" + at(data + kEnd)));
    EXPECT_THAT(client->versions, ElementsAre(5u));
    EXPECT_THAT(firmware->done, ElementsAre(300u));
}

// 8 requests of 24 bytes, 768 ns; 100, 50; 4116 bytes take 16464 ns; 100.
TEST_F(NvmePortTest, AWrite)
{
    build(configuration());
    firmware->react = [this](const hal_host_command& c) { device->start_dma(Firmware::transfer(c, 0, 8, 0)); };
    host->submit(command(HAL_HOST_WRITE, 8, 8, 0, HAL_HOST_FUA));
    run();
    EXPECT_EQ(firmware->commands[0].flags, HAL_HOST_FUA);
    EXPECT_THAT(client->events, ElementsAre("provided 0 0+8" + at(kCommand + 768000 + 150000 + 16464000 + 100000)));
    EXPECT_EQ(dram->tags(0)->version, 77u);
    device->complete(0, HAL_HOST_OK);
    run();
    EXPECT_EQ(client->order, std::vector<u32>{0});
}

// Three pages: a list of 16 bytes, which the command waits for: asked for at 894, 24 bytes until 990; back from 1140, 36
// bytes until 1284, here at 1384. Then the data as above: 768, 150, 16464, 100.
TEST_F(NvmePortTest, ACommandWaitsForItsPrpList)
{
    build(configuration());
    firmware->react = [this](const hal_host_command& c) { device->start_dma(Firmware::transfer(c, 8, 8, 1)); };
    host->submit(command(HAL_HOST_WRITE, 0, 24, 1));
    run();
    EXPECT_EQ(counts().lists, 1u);
    EXPECT_THAT(firmware->times, ElementsAre(1384000));
    EXPECT_THAT(client->events, ElementsAre("provided 1 8+8" + at(1384000 + 768000 + 150000 + 16464000 + 100000)));
}

// 32 MiB from sector 1 on: 8193 pages, 8192 pointers; 511 of them in a page of the list, where the last one points to
// the next page. A sector of the last page of data arrives in its place.
TEST_F(NvmePortTest, TheLongestCommandHasAChainOfLists)
{
    config::Config c = configuration();
    c.geometry.blocks = 2 * kSectors / 8;
    build(c);
    firmware->react = [this](const hal_host_command& got) {
        hal_host_dma dma = Firmware::transfer(got, 65535, 1, 0);
        dma.to_host = dma.complete = 1;
        device->start_dma(dma);
    };
    host->submit(command(HAL_HOST_READ, 1, 65536, 1));
    run();
    ASSERT_EQ(client->events.size(), 2u);
    EXPECT_EQ(client->events[0].substr(0, 19), "received 1 65535+1 ");
    EXPECT_EQ(counts().lists, 1u);
}

// Sector 1 to 8: 7 sectors in the first page of host memory, 1 in the second: two pieces, 3608 and 536
// bytes.
TEST_F(NvmePortTest, PiecesEndWithPagesOfHostMemory)
{
    build(configuration());
    firmware->react = [this](const hal_host_command& c) {
        hal_host_dma dma = Firmware::transfer(c, 0, 7, 0);
        dma.to_host = 1;
        device->start_dma(dma);
        dma = Firmware::transfer(c, 7, 1, 1);
        dma.to_host = dma.complete = 1;
        device->start_dma(dma);
    };
    host->submit(command(HAL_HOST_READ, 1, 8, 2));
    run();
    const u64 first = kCommand + 3608 * 4000 + 100000;
    const u64 second = first + 536 * 4000;
    EXPECT_THAT(client->events, ElementsAre("received 2 0+7" + at(first), "received 2 7+1" + at(second),
                                            "ended 2" + at(second + kEnd)));
    EXPECT_EQ(counts().lists, 0u);
}

TEST_F(NvmePortTest, ARequestWaitsForThoseThatItOverlaps)
{
    build(configuration());
    host->submit(command(HAL_HOST_WRITE, 0, 16, 0));
    host->submit(command(HAL_HOST_READ, 8, 16, 1));  // overlaps 0
    host->submit(command(HAL_HOST_READ, 20, 8, 2));  // overlaps 1; both read
    host->submit(command(HAL_HOST_WRITE, 23, 2, 3)); // overlaps 1 and 2
    host->submit(command(HAL_HOST_TRIM, 0, 8, 4));   // overlaps 0
    host->submit(command(HAL_HOST_FLUSH, 0, 0, 5));
    run();
    EXPECT_THAT(firmware->tags(), ElementsAre(0u, 2u, 5u));
    device->complete(0, HAL_HOST_OK);
    run();
    EXPECT_THAT(firmware->tags(), ElementsAre(0u, 2u, 5u, 1u, 4u));
    device->complete(2, HAL_HOST_OK);
    run();
    EXPECT_EQ(firmware->commands.size(), 5u);
    device->complete(1, HAL_HOST_ERROR); // ended all the same
    run();
    EXPECT_THAT(firmware->tags(), ElementsAre(0u, 2u, 5u, 1u, 4u, 3u));
}

// Units of 8 sectors: the second write has the end of the first one's last unit, whose version would depend on
// which of them is fetched first.
TEST_F(NvmePortTest, ARequestWaitsForThoseThatItSharesAUnitWith)
{
    build(configuration());
    host->submit(command(HAL_HOST_WRITE, 0, 12, 0));
    host->submit(command(HAL_HOST_WRITE, 12, 4, 1));
    host->submit(command(HAL_HOST_WRITE, 16, 8, 2));
    run();
    EXPECT_THAT(firmware->tags(), ElementsAre(0u, 2u));
    device->complete(0, HAL_HOST_OK);
    run();
    EXPECT_THAT(firmware->tags(), ElementsAre(0u, 2u, 1u));
}

TEST_F(NvmePortTest, ATrimFetchesItsRange) // request 24 bytes, 150, 36 bytes, 100
{
    build(configuration());
    host->submit(command(HAL_HOST_TRIM, 40, 24, 6));
    run();
    ASSERT_EQ(firmware->commands.size(), 1u);
    EXPECT_EQ(firmware->commands[0].opcode, HAL_HOST_TRIM);
    EXPECT_EQ(firmware->commands[0].lba, 40u);
    EXPECT_EQ(firmware->commands[0].sectors, 24u);
    EXPECT_EQ(firmware->times[0], kCommand + 96000 + 150000 + 144000 + 100000);
}

TEST_F(NvmePortTest, WhatLiesBeyondTheDeviceFailsWithoutTheFirmware)
{
    build(configuration());
    host->submit(command(HAL_HOST_READ, kSectors - 4, 8, 0));
    host->submit(command(HAL_HOST_TRIM, kSectors, 8, 1));
    host->submit(command(HAL_HOST_READ, kSectors - 8, 8, 2));
    run();
    EXPECT_THAT(firmware->tags(), ElementsAre(2u));
    ASSERT_EQ(client->events.size(), 2u);
    EXPECT_EQ(client->events[0].substr(0, 8), "failed 0");
    EXPECT_EQ(client->events[1].substr(0, 8), "failed 1");
}

TEST_F(NvmePortTest, AnErrorOfTheFirmwareReachesTheHost)
{
    build(configuration());
    firmware->react = [this](const hal_host_command& c) { device->complete(c.tag, HAL_HOST_ERROR); };
    host->submit(command(HAL_HOST_READ, 0, 8, 9));
    run();
    EXPECT_THAT(client->events, ElementsAre("failed 9" + at(kCommand + kEnd)));
}

/// At most two inside: the rest is fetched as others end, in turns of three queues.
TEST_F(NvmePortTest, QueuesHaveTurnsWhileTheDeviceIsFull)
{
    config::Config c = configuration();
    c.nvme.queues = 3;
    c.nvme.commands = 2;
    c.host.queue_depth = 9;
    build(c);
    for (u16 tag = 0; tag < 9; ++tag) { // 0 to 2 of job 0, 3 to 5 of job 1, 6 to 8 of job 2
        host->submit_for_job(tag / 3, command(HAL_HOST_READ, tag * 8u, 8, tag));
    }
    run();
    EXPECT_EQ(firmware->commands.size(), 2u);
    EXPECT_EQ(counts().most_waiting, 7u);
    for (u32 i = 0; i < 9; ++i) {
        device->complete(firmware->commands[i].tag, HAL_HOST_OK);
        run();
    }
    // The first two doorbells of queue 0 come while no other queue has any.
    EXPECT_THAT(firmware->tags(), ElementsAre(0u, 1u, 3u, 6u, 2u, 4u, 7u, 5u, 8u));
}

TEST_F(NvmePortTest, ClassesAreThePrioritiesOfTheFirmware)
{
    config::Config c = configuration();
    c.nvme.queues = 4;
    c.nvme.arbitration = config::NvmeArbitration::Weighted;
    c.nvme.classes = "uhml";
    build(c);
    for (u16 tag = 0; tag < 4; ++tag) {
        host->submit_for_job(tag, command(HAL_HOST_READ, tag * 8u, 8, tag));
    }
    run();
    std::map<u32, u32> priorities;
    for (const hal_host_command& got : firmware->commands) {
        priorities[got.tag] = got.flags >> HAL_HOST_PRIORITY_SHIFT;
    }
    EXPECT_EQ(priorities, (std::map<u32, u32>{{0, 3}, {1, 2}, {2, 1}, {3, 0}}));
}

/// Queues of four entries hold three: the others wait in the host. Through the ring many times, so that
/// indices wrap and the phase changes; every request ends once.
TEST_F(NvmePortTest, SmallQueuesWrapAndLoseNothing)
{
    config::Config c = configuration();
    c.nvme.queues = 2;
    c.nvme.queue_entries = 4;
    c.nvme.steer = config::NvmeSteer::RoundRobin;
    build(c);
    u32 next = 20;
    client->on_end = [&](u32 tag) {
        if (next < 100) {
            ++next;
            host->submit(command(HAL_HOST_READ, u64{next} * 8, 8, static_cast<u16>(tag)));
        }
    };
    for (u16 tag = 0; tag < 20; ++tag) {
        host->submit(command(HAL_HOST_READ, tag * 8u, 8, tag));
    }
    run();
    EXPECT_EQ(firmware->commands.size(), 6u);
    for (u32 i = 0; i < 100; ++i) {
        ASSERT_LT(i, firmware->commands.size());
        device->complete(firmware->commands[i].tag, HAL_HOST_OK);
        run();
    }
    EXPECT_EQ(client->order.size(), 100u);
    EXPECT_EQ(counts().commands, 100u);
}

TEST_F(NvmePortTest, ATransferThatFitsNoCommandIsAnErrorOfTheModel)
{
    build(configuration());
    host->submit(command(HAL_HOST_READ, 0, 8, 0));
    run();
    EXPECT_THROW(device->start_dma(Firmware::transfer(firmware->commands[0], 0, 8, 0)), ModelError); // a write
    EXPECT_THROW(device->complete(1, HAL_HOST_OK), ModelError);
}

/// What the driver has set up is not counted, and has taken no time; the next doorbell is that of the first request.
TEST_F(NvmePortTest, TheDriverBringsTheControllerUpInNoTime)
{
    config::Config c = configuration();
    c.nvme.queues = 3;
    c.nvme.queue_entries = 40;
    build(c);
    EXPECT_EQ(device->on_register_read(reg::kCsts), 1u) << "RDY";
    EXPECT_EQ(device->on_register_read(reg::kAqa), 0x000f000fu);
    EXPECT_EQ(device->on_register_read(reg::kCap) & 0xffff, 39u) << "MQES";
    run();
    EXPECT_EQ(counts().fetches + counts().commands + counts().submission_bells + counts().completions, 0u);
    EXPECT_EQ(link->stats().to_host.packets + link->stats().to_device.packets, 0u);
    EXPECT_EQ(device->controller().outstanding(), 0u);
}

/// Each unit of the controller takes its time before its part: the fetch before its read, decoding before the firmware,
/// completion before its entry.
TEST_F(NvmePortTest, UnitsTakeTheirTimes)
{
    config::Config c = configuration();
    c.nvme.units.fetch = Picoseconds(7000000);
    c.nvme.units.decode = Picoseconds(300000);
    c.nvme.units.completion = Picoseconds(50000000);
    build(c);
    firmware->react = [this](const hal_host_command& got) { device->complete(got.tag, HAL_HOST_OK); };
    host->submit(command(HAL_HOST_FLUSH, 0, 0, 0));
    run();
    EXPECT_THAT(firmware->times, ElementsAre(kCommand + 7300000));
    EXPECT_THAT(client->events, ElementsAre("ended 0" + at(kCommand + 57300000 + kEnd)));
}

/// Two commands in two queues: two turns, one after the other, and so are their decodings where these take longer.
TEST_F(NvmePortTest, AUnitDoesOneThingAtATime)
{
    config::Config c = configuration();
    c.nvme.queues = 2;
    c.nvme.units.decode = Picoseconds(9000000);
    build(c);
    host->submit_for_job(0, command(HAL_HOST_READ, 0, 8, 0));
    host->submit_for_job(1, command(HAL_HOST_READ, 8, 8, 1));
    run();
    EXPECT_THAT(firmware->times, ElementsAre(kCommand + 9000000, kCommand + 18000000));
}

/// With nvme.engine: firmware the core says when it has done it.
TEST_F(NvmePortTest, TheFirmwaresCoreCanDoIt)
{
    config::Config c = configuration();
    c.nvme.units.decode = Picoseconds(1000000);
    build(c);
    std::vector<u64> asked;
    device->run_on([&](Picoseconds time) {
        asked.push_back(time.value());
        return event_queue->now() + Picoseconds(5000000);
    });
    host->submit(command(HAL_HOST_READ, 0, 8, 0));
    run();
    EXPECT_THAT(asked, ElementsAre(1000000u));
    EXPECT_THAT(firmware->times, ElementsAre(kCommand + 5000000));
}

} // namespace
} // namespace tlmssd::nvme_device
