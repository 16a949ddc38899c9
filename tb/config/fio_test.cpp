// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests of fio job files: inheritance, units, what each option becomes, errors with lines.
#include <gmock/gmock.h>

#include "models/common/hash.h"
#include "models/config/fio/fio_job.h"
#include "models/config/fio/fio_options.h"
#include "tb/config/support.h"

namespace tlmssd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The jobs of a job file's text, as `workload: FILE.fio` gives them.
std::vector<Workload> jobs_of(const std::string& text, std::vector<std::string> sets = {})
{
    const TempFolder folder;
    const std::string file = folder.write("job.fio", text);
    return from("workload: " + file, sets).jobs;
}

Workload job_of(const std::string& options)
{
    const std::vector<Workload> jobs = jobs_of("[job]\n" + options);
    EXPECT_EQ(jobs.size(), 1u);
    return jobs.at(0);
}

/// The message for a file whose fourth line is `line`, from the line on.
std::string wrong(const std::string& line)
{
    try {
        jobs_of("[first]\n[second]\nioengine=libaio\n" + line + "\n");
    } catch (const InputError& e) {
        const std::string text = e.what();
        const std::size_t at = text.find("job.fio:");
        EXPECT_NE(at, std::string::npos) << text;
        return text.substr(at);
    }
    return "";
}

TEST(FioFile, SectionsInheritFromTheGlobalOnesAboveThem)
{
    const auto jobs = jobs_of("; comment\n"
                              "[global]\n"
                              "ioengine=libaio   # and a comment\n"
                              "bs=8k\n"
                              "  iodepth = 16\n"
                              "[one]\n"
                              "rw=randread\n"
                              "[two]\n"
                              "blocksize=64k\n"
                              "iodepth=2\n"
                              "iodepth=4\n"
                              "[global]\n"
                              "rw=write\n"
                              "[three]\n");
    ASSERT_EQ(jobs.size(), 3u);
    EXPECT_EQ(jobs[0].name, "one");
    EXPECT_EQ(jobs[0].rw, Rw::RandRead);
    EXPECT_EQ(jobs[0].bs, 8192u);
    EXPECT_EQ(jobs[0].iodepth, 16u);
    EXPECT_EQ(jobs[1].rw, Rw::Read); // fio's default
    EXPECT_EQ(jobs[1].bs, 65536u);
    EXPECT_EQ(jobs[1].iodepth, 4u); // the last counts
    EXPECT_EQ(jobs[2].name, "three");
    EXPECT_EQ(jobs[2].rw, Rw::Write);
    EXPECT_EQ(jobs[2].bs, 8192u);
}

TEST(FioFile, DefaultsAreThoseOfFio)
{
    const Workload w = job_of("rw=randread\n");
    EXPECT_EQ(w.bs, 4096u);
    EXPECT_EQ(w.iodepth, 1u);
    EXPECT_FALSE(w.norandommap);
    EXPECT_EQ(w.loops, 1u);
    EXPECT_EQ(w.requests, 0u);
    EXPECT_EQ(w.mode, LoopMode::Closed);
}

TEST(FioFile, StandsForTheWholeWorkload)
{
    const TempFolder folder;
    const std::string file = folder.write("job.fio", "[a]\nrw=write\n");
    // The preset of a weaker source does not fill in; a stronger plain key counts for all jobs.
    const Config c = load("configs/ssd/default.yaml",
                          {{"workload=seqwrite-128k", "workload=" + file, "workload.fua=true"}});
    ASSERT_EQ(c.jobs.size(), 1u);
    EXPECT_EQ(c.jobs[0].bs, 4096u);
    EXPECT_EQ(c.jobs[0].requests, 0u);
    EXPECT_TRUE(c.jobs[0].fua);
    for (const char* set : {"workload.fio=", "workload.jobs.0="}) {
        EXPECT_EQ(load("configs/ssd/default.yaml", {{set + file}}).jobs.size(), 1u) << set;
    }
    EXPECT_EQ(from("workload: {fio: " + file + "}").jobs.size(), 1u);
    EXPECT_EQ(from("workload: {jobs: [randread-4k, " + file + "]}").jobs.size(), 2u);
}

