// SPDX-License-Identifier: BSD-3-Clause
// What a unit may hold after a cut of the supply, and what has been lost as it may: cases by hand. Units of
// 8 sectors, one a page.
#include "models/powercut/power_history.h"

#include <gtest/gtest.h>

namespace tlmssd::powercut {
namespace {

struct Host {
    host::ExpectedVersions versions{8};
    PowerHistory history;

    explicit Host(bool durable_writes = false) : history(8, 8, 1, durable_writes) {}

    hal_host_command begin(u8 opcode, u64 unit, u16 tag, u8 flags = 0)
    {
        hal_host_command command{};
        command.opcode = opcode;
        command.lba = unit * 8;
        command.sectors = opcode == HAL_HOST_FLUSH ? 0 : 8;
        command.tag = tag;
        command.flags = flags;
        if (opcode == HAL_HOST_WRITE) {
            versions.bump(unit);
        }
        history.on_issued(command, versions);
        return command;
    }
    void whole(u8 opcode, u64 unit, u8 flags = 0)
    {
        history.on_ended(begin(opcode, unit, 0, flags), HAL_HOST_OK);
    }
};

TEST(PowerHistory, AnAcknowledgedWriteMayBeLostUntilAFlush)
{
    Host host;
    host.whole(HAL_HOST_WRITE, 3); // version 1
    host.whole(HAL_HOST_FLUSH, 0);
    host.whole(HAL_HOST_WRITE, 3); // version 2
    EXPECT_TRUE(host.history.allows(3, 1));
    EXPECT_TRUE(host.history.lost(3, 1));
    EXPECT_TRUE(host.history.allows(3, 2));
    EXPECT_FALSE(host.history.lost(3, 2));
    EXPECT_FALSE(host.history.allows(3, 0)) << "what was there before the flush";
    host.whole(HAL_HOST_FLUSH, 0);
    EXPECT_FALSE(host.history.allows(3, 1));
}

TEST(PowerHistory, AWriteThatWasNotAcknowledgedIsNotLost)
{
    Host host;
    host.whole(HAL_HOST_WRITE, 3);
    host.whole(HAL_HOST_FLUSH, 0);
    const hal_host_command open = host.begin(HAL_HOST_WRITE, 3, 1);
    EXPECT_TRUE(host.history.allows(3, 1));
    EXPECT_FALSE(host.history.lost(3, 1)) << "the host has not been told";
    host.history.on_ended(open, HAL_HOST_OK);
    EXPECT_TRUE(host.history.lost(3, 1));
}

TEST(PowerHistory, OnlyWhatCameBehindTheVersionCounts)
{
    Host host;
    for (int i = 0; i < 3; ++i) {
        host.whole(HAL_HOST_WRITE, 5); // versions 1 to 3
    }
    EXPECT_TRUE(host.history.lost(5, 0));
    EXPECT_TRUE(host.history.lost(5, 2));
    EXPECT_FALSE(host.history.lost(5, 3));
    EXPECT_FALSE(host.history.lost(6, 0)) << "never written";
}

TEST(PowerHistory, WithoutAVolatileCacheNothingAcknowledgedMayGo)
{
    Host host(true);
    host.whole(HAL_HOST_WRITE, 3);
    EXPECT_FALSE(host.history.allows(3, 0));
    EXPECT_FALSE(host.history.lost(3, 1));
}

TEST(PowerHistory, FuaIsDurableAlone)
{
    Host host;
    host.whole(HAL_HOST_WRITE, 3);
    host.whole(HAL_HOST_WRITE, 4, HAL_HOST_FUA);
    EXPECT_TRUE(host.history.allows(3, 0));
    EXPECT_FALSE(host.history.allows(4, 0));
}

TEST(PowerHistory, AcknowledgementsSurviveTheFile)
{
    Host host;
    host.whole(HAL_HOST_WRITE, 2);
    host.begin(HAL_HOST_WRITE, 4, 1);
    const std::string path = testing::TempDir() + "power_history_test.bin";
    host.history.save(path);
    PowerHistory next(8, 8, 1, false);
    next.load(path);
    EXPECT_TRUE(next.allows(2, 0) && next.lost(2, 0));
    EXPECT_TRUE(next.allows(4, 0) && !next.lost(4, 0));
}

} // namespace
} // namespace tlmssd::powercut
