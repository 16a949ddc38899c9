// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of the texts with a grammar: sizes, times, bssplit, distributions, places.
#include "models/config/keys/workload_words.h"

#include <gmock/gmock.h>

#include "models/config/text/fio_units.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

using testing::HasSubstr;

TEST(FioSize, FollowsTheTablesOfItsManual)
{
    // HOWTO, "Parameter types", kb_base=1024 (the default) and 1000.
    for (const char* text : {"4096", "4096b", "4096B", "4k", "4kb", "4kB", "4K", "4KB", "0x1000"}) {
        EXPECT_EQ(parse_fio_size(text), 4096u) << text;
    }
    EXPECT_EQ(parse_fio_size("1m"), u64{1} << 20);
    EXPECT_EQ(parse_fio_size("1024g"), u64{1} << 40);
    EXPECT_EQ(parse_fio_size("1mi"), 1000000u);
    EXPECT_EQ(parse_fio_size("1ti"), 1000000000000u);
    for (const char* text : {"4096", "4096b", "4ki", "4kib", "4kiB", "4Ki", "4KiB"}) {
        EXPECT_EQ(parse_fio_size(text, 1000), 4096u) << text;
    }
    EXPECT_EQ(parse_fio_size("1000k", 1000), 1000000u);
    for (const char* text : {"", "k", "4x", "4kk", "-1", "4.5k", "0x", "4 k", "20000p",
                             "99999999999999999999"}) {
        EXPECT_FALSE(parse_fio_size(text)) << text;
    }
}

TEST(FioTime, TakesUnitsAndADefault)
{
    EXPECT_EQ(parse_fio_time("30", 1000000), 30000000u);
    EXPECT_EQ(parse_fio_time("30", 1), 30u);
    EXPECT_EQ(parse_fio_time("5ms", 1), 5000u);
    EXPECT_EQ(parse_fio_time("5usec", 1000000), 5u);
    EXPECT_EQ(parse_fio_time("2m", 1), 120000000u);
    EXPECT_EQ(parse_fio_time("1D", 1), 86400000000u);
    for (const char* text : {"", "s", "5 s", "5x", "1-2", "-5"}) {
        EXPECT_FALSE(parse_fio_time(text, 1)) << text;
    }
}

std::vector<std::pair<u32, u32>> shares(const std::string& text, Direction direction = kReads)
{
    SizeSplit split;
    EXPECT_EQ(parse_bssplit(text, split), "") << text;
    std::vector<std::pair<u32, u32>> out;
    for (const SizeShare& size : split.of[direction]) {
        out.emplace_back(size.sectors, size.share);
    }
    return out;
}

TEST(Bssplit, ReadsTheManualsExamples)
{
    using Pairs = std::vector<std::pair<u32, u32>>;
    EXPECT_EQ(shares("4k/10:64k/50:32k/40"), (Pairs{{8, 1000}, {128, 5000}, {64, 4000}}));
    EXPECT_EQ(shares("4k/50:1k/:32k/"), (Pairs{{8, 5000}, {2, 2500}, {64, 2500}}));
    const char* text = "2k/50:4k/50,4k/90:8k/10";
    EXPECT_EQ(shares(text, kReads), (Pairs{{4, 5000}, {8, 5000}}));
    EXPECT_EQ(shares(text, kWrites), (Pairs{{8, 9000}, {16, 1000}}));
    EXPECT_EQ(shares(text, kTrims), shares(text, kWrites));
    EXPECT_EQ(shares("4k:8k:16k"), (Pairs{{8, 3334}, {16, 3333}, {32, 3333}})); // 10000 / 3
    EXPECT_EQ(shares(" 4k / 12.5 : 8k / 87.5 "), (Pairs{{8, 1250}, {16, 8750}}));
}

TEST(Bssplit, NamesWhatIsWrong)
{
    const auto wrong = [](const char* text) {
        SizeSplit split;
        return parse_bssplit(text, split);
    };
    EXPECT_EQ(wrong("4k/60:8k/50"), "the percentages add up to 110, not 100");
    EXPECT_EQ(wrong("4k/60:8k/30"), "the percentages add up to 90, not 100");
    EXPECT_THAT(wrong("4q/100"), HasSubstr("'4q' in '4q/100' is not a size of whole sectors"));
    EXPECT_THAT(wrong("1000/100"), HasSubstr("'1000'"));
    EXPECT_THAT(wrong("64m/100"), HasSubstr("512 to 33554432"));
    EXPECT_THAT(wrong("4k/x"), HasSubstr("'x' in '4k/x' is not a percentage"));
    EXPECT_THAT(wrong("4k/1.234"), HasSubstr("at most two decimals"));
    EXPECT_THAT(wrong("4k/0:8k/100"), HasSubstr("'0' in '4k/0' is not a percentage above 0"));
    EXPECT_THAT(wrong("4k/100:"), HasSubstr("'' in ''"));
    EXPECT_THAT(wrong("4k,4k,4k,4k"), HasSubstr("4 lists"));
    EXPECT_EQ(error_of("workload: {bssplit: 4k/60:8k/50}"),
              "t.yaml:1:21: workload.bssplit: the percentages add up to 110, not 100");
}

