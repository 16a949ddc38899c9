// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: counting what passes the seams, and what the firmware shows.
#include "models/probes/waves/wave_interfaces.h"

#include <algorithm>
#include <string>

#include "firmware/boot/firmware.h"

namespace tlmssd::probes {

namespace {

constexpr u32 kNotShown = ~u32{0};

} // namespace

WaveController::WaveController(observe::Waves& waves, const WaveNames& names,
                               const Geometry& geometry, u32 shown, const time::EventQueue& event_queue,
                               flash::ControllerIf& controller, WaveOwners& owners)
    : waves_(waves), event_queue_(event_queue), controller_(controller), owners_(owners),
      operations_id_(waves.add("ssd.controller.operations", 16)),
      reads_id_(waves.add("ssd.controller.reads", 16)),
      programs_id_(waves.add("ssd.controller.programs", 16)),
      erases_id_(waves.add("ssd.controller.erases", 16)),
      state_id_(waves.add("ssd.controller.state", 2, names.controller_state)),
      by_channel_(geometry.channels, 0), outstanding_(controller.tags())
{
    for (u32 channel = 0; channel < geometry.channels; ++channel) {
        channel_ids_.push_back((shown >> channel & 1) != 0
                                   ? waves.add("ssd.channel" + std::to_string(channel) +
                                                   ".operations", 16)
                                   : kNotShown);
    }
}

void WaveController::bind(flash::CompletionSinkIf& sink)
{
    sink_ = &sink;
    controller_.bind(*this);
}

void WaveController::count(const flash_op& op, bool comes)
{
    const u32 change = comes ? 1 : ~u32{0};
    const Picoseconds now = event_queue_.now();
    waves_.set(operations_id_, operations_ += change, now);
    switch (op.opcode) {
    case FLASH_OP_READ:
        waves_.set(reads_id_, reads_ += change, now);
        break;
    case FLASH_OP_PROGRAM:
    case FLASH_OP_COPYBACK:
        waves_.set(programs_id_, programs_ += change, now);
        break;
    case FLASH_OP_ERASE:
        waves_.set(erases_id_, erases_ += change, now);
        break;
    default:
        break;
    }
    if (op.channel < by_channel_.size() && channel_ids_[op.channel] != kNotShown) {
        waves_.set(channel_ids_[op.channel], by_channel_[op.channel] += change, now);
    }
    state(full_ ? ControllerState::Full
                : operations_ > 0 ? ControllerState::Working : ControllerState::Idle);
}

void WaveController::state(ControllerState value)
{
    waves_.set(state_id_, static_cast<u64>(value), event_queue_.now());
}

bool WaveController::submit(const flash_op& op)
{
    const bool known = op.tag < outstanding_.size();
    if (known) { // the controller may use the bus before it returns
        outstanding_[op.tag] = op;
        owners_[op.tag].operation = op.opcode <= FLASH_OP_RESET ? op.opcode : u8{kNoOperation};
        owners_[op.tag].stream = static_cast<u8>(std::min<u32>(op.stream, kNoStream));
        count(op, true);
    }
    const bool taken = controller_.submit(op);
    if (!taken) {
        full_ = true;
        if (known) {
            count(op, false);
        }
    }
    return taken;
}

void WaveController::on_flash_completion(const flash_completion& completion)
{
    if (completion.tag < outstanding_.size()) {
        count(outstanding_[completion.tag], false);
    }
    sink_->on_flash_completion(completion);
}

void WaveController::on_flash_space()
{
    full_ = false;
    state(operations_ > 0 ? ControllerState::Working : ControllerState::Idle);
    sink_->on_flash_space();
}

WaveHost::WaveHost(observe::Waves& waves, const time::EventQueue& event_queue, host::DeviceLinkIf& device)
    : waves_(waves), event_queue_(event_queue), device_(device),
      outstanding_id_(waves.add("host.outstanding", 16)), reads_id_(waves.add("host.reads", 16)),
      writes_id_(waves.add("host.writes", 16)), completed_id_(waves.add("host.completed", 32)),
      opcodes_(HAL_HOST_TAGS, 0)
{
}

void WaveHost::bind(host::LinkClientIf& client)
{
    client_ = &client;
    device_.bind(*this);
}

void WaveHost::count(u8 opcode, u32 change)
{
    const Picoseconds now = event_queue_.now();
    waves_.set(outstanding_id_, outstanding_ += change, now);
    if (opcode == HAL_HOST_READ) {
        waves_.set(reads_id_, reads_ += change, now);
    } else if (opcode == HAL_HOST_WRITE) {
        waves_.set(writes_id_, writes_ += change, now);
    }
}

void WaveHost::submit_for_job(u32 job, const hal_host_command& command)
{
    opcodes_.at(command.tag) = command.opcode;
    count(command.opcode, 1);
    device_.submit_for_job(job, command);
}

void WaveHost::receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8* bytes)
{
    client_->receive(tag, offset, sectors, cells, bytes);
}