TEST(FioOptions, SizesFollowKbBase)
{
    EXPECT_EQ(job_of("bs=4k\n").bs, 4096u);
    EXPECT_EQ(job_of("kb_base=1000\nbs=4ki\n").bs, 4096u);
    EXPECT_EQ(job_of("kb_base=1000\nsize=1024k\n").size.bytes, 1024000u);
    EXPECT_EQ(job_of("size=20%\n").size.percent, 20);
    const Workload split = job_of("kb_base=1000\nbssplit=4ki/50:8ki/50,512\n");
    EXPECT_EQ(split.bssplit.of[kReads][1].sectors, 16u);
    EXPECT_EQ(split.bssplit.of[kWrites][0].sectors, 1u);
}

TEST(FioOptions, BlockSizesApartBecomeASplit)
{
    // "8k,32k": writes and trims 32k; "8k,32k,": trims at the default (HOWTO, blocksize).
    const auto sectors = [](const Workload& w, Direction d) { return w.bssplit.of[d][0].sectors; };
    const Workload two = job_of("bs=8k,32k\nrw=read\n");
    EXPECT_EQ(sectors(two, kReads), 16u);
    EXPECT_EQ(sectors(two, kWrites), 64u);
    EXPECT_EQ(sectors(two, kTrims), 64u);
    EXPECT_EQ(sectors(job_of("bs=8k,32k,\n"), kTrims), 8u);
    EXPECT_EQ(sectors(job_of("bs=,8k\n"), kReads), 8u);
    EXPECT_EQ(job_of("bs=8k,8k,8k\n").bs, 8192u);
}

TEST(FioOptions, PatternsAndMix)
{
    EXPECT_EQ(job_of("rw=rw\nrwmixread=70\n").rwmixread, 70u);
    EXPECT_EQ(job_of("rw=randrw\nrwmixwrite=70\nnorandommap\n").rwmixread, 30u);
    EXPECT_EQ(job_of("rw=readwrite\n").rwmixread, 50u);
    EXPECT_EQ(job_of("rw=randtrimwrite\n").rw, Rw::RandTrimWrite);
    EXPECT_EQ(job_of("rw=read\nrwmixread=70\n").rw, Rw::Read); // no effect in fio either
    EXPECT_EQ(job_of("rw=randwrite\nfsync=32\n").flush_every, 32u);
    EXPECT_EQ(job_of("rw=randwrite\nfdatasync=1\n").flush_every, 1u);
    EXPECT_TRUE(job_of("rw=write\nsync=dsync\n").fua);
    EXPECT_FALSE(job_of("rw=write\nsync=none\n").fua);
}

/// In fio a 0 of these is the same as no line at all: our keys have a word for it, and refuse a 0.
TEST(FioOptions, AZeroIsAsIfTheOptionWereNotThere)
{
    const Workload w = job_of("rw=randwrite\nsize=1m\nio_size=0\nruntime=0\nnumber_ios=0\nfsync=0\n");
    EXPECT_EQ(w.number_ios, 0u);
    EXPECT_EQ(w.runtime, Picoseconds());
    EXPECT_EQ(w.flush_every, 0u);
}

TEST(FioOptions, RandomAddresses)
{
    EXPECT_TRUE(job_of("rw=randread\nnorandommap\n").norandommap);
    EXPECT_TRUE(job_of("rw=randread\nnorandommap=1\n").norandommap);
    EXPECT_FALSE(job_of("rw=randread\nnorandommap=0\n").norandommap);
    const Workload zipf = job_of("rw=randread\nrandom_distribution=zipf:1.2\nrandseed=7\n"
                                 "percentage_random=80,20\n");
    EXPECT_EQ(zipf.random_distribution.parameter, 1.2);
    EXPECT_TRUE(zipf.norandommap); // fio: a skewed distribution has no map
    EXPECT_EQ(zipf.randseed, 7u);
    EXPECT_EQ(zipf.percentage_random.of[kWrites], 20u);
}

TEST(FioOptions, AmountsEndTheJob)
{
    EXPECT_EQ(job_of("loops=3\n").loops, 3u);
    const Workload bytes = job_of("size=1g\nio_size=1m\n");
    EXPECT_EQ(bytes.io_size, 1048576u);
    EXPECT_EQ(bytes.loops, 0u);
    EXPECT_EQ(job_of("number_ios=100\n").number_ios, 100u);
    const Workload timed = job_of("runtime=30\ntime_based\n");
    EXPECT_EQ(timed.runtime, milliseconds(30000));
    EXPECT_EQ(timed.loops, 0u);
    const Workload both = job_of("runtime=500ms\n");
    EXPECT_EQ(both.runtime, milliseconds(500));
    EXPECT_EQ(both.loops, 1u);
}