TEST(Distribution, ReadsEachKind)
{
    AddressRule rule;
    EXPECT_EQ(parse_distribution("random", rule), "");
    EXPECT_EQ(rule.kind, Distribution::Random);
    EXPECT_EQ(parse_distribution("zipf:1.2:0.25", rule), "");
    EXPECT_EQ(rule.kind, Distribution::Zipf);
    EXPECT_EQ(rule.parameter, 1.2);
    EXPECT_EQ(rule.center, 0.25);
    EXPECT_EQ(parse_distribution("pareto:0.9", rule), "");
    EXPECT_EQ(rule.kind, Distribution::Pareto);
    EXPECT_LT(rule.center, 0);
    EXPECT_EQ(parse_distribution("pareto", rule), ""); // fio's default power
    EXPECT_EQ(rule.parameter, 0.2);
    EXPECT_EQ(parse_distribution("zipf", rule), ""); // and theta
    EXPECT_EQ(rule.parameter, 1.1);
    EXPECT_EQ(parse_distribution("normal:0", rule), "");
    EXPECT_EQ(rule.kind, Distribution::Normal);
    EXPECT_EQ(parse_distribution("zoned:60/10:30/20:8/30:2/40", rule), "");
    ASSERT_EQ(rule.zones[kWrites].size(), 4u);
    EXPECT_EQ(rule.zones[kWrites][2].access, 800u);
    EXPECT_EQ(rule.zones[kWrites][2].region, 3000u);
    EXPECT_EQ(parse_distribution("zoned:100/50:0/50,50/:50/", rule), "");
    EXPECT_EQ(rule.zones[kReads][1].access, 0u);
    EXPECT_EQ(rule.zones[kTrims][1].region, 5000u); // shared evenly
}

TEST(Distribution, NamesWhatIsWrong)
{
    const auto wrong = [](const char* text) {
        AddressRule rule;
        return parse_distribution(text, rule);
    };
    EXPECT_THAT(wrong("zipff:1"), HasSubstr("'zipff' is not random, zipf, pareto, normal or zoned; "
                                            "did you mean 'zipf'?"));
    EXPECT_THAT(wrong("zoned_abs:60/20g"), HasSubstr("did you mean 'zoned'"));
    EXPECT_THAT(wrong("zipf:"), HasSubstr("'' is no zipf theta above 0, at most 10"));
    EXPECT_THAT(wrong("normal"), HasSubstr("no normal deviation"));
    EXPECT_THAT(wrong("zipf:0"), HasSubstr("no zipf theta"));
    EXPECT_THAT(wrong("zipf:11"), HasSubstr("no zipf theta"));
    EXPECT_THAT(wrong("zipf:1.1:2"), HasSubstr("'2' is no center"));
    EXPECT_THAT(wrong("zipf:1.1:0.5:1"), HasSubstr("'1' behind the center"));
    EXPECT_THAT(wrong("pareto:1"), HasSubstr("power above 0 and below 1"));
    EXPECT_THAT(wrong("normal:101"), HasSubstr("deviation from 0 to 100"));
    EXPECT_THAT(wrong("zoned:60"), HasSubstr("'60' is not ACCESS/REGION"));
    EXPECT_EQ(wrong("zoned:60/10:30/90"), "accesses: the percentages add up to 90, not 100");
    EXPECT_EQ(wrong("zoned:60/10:40/80"), "regions: the percentages add up to 90, not 100");
    EXPECT_THAT(wrong("zoned:60/0:40/100"),
                HasSubstr("60 % of the accesses fall into a zone of 0"));
    EXPECT_THAT(wrong("random:1"), HasSubstr("no parameter"));
    EXPECT_EQ(error_of("workload: {random_distribution: 'pareto:2'}"),
              "t.yaml:1:33: workload.random_distribution: '2' is no pareto power above 0 and below "
              "1 (as in pareto:0.2)");
}

TEST(Extent, IsBytesOrPercent)
{
    Extent place;
    EXPECT_EQ(parse_extent("64k", place), "");
    EXPECT_EQ(place.sectors(1000), 128u);
    EXPECT_EQ(parse_extent("12.5%", place), "");
    EXPECT_EQ(place.sectors(1000), 125u);
    EXPECT_EQ(extent_text(place), "12.5%");
    EXPECT_THAT(parse_extent("101%", place), HasSubstr("0 to 100"));
    EXPECT_THAT(parse_extent("1000", place), HasSubstr("not a multiple of 512"));
    EXPECT_THAT(parse_extent("0.6", place), HasSubstr("did you mean '60%'?"));
    EXPECT_EQ(from("workload: {size: 60%, offset: 1m}").workload.size.percent, 60);
    EXPECT_EQ(from("workload: {size: 1048576}").workload.size.bytes, 1048576u);
}

TEST(Percentages, AreOneToThree)
{
    Percentages percent;
    EXPECT_EQ(parse_percentages("50,80", percent), "");
    EXPECT_EQ(percent.of, (std::array<u32, 3>{50, 80, 80}));
    EXPECT_THAT(parse_percentages("101", percent), HasSubstr("'101'"));
    EXPECT_THAT(parse_percentages("1.5", percent), HasSubstr("whole"));
    EXPECT_THAT(parse_percentages("1,2,3,4", percent), HasSubstr("more than three"));
}

} // namespace
} // namespace tlmssd::config
