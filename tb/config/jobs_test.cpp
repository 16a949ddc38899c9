// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: workload.jobs: a list of maps with the workload's keys.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "models/config/keys/keys.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Jobs, AreNoneWhereThereIsNoList) { EXPECT_TRUE(from("workload: {bs: 8k}").jobs.empty()); }

TEST(Jobs, EachHasItsOwnKeysAndTheDefaultsOfTheRest)
{
    const Config c = from("host: {queue_depth: 20}\n"
                          "workload:\n"
                          "  jobs:\n"
                          "    - {rw: read, bs: 8k, name: a, priority: 3, start_us: 2.5, "
                          "iodepth: 4}\n"
                          "    - {lba_offset: 1m, requests: 7}\n");
    ASSERT_EQ(c.jobs.size(), 2u);
    EXPECT_EQ(c.jobs[0].rw, Rw::Read);
    EXPECT_EQ(c.jobs[0].bs, 8192u);
    EXPECT_EQ(c.jobs[0].name, "a");
    EXPECT_EQ(c.jobs[0].priority, 3u);
    EXPECT_EQ(c.jobs[0].start, nanoseconds(2500));
    EXPECT_EQ(c.jobs[0].iodepth, 4u);
    EXPECT_EQ(c.jobs[0].lba_offset, 0u);
    EXPECT_EQ(c.jobs[1].rw, Rw::RandRead);
    EXPECT_EQ(c.jobs[1].bs, 4096u);
    EXPECT_EQ(c.jobs[1].lba_offset, 1u << 20);
    EXPECT_EQ(c.jobs[1].requests, 7u);
    EXPECT_EQ(c.jobs[1].iodepth, 20u); // host.queue_depth
    EXPECT_EQ(c.jobs[1].mode, LoopMode::Closed);
    EXPECT_EQ(c.workload.name, "a + generator");
}

TEST(Jobs, ATraceIsOpenLoopAndIsCalledAfterItsFile)
{
    const TempFolder t;
    const std::string trace = t.write("day.csv.xz", "x\n");
    const Config c = from("workload: {jobs: [{trace: " + trace + "}, {rw: read}]}");
    EXPECT_EQ(c.jobs[0].mode, LoopMode::Open);
    EXPECT_EQ(c.jobs[0].requests, 0u);
    EXPECT_EQ(c.jobs[0].name, "day");
    EXPECT_EQ(c.jobs[1].mode, LoopMode::Closed);
    EXPECT_EQ(c.jobs[1].requests, 100000u);
}

class JobPresets : public testing::Test {
protected:
    void SetUp() override
    {
        folder_.write("workloads/one.yaml", "rw: write\nbs: 8k\nrequests: 5\n");
        folder_.write("workloads/two.yaml", "name: second\nrw: read\n");
    }
    Config load(const std::string& text, const std::vector<std::string>& sets = {})
    {
        return config::load(folder_.write("ssd/d.yaml", text), Overrides{sets});
    }
    std::string error(const std::string& text, const std::vector<std::string>& sets = {})
    {
        try {
            load(text, sets);
        } catch (const InputError& e) {
            return std::string(e.what()).substr(folder_.path().size() + 1);
        }
        return "";
    }
    TempFolder folder_;
};

TEST_F(JobPresets, NameOrMapWithTheWordWorkload)
{
    const Config c =
        load("workload: {jobs: [one, {workload: two, bs: 16k}, {bs: 1k, workload: one}]}");
    ASSERT_EQ(c.jobs.size(), 3u);
    EXPECT_EQ(c.jobs[0].rw, Rw::Write);
    EXPECT_EQ(c.jobs[0].name, "one");
    EXPECT_EQ(c.jobs[0].preset, "one");
    EXPECT_EQ(c.jobs[1].name, "second");
    EXPECT_EQ(c.jobs[1].preset, "two");
    EXPECT_EQ(c.jobs[1].bs, 16384u);
    EXPECT_EQ(c.jobs[2].bs, 1024u); // a single key stays, whatever its place in the map
    EXPECT_EQ(c.jobs[2].requests, 5u);
}

TEST_F(JobPresets, APresetInAJobVoidsWhatTheFileSaysForAllJobs)
{
    const Config c = load("workload: {trim_percent: 9, rw: write, jobs: [one, {bs: 16k}]}");
    EXPECT_EQ(c.jobs[0].trim_percent, 0u);
    EXPECT_EQ(c.jobs[1].trim_percent, 9u);
}

