// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: memory map, boot block and steps of the RV32 firmware on an ISS.
#include "models/cpu/iss/iss_firmware.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "firmware/boot/firmware.h"
#include "models/common/error.h"
#include "models/cpu/iss/iss_report.h"

namespace tlmssd::cpu {

namespace {

constexpr u64 kPage = 4096;
constexpr u32 kOobBytes = 64; ///< a flash tag

u64 page_down(u64 x) { return x / kPage * kPage; }
u64 page_up(u64 x) { return page_down(x + kPage - 1); }

std::string hex(u32 value)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

} // namespace

FirmwareDram::FirmwareDram(const fw_config& config)
    : from(page_down(config.oob_base)), oob_bytes(u64{std::max(config.flash_tags, 1u)} * kOobBytes),
      table_bytes(fw_table_bytes(&config)), arena_bytes(fw_arena_bytes(&config))
{
    const u64 end = table_bytes != 0 ? fw_table_base(&config) + table_bytes : config.oob_base + oob_bytes;
    arena = (end + 63) / 64 * 64;
    bytes = page_up(arena + arena_bytes) - from;
}

IssFirmware::IssFirmware(IssIf& iss, const std::string& image, const fw_config& config, HalIf& hal)
    : iss_(iss), image_(read_elf(image)), device_(hal), dram_(config)
{
    iss_.map_memory(MMIO_ITCM_BASE, MMIO_ITCM_BYTES, kTcmWaits);
    iss_.map_memory(MMIO_DTCM_BASE, MMIO_STACK_GUARD - MMIO_DTCM_BASE, kTcmWaits);
    iss_.map_memory(MMIO_STACK, MMIO_DTCM_BASE + MMIO_DTCM_BYTES - MMIO_STACK, kTcmWaits);
    device_.bind_dtcm(iss_.memory(MMIO_DTCM_BASE, MMIO_STACK_GUARD - MMIO_DTCM_BASE));
    iss_.map_registers(MMIO_REGS_BASE, MMIO_REGS_BYTES, device_);

    const u64 end = dram_.arena + dram_.arena_bytes;
    if (end > u64{0x100000000} - MMIO_DRAM_BASE) {
        throw InputError("cpu.model: iss: page buffers and tables need " + std::to_string(end >> 20) +
                         " MiB of DRAM, a 32-bit CPU reaches 2048; use cpu.model: native");
    }
    iss_.map_memory(MMIO_DRAM_BASE + static_cast<u32>(dram_.from), dram_.bytes, kDramWaits);
    oob_ = {iss_.memory(MMIO_DRAM_BASE + config.oob_base, dram_.oob_bytes), config.oob_base,
            static_cast<u32>(dram_.oob_bytes)};
    if (dram_.table_bytes != 0) {
        tables_ = iss_.memory(MMIO_DRAM_BASE + fw_table_base(&config), dram_.table_bytes);
    }

    image_.load_into(iss_);
    if (const ElfSymbol* probe = image_.find("hal_probe"); probe != nullptr) {
        iss_.set_free_code(probe->address, probe->address + probe->bytes);
    }
    device_.bind_clock(iss_.cycles());
    boot(config);
}

void IssFirmware::boot(const fw_config& config)
{
    const std::string& image = image_.path;
    block_.magic = MMIO_BOOT_MAGIC;
    block_.config_bytes = sizeof config;
    block_.arena_offset = static_cast<u32>(dram_.arena);
    block_.arena_bytes = static_cast<u32>(dram_.arena_bytes);
    u8* place = iss_.memory(MMIO_BOOT_BLOCK, sizeof block_ + sizeof config);
    std::memcpy(place, &block_, sizeof block_);
    std::memcpy(place + sizeof block_, &config, sizeof config);
    run();
    std::memcpy(&block_, place, sizeof block_);
    switch (device_.status()) {
    case MMIO_STATUS_READY:
        stats_ = reinterpret_cast<fw_stats*>(iss_.memory(block_.stats_address, sizeof *stats_));
        for (u32 i = 0; i < MMIO_SHOWN_COUNT; ++i) {
            shown_[i] = word(block_.shown_address[i]);
        }
        break;
    case MMIO_STATUS_BAD_BOOT_BLOCK:
        throw InputError(image + ": a firmware image of another version: build it again");
    case MMIO_STATUS_NO_MEMORY:
        throw ModelError(image + ": the firmware's tables do not fit into " +
                         std::to_string(dram_.arena_bytes) + " bytes");
    default:
        throw ModelError(image + ": the firmware did not report that it has booted");
    }
}

u32* IssFirmware::word(u32 address) const
{
    u8* const at = address % sizeof(u32) == 0 ? iss_.memory(address, sizeof(u32)) : nullptr;
    if (at == nullptr) {
        throw ModelError(image_.path + ": the boot block names memory that does not exist");
    }
    return reinterpret_cast<u32*>(at);
}

u32 IssFirmware::table_bytes() const { return block_.arena_used; }

FirmwareSide IssFirmware::side()
{
    const ElfSymbol* const root = image_.find_object("firmware");
    if (root == nullptr) {
        throw ModelError(image_.path + ": no symbol `firmware`");
    }
    const auto memory = [this](u32 address, u64 bytes) {
        return FirmwareMemory{iss_.memory(address, bytes), address, bytes};
    };
    FirmwareSide side;
    side.memories = {memory(root->address, root->bytes), memory(MMIO_TABLES, FW_FAST_BYTES),
                     memory(MMIO_DRAM_BASE + static_cast<u32>(dram_.from), dram_.bytes)};
    side.fixed = {{MMIO_ITCM_BASE, MMIO_ITCM_BYTES}, {MMIO_DATA, MMIO_STACK_GUARD - MMIO_DATA}};
    return side;
}

fw_stats IssFirmware::stats() const { return *stats_; }

void IssFirmware::clear_stats()
{
    const u64 factory_bad = stats_->factory_bad;
    *stats_ = fw_stats{};
    stats_->factory_bad = factory_bad;
}

bool IssFirmware::idle()
{
    device_.begin_step(MMIO_CORE_IDLE, 0);
    run();
    return device_.idle();
}

void IssFirmware::set_probing(u32 mask) { *word(block_.probing_address) = mask; }

void IssFirmware::fail(const std::string& what, u32 pc)
{
    throw ModelError("firmware " + what + ", in " + image_.describe(pc) + " (pc " + hex(pc) +
                     "), core " + std::to_string(core_) + ", step at " + std::to_string(now_us_) +
                     " us\n" + report_cpu(iss_, image_, pc));
}

void IssFirmware::run()
{
    const IssResult result = iss_.run(watchdog_);
    device_.finish_step();
    if (device_.trapped()) {
        fail("trap " + std::to_string(device_.trap_cause()) + ", mtval " + hex(device_.trap_value()),
             device_.trap_pc());
    }
    switch (result.stop) {
    case IssStop::Wfi:
        break;
    case IssStop::Watchdog:
        fail("watchdog: no wfi after " + std::to_string(watchdog_) + " instructions", result.pc);
    case IssStop::Fault: {
        const u32 sp = iss_.reg(2);
        const bool overflow = sp < MMIO_STACK + 64 && sp >= MMIO_STACK_GUARD;
        fail("fault: " + result.reason + (overflow ? " (stack overflow, sp " + hex(sp) + ")" : ""),
             result.pc);
    }
    }
}

u64 IssFirmware::step(u32 core, u64 now_us)
{
    const u64 began = iss_.cycles();
    core_ = core;
    now_us_ = now_us;
    device_.begin_step(core, now_us);
    run();
    return iss_.cycles() - began;
}

} // namespace tlmssd::cpu
