// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fields of Verilated ports of every type: models/flash/rtl/rtl_bits.h.
#include <gtest/gtest.h>

#include "models/flash/rtl/rtl_bits.h"

namespace tlmssd::flash {
namespace {

/// Fields of 3 bits, one a channel: 8 channels make an IData, 16 a QData of 48 bits, where one lies across
/// bit 32.
template <class Port>
void expect_fields(u32 channels)
{
    u64 word = 0;
    Port port = 0;
    for (u32 c = 0; c < channels; ++c) {
        const u32 field = (c * 5 + 3) % 8;
        word |= u64{field} << 3 * c;
        set_port_bits(port, c * 3, 3, field);
    }
    EXPECT_EQ(u64{port}, word);
    for (u32 c = 0; c < channels; ++c) {
        EXPECT_EQ(port_bits(port, c * 3, 3), (c * 5 + 3) % 8) << "channel " << c;
    }
}

TEST(PortBits, FieldsOfThreeBitsInEveryTypeThatHasThem)
{
    expect_fields<CData>(2);
    expect_fields<SData>(5);
    expect_fields<IData>(8);
    expect_fields<QData>(16);
    QData port = ~QData{0};
    set_port_bits(port, 30, 3, 2); // across the words
    EXPECT_EQ(port, ~(QData{5} << 30));
}

TEST(PortBits, FieldsOfAWidePortKeepTheirNeighbours)
{
    VlWide<4> port;
    for (u32 i = 0; i < 4; ++i) {
        port[i] = 0xffffffffu;
    }
    set_port_bits(port, 64 + 8, 8, 0x5a);
    EXPECT_EQ(port[2], 0xffff5affu);
    EXPECT_EQ(port_bits(port, 72, 8), 0x5au);
    set_port_bits(port, 96, 32, 0x12345678);
    EXPECT_EQ(port_bits(port, 96, 32), 0x12345678u);
    EXPECT_EQ(port_bits(port, 80, 16), 0xffffu);
    EXPECT_EQ(port[1], 0xffffffffu);
}

} // namespace
} // namespace tlmssd::flash
