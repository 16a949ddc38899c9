// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: policies that evict in sets against slow and obvious models of them: random pages come, are used,
// become dirty or clean, idle or busy, and leave; both name the same set each time.
#include <cstdlib>
#include <list>

#include "models/common/hash.h"
#include "tb/firmware/set_rig.h"
#include "tb/firmware/storm.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kSlots = 48;
constexpr u32 kChannels = 4;
constexpr u32 kTurns = 2; ///< LPNs of a slot: no page is in two slots

fw_config config_of(u32 policy, u32 over = FW_BUFFER_CCF_LRU, u32 neighbours = 0)
{
    fw_config c = small_config(kChannels);
    c.slots = kSlots;
    c.buffer_policy = policy;
    (policy == FW_BUFFER_CAWR_BLOCK ? c.cawr_over : c.cave_over) = over;
    c.cawr_any_neighbour = neighbours;
    c.clean_window = 11;
    return c;
}

using Set = std::vector<Leaving>;
using Pages = std::vector<SetPage>;

/// What a policy is told, and what it answers. `pages` is as before the call.
class Slow {
public:
    virtual ~Slow() = default;
    virtual void enter(u32, u32) {}
    virtual void use(u32, bool) {}
    virtual void idle(u32) {}
    virtual void busy(u32) {}
    virtual void leave(u32) {}
    virtual void set_dirty(u32, bool) {}
    virtual Set victims(const Pages& pages, bool must) = 0;
};

/// Dirty idle pages in one list.
class SlowGating : public Slow {
    void idle(u32 slot) override { order_.push_back(slot); }
    void busy(u32 slot) override { order_.remove(slot); }
    Set victims(const Pages&, bool must) override
    {
        Set set;
        if (order_.size() >= kChannels || must) {
            for (const u32 slot : order_) {
                if (set.size() < kChannels) {
                    set.push_back({slot, turn_++ % kChannels});
                }
            }
        }
        return set;
    }
    std::list<u32> order_;
    u32 turn_ = 0;
};

/// The other policy alone (which has its own model in policy_test.cpp), and a list of what was put aside.
class SlowCave : public Slow {
public:
    explicit SlowCave(u32 over) : over_(config_of(over)) {}
    void enter(u32 slot, u32 lpn) override { over_.enter(slot, lpn); }
    void use(u32 slot, bool write) override { over_.use(slot, write); }
    void idle(u32 slot) override
    {
        aside_.remove(slot);
        over_.idle(slot);
    }
    void busy(u32 slot) override
    {
        over_.busy(slot);
        aside_.remove(slot);
    }
    void leave(u32 slot) override { over_.leave(slot); }
    void set_dirty(u32 slot, bool dirty) override { over_.set_dirty(slot, dirty); }
    Set victims(const Pages& pages, bool must) override
    {
        for (;;) {
            if (aside_.size() == kChannels) {
                break;
            }
            const Set one = over_.victims(false);
            if (one.empty()) {
                if (!must) {
                    return {};
                }
                break;
            }
            if (!pages[one[0].slot].dirty) {
                return one;
            }
            over_.busy(one[0].slot);
            aside_.push_back(one[0].slot);
        }
        Set set;
        for (const u32 slot : aside_) {
            set.push_back({slot, turn_++ % kChannels});
        }
        return set;
    }

private:
    SetRig over_;
    std::list<u32> aside_;
    u32 turn_ = 0;
};

