// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results.json is built in order, has one deterministic text, is written whole or not.
#include "models/observe/results.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <unistd.h>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/observe/output/write_file.h"

namespace tlmssd::observe {
namespace {

TEST(Results, KeepsTheOrderOfFirstMention)
{
    Results results;
    results.put("zebra.b", 2);
    results.put("apple", "x");
    results.put("zebra.a", true);
    EXPECT_EQ(text_of(results.json()), "{\n"
                                       "  \"schema\": \"tlmssd-results-1\",\n"
                                       "  \"zebra\": {\n"
                                       "    \"b\": 2,\n"
                                       "    \"a\": true\n"
                                       "  },\n"
                                       "  \"apple\": \"x\"\n"
                                       "}\n");
}

TEST(Results, LatencyBlockIsInMicroseconds)
{
    // 1, 2, ..., 10 us: p50 has rank 5, the others rank 10. 5 us = 5,000,000 ps lies in
    // [2^22, 2^23), cut into buckets of 4096 ps; 5000000 = 1220 * 4096 + 2880, so the middle is
    // 1220 * 4096 + 2048 = 4999168 ps.
    Histogram h;
    for (u64 us = 1; us <= 10; ++us) {
        h.record(microseconds(us));
    }
    Results results;
    results.put_latency_us("l", h);
    EXPECT_EQ(text_of(results.json().at("l")), "{\n"
                                               "  \"mean\": 5.5,\n"
                                               "  \"p50\": 4.999168,\n"
                                               "  \"p95\": 10.0,\n"
                                               "  \"p99\": 10.0,\n"
                                               "  \"p999\": 10.0,\n"
                                               "  \"p9999\": 10.0,\n"
                                               "  \"max\": 10.0\n"
                                               "}\n");
}

TEST(Results, PercentilesStandUnderTheirOwnNames)
{
    // n = 10,000, so the ranks are 5000, 9500, 9900, 9990, 9999; values below 2048 ps are exact.
    Histogram h;
    const auto add = [&h](u64 n, u64 ps) {
        for (u64 i = 0; i < n; ++i) {
            h.record(Picoseconds(ps));
        }
    };
    add(4999, 100);
    add(4500, 150); // ranks 5000..9499
    add(400, 200);  // 9500..9899
    add(90, 250);   // 9900..9989
    add(9, 300);    // 9990..9998
    add(1, 350);    // 9999
    add(1, 400);    // 10000
    Results results;
    results.put_latency_us("l", h);
    const Json& l = results.json().at("l");
    EXPECT_EQ(l.at("p50"), 150e-6);
    EXPECT_EQ(l.at("p95"), 200e-6);
    EXPECT_EQ(l.at("p99"), 250e-6);
    EXPECT_EQ(l.at("p999"), 300e-6);
    EXPECT_EQ(l.at("p9999"), 350e-6);
    EXPECT_EQ(l.at("max"), 400e-6);
}

TEST(Results, EmptyHistogramGivesNulls)
{
    Results results;
    results.put_latency_us("l", Histogram());
    ASSERT_EQ(results.json().at("l").size(), 7u);
    for (const auto& value : results.json().at("l")) {
        EXPECT_TRUE(value.is_null());
    }
}

TEST(Results, RequestsBlockCountsAndRates)
{
    // Four requests, 16384 bytes, 2 ms: 2000 IOPS, 8.192 MB/s.
    Histogram latency;
    Histogram response;
    for (int i = 0; i < 4; ++i) {
        latency.record(Picoseconds(1000));
        response.record(Picoseconds(2000));
    }
    Results results;
    results.put_requests("host.reads", 16384, 0.002, latency, response);
    const Json& reads = results.json().at("host").at("reads");
    EXPECT_EQ(reads.at("count"), 4);
    EXPECT_EQ(reads.at("bytes"), 16384);
    EXPECT_DOUBLE_EQ(reads.at("iops").get<double>(), 2000);
    EXPECT_DOUBLE_EQ(reads.at("mb_s").get<double>(), 8.192);
    EXPECT_EQ(reads.at("latency_us").at("mean"), 0.001);
    EXPECT_EQ(reads.at("response_us").at("max"), 0.002);
}

TEST(Results, RatioWithoutDenominatorIsNull)
{
    Results results;
    results.put_ratio("a", 3, 4);
    results.put_ratio("b", 0, 0);
    EXPECT_EQ(results.json().at("a"), 0.75);
    EXPECT_TRUE(results.json().at("b").is_null());
}

TEST(Results, SecondsHaveTheDigitsOfThePicoseconds)
{
    Results results;
    results.put_seconds("a", Picoseconds(3123456789));
    EXPECT_EQ(text_of(results.json().at("a")), "0.003123456789\n");
}

TEST(Results, RefusesNanAndInfinity)
{
    Results results;
    EXPECT_THROW(results.put("a", std::numeric_limits<double>::quiet_NaN()), ModelError);
    EXPECT_THROW(results.put("a", std::numeric_limits<double>::infinity()), ModelError);
    EXPECT_THROW(results.put("a", -std::numeric_limits<float>::infinity()), ModelError);
    Json inside;
    inside["list"] = {1.0, std::numeric_limits<double>::quiet_NaN()};
    EXPECT_THROW(text_of(inside), ModelError);
}

TEST(TextOf, NumbersAreShortAndUnambiguous)
{
    const auto text = [](const Json& value) {
        std::string t = text_of(value);
        t.pop_back();
        return t;
    };
    EXPECT_EQ(text(0.1), "0.1");
    EXPECT_EQ(text(123.456789), "123.456789");
    EXPECT_EQ(text(3.0), "3.0");
    EXPECT_EQ(text(-0.0), "0.0");
    EXPECT_EQ(text(1e22), "1e+22");
    EXPECT_EQ(text(5e-324), "5e-324"); // the smallest double, 4.94...e-324
    EXPECT_EQ(text(3), "3");
    EXPECT_EQ(text(~u64{0}), "18446744073709551615");
    EXPECT_EQ(text(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(TextOf, RandomDoublesReadBackAsThemselves)
{
    for (u64 i = 0; i < 20000; ++i) {
        const u64 bits = draw64(1, 2, i);
        double value;
        static_assert(sizeof value == sizeof bits);
        std::memcpy(&value, &bits, sizeof value);
        if (!std::isfinite(value)) {
            continue;
        }
        ASSERT_EQ(Json::parse(text_of(value)).get<double>(), value);
    }
}

TEST(TextOf, ReadsBackAndWritesTheSameText)
{
    Json document;
    document["text"] = "quote \" backslash \\ line\n \xc3\xa9";
    document["empty"]["list"] = Json::array();
    document["empty"]["object"] = Json::object();
    document["numbers"] = {1, 2.5, nullptr, false};
    document["rows"] = Json::array({{{"a", 1}}, {{"a", 2}}});
    const std::string text = text_of(document);
    EXPECT_EQ(Json::parse(text), document);
    EXPECT_EQ(text_of(Json::parse(text)), text);
    EXPECT_NE(text.find("\"numbers\": [1, 2.5, null, false]"), std::string::npos);
    EXPECT_NE(text.find("\"rows\": [\n    {\"a\": 1},\n    {\"a\": 2}\n  ]"), std::string::npos);
}

TEST(TextWithoutWall, LeavesOutTheMachineAndNothingElse)
{
    Results a;
    a.put("wall.seconds", 1.5);
    a.put("sim.time_s", 2.0);
    Results b;
    b.put("wall.seconds", 2.5);
    b.put("sim.time_s", 2.0);
    EXPECT_NE(text_of(a.json()), text_of(b.json()));
    EXPECT_EQ(text_without_wall(a.json()), text_without_wall(b.json()));
    EXPECT_EQ(text_without_wall(a.json()), "{\n  \"schema\": \"tlmssd-results-1\",\n"
                                           "  \"sim\": {\n    \"time_s\": 2.0\n  }\n}\n");
    EXPECT_TRUE(a.json().contains("wall")); // the document itself is untouched
}

class WriteFile : public testing::Test {
protected:
    WriteFile()
        : folder_(std::filesystem::temp_directory_path() /
                  ("tlmssd_write_" + std::to_string(getpid())))
    {
        std::filesystem::create_directories(folder_);
    }
    ~WriteFile() override { std::filesystem::remove_all(folder_); }

    std::string content(const std::filesystem::path& path) const
    {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
    std::size_t entries(const std::filesystem::path& path) const
    {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path), {}));
    }
    std::filesystem::path folder_;
};

TEST_F(WriteFile, MakesParentsReplacesAndLeavesNothingElse)
{
    const auto path = folder_ / "a" / "b" / "results.json";
    write_file(path.string(), "one");
    EXPECT_EQ(content(path), "one");
    write_file(path.string(), "two");
    EXPECT_EQ(content(path), "two");
    EXPECT_EQ(entries(path.parent_path()), 1u);
}

TEST_F(WriteFile, FailureIsOneLineNamesThePathAndLeavesNothing)
{
    std::filesystem::create_directories(folder_ / "taken" / "inside");
    const std::string path = (folder_ / "taken").string();
    try {
        write_file(path, "text"); // a folder cannot be replaced by a file
        FAIL() << "no error";
    } catch (const InputError& error) {
        const std::string what = error.what();
        EXPECT_EQ(what.find(path + ": cannot write: "), 0u) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos);
    }
    EXPECT_EQ(entries(folder_), 1u);
}

TEST_F(WriteFile, ParentThatIsAFileIsTheUsersError)
{
    write_file((folder_ / "file").string(), "x");
    EXPECT_THROW(write_file((folder_ / "file" / "results.json").string(), "y"), InputError);
    EXPECT_EQ(content(folder_ / "file"), "x");
}

} // namespace
} // namespace tlmssd::observe
