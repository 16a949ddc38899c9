// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which source wins: includes, own keys, presets, --set; trace against generator.
#include <gmock/gmock.h>

#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Include, OwnKeysBeatIncludedOnesWhereverTheLineStands)
{
    const TempFolder t;
    t.write("a.yaml", "seed: 1\ncpu: {mhz: 100, cores: 2}\n");
    t.write("b.yaml", "seed: 2\n");
    const Config first = load(t.write("m.yaml", "seed: 9\ncpu: {mhz: 300}\ninclude: a.yaml\n"), {});
    EXPECT_EQ(first.seed, 9u);
    EXPECT_EQ(first.cpu.mhz, 300u);
    EXPECT_EQ(first.cpu.cores, 2u);
    EXPECT_EQ(load(t.write("n.yaml", "include: [a.yaml, b.yaml]"), {}).seed, 2u);
    EXPECT_EQ(load(t.write("o.yaml", "include: [b.yaml, a.yaml]"), {}).seed, 1u);
}

TEST(Include, PathsAreRelativeToTheNamingFile)
{
    const TempFolder t;
    t.write("parts/p.yaml", "name: P\nt_read_us: 33\n");
    t.write("base/b.yaml", "nand: ../parts/p.yaml\n");
    const Config c = load(t.write("ssd/s.yaml", "include: ../base/b.yaml\n"), {});
    EXPECT_EQ(c.nand.t_read, microseconds(33));
    EXPECT_EQ(c.nand.name, "P");
}

TEST(Include, ErrorsNameTheIncludedFile)
{
    const TempFolder t;
    t.write("a.yaml", "seed: 1\nsead: 2\n");
    const std::string main = t.write("m.yaml", "include: a.yaml\n");
    try {
        load(main, {});
        FAIL();
    } catch (const InputError& e) {
        EXPECT_EQ(std::string(e.what()),
                  t.path() + "/a.yaml:2:1: sead: unknown key; did you mean 'seed'?");
    }
}

TEST(Include, CyclesAndFloodsAreErrors)
{
    const TempFolder t;
    t.write("a.yaml", "include: b.yaml\n");
    t.write("b.yaml", "include: a.yaml\n");
    t.write("c.yaml", "seed: 1");
    std::string many = "include: [c.yaml";
    for (int i = 0; i < 70; ++i) {
        many += ", c.yaml";
    }
    const auto message = [](const std::string& path) -> std::string {
        try {
            load(path, {});
        } catch (const InputError& e) {
            return e.what();
        }
        return "";
    };
    EXPECT_THAT(message(t.path() + "/a.yaml"),
                AllOf(StartsWith(t.path() + "/b.yaml:1:10: include: "),
                      EndsWith("includes itself")));
    EXPECT_THAT(message(t.write("d.yaml", "include: d.yaml")), EndsWith("includes itself"));
    EXPECT_EQ(message(t.write("e.yaml", "include: [c.yaml, c.yaml]")), ""); // twice is no cycle
    EXPECT_THAT(message(t.write("f.yaml", many + "]")), EndsWith("more than 64 files"));
}

TEST(Part, InlineKeysRefineAnIncludedPartButAPathReplacesIt)
{
    const TempFolder t;
    t.write("p.yaml", "t_read_us: 33\nt_erase_us: 2222\n");
    t.write("q.yaml", "t_read_us: 44\n");
    t.write("base.yaml", "nand: p.yaml\n");
    const Config inline_keys =
        load(t.write("m.yaml", "include: base.yaml\nnand: {t_read_us: 35}\n"), {});
    EXPECT_EQ(inline_keys.nand.t_read, microseconds(35));
    EXPECT_EQ(inline_keys.nand.t_erase, microseconds(2222));
    const Config replaced = load(t.write("n.yaml", "include: base.yaml\nnand: q.yaml\n"), {});
    EXPECT_EQ(replaced.nand.t_read, microseconds(44));
    EXPECT_EQ(replaced.nand.t_erase, microseconds(3000)); // the default, not p.yaml's
    EXPECT_EQ(replaced.nand.name, "q");
}

TEST(Set, BeatsFilesAndTheLastWins)
{
    EXPECT_EQ(from("cpu: {mhz: 100}", {"cpu.mhz=200"}).cpu.mhz, 200u);
    EXPECT_EQ(from("", {"cpu.mhz=200", "cpu.mhz=300"}).cpu.mhz, 300u);
    EXPECT_EQ(from("", {"workload.bs=64k"}).workload.bs, 65536u);
    EXPECT_EQ(from("", {"workload.name=\"a b\""}).workload.name, "a b");
    EXPECT_EQ(from("", {"workload.name=a=b # c"}).workload.name, "a=b # c");
}