TEST(FioOptions, TimesAndRates)
{
    const Workload w = job_of("startdelay=2\nthinktime=50\nthinktime_blocks=4\nrate_iops=500\n");
    EXPECT_EQ(w.start, microseconds(2000000));
    EXPECT_EQ(w.thinktime, microseconds(50));
    EXPECT_EQ(w.thinktime_blocks, 4u);
    EXPECT_EQ(w.rate_iops, 500);
    EXPECT_EQ(w.mode, LoopMode::Closed);
    const Workload poisson = job_of("rate_iops=500\nrate_process=poisson\n");
    EXPECT_EQ(poisson.mode, LoopMode::Open);
    EXPECT_EQ(poisson.rate_process, RateProcess::Poisson);
    // Each direction has its own cap, and they decide the mix: fio 3.33 with the null engine does
    // 1000 and 3000 a second, whatever rwmixread says.
    const Workload mixed = job_of("rw=rw\nrwmixread=70\nrate_iops=1000,3000\n");
    EXPECT_EQ(mixed.rate_iops, 4000);
    EXPECT_EQ(mixed.writes, 3 * mixed.reads);
}

TEST(FioOptions, PrioritiesAreHigherForSmallerNumbers)
{
    const auto jobs =
        jobs_of("[a]\nprio=0\n[b]\nprio=7\n[c]\n[d]\nprioclass=1\n[e]\nprioclass=3\n");
    std::vector<u32> levels;
    for (const Workload& w : jobs) {
        levels.push_back(w.priority);
    }
    EXPECT_THAT(levels, ElementsAre(3u, 0u, 1u, 3u, 0u)); // without one: best effort 4
    EXPECT_EQ(job_of("rw=read\n").priority, 0u);
}

TEST(FioOptions, ClonesMayBeApart)
{
    EXPECT_EQ(job_of("numjobs=4\n").numjobs, 4u);
    const auto jobs = jobs_of("[a]\nnumjobs=3\noffset=1m\noffset_increment=2m\nsize=1m\n");
    ASSERT_EQ(jobs.size(), 3u);
    EXPECT_EQ(jobs[0].offset.bytes, u64{1} << 20);
    EXPECT_EQ(jobs[2].offset.bytes, u64{5} << 20);
    EXPECT_EQ(jobs[2].name, "a");
    EXPECT_EQ(jobs_of("[a]\nnumjobs=3\noffset_increment=10%\nsize=10%\n")[2].offset.percent, 20);
}

TEST(FioOptions, IdleOnesAreReadOver)
{
    std::string options;
    for (const std::string& option : fio_idle_options()) {
        const bool ones = option == "nrfiles" || option.find("iodepth_batch") == 0;
        options += option + (ones                                ? "=1\n"
                             : option == "zonemode"              ? "=none\n"
                             : option == "thinktime_blocks_type" ? "=complete\n"
                                                                 : "=whatever\n");
    }
    EXPECT_EQ(job_of(options).rw, Rw::Read);
    EXPECT_EQ(jobs_of("[a]\nstonewall\n").size(), 1u); // nothing is before it
}

