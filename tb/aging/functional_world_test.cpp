// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: flash operations in zero time: what reads bring of erased, torn and table pages.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/aging/functional_world.h"
#include "models/cpu/native_executor.h"
#include "models/ssd/firmware_image.h"
#include "models/time/event_queue.h"
#include "tb/firmware/private.h"

namespace tlmssd::tb {
namespace {

/// One die of two planes of 64 blocks of 16 pages of 8 KiB. Page buffer 0 is the buffer module's, as far as
/// these tests go; two pages of tables lie behind all of them.
class World : public testing::TestWithParam<const char*> {
protected:
    static constexpr u32 kPage = 8192;
    World()
        : config_(config::load_text(std::string(R"(
nand: {page_bytes: 8192, spare_bytes: 448}
geometry: {channels: 1, ways: 1, dies: 1, planes: 2, blocks: 64, pages: 16}
host: {kind: direct}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
data: )") + GetParam(),
                                    "test", config::Overrides{})),
          image_(config_), dram_("dram", event_queue_, config_.dram, config_.geometry, image_.buffer_bytes() + kPage,
                                 config_.data),
          executor_(image_.state()), store_(config_.geometry, config_.data),
          versions_(config_.logical_sectors() / config_.geometry.sectors_per_unit()),
          tables_at_(static_cast<u32>(image_.buffer_bytes()) + kPage),
          world_(executor_, config_.geometry, store_, dram_, versions_), memory_(2 * kPage)
    {
        const fw& firmware = image_.state();
        oob_ = firmware.cfg.oob_base;
        dram_.map_oob(oob_, firmware.oob, u64{firmware.cfg.flash_tags} * 64);
        dram_.map_tables(tables_at_, memory_.data(), memory_.size());
    }
    /// Status of one operation on plane 0, block 0, page `page`.
    u32 submit(u32 opcode, u32 page, u32 buf)
    {
        flash_op op{};
        op.opcode = static_cast<u8>(opcode);
        op.nplanes = 1;
        op.row[0] = page;
        op.col[0] = 0;
        op.len[0] = 16;
        op.buf[0] = buf;
        op.oob = oob_;
        EXPECT_TRUE(world_.flash_submit(op));
        hal_event e{};
        EXPECT_TRUE(world_.next_event(config_.cpu.core_of_sched, e));
        EXPECT_EQ(e.kind, HAL_EVENT_FLASH);
        EXPECT_EQ(e.u.flash.failed_planes, e.u.flash.status == FLASH_STATUS_OK ? 0 : 1);
        return e.u.flash.status;
    }
    std::vector<u8> content(u32 salt) const
    {
        std::vector<u8> bytes(kPage);
        for (u32 i = 0; i < kPage; ++i) {
            bytes[i] = static_cast<u8>(i * 5 + i / 512 + salt);
        }
        return bytes;
    }

    config::Config config_;
    time::EventQueue event_queue_{"event_queue"};
    ssd::FirmwareImage image_;
    dram::Dram dram_;
    cpu::NativeExecutor executor_;
    nand::PageStore store_;
    host::ExpectedVersions versions_;
    u32 tables_at_;
    aging::FunctionalWorld world_;
    std::vector<u8> memory_;
    u32 oob_ = 0;
};

TEST_P(World, BringsTablePagesBackByContent)
{
    const std::vector<u8> first = content(1), second = content(2);
    std::copy(first.begin(), first.end(), memory_.begin());
    std::fill_n(dram_.oob(oob_), kOobBytes, u8{0x44});
    EXPECT_EQ(submit(FLASH_OP_PROGRAM, 0, tables_at_), FLASH_STATUS_OK);
    std::copy(second.begin(), second.end(), memory_.begin()); // the firmware goes on with it
    EXPECT_EQ(submit(FLASH_OP_PROGRAM, 1, tables_at_), FLASH_STATUS_OK);
    std::fill(memory_.begin(), memory_.end(), u8{0});
    std::fill_n(dram_.oob(oob_), kOobBytes, u8{0});
    EXPECT_EQ(submit(FLASH_OP_READ, 0, tables_at_ + kPage), FLASH_STATUS_OK);
    EXPECT_EQ(submit(FLASH_OP_READ, 1, tables_at_), FLASH_STATUS_OK);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), memory_.begin() + kPage));
    EXPECT_TRUE(std::equal(second.begin(), second.end(), memory_.begin()));
    EXPECT_EQ(dram_.oob(oob_)[15], 0x44);
    EXPECT_EQ(store_.tables().in_use(), 2u);
    EXPECT_EQ(submit(FLASH_OP_ERASE, 0, 0), FLASH_STATUS_OK);
    EXPECT_EQ(store_.tables().in_use(), 0u);
}

