// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: random power cuts, inside programs, erases and mounts: everything that was acknowledged as
// durable is there, nothing older than it comes back, and the device goes on.
//
// TLMSSD_POWER_CUTS=n: n cuts over all variants together; 1400 otherwise. Failures name their seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "models/common/hash.h"
#include "tb/firmware/device_power.h"
#include "tb/firmware/storm.h"
extern "C" {
#include "firmware/ftl/gc/victim.h"
#include "firmware/ftl/recovery/recovery.h"
}

namespace tlmssd::tb {
namespace {

struct Variant {
    u32 scheduler, policy, cores;
    bool failing, capacitors;
};

std::vector<Variant> variants()
{
    std::vector<Variant> all;
    for (u32 s = 0; s < FW_SCHED_COUNT; ++s) {
        for (u32 p = 0; p < FW_BUFFER_COUNT; ++p) {
            all.push_back({s, p, s % 2 == 0 ? 1u : 4u, false, false});
            all.push_back({s, p, s % 2 == 0 ? 4u : 1u, true, false});
            if (p != FW_BUFFER_NONE) {
                all.push_back({s, p, p % 2 == 0 ? 1u : 4u, (s + p) % 3 == 0, true});
            }
        }
    }
    return all;
}

u64 cuts_each()
{
    const char* const n = std::getenv("TLMSSD_POWER_CUTS");
    const u64 all = n != nullptr ? std::strtoull(n, nullptr, 10) : 1400;
    const u64 among = variants().size();
    return (all + among - 1) / among;
}

/// Drawn: journal pages or none; collection's victims, scope, share, wear levelling.
fw_config config(const Variant& v, u64 seed)
{
    const u64 draw = draw64(seed, 9, v.scheduler * 16 + v.policy);
    const bool journal = draw >> 16 & 1;
    fw_config c = journal ? journal_config(v.scheduler, v.policy, v.cores, v.failing ? 22 : 13)
                          : power_config(v.scheduler, v.policy, v.cores, v.failing ? 20 : 11);
    c.capacitors = v.capacitors;
    c.gc_policy = static_cast<u32>(draw & 0xff) % FW_GC_POLICY_COUNT;
    c.gc_choices = 3;
    c.gc_window = 4;
    c.gc_channel = draw >> 8 & 1;
    c.gc_share = (draw >> 9 & 1) != 0 ? 64 : 0;
    c.wear_dynamic = draw >> 10 & 1;
    c.wear_static = (draw >> 11 & 1) != 0 ? 3 : 0;
    c.gc_copyback = copies_back(c.scheduler) && (draw >> 12 & 1) != 0 ? 1 + (draw >> 13 & 1) : 0;
    return c;
}

class PowerCuts : public testing::TestWithParam<Variant> {};

TEST_P(PowerCuts, LoseNothingDurableAndBringNothingBack)
{
    const Variant& v = GetParam();
    u64 torn = 0;
    u64 survivors = 0;
    u64 done = 0;
    u64 journals = 0;
    u64 doubts = 0;
    u64 scans = 0;
    const u64 cuts = cuts_each();
    for (u64 seed = 1; done < cuts; ++seed) {
        auto d = std::make_unique<PowerDevice>(config(v, seed), seed * 1000);
        if (v.failing) {
            d->faults = seed % 2 == 0 ? Faults{60, 60, 0, 24} : Faults{1000, 100, 0, 24};
        }
        d->capacity = one_a_die(v.scheduler) ? 4 : 1 + d->draw(16);
        d->trims_of_100 = 4 + d->draw(20);
        for (u32 life = 0; life < 8 && done < cuts; ++life, ++done) {
            SCOPED_TRACE("seed " + std::to_string(seed) + " cut " + std::to_string(life));
            try {
                d->work(200 + d->draw(12000));
                if (v.capacitors) {
                    d->save();
                }
                d = d->cut(seed * 1000 + life * 20 + 1);
                for (u32 again = 0; d->draw(3) == 0 && again < 18; ++again) { // inside the mount, or just after
                    if (d->mount(d->draw(6000))) {
                        d->expect_as_scanned();
                        for (u32 i = d->draw(600); i != 0; --i) { // collection
                            d->tick();
                        }
                    }
                    d = d->cut(seed * 1000 + life * 20 + 2 + again);
                }
                d->mount();
                d->expect_as_scanned();
                journals += d->stats().mount_journals;
                doubts += d->stats().mount_doubts;
                scans += d->stats().mount_scans;
                d->read_all();
                ASSERT_FALSE(d->f()->ftl->read_only);
            } catch (const std::exception& error) {
                FAIL() << error.what();
            }
        }
        torn += d->torn_programs + d->torn_erases;
        survivors += d->survivors;
        try { // the tables of a device that comes to rest
            d->tick_until(0);
            d->flush();
            d->tick_until(0);
            while (d->tick()) {
            }
            d->expect_all_in_flash();
        } catch (const std::exception& error) {
            FAIL() << "seed " << seed << " at rest: " << error.what();
        }
        ASSERT_NO_FATAL_FAILURE(check_map(*d)) << "seed " << seed;
        EXPECT_GT(d->stats().mount_reads, 0u);
    }
    if (cuts >= 50) { // fewer may all fall between operations
        EXPECT_GT(torn, 0u) << "cuts inside programs and erases";
        EXPECT_GT(journals, 0u);
        EXPECT_GT(doubts, 0u);
    }
    EXPECT_EQ(scans, 0u) << "a page that a journal page names was missing";
}

/// A full block and copies of its pages in one that was not finished: the full one's count, whichever
/// is read first, so that the other can be erased.
TEST(PowerMount, PrefersOriginalsOfAFullBlock)
{
    for (const u32 full : {2u, 5u}) {
        const u32 open = 7 - full;
        PowerDevice d(power_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
        const fw_ftl* ftl = d.f()->ftl;
        for (u32 page = 0; page < 4; ++page) {
            d.plant(ftl_ppn(ftl, 3, full, page), 10 + page, 20 + page);
        }
        for (u32 page = 0; page < 3; ++page) {
            d.plant(ftl_ppn(ftl, 3, open, page), 10 + page, page == 1 ? 30 : 20 + page);
        }
        ASSERT_TRUE(d.mount());
        EXPECT_EQ(ftl->map[10], ftl_ppn(ftl, 3, full, 0) + 1);
        EXPECT_EQ(ftl->map[11], ftl_ppn(ftl, 3, open, 1) + 1) << "younger";
        EXPECT_EQ(ftl->map[12], ftl_ppn(ftl, 3, full, 2) + 1);
        EXPECT_EQ(ftl->map[13], ftl_ppn(ftl, 3, full, 3) + 1);
        EXPECT_EQ(ftl->sequence, 31u) << "behind every number in flash";
    }
}

/// 8 planes, 11 blocks of 4 pages: every page is read once where all are written; else a block costs
/// its pages and the first erased one.
TEST(PowerMount, ReadsEachBlockToItsFirstErasedPage)
{
    PowerDevice d(power_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
    const fw_ftl* ftl = d.f()->ftl;
    for (u32 page = 0; page < 4; ++page) {
        d.plant(ftl_ppn(ftl, 0, 0, page), page, 1 + page);
    }
    d.plant(ftl_ppn(ftl, 0, 1, 0), 4, 5);
    ASSERT_TRUE(d.mount());
    EXPECT_EQ(d.stats().mount_reads, 4u + 2u + (8u * 11u - 2u));
}

/// 8 planes, 13 blocks of 3 pages and a journal page. 24 writes fill a block a plane: one read for each of
/// these, two for an erased one.
TEST(JournalMount, ReadsAPageOfEachFullBlock)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE));
    for (u32 lpn = 0; lpn < 24; ++lpn) {
        d->write_page(lpn);
        d->tick_until(0);
    }
    while (d->tick()) {
    }
    EXPECT_EQ(d->stats().journal_pages_written, 8u);
    EXPECT_EQ(d->stats().flash_pages_written, 32u);
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    EXPECT_EQ(d->stats().mount_reads, 8u + 8u * 12u * 2u);
    EXPECT_EQ(d->stats().mount_journals, 8u);
    EXPECT_EQ(d->stats().mount_doubts, 0u);
    ASSERT_NO_THROW(d->expect_as_scanned());
    ASSERT_NO_THROW(d->read_all());
}

/// A block is filled between two erases of it, and its journal page says how often it had been erased: so at
/// most one erase is forgotten, and none of a full block.
TEST(JournalMount, KnowsEraseCounts)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE));
    for (u32 n = 0; n < 188 * 20; ++n) {
        d->tick_until(8);
        d->write_page(n * 7 % 188);
    }
    d->tick_until(0);
    while (d->tick()) {
    }
    const fw_ftl* ftl = d->f()->ftl;
    const u32 count = 8u << ftl->block_bits;
    const std::vector<block> before(ftl->blocks, ftl->blocks + count);
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    u32 full = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 known = d->f()->ftl->blocks[i].erases;
        full += before[i].state == BLOCK_FULL;
        if (before[i].state == BLOCK_FULL) {
            EXPECT_EQ(known, before[i].erases) << "block " << i;
            EXPECT_GT(known, 3u);
        } else {
            EXPECT_LE(known, before[i].erases) << "block " << i;
            EXPECT_GE(known + 1, before[i].erases) << "block " << i;
        }
    }
    EXPECT_GE(full, 64u);
    EXPECT_EQ(d->stats().mount_journals, full) << "of the host's pages, of copies, of both";
}

