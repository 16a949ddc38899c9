// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the compiled data-sheet tables against typed values and against the reference files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "models/common/error.h"
#include "models/onfi/bus/timing_tables.h"

namespace tlmssd::tb {
namespace {

using config::BusInterface;
using onfi::DataSheet;
using onfi::data_sheet;

/// Values typed from the tables of the data sheets, in ps.
TEST(Tables, HoldTheDataSheetsValues)
{
    const DataSheet sdr0 = data_sheet(BusInterface::Sdr, 0);
    EXPECT_EQ(sdr0.t_wp, nanoseconds(50));
    EXPECT_EQ(sdr0.t_wh, nanoseconds(30));
    EXPECT_EQ(sdr0.t_rea, nanoseconds(40));
    EXPECT_EQ(sdr0.t_cls, nanoseconds(50));
    EXPECT_EQ(sdr0.t_rst, milliseconds(250));
    EXPECT_EQ(sdr0.t_ir, nanoseconds(10));
    const DataSheet sdr5 = data_sheet(BusInterface::Sdr, 5);
    EXPECT_EQ(sdr5.t_wp, nanoseconds(10));
    EXPECT_EQ(sdr5.t_wh, nanoseconds(7));
    EXPECT_EQ(sdr5.t_rp, nanoseconds(10));
    EXPECT_EQ(sdr5.t_reh, nanoseconds(7));
    EXPECT_EQ(sdr5.t_ds, nanoseconds(7));
    EXPECT_EQ(sdr5.t_dh, nanoseconds(5));
    EXPECT_EQ(sdr5.t_rhoh, nanoseconds(15));
    EXPECT_EQ(sdr5.t_ww, nanoseconds(100));
    EXPECT_EQ(sdr5.t_feat, microseconds(1));
    const DataSheet clocked5 = data_sheet(BusInterface::NvDdr, 5);
    EXPECT_EQ(clocked5.t_ck, nanoseconds(10));
    EXPECT_EQ(clocked5.t_ds, Picoseconds(900));
    EXPECT_EQ(clocked5.t_dqsq, Picoseconds(850));
    EXPECT_EQ(clocked5.t_cah, nanoseconds(2));
    EXPECT_EQ(clocked5.t_ac, nanoseconds(25));
    EXPECT_EQ(clocked5.t_ac_min, nanoseconds(3));
    EXPECT_EQ(clocked5.t_dqsck_min, nanoseconds(3));
    EXPECT_EQ(clocked5.t_dqsd, nanoseconds(18));
    EXPECT_EQ(data_sheet(BusInterface::NvDdr, 4).t_cas, Picoseconds(2500));
    const u32 dsc_ps[] = {30000, 25000, 15000, 12000, 10000, 7500, 6000, 5000, 3750, 3000, 2500};
    for (u32 mode = 0; mode <= 10; ++mode) {
        const DataSheet ddr3 = data_sheet(BusInterface::NvDdr3, mode);
        EXPECT_EQ(ddr3.t_dsc, Picoseconds(dsc_ps[mode]));
        EXPECT_EQ(ddr3.t_adl, nanoseconds(70));
        EXPECT_EQ(ddr3.t_ccs, nanoseconds(300));
        if (mode <= 8) {
            EXPECT_EQ(data_sheet(BusInterface::NvDdr2, mode).t_dsc, Picoseconds(dsc_ps[mode]));
        }
    }
    EXPECT_THROW(data_sheet(BusInterface::NvDdr3, 11), InputError);
}

/// Rows of a CSV file, by first column; a row holds the other columns.
using Csv = std::map<std::string, std::vector<std::string>>;

std::string reference_folder()
{
    const char* named = std::getenv("TLMSSD_REFERENCE");
    return named != nullptr ? named : "../shared/reference";
}

Csv read_csv(const std::string& name)
{
    std::ifstream file(reference_folder() + "/" + name);
    Csv rows;
    std::string line;
    std::getline(file, line); // header
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        std::string key;
        std::string field;
        std::getline(fields, key, ',');
        while (std::getline(fields, field, ',')) {
            rows[key].push_back(field);
        }
    }
    return rows;
}

u64 ps_of(const std::string& ns) { return static_cast<u64>(std::stod(ns) * 1000 + 0.5); }

struct TableCase {
    BusInterface interface;
    const char* file;
    onfi::TimingTable (*table)();
    /// Derived rows: their name, and the period that moves `bytes`.
    std::vector<std::tuple<const char*, Picoseconds DataSheet::*, u32>> peaks;
};

class ReferenceTable : public testing::TestWithParam<TableCase> {};

TEST_P(ReferenceTable, IsTheCompiledOneRowByRow)
{
    const TableCase& c = GetParam();
    Csv rows = read_csv(c.file);
    if (rows.empty()) {
        GTEST_SKIP() << "ONFI tables not found: set TLMSSD_REFERENCE";
    }
    for (const auto& [name, period, bytes] : c.peaks) {
        ASSERT_EQ(rows.count(name), 1u) << name;
        for (u32 mode = 0; mode < 6; ++mode) {
            const Picoseconds t = data_sheet(c.interface, mode).*period;
            // MB/s with one decimal
            EXPECT_NEAR(bytes * 1e6 / static_cast<double>(t.value()),
                        std::stod(rows[name][1 + mode]), 0.0501)
                << name << " of mode " << mode;
        }
        rows.erase(name);
    }
    for (const onfi::TimingRow& row : c.table()) {
        ASSERT_EQ(rows.count(row.name), 1u) << row.name << " is not in the reference, or twice";
        EXPECT_EQ(rows[row.name][0], "ns");
        for (u32 mode = 0; mode < 6; ++mode) {
            const DataSheet sheet = data_sheet(c.interface, mode);
            EXPECT_EQ((sheet.*row.field).value(), ps_of(rows[row.name][1 + mode]))
                << row.name << " of mode " << mode;
        }
        rows.erase(row.name);
    }
    for (const auto& row : rows) {
        ADD_FAILURE() << row.first << " is not compiled in";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Interfaces, ReferenceTable,
    testing::Values(TableCase{BusInterface::Sdr, "onfi_sdr_timings.csv", onfi::sdr_table,
                              {{"peak_read_MBps", &DataSheet::t_rc, 1},
                               {"peak_write_MBps", &DataSheet::t_wc, 1}}},
                    TableCase{BusInterface::NvDdr, "onfi_nvddr_timings.csv", onfi::nv_ddr_table,
                              {{"peak_MBps", &DataSheet::t_ck, 2}}}),
    [](const auto& test) { return test.param.interface == BusInterface::Sdr ? "Sdr" : "NvDdr"; });

TEST(ReferenceModes, NvDdr2And3RatesAreTheCompiledOnes)
{
    Csv rows = read_csv("onfi_nvddr23_modes.csv");
    if (rows.empty()) {
        GTEST_SKIP() << "ONFI tables not found: set TLMSSD_REFERENCE";
    }
    ASSERT_EQ(rows.size(), 11u);
    for (u32 mode = 0; mode < 11; ++mode) {
        const std::vector<std::string>& row = rows[std::to_string(mode)];
        const DataSheet sheet = data_sheet(BusInterface::NvDdr3, mode);
        EXPECT_EQ(sheet.t_dsc.value(), ps_of(row[0])) << mode;
        EXPECT_NEAR(2e6 / static_cast<double>(sheet.t_dsc.value()), std::stod(row[1]), 0.51);
        if (row[2] == "NV-DDR3 only") {
            EXPECT_THROW(data_sheet(BusInterface::NvDdr2, mode), InputError);
        } else {
            EXPECT_EQ(data_sheet(BusInterface::NvDdr2, mode).t_dsc, sheet.t_dsc);
        }
    }
}

} // namespace
} // namespace tlmssd::tb
