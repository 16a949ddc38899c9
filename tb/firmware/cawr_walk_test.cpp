// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the CAWR paper's Fig. 4, and its Algorithm 2 on eight pages, state by state, worked by hand.
#include <algorithm>

#include "tb/firmware/set_rig.h"

namespace tlmssd::tb {
namespace {

class CawrWalk : public testing::Test {
protected:
    void boot(u32 channels, u32 slots, u32 list = 4, u32 any_neighbour = 0)
    {
        fw_config c = small_config(channels);
        c.lines = slots;
        c.buffer_policy = FW_BUFFER_CAWR;
        c.cawr_list = list;
        c.cawr_any_neighbour = any_neighbour;
        rig = std::make_unique<SetRig>(c);
    }
    const cawr* state() const { return static_cast<const cawr*>(rig->f()->buffer->policy_state); }
    /// LPNs, oldest first; `c` behind clean ones, `*` behind those with the cold-flag (in the working list).
    std::string show(const line_list& list) const
    {
        std::string text;
        u32 count = 0;
        for (u32 i = list.oldest; i != FW_NONE; i = state()->links[i].newer, ++count) {
            text += (text.empty() ? "" : " ") + std::to_string(rig->pages[i].lpn);
            text += !rig->pages[i].dirty ? "c" : &list == &state()->working && state()->cold[i] != 0 ? "*" : "";
        }
        EXPECT_EQ(count, list.count);
        return text;
    }
    std::string wl() const { return show(state()->working); }
    std::string ccl() const { return show(state()->cold_clean); }
    std::string cdl(u32 i) const { return show(state()->cold_dirty[i]); }
    std::string cdls() const
    {
        std::string text;
        for (u32 i = 0; i < rig->f()->cfg.channels; ++i) {
            text += (i == 0 ? "" : " | ") + cdl(i);
        }
        return text;
    }
    u32 slot_of(u32 lpn) const
    {
        for (u32 i = 0; i < rig->pages.size(); ++i) {
            if (rig->pages[i].there && rig->pages[i].lpn == lpn) {
                return i;
            }
        }
        return FW_NONE;
    }
    void come(u32 lpn, bool write)
    {
        u32 i = 0;
        while (rig->pages.at(i).there) {
            ++i;
        }
        rig->enter(i, lpn);
        rig->use(i, write);
        rig->idle(i);
    }
    /// Victims, taken at once; `lpn>channel`.
    std::string evict(bool must = true)
    {
        std::string text;
        const std::vector<Leaving> set = rig->victims(must);
        for (const Leaving& l : set) {
            text += (text.empty() ? "" : " ") + std::to_string(rig->pages[l.slot].lpn);
            text += l.channel == FW_NONE ? "" : ">" + std::to_string(l.channel);
        }
        for (const Leaving& l : set) {
            rig->leave(l.slot);
        }
        return text;
    }
    /// As the paper's buffer: victims only where it is full, then the page at the working list's young end.
    std::string access(u32 lpn, bool write)
    {
        const u32 slot = slot_of(lpn);
        if (slot != FW_NONE) {
            rig->use(slot, write);
            rig->idle(slot);
            return "";
        }
        std::string victims;
        if (std::all_of(rig->pages.begin(), rig->pages.end(), [](const SetPage& p) { return p.there; })) {
            victims = evict();
        }
        come(lpn, write);
        return victims;
    }
    std::unique_ptr<SetRig> rig;
};

constexpr u32 kFig4[] = {4, 5, 309, 55, 100, 310, 6, 56, 1002, 7, 20};

/// The lists before the first flush, when only the first n pages are there to be moved.
TEST_F(CawrWalk, Fig4MovesPageByPage)
{
    const char* const rows[] = {"4 |  |  | ",
                                "4 5 |  |  | ",
                                "4 5 | 309 |  | ",
                                "4 5 | 309 | 55 | ",
                                "4 5 | 309 | 55 | 100",
                                "4 5 | 309 310 | 55 | 100",
                                "4 5 6 | 309 310 | 55 | 100",
                                "4 5 6 | 309 310 | 55 56 | 100",
                                "4 5 6 | 309 310 | 55 56 | 100"}; // no list for 1002
    for (u32 n = 1; n <= 9; ++n) {
        boot(4, 16);
        for (u32 i = 0; i < n; ++i) {
            come(kFig4[i], true);
        }
        EXPECT_EQ(rig->victims(false).size(), n < 5 ? 0u : 4u);
        EXPECT_EQ(cdls(), rows[n - 1]);
        EXPECT_EQ(wl(), n < 9 ? "" : "1002*");
    }
}

TEST_F(CawrWalk, Fig4Flushes)
{
    boot(4, 16);
    for (const u32 lpn : kFig4) {
        come(lpn, true);
    }
    EXPECT_EQ(evict(), "4>0 309>1 55>2 100>3");
    EXPECT_EQ(cdls(), "5 6 | 310 | 56 | ");
    EXPECT_EQ(wl(), "1002* 7* 20*");
    EXPECT_EQ(evict(), "5>0 310>1 56>2 1002>3");
    EXPECT_EQ(cdls(), "6 7 |  |  | ");
    EXPECT_EQ(wl(), "20*");
    EXPECT_EQ(evict(false), "") << "two lists are empty and so is the working list: the set can wait";
    EXPECT_EQ(cdls(), "6 7 | 20 |  | ");
    EXPECT_EQ(wl(), "");
    EXPECT_EQ(rig->f()->stats.evicted_sets, 2u);
    EXPECT_EQ(rig->f()->stats.partial_sets, 0u);
    EXPECT_EQ(evict(true), "6>0 20>1") << "as printed, Algorithm 2 finds no victim here";
    EXPECT_EQ(rig->f()->stats.partial_sets, 1u);
    EXPECT_EQ(cdls(), "7 |  |  | ");
}

TEST_F(CawrWalk, AFullListTakesNoMoreOfItsRun)
{
    boot(2, 16);
    for (u32 lpn = 4; lpn < 9; ++lpn) {
        come(lpn, true);
    }
    EXPECT_EQ(rig->victims(false).size(), 2u);
    EXPECT_EQ(cdls(), "4 5 6 7 | 8");
}

TEST_F(CawrWalk, AnyNeighbourJoinsBelowAndInTheMiddle)
{
    for (const u32 any : {0u, 1u}) {
        boot(3, 16, 4, any);
        for (const u32 lpn : {10, 12, 9, 11}) {
            come(lpn, true);
        }
        rig->victims(false);
        // tail + 1: only 11 goes on, behind 10 if that is a tail. any: 9 is beside 10, 11 beside 10 too.
        EXPECT_EQ(cdls(), any != 0 ? "10 9 11 | 12 | " : "10 11 | 12 | 9");
    }
}

/// Two channels, eight pages. `d` of the table is plain here.
TEST_F(CawrWalk, Algorithm2OnEightPages)
{
    boot(2, 8);
    const std::pair<u32, bool> start[] = {{10, true}, {3, false}, {11, true}, {40, true},
                                          {7, false}, {41, true}, {12, true}, {90, true}};
    for (const auto& [lpn, dirty] : start) {
        come(lpn, dirty);
    }
    EXPECT_EQ(wl(), "10 3c 11 40 7c 41 12 90");
    struct Step {
        u32 lpn;
        bool write;
        const char *victims, *wl, *cdl0, *cdl1;
        u32 size;
    };
    const Step steps[] = {
        {200, true, "3", "11 40 7c 41 12 90 10* 200", "", "", 8},
        {201, true, "7", "41 12 90 10* 200 11* 40* 201", "", "", 8},
        {40, false, "", "41 12 90 10* 200 11* 201 40", "", "", 8},
        {13, true, "10>0 41>1", "90* 200* 201* 40* 13", "11 12", "", 7},
        {14, true, "", "90* 200* 201* 40* 13 14", "11 12", "", 8},
        {500, false, "11>0 90>1", "200* 201* 40* 13 14 500c", "12", "", 7},
        {501, false, "", "200* 201* 40* 13 14 500c 501c", "12", "", 8},
        {12, true, "", "200* 201* 40* 13 14 500c 501c 12", "", "", 8},
        {300, true, "500", "501c 12 13* 14* 300", "200 201", "40", 8},
        {600, false, "200>0 40>1", "501c 12 13* 14* 300 600c", "201", "", 7},
        {301, true, "", "501c 12 13* 14* 300 600c 301", "201", "", 8},
    };
    u32 number = 0;
    for (const Step& step : steps) {
        SCOPED_TRACE("step " + std::to_string(++number));
        EXPECT_EQ(access(step.lpn, step.write), step.victims);
        EXPECT_EQ(wl(), step.wl);
        EXPECT_EQ(ccl(), "");
        EXPECT_EQ(cdl(0), step.cdl0);
        EXPECT_EQ(cdl(1), step.cdl1);
        EXPECT_EQ(std::count_if(rig->pages.begin(), rig->pages.end(), [](const SetPage& p) { return p.there; }),
                  step.size);
    }
}

TEST_F(CawrWalk, ACleanPageThatAFlushMadeLeavesItsListForTheCleanOnes)
{
    boot(2, 8);
    for (const u32 lpn : {4, 5, 80}) {
        come(lpn, true);
    }
    EXPECT_EQ(rig->victims(false).size(), 2u);
    EXPECT_EQ(cdls(), "4 5 | 80");
    const u32 five = slot_of(5);
    rig->busy(five); // programmed
    rig->set_dirty(five, false);
    rig->idle(five);
    EXPECT_EQ(cdls(), "4 | 80");
    EXPECT_EQ(ccl(), "5c");
    EXPECT_EQ(evict(), "5");
    EXPECT_EQ(evict(), "4>0 80>1");
    EXPECT_EQ(evict(), "");
}

} // namespace
} // namespace tlmssd::tb
