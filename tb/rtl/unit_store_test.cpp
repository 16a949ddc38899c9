// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_store against an array of descriptors and the table of dependencies.
#include <cstring>

#include <VUnitStore.h>

#include "tb/rtl/unit_ops.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kChannels = 3;
constexpr u32 kTags = 16;
constexpr u32 kPageBits = 2;
constexpr u32 kDescriptorBytes = 56; ///< all but the cookie and what is reserved

class StoreBench {
public:
    StoreBench(u64 seed, Goals& goals) : random(seed), goals_(goals), seed_(seed)
    {
        dut->wr_i = dut->abort_i = dut->seg_req_i = dut->dep_req_i = 0;
        dut->page_mask_i = (1u << kPageBits) - 1;
        dut.reset();
        for (u32 tag = 0; tag < kTags; ++tag) { // a tag is written before it is used
            write(tag);
            dut.settle();
            dut.edge();
        }
        dut->wr_i = 0;
    }

    void cycle(bool ask)
    {
        dut->wr_i = dut->abort_i = 0;
        for (u32 c = 0; c < kChannels && ask; ++c) {
            // A segment is as long as some clocks; seed 3: as many as can be.
            if (!segment_[c].asks && random.percent(seed_ == 3 ? 60 : 8)) {
                segment_[c] = {true, random.below(kTags), 0};
                goals_.see("segment tag in use by a comparison", compared(segment_[c].tag));
            }
            if (!question_[c].asks && random.percent(20)) {
                ask_about(c);
            }
        }
        const u32 tag = random.below(kTags);
        if (ask && random.percent(50) && !in_use(tag)) {
            write(tag);
        } else if (random.percent(20)) {
            abort(tag);
        }
        drive();
        dut.settle();
        check_segments();
        check_answers();
        check_activity();
        dut.edge();
        if (dut->abort_i) { // a read at the same edge does not see it
            aborted_[dut->abort_tag_i] = true;
        }
    }
    bool busy() const
    {
        for (u32 c = 0; c < kChannels; ++c) {
            if (segment_[c].asks || question_[c].asks || expected_[c] >= 0) {
                return true;
            }
        }
        return false;
    }

    Random random;
    ClockedDut<VUnitStore> dut;

private:
    struct Segment {
        bool asks = false;
        u32 tag = 0;
        u32 waited = 0; ///< cycles
    };
    struct Question {
        bool asks = false;
        u32 young = 0, old = 0;
        u32 others = 0; ///< answers to other channels meanwhile
    };

