// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: creation, deletion and doorbells of NVMe queues.
#include "models/nvme_device/core/queues.h"

#include <gmock/gmock.h>

namespace tlmssd::nvme_device {
namespace {

struct QueueTable : testing::Test {
    Queues q{4, 64, 5};

    static Submission create(u32 id, u32 entries, u32 dw11, u64 base = 0x10000)
    {
        Submission s;
        s.dw[6] = static_cast<u32>(base);
        s.dw[10] = id | (entries - 1) << 16;
        s.dw[11] = dw11;
        return s;
    }
    Status cq(u32 id, u32 entries = 8, u32 dw11 = 3, u64 base = 0x10000, bool sizes = true)
    {
        return q.create_cq(create(id, entries, dw11, base), 4096, sizes);
    }
    Status sq(u32 id, u32 entries = 8, u32 dw11 = 1u | 1u << 16, u64 base = 0x20000, bool sizes = true)
    {
        return q.create_sq(create(id, entries, dw11, base), 4096, sizes);
    }
};

TEST_F(QueueTable, CreatesByTheFields)
{
    ASSERT_EQ(cq(1, 8, 3u | 4u << 16), kSuccess);
    EXPECT_EQ(q.cq(1).entries, 8u);
    EXPECT_EQ(q.cq(1).base, 0x10000u);
    EXPECT_EQ(q.cq(1).vector, 4u);
    EXPECT_TRUE(q.cq(1).interrupts);
    ASSERT_EQ(sq(3, 64, 1u | 2u << 1 | 1u << 16), kSuccess);
    EXPECT_EQ(q.sq(3).entries, 64u);
    EXPECT_EQ(q.sq(3).priority, 2u);
    EXPECT_EQ(q.sq(3).cq, 1u);
}

TEST_F(QueueTable, RefusesWrongCompletionQueues)
{
    EXPECT_EQ(cq(0), kInvalidQueueId);
    EXPECT_EQ(cq(5), kInvalidQueueId) << "4 pairs";
    EXPECT_EQ(cq(1, 1), kInvalidQueueSize);
    EXPECT_EQ(cq(1, 65), kInvalidQueueSize);
    EXPECT_EQ(cq(1, 8, 3, 0x10000, false), kInvalidQueueSize) << "CC.IOCQES";
    EXPECT_EQ(cq(1, 8, 2), kInvalidField) << "not contiguous";
    EXPECT_EQ(cq(1, 8, 3, 0x10010), kInvalidPrpOffset);
    EXPECT_EQ(cq(1, 8, 3u | 5u << 16), kInvalidVector);
    EXPECT_EQ(cq(1), kSuccess);
    EXPECT_EQ(cq(1), kInvalidQueueId) << "exists";
}

TEST_F(QueueTable, RefusesWrongSubmissionQueues)
{
    EXPECT_EQ(sq(1), kCompletionQueueInvalid) << "does not exist";
    ASSERT_EQ(cq(1), kSuccess);
    EXPECT_EQ(sq(1, 8, 1u), kInvalidQueueId) << "the admin completion queue";
    EXPECT_EQ(sq(1, 8, 1u | 9u << 16), kInvalidQueueId) << "out of range";
    EXPECT_EQ(sq(1, 8, 0u | 1u << 16), kInvalidField) << "not contiguous";
    EXPECT_EQ(sq(1, 65), kInvalidQueueSize);
    EXPECT_EQ(sq(0), kInvalidQueueId);
    EXPECT_EQ(sq(1), kSuccess);
    EXPECT_EQ(sq(1), kInvalidQueueId) << "exists";
}

TEST_F(QueueTable, DeletesInOrder)
{
    cq(1);
    sq(1);
    EXPECT_EQ(q.delete_cq(1), kInvalidQueueDeletion) << "a submission queue uses it";
    EXPECT_EQ(q.check_delete_sq(0), kInvalidQueueId);
    EXPECT_EQ(q.check_delete_sq(2), kInvalidQueueId);
    ASSERT_EQ(q.check_delete_sq(1), kSuccess);
    q.delete_sq(1);
    EXPECT_EQ(q.check_delete_sq(1), kInvalidQueueId);
    EXPECT_EQ(q.delete_cq(1), kSuccess);
    EXPECT_EQ(q.delete_cq(1), kInvalidQueueId);
    EXPECT_EQ(q.delete_cq(0), kInvalidQueueId);
    EXPECT_FALSE(q.any_io());
}

TEST_F(QueueTable, Doorbells)
{
    cq(1);
    sq(1);
    EXPECT_EQ(q.ring_sq(2, 1), Bell::NoQueue);
    EXPECT_EQ(q.ring_sq(65, 1), Bell::NoQueue);
    EXPECT_EQ(q.ring_cq(4000, 1), Bell::NoQueue);
    EXPECT_EQ(q.ring_sq(1, 8), Bell::BadValue);
    EXPECT_EQ(q.ring_sq(1, 7), Bell::Good);
    EXPECT_EQ(q.sq(1).waiting(), 7u);
    EXPECT_EQ(q.ring_cq(1, 1), Bell::BadValue) << "nothing has been written";
    q.cq(1).tail = 3;
    EXPECT_EQ(q.ring_cq(1, 3), Bell::Good);
    q.cq(1).tail = 1;
    EXPECT_EQ(q.ring_cq(1, 2), Bell::BadValue) << "beyond the last entry";
    EXPECT_EQ(q.ring_cq(1, 0), Bell::Good) << "around the end";
}

TEST_F(QueueTable, FullCompletionQueueHoldsFetchesBack)
{
    cq(1, 4);
    sq(1);
    q.ring_sq(1, 2);
    EXPECT_TRUE(q.fetchable(1));
    q.cq(1).tail = 3;
    EXPECT_TRUE(q.cq(1).full());
    EXPECT_TRUE(q.fetchable(1)) << "nothing waits";
    q.cq(1).pending.push(Completion());
    EXPECT_FALSE(q.fetchable(1));
    q.ring_cq(1, 1);
    EXPECT_TRUE(q.fetchable(1));
}

} // namespace
} // namespace tlmssd::nvme_device
