// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests with locality against closed forms, and their stack against a plain list.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <set>
#include <unordered_map>

#include "models/common/hash.h"
#include "models/config/keys/locality_words.h"
#include "models/workload/locality/bit_index.h"
#include "models/workload/locality/locality_places.h"
#include "models/workload/locality/run_stack.h"

namespace tlmssd::workload::test {
namespace {

using config::BlockState;
using testing::HasSubstr;

constexpr u64 kSeed = 7;
constexpr u32 kBlockSectors = 8;

TEST(BitIndex, FindsTheNearestMembersAsASetDoes)
{
    constexpr u32 kSize = 70000; // three levels
    BitIndex index(kSize);
    std::set<u32> members;
    for (u64 i = 0; i < 20000; ++i) {
        const u32 number = static_cast<u32>(draw_below(draw64(kSeed, 1, i), kSize));
        if (draw_below(draw64(kSeed, 2, i), 5) < 2) {
            index.erase(number);
            members.erase(number);
        } else {
            index.insert(number);
            members.insert(number);
        }
        const u32 from = static_cast<u32>(draw_below(draw64(kSeed, 3, i), kSize + 1));
        const auto found = members.lower_bound(from);
        ASSERT_EQ(index.at_or_after(from), found == members.end() ? std::nullopt : std::optional<u32>(*found));
        ASSERT_EQ(index.before(from),
                  found == members.begin() ? std::nullopt : std::optional<u32>(*std::prev(found)));
    }
}

/// An LRU cache without a limit, by a plain list.
class PlainStack {
public:
    /// Different blocks since its last use, itself included; 0: none.
    u64 distance(u64 block) const
    {
        const auto found = std::find(order_.begin(), order_.end(), block);
        return found == order_.end() ? 0 : static_cast<u64>(std::distance(order_.begin(), found)) + 1;
    }
    void use(u64 block)
    {
        const auto found = std::find(order_.begin(), order_.end(), block);
        if (found != order_.end()) {
            order_.erase(found);
        }
        order_.push_front(block);
    }

private:
    std::list<u64> order_;
};

TEST(RunStack, ReportsTheDistancesOfAPlainList)
{
    RunStack stack(4096);
    PlainStack plain;
    u32 fresh = 0;
    for (u64 i = 0; i < 4000; ++i) {
        const u32 blocks = 1 + static_cast<u32>(draw_below(draw64(kSeed, 1, i), 9));
        RunStack::Place place{fresh, 0, 0};
        const bool used = stack.size() > 0 && draw_below(draw64(kSeed, 2, i), 4) != 0;
        if (used || fresh + blocks > 4096) {
            const u64 wanted = 1 + draw_below(draw64(kSeed, 3, i), stack.size());
            const auto state = static_cast<BlockState>(draw_below(draw64(kSeed, 4, i), 3));
            place = stack.find(wanted, blocks, state, ~u32{0});
            ASSERT_EQ(place.distance, plain.distance(place.block)) << i;
        }
        const u32 end = std::min(place.block + blocks, std::max(fresh, place.block + 1));
        const u32 last = place.distance == 0 ? place.block + blocks : end;
        stack.use(place, last - place.block, i % 2 == 0);
        for (u32 block = place.block; block < last; ++block) {
            plain.use(block);
        }
        fresh = std::max(fresh, last);
        ASSERT_EQ(stack.size(), fresh);
    }
}

TEST(RunStack, TakesAnEntryOfTheWantedLengthAndState)
{
    RunStack stack(100);
    stack.use({0, 0, 0}, 8, true);   // distances 27 to 34 of the wanted length, written
    stack.use({8, 0, 0}, 8, false);  // only read
    stack.use({16, 0, 0}, 16, false);
    stack.use({32, 0, 0}, 2, true);
    ASSERT_EQ(stack.size(), 34u);
    EXPECT_EQ(stack.find(34, 8, BlockState::WrittenLast, ~0u).block, 0u);
    EXPECT_EQ(stack.find(26, 8, BlockState::OnlyRead, ~0u).block, 8u);
    EXPECT_EQ(stack.find(26, 8, BlockState::OnlyRead, ~0u).distance, 26u);
    EXPECT_EQ(stack.find(2, 2, BlockState::WrittenLast, ~0u).block, 32u);
    EXPECT_EQ(stack.find(1, 1, BlockState::WrittenLast, ~0u).block, 33u) << "the last block of the entry";
    stack.use({8, 0, 26}, 8, false);
    EXPECT_EQ(stack.find(8, 8, BlockState::OnlyRead, ~0u).block, 8u) << "it is on top now";
}

config::Locality locality(const char* reads, const char* read_reuse, const char* writes, const char* write_reuse,
                          u64 footprint_blocks)
{
    config::Locality l;
    l.footprint = footprint_blocks * 4096;
    EXPECT_EQ(config::parse_runs(reads, l.read_runs), "");
    EXPECT_EQ(config::parse_runs(writes, l.write_runs), "");
    EXPECT_EQ(config::parse_read_reuse(read_reuse, l.read_reuse), "");
    EXPECT_EQ(config::parse_write_reuse(write_reuse, l.write_reuse), "");
    return l;
}

/// Hit ratio of an LRU cache of `blocks` blocks, by a list and a map, over the requests after `warm_up`.
double lru_hit_ratio(const config::Locality& l, std::size_t blocks, u64 warm_up, u64 requests)
{
    LocalityPlaces places(l, 1, 1, u64{1} << 30, kSeed);
    std::list<u64> order;
    std::unordered_map<u64, std::list<u64>::iterator> where;
    u64 hits = 0, uses = 0;
    for (u64 i = 0; i < warm_up + requests; ++i) {
        const LocalityPlaces::Request r = places.next();
        for (u64 block = r.start / kBlockSectors; block <= (r.start + r.sectors - 1) / kBlockSectors; ++block) {
            const auto found = where.find(block);
            uses += i >= warm_up ? 1 : 0;
            if (found != where.end()) {
                hits += i >= warm_up ? 1 : 0;
                order.erase(found->second);
            }
            order.push_front(block);
            where[block] = order.begin();
            if (order.size() > blocks) {
                where.erase(order.back());
                order.pop_back();
            }
        }
    }
    return static_cast<double>(hits) / static_cast<double>(uses);
}

/// P(distance <= k) of new/10:16/30:256/40:2048/20: in a step all distances are equally likely.
double distribution(double k)
{
    const double limits[] = {0, 16, 256, 2048}, shares[] = {0.3, 0.4, 0.2};
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += shares[i] * std::clamp((k - limits[i]) / (limits[i + 1] - limits[i]), 0.0, 1.0);
    }
    return sum;
}

TEST(Locality, AnLruCacheOfKBlocksHitsAsOftenAsTheDistributionSays)
{
    const config::Locality l = locality("4k/1", "1=new/10:16/30:256/40:2048/20", "", "", 1 << 17);
    constexpr u64 kRequests = 100000, kWarmUp = 50000; // 10 % of them new: more than the 2048 that are asked for
    for (const std::size_t k : {1, 8, 16, 100, 256, 1000, 2048, 4000}) {
        const double wanted = distribution(static_cast<double>(k));
        const double four_sigma = 4 * std::sqrt(wanted * (1 - wanted) / kRequests);
        EXPECT_NEAR(lru_hit_ratio(l, k, kWarmUp, kRequests), wanted, four_sigma) << k;
    }
}

TEST(Locality, AllBlocksOfARunHaveItsDistance)
{
    const config::Locality l = locality("32kx4k/1", "8=new/10:16/30:256/40:2048/20", "", "", 1 << 18);
    constexpr u64 kRuns = 30000, kWarmUp = 10000;
    for (const std::size_t k : {16, 104, 256, 1000, 2048, 4000}) { // an entry is 8 blocks: within one of them
        const double ratio = lru_hit_ratio(l, k, 8 * kWarmUp, 8 * kRuns);
        const double sigma = std::sqrt(0.25 / kRuns);
        EXPECT_GE(ratio, distribution(static_cast<double>(k) - 8) - 3 * sigma) << k;
        EXPECT_LE(ratio, distribution(static_cast<double>(k) + 8) + 3 * sigma) << k;
    }
}

TEST(Locality, AUsedUpFootprintGivesWhatWasUsedLongestAgo)
{
    const config::Locality l = locality("4k/1", "1=new/1", "", "", 1600);
    LocalityPlaces places(l, 1, 1, u64{1} << 20, kSeed);
    std::map<u64, u64> last;
    for (u64 i = 0; i < 16000; ++i) {
        const u64 block = places.next().start / kBlockSectors;
        const auto found = last.find(block);
        if (found != last.end()) {
            EXPECT_NEAR(static_cast<double>(i - found->second), 1600, 1) << "a neighbour that does not follow";
        }
        last[block] = i;
    }
    EXPECT_EQ(last.size(), 1600u);
    EXPECT_EQ(places.used_blocks(), 1600u);
}

/// Runs of a stream by their sectors: requests of one kind that follow on each other.
std::map<u32, u64> measured_runs(LocalityPlaces& places, u64 requests, bool reads)
{
    std::map<u32, u64> runs;
    LocalityPlaces::Request before{~u64{0}, 0, true};
    u32 length = 0;
    bool reading = true;
    for (u64 i = 0; i < requests; ++i) {
        const LocalityPlaces::Request r = places.next();
        if (r.start == before.start + before.sectors && r.read == before.read) {
            length += r.sectors;
        } else {
            if (length > 0 && reading == reads) {
                ++runs[length];
            }
            length = r.sectors;
            reading = r.read;
        }
        before = r;
    }
    return runs;
}

TEST(Locality, RunsHaveTheLengthsAndSharesThatAreAskedFor)
{
    const config::Locality l = locality("4k/60:16kx4k/30:128kx32k/10", "32=new/20:1000/50:20000/30", "8k/1",
                                        "2=new/50:5000/50", 1 << 19);
    LocalityPlaces places(l, 1, 2, u64{1} << 30, kSeed);
    const std::map<u32, u64> runs = measured_runs(places, 200000, true);
    u64 sum = 0, rest = 0;
    for (const auto& [sectors, count] : runs) {
        sum += count;
        rest += sectors == 8 || sectors == 32 || sectors == 256 ? 0 : count;
    }
    const double n = static_cast<double>(sum);
    for (const auto& [sectors, share] : {std::pair(8u, 0.6), std::pair(32u, 0.3), std::pair(256u, 0.1)}) {
        EXPECT_NEAR(static_cast<double>(runs.at(sectors)) / n, share, 4 * std::sqrt(share * (1 - share) / n) + 0.001)
            << sectors;
    }
    EXPECT_LT(static_cast<double>(rest) / n, 0.001) << "two runs that happen to follow on each other, or a lane's end";
}

TEST(Locality, ReadsHaveTheirShareOfTheRequestsAndNotOfTheRuns)
{
    const config::Locality l = locality("32kx4k/1", "8=new/1:100/1", "4k/1", "1=new/1:100/1", 1 << 19);
    LocalityPlaces places(l, 30, 100, u64{1} << 30, kSeed);
    constexpr u64 kRequests = 200000;
    u64 reads = 0;
    for (u64 i = 0; i < kRequests; ++i) {
        reads += places.next().read ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(reads) / kRequests, 0.3, 0.01);
}

TEST(Locality, WritesFindBlocksOfTheStateThatIsAskedFor)
{
    // Half of the writes go to blocks that were only read; reads are always new.
    const config::Locality l = locality("4k/1", "1=new/1", "4k/1", "1=4000/50+0+50", 1 << 19);
    LocalityPlaces places(l, 1, 2, u64{1} << 30, kSeed);
    std::map<u64, bool> written;
    u64 writes = 0, after_read = 0;
    for (u64 i = 0; i < 100000; ++i) {
        const LocalityPlaces::Request r = places.next();
        if (!r.read && i > 20000) {
            ++writes;
            after_read += written.count(r.start) != 0 && !written[r.start] ? 1 : 0;
        }
        written[r.start] = !r.read;
    }
    EXPECT_NEAR(static_cast<double>(after_read) / static_cast<double>(writes), 0.5, 0.03);
}

TEST(Locality, StaysInItsRegionAndRepeatsItselfWithItsSeed)
{
    const config::Locality l = locality("4k/50:4k+/40:512/10:40kx4k/40", "1=new/5:64/95,16=new/50:3000/50", "24k/1",
                                  "6=new/10:1000/90", 5000);
    constexpr u64 kRegion = 5000 * kBlockSectors;
    LocalityPlaces a(l, 1, 2, kRegion, kSeed), b(l, 1, 2, kRegion, kSeed), c(l, 1, 2, kRegion, kSeed + 1);
    u64 same = 0, unaligned = 0, pages = 0;
    constexpr u64 kRequests = 50000;
    for (u64 i = 0; i < kRequests; ++i) {
        const LocalityPlaces::Request r = a.next(), again = b.next(), other = c.next();
        ASSERT_EQ(r.start, again.start);
        ASSERT_EQ(r.sectors, again.sectors);
        ASSERT_EQ(r.read, again.read);
        ASSERT_LE(r.start + r.sectors, kRegion);
        ASSERT_GT(r.sectors, 0u);
        same += r.start == other.start ? 1 : 0;
        const bool covers_two = r.sectors == kBlockSectors && r.start % kBlockSectors != 0;
        pages += r.read && r.sectors == kBlockSectors ? 1 : 0;
        unaligned += r.read && covers_two ? 1 : 0;
    }
    EXPECT_LT(same, kRequests / 100);
    // 4k+ is 40 of the 50 + 40 + 10 x 40 pages.
    EXPECT_NEAR(static_cast<double>(unaligned) / static_cast<double>(pages), 40.0 / 490, 0.01);
}

TEST(LocalityWords, SayWhatIsWrong)
{
    config::RunTypes runs;
    config::Reuse reuse;
    EXPECT_THAT(config::parse_runs("4k", runs), HasSubstr("'4k' has no weight"));
    EXPECT_THAT(config::parse_runs("4j/1", runs), HasSubstr("'4j' in '4j/1' is not a size of whole sectors"));
    EXPECT_THAT(config::parse_runs("4kx8k/1", runs), HasSubstr("larger than the run"));
    EXPECT_EQ(config::parse_runs("4k/1:8kx4k+/2", runs), "");
    ASSERT_EQ(runs.types.size(), 2u);
    EXPECT_TRUE(!runs.types[0].more && runs.types[1].more && runs.types[1].request == 8);
    EXPECT_THAT(config::parse_runs("4k/0", runs), HasSubstr("all weights are 0"));
    EXPECT_THAT(config::parse_read_reuse("new/1", reuse), HasSubstr("'new/1' is not the longest run of a class"));
    EXPECT_THAT(config::parse_read_reuse("1=nwe/1", reuse), HasSubstr("did you mean 'new'?"));
    EXPECT_THAT(config::parse_read_reuse("1=8/1:8/1", reuse), HasSubstr("distances must grow: '8' comes after 8"));
    EXPECT_THAT(config::parse_read_reuse("4=8/1,2=8/1", reuse), HasSubstr("classes must grow: 2 comes after 4"));
    EXPECT_THAT(config::parse_read_reuse("1=8/1+2", reuse), HasSubstr("neither one weight nor three"));
    EXPECT_THAT(config::parse_read_reuse("1=8/0", reuse), HasSubstr("all weights of class 1 are 0"));
    EXPECT_EQ(config::parse_write_reuse("1 = new/3 : 8/5,\n 2 = 16/1+2+3", reuse), "");
    ASSERT_EQ(reuse.classes.size(), 2u);
    EXPECT_EQ(reuse.classes[0].fresh, 3u);
    EXPECT_EQ(reuse.classes[0].steps[0].weights, (std::array<u32, 3>{0, 0, 5}));
    EXPECT_EQ(reuse.classes[1].steps[0].weights, (std::array<u32, 3>{1, 2, 3}));
}

} // namespace
} // namespace tlmssd::workload::test
