// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: combinations that need one key only: a mechanism that takes spare pages, a closed loop of an open preset, a
// fio job that waits and has a depth, a file without keys; each says what was decided.
#include <gmock/gmock.h>

#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kDefault = "configs/ssd/default.yaml";

Config shipped(const std::string& file, const std::vector<std::string>& sets) { return load(file, Overrides{sets}); }

std::string error_of_shipped(const std::string& file, const std::vector<std::string>& sets)
{
    try {
        shipped(file, sets);
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

// 64 planes of 64 blocks of 256 pages. Page map, 0.15: 57 usable blocks are 14592 pages a plane; logical
// floor(1048576 / 1.15) = 911805, 14247 a plane: 345 spare. dftl takes 4 blocks (7 translation pages a plane: 1, and
// 3): 13568, less 345: 13223 a plane, 846272. 1048576 / 846272 = 1.23905: 0.24.
TEST(ComputedSpare, DftlOnTheDefaultDeviceKeepsTheSparePagesOfThePageMap)
{
    const Config c = shipped(kDefault, {"ftl.mapping=dftl"});
    EXPECT_EQ(c.ftl.over_provisioning, 0.24);
    EXPECT_THAT(c.notes, ElementsAre("ftl.over_provisioning: 0.24, computed for ftl.mapping: dftl, for which 0.15 "
                                     "(configs/ssd/default.yaml:25:22) is too little; a value given beside ftl.mapping "
                                     "counts instead"));
    EXPECT_THAT(to_yaml(c), HasSubstr("over_provisioning: 0.24 "));
}

// Where nobody gave a value, and the page map would not fit either: a 64th of its 57 * 256 pages, 228, is spare.
// 13568 - 228 = 13340; 16384 / 13340 = 1.22819: 0.229.
TEST(ComputedSpare, TheDefaultIsReplacedToo)
{
    const Config c = from("geometry: {blocks: 64}\nftl: {mapping: dftl}");
    EXPECT_EQ(c.ftl.over_provisioning, 0.229);
    EXPECT_THAT(c.notes, ElementsAre(HasSubstr("for which 0.07, the default, is too little")));
}

// 8 planes of 24 blocks of 16 pages, 0.5. Page map: 17 usable blocks are 272 pages a plane, 2048 logical pages 256: 16
// spare. Journal: 17 * 15 = 255, less 16: 239 a plane, 1912 with two table pages, so at most 1910 logical ones.
// 3072 / 1911 = 1.60754: 0.608.
TEST(ComputedSpare, JournalOnADeviceOfLittleSpare)
{
    const std::string file = "configs/ssd/powercut.yaml";
    EXPECT_THAT(shipped(file, {}).notes, IsEmpty());
    const Config c = shipped(file, {"ftl.recovery=journal"});
    EXPECT_EQ(c.ftl.over_provisioning, 0.608);
    EXPECT_THAT(c.notes, ElementsAre(AllOf(HasSubstr("computed for ftl.recovery: journal"), HasSubstr("powercut.yaml:8:26"))));
}

TEST(ComputedSpare, NothingChangesWhereItFits)
{
    for (const char* key : {"ftl.mapping=page", "ftl.recovery=journal", "ftl.recovery=scan"}) {
        const Config c = shipped(kDefault, {key});
        EXPECT_EQ(c.ftl.over_provisioning, 0.15) << key;
        EXPECT_THAT(c.notes, IsEmpty()) << key;
    }
    const Config c = shipped("configs/ssd/bluessd.yaml", {"ftl.mapping=dftl"});
    EXPECT_EQ(c.ftl.over_provisioning, shipped("configs/ssd/bluessd.yaml", {}).ftl.over_provisioning);
    EXPECT_THAT(c.notes, IsEmpty());
}

TEST(ComputedSpare, AValueAsStrongAsTheMechanismCounts)
{
    const auto message = AllOf(HasSubstr("ftl.over_provisioning: 0.15 leaves 14247 logical pages"),
                               HasSubstr("only 13568 fit beside 11 reserved blocks of 64; needs at least 0.208"));
    EXPECT_THAT(error_of_shipped(kDefault, {"ftl.mapping=dftl", "ftl.over_provisioning=0.15"}), message);
    EXPECT_THAT(error_of("geometry: {blocks: 64}\nftl: {mapping: dftl, over_provisioning: 0.15}"), message);
    EXPECT_THAT(error_of("geometry: {blocks: 64}\nftl: {mapping: dftl}", {"ftl.over_provisioning=0.15"}), message);
    EXPECT_EQ(shipped(kDefault, {"ftl.mapping=dftl", "ftl.over_provisioning=0.208"}).ftl.over_provisioning, 0.208);
}

TEST(ComputedSpare, AFileMayAddDftlToTheOneItIncludes)
{
    const TempFolder t;
    const std::string file = t.write("m.yaml", "include: " + std::filesystem::absolute(kDefault).string() +
                                                   "\nftl: {mapping: dftl}\n");
    EXPECT_EQ(load(file, {}).ftl.over_provisioning, 0.24);
}

TEST(ComputedSpare, ADeviceThatIsTooSmallIsStillAnError)
{
    EXPECT_THAT(error_of("geometry: {blocks: 10}\nftl: {mapping: dftl}"), HasSubstr("geometry.blocks: 10 blocks per plane"));
    EXPECT_THAT(error_of("geometry: {channels: 1, ways: 1, dies: 1, planes: 1, blocks: 1, pages: 1}\n"
                         "nand: {planes: 1}\nftl: {mapping: dftl}"),
                HasSubstr("geometry.blocks: 1 blocks per plane"));
}

TEST(Presets, AnOldNameIsAnsweredWithTheNewOne)
{
    EXPECT_THAT(error_of_shipped(kDefault, {"workload=Financial1"}), HasSubstr("did you mean 'uniform-Financial1'?"));
    EXPECT_THAT(error_of_shipped(kDefault, {"workload=fin1"}), HasSubstr("did you mean 'uniform-fin1'?"));
    EXPECT_THAT(error_of_shipped(kDefault, {"workload=msnfs7"}), HasSubstr("did you mean 'uniform-msnfs1'?"));
    EXPECT_THAT(error_of_shipped(kDefault, {"workload=mixed-70-30-8k"}), HasSubstr("did you mean 'mixed-70-30-4k'?"));
}

TEST(ClosedLoop, DropsTheOpenLoopOfAPreset)
{
    const Config c = shipped(kDefault, {"workload=uniform-Financial1", "workload.mode=closed"});
    EXPECT_EQ(c.workload.mode, LoopMode::Closed);
    EXPECT_EQ(c.workload.rate_iops, 0);
    EXPECT_EQ(c.workload.rate_process, RateProcess::Linear);
    EXPECT_EQ(c.workload.writes, 76840u);
    EXPECT_THAT(c.notes, ElementsAre("workload.mode: closed (--set workload.mode=closed) leaves out workload.rate_iops and "
                                     "workload.rate_process of the open loop in configs/workloads/uniform-Financial1.yaml"));
    EXPECT_EQ(shipped(kDefault, {"workload=uniform-Financial1"}).workload.mode, LoopMode::Open);
}

TEST(ClosedLoop, KeysOfTheUserHimselfStillConflict)
{
    EXPECT_THAT(error_of_shipped(kDefault, {"workload=uniform-Financial1", "workload.mode=closed",
                                            "workload.rate_process=poisson"}),
                HasSubstr("--set workload.rate_process=poisson: workload.rate_process: poisson arrivals need mode: open"));
    EXPECT_THAT(error_of("workload: {rw: randread, mode: closed, rate_iops: 5, rate_process: poisson}"),
                HasSubstr("poisson arrivals need mode: open"));
    EXPECT_THAT(error_of("workload: {rw: randread, mode: closed}", {"workload.rate_iops=5", "workload.rate_process=poisson"}),
                HasSubstr("poisson arrivals need mode: open"));
}

TEST(ClosedLoop, ARateOfTheUserOrOfAClosedLoopStays)
{
    const Config own = shipped(kDefault, {"workload=uniform-Financial1", "workload.mode=closed", "workload.rate_iops=7"});
    EXPECT_EQ(own.workload.rate_iops, 7);
    EXPECT_EQ(own.workload.rate_process, RateProcess::Linear);
    const Config linear = shipped(kDefault, {"workload=uniform-Financial1", "workload.mode=closed", "workload.rate_process=linear"});
    EXPECT_EQ(linear.workload.rate_iops, 121.9512195);
    EXPECT_THAT(linear.notes, IsEmpty());
    EXPECT_EQ(from("workload: {rate_iops: 5}", {"workload.mode=closed"}).workload.rate_iops, 5);
    EXPECT_EQ(from("workload: {mode: open, rate_iops: 5}", {"workload.mode=closed"}).workload.rate_iops, 0);
}

TEST(ClosedLoop, AJobBeatsItsPresetAndACommandLineBeatsTheJobs)
{
    const Config c = from("workload: {jobs: [{workload: uniform-Financial1, mode: closed}, uniform-Financial2]}");
    EXPECT_EQ(c.jobs[0].mode, LoopMode::Closed);
    EXPECT_EQ(c.jobs[0].rate_iops, 0);
    EXPECT_EQ(c.jobs[1].mode, LoopMode::Open);
    const Config all = from("workload: {jobs: [uniform-Financial1, uniform-Financial2]}", {"workload.mode=closed"});
    EXPECT_EQ(all.jobs[0].rate_iops + all.jobs[1].rate_iops, 0);
    EXPECT_EQ(all.notes.size(), 2u);
    EXPECT_THAT(error_of("workload: {jobs: [{workload: uniform-Financial1, mode: closed, rate_process: poisson}]}"),
                HasSubstr("poisson arrivals need mode: open"));
}

Config of_fio(const std::string& options)
{
    const TempFolder folder;
    Config c = from("workload: " + folder.write("job.fio", options));
    for (std::string& note : c.notes) {
        note = note.substr(note.find("job.fio"));
    }
    return c;
}

// As fio: "both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1".
TEST(FioDepth, AnEngineThatWaitsHasDepthOneAndSaysSo)
{
    for (const char* engine : {"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}) {
        const Config c = of_fio("[job]\nioengine=" + std::string(engine) + "\niodepth=8\n");
        EXPECT_EQ(c.jobs.at(0).iodepth, 1u) << engine;
        EXPECT_THAT(c.notes, ElementsAre("job.fio:3:1: iodepth: 8 has no effect with ioengine " + std::string(engine) +
                                         ", which waits for each request; the queue depth is 1, as in fio"));
    }
    EXPECT_THAT(of_fio("[job]\niodepth=8\n").notes,
                ElementsAre(HasSubstr("job.fio:2:1: iodepth: 8 has no effect with ioengine psync (fio's default)")));
}

TEST(FioDepth, OneLineForAllJobsOfAGlobalSection)
{
    const Config c = of_fio("[global]\nioengine=psync\niodepth=4\n[a]\nnumjobs=3\noffset_increment=1m\n[b]\n");
    EXPECT_EQ(c.jobs.size(), 4u);
    EXPECT_EQ(c.notes.size(), 1u);
}

TEST(FioDepth, OtherEnginesKeepTheirs)
{
    for (const char* options : {"ioengine=libaio\niodepth=8", "ioengine=psync\niodepth=8\nio_submit_mode=offload"}) {
        const Config c = of_fio("[job]\n" + std::string(options) + "\n");
        EXPECT_EQ(c.jobs.at(0).iodepth, 8u) << options;
        EXPECT_THAT(c.notes, IsEmpty()) << options;
    }
    EXPECT_THAT(of_fio("[job]\nioengine=psync\niodepth=1\n").notes, IsEmpty());
}

TEST(EmptyFile, SaysThatAllIsDefault)
{
    for (const char* text : {"", "# only words\n", "{}\n", "---\n"}) {
        EXPECT_THAT(from(text).notes, ElementsAre("t.yaml: holds no key: the device has the defaults of all keys")) << text;
    }
    EXPECT_THAT(from("seed: 1").notes, IsEmpty());
}

} // namespace
} // namespace tlmssd::config
