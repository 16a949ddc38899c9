// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bit errors, failing operations and bad blocks as the die shows them. A page of the rig
// has 16 codewords of 539 bytes = 4312 bits: 68992 bits.
#include "tb/nand/rig.h"

#include <cmath>

namespace tlmssd::tb {
namespace {

constexpr double kPageBits = 16 * 4312;

/// A part whose RBER is `e` and nothing else.
config::Nand part(double e)
{
    config::Nand n = rig_nand();
    n.errors.enabled = true;
    n.errors.e = e;
    n.errors.k = n.errors.m = n.errors.n = n.errors.p = n.errors.q = 1;
    n.errors.max_erases = n.errors.max_days = n.errors.max_reads = 1e6;
    return n;
}

/// Reads the page and brings all of it over the bus.
void read_page(Rig& rig, u32 row)
{
    rig.send_and_wait(read_command(row), rig.geometry.row_lun(row));
    rig.send(direct_out(kPhysical, rig.cells));
}

const nand::Lun::Statistics& statistics(const Rig& rig) { return rig.target.lun(0).statistics(); }

TEST(BitErrors, FollowTheRateWithinSamplingError)
{
    Rig rig(rig_geometry(), part(1e-3));
    for (u32 block = 0; block < 8; ++block) {
        for (u32 page = 0; page < 4; ++page) {
            rig.program_page(rig.row(0, 0, block, page), {1, 1}, {2, 1});
            read_page(rig, rig.row(0, 0, block, page));
            ASSERT_EQ(rig.cells.codewords, 16u);
        }
    }
    EXPECT_EQ(statistics(rig).bits_read, static_cast<u64>(32 * kPageBits));
    const double mean = 32 * kPageBits * 1e-3; // 2207.7, deviation sqrt(mean) = 47
    EXPECT_NEAR(statistics(rig).expected_bit_errors, mean, 1e-6);
    EXPECT_NEAR(static_cast<double>(statistics(rig).bit_errors), mean, 4 * std::sqrt(mean));
    rig.expect_clean();
}

TEST(BitErrors, AreTheSameOnesInEveryReadAndBelongToTheirCodewords)
{
    Rig rig(rig_geometry(), part(1e-3));
    rig.program_page(0, {1, 1}, {2, 1});
    read_page(rig, 0);
    const auto all = rig.cells.bit_errors;
    u64 sum = 0;
    for (u32 i = 0; i < 16; ++i) {
        sum += all[i];
    }
    EXPECT_EQ(statistics(rig).bit_errors, sum);
    rig.send_and_wait(read_command(0, 7 * 539));
    rig.send(direct_out(2 * 539, rig.cells)); // codewords 7 and 8
    ASSERT_EQ(rig.cells.codewords, 2u);
    EXPECT_EQ(rig.cells.bit_errors[0], all[7]);
    EXPECT_EQ(rig.cells.bit_errors[1], all[8]);
    EXPECT_EQ(statistics(rig).bit_errors, sum + all[7] + all[8]); // once a burst
    EXPECT_EQ(statistics(rig).bits_read, 18u * 4312);
    rig.send(column_out(kOobColumn, 16, rig.cells)); // OOB bytes belong to no codeword
    EXPECT_EQ(rig.cells.codewords, 0u);
}

/// A copy has what the source had, and its own: no ECC has seen it. A second copy has those of three pages;
/// an erase ends it.
TEST(BitErrors, GoAlongWithACopyback)
{
    Rig rig(rig_geometry(), part(1e-3));
    const u32 rows[] = {rig.row(0, 0, 2, 0), rig.row(0, 0, 3, 0), rig.row(0, 0, 4, 0)};
    std::array<std::array<u32, 16>, 3> own{};
    for (u32 p = 0; p < 3; ++p) { // of the same cells, programmed over the bus
        rig.program_page(rows[p], {1, 1}, {2, 1});
        read_page(rig, rows[p]);
        std::copy_n(rig.cells.bit_errors.begin(), 16, own[p].begin());
    }
    for (const u32 block : {3u, 4u}) {
        rig.send_and_wait(erase(rig.row(0, 0, block, 0)));
    }
    std::array<std::array<u32, 16>, 2> after{}; // the cells are another erase older
    for (u32 p = 1; p < 3; ++p) {
        rig.program_page(rows[p], {1, 1}, {2, 1});
        read_page(rig, rows[p]);
        std::copy_n(rig.cells.bit_errors.begin(), 16, after[p - 1].begin());
        rig.send_and_wait(erase(rows[p]));
    }
    EXPECT_NE(after[0], own[1]) << "what is drawn depends on the erases";
    const auto copy = [&](u32 from, u32 to) {
        rig.send_and_wait(read_command(from, 0, 0x35));
        rig.send_and_wait(copyback_program(to, 0, 0, rig.cells));
    };
    copy(rows[0], rows[1]);
    copy(rows[1], rows[2]);
    rig.send_and_wait(erase(rows[1]));
    rig.program_page(rows[1], {1, 1}, {2, 1});
    read_page(rig, rows[1]);
    u32 fresh = 0;
    for (u32 i = 0; i < 16; ++i) {
        fresh += rig.cells.bit_errors[i];
    }
    EXPECT_LT(fresh, 16u * 4 + 4 * 9) << "4.3 a codeword, and nothing of the copy that was there";
    read_page(rig, rows[2]);
    u32 sum = 0;
    u32 first = 0;
    for (u32 i = 0; i < 16; ++i) {
        EXPECT_GE(rig.cells.bit_errors[i], own[0][i]);
        sum += rig.cells.bit_errors[i];
        first += own[0][i];
    }
    EXPECT_NEAR(sum, 3 * kPageBits * 1e-3, 4 * std::sqrt(3 * kPageBits * 1e-3)); // 207, deviation 14
    EXPECT_GT(sum, first + 60);
    rig.expect_clean();
}

TEST(BitErrors, AnErasedPageHasNone)
{
    Rig rig(rig_geometry(), part(1e-3));
    read_page(rig, 0);
    EXPECT_EQ(rig.cells.codewords, 0u);
    EXPECT_EQ(statistics(rig).bits_read, 0u);
}

TEST(BitErrors, GrowWithReadsOfTheBlockUntilItsErase)
{
    config::Nand n = part(0);
    n.errors.g = 1e-6;
    n.errors.p = 0; // g r
    Rig rig(rig_geometry(), n);
    rig.program_page(rig.row(0, 0, 2, 0), {1, 1}, {2, 1});
    for (u32 i = 0; i < 5; ++i) { // reads of another page of the block count too
        rig.send_and_wait(read_command(rig.row(0, 0, 2, 3)));
    }
    read_page(rig, rig.row(0, 0, 2, 0)); // r = 5
    read_page(rig, rig.row(0, 0, 2, 0)); // r = 6
    EXPECT_NEAR(statistics(rig).expected_bit_errors, 11e-6 * kPageBits, 1e-9);
    rig.send_and_wait(erase(rig.row(0, 0, 2, 0)));
    rig.program_page(rig.row(0, 0, 2, 0), {1, 1}, {2, 1});
    read_page(rig, rig.row(0, 0, 2, 0)); // r = 0
    EXPECT_NEAR(statistics(rig).expected_bit_errors, 11e-6 * kPageBits, 1e-9);
}

TEST(BitErrors, GrowWithTheAgeOfThePage)
{
    config::Nand n = part(0);
    n.errors.b = 1e-5;
    n.errors.m = 0; // b t
    n.errors.retention_days = 10;
    Rig rig(rig_geometry(), n);
    const UnitTag tags[2] = {{5, 1}, {6, 1}};
    const u8 oob[kOobBytes] = {};
    ASSERT_EQ(rig.store.program({0, 0, 1, 0}, tags, oob), nand::ProgramError::None);
    rig.checker.learn(0, 0, 1, 1);
    read_page(rig, rig.row(0, 0, 1, 0)); // from before the run: ten days, and 50 us
    EXPECT_NEAR(statistics(rig).expected_bit_errors, 1e-4 * kPageBits, 1e-6);
    rig.target.reset_statistics();
    rig.program_page(rig.row(0, 0, 1, 1), {7, 1}, {8, 1}); // same block, but new
    rig.run_for(milliseconds(864)); // 1e-5 days
    read_page(rig, rig.row(0, 0, 1, 1));
    EXPECT_NEAR(statistics(rig).expected_bit_errors / (1e-10 * kPageBits), 1.0, 1e-3);
}

TEST(BitErrors, ReadRetryLowersThem)
{
    config::Nand n = part(4e-3);
    n.errors.retry_gain = 0.5;
    Rig rig(rig_geometry(), n);
    rig.program_page(0, {1, 1}, {2, 1});
    rig.cells.bytes.fill(0);
    rig.cells.bytes[0] = 2;
    rig.send_and_wait(lun_set_features(0, 0x89, rig.cells));
    read_page(rig, 0);
    EXPECT_NEAR(statistics(rig).expected_bit_errors, 1e-3 * kPageBits, 1e-6); // 4e-3 / 2 / 2
    rig.expect_clean();
}

TEST(BitErrors, WearCountsErasesBeforeTheRunToo)
{
    config::Nand n = part(0);
    n.errors.a = 1e-6; // a N
    n.wear.initial_erases = 1000;
    Rig rig(rig_geometry(), n);
    rig.send_and_wait(erase(0));
    rig.program_page(0, {1, 1}, {2, 1});
    read_page(rig, 0);
    EXPECT_NEAR(statistics(rig).expected_bit_errors, 1001e-6 * kPageBits, 1e-6);
}

TEST(BitErrors, ComeWithCacheReadsToo)
{
    Rig rig(rig_geometry(), part(1e-3));
    rig.program_page(rig.row(0, 0, 0, 0), {1, 1}, {2, 1});
    rig.program_page(rig.row(0, 0, 0, 1), {3, 1}, {4, 1});
    read_page(rig, rig.row(0, 0, 0, 1));
    const auto second = rig.cells.bit_errors;
    rig.send_and_wait(read_command(rig.row(0, 0, 0, 0)));
    rig.send_and_wait(lone_command(0x31));
    rig.send_and_wait(lone_command(0x3f));
    rig.send(direct_out(kPhysical, rig.cells));
    ASSERT_EQ(rig.cells.codewords, 16u);
    EXPECT_EQ(rig.cells.bit_errors, second);
    rig.expect_clean();
}

TEST(BitErrors, CostNothingWhereErrorsAreOff)
{
    Rig rig;
    rig.program_page(0, {1, 1}, {2, 1});
    read_page(rig, 0);
    EXPECT_EQ(rig.cells.codewords, 0u);
    EXPECT_EQ(rig.device.history, nullptr);
    EXPECT_EQ(rig.device.partials, nullptr);
    EXPECT_FALSE(rig.device.worn);
}

TEST(ProgramFail, ReportsFailAndSpendsThePage)
{
    config::Nand n = part(0);
    n.errors.program_fail = 1;
    Rig rig(rig_geometry(), n);
    rig.program_page(0, {1, 1}, {2, 1});
    EXPECT_EQ(rig.status(), 0xe1);
    EXPECT_EQ(statistics(rig).program_fails, 1u);
    ASSERT_NE(rig.store.read({0, 0, 0, 0}).tags, nullptr);
    EXPECT_TRUE(rig.store.torn({0, 0, 0, 0})); // nothing of use
    rig.expect_clean();
}

TEST(EraseFail, ReportsFailOfThePlaneAndKeepsTheBlock)
{
    config::Nand n = part(0);
    n.errors.erase_fail = 1;
    Rig rig(rig_geometry(), n);
    rig.program_page(0, {1, 1}, {2, 1});
    rig.send_and_wait(erase(0));
    EXPECT_EQ(rig.status(), 0xe1);
    EXPECT_EQ(rig.status_of(rig.row(0, 1, 0, 0)), 0xe0);
    EXPECT_EQ(statistics(rig).erase_fails, 1u);
    EXPECT_EQ(rig.store.next_page({0, 0, 0, 0}), 1u);
    rig.expect_clean();
}

TEST(FactoryBadBlock, IsMarkedAndFails)
{
    config::Nand n = part(0);
    n.errors.factory_bad = 0.2; // of 16 blocks; seed 1 has bad and good ones, looked up below
    Rig rig(rig_geometry(), n);
    u32 bad = 0, good = 0;
    for (u32 block = 0; block < 8; ++block) {
        const bool is_bad = rig.device.errors.factory_bad(0, 0, block);
        (is_bad ? bad : good) = block;
        read_page(rig, rig.row(0, 0, block, 0));
        EXPECT_EQ(rig.cells.oob[0], is_bad ? 0x00 : 0xff) << block;
        EXPECT_EQ(rig.cells.codewords, 0u);
    }
    ASSERT_NE(bad, good);
    ASSERT_TRUE(rig.device.errors.factory_bad(0, 0, bad));
    rig.send_and_wait(erase(rig.row(0, 0, bad, 0)));
    EXPECT_EQ(rig.status(), 0xe1);
    rig.program_page(rig.row(0, 0, bad, 0), {1, 1}, {2, 1}, 0x55);
    EXPECT_EQ(rig.status(), 0xe1);
    read_page(rig, rig.row(0, 0, bad, 0));
    EXPECT_EQ(rig.cells.oob[0], 0x00); // the mark stays
    rig.program_page(rig.row(0, 0, good, 0), {1, 1}, {2, 1});
    EXPECT_EQ(rig.status(), 0xe0);
    rig.expect_clean();
}

} // namespace
} // namespace tlmssd::tb
