// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one request alone in the device takes the sum of its parts, to the picosecond. The parts
// are numbers of data sheets and the cost points of costs.def by name; docs/explanation/latency.md has the same table
// with sources.
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

constexpr u64 ns = 1000; // all times in ps
constexpr u64 us = 1000 * ns;

// ---- NAND part (written into the configuration below) ----
constexpr u64 tR = 50 * us;
constexpr u64 tPROG = 900 * us;

// ---- ONFI, NV-DDR mode 5 ----
constexpr u64 tCS = 15 * ns, tCAD = 45 * ns, tCK = 10 * ns, tWB = 100 * ns, tRR = 20 * ns;
constexpr u64 tCCS = 500 * ns, tADL = 400 * ns, tWHR = 80 * ns;
constexpr u64 tWRCK = 20 * ns, tDQSCK = 25 * ns, tDQSHZ = 20 * ns;
constexpr u64 tWPRE = 15 * ns, tWPST = 15 * ns; // 1.5 tCK
constexpr u64 kOutEdges = tWRCK + tDQSCK + tDQSHZ;

// ---- one 4 KiB request ----
// Of a page of 8192 + 448 bytes: parity (448 - 16) / 16 = 27, codewords of 512 + 27 = 539 bytes.
constexpr u64 kReadBytes = 8 * 539;       // 4312
// Of a page of 4096 + 224 bytes: parity (224 - 16) / 8 = 26, codewords of 538 bytes, 16 bytes OOB.
constexpr u64 kWriteBytes = 8 * 538 + 16; // 4320

// 100 ns access + 4096 B at 3200 MB/s.
constexpr u64 kDram = 100 * ns + 4096 * us / 3200;
constexpr u64 kEcc = 1 * us;

// ---- SATA at 6 Gb/s ----
// A dword is 40 bits at 6 Gb/s with its share of 2 ALIGN dwords in each 256: 40/6 ns * 258/256 =
// 6718.75 ps. A frame has SOF, CRC, EOF and 20 dwords of handshake beside its FIS.
constexpr u64 frame(u64 fis_dwords) { return ((fis_dwords + 23) * 671875 + 99) / 100; }
constexpr u64 kCommandFis = frame(5);
constexpr u64 kDmaSetupFis = frame(7);
constexpr u64 kDataFis = frame(1 + 4096 / 4);
constexpr u64 kSetDeviceBitsFis = frame(2);

// ---- firmware: cycles of costs.def at 800 MHz ----
constexpr u64 kCycle = 1250;
#define COST(id, cycles, text) constexpr u64 id [[maybe_unused]] = cycles;
#include "firmware/hal/costs.def"
#undef COST
constexpr u64 kWake = STEP + EVENT; // and the event is taken
constexpr u64 kMessage = MESSAGE_LOCAL + MESSAGE_TAKE;

// A step's output appears when the cycles before it have been spent: each sum names the points that the
// code passes until then, module by module. Read: command to doorbell,
constexpr u64 kReadIssue =
    kWake + HIL_COMMAND + HIL_ASK + HIL_PAGE + kMessage + // hil
    BUFFER_LOOKUP + BUFFER_TAKE + BUFFER_SERVE + BUFFER_LOAD + BUFFER_OP + kMessage + BUFFER_WAIT +
    FTL_LOOKUP + FTL_ADDRESS + FTL_ROW + kMessage +
    SCHED_MESSAGE + SCHED_ENQUEUE + SCHED_LOOK + SCHED_PLANE + SCHED_SUBMIT;
// completion to host DMA,
constexpr u64 kReadReturn =
    kWake + SCHED_COMPLETE + SCHED_DONE + kMessage + FTL_DONE + kMessage +
    BUFFER_OP_DONE + BUFFER_LOADED + BUFFER_SETTLE + BUFFER_WAITED + BUFFER_SERVE + BUFFER_READ +
    kMessage + HIL_READY + HIL_DMA;
// and, after the host has its data, the whole step that closes the command.
constexpr u64 kReadClose = kWake + HIL_DMA_DONE + HIL_PAGE_DONE + HIL_COMPLETE + kMessage +
                           BUFFER_SETTLE + BUFFER_GIVE + EVENT_NEXT + SLEEP;

// Write: command to host DMA,
constexpr u64 kWriteGrant =
    kWake + HIL_COMMAND + HIL_ASK + HIL_PAGE + kMessage +
    BUFFER_LOOKUP + BUFFER_TAKE + BUFFER_SERVE + BUFFER_WRITE + kMessage + HIL_READY + HIL_DMA;
