// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_intake against a list of operations and a table of what depends on what.
#include <deque>

#include <VUnitIntake.h>

#include "firmware/hal/flash_op.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kLuns = 4;
constexpr u32 kStations = 4;
constexpr u32 kTags = 16;

struct Waiting {
    u32 tag = 0, lun = 0, opcode = 0, priority = 0, last = 0;
    bool fence = false, suspendable = false;
    u32 number = 0; ///< of all operations
    u32 since = 0;  ///< stamp at which it was pushed
    u32 head() const
    {
        return u32{suspendable} << 14 | tag << 10 | lun << 8 | opcode << 5 | priority << 3 | last << 1 | u32{fence};
    }
};
struct Place {
    bool used = false;
    Waiting op;
};

class IntakeBench {
public:
    IntakeBench(u64 seed, Goals& goals) : random(seed), goals_(goals), seed_(seed), in_use_(seed % 2 ? 2 : 4)
    {
        dut->push_i = dut->pop_i = dut->row_i = dut->dep_done_i = 0;
        dut.reset();
    }
    /// `more`: further operations come; else everything is let through. `shut`: other events have all cycles.
    void cycle(bool more, bool shut)
    {
        dut->push_i = 0;
        now_ = (now_ + 333) & 0xffffff;
        dut->now_i = now_;
        const u32 tag = random.below(kTags);
        if (more && !tag_used_[tag] && random.percent(50)) {
            push(tag);
        }
        const bool reset = !waiting_.empty() && waiting_.front().opcode == FLASH_OP_RESET;
        const bool shown = !shut && !goes_ && dut->asks_o && !reset && !full() && random.percent(more ? 75 : 90);
        show(shown);
        answer();
        const bool pop = goes_ || (!shut && reset && random.percent(30));
        goals_.see("RESET waits", reset && !pop);
        dut->pop_i = pop;
        dut.settle();
        check(shown);
        if (pop && !testing::Test::HasFailure()) {
            take_in();
        }
        goes_ = shown && dut->may_o;
        const bool event = shown || goes_ || pop; // others have to wait for it
        dut.edge();
        if (dut->push_i) {
            waiting_.push_back(coming_);
        }
        if (!event) { // the cycle of another event: perhaps one in which an operation left its station
            leave(more);
        }
    }
    bool empty() const { return waiting_.empty(); }

