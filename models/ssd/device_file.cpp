// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a device's cells in a file.
#include "models/ssd/device_file.h"

#include "models/common/error.h"

namespace tlmssd::ssd {

std::unique_ptr<nand::StoreFile> open_device_file(const std::string& path, const config::Config& config,
                                                  const std::string& option)
{
    if (config.ftl.recovery == config::Recovery::None) {
        throw InputError(option + " requires ftl.recovery: scan or journal; the configuration has none");
    }
    if (config.buffer.power == config::BufferPower::Capacitors) {
        throw InputError(option + ": not with buffer.power: capacitors: kill -9 leaves no time to save what is "
                         "in DRAM; use volatile");
    }
    if (config.nand.partial_programs > 1) {
        throw InputError(option + ": not with nand.partial_programs above 1");
    }
    const Geometry& g = config.geometry;
    const auto text = [](u64 number) { return std::to_string(number); };
    const nand::StoreFile::Facts facts{{"geometry.channels", text(g.channels)},
                                       {"geometry.ways", text(g.ways)},
                                       {"geometry.chip_enables", text(g.chip_enables)},
                                       {"geometry.dies", text(g.dies)},
                                       {"geometry.planes", text(g.planes)},
                                       {"geometry.blocks", text(g.blocks)},
                                       {"geometry.pages", text(g.pages)},
                                       {"nand.page_bytes", text(g.page_bytes)},
                                       {"nand.spare_bytes", text(g.spare_bytes)},
                                       {"logical pages (ftl.over_provisioning)", text(config.logical_pages())},
                                       {"ftl.mapping", config.ftl.mapping == config::Mapping::Dftl ? "dftl" : "page"},
                                       {"sectors of a mapping unit (ftl.mapping_unit)",
                                        text(g.sectors_per_page() / config.mapping_units())}};
    return std::make_unique<nand::StoreFile>(path, g, facts);
}

} // namespace tlmssd::ssd