// data received to doorbell: the FTL places the page, the scheduler asks for its binding. It replaces
// another, in a block that is open.
// The block that loses a page is the first to lose one: in the index of full blocks it climbs to the root of 32.
constexpr u64 kIndex = 1 + 5;
constexpr u64 kWriteIssue =
    kWake + HIL_DMA_DONE + kMessage +
    BUFFER_RECEIVED + BUFFER_DIRTY + BUFFER_PROGRAM + BUFFER_OP + kMessage +
    FTL_ALLOCATE + FTL_PROMISE + FTL_ADDRESS + kMessage + SCHED_MESSAGE + SCHED_ENQUEUE + kMessage +
    FTL_WRITE_POINT + FTL_ASSIGN + FTL_ROW + FTL_UPDATE + FTL_INVALIDATE + kIndex * GC_INDEX + kMessage +
    SCHED_MESSAGE + SCHED_LOOK + SCHED_PLANE + SCHED_OOB + SCHED_SUBMIT;
// completion to acknowledgement.
constexpr u64 kWriteReturn =
    kWake + SCHED_COMPLETE + SCHED_DONE + kMessage + FTL_DONE + kMessage +
    BUFFER_OP_DONE + BUFFER_PROGRAMMED + BUFFER_DIRTY + BUFFER_SETTLE + BUFFER_GIVE + kMessage +
    HIL_PAGE_DONE + HIL_COMPLETE + HIL_STATUS;

constexpr u64 kReadCommand = tCS + 7 * tCAD; // 00h, 5 address cycles, 30h
constexpr u64 kArrayRead = tWB + tR;
// R/B# was the cue: data at once; with several LUNs on the CE#, 06h, 5 address cycles, E0h before.
constexpr u64 kDataOut = tCS + tRR + kOutEdges + kReadBytes / 2 * tCK;
constexpr u64 kChosenDataOut = tCS + 7 * tCAD + tCCS + kOutEdges + kReadBytes / 2 * tCK;
// 80h, 5 address cycles, data, 10h
constexpr u64 kDataIn = tCS + 7 * tCAD + tADL + tWPRE + kWriteBytes / 2 * tCK + tWPST;
constexpr u64 kArrayProgram = tWB + tPROG;
constexpr u64 kStatus = tCS + 1 * tCAD + tWHR + kOutEdges + 1 * tCK; // 70h; one byte costs a pair
constexpr u64 kChosenStatus = kStatus + 3 * tCAD;                    // 78h and a row

constexpr u64 kFlashRead = kReadCommand + kArrayRead + kDataOut + kDram + kEcc;
constexpr u64 kChosenFlashRead = kReadCommand + kArrayRead + kChosenDataOut + kDram + kEcc;
constexpr u64 kFlashProgram = kDataIn + kArrayProgram + kStatus;
constexpr u64 kChosenFlashProgram = kDataIn + kArrayProgram + kChosenStatus;

constexpr u64 direct_read(u64 flash)
{
    return (kReadIssue + kReadReturn) * kCycle + flash + kDram;
}
constexpr u64 direct_write(u64 flash)
{
    return (kWriteGrant + kWriteIssue + kWriteReturn) * kCycle + kDram + flash;
}
// The DMA setup passes while DRAM is read.
static_assert(kDmaSetupFis < kDram);
constexpr u64 sata_read(u64 flash)
{
    return kCommandFis + (kReadIssue + kReadReturn) * kCycle + flash + kDram + kDataFis +
           kSetDeviceBitsFis;
}
// The release FIS that answers the command passes while the firmware works on it.
static_assert(frame(5) < kWriteGrant * kCycle);
constexpr u64 sata_write(u64 flash)
{
    return kCommandFis + (kWriteGrant + kWriteIssue + kWriteReturn) * kCycle + kDmaSetupFis +
           kDataFis + kDram + flash + kSetDeviceBitsFis;
}

config::Config reader(const Sets& sets)
{
    return configured(one_command_device("page_bytes: 8192, spare_bytes: 448") +
                          "workload: {rw: randread, bs: 4096, size: 25%, requests: 1}",
                      sets);
}

config::Config writer(const Sets& sets)
{
    return configured(one_command_device("page_bytes: 4096, spare_bytes: 224") +
                          "workload: {rw: randwrite, bs: 4096, size: 25%, requests: 1}",
                      sets);
}

