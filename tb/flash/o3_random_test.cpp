// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random operations through O3Core against a plain list that is searched from the start at
// every step: the same operations at the same times, no dependency broken, nobody starves.
#include <gmock/gmock.h>

#include "models/common/hash.h"
#include "tb/flash/o3_bench.h"

namespace tlmssd::tb {
namespace {

struct Mix {
    u64 seed;
    u32 channels, luns; ///< a channel
    u32 stations;
    u64 age_limit;
    u32 streams;
    u32 fences, resets; ///< of 1000 operations
};

void PrintTo(const Mix& m, std::ostream* out) { *out << "seed " << m.seed; }

/// What a test operation touches, in the test's own terms.
struct Work {
    u64 at; ///< submitted
    u8 opcode, priority;
    u32 lun, stream, units, extra;
    bool fence;
    std::vector<u32> planes;
    u32 block, page;
};

/// Do these two have to keep their order? Erases and programs change a block, reads look at a page.
bool keep_order(const Work& a, const Work& b)
{
    if (a.lun != b.lun || a.block != b.block) {
        return false;
    }
    bool shared = false;
    for (const u32 p : a.planes) {
        shared = shared || std::count(b.planes.begin(), b.planes.end(), p) != 0;
    }
    const bool reads_a = a.opcode == FLASH_OP_READ, reads_b = b.opcode == FLASH_OP_READ;
    const bool erases = a.opcode == FLASH_OP_ERASE || b.opcode == FLASH_OP_ERASE;
    if (!shared || (reads_a && reads_b)) {
        return false;
    }
    return erases || (!reads_a && !reads_b) || a.page == b.page;
}

/// The rules of docs/explanation/o3.md over one list, oldest first. Slow and obvious.
class Model {
public:
    struct Item {
        Work w;
        enum { Intake, Station, Running, Landing, Ended } state = Intake;
        bool completed = false;
        u64 placed = ~u64{0}, issued = ~u64{0}, free_at = 0, ended = ~u64{0}, completed_at = ~u64{0};
    };
    explicit Model(const Mix& m) : mix(m) {}

    /// Everything that is to happen at `now`, when no event is due earlier.
    void settle(u64 now)
    {
        for (bool again = true; again;) {
            again = false;
            for (Item& i : items) {
                if (i.state == Item::Running && i.free_at == now) {
                    i.state = Item::Landing;
                    again = true;
                }
                if (i.state == Item::Landing && i.free_at + i.w.extra == now) {
                    i.state = Item::Ended;
                    i.ended = now;
                    again = true;
                }
            }
            tell(now);
            again = issue_one(now) || place_one(now) || again;
        }
    }
    u64 next_event() const
    {
        u64 next = ~u64{0};
        for (const Item& i : items) {
            if (i.state == Item::Running) {
                next = std::min(next, i.free_at);
            } else if (i.state == Item::Landing) {
                next = std::min(next, i.free_at + i.w.extra);
            }
        }
        return next;
    }