    void write(u32 tag)
    {
        ops_[tag] = random_unit_op(random, static_cast<u16>(tag), random.percent(50) ? 6 : 64);
        aborted_[tag] = false;
        dut->wr_i = 1;
        std::memcpy(&dut->wr_op_i[0], &ops_[tag], kDescriptorBytes);
    }
    void abort(u32 tag)
    {
        dut->abort_i = 1;
        dut->abort_tag_i = static_cast<u8>(tag);
        goals_.see("aborted while it is read", in_use(tag));
    }
    void ask_about(u32 c)
    {
        const u32 young = random.below(kTags);
        const u32 old = random.below(kTags);
        // Of two reads the intake never asks.
        if (young != old && (ops_[young].opcode != FLASH_OP_READ || ops_[old].opcode != FLASH_OP_READ)) {
            question_[c] = {true, young, old, 0};
        }
    }
    bool compared(u32 tag) const
    {
        for (const Question& q : question_) {
            if (q.asks && (q.young == tag || q.old == tag)) {
                return true;
            }
        }
        return false;
    }
    bool in_use(u32 tag) const
    {
        for (u32 c = 0; c < kChannels; ++c) {
            if ((segment_[c].asks && segment_[c].tag == tag) || expected_[c] == int(tag)) {
                return true;
            }
        }
        return compared(tag);
    }
    void drive()
    {
        u32 requests = 0, tags = 0, questions = 0, young = 0, old = 0;
        for (u32 c = 0; c < kChannels; ++c) {
            requests |= u32{segment_[c].asks} << c;
            tags |= segment_[c].tag << (4 * c);
            questions |= u32{question_[c].asks} << c;
            young |= question_[c].young << (4 * c);
            old |= question_[c].old << (4 * c);
        }
        dut->seg_req_i = static_cast<u8>(requests);
        dut->seg_tag_i = static_cast<u16>(tags);
        dut->dep_req_i = static_cast<u8>(questions);
        dut->dep_young_i = static_cast<u16>(young);
        dut->dep_old_i = static_cast<u16>(old);
    }
    /// One acknowledge a cycle, to one that asks, all in turn; the descriptor in the cycle after.
    void check_segments()
    {
        const u32 ack = dut->seg_ack_o;
        u32 asking = 0;
        for (u32 c = 0; c < kChannels; ++c) {
            ASSERT_EQ(dut->seg_valid_o >> c & 1, expected_[c] >= 0) << "one cycle after its acknowledge";
            if (expected_[c] >= 0) {
                ASSERT_EQ(std::memcmp(&dut->seg_desc_o[0], &ops_[expected_[c]], kDescriptorBytes), 0);
                ASSERT_EQ(dut->seg_abort_o != 0, expected_abort_);
                goals_.see("to be aborted", expected_abort_);
                goals_.see("not to be aborted", !expected_abort_);
            }
            expected_[c] = -1;
            asking += segment_[c].asks;
            ASSERT_TRUE((ack >> c & 1) == 0 || segment_[c].asks);
        }
        ASSERT_EQ(__builtin_popcount(ack), asking != 0);
        goals_.see("all channels ask at once", asking == kChannels);
        for (u32 c = 0; c < kChannels; ++c) {
            Segment& s = segment_[c];
            if (ack >> c & 1) {
                expected_[c] = static_cast<int>(s.tag);
                expected_abort_ = aborted_[s.tag];
                goals_.see("waited for both others", s.waited == kChannels - 1);
                s.asks = false;
            } else if (s.asks) {
                ++s.waited;
                ASSERT_LT(s.waited, kChannels) << "served in turn";
            }
        }
    }
    void check_answers()
    {
        const u32 done = dut->dep_done_o;
        ASSERT_LE(__builtin_popcount(done), 1);
        for (u32 c = 0; c < kChannels; ++c) {
            if ((done >> c & 1) == 0) {
                continue;
            }
            Question& q = question_[c];
            ASSERT_TRUE(q.asks);
            const flash_op& young = ops_[q.young];
            const flash_op& old = ops_[q.old];
            const bool hit = depends_on(young, old, kPageBits);
            ASSERT_EQ(dut->dep_hit_o, hit) << u32{young.opcode} << " after " << u32{old.opcode};
            count(young, old, hit);
            goals_.see("answered after both others", q.others == kChannels - 1);
            q.asks = false;
            for (Question& other : question_) {
                other.others += other.asks;
                ASSERT_LE(other.others, kChannels) << "answered in turn";
            }
        }
    }
    void count(const flash_op& young, const flash_op& old, bool hit)
    {
        static const char* const names[] = {"", "read", "program", "erase"};
        goals_.see(std::string(names[young.opcode]) + " after " + names[old.opcode] +
                   (hit ? ": waits" : ": free"));
        bool same_block = false;
        for (u32 i = 0; i < young.nplanes; ++i) {
            for (u32 j = 0; j < old.nplanes; ++j) {
                same_block |= young.row[i] >> kPageBits == old.row[j] >> kPageBits;
            }
        }
        goals_.see("same block, another page: free", !hit && same_block);
        const auto only_last = [&] {
            flash_op shorter = young;
            --shorter.nplanes;
            return !depends_on(shorter, old, kPageBits);
        };
        goals_.see("only the fourth plane meets", hit && young.nplanes == 4 && only_last());
        goals_.see("a plane beyond the last would have met", !hit && old.nplanes < 4 && [&] {
            flash_op longer = old;
            longer.nplanes = 4;
            return depends_on(young, longer, kPageBits);
        }());
    }
    /// Inactive: nothing asks and nothing comes.
    void check_activity()
    {
        if (dut->active_o == 0) {
            for (u32 c = 0; c < kChannels; ++c) {
                ASSERT_FALSE(segment_[c].asks || question_[c].asks);
            }
            ASSERT_EQ(dut->seg_valid_o, 0);
        }
        goals_.see("inactive", dut->active_o == 0);
    }

    Goals& goals_;
    u64 seed_;
    flash_op ops_[kTags];
    bool aborted_[kTags] = {}; ///< since it was written
    bool expected_abort_ = false; ///< with the descriptor that comes now
    Segment segment_[kChannels];
    Question question_[kChannels];
    int expected_[kChannels] = {-1, -1, -1}; ///< tag whose descriptor comes now
};

TEST(UnitStore, AnswersAsTheTableOfDependenciesSays)
{
    Goals goals({"read after program: waits", "read after program: free", "read after erase: waits",
                 "read after erase: free", "program after read: waits", "program after read: free",
                 "program after program: waits", "program after program: free",
                 "program after erase: waits", "program after erase: free", "erase after read: waits",
                 "erase after read: free", "erase after program: waits", "erase after program: free",
                 "erase after erase: waits", "erase after erase: free", "same block, another page: free",
                 "only the fourth plane meets", "a plane beyond the last would have met",
                 "all channels ask at once", "waited for both others", "answered after both others",
                 "segment tag in use by a comparison", "inactive", "to be aborted", "not to be aborted",
                 "aborted while it is read"});
    for (u64 seed = 0; seed < 4; ++seed) {
        StoreBench bench(seed, goals);
        for (u32 n = 0; n < 8000 && !testing::Test::HasFailure(); ++n) {
            bench.cycle(n % 1000 < 950);
            if (n % 1000 == 999) { // 50 cycles without a new request answer all
                EXPECT_FALSE(bench.busy()) << "seed " << seed << " cycle " << n;
                EXPECT_EQ(bench.dut->active_o, 0);
            }
        }
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
