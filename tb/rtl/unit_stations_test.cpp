// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_stations beside a list of operations for each of two LUNs: what may go, what goes, what is
// left. Suspended operations included; commands, fences and dependencies are random.
#include <algorithm>
#include <set>
#include <vector>

#include <VUnitStations.h>

#include "firmware/hal/flash_op.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kLuns = 2;
constexpr u32 kStations = 4;
constexpr u32 kTags = 16;
constexpr u32 kLeast = 1;    // priority of a read that suspends
constexpr u32 kAgeLimit = 40; // stamps
constexpr u32 kStampMask = 0xffffff; // they come round

struct Waiting {
    u32 tag, opcode, priority, last, since;
    bool suspendable, closed;
    std::set<u32> behind; // tags
};

/// The operations in the stations of one LUN, oldest first.
struct Row {
    std::vector<Waiting> ops;
    int pending = -1; ///< tag of the operation under way that keeps its station
    u32 suspensions = 0;
    bool busy = false, suspended = false;

    bool may(const Waiting& w) const
    {
        const bool read = w.opcode == FLASH_OP_READ && w.priority >= kLeast;
        return !w.closed && w.behind.empty() &&
               (!(busy || suspended) || static_cast<int>(w.tag) == pending || read);
    }
    /// docs/explanation/o3.md: the oldest if it is due; else the most urgent, the pending one behind all.
    const Waiting* choice(u32 now) const
    {
        const Waiting* oldest = nullptr;
        const Waiting* best = nullptr;
        for (const Waiting& w : ops) {
            if (!may(w)) {
                continue;
            }
            oldest = oldest != nullptr ? oldest : &w;
            const auto rank = [this](const Waiting& x) {
                return static_cast<int>(x.tag) == pending ? -1 : static_cast<int>(x.priority);
            };
            best = best == nullptr || rank(w) > rank(*best) ? &w : best;
        }
        return oldest != nullptr && ((now - oldest->since) & kStampMask) >= kAgeLimit ? oldest : best;
    }
    void leave(u32 tag)
    {
        ops.erase(std::find_if(ops.begin(), ops.end(), [tag](const Waiting& w) { return w.tag == tag; }));
        for (Waiting& w : ops) {
            w.behind.erase(tag);
        }
    }
};

