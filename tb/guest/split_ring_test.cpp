// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a virtqueue as its device sees it, against rings that the test writes by hand.
#include "models/guest/split_ring.h"

#include "models/common/error.h"
#include "tb/guest/fake_guest.h"

namespace tlmssd::tb {
namespace {

constexpr u64 kDescriptors = FakeMemory::kBase, kAvailable = kDescriptors + 0x100, kUsed = kDescriptors + 0x200,
              kBuffers = kDescriptors + 0x1000;

class Ring : public testing::Test {
protected:
    Ring() : ring(memory.guest)
    {
        ring.set_entries(4);
        ring.set_tables(kDescriptors, kAvailable, kUsed);
        ring.enable(true);
    }
    void descriptor(u32 index, u64 address, u32 bytes, u16 flags, u16 next)
    {
        memory.put<u64>(kDescriptors + 16 * index, address);
        memory.put<u32>(kDescriptors + 16 * index + 8, bytes);
        memory.put<u16>(kDescriptors + 16 * index + 12, flags);
        memory.put<u16>(kDescriptors + 16 * index + 14, next);
    }
    void offer(u16 chain)
    {
        memory.put<u16>(kAvailable + 4 + 2 * (offered % 4), chain);
        memory.put<u16>(kAvailable + 2, ++offered);
    }

    FakeMemory memory;
    guest::SplitRing ring;
    u16 offered = 0;
};

TEST_F(Ring, GivesChainsInTheirOrderAndTakesThemBackInAny)
{
    descriptor(0, kBuffers, 16, 1, 3); // 1: another follows
    descriptor(3, kBuffers + 64, 8, 2, 0); // 2: the device writes
    descriptor(1, kBuffers + 128, 4, 0, 0);
    EXPECT_FALSE(ring.take());
    offer(0);
    offer(1);
    const auto first = ring.take();
    const auto second = ring.take();
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(ring.take());
    EXPECT_EQ(first->id, 0);
    ASSERT_EQ(first->pieces.size(), 2u);
    EXPECT_EQ(first->pieces[0].data, memory.at(kBuffers));
    EXPECT_EQ(first->pieces[0].bytes, 16u);
    EXPECT_FALSE(first->pieces[0].device_writes);
    EXPECT_TRUE(first->pieces[1].device_writes);
    EXPECT_EQ(second->id, 1);
    ring.give_back(second->id, 0);
    ring.give_back(first->id, 8);
    EXPECT_EQ(memory.get<u16>(kUsed + 2), 2);
    EXPECT_EQ(memory.get<u32>(kUsed + 4), 1u);
    EXPECT_EQ(memory.get<u32>(kUsed + 12), 0u);
    EXPECT_EQ(memory.get<u32>(kUsed + 16), 8u);
}

TEST_F(Ring, GoesRoundItsEnd)
{
    for (u16 i = 0; i < 4; ++i) {
        descriptor(i, kBuffers, 4, 0, 0);
    }
    for (u32 i = 0; i < 70000; ++i) { // and round that of its counters of 16 bits
        offer(static_cast<u16>(i % 4));
        const auto chain = ring.take();
        ASSERT_TRUE(chain && chain->id == i % 4) << i;
        ring.give_back(chain->id, 0);
    }
    EXPECT_EQ(memory.get<u16>(kUsed + 2), static_cast<u16>(70000));
}

TEST_F(Ring, IsOffUntilItIsEnabled)
{
    descriptor(0, kBuffers, 4, 0, 0);
    offer(0);
    ring.enable(false);
    EXPECT_FALSE(ring.take());
    ring.enable(true);
    EXPECT_TRUE(ring.take());
}

TEST_F(Ring, RefusesWhatNoDriverMayWrite)
{
    descriptor(0, kBuffers, 4, 1, 0); // a chain without an end
    offer(0);
    EXPECT_THROW(ring.take(), ModelError);
    descriptor(1, FakeMemory::kBase + FakeMemory::kBytes - 2, 4, 0, 0);
    offer(1);
    EXPECT_THROW(ring.take(), ModelError);
    offer(4);
    EXPECT_THROW(ring.take(), ModelError);
    EXPECT_THROW(ring.set_tables(kDescriptors, kAvailable, FakeMemory::kBase - 8), ModelError);
    ring.set_entries(0);
    EXPECT_THROW(ring.set_tables(kDescriptors, kAvailable, kUsed), ModelError);
}

TEST_F(Ring, SaysWhetherItWantsToBeNotified)
{
    ring.want_notifications(false);
    EXPECT_EQ(memory.get<u16>(kUsed), 1);
    ring.want_notifications(true);
    EXPECT_EQ(memory.get<u16>(kUsed), 0);
}

} // namespace
} // namespace tlmssd::tb
