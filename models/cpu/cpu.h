// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the CPU in time: when steps run and when their outputs take effect, whatever executes them.
#pragma once

#include <systemc>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "firmware/core/fw.h"
#include "models/common/fifo.h"
#include "models/config/config.h"
#include "models/cpu/executor_if.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/step_bounds_if.h"
#include "models/interfaces/flash_port.h"
#include "models/interfaces/host_port.h"
#include "models/time/event_queue.h"

namespace tlmssd::cpu {

/// The DRAM copy engine as the CPU sees it; `done(cookie)` follows.
class CopyEngineIf {
public:
    virtual ~CopyEngineIf() = default;
    virtual void start_copy(u32 dst, u32 src, u64 sectors, u32 cookie) = 0;
};

/// Follows the firmware (the timeline). May be absent; must not call back.
class StepObserverIf {
public:
    virtual ~StepObserverIf() = default;
    /// A step of `core` has run. `firmware.stats.cycles` holds what each module has been charged since
    /// the start of the run; steps run one after the other, so the difference is this step's.
    virtual void on_step(u32 core, Picoseconds start, Picoseconds end, const fw& firmware) = 0;
    /// hal_probe() within the step that runs since `now`; an output made there takes effect at `at`.
    virtual void on_probe(u32 id, u32 value, Picoseconds now, Picoseconds at) = 0;
    /// The probes that it looks at, a bit each.
    virtual u32 probes() const { return ~u32{0}; }
};

/// Runs steps (docs/explanation/contracts.md 1): a step starts at max(first visible event, core free), takes the
/// events visible then, and each output takes effect at the start plus the cycles charged before it.
class Cpu final : public sc_core::sc_module,
                        public HalIf,
                        public HostSinkIf,
                        public flash::CompletionSinkIf {
public:
    struct CoreStatistics {
        u64 cycles = 0;
        u64 steps = 0;
        Picoseconds busy;
    };

    Cpu(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Cpu& config,
              u32 flash_ring_entries);

    /// Connect before the simulation starts. The executor's HAL becomes this.
    void bind(ExecutorIf& executor, HostPortIf& port, flash::ControllerIf& controller,
              CopyEngineIf& copy);
    /// Told where steps begin and end; what is in them is recorded by a RecordingHal in front.
    void set_recorder(StepBoundsIf* recorder) { recorder_ = recorder; }
    /// Observers are called in this order.
    void observe(StepObserverIf& observer)
    {
        observers_.push_back(&observer);
        only_observer_ = observers_.size() == 1 ? &observer : nullptr;
    }

    // from the hardware
    void on_host_command(const hal_host_command& command) override;
    void on_host_dma_done(u32 tag, u32 cookie) override;
    void on_flash_completion(const flash_completion& completion) override;
    void on_flash_space() override;
    void on_copy_done(u32 cookie);
    /// A message from outside, such as the order to mount; the firmware sees it as from another core.
    void tell(const fw_message& message);

    /// The core of a module does something other than steps for `time`, after the step that runs. Returns when that has
    /// ended; a step that waits begins then.
    Picoseconds occupy(u32 module, Picoseconds time);

    // from the firmware
    bool next_event(u32 core, hal_event& event) override;
    bool flash_submit(const flash_op& op) override;
    void host_dma(const hal_host_dma& dma) override;
    void host_complete(u32 tag, u32 status) override;
    void copy(u32 dst, u32 src, u64 sectors, u32 cookie) override;
    void timer_arm(u32 id, u64 at_us) override;
    void send(u32 core, const hal_message& message) override;
    void probe(u32 id, u32 value) override;
    void panic(u32 code, u32 detail) override;

    const CoreStatistics& statistics(u32 core) const { return cores_[core]->stats; }
    /// Time in steps up to `now`.
    Picoseconds busy(u32 core, Picoseconds now) const
    {
        const Core& c = *cores_[core];
        return c.free_at > now ? c.stats.busy - (c.free_at - now) : c.stats.busy;
    }
    u32 cores() const { return static_cast<u32>(cores_.size()); }

private:
    enum class OutputKind : u8 { Flash, HostDma, HostComplete, Copy, TimerArm, Send };
    struct CopyRequest {
        u32 dst, src;
        u64 sectors;
        u32 cookie;
    };
    struct SendRequest {
        u32 core;
        hal_message message;
    };
    struct HostStatus {
        u32 tag, status;
    };
    struct TimerRequest {
        u32 id;
        u64 at_us;
    };
    struct Output {
        Picoseconds at;
        OutputKind kind;
        union {
            flash_op op;
            hal_host_dma dma;
            HostStatus status;
            CopyRequest copy;
            TimerRequest timer;
            SendRequest send;
        };
        Output() : kind(OutputKind::Flash), op() {}
    };
    struct Core {
        Core(Cpu& cpu, time::EventQueue& event_queue, u32 number);
        void on_step();
        void on_output();
        Cpu& cpu;
        u32 number;
        time::Timer step;   ///< the next step's start
        time::Timer output; ///< the next output's time
        Fifo<hal_event> events;
        Fifo<Output> outputs; ///< in order of time
        u64 visible = 0;      ///< events that the running step may still take
        Picoseconds free_at;
        CoreStatistics stats;
    };
    struct HardwareTimer {
        HardwareTimer(Cpu& cpu, time::EventQueue& event_queue, u32 id);
        void on_time();
        Cpu& cpu;
        u32 id;
        time::Timer timer;
    };

    hal_event& new_event(u32 core, hal_event_kind kind);
    void announce(u32 core);
    Output& output(OutputKind kind);
    [[gnu::noinline]] void show_all(u32 id, u32 value, Picoseconds at);
    void perform(const Output& output);
    void ring_doorbell();
    Picoseconds cycles_to_time(u64 cycles) const
    {
        return Picoseconds(whole_ps_ != 0 ? cycles * whole_ps_ : cycles * 1000000 / mhz_);
    }

    time::EventQueue& event_queue_;
    u64 mhz_;
    u64 whole_ps_; ///< of a cycle; 0: it has a fraction
    ExecutorIf* executor_ = nullptr;
    const u64* step_cycles_ = nullptr; ///< the executor's
    HostPortIf* port_ = nullptr;
    flash::ControllerIf* controller_ = nullptr;
    CopyEngineIf* copy_ = nullptr;
    StepBoundsIf* recorder_ = nullptr;
    std::vector<StepObserverIf*> observers_;
    StepObserverIf* only_observer_ = nullptr; ///< where there is one
    std::array<u32, FW_MODULE_COUNT> core_of_{};
    std::vector<std::unique_ptr<Core>> cores_;
    std::deque<HardwareTimer> timers_;
    Core* running_ = nullptr; ///< whose step runs
    Picoseconds step_start_;
    Picoseconds doorbell_at_; ///< of the last flash operation
    // The descriptor ring between firmware and controller.
    u32 ring_entries_;
    u32 ring_count_ = 0;        ///< submitted by firmware, not yet taken by the controller
    Fifo<flash_op> ring_;       ///< rung, but refused by the controller
    bool space_wanted_ = false; ///< a submit was refused
};

/// Human-readable name of a firmware panic code.
std::string panic_text(u32 code);

} // namespace tlmssd::cpu