    Mix mix;
    std::vector<Item> items; ///< in order of submission
    std::vector<u32> completed;

private:
    bool reset(const Item& i) const { return i.w.opcode == FLASH_OP_RESET; }
    bool on(const Item& i, u32 lun) const
    {
        return reset(i) ? i.w.lun / mix.luns == lun / mix.luns : i.w.lun == lun;
    }
    bool lun_busy(u32 lun) const
    {
        return std::any_of(items.begin(), items.end(), [&](const Item& i) {
            return i.state == Item::Running && on(i, lun);
        });
    }
    bool fence_open(std::size_t n) const
    {
        for (std::size_t o = 0; o < n; ++o) {
            if (items[o].w.stream == items[n].w.stream && items[o].state != Item::Ended) {
                return !items[n].w.fence;
            }
        }
        return true;
    }
    bool may_go(std::size_t n) const
    {
        for (std::size_t o = 0; o < n; ++o) {
            if (items[o].state == Item::Station && keep_order(items[o].w, items[n].w)) {
                return false;
            }
        }
        return fence_open(n);
    }
    void start(Item& i, u64 now)
    {
        i.state = Item::Running;
        i.issued = now;
        i.free_at = now + i.w.units;
    }
    bool issue_one(u64 now)
    {
        for (u32 lun = 0; lun < mix.channels * mix.luns; ++lun) {
            if (lun_busy(lun)) {
                continue;
            }
            std::vector<std::size_t> may;
            for (std::size_t n = 0; n < items.size(); ++n) {
                if (items[n].state == Item::Station && items[n].w.lun == lun && may_go(n)) {
                    may.push_back(n);
                }
            }
            if (may.empty()) {
                continue;
            }
            std::size_t best = may[0];
            if (items[best].w.at + mix.age_limit > now) {
                for (const std::size_t n : may) {
                    best = items[n].w.priority > items[best].w.priority ? n : best;
                }
            }
            start(items[best], now);
            return true;
        }
        return false;
    }
    /// The oldest of a channel that has no place yet gets one, where there is one.
    bool place_one(u64 now)
    {
        for (u32 channel = 0; channel < mix.channels; ++channel) {
            for (std::size_t n = 0; n < items.size(); ++n) {
                Item& i = items[n];
                if (i.state != Item::Intake || i.w.lun / mix.luns != channel) {
                    continue;
                }
                if (reset(i) ? reset_may_go(n) : waiting_on(i.w.lun) < mix.stations) {
                    i.placed = now;
                    i.state = Item::Station;
                    if (reset(i)) {
                        start(i, now);
                    }
                    return true;
                }
                break; // all behind it wait
            }
        }
        return false;
    }
    u32 waiting_on(u32 lun) const
    {
        return static_cast<u32>(std::count_if(items.begin(), items.end(), [&](const Item& i) {
            return i.state == Item::Station && i.w.lun == lun;
        }));
    }
    bool reset_may_go(std::size_t n) const
    {
        const u32 first = items[n].w.lun / mix.luns * mix.luns;
        for (u32 lun = first; lun < first + mix.luns; ++lun) {
            if (lun_busy(lun) || waiting_on(lun) != 0) {
                return false;
            }
        }
        return fence_open(n);
    }
    void tell(u64 now)
    {
        for (std::size_t n = 0; n < items.size(); ++n) {
            const u32 stream = items[n].w.stream;
            const bool before = std::any_of(items.begin(), items.begin() + static_cast<long>(n),
                                            [&](const Item& o) {
                                                return o.w.stream == stream && !o.completed;
                                            });
            if (items[n].state == Item::Ended && !items[n].completed && !before) {
                items[n].completed = true;
                items[n].completed_at = now;
                completed.push_back(static_cast<u32>(n));
            }
        }
    }
};

std::vector<Work> random_works(const Mix& m, u32 count)
{
    u64 draws = 0;
    const auto draw = [&](u64 n) {
        return static_cast<u32>(draw_below(draw64(m.seed, 7, draws++), n));
    };
    std::vector<Work> works;
    u64 at = 0;
    for (u32 n = 0; n < count; ++n) {
        Work w{};
        at += draw(4) == 0 ? draw(12) : 0; // bursts, about as much as LUNs can do, or more
        w.at = at;
        const u32 kind = draw(100);
        w.opcode = kind < 50 ? FLASH_OP_READ : kind < 92 ? FLASH_OP_PROGRAM : FLASH_OP_ERASE;
        w.opcode = draw(1000) < m.resets ? u8{FLASH_OP_RESET} : w.opcode;
        w.priority = static_cast<u8>(draw(4));
        w.lun = draw(3) == 0 ? 0 : draw(m.channels * m.luns); // LUN 0 is a hot spot
        w.stream = draw(m.streams);
        w.units = 1 + draw(w.opcode == FLASH_OP_READ ? 2 : 6);
        w.extra = w.opcode == FLASH_OP_READ ? draw(5) : 0;
        w.fence = draw(1000) < m.fences;
        w.planes = draw(4) == 0 ? std::vector<u32>{0, 1} : std::vector<u32>{draw(2)};
        w.block = draw(3);
        w.page = draw(4);
        works.push_back(w);
    }
    return works;
}

class O3Random : public testing::TestWithParam<Mix> {};

TEST_P(O3Random, DoesWhatThePlainListDoes)
{
    const Mix& m = GetParam();
    constexpr u32 kCount = 220; // fewer than tags: no tag is used twice
    constexpr u64 kLongest = 6;
    const std::vector<Work> works = random_works(m, kCount);
    Model model(m);
    O3Bench bench(O3Bench::shape(m.channels, m.luns, m.stations, m.age_limit));
    for (u32 n = 0; n <= kCount; ++n) {
        const u64 until = n < kCount ? works[n].at : ~u64{0};
        for (u64 next = model.next_event(); next <= until && next != ~u64{0};
             next = model.next_event()) {
            model.settle(next);
        }
        if (n == kCount) {
            break;
        }
        const Work& w = works[n];
        model.items.push_back({w});
        model.settle(w.at);
        bench.run_to(w.at);
        O3Bench::Job j = bench.job(w.opcode, w.lun, 0, w.units);
        j.extra = w.extra;
        j.op.flags = static_cast<u8>(w.priority | (w.fence ? FLASH_FLAG_FENCE : 0));
        j.op.stream = static_cast<u16>(w.stream);
        j.op.nplanes = static_cast<u8>(w.planes.size());
        for (u32 p = 0; p < w.planes.size(); ++p) {
            j.op.row[p] = o3_row(w.planes[p], w.block, w.page);
        }
        bench.submit(j);
    }
    bench.run();

    std::vector<std::vector<u32>> completed(m.streams), model_completed(m.streams);
    for (u32 n = 0; n < kCount; ++n) {
        const Model::Item& i = model.items[n];
        const O3Bench::Times& t = bench.times[static_cast<u16>(n)];
        ASSERT_EQ(t.issued, i.issued) << n;
        ASSERT_EQ(t.ended, i.ended) << n;
        ASSERT_EQ(t.completed, i.completed_at) << n;
        completed[works[bench.completed[n]].stream].push_back(bench.completed[n]);
        model_completed[works[model.completed[n]].stream].push_back(model.completed[n]);
    }
    for (u32 s = 0; s < m.streams; ++s) {
        EXPECT_EQ(completed[s], model_completed[s]);
        EXPECT_TRUE(std::is_sorted(completed[s].begin(), completed[s].end()));
    }
    // And what any controller has to keep, whatever its rules.
    for (u32 b = 0; b < kCount; ++b) {
        const O3Bench::Times& later = bench.times[static_cast<u16>(b)];
        for (u32 a = 0; a < b; ++a) {
            const O3Bench::Times& first = bench.times[static_cast<u16>(a)];
            if (works[a].opcode != FLASH_OP_RESET && works[b].opcode != FLASH_OP_RESET &&
                keep_order(works[a], works[b])) {
                ASSERT_LE(first.issued + works[a].units, later.issued) << a << " before " << b;
            }
            if (works[b].fence && works[a].stream == works[b].stream) {
                ASSERT_LE(first.ended, later.issued) << "fence of " << b;
            }
        }
        if (m.fences == 0 && m.resets == 0) {
            const Model::Item& i = model.items[b];
            const u64 old = std::max(i.placed, works[b].at + m.age_limit);
            ASSERT_LE(later.issued, old + m.stations * kLongest) << b << " starves";
        }
    }
}

std::vector<Mix> mixes()
{
    std::vector<Mix> all;
    for (u64 seed = 0; seed < 60; ++seed) {
        const u32 shape = static_cast<u32>(seed % 4);
        all.push_back({seed, shape == 0 ? 1u : 2u, shape == 3 ? 3u : 1 + shape % 3,
                       seed % 3 == 0 ? 2u : seed % 3 == 1 ? 8u : 16u, seed % 5 * 8,
                       seed % 2 == 0 ? 1u : 5u, seed % 6 < 3 ? 0u : 60u, seed % 6 < 4 ? 0u : 20u});
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(Mixes, O3Random, testing::ValuesIn(mixes()), [](const auto& test) {
    return "Seed" + std::to_string(test.param.seed);
});

} // namespace
} // namespace tlmssd::tb