TEST_F(JobPresets, MayHoldAListItself)
{
    folder_.write("workloads/pair.yaml", "jobs: [one, two]\n");
    const Config c = load("workload: pair");
    ASSERT_EQ(c.jobs.size(), 2u);
    EXPECT_EQ(c.jobs[1].name, "second");
    EXPECT_EQ(c.workload.name, "pair");
    EXPECT_THAT(error("workload: {jobs: [pair]}"),
                HasSubstr("pair.yaml:1:1: workload.jobs.0.jobs: belongs to the whole run"));
}

TEST_F(JobPresets, OfTheCommandLineReplacesTheList)
{
    const std::string file = "workload: {jobs: [one, two]}";
    EXPECT_TRUE(load(file, {"workload=two"}).jobs.empty());
    EXPECT_EQ(load(file, {"workload=two"}).workload.name, "second");
    const std::string trace = folder_.write("t.csv", "x\n");
    const Config c = load(file, {"workload.trace=" + trace});
    EXPECT_TRUE(c.jobs.empty());
    EXPECT_EQ(c.workload.trace, trace);
}

TEST_F(JobPresets, UnknownOnesAreNamedWithTheirPlace)
{
    EXPECT_THAT(error("workload:\n  jobs:\n    - onee\n"),
                StartsWith("ssd/d.yaml:3:7: workload.jobs.0: no preset 'onee'"));
    EXPECT_THAT(error("workload:\n  jobs:\n    - one\n    - {workload: tow}\n"),
                HasSubstr("d.yaml:4:18: workload.jobs.1.workload: no preset 'tow'"));
    EXPECT_THAT(error("workload:\n  jobs:\n    - onee\n"), HasSubstr("did you mean 'one'?"));
    folder_.write("workloads/bad.yaml", "bs: 1k\nrww: read\n");
    EXPECT_THAT(error("workload: {jobs: [bad]}"),
                HasSubstr("bad.yaml:2:1: workload.jobs.0.rww: unknown key; did you mean 'rw'?"));
    folder_.write("workloads/chain.yaml", "workload: one\n");
    EXPECT_THAT(error("workload: {jobs: [chain]}"), HasSubstr("a preset cannot name another"));
}

TEST(JobKeys, BesideTheListCountForEveryJob)
{
    const Config c = from("workload: {bs: 8k, requests: 3, jobs: [{rw: read}, {bs: 1k}]}");
    EXPECT_EQ(c.jobs[0].bs, 8192u);
    EXPECT_EQ(c.jobs[0].requests, 3u);
    EXPECT_EQ(c.jobs[1].bs, 1024u); // of one source the job's own
    EXPECT_EQ(c.jobs[1].requests, 3u);
}

TEST(JobKeys, OfAStrongerSourceBeatThoseOfTheList)
{
    const std::string file = "workload: {jobs: [{bs: 8k}, {rw: read}]}";
    const Config c = from(file, {"workload.bs=1k"});
    EXPECT_EQ(c.jobs[0].bs, 1024u);
    EXPECT_EQ(c.jobs[1].bs, 1024u);
    const Config d = from(file, {"workload.jobs.0.bs=2k", "workload.bs=1k"});
    EXPECT_EQ(d.jobs[0].bs, 2048u);
    EXPECT_EQ(d.jobs[1].bs, 1024u);
}

TEST(JobKeys, WithoutEffectOnAnyJobAreAnError)
{
    EXPECT_EQ(error_of("workload:\n  bs: 8k\n  jobs: [{bs: 1k}, {bs: 2k}]\n"),
              "t.yaml:2:7: workload.bs: has no effect on any of workload.jobs");
    // A stronger list takes their effect away; that is no error.
    EXPECT_EQ(from("workload: {bs: 8k}", {"workload.jobs=[{bs: 1k}]"}).jobs[0].bs, 1024u);
    EXPECT_EQ(error_of("workload: {flush_every: 3, jobs: [{rw: write}, {rw: read}]}"), "");
}

TEST(JobKeys, WithoutEffectInTheirJobAreAnErrorThere)
{
    EXPECT_EQ(error_of("workload:\n  jobs:\n    - {rw: read, fua: true}\n"),
              "t.yaml:3:23: workload.jobs.0.fua: has no effect because workload.jobs.0.rw is read");
    EXPECT_THAT(error_of("workload:\n  jobs:\n    - {mode: open, rate_iops: 5, iodepth: 4}\n"),
                HasSubstr("workload.jobs.0.iodepth: has no effect because workload.jobs.0.mode is "
                          "open"));
}

