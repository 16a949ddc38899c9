// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: replay of recorded steps.
#include "models/cpu/steps/steps_replay.h"

#include <cstdlib>
#include <cstring>

#include "firmware/boot/firmware.h"
#include "models/common/error.h"
#include "models/cpu/iss/iss_firmware.h"

namespace tlmssd::cpu {

namespace {

constexpr u32 kOobBytes = 64; ///< a flash tag

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};

/// A recording from elsewhere may carry any configuration: boot only what the firmware can index.
void check_config(const std::string& path, const fw_config& c)
{
    bool good = c.cores >= 1 && c.cores <= FW_MAX_CORES && c.scheduler < FW_SCHED_COUNT &&
                c.buffer_policy < FW_BUFFER_COUNT && c.flash_tags <= FW_MAX_FLASH_TAGS &&
                c.host_tags <= FW_MAX_HOST_TAGS && c.chip_enables != 0 && c.page_bytes >= 512;
    for (const u32 core : c.core_of) {
        good = good && core < c.cores;
    }
    for (const u32 letter : c.allocation) {
        good = good && letter < 4;
    }
    if (!good || fw_arena_bytes(&c) > (u64{1} << 40)) {
        throw InputError(path + ": damaged: an impossible firmware configuration");
    }
}

template <class Step>
void replay(ReplayHal& hal, Step step)
{
    u32 core = 0;
    u64 now_us = 0;
    try {
        while (hal.begin_step(core, now_us)) {
            hal.report().cycles += step(core, now_us);
            hal.end_step();
        }
    } catch (const ReplayHal::Ended&) { // the report says why
    }
}

} // namespace

std::string ReplayReport::text() const
{
    if (equal) {
        return "equal: " + std::to_string(steps) + " steps, " + std::to_string(events) + " events, " +
               std::to_string(outputs) + " outputs, " + std::to_string(cycles) + " cycles" +
               (panicked ? ", ending in the recorded panic" : "");
    }
    return "step " + std::to_string(steps) + ", output " + std::to_string(outputs) +
           ": recorded: " + recorded + "; replayed: " + replayed;
}

void ReplayHal::differ(const std::string& replayed)
{
    report_.equal = false;
    report_.recorded = reader_.peek().text();
    report_.replayed = replayed;
    throw Ended{};
}

bool ReplayHal::begin_step(u32& core, u64& now_us)
{
    const StepRecord& record = reader_.peek();
    if (record.kind == RecordKind::End) {
        return false;
    }
    if (record.kind != RecordKind::BeginStep) {
        differ("nothing: it waits for a step");
    }
    core = core_ = record.core;
    now_us = record.now_us;
    ++report_.steps;
    reader_.advance();
    if (observer_ != nullptr) {
        observer_->on_step(now_us);
    }
    return true;
}

void ReplayHal::end_step()
{
    if (reader_.peek().kind != RecordKind::EndStep) {
        differ("nothing: its step has ended");
    }
    tell();
    reader_.advance();
}

bool ReplayHal::next_event(u32 core, hal_event& event)
{
    const StepRecord& record = reader_.peek();
    if (core != core_ || (record.kind != RecordKind::Event && record.kind != RecordKind::EndStep)) {
        differ("next_event of core " + std::to_string(core));
    }
    tell();
    if (record.kind == RecordKind::EndStep) {
        return false;
    }
    event = record.event;
    if (!record.dma_bytes.empty()) {
        const auto count = static_cast<u32>(record.dma_bytes.size());
        std::memcpy(oob_.at(record.dma_offset, count), record.dma_bytes.data(), count);
    }
    ++report_.events;
    reader_.advance();
    return true;
}

void ReplayHal::compare(const StepOutput& output)
{
    const StepRecord& record = reader_.peek();
    ++report_.outputs;
    tell();
    if (record.kind != RecordKind::Output || !(record.output == output)) {
        differ(output.text());
    }
    reader_.advance();
}

bool ReplayHal::flash_submit(const flash_op& op)
{
    /* Whether the controller took it is an input: it comes from the recording. */
    const StepRecord& record = reader_.peek();
    const bool accepted = record.kind == RecordKind::Output &&
                          record.output.kind == OutputKind::FlashSubmit &&
                          record.output.bytes[sizeof op] != 0;
    const bool program = op.opcode == FLASH_OP_PROGRAM && oob_bytes(op) != 0;
    if (op.nplanes > FLASH_MAX_PLANES) {
        differ("flash_submit of " + std::to_string(op.nplanes) + " planes");
    }
    compare(StepOutput::flash_submit(op, accepted, program ? oob_.at(op.oob, oob_bytes(op)) : nullptr));
    return accepted;
}

void ReplayHal::host_dma(const ::hal_host_dma& dma) { compare(StepOutput::host_dma(dma)); }

void ReplayHal::host_complete(u32 tag, u32 status)
{
    compare(StepOutput::host_complete(tag, status));
}

void ReplayHal::copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    compare(StepOutput::copy(dst, src, sectors, cookie));
}

void ReplayHal::timer_arm(u32 id, u64 at_us) { compare(StepOutput::timer_arm(id, at_us)); }

void ReplayHal::send(u32 core, const hal_message& message)
{
    compare(StepOutput::send(core, message));
}

void ReplayHal::panic(u32 code, u32 detail)
{
    compare(StepOutput::panic(code, detail));
    report_.panicked = true;
    throw Ended{};
}

ReplayReport replay_native(const std::string& recording, ReplayObserverIf* observer)
{
    StepReader reader(recording);
    const fw_config& config = reader.config();
    check_config(recording, config);
    const u64 bytes = (fw_arena_bytes(&config) + 63) / 64 * 64;
    const std::unique_ptr<void, Free> arena(std::aligned_alloc(64, bytes));
    const auto firmware = std::make_unique<fw>();
    if (arena == nullptr) {
        throw ModelError("out of memory: the firmware's tables need " + std::to_string(bytes >> 20) + " MiB");
    }
    std::memset(arena.get(), 0, bytes);
    ReplayHal hal(reader);
    if (!fw_boot(firmware.get(), &config, native_handle(hal), arena.get(), bytes)) {
        throw ModelError(recording + ": the firmware does not boot from the recorded configuration");
    }
    hal.bind_oob({firmware->oob, config.oob_base, config.flash_tags * kOobBytes});
    hal.observe(observer, firmware->step_cycles);
    replay(hal, [&](u32 core, u64 now_us) {
        fw_step(firmware.get(), core, now_us);
        return firmware->step_cycles;
    });
    hal.report().stats = firmware->stats;
    return hal.report();
}

ReplayReport replay_iss(const std::string& recording, IssIf& iss, const std::string& elf,
                        ReplayObserverIf* observer)
{
    StepReader reader(recording);
    check_config(recording, reader.config());
    ReplayHal hal(reader);
    IssFirmware firmware(iss, elf, reader.config(), hal);
    hal.bind_oob(firmware.oob());
    firmware.set_probing(~0u);
    hal.observe(observer, iss.cycles());
    replay(hal, [&](u32 core, u64 now_us) { return firmware.step(core, now_us); });
    hal.report().stats = firmware.stats();
    return hal.report();
}

} // namespace tlmssd::cpu