TEST(Preset, IsFoundByNameAndNamesTheWorkload)
{
    const Config c = from("", {"workload=seqread-128k"});
    EXPECT_EQ(c.workload.name, "seqread-128k");
    EXPECT_EQ(c.workload.rw, Rw::Read);
    EXPECT_EQ(c.workload.bs, 131072u);
}

TEST(Preset, StandsBesideTheFoldersOfTheConfiguration)
{
    const TempFolder t;
    t.write("workloads/mine.yaml", "rw: write\nname: Mine\n");
    const std::string main = t.write("ssd/m.yaml", "workload: mine\n");
    EXPECT_EQ(load(main, {}).workload.rw, Rw::Write);
    EXPECT_EQ(load(main, {}).workload.name, "Mine");
    EXPECT_EQ(load(main, {{"workload=randwrite-4k"}}).workload.rw, Rw::RandWrite);
}

TEST(Preset, ReplacesTheFilesWorkloadButNoSingleSet)
{
    const std::string file = "workload: {rw: randwrite, bs: 64k, requests: 7}";
    const std::string preset = "workload=randread-4k", single = "workload.requests=5";
    for (const bool preset_first : {true, false}) {
        const Config c = preset_first ? from(file, {preset, single}) : from(file, {single, preset});
        EXPECT_EQ(c.workload.rw, Rw::RandRead);
        EXPECT_EQ(c.workload.bs, 4096u);
        EXPECT_EQ(c.workload.requests, 5u);
    }
    EXPECT_EQ(from(file, {"workload=randread-4k"}).workload.requests, 100000u);
    EXPECT_EQ(from(file, {preset, "workload=seqwrite-128k"}).workload.rw, Rw::Write);
}

TEST(TraceAgainstGenerator, BesideEachOtherTheyAreAnError)
{
    const TempFolder t;
    const std::string trace = t.write("t.csv", "x\n");
    EXPECT_EQ(error_of("workload: {trace: " + trace + ", rw: read}"),
              "t.yaml:1:" + std::to_string(25 + trace.size()) +
                  ": workload.rw: has no effect because workload.trace is given");
    EXPECT_THAT(error_of("workload: {trace: " + trace + "}", {"workload.rw=read"}),
                StartsWith("--set workload.rw=read: workload.rw: has no effect"));
    EXPECT_THAT(error_of("", {"workload.trace=" + trace, "workload.bs=4k"}),
                HasSubstr("workload.bs: has no effect"));
}

TEST(TraceAgainstGenerator, AStrongerTraceReplacesAGeneratorAsAWhole)
{
    const TempFolder t;
    const std::string trace = t.write("t.csv", "x\n");
    const Config c = from("workload: {name: n, rw: randrw, rwmixread: 70, requests: 7}",
                          {"workload.trace=" + trace});
    EXPECT_EQ(c.workload.trace, trace);
    EXPECT_EQ(c.workload.name, "trace");
    EXPECT_EQ(c.workload.requests, 0u); // to the end
    EXPECT_EQ(c.workload.rwmixread, 50u);
    EXPECT_EQ(from("workload: randwrite-4k", {"workload.trace=" + trace}).workload.name, "trace");
}

TEST(TraceAgainstGenerator, KeysThatSuitTracesStay)
{
    const TempFolder t;
    const std::string trace = t.write("t.csv", "x\n");
    const Config c = from("workload: {mode: open, requests: 5}",
                          {"workload.trace=" + trace, "workload.beyond=drop",
                           "workload.time_scale=0.5", "workload.format=spc"});
    EXPECT_EQ(c.workload.requests, 5u);
    EXPECT_EQ(c.workload.mode, LoopMode::Open);
    EXPECT_EQ(c.workload.beyond, Beyond::Drop);
    EXPECT_EQ(c.workload.time_scale, 0.5);
    EXPECT_EQ(c.workload.format, "spc");
}

TEST(TraceAgainstGenerator, KeysOfTheDeviceStay)
{
    const TempFolder t;
    const std::string trace = t.write("t.csv", "x\n");
    const Config c = from("scheduler: host\ncontroller: {stations: 3, streams: per_request}\n"
                          "host: {kind: direct, direct_mb_per_s: 12.5}\nworkload: {rw: randrw}",
                          {"workload.trace=" + trace});
    EXPECT_EQ(c.controller.stations, 3u);
    EXPECT_EQ(c.firmware.host_streams, u32{FW_STREAMS_PER_REQUEST});
    EXPECT_EQ(c.host.direct_mb_per_s, 12.5);
}

