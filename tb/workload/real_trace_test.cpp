// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tests on real traces: counts, mean sizes and time span against their manifest.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <unistd.h>

#include "models/workload/detect/detect.h"
#include "tb/workload/trace_file.h"

namespace tlmssd::workload::test {
namespace {

struct Case {
    const char* file;
    const char* format;
    /// What is found where the name of the file says nothing; null: `format`. With ", ": the error names these.
    const char* nameless = nullptr;
    const char* action = "D"; ///< blkparse only: the one that the manifest counted
    u64 skipped = 0; ///< lines left out: counted by hand (grep, awk), see the end of the line
};

const Case kCases[] = {
    {"umass/Financial1_first949.spc.xz", "spc"},
    {"umass/Financial1_first10000.ssdsim.ascii.xz", "ssdsim"},
    // Few of its requests follow on each other in either unit of size.
    {"umass/Financial1_rows3-50002.disksim_pages.trace.xz", "disksim-pages", "disksim, disksim-pages"},
    {"umass/WebSearch1_first10.spc.xz", "spc"},
    {"umass/WebSearch1_first24783.mqsim.trace.xz", "mqsim", "ssdsim"},
    {"umass/WebSearch1_first50000.disksim_pages.trace.xz", "disksim-pages"},
    {"msr/prxy_0_section20000.csv.xz", "msr"},
    {"msprod/TPCC_first6999.mqsim.trace.xz", "mqsim", "ssdsim"},
    {"msprod/DTRS_127043.ssdsim.trace.xz", "ssdsim"},
    {"fiu/cheetah_mail_9997.blkparse.txt.xz", "fiu", nullptr, "D", 1}, // row behind the tar header
    {"tencent/tencent_cbs_20180113_10000.csv.xz", "tencent"},
    {"blkreplay/linux-mysql.load.gz", "blkreplay", nullptr, "D", 1},         // 1 line of op RA
    {"blkreplay/linux-webserver-2.load.gz", "blkreplay", nullptr, "D", 344}, // 344 lines of op RA
    {"blkreplay/windows-shared-server.load.gz", "blkreplay"},
    {"blkparse/java_ext4.blkparse.txt.xz", "blkparse", nullptr, "D", 1},
    {"blkparse/java_f2fs.blkparse.txt.xz", "blkparse"},
    {"blkparse/java_nvme_10000events.blkparse.txt.xz", "blkparse", nullptr, "Q"},
    {"blkparse/hadoop_hdd_50000events.blkparse.txt.xz", "blkparse", nullptr, "Q"},
    {"blkparse/leveldb_fillrandom_dispatch.blkparse.txt.xz", "blkparse", nullptr, "D", 20},
    {"hfplayer/netapp_tpch_small_780.csv.xz", "hfplayer"},
    {"hfplayer/netapp_scrub_500.csv.xz", "hfplayer"},
    {"disksim/ssd-postmark-aligned2.trace.xz", "disksim"},
    {"pc/desktop_32527.disksim_pages.trace.xz", "disksim-pages"},
    {"pc/jpeg_copy_47120.disksim_pages.trace.xz", "disksim-pages"},
    {"formats/t0038.fio3.iolog.xz", "fio-iolog"}, // no counts in the manifest; see below
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

using ManifestRow = std::map<std::string, std::string>;

/// The manifest's rows by column name, in order; empty when there is none.
std::vector<ManifestRow> manifest()
{
    std::ifstream file(trace_folder() + "/MANIFEST.csv");
    std::vector<ManifestRow> rows;
    std::string line;
    if (!std::getline(file, line)) {
        return rows;
    }
    const std::vector<std::string> names = csv_fields(line);
    while (std::getline(file, line)) {
        const std::vector<std::string> fields = csv_fields(line);
        EXPECT_EQ(fields.size(), names.size()) << line;
        rows.emplace_back();
        for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i) {
            rows.back()[names[i]] = fields[i];
        }
    }
    return rows;
}

/// The manifest's row of a file; empty when there is none.
ManifestRow manifest_row(const std::string& file)
{
    for (const ManifestRow& row : manifest()) {
        if (row.at("file") == file) {
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
    if (row["reads"].empty()) {
        return; // nothing to agree with; FioLogOfFioItself counts it
    }
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
    EXPECT_EQ(source->counts().skipped, param.skipped);
    EXPECT_EQ(source->counts().deduplicated, 0u);
    EXPECT_EQ(source->progress(), 1);
    EXPECT_NEAR(mean(read_bytes, reads), std::stod(row["mean_read_B"]), 0.5);
    EXPECT_NEAR(mean(write_bytes, writes), std::stod(row["mean_write_B"]), 0.5);
    // The manifest took FILETIME as double seconds since 1601: a grid of 1.9 us at 1.28e10 s.
    const double tolerance = std::string(param.format) == "msr" ? 4e-6 : 1e-6;
    EXPECT_NEAR(last_counted.seconds(), std::stod(row["span_s"]), tolerance);
}

TEST_P(RealTrace, InTwoLoopsComesTwiceAtOneDistance)
{
    const Case& param = GetParam();
    const std::string path = trace_folder() + "/" + param.file;
    if (!std::ifstream(path)) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES (" << param.file << ")";
    }
    auto workload = trace_workload(path, param.format);
    const std::vector<Request> once = read_all(workload);
    workload.loops = 2;
    const std::vector<Request> twice = read_all(workload);
    ASSERT_EQ(twice.size(), 2 * once.size());
    const Picoseconds shift = twice[once.size()].arrival;
    // The rows of Tencent's piece are of one second, the unit of its times: no span.
    EXPECT_EQ(shift > once.back().arrival, once.back().arrival > Picoseconds(0));
    for (std::size_t i = 0; i < once.size(); ++i) {
        ASSERT_EQ(twice[i], once[i]) << i;
        Request moved = once[i];
        moved.arrival += shift;
        ASSERT_EQ(twice[once.size() + i], moved) << i;
    }
}

/// What the manifest calls a format.
std::string manifest_word(const std::string& format)
{
    static const std::map<std::string, std::string> kWords{
        {"spc", "SPC"}, {"ssdsim", "SSDsim ASCII"}, {"mqsim", "MQSim ASCII"}, {"disksim", "DiskSim ASCII"},
        {"disksim-pages", "DiskSim-like ASCII (ms dev LBA-sectors size-in-4KiB-pages"}, {"msr", "MSR CSV"},
        {"fiu", "FIU text"}, {"tencent", "Tencent CBS CSV"}, {"blkreplay", "blkreplay .load"},
        {"blkparse", "blkparse text"}, {"hfplayer", "hfplayer CSV"}, {"fio-iolog", "fio iolog v3"}};
    return kWords.at(format);
}

TEST_P(RealTrace, UnnamedIsOfTheFormatThatTheManifestNames)
{
    const Case& param = GetParam();
    const std::string path = trace_folder() + "/" + param.file;
    if (!std::ifstream(path)) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES (" << param.file << ")";
    }
    const Detected found = detect_format(trace_workload(path, ""));
    EXPECT_EQ(found.format, param.format) << found.why;
    EXPECT_EQ(manifest_row(param.file)["format"].rfind(manifest_word(found.format), 0), 0u)
        << manifest_row(param.file)["format"];
}

TEST_P(RealTrace, WithoutANameThatSaysItNoOtherIsFound)
{
    const Case& param = GetParam();
    const std::string path = trace_folder() + "/" + param.file;
    if (!std::ifstream(path)) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES (" << param.file << ")";
    }
    const std::filesystem::path copy = std::filesystem::path(testing::TempDir()) / ("copy" + std::to_string(getpid()));
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
    const std::string expected = param.nameless != nullptr ? param.nameless : param.format;
    if (expected.find(", ") != std::string::npos) {
        EXPECT_THAT(error_of(trace_workload(copy.string(), "")),
                    testing::HasSubstr(": the format is ambiguous: " + expected + " all accept"));
    } else {
        EXPECT_EQ(detect_format(trace_workload(copy.string(), "")).format, expected);
        if (expected != param.format) {
            EXPECT_EQ(read_all(trace_workload(path, expected)), read_all(trace_workload(path, param.format)));
        }
    }
    std::filesystem::remove(copy);
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

TEST(RealTraces, TheTableNamesEveryFileOfTheManifest)
{
    const std::vector<ManifestRow> rows = manifest();
    if (rows.empty()) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES (MANIFEST.csv)";
    }
    for (const ManifestRow& row : rows) {
        EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases), [&](const Case& known) {
            return row.at("file") == known.file;
        })) << row.at("file") << " is not in kCases";
    }
}

