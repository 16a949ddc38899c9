// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RV32 firmware on an ISS as the live CPU's executor.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/cpu/executor_if.h"
#include "models/cpu/iss/iss_firmware.h"

namespace tlmssd::cpu {

/// Where the values of the simulated firmware appear: a native state, booted from the same
/// configuration, that runs no steps itself.
struct IssMirror {
    fw* state = nullptr;
    std::array<u32*, MMIO_SHOWN_COUNT> shown{}; ///< by mmio_shown
    u8** tables = nullptr;                      ///< where it keeps its table pages; null: it has none
    void* blocks = nullptr;                     ///< the FTL's block table
    u64 blocks_bytes = 0;
};

class IssExecutor final : public ExecutorIf {
public:
    /// Boots. `image`: path of the RV32 executable; `watchdog`: most instructions of a step. Throws
    /// as IssFirmware. mirror.state->oob is set to the OOB records of the simulated DRAM, and
    /// *mirror.tables to the table pages there.
    IssExecutor(std::unique_ptr<IssIf> iss, const std::string& image, u64 watchdog,
                const IssMirror& mirror);

    void connect(HalIf& hal) override { firmware_.connect(hal); }
    u64 step(u32 core, u64 now_us) override;
    const u64& step_cycles() const override { return firmware_.step_cycles(); }
    void hint(u64) override {}
    void hint_completion(u32) override {}
    bool fill(u32, u32) override { return false; }
    bool idle() override { return firmware_.idle(); }
    void set_probing(u32 mask) override { firmware_.set_probing(mask); }
    void clear_stats() override;
    const fw& state() const override { return *mirror_.state; }
    void refresh_wear() override;

    /// Cycles and name of each function that has run since clear_stats(), most cycles first.
    std::vector<std::pair<std::string, u64>> cycles_by_function() const;
    /// The memory of the firmware, for a handover between steps; clear_stats() has to follow.
    FirmwareSide side() { return firmware_.side(); }
    u64 instructions() const { return iss_->instructions() - instructions_before_; }

private:
    void mirror();

    std::unique_ptr<IssIf> iss_;
    IssMirror mirror_;
    std::array<u64, FW_MODULE_COUNT> module_cycles_{};
    u64 instructions_before_ = 0;
    IssFirmware firmware_;
};

} // namespace tlmssd::cpu