TEST(JobErrors, NameFileLineColumnAndTheNearestWord)
{
    const std::string head = "workload:\n  jobs:\n    - {bs: 4k}\n    - ";
    EXPECT_EQ(error_of(head + "{rww: read}"),
              "t.yaml:4:8: workload.jobs.1.rww: unknown key; did you mean 'rw'?");
    EXPECT_THAT(error_of(head + "{priority: 4}"),
                testing::Eq("t.yaml:4:18: workload.jobs.1.priority: '4' is out of range: 0 to 3"));
    EXPECT_THAT(error_of(head + "{mode: opne}"),
                AllOf(StartsWith("t.yaml:4:14: workload.jobs.1.mode: "), HasSubstr("'open'")));
    EXPECT_EQ(error_of(head + "{bs: [1, 2]}"),
              "t.yaml:4:12: workload.jobs.1.bs: expected one value, found a list");
    EXPECT_EQ(error_of(head + "{bs: }"), "t.yaml:4:12: workload.jobs.1.bs: no value");
    EXPECT_EQ(error_of(head + "[4k]"), "t.yaml:4:7: workload.jobs.1: expected a map of keys or the "
                                       "name of a preset or a path, found a list");
    EXPECT_EQ(error_of(head + "{jobs: []}"), "t.yaml:4:8: workload.jobs.1.jobs: belongs to the "
                                             "whole run; it stands beside workload.jobs, not in a "
                                             "job");
    EXPECT_EQ(error_of(head + "{workload: {bs: 1k}}"),
              "t.yaml:4:18: workload.jobs.1.workload: expected the name of a preset or a path, "
              "found a map");
    EXPECT_EQ(error_of(head + "{lba_offset: 700}"),
              "t.yaml:4:20: workload.jobs.1.lba_offset: 700 is not a multiple of 512");
    EXPECT_THAT(error_of(head + "{trace: /no/such/file}"),
                StartsWith("t.yaml:4:15: workload.jobs.1.trace: cannot read "));
    EXPECT_THAT(error_of(head + "{bs: 700}"), StartsWith("t.yaml:4:12: workload.jobs.1.bs: 700 is "
                                                         "not a multiple of 512"));
    EXPECT_EQ(error_of("workload: {jobs: 3}"),
              "t.yaml:1:18: workload.jobs: expected a list of jobs, found '3'");
    EXPECT_EQ(error_of("workload: {jobs: {bs: 1k}}"),
              "t.yaml:1:18: workload.jobs: expected a list of jobs, found a map");
    EXPECT_THAT(error_of("workload: {job: []}"), HasSubstr("unknown key; did you mean"));
}

TEST(JobErrors, TooManyJobsClonesCounted)
{
    EXPECT_EQ(error_of("workload: {jobs: [{numjobs: 200}, {numjobs: 56}]}"), "");
    EXPECT_EQ(error_of("workload: {jobs: [{numjobs: 200}, {numjobs: 57}]}"),
              "t.yaml:1:35: workload.jobs: more than 256 jobs, clones counted");
}

TEST(JobSets, ChangeAKeyOrAddAJob)
{
    const std::string file = "workload: {jobs: [{bs: 8k}]}";
    const Config c = from(file, {"workload.jobs.0.rw=write", "workload.jobs.1.bs=1k",
                                 "workload.jobs.1.priority=2"});
    ASSERT_EQ(c.jobs.size(), 2u);
    EXPECT_EQ(c.jobs[0].rw, Rw::Write);
    EXPECT_EQ(c.jobs[0].bs, 8192u);
    EXPECT_EQ(c.jobs[1].bs, 1024u);
    EXPECT_EQ(c.jobs[1].priority, 2u);
    EXPECT_EQ(from("", {"workload.jobs.0.bs=1k"}).jobs.size(), 1u);
}

TEST(JobSets, ReplaceTheListAsAWhole)
{
    const std::string file = "workload: {jobs: [{bs: 8k}, {bs: 1k}]}";
    EXPECT_EQ(from(file, {"workload.jobs=[{rw: write}]"}).jobs.size(), 1u);
    EXPECT_TRUE(from(file, {"workload.jobs=[]"}).jobs.empty());
}