/// Seven blocks of a plane fail, one more than it has buffers for journal pages: those that are full in the end
/// have theirs all the same.
TEST(JournalMount, AFailedBlockTakesNoBuffer)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 20));
    for (u32 block = 1; block <= 7; ++block) {
        d->failing_blocks.insert(block);
    }
    for (u32 n = 0; n < 188 * 20; ++n) {
        d->tick_until(8);
        d->write_page(n * 7 % 188);
    }
    d->tick_until(0);
    while (d->tick()) {
    }
    const fw_ftl* ftl = d->f()->ftl;
    ASSERT_EQ(d->stats().blocks_retired, 7u);
    u32 full = 0;
    for (u32 block = 0; block < 8u << ftl->block_bits; ++block) {
        full += ftl->blocks[block].state == BLOCK_FULL;
    }
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    EXPECT_EQ(d->stats().mount_journals, full);
}

/// Block 2 is full and has its journal page, but its other pages have been erased: a cut in its erase.
TEST(JournalMount, ReadsBlocksWhoseVersionsAreElsewhereToo)
{
    PowerDevice d(journal_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
    const fw_ftl* ftl = d.f()->ftl;
    d.plant_journal(2, {{10, 20}, {11, 21}, {12, 22}}, 5);
    d.plant(ftl_ppn(ftl, 0, 5, 0), 10, 20);
    d.plant(ftl_ppn(ftl, 0, 5, 1), 11, 21);
    d.plant(ftl_ppn(ftl, 0, 6, 0), 12, 30);
    ASSERT_TRUE(d.mount());
    EXPECT_EQ(ftl->map[10], ftl_ppn(ftl, 0, 5, 0) + 1);
    EXPECT_EQ(ftl->map[11], ftl_ppn(ftl, 0, 5, 1) + 1);
    EXPECT_EQ(ftl->map[12], ftl_ppn(ftl, 0, 6, 0) + 1) << "younger";
    EXPECT_EQ(ftl->blocks[2].erases, 5u);
    EXPECT_EQ(d.stats().mount_doubts, 1u);
    EXPECT_EQ(d.stats().mount_scans, 0u);
}

/// A whole journal page with a wrong sum: the block's pages count, and they say something else.
TEST(JournalMount, TrustsNoDamagedPage)
{
    for (const bool damaged : {false, true}) {
        PowerDevice d(journal_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
        const fw_ftl* ftl = d.f()->ftl;
        for (u32 page = 0; page < 3; ++page) {
            d.plant(ftl_ppn(ftl, 0, 2, page), 50 + page, 60 + page);
        }
        d.plant_journal(2, {{10, 20}, {11, 21}, {12, 22}}, 5, damaged);
        ASSERT_TRUE(d.mount());
        for (u32 page = 0; page < 3; ++page) {
            EXPECT_EQ(ftl->map[10 + page], damaged ? 0 : ftl_ppn(ftl, 0, 2, page) + 1);
            EXPECT_EQ(ftl->map[50 + page], damaged ? ftl_ppn(ftl, 0, 2, page) + 1 : 0);
        }
        EXPECT_EQ(ftl->blocks[2].erases, damaged ? 0u : 5u);
        EXPECT_EQ(d.stats().mount_journals, damaged ? 0u : 1u);
    }
}

/// Two journal pages name one version, and neither block has it: everything is read, and an older one found.
TEST(JournalMount, ReadsAllWhereAPageIsMissing)
{
    PowerDevice d(journal_config(FW_SCHED_INORDER, FW_BUFFER_LRU));
    const fw_ftl* ftl = d.f()->ftl;
    d.plant_journal(2, {{10, 20}, {11, 21}, {12, 22}}, 5);
    d.plant_journal(3, {{10, 20}, {13, 23}, {14, 24}}, 5);
    d.plant(ftl_ppn(ftl, 0, 5, 0), 10, 3);
    ASSERT_TRUE(d.mount());
    EXPECT_EQ(ftl->map[10], ftl_ppn(ftl, 0, 5, 0) + 1);
    EXPECT_EQ(ftl->map[11], 0u);
    EXPECT_EQ(d.stats().mount_doubts, 2u);
    EXPECT_EQ(d.stats().mount_scans, 1u);
}

/// Collection cannot read a page of its victim: the block is retired, not erased, and after a cut the page still
/// cannot be read, rather than being something older.
TEST(JournalMount, ALostPageStaysLost)
{
    auto d = std::make_unique<PowerDevice>(journal_config(FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 14));
    d->write_page(5);
    d->tick_until(0);
    const u32 lost = d->f()->ftl->map[5] - 1;
    d->unreadable.insert(lost);
    for (u32 n = 0; n < 188 * 100 && d->stats().pages_lost == 0; ++n) {
        d->tick_until(8);
        d->write_page(6 + d->draw(182));
    }
    d->tick_until(0);
    while (d->tick()) {
    }
    ASSERT_EQ(d->stats().pages_lost, 1u);
    EXPECT_EQ(d->f()->ftl->map[5], FTL_LOST);
    EXPECT_EQ(d->f()->ftl->blocks[ftl_block_index(d->f()->ftl, lost)].state, BLOCK_BAD);
    auto after = d->cut(2);
    after->unreadable = d->unreadable;
    ASSERT_TRUE(after->mount());
    EXPECT_EQ(after->f()->ftl->map[5], lost + 1);
}

/// What a FLUSH has written about a retired block is known after a cut.
TEST(PowerMount, KnowsRetiredBlocks)
{
    auto d = std::make_unique<PowerDevice>(power_config(FW_SCHED_INORDER, FW_BUFFER_NONE, 1, 20));
    const u32 block = 2u << d->f()->ftl->block_bits; // the first that plane 2 programs
    d->failing_blocks.insert(block);
    for (u32 lpn = 0; lpn < 64; ++lpn) {
        d->write_page(lpn);
        d->tick_until(0);
    }
    while (d->tick()) {
    }
    ASSERT_EQ(d->f()->ftl->blocks[block].state, BLOCK_BAD);
    d->flush();
    d->tick_until(0);
    EXPECT_EQ(d->stats().table_pages_written, 1u);
    d = d->cut(2);
    ASSERT_TRUE(d->mount());
    EXPECT_EQ(d->f()->ftl->blocks[block].state, BLOCK_BAD);
    EXPECT_EQ(d->stats().blocks_retired, 1u);
    ASSERT_NO_THROW(d->read_all());
}

/// The FTL alone, with recovery: 14 blocks of 4 pages.
class PowerRevert : public testing::Test {
protected:
    PowerRevert() : rig(config()), ftl(rig.f()->ftl) {}
    static fw_config config()
    {
        fw_config c = small_config(1, 1, 1, 1, 14, 4);
        c.gc_threshold = 4;
        c.recovery_span = 64;
        c.logical_pages = 64;
        c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
        return c;
    }
    /// The next blocks become full with that many valid pages each, the last ones.
    void occupy(std::initializer_list<u32> valid)
    {
        struct plane& p = ftl->planes[0];
        for (const u32 count : valid) {
            const u32 block = p.fresh++;
            gc_free_blocks(ftl, 0, -1);
            for (u32 page = 4 - count; page < 4; ++page) {
                ftl_map_set(rig.f(), lpns++, ftl_ppn(ftl, 0, block, page));
                ++p.valid;
            }
            gc_block_state(rig.f(), 0, block, BLOCK_FULL);
        }
    }
    void tell(u16 kind, u32 op, u8 status = FLASH_STATUS_OK)
    {
        rig.f()->ops[op].status = status;
        fw_message m{};
        m.kind = kind;
        m.a = op;
        rig.deliver(FW_ROOM_FTL, m);
    }
    u32 overwrite(u32 lpn)
    {
        const u32 op = fw_op_alloc(rig.f());
        rig.f()->ops[op].opcode = FLASH_OP_PROGRAM;
        rig.f()->ops[op].lpn = lpn;
        tell(FW_MSG_OP_NEW, op);
        tell(FW_MSG_OP_BIND, op);
        return op;
    }
    /// Collection's read of that page; neither the data nor the OOB record can be had.
    void cannot_read(u32 page)
    {
        u32 op = FW_NONE;
        for (const fw_message& m : rig.take()) {
            op = m.kind == FW_MSG_OP_PLACED && (rig.f()->ops[m.a].flags & FW_OP_GC) != 0 ? m.a : op;
        }
        ASSERT_NE(op, FW_NONE);
        ASSERT_EQ(rig.f()->ops[op].ppn, page);
        rig.f()->ops[op].oob.lpn = 0xa5a5a5a5;
        tell(FW_MSG_OP_DONE, op, FLASH_STATUS_UNCORRECTABLE);
    }

    RoomRig rig;
    fw_ftl* ftl;
    u32 lpns = 0;
};

/// Block 1 lacks a page, and so does block 0 while its first page is overwritten. That program fails: block 1
/// is the only victim again.
TEST_F(PowerRevert, LeavesTheIndexOfVictimsRight)
{
    occupy({4, 3, 4});
    tell(FW_MSG_OP_DONE, overwrite(0), FLASH_STATUS_FAIL);
    ASSERT_EQ(ftl->map[0], ftl_ppn(ftl, 0, 0, 0) + 1) << "the old page again";
    ASSERT_EQ(ftl->blocks[0].valid, 4u);
    EXPECT_EQ(ftl->gc->choose(rig.f(), 0), 1u);
}

/// A trim that is volatile ends with the overwrite of its page. That program fails: it is trimmed again, and a
/// FLUSH makes that durable, should the overwrite never be repeated. The next program ends well, and it is not.
TEST_F(PowerRevert, BringsAVolatileTrimBack)
{
    occupy({4, 3, 4});
    ftl_trim_later(rig.f(), 0);
    ftl->recovery->dirty[0] = 0;
    const u32 op = overwrite(0);
    ASSERT_FALSE(ftl_is_trimmed(ftl->recovery, 0));
    tell(FW_MSG_OP_DONE, op, FLASH_STATUS_FAIL);
    EXPECT_TRUE(ftl_is_trimmed(ftl->recovery, 0));
    EXPECT_EQ(ftl->recovery->dirty[0], 1u);
    EXPECT_EQ(ftl->map[0], ftl_ppn(ftl, 0, 0, 0) + 1);
    tell(FW_MSG_OP_BIND, op);
    EXPECT_FALSE(ftl_is_trimmed(ftl->recovery, 0));
    tell(FW_MSG_OP_DONE, op);
    EXPECT_FALSE(ftl_is_trimmed(ftl->recovery, 0));
    fw_op_free(rig.f(), op);
    ASSERT_EQ(overwrite(0), op) << "the same record: nothing of the operation before counts";
    tell(FW_MSG_OP_DONE, op, FLASH_STATUS_FAIL);
    EXPECT_FALSE(ftl_is_trimmed(ftl->recovery, 0));
}

/// Collection reads page 2 of its victim while page 3 is overwritten, and looks up whose page 2 is; then the
/// overwrite fails and page 3 counts again. Whose it is was not known at the first look.
TEST_F(PowerRevert, OfAPageThatCannotBeReadFindsItsOwner)
{
    occupy({2, 4, 4, 4, 4, 4, 4, 4, 4, 4}); // 4 free
    ftl_gc_check(rig.f(), 0);
    const u32 op = overwrite(1);
    cannot_read(2);
    EXPECT_EQ(ftl->map[0], FTL_LOST);
    tell(FW_MSG_OP_DONE, op, FLASH_STATUS_FAIL);
    ASSERT_NO_THROW(cannot_read(3));
    EXPECT_EQ(ftl->map[1], FTL_LOST);
    EXPECT_EQ(rig.stats().pages_lost, 2u);
}

/// vaq binds a write whose old page collection is reading, and wants the next one to join it. That one waits for
/// a block of the plane that collects, collection for the first one's program: it must not wait for the other.
TEST(PowerHold, EndsThoughTheNextWriteWaitsForABlock)
{
    fw_config c = small_config(1, 1, 1, 2, 14, 4);
    c.scheduler = FW_SCHED_VAQ;
    c.gc_threshold = 3;
    c.recovery_span = 64;
    c.logical_pages = 64;
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    RoomRig rig(c);
    fw_ftl* const ftl = rig.f()->ftl;
    struct plane& p = ftl->planes[1];
    for (u32 lpn = 0; p.fresh < 12; ++p.fresh) { // 2 free blocks, which the host leaves; the first is the victim
        gc_free_blocks(ftl, 1, -1);
        for (u32 page = p.fresh == 0 ? 3 : 1; page < 4; ++page) {
            ftl_map_set(rig.f(), lpn++, ftl_ppn(ftl, 1, p.fresh, page));
            ++p.valid;
        }
        gc_block_state(rig.f(), 1, p.fresh, BLOCK_FULL);
    }
    const auto carry = [&rig] { // messages, in order, until there are none
        for (std::vector<fw_message> all = rig.take(); !all.empty(); all = rig.take()) {
            for (const fw_message& m : all) {
                rig.deliver(static_cast<fw_room>(m.room), m);
            }
        }
    };
    u32 write[2];
    for (u32 i = 0; i < 2; ++i) {
        write[i] = fw_op_alloc(rig.f());
        fw_op& o = rig.f()->ops[write[i]];
        o.opcode = FLASH_OP_PROGRAM;
        o.lpn = i; // 0: the victim's
        fw_message m{};
        m.kind = FW_MSG_OP_NEW;
        m.a = write[i];
        rig.deliver(FW_ROOM_SCHED, m);
    }
    for (const u16 kind : {FW_MSG_OP_TRANSLATE, FW_MSG_OP_TRANSLATED}) {
        const fw_message m = rig.take_one();
        ASSERT_EQ(m.kind, kind);
        rig.deliver(static_cast<fw_room>(m.room), m);
    }
    ftl_gc_check(rig.f(), 1); // its read is on its way while the write is being bound
    carry();
    ASSERT_EQ(rig.submitted.size(), 1u);
    ASSERT_EQ(rig.submitted[0].opcode, FLASH_OP_READ);
    hal_event event{};
    event.kind = HAL_EVENT_FLASH;
    event.u.flash.tag = rig.submitted[0].tag;
    rig.give(FW_ROOM_SCHED, event);
    carry();
    EXPECT_EQ(p.gc_state, GC_WAITING);
    EXPECT_EQ(p.waiting.head, write[1]);
    ASSERT_EQ(rig.submitted.size(), 2u) << "both wait for ever";
    EXPECT_EQ(rig.submitted[1].opcode, FLASH_OP_PROGRAM);
    EXPECT_EQ(rig.submitted[1].cookie, write[0]);
}

/// A worn-out device without write-back: every write that was acknowledged is in flash, and a FLUSH says so,
/// though the table page of retired blocks cannot be written any more. It fails where a trim is volatile.
TEST(PowerReadOnly, FlushFailsOnlyWhereATrimWouldComeBack)
{
    for (const bool trim : {false, true}) {
        PowerDevice d(power_config(FW_SCHED_INORDER, FW_BUFFER_NONE), 3);
        for (u32 lpn = 0; lpn < d.config().logical_pages; ++lpn) {
            d.tick_until(d.config().host_tags - 1);
            d.write_page(lpn);
        }
        if (trim) {
            d.tick_until(0);
            d.issue(HAL_HOST_TRIM, 0, d.spp());
        }
        d.faults = {300, 300, 0};
        for (u32 n = 0; d.stats().read_only == 0; ++n) { // all but page 0
            d.tick_until(d.config().host_tags - 1);
            d.write_page(1 + n % (d.config().logical_pages - 1));
        }
        d.tick_until(0);
        ASSERT_GT(d.stats().blocks_retired, 0u);
        for (u32 twice = 0; twice < 2; ++twice) {
            d.flush();
            d.tick_until(0);
        }
        EXPECT_EQ(d.flush_errors, trim ? 2u : 0u);
    }
}

fw_config capacitors(u32 policy = FW_BUFFER_LRU)
{
    fw_config c = power_config(FW_SCHED_INORDER, policy);
    c.capacitors = 1;
    return c;
}

/// FUA and FLUSH are over without a program; the cut makes the one that is due, and no more.
TEST(PowerCapacitors, WriteWhenTheSupplyGoes)
{
    auto d = std::make_unique<PowerDevice>(capacitors(), 5);
    d->issue(HAL_HOST_WRITE, 0, d->spp(), HAL_HOST_FUA);
    d->tick_until(0);
    d->flush();
    d->tick_until(0);
    EXPECT_EQ(d->stats().host_pages_written, 0u);
    ASSERT_TRUE(d->save());
    EXPECT_EQ(d->stats().host_pages_written, 1u);
    d = d->cut(6);
    ASSERT_TRUE(d->mount());
    ASSERT_NO_THROW(d->read_all());
}

/// The same without time to save: what was acknowledged is not there, and the look at the device says so.
TEST(PowerCapacitors, WithoutTimeLoseTheBuffer)
{
    auto d = std::make_unique<PowerDevice>(capacitors(), 5);
    d->issue(HAL_HOST_WRITE, 0, d->spp(), HAL_HOST_FUA);
    d->tick_until(0);
    d = d->cut(6);
    ASSERT_TRUE(d->mount());
    EXPECT_ANY_THROW(d->read_all());
}

/// A TRIM is durable too, and a FLUSH behind one writes it down: the data before it and one table page.
TEST(PowerCapacitors, KeepTrims)
{
    for (const bool flush : {false, true}) {
        auto d = std::make_unique<PowerDevice>(capacitors(), 7);
        d->issue(HAL_HOST_WRITE, 0, 2 * d->spp());
        d->tick_until(0);
        ASSERT_EQ(d->stats().table_pages_written, 0u);
        d->issue(HAL_HOST_TRIM, d->spp(), d->spp());
        d->tick_until(0);
        if (flush) {
            d->flush();
            d->tick_until(0);
            EXPECT_EQ(d->stats().host_pages_written, 1u);
        }
        ASSERT_TRUE(d->save());
        EXPECT_EQ(d->stats().host_pages_written, 1u) << "the other page is trimmed";
        d = d->cut(8);
        ASSERT_TRUE(d->mount());
        ASSERT_NO_THROW(d->read_all());
    }
}

/// A FLUSH before the supply goes in order writes everything.
TEST(PowerCapacitors, AFlushThatWantsFlashWrites)
{
    PowerDevice d(capacitors(), 9);
    d.write_page(3);
    d.tick_until(0);
    d.issue(HAL_HOST_FLUSH, 0, 0, HAL_HOST_FUA);
    d.tick_until(0);
    EXPECT_EQ(d.stats().host_pages_written, 1u);
}

INSTANTIATE_TEST_SUITE_P(All, PowerCuts, testing::ValuesIn(variants()), [](const auto& test) {
    const Variant& v = test.param;
    return std::string(kSchedulers[v.scheduler]) + "_" + kPolicies[v.policy] + "_" +
           std::to_string(v.cores) + "core" + (v.failing ? "_failing" : "") + (v.capacitors ? "_capacitors" : "");
});

} // namespace
} // namespace tlmssd::tb