TEST(TraceAgainstGenerator, ATraceMayHaveARateButNotThatOfTheGeneratorItReplaces)
{
    const TempFolder t;
    const std::string trace = t.write("t.csv", "x\n");
    const Config c = from("workload: {mode: open, rate_iops: 5}", {"workload.trace=" + trace});
    EXPECT_EQ(c.workload.rate_iops, 0);
    const Config d = from("", {"workload.trace=" + trace, "workload.rate_iops=7",
                               "workload.rate_process=poisson"});
    EXPECT_EQ(d.workload.mode, LoopMode::Open);
    EXPECT_EQ(d.workload.rate_iops, 7);
    EXPECT_THAT(error_of("", {"workload.trace=" + trace, "workload.rate_iops=7",
                              "workload.time_scale=2"}),
                HasSubstr("workload.time_scale: has no effect because workload.rate_iops is 7"));
    EXPECT_THAT(error_of("", {"workload.trace=" + trace, "workload.rate_iops=7",
                              "workload.mode=closed", "workload.rate_process=poisson"}),
                HasSubstr("workload.rate_process: poisson arrivals need mode: open"));
}

TEST(TraceAgainstGenerator, LoopsStayButGoWithTheKeysOfTheGeneratorBesideThem)
{
    const TempFolder t;
    const std::string trace = t.write("t.csv", "x\n");
    EXPECT_EQ(from("workload: {trace: " + trace + ", loops: 5}").workload.loops, 5u);
    EXPECT_EQ(from("", {"workload.trace=" + trace, "workload.loops=5"}).workload.loops, 5u);
    EXPECT_EQ(from("workload: {loops: 5}", {"workload.trace=" + trace}).workload.loops, 5u);
    const std::string generator = "workload: {rw: read, loops: 5}";
    EXPECT_EQ(from(generator, {"workload.trace=" + trace}).workload.loops, 0u);
    EXPECT_EQ(from(generator, {"workload.trace=" + trace, "workload.loops=7"}).workload.loops, 7u);
}

TEST(TraceAgainstGenerator, KeysOfTheControllerStay)
{
    const TempFolder t;
    const std::string trace = t.write("t.csv", "x\n");
    const Config c = from("scheduler: host\n"
                          "controller: {stations: 3, age_limit_us: 7, streams: per_request, "
                          "priorities: reads_first}\n"
                          "workload: {rw: randrw}",
                          {"workload.trace=" + trace});
    EXPECT_EQ(c.workload.trace, trace);
    EXPECT_EQ(c.controller.stations, 3u);
    EXPECT_EQ(c.controller.age_limit, microseconds(7));
    EXPECT_EQ(c.firmware.host_streams, u32{FW_STREAMS_PER_REQUEST});
    EXPECT_EQ(c.firmware.host_reads_first, 1u);
}

TEST(TraceAgainstGenerator, AFileBeatsTheFileItIncludes)
{
    const TempFolder t;
    t.write("x.csv", "x\n");
    t.write("gen.yaml", "workload: {rw: randrw, rwmixread: 70}\n");
    t.write("trace.yaml", "workload: {trace: x.csv, format: spc}\n");
    const Config c =
        load(t.write("m.yaml", "include: gen.yaml\nworkload: {trace: x.csv}\n"), {});
    EXPECT_EQ(c.workload.trace, t.path() + "/x.csv"); // relative to the naming file
    const Config d = load(t.write("n.yaml", "include: trace.yaml\nworkload: {trace: \"\"}\n"), {});
    EXPECT_EQ(d.workload.trace, "");
    EXPECT_EQ(d.workload.format, "");
}

TEST(TimeScale, NeedsTheOpenLoopWhichIsATracesDefault)
{
    const TempFolder t;
    const std::string head = "workload: {trace: " + t.write("t.csv", "x\n") + ", time_scale: 0.5";
    EXPECT_THAT(error_of(head + ", mode: closed}"),
                HasSubstr("time_scale: has no effect because workload.mode is closed"));
    EXPECT_EQ(error_of(head + "}"), "");
    EXPECT_EQ(error_of(head + ", mode: open}"), "");
    EXPECT_EQ(from(head + ", mode: open}", {"workload.mode=closed"}).workload.time_scale, 1.0);
}

TEST(Rw, AStrongerRwDropsWhatDependsOnTheWeakerOne)
{
    const Config c = from("workload: mixed-70-30-4k", {"workload.rw=randread"});
    EXPECT_EQ(c.workload.rw, Rw::RandRead);
    EXPECT_EQ(c.workload.rwmixread, 50u);
    EXPECT_EQ(from("workload: mixed-70-30-4k").workload.rwmixread, 70u);
}

} // namespace
} // namespace tlmssd::config
