// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: whole replays: times by hand, refusal of what does not fit, replay.json and its log.
#include <gmock/gmock.h>

#include <fstream>

#include "models/common/error.h"
#include "models/onfi/bus/timing.h"
#include "tb/cosim/twin.h"
#include "tb/observe/schema_check.h"

namespace tlmssd::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

/// One channel, four dies, nothing random; the first two pages of each block hold something where the
/// device is full. Landing takes no time: no ECC time, a DRAM that is never behind.
const char* const kDevice = R"(
nand: {page_bytes: 8192, spare_bytes: 448, t_read_us: 50, t_program_us: 400, t_erase_us: 1000}
geometry: {channels: 1, ways: 4, dies: 1, planes: 2, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
host: {kind: direct, queue_depth: 32}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
scheduler: host
)";

flash_op op_at(u8 opcode, u8 ce, u32 row)
{
    flash_op op{};
    op.opcode = opcode;
    op.ce = ce;
    op.nplanes = 1;
    op.row[0] = row;
    op.len[0] = 16;
    op.stream = FLASH_NO_STREAM;
    op.oob = FLASH_NO_OOB;
    return op;
}

class ReplayRun : public testing::Test {
protected:
    ReplayRun() : twin_(kDevice, {}) {}
    void write(const std::vector<probes::RecordedOp>& ops) const
    {
        probes::OpFile file(twin_.ops());
        for (const probes::RecordedOp& op : ops) {
            file.add(op);
        }
        file.close();
    }
    std::string error_of(const std::vector<probes::RecordedOp>& ops) const
    {
        write(ops);
        try {
            const config::Config device = twin_.config();
            Replay replay(device, twin_.ops(), {});
        } catch (const InputError& e) {
            return e.what();
        }
        return "none";
    }
    tb::Twin twin_;
};

/// Two programs of one block that arrive together, one after the other: each takes its burst, tWB, tPROG
/// and the status; the second cannot start before the first has ended.
TEST_F(ReplayRun, OperationsStartAtTheirRecordedTimes)
{
    std::vector<probes::RecordedOp> ops = {{microseconds(3), op_at(FLASH_OP_PROGRAM, 0, 0)},
                                           {microseconds(3), op_at(FLASH_OP_PROGRAM, 0, 1)},
                                           {milliseconds(7), op_at(FLASH_OP_READ, 0, 1)}};
    ops[1].op.tag = 1;
    ops[2].op.tag = 2;
    write(ops);
    const ReplayRecord r = twin_.replay({});
    ASSERT_EQ(r.ops.size(), 3u);
    EXPECT_EQ(r.ops[0].arrival, microseconds(3));
    EXPECT_EQ(r.ops[0].started, microseconds(3));
    EXPECT_EQ(r.ops[2].arrival, milliseconds(7));
    EXPECT_EQ(r.ops[2].started, milliseconds(7));
    EXPECT_GE(r.ops[1].started, r.ops[0].ended);
    EXPECT_GT(r.ops[0].completed, microseconds(403));
    EXPECT_LT(r.ops[0].completed, microseconds(500)); // the burst takes 44 us
    ASSERT_EQ(r.segments.size(), 6u);                  // data in, status; twice; command, data out
    EXPECT_EQ(r.segments[4].phase, flash::Phase::Command);
    EXPECT_EQ(r.segments[5].phase, flash::Phase::DataOut);
}

/// `--rtl-latencies`: ten edges after the one that sees the operation (docs/explanation/rtl-o3-times.md). The default is
/// 80 MHz, 12,500 ps: 3,001,000 ps is seen by edge 241. At 200 MHz, 5,000 ps, by edge 601.
TEST_F(ReplayRun, TheLatenciesOfTheRtlDelayTheFirstSegment)
{
    write({{Picoseconds(3001000), op_at(FLASH_OP_PROGRAM, 0, 0)}});
    ReplayOptions options;
    options.rtl_latencies = true;
    const ReplayRecord r = twin_.replay({}, options);
    ASSERT_EQ(r.ops.size(), 1u);
    EXPECT_EQ(r.ops[0].started, Picoseconds((241 + 10) * 12500));
    const ReplayRecord faster = twin_.replay({"controller.clock_mhz=200"}, options);
    ASSERT_EQ(faster.ops.size(), 1u);
    EXPECT_EQ(faster.ops[0].started, Picoseconds((601 + 10) * 5000));
}

