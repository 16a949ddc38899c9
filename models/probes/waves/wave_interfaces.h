// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: queue depths and states above the flash bus in the wave file.
#pragma once

#include <vector>

#include "models/common/geometry.h"
#include "models/cpu/cpu.h"
#include "models/interfaces/device_link_if.h"
#include "models/interfaces/flash_port.h"
#include "models/observe/fst/waves.h"
#include "models/probes/waves/wave_bus.h"
#include "models/time/event_queue.h"

namespace tlmssd::probes {

/// Between CPU and flash controller: operations outstanding, over all and by channel.
class WaveController final : public flash::ControllerIf, public flash::CompletionSinkIf {
public:
    /// Signals ssd.controller.* and ssd.channelC.operations of channels with bit C of `shown`.
    WaveController(observe::Waves& waves, const WaveNames& names, const Geometry& geometry,
                   u32 shown, const time::EventQueue& event_queue, flash::ControllerIf& controller,
                   WaveOwners& owners);

    void bind(flash::CompletionSinkIf& sink) override;
    u32 tags() const override { return controller_.tags(); }
    bool submit(const flash_op& op) override;
    void on_flash_completion(const flash_completion& completion) override;
    void on_flash_space() override;

private:
    void count(const flash_op& op, bool comes);
    void state(ControllerState value);

    observe::Waves& waves_;
    const time::EventQueue& event_queue_;
    flash::ControllerIf& controller_;
    WaveOwners& owners_;
    flash::CompletionSinkIf* sink_ = nullptr;
    u32 operations_id_, reads_id_, programs_id_, erases_id_, state_id_;
    std::vector<u32> channel_ids_;    ///< ~0: not shown
    std::vector<u32> by_channel_;
    std::vector<flash_op> outstanding_;    ///< by tag
    u32 operations_ = 0, reads_ = 0, programs_ = 0, erases_ = 0;
    bool full_ = false;
};

/// Between host and link: commands that the host waits for.
class WaveHost final : public host::DeviceLinkIf, public host::LinkClientIf {
public:
    /// Signals host.*
    WaveHost(observe::Waves& waves, const time::EventQueue& event_queue, host::DeviceLinkIf& device);

    void bind(host::LinkClientIf& client) override;
    void submit(const hal_host_command& command) override { submit_for_job(0, command); }
    void submit_for_job(u32 job, const hal_host_command& command) override;
    bool queues_trim() const override { return device_.queues_trim(); }
    bool queues_flush() const override { return device_.queues_flush(); }
    void receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8* bytes) override;
    void provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes) override;
    void on_repeated(u32 tag) override { client_->on_repeated(tag); }
    void on_completed(u32 tag, u32 status) override;

private:
    void count(u8 opcode, u32 change);

    observe::Waves& waves_;
    const time::EventQueue& event_queue_;
    host::DeviceLinkIf& device_;
    host::LinkClientIf* client_ = nullptr;
    u32 outstanding_id_, reads_id_, writes_id_, completed_id_;
    std::vector<u8> opcodes_; ///< by tag
    u32 outstanding_ = 0, reads_ = 0, writes_ = 0;
    u64 completed_ = 0;
};

/// The firmware: probes at their times, the scheduler's state and the cores after each step.
class WaveFirmware final : public cpu::StepObserverIf {
public:
    /// Signals firmware.* with the values that `firmware` has now. `next` may be null.
    WaveFirmware(observe::Waves& waves, const WaveNames& names, const fw& firmware,
                 WaveOwners& owners, cpu::StepObserverIf* next);

    void on_step(u32 core, Picoseconds start, Picoseconds end, const fw& firmware) override;
    void on_probe(u32 id, u32 value, Picoseconds now, Picoseconds at) override;
    u32 probes() const override;
    /// Sets the values that exist before the first step (preconditioning shows no probes).
    void show(const fw& firmware, Picoseconds now);

private:
    observe::Waves& waves_;
    WaveOwners& owners_;
    cpu::StepObserverIf* next_;
    std::vector<u32> probe_ids_; ///< ~0: not shown
    u32 scheduler_id_, state_id_, in_flight_id_;
    std::vector<u32> busy_ids_; ///< by core
    u32 tag_ = 0;               ///< of the FLASH_TAG probe that came last
    bool first_page_ = false;   ///< its first FLASH_REQUEST is still to come
};

} // namespace tlmssd::probes