class StationsBench {
public:
    StationsBench(u64 seed, Goals& goals)
        : random_(seed), goals_(goals), suspends_(seed % 4 == 3 ? 15 : 1),
          now_(seed % 2 == 0 ? random_.below(kStampMask) : kStampMask - 2000)
    {
        dut_->stations_i = (1u << kStations) - 1;
        dut_->age_limit_i = kAgeLimit;
        dut_->suspends_i = static_cast<u8>(suspends_);
        dut_->suspend_priority_i = kLeast;
        dut_->now_i = now_;
        idle();
        dut_.reset();
    }
    /// An event: the row is read, a look goes by its steps, what has become of the row is written.
    void event()
    {
        const Waiting coming = come();
        now_ = (now_ + random_.below(3)) & kStampMask;
        dut_->now_i = now_;
        lun_ = random_.below(kLuns);
        Row& row = rows_[lun_];
        dut_->lun_i = static_cast<u8>(lun_);
        dut_->any_i = !row.ops.empty();
        dut_->pending_i = row.pending >= 0;
        dut_->read_i = 1;
        dut_.edge();
        dut_->read_i = 0;
        dut_->any_i = dut_->pending_i = random_.percent(50); // looked at with read_i alone
        const u32 what = random_.below(10);
        if (what < 4 && row.ops.size() < kStations) {
            enter(row, coming);
        } else if (what < 5) {
            open(row);
        } else if (what < 6 && row.pending >= 0 && row.busy && random_.percent(40)) {
            dut_->leave_i = 1; // it has ended
            row.leave(static_cast<u32>(row.pending));
            row.pending = -1;
            row.busy = false;
            goals_.see("the pending one ends");
        } else {
            look(row);
        }
        dut_->decide_i = 1;
        dut_.settle();
        const bool keeps = dut_->keep_o;
        EXPECT_FALSE(!dut_->request_i && (dut_->go_o || dut_->stop_o || dut_->on_o)) << "it was not asked";
        dut_.edge();
        dut_->decide_i = 0;
        dut_->commit_i = 1;
        dut_.settle();
        if (dut_->write_o) {
            EXPECT_EQ(dut_->empty_o, row.ops.empty());
            EXPECT_EQ(dut_->full_o, row.ops.size() == kStations);
        }
        if (dut_->write_o || keeps) {
            EXPECT_EQ(dut_->more_o, row.ops.size() > (row.pending >= 0 ? 1u : 0u));
        }
        dut_.edge();
        idle();
    }
    u32 now() const { return now_; }

private:
    void idle()
    {
        dut_->read_i = dut_->choose_i = dut_->age_i = dut_->compare_i = dut_->decide_i = dut_->commit_i = 0;
        dut_->request_i = dut_->leave_i = dut_->in_i = dut_->open_i = 0;
        dut_->busy_i = dut_->work_i = dut_->susp_i = dut_->lost_i = 0;
    }
    bool inside(u32 tag) const
    {
        return std::any_of(std::begin(rows_), std::end(rows_), [&](const Row& row) {
            return std::any_of(row.ops.begin(), row.ops.end(),
                               [&](const Waiting& x) { return x.tag == tag; });
        });
    }
    /// An operation comes to the channel: its age begins, which may be cycles before it goes in.
    Waiting come()
    {
        Waiting w{};
        do {
            w.tag = random_.below(kTags);
        } while (inside(w.tag));
        w.since = now_;
        return w;
    }
    void enter(Row& row, Waiting w)
    {
        w.opcode = FLASH_OP_READ + random_.below(3);
        w.priority = random_.below(4);
        w.last = random_.below(4);
        w.suspendable = w.opcode != FLASH_OP_READ && random_.percent(60);
        w.closed = random_.percent(15);
        dut_.settle();
        u32 waits = 0, used = 0;
        for (u32 s = 0; s < kStations; ++s) {
            if (dut_->used_o >> s & 1) {
                ++used;
                if (random_.percent(20)) {
                    waits |= 1u << s;
                    w.behind.insert(dut_->tags_o >> (4 * s) & 15);
                }
            }
        }
        ASSERT_EQ(used, row.ops.size());
        dut_->in_i = 1;
        dut_->in_tag_i = static_cast<u8>(w.tag);
        dut_->in_opc_i = static_cast<u8>(w.opcode);
        dut_->in_prio_i = static_cast<u8>(w.priority);
        dut_->in_last_i = static_cast<u8>(w.last);
        dut_->in_susp_i = w.suspendable;
        dut_->in_since_i = w.since;
        dut_->in_open_i = !w.closed;
        dut_->in_waits_i = static_cast<u8>(waits);
        row.ops.push_back(w);
        goals_.see("all stations in use", row.ops.size() == kStations);
    }
    void open(Row& row)
    {
        for (Waiting& w : row.ops) {
            if (w.closed) {
                dut_->open_i = 1;
                dut_->open_tag_i = static_cast<u8>(w.tag);
                w.closed = false;
                goals_.see("a fence opens");
                return;
            }
        }
    }
    void look(Row& row)
    {
        dut_->request_i = 1;
        dut_->busy_i = row.busy;
        dut_->work_i = row.busy && random_.percent(80); // else it may not be suspended yet
        dut_->susp_i = row.suspended;
        dut_->lost_i = random_.percent(5);
        dut_->choose_i = 1;
        dut_.settle();
        ASSERT_EQ(dut_->single_o != 0, row.ops.size() <= 1);
        dut_.edge();
        dut_->choose_i = 0;
        if (row.ops.size() > 1) {
            dut_->age_i = 1;
            dut_.edge();
            dut_->age_i = 0;
            dut_->compare_i = 1;
            dut_.edge();
            dut_->compare_i = 0;
        }
        dut_->decide_i = 1;
        dut_.settle();
        const Waiting* const w = dut_->busy_i && !dut_->work_i ? nullptr : row.choice(now_);
        const Waiting* const later = row.choice(now_);
        goals_.see("a read waits until it may suspend",
                   w == nullptr && later != nullptr && static_cast<int>(later->tag) != row.pending);
        const bool pending = w != nullptr && static_cast<int>(w->tag) == row.pending;
        const bool go = w != nullptr && !row.busy && !pending;
        const bool stop = w != nullptr && row.busy && !pending && row.suspensions < suspends_;
        const bool on = w != nullptr && !row.busy && pending;
        ASSERT_EQ(dut_->go_o, go);
        ASSERT_EQ(dut_->stop_o, stop);
        ASSERT_EQ(dut_->on_o, on);
        ASSERT_EQ(dut_->keep_o, go && w->suspendable && !dut_->lost_i);
        goals_.see("nobody may go", later == nullptr && !row.ops.empty());
        goals_.see("suspended often enough", w != nullptr && row.busy && !pending && !stop);
        if (!(go || stop || on)) {
            return;
        }
        const u32 tag = stop ? static_cast<u32>(row.pending) : w->tag;
        const Waiting& told = *std::find_if(row.ops.begin(), row.ops.end(),
                                            [tag](const Waiting& x) { return x.tag == tag; });
        EXPECT_EQ(dut_->tag_o, told.tag);
        EXPECT_EQ(dut_->opc_o, told.opcode);
        EXPECT_EQ(dut_->last_o, told.last);
        goals_.see("overtakes an older one", go && row.ops.front().tag != tag);
        goals_.see("goes by age", ((now_ - w->since) & kStampMask) >= kAgeLimit);
        goals_.see("a read goes beside a suspended one", go && row.suspended);
        if (stop) {
            row.busy = false;
            row.suspended = true;
            ++row.suspensions;
            goals_.see("is suspended");
        } else if (on) {
            row.busy = true;
            row.suspended = false;
            goals_.see("is resumed");
        } else if (dut_->keep_o) {
            row.pending = static_cast<int>(tag);
            row.busy = true;
            row.suspensions = 0;
        } else {
            row.leave(tag);
        }
    }

    Random random_;
    Goals& goals_;
    u32 suspends_; ///< of one operation at most
    ClockedDut<VUnitStations> dut_;
    Row rows_[kLuns];
    u32 now_; ///< stamp
    u32 lun_ = 0;
};

TEST(UnitStations, ChooseKeepAndLetGoAsTheModelDoes)
{
    Goals goals({"all stations in use", "a fence opens", "the pending one ends", "nobody may go",
                 "suspended often enough", "overtakes an older one", "goes by age",
                 "a read goes beside a suspended one", "is suspended", "is resumed",
                 "a read waits until it may suspend"});
    for (u64 seed = 0; seed < 8; ++seed) {
        StationsBench bench(seed, goals);
        for (u32 n = 0; n < 4000 && !testing::Test::HasFailure(); ++n) {
            bench.event();
        }
        EXPECT_TRUE(seed % 2 == 0 || bench.now() < kStampMask - 2000) << "stamps come round";
    }
    goals.expect_met(20);
}

} // namespace
} // namespace tlmssd::tb
