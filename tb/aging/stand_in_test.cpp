// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device that the stand-in of the ISS has preconditioned is the one that the ISS has: in all its memory, and in
// what it does next, to the cycle.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "firmware/boot/x32_image.h"
#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/ssd/firmware_image.h"
#include "models/ssd/stand_in.h"
#include "models/time/event_queue.h"
#include "tb/aging/device.h"
#include "tb/cpu/iss_support.h"

namespace tlmssd::tb {
namespace {

/// What the ISS gives out is what its world hears; steps are counted on the way.
class Counted final : public cpu::ExecutorIf {
public:
    explicit Counted(cpu::ExecutorIf& to) : to_(to) {}
    void connect(cpu::HalIf& hal) override { to_.connect(hal); }
    u64 step(u32 core, u64 now_us) override
    {
        const u64 taken = to_.step(core, now_us);
        cycles.push_back(taken);
        return taken;
    }
    const u64& step_cycles() const override { return to_.step_cycles(); }
    void hint(u64 lba) override { to_.hint(lba); }
    void hint_completion(u32 tag) override { to_.hint_completion(tag); }
    bool fill(u32 blocks, u32 commands) override { return to_.fill(blocks, commands); }
    bool idle() override { return to_.idle(); }
    void set_probing(u32 mask) override { to_.set_probing(mask); }
    void clear_stats() override { to_.clear_stats(); }
    const fw& state() const override { return to_.state(); }
    void refresh_wear() override { to_.refresh_wear(); }

    std::vector<u64> cycles; ///< of each step

private:
    cpu::ExecutorIf& to_;
};

/// A device on the ISS.
struct IssDevice {
    explicit IssDevice(const std::string& text)
        : config(config::load_text(text, "test", config::Overrides{})), image(config),
          dram(sc_core::sc_gen_unique_name("dram"), queue, config.dram, config.geometry,
               image.buffer_bytes() + config.geometry.page_bytes, config.data),
          iss(cpu::load_iss_unicorn(), cpu::test::rv32_image(), config.cpu.watchdog_instructions, image.mirror()),
          store(config.geometry, config.data),
          versions(config.logical_sectors() / config.geometry.sectors_per_unit())
    {
        const fw& firmware = image.state();
        dram.map_oob(firmware.cfg.oob_base, firmware.oob, u64{firmware.cfg.flash_tags} * 64);
        if (const u32 bytes = fw_table_bytes(&firmware.cfg); bytes != 0) {
            dram.map_tables(fw_table_base(&firmware.cfg), fw_table_pages(&firmware), bytes);
        }
    }
    ssd::AgedDevice aged(cpu::X32Firmware& firmware, const std::string& folder)
    {
        return ssd::AgedDevice(config, image, store, dram, versions, folder, &firmware);
    }
    std::unique_ptr<ssd::StandIn> stand_in()
    {
        iss.set_probing(~0u); // as in a whole device
        return ssd::StandIn::make(TLMSSD_X32_IMAGE, iss, image.state(), dram);
    }
    aging::PreconditionReport age(cpu::ExecutorIf& executor)
    {
        aging::FunctionalWorld world(executor, config.geometry, store, dram, versions);
        return aging::precondition(aging::AgingOptions::of(config), world);
    }
    /// Overwrites everything once, at random; the cycles of each step.
    std::vector<u64> go_on()
    {
        Counted counted(iss);
        aging::FunctionalWorld world(counted, config.geometry, store, dram, versions);
        const u64 pages = config.logical_pages();
        for (u64 i = 0; i < pages; ++i) {
            world.write_pages(static_cast<u32>(draw_below(draw64(9, 9, i), pages)), 1);
        }
        world.flush();
        return counted.cycles;
    }
    /// All that is not the firmware's.
    std::string content()
    {
        std::string all;
        for (const auto& [data, bytes] : store.memory()) {
            all.append(static_cast<const char*>(data), bytes);
        }
        all.append(reinterpret_cast<const char*>(versions.memory()), versions.units() * sizeof(u32));
        all.append(reinterpret_cast<const char*>(dram.tags(0)), dram.tag_bytes());
        return all;
    }

