// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: files of configs/ by name.
#include "models/config/rules/named_files.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "models/common/error.h"

namespace tlmssd::config {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// A folder of its own, gone at the end.
class NamedFiles : public testing::Test {
protected:
    NamedFiles() : folder_(fs::temp_directory_path() / ("tlmssd-named-" + std::to_string(getpid())))
    {
        fs::create_directories(folder_ / "a");
        fs::create_directories(folder_ / "b");
    }
    ~NamedFiles() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text)
    {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }
    std::vector<std::string> folders() const { return {(folder_ / "a").string(), (folder_ / "b").string()}; }

private:
    fs::path folder_;
};

TEST_F(NamedFiles, TheFirstFolderThatHasANameCounts)
{
    const std::string first = write("a/one.yaml", "");
    write("b/one.yaml", "");
    const std::string second = write("b/two.yaml", "");
    write("b/three.txt", "");
    EXPECT_EQ(find_named("one", folders()), first);
    EXPECT_EQ(find_named("two", folders()), second);
    EXPECT_EQ(find_named("three", folders()), std::nullopt);
    EXPECT_THAT(names_of_files(folders()), ElementsAre("one", "two"));
    EXPECT_EQ(named_files(folders()).front().path, first);
}

TEST_F(NamedFiles, TheSentenceIsTheFirstOfTheFirstComment)
{
    EXPECT_EQ(sentence_of_file(write("a/x.yaml", "# A device. With more.\nseed: 1\n")), "A device");
    EXPECT_EQ(sentence_of_file(write("a/x.yaml", "# A device of 2.5\n# lines.\n# More\n")), "A device of 2.5 lines");
    EXPECT_EQ(sentence_of_file(write("a/x.yaml", "# A device:\n# - a list\n")), "A device");
    EXPECT_EQ(sentence_of_file(write("a/x.yaml", "# " + std::string(60, 'x') + ": " + std::string(60, 'y') + "\n")),
              std::string(60, 'x'));
    EXPECT_EQ(sentence_of_file(write("a/x.yaml", "seed: 1\n# late\n")), "");
    EXPECT_EQ(sentence_of_file("absent.yaml"), "");
}

TEST(DeviceFile, IsAPathAFileOrAName)
{
    EXPECT_EQ(device_file("some/path"), "some/path");
    EXPECT_EQ(device_file("absent.yaml"), "absent.yaml");
    EXPECT_EQ(device_file("LICENSE"), "LICENSE"); // a file in the working directory
    EXPECT_EQ(device_file("default"), "configs/ssd/default.yaml");
    try {
        device_file("defalt");
        FAIL();
    } catch (const InputError& e) {
        EXPECT_THAT(e.what(), AllOf(HasSubstr("no device 'defalt'"), HasSubstr("did you mean 'default'?")));
    }
}

TEST(DeviceFile, EveryDeviceAndWorkloadHasASentence)
{
    for (const NamedKind kind : {NamedKind::Device, NamedKind::Workload}) {
        const std::vector<NamedFile> files = named_files(named_folders(kind));
        EXPECT_GT(files.size(), 10u);
        for (const NamedFile& file : files) {
            EXPECT_GT(sentence_of_file(file.path).size(), 15u) << file.path;
            EXPECT_LT(sentence_of_file(file.path).size(), 120u) << file.path;
        }
    }
}

} // namespace
} // namespace tlmssd::config