TEST_F(ReplayRun, AClosedLoopHasAsManyInsideAsThereAreTags)
{
    std::vector<probes::RecordedOp> ops;
    for (u32 n = 0; n < 60; ++n) {
        ops.push_back({milliseconds(n), op_at(FLASH_OP_ERASE, n % 4, n / 4 * 32)});
        ops.back().op.tag = static_cast<u16>(n);
    }
    write(ops);
    ReplayOptions closed;
    closed.closed = true;
    const ReplayRecord r = twin_.replay({"controller.tags=16"}, closed);
    ASSERT_EQ(r.ops.size(), 60u);
    for (u32 n = 0; n < 60; ++n) {
        u32 inside = 0;
        for (u32 m = 0; m < n; ++m) {
            inside += r.ops[m].completed > r.ops[n].submitted;
        }
        EXPECT_LE(inside, 15u) << n;
        EXPECT_EQ(inside, std::min(n, 15u)) << n; // and never fewer: erases take equally long
    }
}

TEST_F(ReplayRun, RefusesWhatThePagesDoNotAllow)
{
    const Geometry g = twin_.geometry();
    const auto at = [](const flash_op& op) { return probes::RecordedOp{Picoseconds(), op}; };
    EXPECT_THAT(error_of({at(op_at(FLASH_OP_PROGRAM, 1, g.row(0, 1, 2, 0))),
                          at(op_at(FLASH_OP_PROGRAM, 1, g.row(0, 1, 2, 2)))}),
                AllOf(HasSubstr("ops.csv.zst:3: operation 1 (program ch0/ce1/lun0 plane 1 block 2 page 2)"),
                      HasSubstr("the next page of the block is 1"), HasSubstr("precondition")));
}

TEST_F(ReplayRun, RefusesAReadOfAnErasedPage)
{
    const Geometry g = twin_.geometry();
    const auto at = [](const flash_op& op) { return probes::RecordedOp{Picoseconds(), op}; };
    EXPECT_THAT(error_of({at(op_at(FLASH_OP_PROGRAM, 0, 0)), at(op_at(FLASH_OP_READ, 0, 0)),
                          at(op_at(FLASH_OP_ERASE, 0, 0)), at(op_at(FLASH_OP_READ, 0, g.row(0, 0, 0, 0)))}),
                AllOf(HasSubstr(":5: operation 3 (read"), HasSubstr("the page is erased")));
}

TEST_F(ReplayRun, RefusesABufferOutsideOfDram)
{
    flash_op op = op_at(FLASH_OP_PROGRAM, 0, 0);
    op.buf[0] = 1u << 30;
    EXPECT_THAT(error_of({{Picoseconds(), op}}), HasSubstr("buffer 1073741824 is none of"));
}

/// A device's own recording, on the controller that made it: nobody waits for a tag, nothing breaks a rule.
TEST_F(ReplayRun, ReplaysWhatADeviceHasDone)
{
    tb::Twin twin(kDevice, {"precondition.fill=1", "workload.rw=randrw", "workload.rwmixread=50",
                            "workload.bs=16384", "workload.requests=600"});
    ASSERT_TRUE(twin.record());
    ASSERT_TRUE(tb::apart([&] {
        const config::Config device = twin.config();
        Replay replay(device, twin.ops(), {});
        if (replay.run() != run::RunStatus::Done) {
            return false;
        }
        const observe::Json r = replay.results(run::RunStatus::Done);
        const auto& o = r["operations"];
        std::ifstream file("docs/reference/replay.schema.json");
        const observe::Json schema = observe::Json::parse(file);
        const std::vector<std::string> faults = tb::SchemaCheck(schema).faults(r);
        for (const std::string& fault : faults) {
            std::fprintf(stderr, "%s\n", fault.c_str());
        }
        const u64 pages = r["channels"][0]["programs"];
        return faults.empty() && o["completed"] == o["recorded"] && o["delayed"] == 0 &&
               o["status"]["ok"] == o["recorded"] && pages >= o["program"]["count"] &&
               o["all"]["count"] == o["recorded"] && r["checker"]["violations"] == 0;
    }));
}