    Random random;
    ClockedDut<VUnitIntake> dut;

private:
    void push(u32 tag)
    {
        static const u32 opcodes[] = {FLASH_OP_READ, FLASH_OP_READ, FLASH_OP_PROGRAM, FLASH_OP_ERASE};
        coming_ = {tag, random.below(kLuns), opcodes[random.below(4)], random.below(4), random.below(4),
                   random.percent(20), random.percent(30), number_++, now_};
        if (random.percent(4)) {
            coming_.opcode = FLASH_OP_RESET;
        }
        tag_used_[tag] = true;
        dut->push_i = 1;
        dut->push_head_i = static_cast<u16>(coming_.head());
        goals_.see("all tags inside", waiting_.size() == kTags - 1);
    }
    /// Row of the head's LUN, or of any in a cycle that belongs to another event.
    void show(bool shown)
    {
        const u32 lun = shown && !waiting_.empty() ? waiting_.front().lun : random.below(kLuns);
        u32 used = 0, tags = 0, opcodes = 0;
        for (u32 s = 0; s < kStations; ++s) {
            const Place& p = stations_[lun][s];
            used |= u32{p.used} << s;
            tags |= p.op.tag << (4 * s);
            opcodes |= p.op.opcode << (3 * s);
        }
        dut->row_i = shown;
        dut->used_i = static_cast<u8>(used);
        dut->tags_i = static_cast<u16>(tags);
        dut->opcs_i = static_cast<u16>(opcodes);
    }
    bool depends(const Waiting& young, const Waiting& old) const
    {
        return !(young.opcode == FLASH_OP_READ && old.opcode == FLASH_OP_READ) &&
               draw64(seed_, young.number, old.number) % 2 != 0;
    }
    /// The store: some cycles after the question.
    void answer()
    {
        dut->dep_done_i = 0;
        dut->dep_hit_i = random.percent(50);
        if (!dut->dep_req_o) {
            asked_for_ = 0;
            return;
        }
        if (++asked_for_ < 3 || !random.percent(40)) {
            return;
        }
        const Waiting& young = waiting_.front();
        bool hit = random.percent(50); // what has left meanwhile gives any answer
        bool there = false;
        for (const Place& p : stations_[young.lun]) {
            if (p.used && p.op.tag == dut->dep_old_o) {
                ASSERT_FALSE(young.opcode == FLASH_OP_READ && p.op.opcode == FLASH_OP_READ)
                    << "two reads are not compared";
                hit = depends(young, p.op);
                there = true;
            }
        }
        goals_.see("left its station while it was compared", !there);
        dut->dep_done_i = 1;
        dut->dep_hit_i = hit;
        asked_for_ = 0;
    }
    void check(bool shown)
    {
        ASSERT_EQ(dut->any_o, !waiting_.empty());
        ASSERT_EQ(dut->active_o, dut->dep_req_o);
        ASSERT_EQ(dut->asks_o, !waiting_.empty() && !dut->dep_req_o);
        if (waiting_.empty()) {
            ASSERT_EQ(dut->may_o, 0);
            return;
        }
        const Waiting& head = waiting_.front();
        ASSERT_EQ(u32{dut->susp_o} << 14 | u32{dut->tag_o} << 10 | u32{dut->lun_o} << 8 | u32{dut->opc_o} << 5 |
                      u32{dut->prio_o} << 3 | u32{dut->last_o} << 1 | dut->fence_o,
                  head.head());
        ASSERT_EQ(dut->since_o, head.since);
        goals_.see("waits for a station", full() && head.opcode != FLASH_OP_RESET);
        ASSERT_FALSE(dut->may_o && !shown);
        // The row is shown once, and again after each answer.
        looks_ = shown ? looks_ + 1 : looks_;
        ASSERT_LE(looks_, 1 + kStations) << "the head does not get on";
    }
    /// The stations of the head's LUN.
    bool full() const
    {
        u32 used = 0;
        for (const Place& p : stations_[waiting_.front().lun]) {
            used += p.used;
        }
        return used >= in_use_;
    }
    void take_in()
    {
        const Waiting head = waiting_.front();
        waiting_.pop_front();
        looks_ = 0;
        if (head.opcode == FLASH_OP_RESET) {
            goals_.see("RESET goes");
            tag_used_[head.tag] = false;
            return;
        }
        u32 waits = 0, used = 0;
        int free = -1;
        for (u32 s = 0; s < kStations; ++s) {
            Place& p = stations_[head.lun][s];
            if (p.used) {
                ++used;
                waits |= u32{depends(head, p.op)} << s;
            } else if (free < 0) {
                free = static_cast<int>(s);
            }
        }
        ASSERT_EQ(dut->waits_o, waits) << "what is in a station and what it depends on";
        goals_.see("depends on nothing among others", used != 0 && waits == 0);
        goals_.see("depends on one", __builtin_popcount(waits) == 1);
        goals_.see("depends on three", __builtin_popcount(waits) == 3);
        goals_.see("goes into an empty LUN", used == 0);
        goals_.see("a read after reads goes at once",
                   head.opcode == FLASH_OP_READ && used == 3 && waits == 0);
        stations_[head.lun][free] = {true, head};
    }
    void leave(bool more)
    {
        for (auto& row : stations_) {
            Place& p = row[random.below(kStations)];
            if (p.used && random.percent(more ? 15 : 60)) {
                p.used = false;
                tag_used_[p.op.tag] = false;
                return;
            }
        }
    }

    Goals& goals_;
    u64 seed_;
    u32 in_use_; ///< stations
    std::deque<Waiting> waiting_;
    Waiting coming_;
    Place stations_[kLuns][kStations];
    bool tag_used_[kTags] = {};
    u32 number_ = 0;
    u32 now_ = 0xfff000; ///< stamp; comes round
    u32 asked_for_ = 0; ///< cycles
    u32 looks_ = 0;     ///< of the head
    bool goes_ = false; ///< it has been shown its row and goes in at the next edge
};

TEST(UnitIntake, FindsForEachHeadWhatItHasToWaitFor)
{
    Goals goals({"all tags inside", "waits for a station", "RESET waits", "RESET goes",
                 "left its station while it was compared", "depends on nothing among others",
                 "depends on one", "depends on three", "goes into an empty LUN",
                 "a read after reads goes at once"});
    for (u64 seed = 0; seed < 30; ++seed) {
        IntakeBench bench(seed, goals);
        for (u32 n = 0; n < 8000 && !testing::Test::HasFailure(); ++n) {
            bench.cycle(n % 2000 < 1500, n % 2000 >= 700 && n % 2000 < 900);
            if (n % 2000 == 1999) {
                for (u32 k = 0; k < 5000 && !bench.empty() && !testing::Test::HasFailure(); ++k) {
                    bench.cycle(false, false);
                }
                EXPECT_TRUE(bench.empty()) << "seed " << seed << " cycle " << n;
            }
        }
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
