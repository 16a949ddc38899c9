// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: paq.age_limit_us: the scheduler's module alone under random loads; no read waits longer than the
// bound that docs/explanation/paq.md derives.
#include <gmock/gmock.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "models/common/hash.h"
#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {
namespace {

using testing::ElementsAre;

constexpr u64 kReadUs = 50, kProgramUs = 500, kEraseUs = 2000; // R, and D is the longest
constexpr u64 kPasses = 8;                                   // PAQ_AGED_PASSES, as the page says

fw_config timed_config(u32 scheduler, u32 limit_us)
{
    fw_config c = small_config(2, 2, 2, 2);
    c.scheduler = scheduler;
    c.paq_age_limit_us = limit_us;
    return c;
}

/// Time passes: operations take what their kind takes, programs are assigned at once.
class TimedSched : public ModuleRig {
public:
    struct Op {
        u8 opcode;
        u32 die, request;
        bool gc;
        u64 at, tag_at; ///< came in; the first page of its request did
        u64 started = ~u64{0};
    };

    TimedSched(const fw_config& c, u32 flash_tags) : ModuleRig(c), flash_tags_(flash_tags) {}

    bool flash_submit(const flash_op& op) override
    {
        if (ends_.size() >= flash_tags_) {
            return false;
        }
        const u64 takes = op.opcode == FLASH_OP_READ ? kReadUs : op.opcode == FLASH_OP_PROGRAM ? kProgramUs : kEraseUs;
        ends_.emplace(now_us + takes, op.tag);
        order.push_back(of_[op.cookie]);
        for (u32 o = op.cookie; o != FW_NONE; o = f()->ops[o].mate) {
            ops[of_[o]].started = now_us;
        }
        return true;
    }

    /// Returns its index in `ops`. `request` 0: the device's own; with `gc` garbage collection's.
    /// `row_of`: it is for the page of this one; else for one of its own.
    std::size_t add(u8 opcode, u32 die, u32 request, bool gc = false, std::size_t row_of = ~std::size_t{0})
    {
        const u32 i = fw_op_alloc(f());
        fw_op& o = f()->ops[i];
        o.opcode = opcode;
        o.die = die;
        o.channel = static_cast<u8>(die / (config().ways * config().dies));
        const std::size_t row = row_of == ~std::size_t{0} ? ops.size() : row_of;
        o.row = static_cast<u32>(row); // neighbours never share an operation
        o.plane = static_cast<u8>(row / config().pages % config().planes);
        o.request = request;
        o.flags = static_cast<u8>(FW_OP_TRANSLATED | (opcode == FLASH_OP_PROGRAM ? 0 : FW_OP_ASSIGNED) | (gc ? FW_OP_GC : 0));
        u64 tag_at = now_us;
        if (opcode == FLASH_OP_READ && request != 0) {
            Tag& tag = tags_.try_emplace(request, Tag{now_us, 0}).first->second;
            ++tag.reads;
            tag_at = tag.at;
        }
        ops.push_back({opcode, die, request, gc, now_us, tag_at});
        of_[i] = ops.size() - 1;
        ++inside;
        tell(FW_MODULE_SCHED, FW_MSG_OP_PLACED, i);
        answer();
        return ops.size() - 1;
    }

    /// The next end of an operation or the timer, if that is before `until`.
    void advance(u64 until)
    {
        for (;;) {
            const u64 timer = timers[FW_MODULE_SCHED];
            const u64 end = ends_.empty() ? ~u64{0} : ends_.begin()->first;
            if (std::min(timer, end) > until) {
                now_us = until;
                return;
            }
            if (timer <= end) {
                fire(FW_MODULE_SCHED);
                step(config().core_of[FW_MODULE_SCHED]);
            } else {
                now_us = end;
                hal_event event{};
                event.kind = HAL_EVENT_FLASH;
                event.u.flash.tag = static_cast<u16>(ends_.begin()->second);
                ends_.erase(ends_.begin());
                give(FW_MODULE_SCHED, event);
            }
            answer();
        }
    }
    void drain()
    {
        while (inside != 0) {
            if (ends_.empty()) {
                throw std::runtime_error("nothing runs, and operations wait");
            }
            advance(ends_.begin()->first);
        }
    }

