// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's C code linked in; cycles are what it charges at its cost points.
#pragma once

#include "firmware/boot/firmware.h"
#include "models/cpu/executor_if.h"

namespace tlmssd::cpu {

class NativeExecutor final : public ExecutorIf {
public:
    /// `firmware` is booted and outlives this.
    explicit NativeExecutor(fw& firmware) : firmware_(firmware) {}

    void connect(HalIf& hal) override { firmware_.hal = native_handle(hal); }
    u64 step(u32 core, u64 now_us) override
    {
        fw_step(&firmware_, core, now_us);
        return firmware_.step_cycles;
    }
    const u64& step_cycles() const override { return firmware_.step_cycles; }
    void hint(u64 lba) override { fw_hint_command(&firmware_, lba); }
    void hint_completion(u32 tag) override { fw_hint_completion(&firmware_, tag); }
    bool fill(u32 turns, u32 commands) override { return fw_fill(&firmware_, turns, commands); }
    bool idle() override { return fw_idle(&firmware_); }
    void set_probing(u32 mask) override { firmware_.probing = mask; }
    void clear_stats() override
    {
        const u64 factory_bad = firmware_.stats.factory_bad;
        firmware_.stats = fw_stats{};
        firmware_.stats.factory_bad = factory_bad;
    }
    const fw& state() const override { return firmware_; }
    void refresh_wear() override {}

private:
    fw& firmware_;
};

} // namespace tlmssd::cpu
