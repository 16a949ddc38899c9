// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `data: full`: every byte that the host reads is the one that it wrote last, whatever the way;
// planted faults are found by bytes too; and nothing else of a run changes.
#include <gmock/gmock.h>

#include <cstdio>
#include <fstream>
#include <tuple>

#include "models/common/hash.h"
#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

using testing::HasSubstr;

const char* const kSchedulers[] = {
#define SCHED(id, name, mode, traits, text) #name,
#include "firmware/hal/sched.def"
#undef SCHED
};

void add(Sets& sets, const Sets& more) { sets.insert(sets.end(), more.begin(), more.end()); }

std::string mix(u32 bytes, u32 requests)
{
    return tiny_device() + "data: full\nworkload: {rw: randrw, rwmixread: 40, flush_every: 29, "
                           "trim_percent: 8, bs: " +
           std::to_string(bytes) + ", requests: " + std::to_string(requests) + "}\n";
}

/// Without device errors every byte of every read is compared.
void expect_every_byte_checked(const Device& run)
{
    run.expect_clean();
    EXPECT_GT(run.host().bytes_checked, 0u);
    EXPECT_EQ(run.host().bytes_checked, run.host().reads.bytes);
    EXPECT_EQ(run.results()["integrity"]["bytes_checked"], run.host().bytes_checked);
}

using Parameters = std::tuple<const char*, const char*, const char*, u32>;

class FullData : public testing::TestWithParam<Parameters> {};

TEST_P(FullData, ComesBackByteForByte)
{
    const auto [scheduler, policy, port, bytes] = GetParam();
    const Device run(mix(bytes, bytes > 8192 ? 2500 : 4000),
                     {std::string("scheduler=") + scheduler, std::string("buffer.policy=") + policy,
                      std::string("host.kind=") + port});
    expect_every_byte_checked(run);
    EXPECT_GT(run.firmware().gc_pages_moved, 0u);
}

std::string name_of(const testing::TestParamInfo<Parameters>& info)
{
    const auto [scheduler, policy, port, bytes] = info.param;
    return std::string(scheduler) + "_" + policy + "_" + port + "_" + std::to_string(bytes) + "B";
}

// Sectors alone, parts of units across their borders, parts of several pages.
INSTANTIATE_TEST_SUITE_P(System, FullData,
                         testing::Combine(testing::ValuesIn(kSchedulers),
                                          testing::Values("none", "lru"),
                                          testing::Values("sata", "direct"),
                                          testing::Values(512u, 2560u, 13824u)),
                         name_of);

class FullDataWith : public testing::TestWithParam<std::pair<const char*, Sets>> {};

TEST_P(FullDataWith, ComesBackByteForByte)
{
    Sets sets{"scheduler=vaq", "buffer.policy=lru"};
    add(sets, GetParam().second);
    expect_every_byte_checked(Device(mix(13824, 2500), sets));
}

INSTANTIATE_TEST_SUITE_P(
    System, FullDataWith,
    testing::Values(
        std::pair{"pages_of_2_kib",
                  Sets{"nand.page_bytes=2048", "nand.spare_bytes=128", "buffer.size_mib=0.25"}},
        std::pair{"pages_of_16_kib", Sets{"nand.page_bytes=16384", "nand.spare_bytes=1024"}},
        std::pair{"no_room_for_a_crc", Sets{"nand.spare_bytes=64"}}, // 3 bytes of parity a sector
        std::pair{"two_luns_a_chip_enable", Sets{"geometry.chip_enables=1"}},
        std::pair{"used_by_random_overwrites", Sets{"precondition.overwrite=1.5"}},
        std::pair{"an_empty_device", Sets{"precondition.fill=0"}},
        std::pair{"written_back_in_the_background", Sets{"buffer.flush_after_ms=2"}},
        std::pair{"fua", Sets{"workload.fua=true"}}),
    [](const auto& it) { return std::string(it.param.first); });

class FullDataTrace : public testing::TestWithParam<const char*> {};

