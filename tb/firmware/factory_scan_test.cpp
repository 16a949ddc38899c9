// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the scan for factory bad blocks at boot, through the platform.
#include <gtest/gtest.h>

#include "models/aging/precondition.h"
#include "models/common/error.h"
#include "models/cpu/native_executor.h"
#include "models/nand/errors/error_model.h"
#include "models/ssd/firmware_image.h"
#include "models/time/event_queue.h"
#include "tb/firmware/private.h"

namespace tlmssd::tb {
namespace {

/// 2 x 2 x 1 dies of 2 planes of 64 blocks of 8 pages; over-provisioning 0.6: 40 blocks a plane are
/// the host's, and 4 (ftl.gc.threshold_blocks) + 3 must be good beside them.
config::Config configured(const std::string& errors, const std::string& spare)
{
    return config::load_text(R"(
nand: {page_bytes: 4096, spare_bytes: 224, errors: {)" + errors + R"(}}
geometry: {channels: 2, ways: 2, dies: 1, planes: 2, blocks: 64, pages: 8}
host: {kind: direct}
ftl: {over_provisioning: )" + spare + R"(}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 1.0, overwrite: 1.0}
)",
                             "test", config::Overrides{});
}

class FactoryScan : public testing::Test {
protected:
    void boot(const std::string& errors, const std::string& spare = "0.6")
    {
        config_ = configured(errors, spare);
        image_ = std::make_unique<ssd::FirmwareImage>(config_);
        event_queue_ = std::make_unique<time::EventQueue>("event_queue");
        dram_ = std::make_unique<dram::Dram>("dram", *event_queue_, config_.dram, config_.geometry,
                                             image_->buffer_bytes() + config_.geometry.page_bytes);
        fw& firmware = image_->state();
        dram_->map_oob(firmware.cfg.oob_base, firmware.oob, u64{firmware.cfg.flash_tags} * 64);
        executor_ = std::make_unique<cpu::NativeExecutor>(firmware);
        store_ = std::make_unique<nand::PageStore>(config_.geometry);
        versions_ = std::make_unique<host::ExpectedVersions>(
            config_.logical_sectors() / config_.geometry.sectors_per_unit());
        world_ = std::make_unique<aging::FunctionalWorld>(*executor_, config_.geometry, *store_,
                                                          *dram_, *versions_);
        aging::precondition(aging::AgingOptions::of(config_), *world_);
    }
    config::Config config_;
    std::unique_ptr<ssd::FirmwareImage> image_;
    std::unique_ptr<cpu::NativeExecutor> executor_;
    std::unique_ptr<time::EventQueue> event_queue_;
    std::unique_ptr<dram::Dram> dram_;
    std::unique_ptr<nand::PageStore> store_;
    std::unique_ptr<host::ExpectedVersions> versions_;
    std::unique_ptr<aging::FunctionalWorld> world_;
};

TEST_F(FactoryScan, TellsTheFirmwareOfEachBadBlockBeforePreconditioningUsesOne)
{
    boot("enabled: true, factory_bad: 0.05");
    const Geometry& g = config_.geometry;
    const nand::ErrorModel model(config_.nand, g, config_.seed);
    const fw_ftl* ftl = image_->state().ftl;
    u32 bad = 0;
    for (u32 die = 0; die < g.total_dies(); ++die) {
        for (u32 plane = 0; plane < g.planes; ++plane) {
            for (u32 block = 0; block < g.blocks; ++block) {
                const bool expected = model.factory_bad(die, plane, block);
                const u32 index = (die * g.planes + plane) << ftl->block_bits | block;
                EXPECT_EQ(ftl->blocks[index].state == BLOCK_BAD, expected);
                if (expected) {
                    ++bad;
                    EXPECT_EQ(store_->next_page(nand::Place{die, plane, block, 0}), 0u);
                }
            }
        }
    }
    EXPECT_GT(bad, 8u) << "512 blocks, one in twenty";
    EXPECT_EQ(image_->state().stats.factory_bad, bad) << "survives the reset of the statistics";
    EXPECT_EQ(image_->state().stats.flash_pages_written, 0u);
}

TEST_F(FactoryScan, FindsNothingWhereErrorsAreOff)
{
    boot("enabled: false, factory_bad: 0.05");
    EXPECT_EQ(image_->state().stats.factory_bad, 0u);
}

TEST_F(FactoryScan, RefusesADeviceWhosePlanesHaveTooFewGoodBlocks)
{
    // 64 / 1.2 = 53.3 blocks a plane are the host's, so 54 + 4 + 3 must be good; about 51 are.
    try {
        boot("enabled: true, factory_bad: 0.2", "0.2");
        FAIL() << "accepted";
    } catch (const InputError& e) {
        const std::string text = e.what();
        EXPECT_EQ(text.find("nand.errors.factory_bad: "), 0u) << text;
        EXPECT_NE(text.find("good blocks of 64 in plane"), std::string::npos) << text;
        EXPECT_NE(text.find("needs 61"), std::string::npos) << text;
        EXPECT_NE(text.find("ftl.over_provisioning"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos);
    }
}

} // namespace
} // namespace tlmssd::tb