/// A block-level policy alone, and what it gave up: blocks of pages on their way out. `fixed`: at most one at
/// each of the channels, which stays its own; else in a row, and the channels have their turns.
class SlowClusters : public Slow {
public:
    SlowClusters(u32 over, bool fixed) : over_(config_of(over)), fixed_(fixed), blocks_(fixed ? kChannels : 0) {}
    void enter(u32 slot, u32 lpn) override { over_.enter(slot, lpn); }
    void use(u32 slot, bool write) override { over_.use(slot, write); }
    void idle(u32 slot) override
    {
        remove(slot);
        over_.idle(slot);
    }
    void busy(u32 slot) override
    {
        over_.busy(slot);
        remove(slot);
    }
    void leave(u32 slot) override { over_.leave(slot); }
    void set_dirty(u32 slot, bool dirty) override { over_.set_dirty(slot, dirty); }
    Set victims(const Pages& pages, bool must) override
    {
        const auto block = [&](u32 slot) { return pages[slot].lpn / kBlock; };
        for (bool blocked = false; !blocked;) {
            if (!stray_.empty()) { // the page of a block that did not come in yet
                const u32 slot = stray_.front();
                const auto its = [&](const std::list<u32>& b) { return !b.empty() && block(b.front()) == block(slot); };
                auto to = std::find_if(blocks_.begin(), blocks_.end(), its);
                if (to == blocks_.end() && fixed_) {
                    to = std::find_if(blocks_.begin(), blocks_.end(), [](const auto& b) { return b.empty(); });
                } else if (to == blocks_.end() && blocks_.size() < kChannels) {
                    to = blocks_.insert(blocks_.end(), std::list<u32>{});
                }
                blocked = to == blocks_.end();
                if (!blocked) {
                    to->push_back(slot);
                    stray_.clear();
                }
                continue;
            }
            const Set one = over_.victims(false);
            if (one.empty()) {
                break;
            }
            if (!pages[one[0].slot].dirty) {
                return one;
            }
            over_.busy(one[0].slot);
            stray_.push_back(one[0].slot);
        }
        Set set;
        u32 turn = turn_;
        for (u32 i = 0; i < blocks_.size(); ++i) {
            if (!blocks_[i].empty()) {
                set.push_back({blocks_[i].front(), fixed_ ? i : turn++ % kChannels});
            }
        }
        if (set.size() < kChannels && !must) {
            return {};
        }
        turn_ = turn;
        return set;
    }

private:
    static constexpr u32 kBlock = 4; // of small_config()
    void remove(u32 slot)
    {
        stray_.remove(slot);
        for (std::list<u32>& b : blocks_) {
            b.remove(slot);
        }
        if (!fixed_) {
            blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), [](const auto& b) { return b.empty(); }),
                          blocks_.end());
        }
    }
    SetRig over_;
    bool fixed_;
    std::vector<std::list<u32>> blocks_;
    std::list<u32> stray_;
    u32 turn_ = 0;
};

/// Algorithms 1 and 2 line by line.
class SlowCawr : public Slow {
public:
    explicit SlowCawr(bool neighbours) : neighbours_(neighbours) {}
    void enter(u32 slot, u32 lpn) override
    {
        lpn_[slot] = lpn;
        use(slot, false);
    }
    void use(u32 slot, bool) override
    {
        remove(slot);
        flagged_.erase(slot);
        wl_.push_back(slot);
    }
    void idle(u32 slot) override
    {
        if (std::find(wl_.begin(), wl_.end(), slot) == wl_.end()) {
            dirty_.count(slot) != 0 ? use(slot, false) : ccl_.push_back(slot);
        }
    }
    void busy(u32 slot) override
    {
        ccl_.remove(slot);
        for (std::list<u32>& cdl : cdls_) {
            cdl.remove(slot);
        }
    }
    void leave(u32 slot) override { remove(slot); }
    void set_dirty(u32 slot, bool dirty) override
    {
        dirty ? (void)dirty_.insert(slot) : (void)dirty_.erase(slot);
    }
    Set victims(const Pages& pages, bool must) override
    {
        const auto end_of_wl = [&] {
            for (const u32 slot : wl_) {
                if (pages[slot].idle) {
                    return slot;
                }
            }
            return u32{FW_NONE};
        };
        while (true) {                                    // 4
            if (!ccl_.empty()) {                          // 5
                return {{ccl_.front(), FW_NONE}};         // 6
            }
            Set set;
            for (u32 i = 0; i < kChannels; ++i) {         // 9
                if (!cdls_[i].empty()) {
                    set.push_back({cdls_[i].front(), i}); // 10
                }
            }
            if (set.size() == kChannels) {                // 8
                return set;                               // 12
            }
            u32 item = end_of_wl();                       // 14
            if (item == FW_NONE) {                        // the hole: nothing left to move
                return must ? set : Set{};
            }
            while (item != FW_NONE && pages[item].dirty) { // 15
                if (flagged_.count(item) != 0) {          // 16
                    if (!to_cdls(item)) {                 // 17
                        break;                            // 18
                    }
                } else {
                    flagged_.insert(item);                // 21
                    wl_.remove(item);                     // 22
                    wl_.push_back(item);
                }
                item = end_of_wl();                       // 24
            }
            if (item != FW_NONE && !pages[item].dirty) {  // 26
                wl_.remove(item);                         // 27
                ccl_.push_back(item);                     // 28
            }
        }
    }

private:
    void remove(u32 slot)
    {
        busy(slot);
        wl_.remove(slot);
    }
    bool is_sequence(u32 item, const std::list<u32>& cdl)
    {
        if (!neighbours_) {
            return lpn_[item] == lpn_[cdl.back()] + 1;
        }
        return std::any_of(cdl.begin(), cdl.end(), [&](u32 other) {
            return lpn_[item] == lpn_[other] + 1 || lpn_[other] == lpn_[item] + 1;
        });
    }
    bool to_cdls(u32 item)
    {
        for (std::list<u32>& cdl : cdls_) {
            if (!cdl.empty() && cdl.size() < 4 && is_sequence(item, cdl)) {
                wl_.remove(item);
                cdl.push_back(item);
                return true;
            }
        }
        for (std::list<u32>& cdl : cdls_) {
            if (cdl.empty()) {
                wl_.remove(item);
                cdl.push_back(item);
                return true;
            }
        }
        return false;
    }
    bool neighbours_;
    std::list<u32> wl_, ccl_, cdls_[kChannels];
    std::set<u32> flagged_, dirty_;
    u32 lpn_[kSlots] = {};
};