    config::Config config;
    time::EventQueue queue{sc_core::sc_gen_unique_name("queue")};
    ssd::FirmwareImage image;
    dram::Dram dram;
    cpu::IssExecutor iss;
    nand::PageStore store;
    host::ExpectedVersions versions;
};

/// Of `struct fw`, the fast tables, and DRAM from the OOB records on: bytes that differ, and the first of them.
struct Difference {
    u64 bytes = 0;
    u32 first = 0; ///< address
};
Difference difference(IssDevice& a, IssDevice& b)
{
    Difference d;
    const cpu::FirmwareSide one = a.iss.side(), two = b.iss.side();
    for (u32 i = 0; i < one.memories.size(); ++i) {
        const cpu::FirmwareMemory& here = one.memories[i];
        for (u64 at = 0; at < here.bytes; ++at) {
            if (here.data[at] != two.memories[i].data[at]) {
                d.first = d.bytes++ == 0 ? here.address + static_cast<u32>(at) : d.first;
            }
        }
    }
    return d;
}

#define NEEDS_STAND_IN()                                                             \
    TLMSSD_NEEDS_ISS();                                                              \
    if (*TLMSSD_X32_IMAGE == 0) {                                                    \
        GTEST_SKIP() << "no x32 firmware in this build: the compiler has no -mx32"; \
    }

struct StandInOf : testing::TestWithParam<std::string> {};

TEST_P(StandInOf, LeavesTheMemoryThatTheIssLeavesAndTheCyclesThatFollow)
{
    NEEDS_STAND_IN();
    IssDevice slow(small(GetParam()));
    IssDevice fast(small(GetParam()));
    EXPECT_EQ(difference(slow, fast).bytes, 0u) << "after the boot";
    const aging::PreconditionReport executed = slow.age(slow.iss);
    slow.iss.clear_stats();
    std::unique_ptr<ssd::StandIn> stand_in = fast.stand_in();
    ASSERT_NE(stand_in, nullptr);
    EXPECT_NE(fast.dram.oob(fast.image.state().cfg.oob_base), fast.image.state().oob);
    const aging::PreconditionReport linked = fast.age(stand_in->firmware());
    EXPECT_GT(difference(slow, fast).bytes, 1000u) << "the ISS has not changed yet";
    stand_in->hand_over();
    stand_in.reset();
    EXPECT_EQ(fast.dram.oob(fast.image.state().cfg.oob_base), fast.image.state().oob);

    EXPECT_EQ(linked.programs, executed.programs);
    EXPECT_EQ(linked.erases, executed.erases);
    EXPECT_EQ(linked.waf_programs, executed.waf_programs);
    EXPECT_GT(linked.programs, linked.filled) << "it was never full";
    EXPECT_TRUE(fast.content() == slow.content());
    const Difference first = difference(slow, fast);
    EXPECT_EQ(first.bytes, 0u) << "the first at " << std::hex << first.first;

    const std::vector<u64> cycles = slow.go_on();
    EXPECT_GT(cycles.size(), slow.config.logical_pages());
    EXPECT_TRUE(fast.go_on() == cycles);
    EXPECT_TRUE(fast.content() == slow.content());
    EXPECT_EQ(difference(slow, fast).bytes, 0u);
    EXPECT_EQ(std::memcmp(&fast.image.state().stats, &slow.image.state().stats, sizeof(fw_stats)), 0);
    EXPECT_GT(fast.image.state().stats.gc_blocks_erased, 0u);
}

/// A device whose whole state the cache keeps.
struct KeptStandIn : testing::TestWithParam<std::string> {
    void TearDown() override { std::filesystem::remove_all(folder); }
    const std::string folder = testing::TempDir() + "tlmssd-stand-in-" + std::to_string(::getpid());
};

TEST_P(KeptStandIn, IsTheSameFromTheCache)
{
    NEEDS_STAND_IN();
    IssDevice first(small(GetParam()));
    std::unique_ptr<ssd::StandIn> stand_in = first.stand_in();
    ASSERT_NE(stand_in, nullptr);
    EXPECT_FALSE(first.aged(stand_in->firmware(), folder).load()) << "nothing is there yet";
    const aging::PreconditionReport report = first.age(stand_in->firmware());
    first.aged(stand_in->firmware(), folder).save(report);
    stand_in->hand_over();
    stand_in.reset();

    IssDevice second(small(GetParam()));
    stand_in = second.stand_in();
    ASSERT_NE(stand_in, nullptr);
    const auto loaded = second.aged(stand_in->firmware(), folder).load();
    stand_in->hand_over();
    stand_in.reset();
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->programs, report.programs);
    EXPECT_EQ(difference(first, second).bytes, 0u);
    EXPECT_TRUE(second.content() == first.content());
    EXPECT_TRUE(second.go_on() == first.go_on());
    EXPECT_EQ(difference(first, second).bytes, 0u);
}

std::vector<std::string> kept_devices()
{
    return {
#define SCHED(id, name, ...) "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\nscheduler: " #name "\n",
#include "firmware/hal/sched.def"
#undef SCHED
#define BUFFER_POLICY(id, name, text) "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1, policy: " #name "}\n",
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
        "ftl: {over_provisioning: 0.5, mapping: log_block, log_blocks: 4}\nbuffer: {size_mib: 1}\n"};
}
INSTANTIATE_TEST_SUITE_P(Devices, KeptStandIn, testing::ValuesIn(kept_devices()),
                         [](const auto& test) { return "device" + std::to_string(test.index); });

std::vector<std::string> devices()
{
    const std::string plain = "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\n";
    const auto ftl = [](const std::string& more) {
        return "ftl: {over_provisioning: 1, " + more + "}\nbuffer: {size_mib: 1}\n";
    };
    const auto buffer = [](const std::string& more) {
        return "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1, " + more + "}\n";
    };
    std::vector<std::string> all{
#define SCHED(id, name, ...) plain + "scheduler: " #name "\n",
#include "firmware/hal/sched.def"
#undef SCHED
#define BUFFER_POLICY(id, name, text) buffer("policy: " #name),
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
#define GC_POLICY(id, name, text) ftl("gc: {policy: " #name "}"),
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
    };
    for (const char* const more :
         {"mapping: log_block, log_blocks: 4", "mapping: dftl", "mapping_unit: 4KiB", "recovery: scan", "recovery: journal",
          "placement: queue_aware", "placement: static", "write_points: channel", "gc: {copyback: true}",
          "gc: {share: 0.5}", "wear: {policy: both, threshold: 2}"}) {
        all.push_back(ftl(more));
    }
    all.push_back(buffer("read_ahead: 4"));
    all.push_back(buffer("write: through"));
    all.push_back(plain + "cpu: {cores: 4}\n");
    all.push_back(plain + "prefetch: {mode: two_phase}\n");
    return all;
}
INSTANTIATE_TEST_SUITE_P(Devices, StandInOf, testing::ValuesIn(devices()),
                         [](const auto& test) { return "device" + std::to_string(test.index); });

const char* const kPlain = "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\n";

/// The image waits for its first wake-up in another place than for all later ones.
TEST(StandIn, LeavesTheIssAsItWasWhereNothingIsWritten)
{
    NEEDS_STAND_IN();
    IssDevice slow(small(kPlain)), fast(small(kPlain));
    fast.stand_in()->hand_over();
    EXPECT_EQ(difference(slow, fast).bytes, 0u);
    EXPECT_TRUE(fast.go_on() == slow.go_on());
    EXPECT_EQ(difference(slow, fast).bytes, 0u);
}

TEST(StandIn, LeavesWorkToTheIssWhereItsAddressesAreInUse)
{
    NEEDS_STAND_IN();
    IssDevice device(small(kPlain));
    void* const place = reinterpret_cast<void*>(std::uintptr_t{X32_BASE});
    ASSERT_EQ(mmap(place, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0), place);
    EXPECT_EQ(device.stand_in(), nullptr);
    munmap(place, 4096);
    std::unique_ptr<ssd::StandIn> stand_in = device.stand_in();
    EXPECT_NE(stand_in, nullptr);
    EXPECT_EQ(device.stand_in(), nullptr) << "one at a time";
}

/// Firmware that has booted otherwise has other words, which are no pointers.
TEST(StandIn, LeavesWorkToTheIssWhereTheFirmwareIsNotTheSame)
{
    NEEDS_STAND_IN();
    IssDevice device(small(kPlain));
    const cpu::FirmwareSide side = device.iss.side();
    u8& word = side.memories[2].data[side.memories[2].bytes - 1]; // beyond the last table
    ASSERT_EQ(word, 0);
    word = 1;
    EXPECT_EQ(device.stand_in(), nullptr);
    word = 0;
    EXPECT_NE(device.stand_in(), nullptr);
}

TEST(StandIn, PassesOnWhatTheWorldThrows)
{
    NEEDS_STAND_IN();
    IssDevice device(small(kPlain));
    const std::unique_ptr<ssd::StandIn> stand_in = device.stand_in();
    ASSERT_NE(stand_in, nullptr);
    device.store.program({0, 0, 0, 0}, device.dram.tags(0), device.dram.oob(device.image.state().cfg.oob_base), nullptr);
    try {
        device.age(stand_in->firmware());
        FAIL() << "the first page of a block that begins with its second";
    } catch (const ModelError& e) {
        EXPECT_STREQ(e.what(), "in zero time: a page was programmed out of order");
    }
}

} // namespace
} // namespace tlmssd::tb
