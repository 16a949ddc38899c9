// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: each preset of a published trace against its row, measured on the generated requests.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>

#include "models/config/config.h"
#include "models/workload/generator.h"

namespace tlmssd::workload::test {
namespace {

using Row = std::map<std::string, std::string>; // by column; empty cells are left out

std::vector<std::string> cells(const std::string& line)
{
    std::vector<std::string> out(1);
    bool quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            out.emplace_back();
        } else {
            out.back() += c;
        }
    }
    return out;
}

std::vector<Row> table()
{
    std::ifstream in("scripts/gen/trace_characteristics.csv");
    std::vector<Row> rows;
    std::vector<std::string> names;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        const std::vector<std::string> values = cells(line);
        if (names.empty()) {
            names = values;
            continue;
        }
        Row row;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (!values[i].empty()) {
                row[names[i]] = values[i];
            }
        }
        rows.push_back(row);
    }
    return rows;
}

std::string preset_of(const Row& row)
{
    return std::string("uniform-") + (row.at("paper") == "PALLOC" ? "palloc-" : "") + row.at("trace");
}

/// What a stream is like. Index 0: reads, 1: writes.
struct Measured {
    std::array<double, 2> ios{};
    std::array<double, 2> bytes{};
    std::array<double, 2> followable{}; ///< requests that have one before them
    std::array<double, 2> random{};     ///< of these: do not start where it ended
    std::array<double, 4> classes{};    ///< writes up to 4, 16, 64 KiB, larger
    double last_arrival_s = 0;

    double total() const { return ios[0] + ios[1]; }
    double random_percent(std::size_t kind) const { return 100 * random[kind] / followable[kind]; }
    double random_percent() const
    {
        return 100 * (random[0] + random[1]) / (followable[0] + followable[1]);
    }
    double mean_kib(std::size_t kind) const { return bytes[kind] / ios[kind] / 1024; }
};

Measured measure(const config::Config& c)
{
    Generator generator(c.workload, c.logical_sectors(), c.seed);
    Measured m;
    Request request;
    u64 end = 0;
    while (generator.next(request)) {
        const std::size_t kind = request.kind == Kind::Read ? 0 : 1;
        EXPECT_TRUE(request.kind == Kind::Read || request.kind == Kind::Write);
        const bool first = m.total() == 0;
        m.ios[kind] += 1;
        m.bytes[kind] += request.sectors * 512.0;
        m.followable[kind] += first ? 0 : 1;
        m.random[kind] += !first && request.lba != end ? 1 : 0;
        if (kind == 1) {
            m.classes[request.sectors <= 8     ? 0
                      : request.sectors <= 32  ? 1
                      : request.sectors <= 128 ? 2
                                               : 3] += 1;
        }
        end = request.lba + request.sectors;
        m.last_arrival_s = static_cast<double>(request.arrival.value()) / 1e12;
    }
    return m;
}

class Preset : public testing::TestWithParam<Row> {
protected:
    Preset()
        : row_(GetParam()),
          measured_(measure(config::load("configs/ssd/default.yaml",
                                         {{"workload=" + preset_of(row_)}})))
    {
    }
    /// The row's value, where it has one, is met within 5 per cent (or `least`, near zero).
    void expect(const char* column, double measured, double least = 0)
    {
        const auto cell = row_.find(column);
        if (cell != row_.end()) {
            const double value = std::strtod(cell->second.c_str(), nullptr);
            EXPECT_NEAR(measured, value, std::max(0.05 * value, least)) << column;
            ++checked_;
        }
    }

    Row row_;
    Measured measured_;
    int checked_ = 0;
};

TEST_P(Preset, MeetsItsRow)
{
    const Measured& m = measured_;
    expect("write_pct_requests", 100 * m.ios[1] / m.total(), 0.005); // two digits are printed
    expect("mean_read_kB", m.mean_kib(0));
    expect("mean_write_kB", m.mean_kib(1));
    expect("pct_random_read", m.random_percent(0));
    expect("pct_random_write", m.random_percent(1), 0.2); // 0 in one row: one of 500 at most
    expect("randomness_pct", m.random_percent());
    const bool classes = row_.at("paper") == "CAWR";
    if (preset_of(row_) == "uniform-palloc-web") {
        // Printed as 0.1, but 212 x 8 / (212 x 8 + 1055236 x 15.1) is 0.0106 per cent.
        EXPECT_NEAR(100 * m.bytes[1] / (m.bytes[0] + m.bytes[1]), 0.0106, 0.0005);
    } else {
        expect("write_pct_bytes", 100 * m.bytes[1] / (m.bytes[0] + m.bytes[1]), 0.05); // one digit
    }
    static constexpr const char* kColumns[] = {"write_size_pct_le_4k", "write_size_pct_4k_16k",
                                               "write_size_pct_16k_64k", "write_size_pct_gt_64k"};
    for (std::size_t i = 0; i < 4; ++i) {
        expect(kColumns[i], 100 * m.classes[i] / m.ios[1]);
    }
    expect("mean_interval_s", m.last_arrival_s / m.total());
    if (classes) {
        EXPECT_EQ(checked_, 6); // share of writes, four classes, interval
        return;
    }
    EXPECT_GE(checked_, 3);
    const double reads = std::strtod(row_.at("read_ios").c_str(), nullptr);
    const double writes = std::strtod(row_.at("write_ios").c_str(), nullptr);
    const double scale = m.total() / (reads + writes);
    EXPECT_NEAR(m.ios[0], reads * scale, 0.5001);
    EXPECT_NEAR(m.ios[1], writes * scale, 0.5001);
    if (writes < 2000 || reads < 500) { // tiny counts are exact
        EXPECT_EQ(m.ios[0], reads);
        EXPECT_EQ(m.ios[1], writes);
    }
    // The volume is for all of the trace's requests, in 10^3 of the sizes' kB.
    expect("data_MB", (m.bytes[0] + m.bytes[1]) / scale / 1024 / 1000);
}

std::string name_of(const testing::TestParamInfo<Row>& info)
{
    return info.param.at("paper") + "_" + info.param.at("trace");
}

INSTANTIATE_TEST_SUITE_P(Table, Preset, testing::ValuesIn(table()), name_of);

TEST(Presets, ThereIsOneForEachRow) { EXPECT_EQ(table().size(), 34u); }

} // namespace
} // namespace tlmssd::workload::test
