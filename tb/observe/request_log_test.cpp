// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the log's rows, compression by suffix, and that there is a whole file or none.
#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <zlib.h>
#include <unistd.h>

#include <filesystem>
#include <cstring>
#include <fstream>

#include "models/common/error.h"
#include "models/observe/request_log.h"

namespace tlmssd::observe {
namespace {

namespace fs = std::filesystem;

class Log : public testing::Test {
protected:
    Log()
    {
        folder_ = fs::temp_directory_path() /
                  ("tlmssd-log-" + std::to_string(getpid()) + "-" +
                   testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(folder_);
    }
    ~Log() override { fs::remove_all(folder_); }

    static LogRow row()
    {
        LogRow r;
        r.job = 2;
        r.kind = "write";
        r.lba = 123456789012;
        r.bytes = 4096;
        r.tag = 31;
        r.arrival = Picoseconds(1000);
        r.issued = Picoseconds(1001);
        r.ended = Picoseconds(98765432109876);
        r.hit = true;
        r.flash_ops = 3;
        r.status = "ok";
        return r;
    }
    std::string path(const char* name) const { return (folder_ / name).string(); }
    /// The file's text, whatever it is compressed with.
    static std::string text_of(const std::string& path)
    {
        archive* a = archive_read_new();
        archive_read_support_filter_all(a);
        archive_read_support_format_raw(a);
        archive_entry* entry = nullptr;
        EXPECT_EQ(archive_read_open_filename(a, path.c_str(), 4096), ARCHIVE_OK);
        EXPECT_EQ(archive_read_next_header(a, &entry), ARCHIVE_OK);
        std::string text;
        char buffer[4096];
        for (la_ssize_t n; (n = archive_read_data(a, buffer, sizeof buffer)) > 0;) {
            text.append(buffer, static_cast<std::size_t>(n));
        }
        archive_read_free(a);
        return text;
    }
    static std::string bytes_of(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    std::size_t files() const
    {
        return fs::exists(folder_) ? static_cast<std::size_t>(std::distance(
                                         fs::directory_iterator(folder_), {}))
                                   : 0;
    }

    fs::path folder_;
};

/// The line at the end is the CRC-32 of zlib.
std::string with_checksum(const std::string& text)
{
    char line[32];
    std::snprintf(line, sizeof line, "# crc32 %08lx\n",
                  crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
    return text + line;
}

constexpr const char* kHeader =
    "job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,flash_ops,status\n";
constexpr const char* kRow = "2,write,123456789012,4096,31,1.000,1.001,98765432109.876,1,3,ok\n";

TEST_F(Log, WritesExactTimesInNanoseconds)
{
    RequestLog log(path("a.csv"));
    log.add(row());
    log.close();
    EXPECT_EQ(bytes_of(path("a.csv")), with_checksum(std::string(kHeader) + kRow));
}

/// Ten columns more, in the order of the path; 1 ps is 0.001 ns.
TEST_F(Log, HasAColumnForEachStageWhereAskedFor)
{
    StageTimes times{};
    times[0] = 1;
    times[9] = 2'500'000;
    LogRow with = row();
    with.stages = &times;
    RequestLog log(path("a.csv"), RequestLog::Columns::Stages);
    log.add(with);
    log.close();
    const std::string head(kHeader), cells(kRow);
    EXPECT_EQ(bytes_of(path("a.csv")),
              with_checksum(head.substr(0, head.size() - 1) +
                            ",link_ns,hil_ns,buffer_ns,ftl_ns,sched_ns,wait_die_ns,wait_bus_ns,cell_ns,"
                            "transfer_ns,dram_ns\n" +
                            cells.substr(0, cells.size() - 1) +
                            ",0.001,0.000,0.000,0.000,0.000,0.000,0.000,0.000,0.000,2500.000\n"));
}

TEST_F(Log, CompressesBySuffix)
{
    const std::pair<const char*, const char*> kinds[] = {
        {"a.csv.gz", "\x1f\x8b"}, {"a.csv.xz", "\xfd" "7z"}, {"a.csv.zst", "\x28\xb5\x2f\xfd"}};
    for (const auto& [name, magic] : kinds) {
        RequestLog log(path(name));
        for (int i = 0; i < 5000; ++i) {
            log.add(row());
        }
        log.close();
        const std::string text = text_of(path(name));
        std::string expected = kHeader;
        for (int i = 0; i < 5000; ++i) {
            expected += kRow;
        }
        EXPECT_TRUE(text == with_checksum(expected)) << name;
        EXPECT_EQ(bytes_of(path(name)).rfind(magic, 0), 0u) << name;
        EXPECT_LT(bytes_of(path(name)).size(), text.size() / 20) << name;
    }
}

TEST_F(Log, EqualRowsMakeEqualFiles)
{
    for (const char* name : {"a.csv.gz", "b.csv.gz"}) {
        RequestLog log(path(name));
        log.add(row());
        log.close();
    }
    EXPECT_EQ(bytes_of(path("a.csv.gz")), bytes_of(path("b.csv.gz")));
}

TEST_F(Log, LeavesNothingWithoutClose)
{
    {
        RequestLog log(path("a.csv.zst"));
        for (int i = 0; i < 5000; ++i) {
            log.add(row());
        }
        EXPECT_FALSE(fs::exists(path("a.csv.zst")));
        EXPECT_EQ(files(), 1u); // the temporary one
    }
    EXPECT_EQ(files(), 0u);
}

TEST_F(Log, KeepsTheOldFileUntilTheNewOneIsWhole)
{
    fs::create_directories(folder_);
    std::ofstream(path("a.csv")) << "old";
    {
        RequestLog log(path("a.csv"));
        log.add(row());
    }
    EXPECT_EQ(bytes_of(path("a.csv")), "old");
}

void expect_refused(const std::string& path, const char* words)
{
    try {
        RequestLog log(path);
        FAIL() << path;
    } catch (const InputError& e) {
        EXPECT_THAT(e.what(), testing::HasSubstr(words));
    }
}

TEST_F(Log, RefusesASuffixThatItDoesNotKnow)
{
    expect_refused(path("a.txt"), "does not end in .csv, .csv.gz, .csv.xz or .csv.zst");
    EXPECT_EQ(files(), 0u);
}

TEST_F(Log, RefusesAFolder)
{
    fs::create_directories(folder_ / "a.csv");
    expect_refused(path("a.csv"), "not a regular file");
}

} // namespace
} // namespace tlmssd::observe
