// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what FLUSH, FUA and TRIM promise on a worn-out device and with capacitors.
#include <gtest/gtest.h>

#include "tb/firmware/device_power.h"

namespace tlmssd::tb {
namespace {

/// A worn-out device without write-back: every write that was acknowledged is in flash, and a FLUSH says so,
/// though the table page of retired blocks cannot be written any more. It fails where a trim is volatile.
TEST(PowerReadOnly, FlushFailsOnlyWhereATrimWouldComeBack)
{
    for (const bool trim : {false, true}) {
        PowerDevice d(power_config(FW_SCHED_INORDER, FW_BUFFER_NONE), 3);
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
            d.tick_until(d.config().host_tags - 1);
            d.write_page(lpn);
        }
        if (trim) {
            d.tick_until(0);
            d.issue(HAL_HOST_TRIM, 0, d.spp());
        }
        d.faults = {300, 300, 0};
        for (u32 n = 0; d.stats().read_only == 0; ++n) { // all but page 0
            d.tick_until(d.config().host_tags - 1);
            d.write_page(1 + n % (d.config().logical_pages - 1));
        }
        d.tick_until(0);
        ASSERT_GT(d.stats().blocks_retired, 0u);
        for (u32 twice = 0; twice < 2; ++twice) {
            d.flush();
            d.tick_until(0);
        }
        EXPECT_EQ(d.flush_errors, trim ? 2u : 0u);
    }
}

fw_config capacitors(u32 policy = FW_BUFFER_LRU)
{
    fw_config c = power_config(FW_SCHED_INORDER, policy);
    c.capacitors = 1;
    return c;
}

/// FUA and FLUSH are over without a program; the cut makes the one that is due, and no more.
TEST(PowerCapacitors, WriteWhenTheSupplyGoes)
{
    auto d = std::make_unique<PowerDevice>(capacitors(), 5);
    d->issue(HAL_HOST_WRITE, 0, d->spp(), HAL_HOST_FUA);
    d->tick_until(0);
    d->flush();
    d->tick_until(0);
    EXPECT_EQ(d->stats().host_pages_written, 0u);
    ASSERT_TRUE(d->save());
    EXPECT_EQ(d->stats().host_pages_written, 1u);
    d = d->cut(6);
    ASSERT_TRUE(d->mount());
    ASSERT_NO_THROW(d->read_all());
}

/// The same without time to save: what was acknowledged is not there, and the look at the device says so.
TEST(PowerCapacitors, WithoutTimeLoseTheBuffer)
{
    auto d = std::make_unique<PowerDevice>(capacitors(), 5);
    d->issue(HAL_HOST_WRITE, 0, d->spp(), HAL_HOST_FUA);
    d->tick_until(0);
    d = d->cut(6);
    ASSERT_TRUE(d->mount());
    EXPECT_ANY_THROW(d->read_all());
}

/// A TRIM is durable too, and a FLUSH behind one writes it down: the data before it and one table page.
TEST(PowerCapacitors, KeepTrims)
{
    for (const bool flush : {false, true}) {
        auto d = std::make_unique<PowerDevice>(capacitors(), 7);
        d->issue(HAL_HOST_WRITE, 0, 2 * d->spp());
        d->tick_until(0);
        ASSERT_EQ(d->stats().table_pages_written, 0u);
        d->issue(HAL_HOST_TRIM, d->spp(), d->spp());
        d->tick_until(0);
        if (flush) {
            d->flush();
            d->tick_until(0);
            EXPECT_EQ(d->stats().host_pages_written, 1u);
        }
        ASSERT_TRUE(d->save());
        EXPECT_EQ(d->stats().host_pages_written, 1u) << "the other page is trimmed";
        d = d->cut(8);
        ASSERT_TRUE(d->mount());
        ASSERT_NO_THROW(d->read_all());
    }
}

/// A FLUSH before the supply goes in order writes everything.
TEST(PowerCapacitors, AFlushThatWantsFlashWrites)
{
    PowerDevice d(capacitors(), 9);
    d.write_page(3);
    d.tick_until(0);
    d.issue(HAL_HOST_FLUSH, 0, 0, HAL_HOST_FUA);
    d.tick_until(0);
    EXPECT_EQ(d.stats().host_pages_written, 1u);
}

} // namespace
} // namespace tlmssd::tb
