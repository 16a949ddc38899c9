// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests on real traces: counts, mean sizes and time span against their manifest.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

struct Case {
    const char* file;
    const char* format;
    const char* action; ///< blkparse only: the one that the manifest counted
};

const Case kCases[] = {
    {"umass/Financial1_first949.spc.xz", "spc", "D"},
    {"umass/Financial1_first10000.ssdsim.ascii.xz", "ssdsim", "D"},
    {"umass/Financial1_rows3-50002.disksim_pages.trace.xz", "disksim-pages", "D"},
    {"umass/WebSearch1_first10.spc.xz", "spc", "D"},
    {"umass/WebSearch1_first24783.mqsim.trace.xz", "mqsim", "D"},
    {"umass/WebSearch1_first50000.disksim_pages.trace.xz", "disksim-pages", "D"},
    {"msr/prxy_0_section20000.csv.xz", "msr", "D"},
    {"msprod/TPCC_first6999.mqsim.trace.xz", "mqsim", "D"},
    {"msprod/DTRS_127043.ssdsim.trace.xz", "ssdsim", "D"},
    {"disksim/ssd-postmark-aligned2.trace.xz", "disksim", "D"},
    {"pc/desktop_32527.disksim_pages.trace.xz", "disksim-pages", "D"},
    {"pc/jpeg_copy_47120.disksim_pages.trace.xz", "disksim-pages", "D"},
    {"blkparse/java_ext4.blkparse.txt.xz", "blkparse", "D"},
    {"blkparse/java_f2fs.blkparse.txt.xz", "blkparse", "D"},
    {"blkparse/java_nvme_10000events.blkparse.txt.xz", "blkparse", "Q"},
    {"blkparse/hadoop_hdd_50000events.blkparse.txt.xz", "blkparse", "Q"},
    {"blkparse/leveldb_fillrandom_dispatch.blkparse.txt.xz", "blkparse", "D"},
};

std::string trace_folder()
{
    const char* named = std::getenv("TLMSSD_TRACES");
    return named != nullptr ? named : "../shared/traces";
}

/// One line of CSV with quotes.
std::vector<std::string> csv_fields(const std::string& line)
{
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            fields.emplace_back();
        } else if (c != '\r') {
            fields.back() += c;
        }
    }
    return fields;
}

/// The manifest's row of a file, by column name; empty when there is none.
std::map<std::string, std::string> manifest_row(const std::string& file)
{
    std::ifstream manifest(trace_folder() + "/MANIFEST.csv");
    std::string line;
    if (!std::getline(manifest, line)) {
        return {};
    }
    const std::vector<std::string> names = csv_fields(line);
    while (std::getline(manifest, line)) {
        const std::vector<std::string> fields = csv_fields(line);
        if (fields.front() == file && fields.size() == names.size()) {
            std::map<std::string, std::string> row;
            for (std::size_t i = 0; i < names.size(); ++i) {
                row[names[i]] = fields[i];
            }
            return row;
        }
    }
    return {};
}

double mean(u64 sum, u64 count)
{
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

class RealTrace : public testing::TestWithParam<Case> {};

TEST_P(RealTrace, AgreesWithTheManifest)
{
    const Case& param = GetParam();
    const std::string path = trace_folder() + "/" + param.file;
    if (!std::ifstream(path)) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES (" << param.file << ")";
    }
    auto row = manifest_row(param.file);
    ASSERT_FALSE(row.empty()) << "MANIFEST.csv has no row for " << param.file;

    auto workload = trace_workload(path, param.format);
    workload.blkparse_action = param.action;
    const auto source = make_source(workload, u64{1} << 34, 1, nullptr);
    u64 reads = 0;
    u64 writes = 0;
    u64 others = 0;
    u64 read_bytes = 0;
    u64 write_bytes = 0;
    Picoseconds last;
    Picoseconds last_counted;
    Request request;
    while (source->next(request)) {
        ASSERT_LE(last, request.arrival);
        last = request.arrival;
        if (request.kind == Kind::Read) {
            ++reads;
            read_bytes += u64{request.sectors} * 512;
            last_counted = last;
        } else if (request.kind == Kind::Write) {
            ++writes;
            write_bytes += u64{request.sectors} * 512;
            last_counted = last;
        } else {
            ++others;
        }
    }
    EXPECT_EQ(reads, std::stoull(row["reads"]));
    EXPECT_EQ(writes, std::stoull(row["writes"]));
    EXPECT_EQ(reads + writes, std::stoull(row["rows"]));
    EXPECT_EQ(source->counts().requests, reads + writes + others);
    EXPECT_EQ(source->counts().folded, 0u); // the device has 8 TiB
    EXPECT_EQ(source->progress(), 1);
    EXPECT_NEAR(mean(read_bytes, reads), std::stod(row["mean_read_B"]), 0.5);
    EXPECT_NEAR(mean(write_bytes, writes), std::stod(row["mean_write_B"]), 0.5);
    // The manifest took FILETIME as double seconds since 1601: a grid of 1.9 us at 1.28e10 s.
    const double tolerance = std::string(param.format) == "msr" ? 4e-6 : 1e-6;
    EXPECT_NEAR(last_counted.seconds(), std::stod(row["span_s"]), tolerance);
}

INSTANTIATE_TEST_SUITE_P(All, RealTrace, testing::ValuesIn(kCases), [](const auto& test) {
    std::string name;
    for (const char c : std::string(test.param.file)) {
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return name;
});

TEST(RealTraces, BrokenTimeStampsAreLeftOutAndDiscardsBecomeTrims)
{
    const std::string path =
        trace_folder() + "/blkparse/leveldb_fillrandom_dispatch.blkparse.txt.xz";
    if (!std::ifstream(path)) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES";
    }
    const auto source =
        make_source(trace_workload(path, "blkparse"), u64{1} << 34, 1, nullptr);
    u64 trims = 0;
    u64 fua = 0;
    Request request;
    while (source->next(request)) {
        trims += request.kind == Kind::Trim ? 1 : 0;
        fua += request.fua ? 1 : 0;
    }
    // Counted with awk: 20 lines at 1.27e9 s (3 of them discards, 3 WFSM) of 2,057 discards and
    // 1,276 WFSM in all.
    EXPECT_EQ(source->counts().skipped, 20u);
    EXPECT_EQ(trims, 2054u);
    EXPECT_EQ(fua, 1273u);
}

TEST(RealTraces, SpcMsrAndBlkparseAreFoundUnnamed)
{
    const struct {
        const char* file;
        std::size_t requests;
    } files[] = {{"umass/Financial1_first949.spc.xz", 949},
                 {"msr/prxy_0_section20000.csv.xz", 20000},
                 {"blkparse/java_f2fs.blkparse.txt.xz", 5727}};
    for (const auto& file : files) {
        const std::string path = trace_folder() + "/" + file.file;
        if (!std::ifstream(path)) {
            GTEST_SKIP() << "traces not found: set TLMSSD_TRACES (" << file.file << ")";
        }
        EXPECT_EQ(read_all(trace_workload(path, "")).size(), file.requests) << file.file;
    }
}

} // namespace
} // namespace tlmssd::workload::test