struct Case {
    u32 policy, over, neighbours;
};

std::unique_ptr<Slow> slow(const Case& c)
{
    switch (c.policy) {
    case FW_BUFFER_GATING:
        return std::make_unique<SlowGating>();
    case FW_BUFFER_CAVE:
        if (c.over == FW_BUFFER_FAB || c.over == FW_BUFFER_BPLRU || c.over == FW_BUFFER_CLC) {
            return std::make_unique<SlowClusters>(c.over, false);
        }
        return std::make_unique<SlowCave>(c.over);
    case FW_BUFFER_CAWR_BLOCK:
        return std::make_unique<SlowClusters>(c.over, true);
    case FW_BUFFER_CAWR:
        return std::make_unique<SlowCawr>(c.neighbours != 0);
    default:
        throw std::logic_error("a policy without a model: write one");
    }
}

class SetPolicy : public testing::TestWithParam<Case> {
protected:
    SetPolicy()
        : rig(config_of(GetParam().policy, GetParam().over, GetParam().neighbours)), model(slow(GetParam()))
    {
    }
    void use(u32 i, bool write)
    {
        busy(i);
        rig.use(i, write);
        model->use(i, write);
        model->set_dirty(i, rig.pages[i].dirty);
    }
    void set_dirty(u32 i, bool dirty)
    {
        rig.set_dirty(i, dirty);
        model->set_dirty(i, dirty);
    }
    void busy(u32 i)
    {
        rig.busy(i);
        model->busy(i);
    }
    void leave(u32 i)
    {
        rig.leave(i);
        model->busy(i);
        model->leave(i);
        model->set_dirty(i, false);
    }
    void settle(u32 i)
    {
        if (rig.ops()->retain || rig.pages[i].dirty) {
            rig.idle(i);
            model->idle(i);
        } else {
            leave(i);
        }
    }
    SetRig rig;
    std::unique_ptr<Slow> model;
};

