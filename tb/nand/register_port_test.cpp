// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bursts to and from the register of one plane.
#include <gtest/gtest.h>

#include "models/nand/lun/register_port.h"
#include "tb/support/geometry.h"

namespace tlmssd::tb {
namespace {

using nand::PlaneRegister;
using nand::RegisterPort;
using onfi::DataCells;
using onfi::Rule;

constexpr u32 kUnit = 8 * 539;  ///< columns of a 4 KiB unit
constexpr u32 kOob = 8624;      ///< column of the OOB bytes
constexpr u32 kPhysical = 8640; ///< columns of a page of two units

struct Port : testing::Test {
    RegisterPort port{small_geometry()};
    PlaneRegister reg;
    DataCells cells;

    Port()
    {
        reg.valid = true;
        reg.tags[0] = {10, 1};
        reg.tags[1] = {11, 1};
        reg.oob[0] = 0x5a;
    }
};

TEST_F(Port, AWholePageCarriesBothUnitsAndTheOobBytes)
{
    EXPECT_EQ(port.put(reg, kPhysical, cells), Rule::None);
    EXPECT_EQ(cells.tags[0], (UnitTag{10, 1}));
    EXPECT_EQ(cells.tags[1], (UnitTag{11, 1}));
    EXPECT_EQ(cells.oob[0], 0x5a);
    EXPECT_EQ(port.column(), kPhysical);
    EXPECT_TRUE(port.has_delivered());
}

TEST_F(Port, ABurstFromTheSecondUnitOnCarriesItsTagFirst)
{
    port.select(0, kUnit);
    EXPECT_EQ(port.put(reg, 100, cells), Rule::None);
    EXPECT_EQ(cells.tags[0], (UnitTag{11, 1}));
    EXPECT_EQ(cells.oob[0], 0);
    EXPECT_EQ(port.delivered_unit(), 1u);
    EXPECT_EQ(port.column(), kUnit + 100);
}

TEST_F(Port, TheOobBytesAloneCarryNoTag)
{
    port.set_column(kOob);
    EXPECT_EQ(port.put(reg, 16, cells), Rule::None);
    EXPECT_EQ(cells.oob[0], 0x5a);
    EXPECT_FALSE(port.has_delivered());
}

TEST_F(Port, EndsAtThePhysicalPage)
{
    port.set_column(1);
    EXPECT_EQ(port.put(reg, kPhysical, cells), Rule::BurstLength);
    EXPECT_EQ(port.take(reg, kPhysical, cells), Rule::BurstLength);
    EXPECT_EQ(port.column(), 1u);
}

TEST_F(Port, ARegisterWithoutDataDeliversNothing)
{
    reg.valid = false;
    EXPECT_EQ(port.put(reg, 1, cells), Rule::NoData);
    EXPECT_FALSE(port.has_delivered());
}

TEST_F(Port, DataInReplaceWhatTheyCover)
{
    cells.tags[0] = {20, 2};
    port.set_column(kUnit);
    EXPECT_EQ(port.take(reg, kUnit, cells), Rule::None);
    EXPECT_EQ(reg.tags[0], (UnitTag{10, 1}));
    EXPECT_EQ(reg.tags[1], (UnitTag{20, 2}));
    EXPECT_EQ(reg.oob[0], 0x5a);
}

TEST_F(Port, RealBytesGoWithTheBurst)
{
    reg.bytes.assign(kPhysical, 0);
    reg.bytes[7] = 0x77;
    std::vector<u8> page(8);
    cells.page = page.data();
    port.set_column(5);
    EXPECT_EQ(port.put(reg, 3, cells), Rule::None);
    EXPECT_EQ(page[2], 0x77);
    std::vector<u8> other(kPhysical, 0xee);
    port.swap_bytes(other.data(), 1, cells);
    EXPECT_EQ(page[2], 0xee);
    EXPECT_EQ(page[3], 0); // the burst had three bytes
}

} // namespace
} // namespace tlmssd::tb