TEST(JobSets, ThatAreWrongSayWhere)
{
    const std::string file = "workload: {jobs: [{bs: 8k}, {bs: 1k}]}";
    EXPECT_EQ(error_of(file, {"workload.jobs.3.bs=1k"}),
              "--set workload.jobs.3.bs=1k: workload.jobs.3.bs: there are the jobs workload.jobs.0 "
              "to 1; the next is workload.jobs.2");
    EXPECT_EQ(error_of("", {"workload.jobs.1.bs=1k"}),
              "--set workload.jobs.1.bs=1k: workload.jobs.1.bs: there are no jobs; the first is "
              "workload.jobs.0");
    EXPECT_THAT(error_of(file, {"workload.jobs.x.bs=1k"}), HasSubstr("there are the jobs"));
    EXPECT_THAT(error_of(file, {"workload.jobs.0.bss=1k"}),
                HasSubstr("workload.jobs.0.bss: unknown key; did you mean 'bs'?"));
    EXPECT_THAT(error_of(file, {"workload.jobs.0.bs="}), HasSubstr("no value"));
    EXPECT_THAT(error_of(file, {"workload.jobs.0.bs=x"}),
                HasSubstr("--set workload.jobs.0.bs=x: workload.jobs.0.bs: expected a size"));
    EXPECT_THAT(error_of(file, {"workload.jobs=3"}), HasSubstr("expected a list of jobs"));
}

TEST(JobList, OfAnIncludingFileReplacesThatOfTheIncluded)
{
    const TempFolder t;
    t.write("base.yaml", "workload: {jobs: [{bs: 8k}, {bs: 1k}]}\n");
    const std::string file =
        t.write("d.yaml", "include: base.yaml\nworkload: {jobs: [{bs: 2k}]}\n");
    const Config c = load(file, {});
    ASSERT_EQ(c.jobs.size(), 1u);
    EXPECT_EQ(c.jobs[0].bs, 2048u);
}

TEST(JobYaml, LoadsAgainToTheSameConfiguration)
{
    const Config c = from("workload: {jobs: [{rw: randrw, bs: 8k, name: a}, {rw: write, "
                          "priority: 2, start_us: 7}]}");
    const std::string yaml = to_yaml(c);
    EXPECT_THAT(yaml, HasSubstr("workload:\n  jobs:\n    - name: \"a\""));
    const Config again = load_text(yaml, "again.yaml", {});
    EXPECT_EQ(again.hash, c.hash);
    EXPECT_EQ(to_yaml(again), yaml);
    ASSERT_EQ(again.jobs.size(), 2u);
    EXPECT_EQ(again.jobs[1].start, microseconds(7));
}

TEST(JobHash, CoversTheJobsTheirOrderAndTheirNumber)
{
    const auto hash = [](const std::string& jobs) {
        return from("workload: {jobs: [" + jobs + "]}").hash;
    };
    const u64 base = hash("{bs: 1k}, {bs: 2k}");
    EXPECT_EQ(hash("{bs: 1024}, {bs: 2k, name: x}"), base); // the name cannot change results
    EXPECT_NE(hash("{bs: 2k}, {bs: 1k}"), base);
    EXPECT_NE(hash("{bs: 1k}"), base);
    EXPECT_NE(hash("{bs: 1k}, {bs: 2k, priority: 1}"), base);
    EXPECT_NE(hash("{bs: 1k}, {bs: 2k, start_us: 1}"), base);
    EXPECT_NE(hash("{bs: 1k}, {bs: 2k, lba_offset: 4k}"), base);
}

TEST(JobSchema, HasEveryKeyThatAJobMayHave)
{
    const auto schema = nlohmann::json::parse(json_schema());
    EXPECT_EQ(schema["properties"]["workload"]["oneOf"][1]["$ref"], "#/$defs/workload");
    const auto& list = schema["$defs"]["workload"]["properties"]["jobs"];
    EXPECT_EQ(list["type"], "array");
    EXPECT_EQ(list["items"]["oneOf"][1]["$ref"], "#/$defs/job");
    const auto& job = schema["$defs"]["job"]["properties"];
    EXPECT_TRUE(job.contains("workload"));
    EXPECT_FALSE(job.contains("jobs"));
    std::size_t known = 1; // `workload`
    for (const Key& key : keys()) {
        EXPECT_EQ(job.contains(key.name()) && key.section() == "workload", is_job_key(key))
            << key.path;
        known += is_job_key(key);
    }
    EXPECT_EQ(job.size(), known);
}

TEST(Priority, ReachesFromNoneToThree)
{
    EXPECT_EQ(from("workload: {priority: 3}").workload.priority, 3u);
    EXPECT_NE(error_of("workload: {priority: 4}"), "");
}

} // namespace
} // namespace tlmssd::config