TEST_P(SetPolicy, NamesTheSetsOfItsObviousModel)
{
    const char* form = std::getenv("TLMSSD_TEST_LONG");
    const u32 steps = form != nullptr && std::string(form) == "1" ? 2'000'000 : 200'000;
    u64 full = 0;
    u64 partial = 0;
    u64 clean = 0;
    for (u32 i = 0; i < steps && !HasFailure(); ++i) {
        const auto draw = [&](u64 stream, u32 below) {
            return static_cast<u32>(draw_below(draw64(GetParam().policy, stream, i), below));
        };
        const u32 slot = draw(0, 4) == 0 ? draw(1, 8) : draw(1, kSlots); // some are used more
        const SetPage& p = rig.pages[slot];
        if (!p.there) {
            const u32 lpn = slot + kSlots * draw(5, kTurns);
            rig.enter(slot, lpn);
            model->enter(slot, lpn);
            use(slot, draw(2, 3) != 0);
            continue;
        }
        switch (draw(3, 8)) {
        case 0:
            use(slot, draw(2, 3) == 0);
            break;
        case 1: // a request or a FLUSH begins with a page that nobody uses, or that was put aside
            busy(slot);
            break;
        case 2:
            if (!p.idle) {
                busy(slot);
                draw(2, 2) == 0 ? set_dirty(slot, false) : leave(slot); // written back, or trimmed
            }
            break;
        case 3: {
            const bool must = draw(4, 8) == 0;
            const Pages before = rig.pages;
            const Set set = rig.victims(must);
            ASSERT_EQ(set, model->victims(before, must)) << "step " << i;
            std::set<u32> slots;
            std::set<u32> channels;
            for (const Leaving& l : set) {
                ASSERT_TRUE(before[l.slot].there);
                slots.insert(l.slot);
                channels.insert(l.channel);
                ASSERT_EQ(before[l.slot].dirty, l.channel != FW_NONE);
            }
            ASSERT_EQ(slots.size(), set.size());
            ASSERT_EQ(channels.size(), set.size()) << "two pages for a channel";
            if (!set.empty()) {
                ++(channels.count(FW_NONE) != 0 ? clean : set.size() == kChannels ? full : partial);
            }
            ASSERT_TRUE(must || set.empty() || channels.count(FW_NONE) != 0 || set.size() == kChannels);
            for (const Leaving& l : set) {
                busy(l.slot); // a program, or nothing
            }
            for (const Leaving& l : set) {
                const u32 what = before[l.slot].dirty ? draw(6 + l.channel, 8) : 2;
                if (what == 0) { // somebody came for it meanwhile
                    use(l.slot, false);
                    set_dirty(l.slot, false);
                } else if (what == 1) { // programmed, but not free: idle() comes without a use
                    set_dirty(l.slot, false);
                    settle(l.slot);
                } else {
                    leave(l.slot);
                }
            }
            break;
        }
        default:
            // One that was put aside: a request that failed has not used it.
            if (!p.idle || ((rig.f()->buffer->slots[slot].used & SLOT_CHOSEN) != 0 && draw(4, 32) == 0)) {
                settle(slot);
            }
        }
    }
    EXPECT_GT(full, steps / 1000);
    EXPECT_GT(partial, 5u);
    EXPECT_EQ(clean > steps / 1000, GetParam().policy != FW_BUFFER_GATING);
    const fw_stats& stats = rig.f()->stats;
    EXPECT_EQ(stats.evicted_sets, full);
    EXPECT_EQ(stats.partial_sets, partial);
}

/// Random pages, twice as many as the buffer holds, half of the uses writes: cycles a page with 256 times as
/// many page buffers. Only the tree of cflru grows, with the logarithm.
TEST_P(SetPolicy, CostsHardlyMoreInALargeBuffer)
{
    if (GetParam().policy == FW_BUFFER_GATING) {
        return; // keeps no page
    }
    const auto cycles = [](u32 slots) {
        fw_config c = config_of(GetParam().policy, GetParam().over, GetParam().neighbours);
        c.slots = slots;
        c.clean_window = c.victim_window = slots / 4;
        c.block_pages = 64;
        SetRig large(c);
        std::vector<u32> slot_of(std::size_t{2} * slots, FW_NONE);
        std::vector<u32> free;
        for (u32 i = 0; i < slots; ++i) {
            free.push_back(i);
        }
        const u32 accesses = 4 * slots + 8192;
        for (u32 i = 0; i < accesses; ++i) {
            if (i == accesses - 8192) {
                large.f()->step_cycles = 0; // the last ones count
            }
            const u32 lpn = static_cast<u32>(draw_below(draw64(1, 2, i), 2 * slots));
            if (slot_of[lpn] == FW_NONE && free.empty()) {
                for (const Leaving& l : large.victims(true)) {
                    slot_of[large.pages[l.slot].lpn] = FW_NONE;
                    free.push_back(l.slot);
                    large.leave(l.slot);
                }
            }
            if (slot_of[lpn] == FW_NONE) {
                slot_of[lpn] = free.back();
                free.pop_back();
                large.enter(slot_of[lpn], lpn);
            }
            large.use(slot_of[lpn], draw64(1, 3, i) % 2 == 0);
            large.idle(slot_of[lpn]);
        }
        return static_cast<double>(large.f()->step_cycles) / 8192;
    };
    const double small = cycles(256); // 1 MiB of 4 KiB pages
    const double large = cycles(65536);
    EXPECT_GT(small, 0);
    EXPECT_LT(large, 2.5 * small + 2.0 * fw_cycles_of[FW_COST_BUFFER_FAR_LINK] + 1);
    RecordProperty("cycles_a_page_1_mib", std::to_string(small));
    RecordProperty("cycles_a_page_256_mib", std::to_string(large));
}