TEST(RealTraces, FioLogOfFioItself)
{
    const std::string path = trace_folder() + "/formats/t0038.fio3.iolog.xz";
    if (!std::ifstream(path)) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES";
    }
    // 24 lines: the header, add, open, close; then 10 trims of 2 GiB = 4,194,304 sectors, each cut
    // into 64 requests of 65,536, and 10 writes of 4 KiB: 640 + 10 requests. From 10,736 us (line
    // 4) to 10,809 us (line 23): 73 us.
    const std::vector<Request> requests = read_all(trace_workload(path, "fio-iolog"));
    ASSERT_EQ(requests.size(), 650u);
    EXPECT_EQ(std::count_if(requests.begin(), requests.end(),
                            [](const Request& r) { return r.kind == Kind::Trim; }),
              640);
    EXPECT_EQ(requests.front(), (Request{Picoseconds(0), 0, 65536, Kind::Trim, false}));
    EXPECT_EQ(requests.back(), (Request{Picoseconds(73000000), 72, 8, Kind::Write, false}));
}

TEST(RealTraces, RepeatsOfStackedDevicesAreLeftOutWhenAsked)
{
    const std::string path = trace_folder() + "/blkreplay/linux-webserver-2.load.gz";
    if (!std::ifstream(path)) {
        GTEST_SKIP() << "traces not found: set TLMSSD_TRACES";
    }
    // The collection's README: 88,955 of the 268,663 rows repeat one within 0.5 ms.
    auto workload = trace_workload(path, "blkreplay");
    workload.dedup = Picoseconds(500000000);
    const auto source = make_source(workload, u64{1} << 34, 1, nullptr);
    EXPECT_EQ(drain(*source).size(), 268663u - 88955u);
    EXPECT_EQ(source->counts().deduplicated, 88955u);
    EXPECT_EQ(source->counts().requests, 179708u); // 268,663 - 88,955
}

} // namespace
} // namespace tlmssd::workload::test
