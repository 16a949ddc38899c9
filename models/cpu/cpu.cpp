// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: steps, outputs in time, and the descriptor ring of the CPU.
#include "models/cpu/cpu.h"

#include <cstring>

#include "firmware/core/panic.h"
#include "models/common/error.h"

namespace tlmssd::cpu {

namespace {

constexpr u32 kHardwareTimers = FW_MODULE_CORE;

} // namespace

Cpu::Core::Core(Cpu& c, time::EventQueue& event_queue, u32 n)
    : cpu(c), number(n),
      step(event_queue, time::Priority::Step, time::Timer::call<&Core::on_step, Core>, this),
      output(event_queue, time::Priority::Output, time::Timer::call<&Core::on_output, Core>, this),
      events(256), outputs(256)
{
}

Cpu::HardwareTimer::HardwareTimer(Cpu& c, time::EventQueue& event_queue, u32 i)
    : cpu(c), id(i),
      timer(event_queue, time::Priority::Dma, time::Timer::call<&HardwareTimer::on_time, HardwareTimer>,
            this)
{
}

Cpu::Cpu(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Cpu& config,
         u32 flash_ring_entries)
    : sc_module(name), event_queue_(event_queue), mhz_(config.mhz),
      whole_ps_(1000000 % config.mhz == 0 ? 1000000 / config.mhz : 0),
      ring_entries_(flash_ring_entries)
{
    core_of_[FW_MODULE_HIL] = config.core_of_hil;
    core_of_[FW_MODULE_BUFFER] = config.core_of_buffer;
    core_of_[FW_MODULE_FTL] = config.core_of_ftl;
    core_of_[FW_MODULE_SCHED] = config.core_of_sched;
    for (u32 i = 0; i < config.cores; ++i) {
        cores_.push_back(std::make_unique<Core>(*this, event_queue, i));
    }
    for (u32 i = 0; i < kHardwareTimers; ++i) {
        timers_.emplace_back(*this, event_queue, i);
    }
}

void Cpu::bind(ExecutorIf& executor, HostPortIf& port, flash::ControllerIf& controller,
               CopyEngineIf& copy_engine)
{
    executor_ = &executor;
    step_cycles_ = &executor.step_cycles();
    executor.connect(*this);
    port_ = &port;
    controller_ = &controller;
    copy_ = &copy_engine;
    controller.bind(*this);
}

// ---- events ----

/// Room for an event of `core`; fill it, then announce() it.
hal_event& Cpu::new_event(u32 core, hal_event_kind kind)
{
    hal_event& e = cores_[core]->events.append();
    e.kind = static_cast<u16>(kind);
    e.tag = 0;
    e.cookie = 0;
    return e;
}

void Cpu::announce(u32 number)
{
    Core& core = *cores_[number];
    if (core.step.armed()) {
        return;
    }
    const Picoseconds now = event_queue_.now();
    if (core.free_at > now) {
        core.step.arm(core.free_at);
    } else {
        core.on_step(); // idle: a step only queues outputs, so that the caller sees no change
    }
}

void Cpu::on_host_command(const hal_host_command& command)
{
    executor_->hint(command.lba);
    const u32 core = core_of_[FW_MODULE_HIL];
    hal_event& e = new_event(core, HAL_EVENT_HOST_COMMAND);
    e.tag = command.tag;
    e.u.command = command;
    announce(core);
}

void Cpu::on_host_dma_done(u32 tag, u32 cookie)
{
    const u32 core = core_of_[FW_MODULE_HIL];
    hal_event& e = new_event(core, HAL_EVENT_HOST_DMA);
    e.tag = static_cast<u16>(tag);
    e.cookie = cookie;
    announce(core);
}

void Cpu::on_flash_completion(const flash_completion& completion)
{
    executor_->hint_completion(completion.tag);
    const u32 core = core_of_[FW_MODULE_SCHED];
    hal_event& e = new_event(core, HAL_EVENT_FLASH);
    e.cookie = completion.cookie;
    e.u.flash = completion;
    announce(core);
}

void Cpu::on_copy_done(u32 cookie)
{
    const u32 core = core_of_[FW_MODULE_BUFFER];
    new_event(core, HAL_EVENT_COPY).cookie = cookie;
    announce(core);
}

void Cpu::tell(const fw_message& message)
{
    const u32 core = core_of_[message.module];
    hal_event& e = new_event(core, HAL_EVENT_MESSAGE);
    static_assert(sizeof message == sizeof e.u.message);
    std::memcpy(&e.u.message, &message, sizeof message);
    announce(core);
}

Picoseconds Cpu::occupy(u32 module, Picoseconds time)
{
    Core& core = *cores_[core_of_[module]];
    core.free_at = max(core.free_at, event_queue_.now()) + time;
    core.stats.busy += time;
    if (core.step.armed()) {
        core.step.arm(core.free_at);
    }
    return core.free_at;
}

void Cpu::HardwareTimer::on_time()
{
    const u32 core = cpu.core_of_[id]; // each module has the timer of its number
    cpu.new_event(core, HAL_EVENT_TIMER).cookie = id;
    cpu.announce(core);
}

bool Cpu::next_event(u32 number, hal_event& event)
{
    Core& core = *cores_[number];
    if (core.visible == 0) {
        return false;
    }
    --core.visible;
    event = core.events.front();
    core.events.drop();
    return true;
}

void Cpu::Core::on_step()
{
    const Picoseconds now = cpu.event_queue_.now();
    visible = events.size();
    cpu.running_ = this;
    cpu.step_start_ = now;
    const u64 now_us = now.value() / 1000000;
    if (cpu.recorder_ != nullptr) {
        cpu.recorder_->begin_step(number, now_us);
    }
    const u64 cycles = cpu.executor_->step(number, now_us);
    if (cpu.recorder_ != nullptr) {
        cpu.recorder_->end_step();
    }
    cpu.running_ = nullptr;
    stats.cycles += cycles;
    ++stats.steps;
    const Picoseconds busy = cpu.cycles_to_time(cycles);
    stats.busy += busy;
    free_at = now + busy;
    for (StepObserverIf* const observer : cpu.observers_) {
        observer->on_step(number, now, free_at, cpu.executor_->state());
    }
    if (!outputs.empty() && !output.armed()) {
        output.arm(outputs.front().at);
    }
}

// ---- outputs ----

Cpu::Output& Cpu::output(OutputKind kind)
{
    Core& core = *running_;
    Output& o = core.outputs.append();
    o.at = step_start_ + cycles_to_time(*step_cycles_);
    o.kind = kind;
    return o;
}

void Cpu::Core::on_output()
{
    const Picoseconds now = cpu.event_queue_.now();
    while (!outputs.empty() && outputs.front().at <= now) {
        cpu.perform(outputs.front());
        outputs.drop();
    }
    if (!outputs.empty()) {
        output.arm(outputs.front().at);
    }
}

void Cpu::perform(const Output& o)
{
    switch (o.kind) {
    case OutputKind::Flash:
        if (ring_.empty() && !space_wanted_ && controller_->submit(o.op)) {
            --ring_count_;
        } else {
            ring_.push(o.op);
            ring_doorbell();
        }
        break;
    case OutputKind::HostDma:
        port_->start_dma(o.dma);
        break;
    case OutputKind::HostComplete:
        port_->complete(o.status.tag, o.status.status);
        break;
    case OutputKind::Copy:
        copy_->start_copy(o.copy.dst, o.copy.src, o.copy.sectors, o.copy.cookie);
        break;
    case OutputKind::TimerArm:
        timers_[o.timer.id].timer.arm(max(event_queue_.now(), microseconds(o.timer.at_us)));
        break;
    case OutputKind::Send: {
        new_event(o.send.core, HAL_EVENT_MESSAGE).u.message = o.send.message;
        announce(o.send.core);
        break;
    }
    }
}

void Cpu::ring_doorbell()
{
    while (!ring_.empty() && controller_->submit(ring_.front())) {
        ring_.drop();
        --ring_count_;
    }
    if (space_wanted_ && ring_count_ < ring_entries_) {
        space_wanted_ = false;
        new_event(core_of_[FW_MODULE_SCHED], HAL_EVENT_FLASH_SPACE);
        announce(core_of_[FW_MODULE_SCHED]);
    }
}

void Cpu::on_flash_space() { ring_doorbell(); }

// ---- the firmware's calls ----

bool Cpu::flash_submit(const flash_op& op)
{
    const bool accepted = ring_count_ < ring_entries_;
    if (!accepted) {
        space_wanted_ = true;
        return false;
    }
    ++ring_count_;
    Output& doorbell = output(OutputKind::Flash);
    doorbell.op = op;
    doorbell_at_ = doorbell.at;
    return true;
}

void Cpu::host_dma(const hal_host_dma& dma)
{
    output(OutputKind::HostDma).dma = dma;
}

void Cpu::host_complete(u32 tag, u32 status)
{
    output(OutputKind::HostComplete).status = HostStatus{tag, status};
}

void Cpu::copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    output(OutputKind::Copy).copy = CopyRequest{dst, src, sectors, cookie};
}