std::vector<Case> cases()
{
    std::vector<Case> all{{FW_BUFFER_GATING, 0, 0}, {FW_BUFFER_CAWR, 0, 0}, {FW_BUFFER_CAWR, 0, 1}};
    for (u32 over = 0; over < FW_BUFFER_COUNT; ++over) {
        if (buffer_policy_of(over)->victim != nullptr && buffer_policy_of(over)->retain) {
            all.push_back({FW_BUFFER_CAVE, over, 0});
        }
        if (buffer_policy_of(over)->by_block) {
            all.push_back({FW_BUFFER_CAWR_BLOCK, over, 0});
        }
    }
    return all;
}

std::string name_of(const Case& c)
{
    return std::string(kPolicies[c.policy]) +
           (c.policy == FW_BUFFER_CAVE || c.policy == FW_BUFFER_CAWR_BLOCK
                ? std::string("_over_") + kPolicies[c.over]
                : "") +
           (c.neighbours != 0 ? "_any_neighbour" : "");
}

INSTANTIATE_TEST_SUITE_P(All, SetPolicy, testing::ValuesIn(cases()),
                         [](const auto& test) { return name_of(test.param); });

/// The paper's Table 1, of what is here: two runs of pages, all dirty, then a clean page.
struct Row {
    u32 policy, over;
    bool asymmetry, pattern, parallel;
};

class Table1 : public testing::TestWithParam<Row> {};

TEST_P(Table1, Holds)
{
    fw_config c = config_of(GetParam().policy, GetParam().over);
    c.channels = 2;
    SetRig rig(c);
    for (u32 i = 0; i < 8; ++i) { // 100 101 102 103 500 501 502 503
        rig.enter(i, (i < 4 ? 100 : 500) + i % 4);
        rig.use(i, true);
        rig.idle(i);
    }
    rig.enter(8, 900);
    rig.use(8, false);
    rig.idle(8);
    bool asymmetry = false;
    bool parallel = true;
    std::map<u32, std::set<u32>> channels; // of each run
    u32 turn = 0;                          // of the FTL, where a page wants no channel
    for (u32 left = 8; left != 0;) {
        const Set set = rig.victims(true);
        ASSERT_FALSE(set.empty());
        if (set[0].slot == 8) {
            asymmetry = asymmetry || left == 8; // though it is the youngest
            rig.leave(8);
            continue;
        }
        parallel = parallel && set.size() == 2;
        for (const Leaving& l : set) {
            channels[rig.pages[l.slot].lpn / 100].insert(l.channel == FW_NONE ? turn++ % 2 : l.channel);
            rig.leave(l.slot);
            --left;
        }
    }
    EXPECT_EQ(asymmetry, GetParam().asymmetry);
    EXPECT_EQ(channels[1].size() == 1 && channels[5].size() == 1, GetParam().pattern);
    EXPECT_EQ(parallel, GetParam().parallel);
}