    std::vector<Op> ops;
    std::vector<std::size_t> order; ///< the first of each submission, by index in `ops`
    u32 inside = 0;

private:
    void answer()
    {
        for (const fw_message& m : take()) {
            if (m.kind == FW_MSG_OP_ASSIGN) {
                f()->ops[m.a].flags |= FW_OP_ASSIGNED;
                tell(FW_MODULE_SCHED, FW_MSG_OP_ASSIGNED, m.a);
            } else if (m.kind == FW_MSG_OP_DONE) {
                const Op& o = ops[of_[m.a]];
                if (o.opcode == FLASH_OP_READ && o.request != 0 && --tags_[o.request].reads == 0) {
                    tags_.erase(o.request);
                }
                fw_op_free(f(), m.a);
                --inside;
            }
        }
    }

    u32 flash_tags_;
    std::map<u32, std::size_t> of_; ///< op -> `ops`
    struct Tag {
        u64 at; ///< of its first page
        u32 reads;
    };
    std::map<u32, Tag> tags_;       ///< requests with reads inside
    std::multimap<u64, u32> ends_;  ///< time -> tag
};

/// One die. Collection has ten erases, a write 500 us, reads 50. The limit is 100 us.
TEST(PaqAge, AnAgedReadPassesCollectionAndOlderWrites)
{
    for (const u32 scheduler : {FW_SCHED_PAQ1, FW_SCHED_PAQ2}) {
        TimedSched rig(timed_config(scheduler, 100), 256);
        std::vector<std::size_t> erases;
        for (u32 i = 0; i < 3; ++i) {
            erases.push_back(rig.add(FLASH_OP_ERASE, 0, 0, true));
        }
        const std::size_t write = rig.add(FLASH_OP_PROGRAM, 0, 1);
        const std::size_t read = rig.add(FLASH_OP_READ, 0, 2);
        rig.drain();
        EXPECT_THAT(rig.order, ElementsAre(erases[0], read, erases[1], erases[2], write));
        EXPECT_EQ(rig.ops[read].started, kEraseUs);
        EXPECT_EQ(rig.stats().aged_reads, 1u);
    }
}

/// 20 reads in 20 requests, none of them joined, behind an erase that makes all of them age. A younger write waits for all reads; collection has its turn after 8.
TEST(PaqAge, EightAgedReadsPassCollectionInARow)
{
    for (const bool gc : {false, true}) {
        TimedSched rig(timed_config(FW_SCHED_PAQ1, 100), 256);
        rig.add(FLASH_OP_ERASE, 0, 0, true);
        for (u32 i = 0; i < 20; ++i) {
            rig.add(FLASH_OP_READ, 0, 1 + i);
        }
        const std::size_t other = gc ? rig.add(FLASH_OP_ERASE, 0, 0, true) : rig.add(FLASH_OP_PROGRAM, 0, 30);
        rig.drain();
        EXPECT_EQ(rig.ops[other].started, kEraseUs + (gc ? kPasses : 20) * kReadUs);
    }
}

/// An erase runs for 2,000 us; collection has a copy of 500 us behind it. One read wants the copy, one another page.
TEST(PaqAge, AReadWaitsForTheCopyOfItsPage)
{
    for (const bool same : {false, true}) {
        for (const u32 scheduler : {FW_SCHED_PAQ1, FW_SCHED_PAQ2}) {
            TimedSched rig(timed_config(scheduler, 100), 256);
            rig.add(FLASH_OP_ERASE, 0, 0, true);
            const std::size_t copy = rig.add(FLASH_OP_PROGRAM, 0, 0, true);
            const std::size_t read = rig.add(FLASH_OP_READ, 0, 1, false, same ? copy : ~std::size_t{0});
            rig.drain();
            EXPECT_EQ(rig.ops[copy].started, kEraseUs + (same ? 0 : kReadUs));
            EXPECT_EQ(rig.ops[read].started, kEraseUs + (same ? kProgramUs : 0));
        }
    }
}

struct Load {
    u32 scheduler, limit_us, wait_block, cluster_die, flash_tags;
    friend void PrintTo(const Load& l, std::ostream* out)
    {
        *out << "paq" << l.scheduler - FW_SCHED_PAQ0 << " limit " << l.limit_us << " block " << l.wait_block
             << " cluster_die " << l.cluster_die << " tags " << l.flash_tags;
    }
};

class PaqAgeLoads : public testing::TestWithParam<Load> {};

/// Of a read from the limit on, or from its arrival where its request has reached the limit: the operation in
/// progress and the turns of writes and collection, and the n reads that were before it.
u64 bound_us(const Load& load, u64 n, u64 dies)
{
    const u64 turns = 1 + n / kPasses;
    const u64 starts = load.flash_tags < dies ? n + 1 + turns : 0; // that wait for a flash tag
    return turns * kEraseUs + (n + 1) * kReadUs + starts * ((dies + load.flash_tags - 1) / load.flash_tags) * kEraseUs;
}

TEST_P(PaqAgeLoads, NoReadWaitsLongerThanTheBound)
{
    const Load& load = GetParam();
    for (u64 seed = 1; seed <= 5; ++seed) {
        fw_config c = timed_config(load.scheduler, load.limit_us);
        c.paq_wait_block = load.wait_block;
        c.paq_cluster_die = load.cluster_die;
        c.lines = 512;
        TimedSched rig(c, load.flash_tags);
        const u32 dies = c.channels * c.ways * c.dies;
        u64 draws = 0;
        const auto below = [&](u32 n) { return static_cast<u32>(draw_below(draw64(seed, 7, draws++), n)); };
        const auto any_die = [&] { return below(3) == 0 ? 0 : below(dies); }; // one is in demand
        u32 request = 0;
        u64 at = 0;
        for (u32 i = 0; i < 4000; ++i) {
            at += below(120);
            rig.advance(at);
            if (rig.inside > 150) {
                continue;
            }
            switch (below(8)) {
            case 0: // collection comes in crowds
                for (u32 die = any_die(), n = 1 + below(12); n-- > 0;) {
                    const u32 kind = below(4);
                    rig.add(kind == 0 ? FLASH_OP_ERASE : kind == 1 ? FLASH_OP_READ : FLASH_OP_PROGRAM, die, 0, true);
                }
                break;
            case 1:
                rig.add(FLASH_OP_PROGRAM, any_die(), ++request);
                break;
            case 2: // a page that comes late
                rig.add(FLASH_OP_READ, any_die(), request == 0 ? ++request : request - below(std::min(request, 4u)));
                break;
            default:
                ++request;
                for (u32 n = 1 + below(6); n-- > 0;) {
                    rig.add(FLASH_OP_READ, any_die(), request);
                }
            }
        }
        rig.drain();
        EXPECT_GT(rig.stats().aged_reads, 500u);
        u64 turns_seen = 0;
        for (const TimedSched::Op& r : rig.ops) {
            if (r.opcode != FLASH_OP_READ || r.gc) {
                continue;
            }
            const u64 aged = std::max(r.tag_at + load.limit_us, r.at);
            if (r.started <= aged) {
                continue;
            }
            u64 n = 0, turns = 0;
            for (const std::size_t i : rig.order) {
                const TimedSched::Op& o = rig.ops[i];
                if (o.die != r.die || o.started <= aged || o.started >= r.started) {
                    continue;
                }
                if (o.opcode == FLASH_OP_READ && !o.gc) {
                    EXPECT_LE(o.tag_at, r.tag_at) << "a younger one went first";
                    ++n;
                } else {
                    ++turns;
                }
            }
            turns_seen += turns;
            EXPECT_LE(turns, 1 + n / kPasses) << "seed " << seed;
            EXPECT_LE(r.started - aged, bound_us(load, n, dies)) << "seed " << seed << ", " << n << " reads before it";
        }
        EXPECT_GT(turns_seen, 0u);
        for (const TimedSched::Op& o : rig.ops) {
            EXPECT_NE(o.started, ~u64{0});
        }
        EXPECT_TRUE(fw_sched_idle(rig.f()));
    }
}

INSTANTIATE_TEST_SUITE_P(Random, PaqAgeLoads,
                         testing::Values(Load{FW_SCHED_PAQ1, 1000, 0, 0, 256}, Load{FW_SCHED_PAQ2, 1000, 0, 0, 256},
                                         Load{FW_SCHED_PAQ2, 100, 0, 0, 256}, Load{FW_SCHED_PAQ2, 5000, 1, 0, 256},
                                         Load{FW_SCHED_PAQ2, 1000, 1, 1, 256}, Load{FW_SCHED_PAQ2, 1000, 0, 0, 3}),
                         [](const auto& test) { return "load_" + std::to_string(test.index); });

} // namespace
} // namespace tlmssd::tb
