// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sample.json against its schema, and the text of the terminal.
#include "models/sample/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tb/observe/schema_check.h"

namespace tlmssd::sample {
namespace {

SampleResult result()
{
    SampleResult r;
    r.census = {1000, 600};
    r.plan = {32, 2048, 1};
    r.passes = 2;
    r.met = true;
    r.analysis.iops = {72000, -1, 73000};
    r.analysis.mb_s = {295, 290, 300};
    r.analysis.all = {{440, 430, 450}, {650, 640, 670}};
    r.analysis.reads = r.analysis.all;
    r.exact = {100, 250};
    return r;
}

observe::Json document(const SampleResult& r)
{
    const config::Config config;
    const SampleOptions options;
    observe::Json json;
    sample_statistics().put(json, "", {config, options, r});
    json["config_hash"] = "0123456789abcdef"; // of a configuration that was loaded
    return json;
}

TEST(SampleStatistics, FollowTheirSchema)
{
    std::ifstream file("docs/reference/sample.schema.json");
    const observe::Json schema = observe::Json::parse(file);
    SampleResult both = result();
    both.analysis.writes = both.analysis.all;
    for (const SampleResult& r : {result(), both}) {
        EXPECT_THAT(tb::SchemaCheck(schema).faults(document(r)), testing::IsEmpty());
    }
    observe::Json wrong = document(result());
    wrong["host"]["iops"]["low"] = "much";
    EXPECT_THAT(tb::SchemaCheck(schema).faults(wrong), testing::Not(testing::IsEmpty()));
}

TEST(SampleStatistics, AnIntervalBeginsAt0)
{
    EXPECT_EQ(document(result())["host"]["iops"]["low"], 0);
}

TEST(SampleStatistics, TheTableHasOneLineForEachEstimate)
{
    const std::string text = table(document(result()));
    EXPECT_THAT(text, testing::HasSubstr("32 windows of 2,048 requests, 512 of each for warm-up; 1,000 requests in all"));
    EXPECT_THAT(text, testing::HasSubstr("kIOPS                     72.00  (0.00 to 73.00, +-100.0 %)"));
    EXPECT_THAT(text, testing::HasSubstr("reads: 99 % latency, us   650.0  (640.0 to 670.0, +-3.1 %)"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("all: ")));
    EXPECT_THAT(text, testing::HasSubstr("write amplification       2.500  (exact)"));
}

} // namespace
} // namespace tlmssd::sample
