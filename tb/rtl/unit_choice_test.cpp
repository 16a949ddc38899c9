// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the modules that choose: o3_first, rr_pick, o3_choose, against plain models.
#include <VUnitChoose.h>
#include <VUnitFirst.h>
#include <VUnitFirstOne.h>
#include <VUnitPick.h>
#include <VUnitPickOne.h>

#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

// ---- o3_first: the lowest request; every input ----

TEST(UnitFirst, FindsTheLowestOfEveryPattern)
{
    Dut<VUnitFirst> dut;
    for (u32 requests = 0; requests < 32; ++requests) {
        dut->req_i = static_cast<u8>(requests);
        dut.settle();
        EXPECT_EQ(dut->any_o, requests != 0);
        u32 lowest = 0;
        while (requests != 0 && (requests >> lowest & 1) == 0) {
            ++lowest;
        }
        EXPECT_EQ(dut->idx_o, lowest) << "requests " << requests;
    }
}

TEST(UnitFirst, OneRequestIsAnIndexOfOneBit)
{
    Dut<VUnitFirstOne> dut;
    for (u32 request = 0; request < 2; ++request) {
        dut->req_i = static_cast<u8>(request);
        dut.settle();
        EXPECT_EQ(dut->any_o, request);
        EXPECT_EQ(dut->idx_o, 0);
    }
}

// ---- rr_pick: the first request after the last choice, all round ----

/// The choice among 5 after `last` (-1: none before); -1: there is no request.
int next_after(u32 requests, int last)
{
    for (int step = 1; step <= 5; ++step) {
        const int i = (last + step) % 5;
        if (requests >> i & 1) {
            return i;
        }
    }
    return -1;
}

// All 32 requests after each of the 6 histories.
TEST(UnitPick, GoesRoundFromEveryLastChoice)
{
    for (int last = -1; last < 5; ++last) {
        for (u32 requests = 0; requests < 32; ++requests) {
            Dut<VUnitPick> dut;
            dut->after_i = 0;
            if (last >= 0) { // the history: a single request
                dut->req_i = static_cast<u8>(1u << last);
                dut.settle();
                ASSERT_EQ(dut->idx_o, last);
                dut->after_i = dut->after_o;
            }
            const u32 mask = dut->after_i;
            dut->req_i = static_cast<u8>(requests);
            dut.settle();
            const int expected = next_after(requests, last);
            EXPECT_EQ(dut->any_o, expected >= 0);
            if (expected >= 0) {
                EXPECT_EQ(dut->idx_o, expected) << "requests " << requests << " after " << last;
            } else {
                EXPECT_EQ(dut->after_o, mask) << "nothing chosen: the history stays";
            }
        }
    }
}

TEST(UnitPick, RandomHistoriesStarveNobody)
{
    Goals goals({"wraps round", "the only one again", "all five ask", "nobody asks",
                 "waited for all the others"});
    for (u64 seed = 0; seed < 4; ++seed) {
        Random random(seed);
        Dut<VUnitPick> dut;
        dut->after_i = 0;
        int last = -1;
        u32 requests = 0;
        u32 waited[5] = {};
        for (u32 n = 0; n < 3000; ++n) {
            requests |= random.below(32) & random.below(32); // a request stands until it is served
            dut->req_i = static_cast<u8>(requests);
            dut.settle();
            const int expected = next_after(requests, last);
            ASSERT_EQ(dut->any_o, expected >= 0);
            goals.see("nobody asks", requests == 0);
            goals.see("all five ask", requests == 31);
            if (expected < 0) {
                continue;
            }
            ASSERT_EQ(dut->idx_o, expected);
            goals.see("wraps round", expected < last);
            goals.see("the only one again", expected == last && requests == 1u << last);
            for (int i = 0; i < 5; ++i) {
                waited[i] = i != expected && (requests >> i & 1) ? waited[i] + 1 : 0;
                ASSERT_LE(waited[i], 4u) << "served after each other one once at most";
                goals.see("waited for all the others", waited[i] == 4);
            }
            requests &= ~(1u << expected);
            last = expected;
            dut->after_i = dut->after_o;
        }
    }
    goals.expect_met();
}

TEST(UnitPick, OneRequesterIsAlwaysChosen)
{
    Dut<VUnitPickOne> dut;
    dut->after_i = 0;
    for (u32 n = 0; n < 8; ++n) {
        dut->req_i = n % 3 != 0;
        dut.settle();
        EXPECT_EQ(dut->any_o, n % 3 != 0);
        EXPECT_EQ(dut->idx_o, 0);
        dut->after_i = dut->after_o;
    }
    dut->after_i = 1; // no choice leaves such a mask
    for (const bool asks : {false, true}) {
        dut->req_i = asks;
        dut.settle();
        EXPECT_EQ(dut->any_o != 0, asks);
        EXPECT_EQ(dut->idx_o, 0);
    }
}

// ---- o3_choose: docs/explanation/o3.md, "The rule inside a LUN" ----

struct Station {
    bool used = false;
    bool closed = false;
    u32 waits = 0; ///< bit s: depends on station s
    u32 order = 0; ///< of coming in; distinct
    u32 priority = 0;
    bool pending = false; ///< works, or is suspended
    bool passes = true; ///< no such one in the LUN; or a read of the least priority or more
    bool may() const { return used && !closed && waits == 0 && (pending || passes); }
    int urgency() const { return pending ? -1 : static_cast<int>(priority); }
};

constexpr u32 kStations = 4;

