// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device from the cache is the device that was preconditioned: in all its memory, and in what it does next.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tb/aging/device.h"

namespace tlmssd::tb {
namespace {

namespace fs = std::filesystem;

class Aged : public testing::Test {
protected:
    void SetUp() override
    {
        folder = fs::temp_directory_path() / ("tlmssd-aged-" + std::to_string(::getpid()));
        fs::remove_all(folder);
    }
    void TearDown() override { fs::remove_all(folder); }
    fs::path the_file() const
    {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            return entry.path();
        }
        return {};
    }
    fs::path folder;
};

struct AgedAs : Aged, testing::WithParamInterface<std::string> {};

TEST_P(AgedAs, IsTheSameAndGoesOnInTheSameWay)
{
    Device first(small(GetParam()));
    EXPECT_FALSE(first.aged(folder).load()) << "nothing is there yet";
    const aging::PreconditionReport report = first.age();
    ssd::AgedDevice(first.aged(folder)).save(report);
    EXPECT_GT(report.erases, 0u) << "it was never full";

    Device second(small(GetParam()));
    const auto loaded = second.aged(folder).load();
    ASSERT_TRUE(loaded);
    EXPECT_EQ(loaded->programs, report.programs);
    EXPECT_EQ(loaded->erases, report.erases);
    EXPECT_EQ(loaded->filled, report.filled);
    EXPECT_EQ(loaded->overwritten, report.overwritten);
    EXPECT_EQ(loaded->waf_programs, report.waf_programs);
    EXPECT_TRUE(first.content() == second.content());
    EXPECT_EQ(first.different_words(second), 0u);

    first.go_on();
    second.go_on();
    EXPECT_GT(first.image.state().stats.gc_blocks_erased, 0u);
    EXPECT_TRUE(first.content() == second.content());
    EXPECT_EQ(first.different_words(second), 0u);
}

std::vector<std::string> devices()
{
    std::vector<std::string> all;
#define SCHED(id, name, ...) \
    all.push_back("scheduler: " #name "\nftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\n");
#include "firmware/hal/sched.def"
#undef SCHED
#define BUFFER_POLICY(id, name, text) \
    all.push_back("ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1, policy: " #name "}\n");
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
#define GC_POLICY(id, name, text) \
    all.push_back("ftl: {over_provisioning: 0.5, gc: {policy: " #name "}}\nbuffer: {size_mib: 1}\n");
#include "firmware/hal/gc_policies.def"
#undef GC_POLICY
    all.push_back("ftl: {over_provisioning: 0.5, mapping: log_block, log_blocks: 4}\nbuffer: {size_mib: 1}\n");
    all.push_back("ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\ncpu: {cores: 4}\n");
    return all;
}
INSTANTIATE_TEST_SUITE_P(Devices, AgedAs, testing::ValuesIn(devices()),
                         [](const auto& test) { return "device" + std::to_string(test.index); });

const char* const kPlain = "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\n";

TEST_F(Aged, IsNotThatOfAnotherConfigurationSeedOrPreconditioning)
{
    Device first(small(kPlain));
    first.aged(folder).save(first.age());
    for (const char* const other : {"ftl: {over_provisioning: 0.52}\nbuffer: {size_mib: 1}\n",
                                    "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 2}\n",
                                    "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\nseed: 2\n",
                                    "ftl: {over_provisioning: 0.5}\nbuffer: {size_mib: 1}\nscheduler: vaq\n"}) {
        Device second(small(other));
        EXPECT_FALSE(second.aged(folder).load()) << other;
    }
    Device second(small(std::string(kPlain) + "workload: {rw: randread}\n"));
    EXPECT_TRUE(second.aged(folder).load()) << "the workload comes afterwards";
}

/// Of what is not all in these parts, and where it takes no time.
TEST(AgedDevice, FitsOnlyWhatIsCopied)
{
    const auto fits = [](const std::string& more) {
        return ssd::AgedDevice::fits(config::load_text(
            "nand: {page_bytes: 8192, spare_bytes: 448}\n"
            "geometry: {channels: 2, ways: 2, dies: 2, planes: 2, blocks: 64, pages: 128}\n" + more,
            "test", config::Overrides{}));
    };
    const std::string ftl = "ftl: {over_provisioning: 0.5}\n";
    const std::string full = "precondition: {fill: 1.0}\n";
    EXPECT_TRUE(fits(ftl + full)) << "131,072 pages, two thirds of them for the host: 87,381";
    EXPECT_TRUE(fits("ftl: {over_provisioning: 0.5, mapping: log_block}\n" + full));
    EXPECT_FALSE(fits(ftl + "precondition: {fill: 0.5}\n")) << "43,690 pages";
    EXPECT_TRUE(fits(ftl + "precondition: {fill: 0.5, overwrite: 0.1}\n")) << "52,428 pages";
    EXPECT_TRUE(fits(ftl + "precondition: {fill: 0.1, steady: true}\n"));
    EXPECT_FALSE(fits(ftl));
    EXPECT_FALSE(fits(ftl + full + "cpu: {model: iss}\n"));
    EXPECT_FALSE(fits(ftl + full + "data: full\n"));
    EXPECT_FALSE(fits("ftl: {over_provisioning: 0.5, recovery: scan}\n" + full));
    EXPECT_FALSE(fits("ftl: {over_provisioning: 0.5, recovery: journal}\n" + full));
    EXPECT_FALSE(fits("ftl: {over_provisioning: 0.5, mapping: dftl}\n" + full));
}

TEST_F(Aged, IsNotTakenFromADamagedFile)
{
    Device first(small(kPlain));
    first.aged(folder).save(first.age());
    const fs::path path = the_file();
    std::string whole(fs::file_size(path), '\0');
    std::ifstream(path, std::ios::binary).read(whole.data(), static_cast<std::streamsize>(whole.size()));
    Device second(small(kPlain));
    const std::string fresh = second.content();
    const auto load = [&](const std::string& bytes) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
        return second.aged(folder).load().has_value();
    };
    for (u64 i = 0; i < 200; ++i) {
        std::string damaged = whole;
        damaged[draw_below(draw64(1, 1, i), whole.size())] ^= static_cast<char>(1u << (i % 8));
        EXPECT_FALSE(load(damaged)) << "flip " << i;
    }
    for (const u64 size : {u64{0}, u64{8}, u64{15}, u64{whole.size() / 2}, u64{whole.size() - 8}}) {
        EXPECT_FALSE(load(whole.substr(0, size))) << size << " bytes";
    }
    EXPECT_TRUE(second.content() == fresh) << "what is not taken changes nothing";
    EXPECT_TRUE(load(whole));
}

TEST_F(Aged, IsNotKeptWhereTheFolderCannotBeMade)
{
    std::ofstream(folder) << "a file in its place";
    Device first(small(kPlain));
    first.aged(folder).save(first.age());
    Device second(small(kPlain));
    EXPECT_FALSE(second.aged(folder).load());
    EXPECT_EQ(fs::file_size(folder), 19u);
}

/// A pointer that is none of a new device could point anywhere: such a file is not taken.
TEST_F(Aged, IsNotTakenWithAPointerThatIsNew)
{
    alignas(8) std::array<u64, 1024> memory{};
    const std::vector<aging::Memory> memories{{memory.data(), sizeof memory, true}};
    const std::vector<aging::Place> places{{memory.data(), sizeof memory}};
    fs::create_directories(folder);
    const std::string path = (folder / "x").string();
    memory[3] = reinterpret_cast<std::uintptr_t>(&memory[7]); // from the beginning
    memory[5] = 55;
    ASSERT_TRUE(aging::save_aged(path, {"key", "report"}, memories, places));
    memory[5] = 0;
    aging::AgedFile file{"key", {}};
    ASSERT_TRUE(aging::load_aged(path, file, memories, places));
    EXPECT_EQ(file.report, "report");
    EXPECT_EQ(memory[5], 55u);
    memory[900] = reinterpret_cast<std::uintptr_t>(&memory[7]); // set later
    ASSERT_TRUE(aging::save_aged(path, {"key", "report"}, memories, places));
    memory[900] = 0;
    memory[5] = 0;
    EXPECT_FALSE(aging::load_aged(path, file, memories, places));
    EXPECT_EQ(memory[5], 0u);
}

TEST_F(Aged, TheFilesUsedLeastRecentlyGo)
{
    std::array<u64, 512> memory; // 4,184 bytes a file: three fit, and each is less than a quarter
    memory.fill(1);
    const std::vector<aging::Memory> memories{{memory.data(), sizeof memory}};
    const aging::AgedCache cache(folder, 16500);
    const auto age = [&](const char* key, int hours) {
        fs::last_write_time(cache.path_of(key), fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    cache.save({"a", ""}, memories, {});
    age("a", 3);
    cache.save({"b", ""}, memories, {});
    age("b", 2);
    cache.save({"c", ""}, memories, {});
    age("c", 1);
    aging::AgedFile file{"a", {}};
    EXPECT_TRUE(cache.load(file, memories, {})); // used now
    cache.save({"d", ""}, memories, {});
    std::ofstream(cache.path_of("a") + ".17") << "of a process that was killed";
    fs::last_write_time(cache.path_of("a") + ".17", fs::file_time_type::clock::now() - std::chrono::hours(2));
    std::ofstream(cache.path_of("a") + ".18") << "of one that writes now";
    cache.save({"d", ""}, memories, {});
    EXPECT_FALSE(fs::exists(cache.path_of("a") + ".17"));
    EXPECT_TRUE(fs::exists(cache.path_of("a") + ".18"));
    EXPECT_TRUE(fs::exists(cache.path_of("a")));
    EXPECT_FALSE(fs::exists(cache.path_of("b")));
    EXPECT_TRUE(fs::exists(cache.path_of("c")));
    EXPECT_TRUE(fs::exists(cache.path_of("d")));
}

} // namespace
} // namespace tlmssd::tb
