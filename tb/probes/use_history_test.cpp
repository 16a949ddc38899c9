// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the use that took most of a wait: by hand, and against a sum over all uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "models/probes/stages/use_history.h"

namespace tlmssd::probes {
namespace {

Picoseconds ps(u64 t) { return Picoseconds(t); }

TEST(UseHistory, NamesTheUseThatTookMostOfTheWait)
{
    UseHistory history;
    history.add(ps(100), ps(130), Use::HostRead);
    history.add(ps(130), ps(170), Use::GcErase);
    history.add(ps(180), ps(200), Use::HostRead);
    EXPECT_EQ(history.most(ps(100), ps(200)), Use::HostRead);  // 50 of 100, GcErase 40, free 10
    EXPECT_EQ(history.most(ps(125), ps(200)), Use::GcErase);   // 40 of 75, HostRead 25
    EXPECT_EQ(history.most(ps(100), ps(150)), Use::HostRead);  // 30 of 50, GcErase 20
    EXPECT_EQ(history.most(ps(0), ps(150)), Use::Free);        // 100 of 150
    EXPECT_EQ(history.most(ps(200), ps(300)), Use::Free);
}

TEST(UseHistory, NamesTheFirstOfEquals)
{
    UseHistory history;
    history.add(ps(0), ps(10), Use::GcErase);
    history.add(ps(10), ps(20), Use::GcRead);
    EXPECT_EQ(history.most(ps(0), ps(20)), Use::GcRead);
    EXPECT_EQ(history.most(ps(0), ps(30)), Use::GcRead); // and free: 10 each
}

TEST(UseHistory, KnowsNothingOfUsesBeforeTheLastSixteen)
{
    UseHistory history;
    for (u64 i = 0; i < 17; ++i) {
        history.add(ps(10 * i), ps(10 * i + 10), Use::HostRead);
    }
    EXPECT_EQ(history.most(ps(0), ps(170)), Use::HostRead); // 160 of 170: the first one is forgotten
    history.add(ps(170), ps(180), Use::Other);
    EXPECT_EQ(history.most(ps(0), ps(180)), Use::HostRead); // 150 of 180
    history.add(ps(1000), ps(1001), Use::Other);
    EXPECT_EQ(history.most(ps(0), ps(1001)), Use::Free); // 1001 - 140 - 11
}

// Every wait, with its end before and after the last use, agrees with the sum over the last 16 uses.
TEST(UseHistory, AgreesWithASumOverTheUses)
{
    struct Seen {
        u64 from, to;
        Use use;
    };
    std::mt19937_64 random(7);
    const auto below = [&random](u64 n) { return random() % n; };
    UseHistory history;
    std::vector<Seen> seen;
    u64 now = 0;
    for (int turn = 0; turn < 20000; ++turn) {
        const u64 from = now + below(3) * below(20);
        now = from + below(4) * below(30); // some of no length
        const Use use = static_cast<Use>(below(kUses - 1));
        history.add(ps(from), ps(now), use);
        seen.push_back({from, now, use});
        const u64 begin = now < 600 ? 0 : now - below(600);
        const u64 end = begin + 1 + below(700);
        std::array<u64, kUses> times{};
        u64 used = 0;
        for (std::size_t i = seen.size() < 16 ? 0 : seen.size() - 16; i < seen.size(); ++i) {
            const u64 a = std::max(seen[i].from, begin), b = std::min(seen[i].to, end);
            times[static_cast<std::size_t>(seen[i].use)] += a < b ? b - a : 0;
            used += a < b ? b - a : 0;
        }
        times[static_cast<std::size_t>(Use::Free)] = end - begin - used;
        const auto most = static_cast<Use>(std::max_element(times.begin(), times.end()) - times.begin());
        ASSERT_EQ(history.most(ps(begin), ps(end)), most) << "turn " << turn << ", [" << begin << ", " << end << ")";
    }
}

} // namespace
} // namespace tlmssd::probes
