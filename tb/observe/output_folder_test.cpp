// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a folder is one holder's at a time, and is not left behind for nothing.
#include "models/observe/output/output_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <unistd.h>

#include "models/common/error.h"

namespace tlmssd::observe {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
protected:
    ~OutputFolderTest() override { fs::remove_all(folder_); }
    const fs::path folder_ = fs::temp_directory_path() / ("tlmssd-output-" + std::to_string(getpid()));
};

TEST_F(OutputFolderTest, SecondHolderIsToldAndFirstKeepsIt)
{
    const std::string path = (folder_ / "out").string();
    // flock() is of an open file: two in one process stand for two processes.
    auto first = std::make_unique<OutputFolder>(path, "results.json");
    try {
        const OutputFolder second(path, "results.json");
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_EQ(error.what(), path + ": another tlmssd writes there now: wait for it, or take another folder");
    }
    EXPECT_TRUE(fs::is_directory(path));
    first.reset();
    EXPECT_NO_THROW(OutputFolder(path, "results.json"));
}

TEST_F(OutputFolderTest, OnlyAnEmptyFolderThatItMadeGoesAgain)
{
    { const OutputFolder made((folder_ / "made").string(), "a"); }
    EXPECT_FALSE(fs::exists(folder_ / "made"));
    fs::create_directories(folder_ / "there");
    { const OutputFolder there((folder_ / "there").string(), "a"); }
    EXPECT_TRUE(fs::exists(folder_ / "there"));
    {
        const OutputFolder used((folder_ / "used").string(), "a");
        std::ofstream(folder_ / "used" / "a") << "x";
    }
    EXPECT_TRUE(fs::exists(folder_ / "used" / "a"));
}

TEST_F(OutputFolderTest, FileInTheWayIsTheUsersError)
{
    fs::create_directories(folder_);
    std::ofstream(folder_ / "file") << "x";
    for (const fs::path& path : {folder_ / "file", folder_ / "file" / "below"}) {
        try {
            const OutputFolder folder(path.string(), "results.json");
            FAIL() << "no error";
        } catch (const InputError& error) {
            EXPECT_EQ(error.what(), (path / "results.json").string() + ": cannot write: Not a directory");
        }
    }
    EXPECT_NO_THROW(OutputFolder("", "results.json"));
}

} // namespace
} // namespace tlmssd::observe
