// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: replaying a recording of steps on native firmware or on an ISS, output by output.
#pragma once

#include <string>

#include "models/cpu/iss/iss_if.h"
#include "models/cpu/steps/steps.h"

namespace tlmssd::cpu {

struct ReplayReport {
    bool equal = true;
    u64 steps = 0;   ///< replayed, the one with a difference included
    u64 events = 0;  ///< handed out
    u64 outputs = 0; ///< compared
    u64 cycles = 0;  ///< native: charged; ISS: by the table of docs/explanation/cpu.md
    bool panicked = false; ///< the recording ends with a panic, and so did the replay
    std::string recorded;  ///< first difference: what the recording has
    std::string replayed;  ///< and what the firmware did instead
    fw_stats stats{};      ///< the firmware's counters at the end

    /// One line: equal, or the step of the first difference and both values.
    std::string text() const;
};

/// Told of each HAL call of a replay, and of each step's end (once more after its last call).
class ReplayObserverIf {
public:
    virtual ~ReplayObserverIf() = default;
    /// The firmware has booted.
    virtual void on_boot(u64 cycles) = 0;
    /// A step at this simulated time begins.
    virtual void on_step(u64 now_us) = 0;
    /// `cycles`: of the CPU so far, on a scale of its own.
    virtual void on_call(u64 cycles) = 0;
};

/// Answers the firmware from a recording and compares each of its outputs. The first difference ends
/// the step by an exception that run_recorded_step() understands.
class ReplayHal final : public HalIf {
public:
    explicit ReplayHal(StepReader& reader) : reader_(reader) {}
    void bind_oob(const OobWindow& oob) { oob_ = oob; }
    /// `cycles` is read at each call.
    void observe(ReplayObserverIf* observer, const u64& cycles)
    {
        observer_ = observer;
        cycles_ = &cycles;
        if (observer != nullptr) {
            observer->on_boot(cycles);
        }
    }

    /// True: another step; `core` and `now_us` are its inputs.
    bool begin_step(u32& core, u64& now_us);
    /// The firmware has come to the end of the step; true where the recording has too.
    void end_step();

    bool next_event(u32 core, hal_event& event) override;
    bool flash_submit(const flash_op& op) override;
    void host_dma(const hal_host_dma& dma) override;
    void host_complete(u32 tag, u32 status) override;
    void copy(u32 dst, u32 src, u64 sectors, u32 cookie) override;
    void timer_arm(u32 id, u64 at_us) override;
    void send(u32 core, const hal_message& message) override;
    void probe(u32, u32) override {}
    void panic(u32 code, u32 detail) override;

    struct Ended {}; ///< thrown: a difference, or a recorded panic
    ReplayReport& report() { return report_; }

private:
    void compare(const StepOutput& output);
    void tell()
    {
        if (observer_ != nullptr) {
            observer_->on_call(*cycles_);
        }
    }
    [[noreturn]] void differ(const std::string& replayed);

    StepReader& reader_;
    OobWindow oob_;
    ReplayReport report_;
    u32 core_ = 0;
    ReplayObserverIf* observer_ = nullptr;
    const u64* cycles_ = nullptr;
};

/// Boot native firmware from the recorded configuration and replay. Throws InputError for a bad file.
ReplayReport replay_native(const std::string& recording, ReplayObserverIf* observer = nullptr);

/// The same on an ISS with the RV32 image `elf`. `iss` must be fresh. Probes are shown, as in a run.
ReplayReport replay_iss(const std::string& recording, IssIf& iss, const std::string& elf,
                        ReplayObserverIf* observer = nullptr);

} // namespace tlmssd::cpu
