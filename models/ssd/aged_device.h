// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: preconditioning from a cache: what of a device it has brought about, and what that depends on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/aging/aged_cache.h"
#include "models/aging/precondition.h"
#include "models/cpu/iss/x32_firmware.h"
#include "models/dram/dram.h"
#include "models/host/expected_versions.h"
#include "models/nand/store/page_store.h"
#include "models/ssd/firmware_image.h"

namespace tlmssd::ssd {

/// The parts of one device that preconditioning changes, in memory.
class AgedDevice {
public:
    /// `stand_in`: the firmware that is preconditioned instead of the native one, with cpu.model: iss.
    AgedDevice(const config::Config& config, FirmwareImage& image, nand::PageStore& store, dram::Dram& dram,
               host::ExpectedVersions& versions, const std::string& folder, cpu::X32Firmware* stand_in = nullptr);

    /// A device whose whole state is in these parts, and whose preconditioning takes long enough.
    static bool fits(const config::Config& config, bool stands_in = false);

    /// Nothing where the cache does not have it.
    std::optional<aging::PreconditionReport> load();
    void save(const aging::PreconditionReport& report);
    /// Fewer pages are written faster than a file is looked for.
    static constexpr u64 kFewestPages = 50000;

private:
    /// The firmware's state outside the arena.
    struct State {
        u64 now_us, step_cycles, module_began;
        u64 core, module, op_free;
        fw_stats stats;
    };

    FirmwareImage& image_;
    cpu::X32Firmware* stand_in_;
    nand::PageStore& store_;
    host::ExpectedVersions& versions_;
    aging::AgedCache cache_;
    State state_{};
    std::string key_;
    std::vector<aging::Memory> memories_;
    std::vector<aging::Place> places_;
};

} // namespace tlmssd::ssd
