// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: FISes against bytes written by hand from the standard's tables (docs/reference/sata-facts.md).
#include "models/sata/fis.h"

#include <gmock/gmock.h>

#include <vector>

namespace tlmssd::sata {
namespace {

std::vector<int> bytes_of(const FisBytes& fis, u32 dwords)
{
    return std::vector<int>(fis.begin(), fis.begin() + dwords * 4);
}

hal_host_command command(u8 opcode, u64 lba, u32 sectors, u16 tag, u8 flags = 0)
{
    hal_host_command c{};
    c.opcode = opcode;
    c.lba = lba;
    c.sectors = sectors;
    c.tag = tag;
    c.flags = flags;
    return c;
}

std::vector<int> encoded(const hal_host_command& c)
{
    FisBytes bytes{};
    pack(encode_command(c), bytes);
    return bytes_of(bytes, kRegisterDwords);
}

using testing::ElementsAre;

TEST(Fis, ReadFpdmaQueued)
{
    // LBA 0x123456789abc, 8 sectors, tag 5: count = 5 << 3 = 28h.
    EXPECT_THAT(encoded(command(HAL_HOST_READ, 0x123456789abcull, 8, 5)),
                ElementsAre(0x27, 0x80, 0x60, 0x08, 0xbc, 0x9a, 0x78, 0x40, 0x56, 0x34, 0x12, 0x00,
                            0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00));
}

TEST(Fis, WriteFpdmaQueuedWithFua)
{
    // 0x0123 sectors, tag 31: count = F8h; FUA is bit 7 of device.
    EXPECT_THAT(encoded(command(HAL_HOST_WRITE, 1, 0x123, 31, HAL_HOST_FUA)),
                ElementsAre(0x27, 0x80, 0x61, 0x23, 0x01, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x00, 0x01,
                            0xf8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00));
}

TEST(Fis, CommandsThatAreNotQueued)
{
    const auto plain = [](const hal_host_command& c) {
        FisBytes bytes{};
        pack(encode_command(c, {false, false}), bytes);
        RegisterH2D fis;
        unpack(bytes, fis);
        hal_host_command out{};
        EXPECT_TRUE(decode_command(fis, out));
        EXPECT_EQ(out.opcode, c.opcode);
        EXPECT_EQ(out.lba, c.lba);
        EXPECT_EQ(out.sectors, c.sectors);
        EXPECT_EQ(out.flags, c.flags);
        EXPECT_EQ(out.tag, 0u);
        return bytes_of(bytes, kRegisterDwords);
    };
    EXPECT_THAT(plain(command(HAL_HOST_READ, 0x123456789abcull, 0x208, 0)),
                ElementsAre(0x27, 0x80, 0x25, 0x00, 0xbc, 0x9a, 0x78, 0x40, 0x56, 0x34, 0x12, 0x00,
                            0x08, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00));
    EXPECT_THAT(plain(command(HAL_HOST_WRITE, 2, 65536, 0)),
                ElementsAre(0x27, 0x80, 0x35, 0x00, 0x02, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
                            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00));
    EXPECT_EQ(plain(command(HAL_HOST_WRITE, 2, 1, 0, HAL_HOST_FUA))[2], 0x3d);
}

TEST(Fis, FlushCacheExt)
{
    EXPECT_THAT(encoded(command(HAL_HOST_FLUSH, 0, 0, 0)),
                ElementsAre(0x27, 0x80, 0xea, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
                            0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00));
}

TEST(Fis, DataSetManagementTrim)
{
    EXPECT_THAT(encoded(command(HAL_HOST_TRIM, 77, 8, 0)),
                ElementsAre(0x27, 0x80, 0x06, 0x01, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
                            0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00));
}

TEST(Fis, SendFpdmaQueuedTrim)
{
    // Tag 21: count = 21 << 3 = A8h; subcommand 0 in count[12:8], PRIO 10b in count[15:14]; one
    // block in features; auxiliary 1. The range is not in the registers.
    hal_host_command c = command(HAL_HOST_TRIM, 0x123456, 8, 21);
    c.flags = 2u << HAL_HOST_PRIORITY_SHIFT;
    FisBytes bytes{};
    pack(encode_command(c, {true, true}), bytes);
    EXPECT_THAT(bytes_of(bytes, kRegisterDwords),
                ElementsAre(0x27, 0x80, 0x64, 0x01, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00, 0x00,
                            0xa8, 0x80, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00));
    RegisterH2D fis;
    unpack(bytes, fis);
    hal_host_command out{};
    ASSERT_TRUE(decode_command(fis, out));
    EXPECT_EQ(out.opcode, HAL_HOST_TRIM);
    EXPECT_EQ(out.tag, 21u);
    EXPECT_EQ(out.flags, c.flags);
    EXPECT_EQ(out.sectors, 0u);
}

TEST(Fis, SendFpdmaQueuedTrimWithAnExtendedTag)
{
    FisBytes bytes{};
    pack(encode_command(command(HAL_HOST_TRIM, 0, 8, 199), {true, true}), bytes); // 199 = 6 * 32 + 7
    EXPECT_EQ(bytes[1], 0x86);
    EXPECT_EQ(bytes[12], 7 << 3);
    RegisterH2D fis;
    unpack(bytes, fis);
    hal_host_command out{};
    ASSERT_TRUE(decode_command(fis, out));
    EXPECT_EQ(out.tag, 199u);
}

TEST(Fis, SendFpdmaQueuedIsOnlyDecodedAsATrimOfOneBlock)
{
    const RegisterH2D good = encode_command(command(HAL_HOST_TRIM, 0, 8, 3), {true, true});
    hal_host_command out{};
    RegisterH2D fis = good;
    fis.count |= 2u << 8; // WRITE LOG DMA EXT
    EXPECT_FALSE(decode_command(fis, out));
    fis = good;
    fis.features = 2; // two blocks
    EXPECT_FALSE(decode_command(fis, out));
    fis = good;
    fis.auxiliary = 0; // not TRIM
    EXPECT_FALSE(decode_command(fis, out));
    EXPECT_TRUE(decode_command(good, out));
}

std::vector<int> head(const Block& block) { return {block.begin(), block.begin() + 16}; }

TEST(Fis, TrimEntriesHoldLbaAndCount)
{
    Block entries{};
    pack_trim(0x0000a1b2c3d4e5f6ull, 0x0102, entries);
    EXPECT_THAT(head(entries), ElementsAre(0xf6, 0xe5, 0xd4, 0xc3, 0xb2, 0xa1, 0x02, 0x01, 0, 0, 0, 0, 0,
                                     0, 0, 0));
    pack_trim(0x10, 65536, entries); // 65,535 sectors from 10h, one from 1000Fh
    EXPECT_THAT(head(entries), ElementsAre(0x10, 0, 0, 0, 0, 0, 0xff, 0xff, 0x0f, 0x00, 0x01, 0, 0, 0,
                                     0x01, 0x00));
    u64 lba = 0;
    u32 sectors = 0;
    EXPECT_TRUE(unpack_trim(entries, lba, sectors));
    EXPECT_EQ(lba, 0x10u);
    EXPECT_EQ(sectors, 65536u);
}

TEST(Fis, TrimEntriesThatDoNotJoinAreRefused)
{
    Block entries{};
    u64 lba = 0;
    u32 sectors = 0;
    EXPECT_FALSE(unpack_trim(entries, lba, sectors)); // empty
    pack_trim(0x10, 65536, entries);
    entries[8] = 0x11;
    EXPECT_FALSE(unpack_trim(entries, lba, sectors));
    pack_trim(0x10, 8, entries);
    EXPECT_TRUE(unpack_trim(entries, lba, sectors));
    entries[16 + 6] = 1; // a third entry, from LBA 0
    EXPECT_FALSE(unpack_trim(entries, lba, sectors));
    entries[16] = 0x18; // behind the first
    EXPECT_TRUE(unpack_trim(entries, lba, sectors));
    EXPECT_EQ(lba, 0x10u);
    EXPECT_EQ(sectors, 9u);
}

// A whole small device, as Linux 6.1 discards it: entries of 65,535 sectors.
TEST(Fis, ATrimMayHaveSixtyFourEntriesThatJoin)
{
    Block entries{};
    u64 next = 0x123456;
    for (u32 i = 0; i < 64; ++i, next += 0xffff) {
        for (u32 byte = 0; byte < 6; ++byte) {
            entries[8 * i + byte] = static_cast<u8>(next >> 8 * byte);
        }
        entries[8 * i + 6] = entries[8 * i + 7] = 0xff;
    }
    u64 lba = 0;
    u32 sectors = 0;
    EXPECT_TRUE(unpack_trim(entries, lba, sectors));
    EXPECT_EQ(lba, 0x123456u);
    EXPECT_EQ(sectors, 64u * 65535);
    entries[8 * 40] ^= 1;
    EXPECT_FALSE(unpack_trim(entries, lba, sectors));
}

TEST(Fis, RegisterDeviceToHost)
{
    RegisterD2H fis;
    fis.interrupt = true;
    fis.status = 0x51;
    fis.error = 0x04;
    fis.lba = 0x060504030201ull;
    fis.device = 0x40;
    fis.count = 0x0908;
    FisBytes bytes{};
    pack(fis, bytes);
    EXPECT_THAT(bytes_of(bytes, kRegisterDwords),
                ElementsAre(0x34, 0x40, 0x51, 0x04, 0x01, 0x02, 0x03, 0x40, 0x04, 0x05, 0x06, 0x00,
                            0x08, 0x09, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00));
}

TEST(Fis, DmaSetupOfAReadAndOfAWrite)
{
    DmaSetup fis;
    fis.to_host = true;
    fis.tag = 9;
    fis.offset = 0x2000;
    fis.count = 0x1000;
    FisBytes bytes{};
    pack(fis, bytes);
    EXPECT_THAT(bytes_of(bytes, kDmaSetupDwords),
                ElementsAre(0x41, 0x20, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x00, 0x20, 0, 0,
                            0x00, 0x10, 0, 0, 0, 0, 0, 0));
    fis = DmaSetup();
    fis.auto_activate = true;
    fis.tag = 31;
    fis.count = 0x200;
    pack(fis, bytes);
    EXPECT_EQ(bytes[1], 0x80);
    EXPECT_EQ(bytes[4], 31);
}

TEST(Fis, PioSetup)
{
    PioSetup fis;
    fis.status = 0x58;
    fis.error = 0x11;
    fis.lba = 0x060504030201ull;
    fis.device = 0x40;
    fis.count = 0x0908;
    fis.end_status = 0x50;
    fis.bytes = 0x0200;
    FisBytes bytes{};
    pack(fis, bytes);
    EXPECT_THAT(bytes_of(bytes, kPioSetupDwords),
                ElementsAre(0x5f, 0x60, 0x58, 0x11, 0x01, 0x02, 0x03, 0x40, 0x04, 0x05, 0x06, 0x00,
                            0x08, 0x09, 0x00, 0x50, 0x00, 0x02, 0x00, 0x00));
    PioSetup out;
    unpack(bytes, out);
    EXPECT_TRUE(out.to_host);
    EXPECT_TRUE(out.interrupt);
    EXPECT_EQ(out.status, 0x58);
    EXPECT_EQ(out.error, 0x11);
    EXPECT_EQ(out.lba, fis.lba);
    EXPECT_EQ(out.count, 0x0908);
    EXPECT_EQ(out.end_status, 0x50);
    EXPECT_EQ(out.bytes, 0x0200);
    fis.to_host = fis.interrupt = false;
    fis.port = 2;
    pack(fis, bytes);
    EXPECT_EQ(bytes[1], 0x02);
}

TEST(Fis, DwordsHaveTheFirstByteBelow)
{
    FisBytes bytes{};
    pack(encode_command(command(HAL_HOST_READ, 0x123456789abcull, 8, 5)), bytes);
    EXPECT_EQ(fis_dword(bytes, 0), 0x08608027u);
    EXPECT_EQ(fis_dword(bytes, 1), 0x40789abcu);
    EXPECT_EQ(fis_dword(bytes, 2), 0x00123456u);
    FisBytes other{};
    for (u32 i = 0; i < kRegisterDwords; ++i) {
        set_fis_dword(other, i, fis_dword(bytes, i));
    }
    EXPECT_EQ(other, bytes);
}

TEST(Fis, EachTypeHasItsSizeAndOthersHaveNone)
{
    u32 known = 0;
    for (u32 type = 0; type < 256; ++type) {
        known += fis_dwords(static_cast<u8>(type)) != 0;
    }
    EXPECT_EQ(known, 7u);
    EXPECT_EQ(fis_dwords(0x27), 5u);
    EXPECT_EQ(fis_dwords(0x34), 5u);
    EXPECT_EQ(fis_dwords(0x39), 1u);
    EXPECT_EQ(fis_dwords(0x41), 7u);
    EXPECT_EQ(fis_dwords(0x46), 1u);
    EXPECT_EQ(fis_dwords(0x5f), 5u);
    EXPECT_EQ(fis_dwords(0xa1), 2u);
}

TEST(Fis, SetDeviceBitsActivateAndData)
{
    SetDeviceBits fis;
    fis.status = 0x50;
    fis.sactive = 0x80000012;
    FisBytes bytes{};
    pack(fis, bytes);
    EXPECT_THAT(bytes_of(bytes, kSetDeviceBitsDwords),
                ElementsAre(0xa1, 0x40, 0x50, 0x00, 0x12, 0x00, 0x00, 0x80));
    pack_dma_activate(bytes);
    EXPECT_THAT(bytes_of(bytes, kDmaActivateDwords), ElementsAre(0x39, 0, 0, 0));
    pack_data(bytes);
    EXPECT_THAT(bytes_of(bytes, kDataHeaderDwords), ElementsAre(0x46, 0, 0, 0));
}

TEST(Fis, CommandsSurviveTheRoundTrip)
{
    for (const u32 sectors : {1u, 255u, 256u, 65535u, 65536u}) {
        for (const u16 tag : {u16{0}, u16{31}, u16{32}, u16{255}}) { // above 31: extended tags
            for (const u8 opcode : {u8{HAL_HOST_READ}, u8{HAL_HOST_WRITE}}) {
                const hal_host_command in =
                    command(opcode, 0xffffffffffffull - tag, sectors, tag, tag & 1);
                FisBytes bytes{};
                pack(encode_command(in), bytes);
                RegisterH2D fis;
                unpack(bytes, fis);
                hal_host_command out{};
                ASSERT_TRUE(decode_command(fis, out));
                EXPECT_EQ(out.lba, in.lba);
                EXPECT_EQ(out.sectors, in.sectors);
                EXPECT_EQ(out.tag, in.tag);
                EXPECT_EQ(out.opcode, in.opcode);
                EXPECT_EQ(out.flags, in.flags);
            }
        }
    }
}

TEST(Fis, PriorityIsPrioOfTheCountRegisterHighFromTwoOn)
{
    for (u8 priority = 0; priority < 4; ++priority) {
        hal_host_command in = command(HAL_HOST_WRITE, 64, 8, 21, true);
        in.flags = static_cast<u8>(HAL_HOST_FUA | priority << HAL_HOST_PRIORITY_SHIFT);
        FisBytes bytes{};
        pack(encode_command(in), bytes);
        EXPECT_EQ(bytes[12], 21u << 3);
        EXPECT_EQ(bytes[13], priority < 2 ? 0x00 : 0x80); // count[15:14] = 10b
        RegisterH2D fis;
        unpack(bytes, fis);
        hal_host_command out{};
        ASSERT_TRUE(decode_command(fis, out));
        EXPECT_EQ(out.tag, 21u);
        EXPECT_EQ(out.flags, HAL_HOST_FUA | (priority < 2 ? 0u : 2u << HAL_HOST_PRIORITY_SHIFT));
    }
}

TEST(Fis, CommandsOf28BitsHaveTheirAddressInFourRegisters)
{
    RegisterH2D fis;
    hal_host_command out{};
    fis.command = 0xc8; // READ DMA
    fis.lba = 0xeeeeee345678; // the bytes of 48-bit addresses do not count
    fis.device = 0xe2;
    fis.count = 0x7703;
    ASSERT_TRUE(decode_command(fis, out));
    EXPECT_EQ(out.opcode, HAL_HOST_READ);
    EXPECT_EQ(out.lba, 0x2345678u);
    EXPECT_EQ(out.sectors, 3u);
    EXPECT_EQ(out.flags, 0u) << "bit 7 of the device register is no FUA here";
    fis.command = 0xca; // WRITE DMA
    fis.count = 0;
    ASSERT_TRUE(decode_command(fis, out));
    EXPECT_EQ(out.opcode, HAL_HOST_WRITE);
    EXPECT_EQ(out.sectors, 256u);
}

TEST(Fis, UnknownCommandsAreNotDecoded)
{
    RegisterH2D fis;
    hal_host_command out{};
    fis.command = 0xc4; // READ MULTIPLE: not in this device
    EXPECT_FALSE(decode_command(fis, out));
    fis.command = ata::kDataSetManagement;
    fis.features = 0; // not TRIM
    EXPECT_FALSE(decode_command(fis, out));
}

TEST(Fis, DeviceFisesSurviveTheRoundTrip)
{
    FisBytes bytes{};
    DmaSetup setup;
    setup.port = 7;
    setup.to_host = setup.interrupt = true;
    setup.tag = 17;
    setup.offset = 0x01fffe00;
    setup.count = 0x00012200;
    pack(setup, bytes);
    DmaSetup setup_out;
    unpack(bytes, setup_out);
    EXPECT_EQ(setup_out.port, 7);
    EXPECT_TRUE(setup_out.to_host);
    EXPECT_TRUE(setup_out.interrupt);
    EXPECT_FALSE(setup_out.auto_activate);
    EXPECT_EQ(setup_out.tag, 17u);
    EXPECT_EQ(setup_out.offset, 0x01fffe00u);
    EXPECT_EQ(setup_out.count, 0x00012200u);

    SetDeviceBits bits;
    bits.port = 3;
    bits.status = 0x41;
    bits.error = 0x04;
    bits.sactive = 0xdeadbeef;
    pack(bits, bytes);
    SetDeviceBits bits_out;
    unpack(bytes, bits_out);
    EXPECT_EQ(bits_out.port, 3);
    EXPECT_EQ(bits_out.status, 0x41);
    EXPECT_EQ(bits_out.error, 0x04);
    EXPECT_EQ(bits_out.sactive, 0xdeadbeefu);
}

} // namespace
} // namespace tlmssd::sata
