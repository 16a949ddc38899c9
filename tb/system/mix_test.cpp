// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: every scheduler with every buffer policy and every spread over cores survives a mixed
// load of partial pages, FLUSH, FUA and TRIM with heavy garbage collection: no wrong data, no
// broken protocol, nothing left open.
#include <tuple>

#include "tb/system/run.h"

namespace tlmssd::tb {
namespace {

const char* const kSchedulers[] = {
#define SCHED(id, name, mode, traits, text) #name,
#include "firmware/hal/sched.def"
#undef SCHED
};
const char* const kPolicies[] = {
#define BUFFER_POLICY(id, name, text) #name,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
};

/// hil, buffer, ftl and sched on 1, 2 or 4 cores.
Sets cores(u32 count)
{
    switch (count) {
    case 2:
        return {"cpu.cores=2", "cpu.core_of.ftl=1", "cpu.core_of.sched=1"};
    case 4:
        return {"cpu.cores=4", "cpu.core_of.hil=3", "cpu.core_of.buffer=2", "cpu.core_of.ftl=1",
                "cpu.core_of.sched=0"};
    default:
        return {"cpu.cores=1"};
    }
}

std::string mix(u32 bytes)
{
    // Many small requests, few large ones: about the same number of pages.
    const u32 requests = bytes > 8192 ? 2500 : 4000;
    return tiny_device() + R"(
workload: {rw: randrw, rwmixread: 35, flush_every: 23, trim_percent: 8, bs: )" +
           std::to_string(bytes) + ", requests: " + std::to_string(requests) + "}\n";
}

void add(Sets& sets, const Sets& more) { sets.insert(sets.end(), more.begin(), more.end()); }

void expect_busy_and_clean(const Device& run)
{
    run.expect_clean();
    EXPECT_GT(run.firmware().gc_runs, 0u);
    EXPECT_GT(run.firmware().gc_pages_moved, 0u);
    EXPECT_GT(run.firmware().pages_trimmed + run.host().trims, 0u);
    EXPECT_GT(run.host().flushes, 0u);
    EXPECT_GT(run.host().units_checked, 0u);
    EXPECT_EQ(run.results()["ftl"]["gc"]["runs"], run.firmware().gc_runs);
}

/// Policies that evict in sets say where a page goes; these schedulers do so themselves, and the
/// configuration refuses both together.
bool go_together(const std::string& scheduler, const std::string& policy)
{
    const bool sets = policy == "gating" || policy == "cave" || policy == "cawr" || policy == "cawr_block";
    return !sets || (scheduler != "sost" && scheduler != "hybrid");
}

struct Parameters {
    const char* scheduler;
    const char* policy;
    u32 cores, bytes;
};

std::string name_of(const Parameters& p)
{
    return std::string(p.scheduler) + "_" + p.policy + "_" + std::to_string(p.cores) + "cores_" +
           std::to_string(p.bytes) + "B";
}
void PrintTo(const Parameters& p, std::ostream* out) { *out << name_of(p); }

std::vector<Parameters> parameters()
{
    std::vector<Parameters> all;
    for (const char* scheduler : kSchedulers) {
        for (const char* policy : kPolicies) {
            for (const u32 cores : {1u, 2u, 4u}) {
                for (const u32 bytes : {512u, 1536u, 12288u}) {
                    if (go_together(scheduler, policy)) {
                        all.push_back({scheduler, policy, cores, bytes});
                    }
                }
            }
        }
    }
    return all;
}

class Mix : public testing::TestWithParam<Parameters> {};

TEST_P(Mix, IsServedWithoutAnError)
{
    const auto [scheduler, policy, core_count, bytes] = GetParam();
    Sets sets = cores(core_count);
    add(sets, {std::string("scheduler=") + scheduler, std::string("buffer.policy=") + policy});
    // FUA where requests are small; the other port where they are large.
    if (bytes == 512) {
        add(sets, {"workload.fua=true"});
    } else if (bytes == 12288) {
        add(sets, {"host.kind=sata"});
    }
    expect_busy_and_clean(Device(mix(bytes), sets));
}

INSTANTIATE_TEST_SUITE_P(System, Mix, testing::ValuesIn(parameters()),
                         [](const auto& test) { return name_of(test.param); });

/// The same load under keys that change the way of the data; each on its own.
class MixWith : public testing::TestWithParam<std::pair<const char*, Sets>> {};

TEST_P(MixWith, IsServedWithoutAnError)
{
    Sets sets{"scheduler=vaq", "buffer.policy=lru"};
    add(sets, GetParam().second);
    expect_busy_and_clean(Device(mix(12288), sets));
}

INSTANTIATE_TEST_SUITE_P(
    System, MixWith,
    testing::Values(
        std::pair{"vaq_blocks_requests", Sets{"vaq.block=request"}},
        std::pair{"vaq_without_join", Sets{"vaq.join_adjacent=false"}},
        std::pair{"two_luns_a_chip_enable", Sets{"geometry.chip_enables=1"}},
        std::pair{"a_chip_enable_a_lun", Sets{"geometry.chip_enables=2"}},
        std::pair{"four_planes", Sets{"geometry.planes=4", "geometry.channels=1"}},
        std::pair{"one_plane", Sets{"geometry.planes=1", "geometry.blocks=40"}},
        std::pair{"three_channels", Sets{"geometry.channels=3", "ftl.allocation=PDWC"}},
        std::pair{"pages_of_2_kib",
                  Sets{"nand.page_bytes=2048", "nand.spare_bytes=128", "buffer.size_mib=0.25"}},
        std::pair{"pages_of_16_kib", Sets{"nand.page_bytes=16384", "nand.spare_bytes=1024"}},
        std::pair{"sdr", Sets{"onfi.interface=sdr"}},
        std::pair{"nvddr2", Sets{"onfi.interface=nvddr2"}},
        std::pair{"varied_array_times", Sets{"nand.array_variation=0.5"}},
        std::pair{"sixteen_flash_tags", Sets{"controller.tags=16"}},
        std::pair{"a_slow_cpu", Sets{"cpu.mhz=20"}},
        std::pair{"used_by_random_overwrites", Sets{"precondition.overwrite=1.5"}},
        std::pair{"filled_at_random", Sets{"precondition.pattern=random"}},
        std::pair{"written_back_in_the_background", Sets{"buffer.flush_after_ms=2"}},
        std::pair{"kernel_timers", Sets{"time.backend=kernel"}},
        std::pair{"zipf", Sets{"workload.random_distribution=zipf"}}),
    [](const auto& it) { return std::string(it.param.first); });

#ifdef TLMSSD_HAVE_RTL
/// Through the Verilated controller.
class MixRtl : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(MixRtl, IsServedWithoutAnError)
{
    const auto [scheduler, policy] = GetParam();
    Sets sets{"controller.kind=rtl", std::string("scheduler=") + scheduler,
              std::string("buffer.policy=") + policy, "workload.requests=1500"};
    expect_busy_and_clean(Device(mix(12288), sets));
}

std::vector<std::tuple<const char*, const char*>> rtl_parameters()
{
    std::vector<std::tuple<const char*, const char*>> all;
    for (const char* scheduler : in_order_schedulers()) {
        for (const char* policy : kPolicies) {
            if (go_together(scheduler, policy)) {
                all.emplace_back(scheduler, policy);
            }
        }
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(System, MixRtl, testing::ValuesIn(rtl_parameters()),
                         [](const auto& it) {
                             return std::string(std::get<0>(it.param)) + "_" +
                                    std::get<1>(it.param);
                         });
#endif

} // namespace
} // namespace tlmssd::tb