/// One hot; 0: none may go. `by_priority`: the most urgent, of equal ones the oldest.
u32 chosen(const Station (&stations)[kStations], bool by_priority)
{
    int best = -1;
    for (int s = 0; s < int(kStations); ++s) {
        const Station& a = stations[s];
        if (!a.may()) {
            continue;
        }
        if (best < 0) {
            best = s;
            continue;
        }
        const Station& b = stations[best];
        const bool more = by_priority && a.urgency() != b.urgency() ? a.urgency() > b.urgency()
                                                                    : a.order < b.order;
        if (more) {
            best = s;
        }
    }
    return best < 0 ? 0 : 1u << best;
}

TEST(UnitChoose, FollowsTheRuleForRandomStations)
{
    Goals goals({"none may go", "all may go", "the oldest waits for another", "the oldest is closed",
                 "a younger one is more urgent", "equal priorities", "chosen of priority 0",
                 "chosen of priority 1", "chosen of priority 2", "chosen of priority 3",
                 "an unused station holds old bits", "a read passes what works",
                 "what works is the oldest", "what works is all that may", "not a read",
                 "a read that is not urgent enough"});
    for (u64 seed = 0; seed < 4; ++seed) {
        Random random(seed);
        Dut<VUnitChoose> dut;
        for (u32 n = 0; n < 4000; ++n) {
            Station stations[kStations];
            u32 order[kStations] = {0, 1, 2, 3};
            for (u32 i = kStations - 1; i > 0; --i) {
                std::swap(order[i], order[random.below(i + 1)]);
            }
            u32 used = 0, closed = 0, waits = 0, older = 0, prio = 0;
            for (u32 s = 0; s < kStations; ++s) {
                Station& a = stations[s];
                a.used = random.percent(75);
                a.closed = random.percent(20);
                a.order = order[s];
                a.priority = random.below(4);
                used |= a.used << s;
                closed |= a.closed << s;
                prio |= a.priority << (2 * s);
            }
            // The LUN works at one of them, which depends on nothing and is open (it was issued).
            const bool works = random.percent(40);
            const u32 least = random.below(4);
            u32 reads = random.below(16), pending = 0;
            if (works) {
                const u32 k = random.below(kStations);
                stations[k].used = stations[k].pending = true;
                stations[k].closed = false;
                pending = 1u << k;
                used |= pending;
                closed &= ~pending;
                reads &= ~pending;
            }
            for (u32 s = 0; s < kStations; ++s) {
                Station& a = stations[s];
                const bool read = reads >> s & 1;
                a.passes = !works || (read && a.priority >= least);
                goals.see("not a read", a.used && works && !a.pending && !read);
                goals.see("a read that is not urgent enough", a.used && works && read && !a.passes);
            }
            Station* oldest = nullptr;
            for (u32 s = 0; s < kStations; ++s) {
                Station& a = stations[s];
                u32 before = 0;
                for (u32 t = 0; t < kStations; ++t) {
                    before |= u32{stations[t].used && stations[t].order < a.order} << t;
                }
                a.waits = !a.pending && random.percent(40) ? before & random.below(16) : 0;
                if (!a.used) { // what the last operation has left there
                    a.waits = random.below(16);
                    before = random.below(16);
                    goals.see("an unused station holds old bits", a.waits != 0);
                } else if (oldest == nullptr || a.order < oldest->order) {
                    oldest = &a;
                }
                waits |= a.waits << (kStations * s);
                older |= before << (kStations * s);
            }
            dut->en_i = 1;
            dut->used_i = static_cast<u8>(used);
            dut->closed_i = static_cast<u8>(closed);
            dut->waits_i = static_cast<u16>(waits);
            dut->older_i = static_cast<u16>(older);
            dut->prio_i = static_cast<u8>(prio);
            dut->reads_only_i = works;
            dut->pending_i = static_cast<u8>(pending);
            dut->reads_i = static_cast<u8>(reads);
            dut->least_i = static_cast<u8>(least);
            dut.settle();
            const u32 by_age = chosen(stations, false);
            const u32 by_priority = chosen(stations, true);
            ASSERT_EQ(dut->any_o, by_age != 0);
            ASSERT_EQ(dut->oldest_o, by_age);
            ASSERT_EQ(dut->first_o, by_priority);
            u32 may = 0;
            for (const Station& a : stations) {
                may += a.may();
                goals.see("equal priorities", a.may() && by_priority == by_age && may > 1);
            }
            goals.see("a read passes what works", works && by_priority != pending && by_age == pending);
            goals.see("what works is the oldest", works && by_age == pending && may > 1);
            goals.see("what works is all that may", works && by_priority == pending);
            goals.see("none may go", may == 0);
            goals.see("all may go", may == kStations);
            goals.see("the oldest is closed", oldest != nullptr && oldest->closed && may != 0);
            goals.see("the oldest waits for another", may != 0 && [&] {
                for (const Station& a : stations) {
                    if (a.used && !a.may() && !a.closed) {
                        return true;
                    }
                }
                return false;
            }());
            goals.see("a younger one is more urgent", by_priority != by_age);
            for (u32 s = 0; s < kStations; ++s) {
                if (by_priority == 1u << s) {
                    goals.see("chosen of priority " + std::to_string(stations[s].priority));
                }
            }
            dut->en_i = 0;
            dut.settle();
            ASSERT_EQ(dut->any_o | dut->oldest_o | dut->first_o, 0) << "not asked";
        }
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
