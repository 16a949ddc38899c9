// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a PCI function's configuration space as a driver sees it. Offsets and bits by the standard's numbers.
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "models/pci/config_space.h"

namespace tlmssd::tb {
namespace {

using pci::ConfigSpace;
using pci::Message;

u32 read(const ConfigSpace& space, u32 offset, u32 bytes)
{
    u8 data[4] = {};
    space.read(offset, data, bytes);
    return u32{data[0]} | u32{data[1]} << 8 | u32{data[2]} << 16 | u32{data[3]} << 24;
}

bool write(ConfigSpace& space, u32 offset, u32 value, u32 bytes)
{
    u8 data[4];
    for (u32 i = 0; i < 4; ++i) {
        data[i] = static_cast<u8>(value >> (8 * i));
    }
    return space.write(offset, data, bytes);
}

void write_table(ConfigSpace& space, u64 offset, u32 value)
{
    u8 data[4];
    for (u32 i = 0; i < 4; ++i) {
        data[i] = static_cast<u8>(value >> (8 * i));
    }
    space.write_msix(offset, data, 4);
}

u32 find_capability(const ConfigSpace& space, u32 id)
{
    u32 at = read(space, 0x34, 1);
    while (at != 0 && read(space, at, 1) != id) {
        at = read(space, at + 1, 1);
    }
    return at;
}

TEST(ConfigSpace, TheHeaderNamesTheFunctionAndCannotBeWritten)
{
    ConfigSpace ahci(pci::ahci_function());
    EXPECT_EQ(read(ahci, 0x09, 3), 0x010601u);
    EXPECT_EQ(read(ahci, 0x0e, 1), 0u) << "type 0, one function";
    EXPECT_EQ(read(ahci, 0x06, 2) & 0x10, 0x10u) << "a list of capabilities";
    EXPECT_EQ(read(ahci, 0x3d, 1), 0u) << "no pin";
    const u32 before = read(ahci, 0, 4);
    write(ahci, 0, 0, 4);
    write(ahci, 0x08, 0xffffffff, 4);
    EXPECT_EQ(read(ahci, 0, 4), before);
    EXPECT_EQ(read(ahci, 0x09, 3), 0x010601u);
    EXPECT_EQ(read(ConfigSpace(pci::nvme_function(2)), 0x09, 3), 0x010802u);
}

TEST(ConfigSpace, OnesShowTheSizeOfABarAndAnAddressMapsIt)
{
    ConfigSpace ahci(pci::ahci_function());
    write(ahci, 0x24, 0xffffffff, 4);
    EXPECT_EQ(read(ahci, 0x24, 4), 0xfffff000u);
    write(ahci, 0x10, 0xffffffff, 4);
    EXPECT_EQ(read(ahci, 0x10, 4), 0u) << "BAR 0 is not there";
    write(ahci, 0x30, 0xfffff800, 4);
    EXPECT_EQ(read(ahci, 0x30, 4), 0u) << "no ROM";
    write(ahci, 0x24, 0xf0000000, 4);
    EXPECT_FALSE(ahci.find(0xf0000000, 4)) << "memory space is off";
    write(ahci, 0x04, 0x2, 2);
    ASSERT_TRUE(ahci.find(0xf0000ffc, 4));
    EXPECT_EQ(ahci.find(0xf0000ffc, 4)->bar, 5u);
    EXPECT_EQ(ahci.find(0xf0000ffc, 4)->offset, 0xffcu);
    EXPECT_FALSE(ahci.find(0xf0000ffc, 8));
    EXPECT_FALSE(ahci.find(0xeffffffc, 4));

    ConfigSpace nvme(pci::nvme_function(2));
    write(nvme, 0x10, 0xffffffff, 4);
    write(nvme, 0x14, 0xffffffff, 4);
    EXPECT_EQ(read(nvme, 0x10, 4), 0xffffc004u) << "16 KiB, 64 bits, not prefetchable";
    EXPECT_EQ(read(nvme, 0x14, 4), 0xffffffffu);
    write(nvme, 0x10, 0x00000000, 4);
    write(nvme, 0x14, 0x00000012, 4);
    EXPECT_EQ(nvme.bar_address(0), u64{0x12} << 32);
}

TEST(ConfigSpace, OnlyBitsOfTheCommandThatExistAreKept)
{
    ConfigSpace ahci(pci::ahci_function());
    write(ahci, 0x04, 0xffff, 2);
    EXPECT_EQ(read(ahci, 0x04, 2), 0x406u);
    EXPECT_TRUE(ahci.bus_master());
    write(ahci, 0x3c, 11, 1);
    EXPECT_EQ(read(ahci, 0x3c, 1), 11u);
}

TEST(ConfigSpace, MsiSendsWhatTheDriverHasWritten)
{
    ConfigSpace ahci(pci::ahci_function());
    const u32 msi = find_capability(ahci, 0x05);
    ASSERT_NE(msi, 0u);
    EXPECT_EQ(read(ahci, msi + 2, 2), 0x0080u) << "64 bits, one message, off";
    write(ahci, msi + 4, 0xfee00003, 4);
    write(ahci, msi + 8, 0x7, 4);
    write(ahci, msi + 12, 0x4041, 2);
    write(ahci, 0x04, 0x4, 2);
    ahci.raise(0);
    EXPECT_FALSE(ahci.next_message()) << "MSI is off, and nothing is kept";
    write(ahci, msi + 2, 0x0001, 2);
    EXPECT_FALSE(ahci.next_message());
    ahci.raise(0);
    ahci.raise(0);
    ahci.raise(1);
    EXPECT_EQ(ahci.next_message(), (Message{0x7fee00000, 0x4041}));
    EXPECT_FALSE(ahci.next_message()) << "two that nobody has sent are one";
}

TEST(ConfigSpace, AMessageWaitsForTheBusMasterBit)
{
    ConfigSpace ahci(pci::ahci_function());
    write(ahci, find_capability(ahci, 0x05) + 2, 1, 2);
    ahci.raise(0);
    EXPECT_FALSE(ahci.next_message());
    write(ahci, 0x04, 0x4, 2);
    EXPECT_TRUE(ahci.next_message());
}

TEST(ConfigSpace, MsixVectorsAreMaskedApartAndTogether)
{
    ConfigSpace nvme(pci::nvme_function(3));
    const u32 msix = find_capability(nvme, 0x11);
    ASSERT_NE(msix, 0u);
    EXPECT_EQ(read(nvme, msix + 2, 2), 2u) << "three entries";
    EXPECT_EQ(read(nvme, msix + 4, 4), 0x2000u);
    EXPECT_EQ(read(nvme, msix + 8, 4), 0x3000u);
    EXPECT_TRUE(nvme.is_msix(0x202c));
    EXPECT_FALSE(nvme.is_msix(0x2030));
    EXPECT_FALSE(nvme.is_msix(0x1000));
    write(nvme, 0x04, 0x4, 2);
    write(nvme, msix + 2, 0x8000, 2);
    write_table(nvme, 0x2020, 0xfee00000);
    write_table(nvme, 0x2028, 77);
    nvme.raise(2);
    EXPECT_FALSE(nvme.next_message()) << "an entry is masked at first";
    u8 pending = 0;
    nvme.read_msix(0x3000, &pending, 1);
    EXPECT_EQ(pending, 0x4);
    write(nvme, msix + 2, 0xc000, 2);
    write_table(nvme, 0x202c, 0);
    EXPECT_FALSE(nvme.next_message()) << "the function is masked";
    write(nvme, msix + 2, 0x8000, 2);
    EXPECT_EQ(nvme.next_message(), (Message{0xfee00000, 77}));
    nvme.read_msix(0x3000, &pending, 1);
    EXPECT_EQ(pending, 0);
}

TEST(ConfigSpace, AFunctionLevelResetForgetsAll)
{
    ConfigSpace ahci(pci::ahci_function());
    const u32 af = find_capability(ahci, 0x13);
    ASSERT_NE(af, 0u);
    EXPECT_EQ(read(ahci, af + 2, 1), 6u);
    EXPECT_EQ(read(ahci, af + 3, 1), 3u);
    write(ahci, 0x04, 0x6, 2);
    write(ahci, 0x24, 0xf0000000, 4);
    EXPECT_FALSE(write(ahci, af + 4, 0, 1));
    EXPECT_EQ(read(ahci, 0x24, 4), 0xf0000000u);
    EXPECT_TRUE(write(ahci, af + 4, 1, 1));
    EXPECT_EQ(read(ahci, 0x04, 2), 0u);
    EXPECT_EQ(read(ahci, 0x24, 4), 0u);
}

TEST(ConfigSpace, WhatPciDoesNotHaveIsRefused)
{
    pci::FunctionFacts facts = pci::ahci_function();
    facts.bars[5].bytes = 4097;
    EXPECT_THROW(ConfigSpace{facts}, InputError);
    facts.bars[5] = {4096, true};
    EXPECT_THROW(ConfigSpace{facts}, InputError) << "no BAR 6 for its upper half";
    EXPECT_THROW(ConfigSpace{pci::nvme_function(2049)}, InputError);
    EXPECT_THROW(ConfigSpace{pci::nvme_function(257)}, InputError) << "the table runs into the pending bits";
    EXPECT_NO_THROW(ConfigSpace{pci::nvme_function(256)});
}

} // namespace
} // namespace tlmssd::tb