void WaveHost::provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes)
{
    client_->provide(tag, offset, sectors, cells, bytes);
}

void WaveHost::on_completed(u32 tag, u32 status)
{
    if (tag < opcodes_.size() && opcodes_[tag] != 0) { // else the host finds the error
        count(opcodes_[tag], ~u32{0});
        opcodes_[tag] = 0;
        waves_.set(completed_id_, ++completed_ & 0xffffffff, event_queue_.now());
    }
    client_->on_completed(tag, status);
}

WaveFirmware::WaveFirmware(observe::Waves& waves, const WaveNames& names, const fw& firmware,
                           WaveOwners& owners, cpu::StepObserverIf* next)
    : waves_(waves), owners_(owners), next_(next),
      scheduler_id_(waves.add("firmware.scheduler", 4, names.scheduler)),
      state_id_(waves.add("firmware.sched_state", 2, names.scheduler_state)),
      in_flight_id_(waves.add("firmware.sched_in_flight", 16))
{
    static const struct {
        const char* name;
        u32 bits;
    } kProbes[] = {
#define PROBE(id, name, bits) {#name, bits},
#include "firmware/hal/probes.def"
#undef PROBE
    };
    for (u32 id = 0; id < FW_PROBE_COUNT; ++id) {
        const bool signal = kProbes[id].bits != 0; // else several at one time
        probe_ids_.push_back(signal ? waves.add(std::string("firmware.") + kProbes[id].name,
                                                kProbes[id].bits)
                                    : kNotShown);
    }
    for (u32 core = 0; core < firmware.cfg.cores; ++core) {
        busy_ids_.push_back(waves.add("cpu.core" + std::to_string(core) + ".busy", 1));
    }
}

void WaveFirmware::show(const fw& firmware, Picoseconds now)
{
    const u32 queued = *fw_shown(&firmware, MMIO_SHOWN_QUEUED);
    const u32 in_flight = *fw_shown(&firmware, MMIO_SHOWN_IN_FLIGHT);
    const bool full = *fw_shown(&firmware, MMIO_SHOWN_TAGS_FREE) == 0;
    const SchedulerState state = queued != 0 ? (full ? SchedulerState::Full : SchedulerState::Holding)
                                 : in_flight != 0 ? SchedulerState::Working
                                                  : SchedulerState::Idle;
    waves_.set(scheduler_id_, firmware.cfg.scheduler, now);
    waves_.set(state_id_, static_cast<u64>(state), now);
    waves_.set(in_flight_id_, in_flight, now);
    waves_.set(probe_ids_[FW_PROBE_SCHED_QUEUED], queued, now);
    waves_.set(probe_ids_[FW_PROBE_BUFFER_FREE], *fw_shown(&firmware, MMIO_SHOWN_BUFFER_FREE), now);
    waves_.set(probe_ids_[FW_PROBE_BUFFER_DIRTY], *fw_shown(&firmware, MMIO_SHOWN_BUFFER_DIRTY), now);
}

void WaveFirmware::on_step(u32 core, Picoseconds start, Picoseconds end, const fw& firmware)
{
    show(firmware, start);
    waves_.schedule(busy_ids_[core], 1, start);
    waves_.schedule(busy_ids_[core], 0, end);
    if (next_ != nullptr) {
        next_->on_step(core, start, end, firmware);
    }
}

u32 WaveFirmware::probes() const
{
    u32 wanted = 1u << FW_PROBE_FLASH_TAG | 1u << FW_PROBE_FLASH_REQUEST;
    for (u32 id = 0; id < FW_PROBE_COUNT; ++id) {
        wanted |= u32{probe_ids_[id] != kNotShown} << id;
    }
    return next_ != nullptr ? wanted | next_->probes() : wanted;
}

void WaveFirmware::on_probe(u32 id, u32 value, Picoseconds now, Picoseconds at)
{
    if (id == FW_PROBE_FLASH_TAG) {
        tag_ = value & ~FW_FLASH_JOINED;
        first_page_ = true;
    } else if (id == FW_PROBE_FLASH_REQUEST) {
        if (first_page_ && tag_ < owners_.size()) {
            owners_[tag_].request = value;
        }
        first_page_ = false;
    } else if (probe_ids_[id] != kNotShown) {
        waves_.set(probe_ids_[id], value, now);
    }
    if (next_ != nullptr) {
        next_->on_probe(id, value, now, at);
    }
}

} // namespace tlmssd::probes
