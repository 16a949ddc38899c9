// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: frames as dwords of the line: framing by hand, ALIGN, HOLD, and what noise does.
#include "models/sata/line.h"

#include <gtest/gtest.h>

#include "models/sata/crc.h"
#include "models/sata/primitives.h"

namespace tlmssd::sata {
namespace {

Frame& example(FramePool& pool)
{
    Frame& frame = pool.take(kRegisterDwords);
    const u32 dwords[] = {0x00308027, 0xe1234567, 0, 2, 0}; // the standard's, CRC 319FFF6Fh
    for (u32 i = 0; i < 5; ++i) {
        set_fis_dword(frame.fis, i, dwords[i]);
    }
    return frame;
}

TEST(Line, ARegisterFisByHand)
{
    FramePool pool(Side::Host);
    LineSender sender;
    std::vector<LineDword> line;
    sender.send(example(pool), 0, {}, line);
    // Each dword XOR the scrambler's series C2D2768D, 1F26B368, A508436C, 3452D354, 8A559502, BB1ABE1B.
    const u32 expected[] = {0x3737b57c, 0xc2e2f6aa, 0xfe05f60f, 0xa508436c,
                            0x3452d356, 0x8a559502, 0x8a854174, 0xd5d5b57c};
    ASSERT_EQ(line.size(), 8u);
    for (u32 i = 0; i < 8; ++i) {
        EXPECT_EQ(line[i].value, expected[i]) << i;
        EXPECT_EQ(line[i].primitive, i == 0 || i == 7) << i;
    }
    LineReceiver receiver;
    EXPECT_TRUE(receiver.receive(line));
    EXPECT_EQ(receiver.dwords().size(), 5u);
    EXPECT_EQ(receiver.dwords()[1], 0xe1234567u);
}

TEST(Line, AnAlignPairStandsBehindEach256Dwords)
{
    FramePool pool(Side::Host);
    LineSender sender;
    LineReceiver receiver;
    std::vector<LineDword> line;
    u64 dwords = 0;
    u64 aligns = 0;
    u32 since = 0;
    for (u32 n = 0; n < 50; ++n) {
        Frame& frame = pool.take_data(16);
        sender.send(frame, n, {}, line);
        for (const LineDword d : line) {
            if (d.primitive && d.value == dword_of(Primitive::Align)) {
                EXPECT_EQ(since % 256, 0u);
                ++aligns;
            } else {
                ++dwords;
                ++since;
            }
        }
        EXPECT_TRUE(receiver.receive(line));
        frame.release();
    }
    EXPECT_EQ(dwords, 50u * (1 + 2048 + 3) + 50 * 49 / 2); // HOLDs: 0 + 1 + ... + 49
    EXPECT_EQ(aligns, dwords / 256 * 2);
}

TEST(Line, EachSingleBitErrorIsFound)
{
    FramePool pool(Side::Host);
    Frame& frame = example(pool);
    LineReceiver receiver;
    std::vector<LineDword> line;
    for (u64 bit = 0; bit < 8 * 40; ++bit) {
        LineSender sender;
        sender.send(frame, 0, {bit}, line);
        EXPECT_FALSE(receiver.receive(line)) << bit;
    }
}

TEST(Line, BytesTagsAndBlocksComeOutAsTheyWentIn)
{
    FramePool pool(Side::Host, true);
    Frame& bytes = pool.take_data(3);
    for (u32 i = 0; i < 1536; ++i) {
        bytes.bytes[i] = static_cast<u8>(i * 7);
    }
    LineSender sender;
    LineReceiver receiver;
    std::vector<LineDword> line;
    sender.send(bytes, 0, {}, line);
    ASSERT_TRUE(receiver.receive(line));
    ASSERT_EQ(receiver.dwords().size(), 1u + 384);
    EXPECT_EQ(receiver.dwords()[0], 0x46u);
    EXPECT_EQ(receiver.dwords()[2], 0x312a231cu); // bytes 4 to 7: 28, 35, 42, 49
    FramePool other(Side::Device, true);
    Frame& got = other.take_data(3);
    for (u32 i = 0; i < got.dwords; ++i) {
        set_frame_dword(got, i, receiver.dwords()[i]);
    }
    EXPECT_TRUE(std::equal(bytes.bytes.get(), bytes.bytes.get() + 1536, got.bytes.get()));
    FramePool tags(Side::Host);
    Frame& block = tags.take_block();
    block.block->fill(0xa5);
    EXPECT_EQ(frame_dword(block, 128), 0xa5a5a5a5u);
    Frame& data = tags.take_data(16);
    data.tags[1] = UnitTag{5, 6};
    EXPECT_EQ(frame_dword(data, 1 + 128), 5u);
    EXPECT_EQ(frame_dword(data, 1 + 129), 6u);
}

} // namespace
} // namespace tlmssd::sata