/// A die that hangs in an erase, and nobody who gives it up: one line for the operation, then what the RTL
/// knows of it, a line each.
#ifdef TLMSSD_HAVE_RTL
TEST_F(ReplayRun, AStallNamesWhatIsInsideOfTheRtl)
{
    std::vector<probes::RecordedOp> ops = {{microseconds(1), op_at(FLASH_OP_ERASE, 0, 0)},
                                           {microseconds(1), op_at(FLASH_OP_ERASE, 1, 0)}};
    ops[1].op.tag = 1;
    write(ops);
    const std::string script = testing::TempDir() + "replay_hangs_" + std::to_string(getpid());
    std::ofstream(script) << "at 500 us: die 0/1/0 stops answering\n";
    EXPECT_TRUE(tb::apart([&] {
        const std::vector<std::string> sets{"controller.kind=rtl", "inject.fault_script=" + script};
        const config::Config device = twin_.config(sets);
        Replay replay(device, twin_.ops(), {});
        EXPECT_EQ(replay.run(), run::RunStatus::Failed);
        const std::vector<std::string> all = replay.failures();
        EXPECT_EQ(all.size(), 3u) << testing::PrintToString(all);
        EXPECT_EQ(all.at(0), twin_.ops() + ":3: operation 1 (erase ch0/ce1/lun0 plane 0 block 0) never "
                                           "ended, and nothing is left to do");
        EXPECT_THAT(all.at(1), HasSubstr("rtl: 1 operations outstanding; the oldest: tag 1, ERASE of channel 0 "));
        EXPECT_THAT(all.at(2), HasSubstr("rtl: channel 0: 1 operations outstanding, bus free"));
        return !testing::Test::HasFailure();
    }));
    std::filesystem::remove(script);
}
#endif

/// The latencies are those with ready lines and without suspends: anything else would look like a twin.
TEST_F(ReplayRun, LatenciesAreRefusedWhereTheyAreNotFitted)
{
    write({{microseconds(1), op_at(FLASH_OP_ERASE, 0, 0)}});
    ReplayOptions options;
    options.rtl_latencies = true;
    const auto error = [&](const std::vector<std::string>& sets) -> std::string {
        try {
            const config::Config device = twin_.config(sets);
            Replay replay(device, twin_.ops(), options);
        } catch (const InputError& e) {
            return e.what();
        }
        return "none";
    };
    EXPECT_EQ(error({"controller.suspend=erase"}),
              "--rtl-latencies: is not fitted to suspends: controller.suspend is erase; nearest: none");
    EXPECT_EQ(error({"onfi.ready=status"}),
              "--rtl-latencies: is not fitted to polls: onfi.ready is status; nearest: lun");
    EXPECT_EQ(error({"onfi.ready=target", "geometry.dies=2", "geometry.ways=2"}),
              "--rtl-latencies: is not fitted to polls: onfi.ready is target; nearest: lun");
    EXPECT_THAT(error({"controller.kind=rtl"}), HasSubstr("the RTL has its own"));
    // One LUN a CE#: its line is the LUN's.
    EXPECT_EQ(twin_.replay({"onfi.ready=target"}, options).ops.size(), 1u);
}

/// Who replays on a device of another state is told so, at the first operation that shows it. 1,500 pages
/// do not fit into the 64 of 192 blocks (1,024 pages) that a full device has free, so pages of full blocks
/// are collected; half of those blocks are empty where the device is filled by half.
TEST_F(ReplayRun, AnotherPreconditionIsFound)
{
    tb::Twin twin(kDevice, {"workload.rw=randwrite", "workload.bs=8192", "workload.requests=1500"});
    ASSERT_TRUE(twin.record({"precondition.fill=1"}));
    try {
        const config::Config device = twin.config({"precondition.fill=0.5"});
        Replay replay(device, twin.ops(), {});
        ADD_FAILURE() << "it was taken";
    } catch (const InputError& e) {
        EXPECT_THAT(e.what(), HasSubstr("was it recorded with this configuration"));
    }
}

} // namespace
} // namespace tlmssd::replay