/// Requests of 1 to 40 sectors at any sector of the first 2000 pages, two writes to one read.
TEST_P(FullDataTrace, OfAnySizeAtAnyPlaceComesBack)
{
    const std::string port = GetParam();
    const std::string path = testing::TempDir() + "data_full_" + port + ".trace";
    constexpr u64 kRequests = 6000;
    {
        std::ofstream file(path);
        for (u64 i = 0; i < kRequests; ++i) {
            file << "0.0 0 " << draw_below(draw64(1, 1, i), 32000) << ' '
                 << 1 + draw_below(draw64(1, 2, i), 40) << ' '
                 << (draw_below(draw64(1, 3, i), 3) == 0 ? 1 : 0) << '\n';
        }
    }
    const Device run(tiny_device() + "data: full\nworkload: {format: disksim, mode: closed, "
                                     "requests: 6000, trace: " + path + "}\n",
                     {"buffer.policy=lru", "host.kind=" + port});
    std::remove(path.c_str());
    expect_every_byte_checked(run);
    EXPECT_EQ(run.completed(), kRequests);
}

INSTANTIATE_TEST_SUITE_P(System, FullDataTrace, testing::Values("sata", "direct"),
                         [](const auto& it) { return std::string(it.param); });

const char* const kReads = "\ndata: full\nworkload: {rw: randread, bs: 8k, requests: 2000}\n";

/// Found by the tag and, on its own, by the bytes.
void expect_found_twice(const Device& run)
{
    EXPECT_EQ(run.status(), run::RunStatus::Failed);
    EXPECT_GT(run.host().mismatches, 0u);
    EXPECT_THAT(run.failure_text(), HasSubstr(": expected unit "));
    EXPECT_THAT(run.failure_text(), HasSubstr(" of the sector: expected "));
}

TEST(FullDataFault, SwappedPageRegistersAreFoundInTheBytes)
{
    expect_found_twice(Device(tiny_device() + kReads, {"inject.swap_page_registers_at=500"}));
}

TEST(FullDataFault, AFalsifiedDmaAddressIsFoundInTheBytes)
{
    expect_found_twice(Device(tiny_device() + kReads, {"inject.falsify_dma_at=500"}));
}

TEST(FullDataFault, IsFoundOverSataToo)
{
    expect_found_twice(
        Device(tiny_device() + kReads, {"inject.falsify_dma_at=500", "host.kind=sata"}));
}

/// Bit errors: what ECC corrects arrives right; what it gives up on ends with an error and is not
/// compared. An RBER of at least 1e-3 gives a codeword of 540 bytes 4.3 bit errors and more; some have over 12.
TEST(FullDataErrors, CorrectedDataAreRightAndLostDataAreReported)
{
    const Device run(tiny_device() + kReads,
                     {"nand.errors.enabled=true", "nand.errors.e=0.001", "controller.ecc_bits=12",
                      "controller.read_retries=0"});
    EXPECT_EQ(run.status(), run::RunStatus::Done) << run.failure_text();
    EXPECT_EQ(run.host().mismatches, 0u);
    EXPECT_GT(run.host().device_errors.reads, 0u);
    EXPECT_GT(run.simulation().ssd().data_path().ecc_statistics().corrected_bits, 0u);
    EXPECT_GT(run.host().bytes_checked, 0u);
}

#ifdef TLMSSD_HAVE_RTL
class FullDataRtl : public testing::TestWithParam<const char*> {};

TEST_P(FullDataRtl, ComesBackByteForByte)
{
    expect_every_byte_checked(Device(mix(13824, 1500), {"controller.kind=rtl", "buffer.policy=lru",
                                                        std::string("scheduler=") + GetParam()}));
}

INSTANTIATE_TEST_SUITE_P(System, FullDataRtl, testing::ValuesIn(in_order_schedulers()),
                         [](const auto& it) { return std::string(it.param); });
#endif

} // namespace
} // namespace tlmssd::tb