void Cpu::timer_arm(u32 id, u64 at_us)
{
    if (id >= kHardwareTimers) {
        panic(FW_PANIC_BAD_EVENT, id);
    }
    output(OutputKind::TimerArm).timer = TimerRequest{id, at_us};
}

void Cpu::send(u32 core, const hal_message& message)
{
    output(OutputKind::Send).send = SendRequest{core, message};
}

void Cpu::probe(u32 id, u32 value)
{
    // What is shown of an operation behind its doorbell is shown as of the doorbell.
    constexpr u32 kOfDoorbell =
        1u << FW_PROBE_FLASH_TAG | 1u << FW_PROBE_FLASH_REQUEST | 1u << FW_PROBE_FLASH_LINE;
    const Picoseconds at = kOfDoorbell >> id & 1 ? doorbell_at_
                                                 : step_start_ + cycles_to_time(*step_cycles_);
    if (only_observer_ != nullptr) { // the usual case
        only_observer_->on_probe(id, value, step_start_, at);
        return;
    }
    show_all(id, value, at);
}

void Cpu::show_all(u32 id, u32 value, Picoseconds at)
{
    for (StepObserverIf* const observer : observers_) {
        observer->on_probe(id, value, step_start_, at);
    }
}

void Cpu::panic(u32 code, u32 detail)
{
    throw ModelError("firmware stopped: " + panic_text(code) + " (code " + std::to_string(code) +
                     ", detail " + std::to_string(detail) + ") in the step at " +
                     std::to_string(event_queue_.now().value()) + " ps");
}

std::string panic_text(u32 code)
{
    switch (code) {
    case FW_PANIC_RING_FULL:
        return "a message ring is full";
    case FW_PANIC_BAD_MESSAGE:
        return "a module got a message that it does not know";
    case FW_PANIC_BAD_EVENT:
        return "an event that nobody waits for";
    case FW_PANIC_OPS_EXHAUSTED:
        return "no free operation record";
    case FW_PANIC_BAD_TAG:
        return "an event for a tag that is not in use";
    case FW_PANIC_LINE_STATE:
        return "a page buffer is in the wrong state";
    case FW_PANIC_MAP:
        return "map and valid bits disagree";
    case FW_PANIC_OOB:
        return "a page's metadata do not match the map";
    case FW_PANIC_FLASH_FAILED:
        return "the flash refused an operation";
    case FW_PANIC_MOUNT:
        return "the tables that the flash holds cannot be read";
    default:
        return "unknown reason";
    }
}

} // namespace tlmssd::cpu
