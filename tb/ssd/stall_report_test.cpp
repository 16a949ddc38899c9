// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device that stops says what its firmware holds.
#include <gtest/gtest.h>

#include "firmware/boot/firmware.h"
#include "models/ssd/firmware_image.h"

namespace tlmssd::tb {
namespace {

TEST(StallReport, NamesTheSchedulerAndCountsWhatItAndTheBufferHold)
{
    const config::Config config = config::load_text(R"(
nand: {page_bytes: 8192, spare_bytes: 448}
geometry: {channels: 1, ways: 1, dies: 1, planes: 2, blocks: 64, pages: 16}
scheduler: vaq
ftl: {over_provisioning: 0.5}
buffer: {size_mib: 1}
)",
                                                    "test", config::Overrides{});
    ssd::FirmwareImage image(config);
    *fw_shown(&image.state(), MMIO_SHOWN_QUEUED) = 7;
    *fw_shown(&image.state(), MMIO_SHOWN_IN_FLIGHT) = 2;
    *fw_shown(&image.state(), MMIO_SHOWN_TAGS_FREE) = 126;
    *fw_shown(&image.state(), MMIO_SHOWN_BUFFER_FREE) = 5;
    *fw_shown(&image.state(), MMIO_SHOWN_BUFFER_DIRTY) = 11;
    EXPECT_EQ(ssd::firmware_stall_report(image.state()),
              "firmware: scheduler vaq: 7 operations not submitted, 2 at the controller, 126 flash tags free\n"
              "firmware: buffer: 5 pages free, 11 dirty\n"
              "how to find out why: docs/start/debug-a-stall.md\n");
}

} // namespace
} // namespace tlmssd::tb