TEST(TablePagesOf, TheConfigurationCountsWhatTheFirmwareKeeps)
{
    struct Case {
        const char* geometry;
        u64 pages; // by hand
    };
    // 24 x 40 x 32 pages: 30720 / 1.5 = 20480 logical ones of 8192 a table page: 3; 24 x 64 block bits: 1.
    // 512-byte pages have 4096 bits: 4 x 4000 x 16 / 1.5 = 170666: 42; 4 x 4096 block bits: 4.
    for (const Case& c :
         {Case{"nand: {page_bytes: 8192, planes: 2}\n"
               "geometry: {channels: 3, ways: 2, dies: 2, planes: 2, blocks: 40, pages: 32}\n", 4},
          Case{"nand: {page_bytes: 512, planes: 1}\n"
               "geometry: {channels: 2, ways: 2, dies: 1, planes: 1, blocks: 4000, pages: 16}\n", 46}}) {
        const config::Config config = config::load_text(
            std::string(c.geometry) + "ftl: {over_provisioning: 0.5, recovery: scan}\n", "test", config::Overrides{});
        const fw_config firmware = ssd::firmware_config(config);
        EXPECT_EQ(fw_table_bytes(&firmware), config.table_pages() * config.geometry.page_bytes);
        EXPECT_EQ(config.table_pages(), c.pages);
    }
}

TEST_P(World, ErasedPagesAreEmptyAndTornOnesUncorrectable)
{
    dram_.tags(0)[0] = dram_.tags(0)[1] = {9, 9};
    EXPECT_EQ(submit(FLASH_OP_READ, 0, 0), FLASH_STATUS_OK);
    EXPECT_EQ(dram_.tags(0)[1], UnitTag{});
    EXPECT_EQ(dram_.oob(oob_)[0], 0xff);
    EXPECT_EQ(submit(FLASH_OP_READ, 0, tables_at_), FLASH_STATUS_OK);
    EXPECT_EQ(memory_[kPage - 1], 0xff);
    store_.tear_program({0, 0, 0, 0});
    EXPECT_EQ(submit(FLASH_OP_READ, 0, 0), FLASH_STATUS_UNCORRECTABLE);
    EXPECT_EQ(dram_.tags(0)[1], kLostUnit);
    EXPECT_EQ(dram_.oob(oob_)[0], nand::kTornByte);
    EXPECT_EQ(submit(FLASH_OP_READ, 0, tables_at_), FLASH_STATUS_UNCORRECTABLE);
}

TEST_P(World, TheRecordOfATornPageIsNobodys)
{
    fw_oob record;
    std::fill_n(reinterpret_cast<u8*>(&record), sizeof record, nand::kTornByte);
    EXPECT_NE(fw_oob_check(&record), record.check);
}

TEST_P(World, CountsWhatItDoes)
{
    world_.write_pages(0, 20);
    world_.write_pages(3, 1);
    world_.flush();
    EXPECT_EQ(world_.counts().written, 21u);
    EXPECT_EQ(world_.counts().programs, 21u);
    EXPECT_EQ(world_.counts().erases, 0u);
}

INSTANTIATE_TEST_SUITE_P(Data, World, testing::Values("tags", "full"));

} // namespace
} // namespace tlmssd::tb