INSTANTIATE_TEST_SUITE_P(All, Table1,
                         testing::Values(Row{FW_BUFFER_CFLRU, 0, true, false, false},
                                         Row{FW_BUFFER_LRU_WSR, 0, true, false, false},
                                         Row{FW_BUFFER_CCF_LRU, 0, true, false, false},
                                         Row{FW_BUFFER_GATING, 0, false, false, true},
                                         Row{FW_BUFFER_CAVE, FW_BUFFER_LRU, false, false, true},
                                         Row{FW_BUFFER_CAVE, FW_BUFFER_FIFO, false, false, true},
                                         Row{FW_BUFFER_CAWR, 0, true, true, true},
                                         Row{FW_BUFFER_CAWR_BLOCK, FW_BUFFER_FAB, true, true, true}),
                         [](const auto& test) {
                             return name_of({test.param.policy, test.param.over, 0});
                         });

/// Two channels; blocks A of two dirty pages, B and C of three, and a clean page before C's; in order of use.
struct BlockWalk : SetRig {
    static constexpr u32 kA = 0, kB = 2, kC = 5, kClean = 8;
    explicit BlockWalk(u32 policy)
        : SetRig([&] {
              fw_config c = config_of(policy, FW_BUFFER_BPLRU);
              c.channels = 2;
              return c;
          }())
    {
        const u32 lpns[] = {41, 42, 81, 82, 83, 121, 122, 123, 120};
        for (u32 i = 0; i < 9; ++i) {
            enter(i, lpns[i]);
            use(i, i != kClean);
            idle(i);
        }
    }
    Set next()
    {
        const Set set = victims(true);
        for (const Leaving& l : set) {
            leave(l.slot);
        }
        return set;
    }
};

TEST(BlockWalk, CawrKeepsABlocksChannel)
{
    BlockWalk w(FW_BUFFER_CAWR_BLOCK);
    EXPECT_EQ(w.next(), (Set{{w.kClean, FW_NONE}})); // C waits for a list, its clean page does not
    EXPECT_EQ(w.next(), (Set{{w.kA, 0}, {w.kB, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kA + 1, 0}, {w.kB + 1, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kC, 0}, {w.kB + 2, 1}})); // C where A was
    EXPECT_EQ(w.next(), (Set{{w.kC + 1, 0}}));
    EXPECT_EQ(w.next(), (Set{{w.kC + 2, 0}}));
    EXPECT_EQ(w.next(), Set{});
    EXPECT_EQ(w.f()->stats.evicted_sets, 3u);
    EXPECT_EQ(w.f()->stats.partial_sets, 2u);
}

TEST(BlockWalk, CaveTakesBlocksInTurnAnewEachTime)
{
    BlockWalk w(FW_BUFFER_CAVE);
    EXPECT_EQ(w.next(), (Set{{w.kClean, FW_NONE}}));
    EXPECT_EQ(w.next(), (Set{{w.kA, 0}, {w.kB, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kA + 1, 0}, {w.kB + 1, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kB + 2, 0}, {w.kC, 1}})); // B is the first now
    EXPECT_EQ(w.next(), (Set{{w.kC + 1, 0}}));
    EXPECT_EQ(w.next(), (Set{{w.kC + 2, 1}}));
    EXPECT_EQ(w.next(), Set{});
}

/// A write to a page that stands in a channel's list: the page goes back to the working region, the others stay.
TEST(BlockWalk, AUseTakesAPageOut)
{
    BlockWalk w(FW_BUFFER_CAWR_BLOCK);
    w.next(); // the clean one
    w.use(w.kA, true);
    w.use(w.kC, true); // its block was given up, but has no list yet
    w.idle(w.kA);
    w.idle(w.kC);
    EXPECT_EQ(w.next(), (Set{{w.kA + 1, 0}, {w.kB, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kC + 1, 0}, {w.kB + 1, 1}})); // the rest of C, which was given up with it
    EXPECT_EQ(w.next(), (Set{{w.kC + 2, 0}, {w.kB + 2, 1}}));
    EXPECT_EQ(w.next(), (Set{{w.kA, 0}, {w.kC, 1}})); // blocks of one page, in order of use
    EXPECT_EQ(w.next(), Set{});
}

} // namespace
} // namespace tlmssd::tb
