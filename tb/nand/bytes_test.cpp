// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: with `data: full` the bytes of a page go where its tags go.
#include <algorithm>

#include "tb/nand/rig.h"

namespace tlmssd::tb {
namespace {

constexpr UnitTag kA{11, 1}, kB{12, 1};

/// Byte `column` of a page with this salt; never FFh.
u8 pattern(u32 salt, u32 column) { return static_cast<u8>((salt * 37 + column * 11) % 251); }

struct Bytes : Rig {
    explicit Bytes(const config::Nand& part = rig_nand(), void (*prepare)(nand::Device&) = nullptr)
        : Rig(rig_geometry(), part, 1, prepare, "rig", config::DataKind::Full)
    {
    }
    /// Both tags and all bytes of a page, OOB included, of one salt.
    void program_salt(u32 r, u32 salt)
    {
        fill({salt, 1}, {salt, 2});
        send_salt(salt, 0, kPhysical);
        send_and_wait(program(r, 0, kPhysical, cells), geometry.row_lun(r));
    }
    /// The bytes of columns [column, column + n) of a page with this salt.
    void send_salt(u32 salt, u32 column, u32 n)
    {
        for (u32 i = 0; i < n; ++i) {
            room[i] = pattern(salt, column + i);
        }
        cells.page = room.data();
    }
    /// A burst of a page brings `n` bytes from `column` on.
    void expect_salt(const Segment& burst, u32 salt, u32 column, u32 n)
    {
        room.fill(0xee);
        send(burst);
        for (u32 i = 0; i < n; ++i) {
            ASSERT_EQ(room[i], pattern(salt, column + i)) << "byte " << i;
        }
        EXPECT_EQ(room[n], 0xee) << "no more than asked for";
    }
    std::array<u8, kPhysical + 1> room{};
};

TEST(Bytes, ComeBackFromTheArray)
{
    Bytes rig;
    rig.program_salt(rig.row(0, 1, 2, 0), 3);
    rig.program_salt(rig.row(0, 0, 2, 0), 4);
    rig.send_and_wait(read_command(rig.row(0, 1, 2, 0)));
    rig.expect_salt(direct_out(kPhysical, rig.cells), 3, 0, kPhysical);
    rig.expect_salt(column_out(5000, 700, rig.cells), 3, 5000, 700);
    rig.expect_clean();
}

TEST(Bytes, OfAnErasedPageAreFf)
{
    Bytes rig;
    rig.program_salt(rig.row(0, 0, 2, 0), 3);
    rig.send_and_wait(erase(rig.row(0, 0, 2, 0)));
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0)));
    rig.room.fill(0);
    rig.send(direct_out(kPhysical, rig.cells));
    EXPECT_EQ(std::count(rig.room.begin(), rig.room.end() - 1, 0xff), kPhysical);
}

TEST(Bytes, ThatWereNotSentStayFf)
{
    Bytes rig;
    rig.fill(kA, UnitTag{});
    rig.send_salt(5, 539, 539);
    rig.send_and_wait(program(rig.row(0, 0, 2, 0), 539, 539, rig.cells)); // the second codeword
    const u8* stored = rig.store.read({0, 0, 2, 0}).bytes;
    EXPECT_EQ(std::count(stored, stored + 539, 0xff), 539);
    EXPECT_EQ(stored[539], pattern(5, 539));
    EXPECT_EQ(stored[2 * 539 - 1], pattern(5, 2 * 539 - 1));
    EXPECT_EQ(std::count(stored + 2 * 539, stored + kPhysical, 0xff), kPhysical - 2 * 539);
}

TEST(Bytes, GoThroughCopybackAndMayBeChangedOnTheWay)
{
    Bytes rig;
    rig.program_salt(rig.row(0, 0, 2, 0), 6);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x35));
    rig.fill(kB, UnitTag{});
    rig.send_salt(7, kUnitColumns, 100);
    rig.send_and_wait(copyback_program(rig.row(0, 0, 3, 0), kUnitColumns, 100, rig.cells));
    const u8* stored = rig.store.read({0, 0, 3, 0}).bytes;
    for (u32 i = 0; i < kPhysical; ++i) {
        const bool changed = i >= kUnitColumns && i < kUnitColumns + 100;
        ASSERT_EQ(stored[i], pattern(changed ? 7 : 6, i)) << i;
    }
    rig.expect_clean();
}

TEST(Bytes, GoThroughTheCacheRegisters)
{
    Bytes rig;
    for (u32 page = 0; page < 3; ++page) {
        rig.fill({page + 1, 1}, {page + 1, 2});
        rig.send_salt(20 + page, 0, kPhysical);
        rig.send_and_wait(program(rig.row(0, 0, 1, page), 0, kPhysical, rig.cells,
                                  page < 2 ? 0x15 : 0x10));
    }
    rig.send_and_wait(read_command(rig.row(0, 0, 1, 0)));
    rig.send_and_wait(lone_command(0x31)); // page 0 to the cache register, page 1 is read
    rig.expect_salt(direct_out(kPhysical, rig.cells), 20, 0, kPhysical);
    rig.send_and_wait(lone_command(0x31));
    rig.expect_salt(direct_out(kPhysical, rig.cells), 21, 0, kPhysical);
    rig.send_and_wait(lone_command(0x3f));
    rig.expect_salt(direct_out(kPhysical, rig.cells), 22, 0, kPhysical);
    rig.expect_clean();
}

TEST(Bytes, OfAPageWhoseProgramFailedAreGone)
{
    config::Nand part = rig_nand();
    part.errors.enabled = true;
    part.errors.program_fail = 1;
    Bytes rig(part);
    rig.program_salt(rig.row(0, 0, 2, 0), 6);
    const u8* stored = rig.store.read({0, 0, 2, 0}).bytes;
    ASSERT_NE(stored, nullptr);
    EXPECT_EQ(std::count(stored, stored + kPhysical, nand::kTornByte), kPhysical);
    EXPECT_TRUE(rig.store.torn({0, 0, 2, 0}));
}

/// Of the first unit that the burst touches, here the second: 539 bytes of its first codeword. The other
/// plane's register holds a page with another tag.
TEST(Bytes, AreSwappedTogetherWithTheirTag)
{
    Bytes rig(rig_nand(), [](nand::Device& d) { d.swap_at = 1; });
    rig.program_salt(rig.row(0, 0, 2, 0), 6);
    rig.program_salt(rig.row(0, 1, 2, 0), 8);
    rig.send_and_wait(read_command(rig.row(0, 0, 2, 0), 0, 0x32));
    rig.send_and_wait(read_command(rig.row(0, 1, 2, 0)));
    rig.expect_salt(enhanced_out(rig.row(0, 0, 2, 0), kUnitColumns, 539, rig.cells), 8,
                    kUnitColumns, 539);
    EXPECT_EQ(rig.cells.tags[0], (UnitTag{8, 2}));
    EXPECT_EQ(rig.device.swapped, 1u);
    rig.expect_salt(enhanced_out(rig.row(0, 0, 2, 0), kUnitColumns, 539, rig.cells), 6,
                    kUnitColumns, 539); // once only
}

} // namespace
} // namespace tlmssd::tb
