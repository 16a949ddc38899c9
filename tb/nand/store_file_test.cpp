// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cells in a file: what is there again, what is refused, and what a kill at any instant leaves.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "models/common/error.h"
#include "models/nand/store/page_store.h"
#include "models/nand/store/store_file.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

namespace fs = std::filesystem;
using nand::PageStore;
using nand::PageView;
using nand::Place;
using nand::ProgramError;
using nand::StoreFile;

const StoreFile::Facts kFacts{{"blocks", "3"}, {"pages", "4"}};

Geometry small()
{
    return small_geometry().blocks(3);
}

/// A page that is `stamp` all over.
struct Stamped {
    explicit Stamped(u32 stamp) : bytes(small().physical_bytes(), static_cast<u8>(stamp))
    {
        for (UnitTag& tag : tags) {
            tag = {1 + stamp % 100, stamp};
        }
        for (u32 at = 0; at < kOobBytes; at += 4) {
            std::memcpy(oob + at, &stamp, 4);
        }
    }
    UnitTag tags[2];
    u8 oob[kOobBytes];
    std::vector<u8> bytes;
};

void program(PageStore& store, const Place& place, u32 stamp)
{
    const Stamped page(stamp);
    ASSERT_EQ(store.program(place, page.tags, page.oob, page.bytes.data()), ProgramError::None);
}

bool holds(const PageStore& store, const Place& place, u32 stamp)
{
    const Stamped page(stamp);
    const PageView view = store.read(place);
    return view.tags != nullptr && view.tags[0] == page.tags[0] && view.tags[1] == page.tags[1] &&
           std::memcmp(view.oob, page.oob, kOobBytes) == 0 &&
           std::memcmp(view.bytes, page.bytes.data(), page.bytes.size()) == 0;
}

class StoreFileTest : public ::testing::Test {
protected:
    void SetUp() override
    {
        std::string name = (fs::temp_directory_path() / "tlmssd-store-XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
        path_ = folder_ / "cells";
    }
    void TearDown() override { fs::remove_all(folder_); }

    struct Opened {
        explicit Opened(const fs::path& path) : file(path.string(), small(), kFacts),
                                                store(small(), config::DataKind::Full, &file)
        {
        }
        StoreFile file;
        PageStore store;
    };
    std::string refusal(const StoreFile::Facts& facts) const
    {
        try {
            StoreFile file(path_.string(), small(), facts);
            PageStore store(small(), config::DataKind::Full, &file);
        } catch (const InputError& e) {
            return e.what();
        }
        return "";
    }

    fs::path folder_;
    fs::path path_;
};

TEST_F(StoreFileTest, HoldsPagesCountsAndErasuresWhenItIsOpenedAgain)
{
    {
        Opened first(path_);
        EXPECT_TRUE(first.file.fresh());
        program(first.store, {0, 0, 1, 0}, 7);
        program(first.store, {0, 0, 1, 1}, 8);
        program(first.store, {0, 1, 2, 0}, 9);
        first.store.erase({0, 1, 2, 0});
        first.store.tear_program({0, 1, 0, 0});
    }
    Opened again(path_);
    EXPECT_FALSE(again.file.fresh());
    EXPECT_TRUE(holds(again.store, {0, 0, 1, 0}, 7));
    EXPECT_TRUE(holds(again.store, {0, 0, 1, 1}, 8));
    EXPECT_EQ(again.store.next_page({0, 0, 1, 0}), 2u);
    EXPECT_EQ(again.store.next_page({0, 1, 2, 0}), 0u);
    EXPECT_EQ(again.store.erase_count({0, 1, 2, 0}), 1u);
    EXPECT_TRUE(again.store.torn({0, 1, 0, 0}));
    program(again.store, {0, 1, 2, 0}, 10);
    EXPECT_TRUE(holds(again.store, {0, 1, 2, 0}, 10));
}

TEST_F(StoreFileTest, HoldsTablesAndGivesFreeNumbersOutAgain)
{
    const std::vector<u8> contents[3] = {std::vector<u8>(8192, 1), std::vector<u8>(8192, 2), std::vector<u8>(8192, 3)};
    const u8 oob[kOobBytes] = {};
    {
        Opened first(path_);
        for (u32 n = 0; n < 3; ++n) {
            ASSERT_EQ(first.store.tables().keep(contents[n].data()), n);
        }
        for (const u32 n : {0u, 2u}) { // number 1 never reaches the flash
            const UnitTag tags[2] = {TablePages::tag(n), TablePages::tag(n)};
            ASSERT_EQ(first.store.program({0, 0, n, 0}, tags, oob), ProgramError::None);
        }
    }
    Opened again(path_);
    EXPECT_EQ(again.store.tables().bytes(0)[100], 1);
    EXPECT_EQ(again.store.tables().bytes(2)[100], 3);
    EXPECT_EQ(again.store.tables().in_use(), 2u);
    EXPECT_EQ(again.store.tables().keep(contents[1].data()), 1u);
    again.store.erase({0, 0, 2, 0});
    EXPECT_EQ(again.store.tables().in_use(), 2u);
}

TEST_F(StoreFileTest, IsRefusedForAnotherDeviceInUseOrDamaged)
{
    const std::string name = path_.string();
    {
        Opened first(path_);
        program(first.store, {0, 0, 0, 0}, 7);
        EXPECT_EQ(refusal(kFacts), name + ": in use by another process");
        first.file.next()[1] = 5;
    }
    EXPECT_EQ(refusal({{"blocks", "3"}, {"pages", "8"}}), name + ": made for pages: 4; the configuration has pages: 8");
    EXPECT_EQ(refusal(kFacts), name + ": damaged: a block has too many pages");
    std::ofstream(path_) << "something\n";
    EXPECT_EQ(refusal(kFacts), name + ": no device file of tlmssd serve");
    fs::remove(path_);
    fs::create_directory(path_);
    EXPECT_EQ(refusal(kFacts), name + ": cannot be opened: Is a directory");
}

/// A process programs and erases until it is killed; every page that counts as programmed is whole or torn,
/// and its stamp is one that was meant for it.
TEST_F(StoreFileTest, IsWholeAfterAKillAtAnyInstant)
{
    u64 programmed = 0;
    for (u32 kill_us = 200; kill_us < 20'000; kill_us += 400) {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            Opened device(path_);
            for (u32 stamp = 1;; ++stamp) {
                const Place place{0, stamp % 2, stamp / 2 % 3, 0};
                device.store.erase(place);
                for (u32 page = 0; page < 4; ++page) {
                    const Stamped content(stamp * 4 + page);
                    device.store.program({0, place.plane, place.block, page}, content.tags, content.oob,
                                         content.bytes.data());
                }
            }
        }
        usleep(kill_us);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        if (!fs::exists(path_)) {
            continue; // killed before it was made
        }
        const Opened device(path_);
        for (u32 plane = 0; plane < 2; ++plane) {
            for (u32 block = 0; block < 3; ++block) {
                Place place{0, plane, block, 0};
                for (const u32 end = device.store.next_page(place); place.page < end; ++place.page) {
                    const u32 stamp = device.store.read(place).tags[0].version;
                    ASSERT_TRUE(holds(device.store, place, stamp)) << kill_us;
                    ASSERT_EQ(stamp % 4, place.page);
                    ASSERT_EQ(stamp / 4 % 2, plane);
                    ASSERT_EQ(stamp / 4 / 2 % 3, block);
                    ++programmed;
                }
            }
        }
    }
    EXPECT_GT(programmed, 100u);
}

} // namespace
} // namespace tlmssd::tb