TEST(FioErrors, NameLineOptionAndNearest)
{
    EXPECT_EQ(wrong("iodpth=3"),
              "job.fio:4:1: iodpth: the generator does not know this option; did you mean "
              "'iodepth'?");
    EXPECT_EQ(wrong("  rw=randraed"),
              "job.fio:4:3: rw: 'randraed' is no pattern; did you mean 'randread'?");
    EXPECT_EQ(wrong("iodepth=many"),
              "job.fio:4:1: iodepth: expected an integer from 0 to 65536, found 'many'");
    EXPECT_EQ(wrong("iodepth"),
              "job.fio:4:1: iodepth: expected an integer from 0 to 65536, found no value");
    EXPECT_THAT(wrong("bssplit=4k/60:8k/60"),
                HasSubstr("job.fio:4:1: workload.jobs.1.bssplit: the percentages add up to 120"));
    EXPECT_THAT(wrong("bssplit=4q/100"), HasSubstr("job.fio:4:1: bssplit: '4q' is no size"));
    EXPECT_THAT(wrong("random_distribution=zoned:60/10:30/90"),
                HasSubstr("job.fio:4:1: random_distribution: accesses: the percentages add up"));
    EXPECT_THAT(wrong("stonewall"), HasSubstr("job.fio:4:1: stonewall: jobs that wait"));
    EXPECT_THAT(wrong("rate=1m"), HasSubstr("job.fio:4:1: rate: a cap of the bandwidth"));
    EXPECT_THAT(wrong("verify=md5"), HasSubstr("job.fio:4:1: verify: not needed"));
    EXPECT_THAT(wrong("rw=randread:8"), HasSubstr("offset modifier"));
    EXPECT_THAT(wrong("runtime=5-10"), HasSubstr("expected a time"));
    EXPECT_THAT(wrong("startdelay=1-2"), HasSubstr("ranges are not modelled"));
    EXPECT_THAT(wrong("time_based"), HasSubstr("job.fio:4:1: time_based: needs a runtime"));
    EXPECT_THAT(wrong("ioengine=net"), HasSubstr("'net' is not for block devices"));
    EXPECT_THAT(wrong("numjobs=0"), HasSubstr("numjobs: expected 1 or more"));
    EXPECT_THAT(wrong("bs=1000"), HasSubstr("job.fio:4:1: workload.jobs.1.bs: 1000 is not"));
    EXPECT_THAT(wrong("nrfiles=4"), HasSubstr("nrfiles: the device is the only file"));
    EXPECT_THAT(wrong("norandommap=maybe\nrw=randread"), HasSubstr("expected 0 or 1"));
    EXPECT_THAT(wrong("rate_process=uniform"), HasSubstr("expected linear or poisson"));
    EXPECT_THAT(wrong("rate_iops=,500\nrw=rw"), HasSubstr("for each direction that is used"));
    EXPECT_THAT(wrong("rw=rw\nrwmixread=70\nrwmixwrite=40"), HasSubstr("does not add up to 100"));
    EXPECT_THAT(wrong("loops=2\nnumber_ios=5"), HasSubstr("job.fio:4:1: loops: beside io_size"));
    EXPECT_THAT(wrong("rw=randrw\nbs=4k,8k"), HasSubstr("needs the same sizes for reads, writes"));
    EXPECT_THAT(wrong("[third"), HasSubstr("job.fio:4:1: expected [NAME] alone on the line"));
    EXPECT_THAT(wrong("include other.fio"), HasSubstr("job.fio:4:1: include: other job files"));
}

TEST(FioErrors, FilesWithoutJobs)
{
    const auto message = [](const std::string& text) {
        try {
            fio_jobs(text, "x.fio");
        } catch (const InputError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_EQ(message(""), "x.fio:1:1: no job: a fio job file has a [section] beside [global]");
    EXPECT_EQ(message("[global]\nrw=read\n"),
              "x.fio:1:1: no job: a fio job file has a [section] beside [global]");
    EXPECT_EQ(message("rw=read\n[a]\n"), "x.fio:1:1: rw: stands before the first [section]");
    EXPECT_THAT(message("[a]\nrw=\x01\n"), HasSubstr("x.fio:2:4: control character 1"));
    EXPECT_EQ(message("[a]\n"), "");
}

TEST(FioErrors, MutatedFilesAreReadOrGetAMessageWithTheFile)
{
    const std::string good = "[global]\nioengine=libaio\nbssplit=4k/60:8k/40,512\niodepth=4\n"
                             "[a]\nrw=randrw\nrwmixread=70\nnorandommap\nsize=10%\nruntime=5s\n"
                             "[b]\nrw=randwrite\nrandom_distribution=zoned:60/10:40/90\nfsync=8\n"
                             "thinktime=10us\nnumjobs=2\noffset_increment=1m\nrate_iops=100,200\n";
    const std::string letters = "0123456789kmg%/:,=[];#.-x \n";
    int read = 0;
    int refused = 0;
    for (u64 i = 0; i < 1500; ++i) {
        std::string text = good;
        for (u64 n = 0; n <= draw64(1, 2, i) % 3; ++n) {
            const u64 word = draw64(3, i, n);
            const std::size_t at = word % text.size();
            const char letter = letters[(word >> 32) % letters.size()];
            switch ((word >> 20) % 3) {
            case 0:
                text[at] = letter;
                break;
            case 1:
                text.insert(at, 1, letter);
                break;
            default:
                text.erase(at, 1);
                break;
            }
        }
        const TempFolder folder;
        const std::string file = folder.write("x.fio", text);
        try {
            from("workload: " + file);
            ++read;
        } catch (const InputError& e) {
            EXPECT_THAT(e.what(), HasSubstr("x.fio")) << text;
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
            ++refused;
        }
    }
    EXPECT_GT(read, 40); // both happen
    EXPECT_GT(refused, 300);
}

} // namespace
} // namespace tlmssd::config