/// All requests of a run took exactly `expected`.
void expect_latency(const config::Config& config, u64 expected)
{
    const Device run(config);
    run.expect_clean();
    const host::DirectionStats& stats =
        run.host().reads.count != 0 ? run.host().reads : run.host().writes;
    EXPECT_EQ(stats.latency.min().value(), expected);
    EXPECT_EQ(stats.latency.max().value(), expected);
}

const Sets kDirect{"host.kind=direct"};
const Sets kSata{"host.kind=sata"};
const Sets kEthernet{"host.kind=direct", "host.direct_mb_per_s=12.5"}; // 100 Mb/s: 80 ns a byte
constexpr u64 kOnEthernet = 4096 * 80 * ns;
const Sets kDirectTwoLuns{"host.kind=direct", "geometry.chip_enables=1"};
const Sets kSataTwoLuns{"host.kind=sata", "geometry.chip_enables=1"};

TEST(OneRead, OnTheDirectPortIsTheSumOfItsParts)
{
    EXPECT_EQ(direct_read(kFlashRead) - (kReadIssue + kReadReturn) * kCycle,
              75850 * ns); // the sum in docs/explanation/latency.md
    expect_latency(reader(kDirect), direct_read(kFlashRead));
}

TEST(OneRead, OverSataIsTheSumOfItsParts)
{
    EXPECT_EQ(sata_read(kFlashRead) - (kReadIssue + kReadReturn) * kCycle, 83247344u);
    expect_latency(reader(kSata), sata_read(kFlashRead));
}

TEST(OneRead, OverTheDirectLinkTakesItsTimeMore)
{
    expect_latency(reader(kEthernet), direct_read(kFlashRead) + kOnEthernet);
}

TEST(OneRead, ChoosesItsLunWhereTwoShareAChipEnable)
{
    EXPECT_EQ(kChosenFlashRead - kFlashRead, 795 * ns); // 7 tCAD + tCCS - tRR
    expect_latency(reader(kDirectTwoLuns), direct_read(kChosenFlashRead));
}

TEST(OneRead, ChoosesItsLunOverSataToo)
{
    expect_latency(reader(kSataTwoLuns), sata_read(kChosenFlashRead));
}

TEST(OneRead, ThatFollowsAtOnceWaitsForTheFirmwareToCloseTheOneBefore)
{
    Sets sets = kDirect;
    sets.push_back("workload.requests=2");
    const Device run(reader(sets));
    run.expect_clean();
    EXPECT_EQ(run.host().reads.latency.min().value(), direct_read(kFlashRead));
    EXPECT_EQ(run.host().reads.latency.max().value(),
              direct_read(kFlashRead) + kReadClose * kCycle);
}

TEST(OneRead, ThroughTheKernelTimersTakesTheSameTime)
{
    Sets sets = kSata;
    sets.push_back("time.backend=kernel");
    expect_latency(reader(sets), sata_read(kFlashRead));
}

TEST(OneWrite, OnTheDirectPortIsTheSumOfItsParts)
{
    EXPECT_EQ(direct_write(kFlashProgram) - (kWriteGrant + kWriteIssue + kWriteReturn) * kCycle,
              924055 * ns);
    expect_latency(writer(kDirect), direct_write(kFlashProgram));
}

TEST(OneWrite, OverSataIsTheSumOfItsParts)
{
    EXPECT_EQ(sata_write(kFlashProgram) - (kWriteGrant + kWriteIssue + kWriteReturn) * kCycle,
              931653907u);
    expect_latency(writer(kSata), sata_write(kFlashProgram));
}

TEST(OneWrite, OverTheDirectLinkTakesItsTimeMore)
{
    expect_latency(writer(kEthernet), direct_write(kFlashProgram) + kOnEthernet);
}

TEST(OneWrite, AsksOneOfTwoLunsForItsStatus)
{
    EXPECT_EQ(kChosenFlashProgram - kFlashProgram, 135 * ns);
    expect_latency(writer(kDirectTwoLuns), direct_write(kChosenFlashProgram));
}

TEST(OneWrite, AsksOneOfTwoLunsForItsStatusOverSataToo)
{
    expect_latency(writer(kSataTwoLuns), sata_write(kChosenFlashProgram));
}

} // namespace
} // namespace tlmssd::tb
