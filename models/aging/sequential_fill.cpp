// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the arithmetic of a sequential fill.
#include "models/aging/sequential_fill.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>

#include "firmware/boot/firmware.h"
#include "models/common/error.h"
#include "models/common/fifo.h"
#include "models/common/zero_memory.h"
#include "models/cpu/cpu.h"
#include "models/cpu/hal_if.h"

extern "C" {
#include "firmware/core/op.h"
}

namespace tlmssd::aging {

namespace {

constexpr u64 kTurnsOfBuffer = 8; ///< of the page buffers, that are written in earnest
constexpr u64 kFreeBlocks = 4;    ///< per plane, beyond those at which collection starts
constexpr u64 kWorthIt = 4;       ///< a fill is at least 4 times the writes of the rehearsal
constexpr u32 kUserData = 1;      ///< fw_oob::kind

u64 turn_of_planes(const fw_config& f) { return u64{f.channels} * f.ways * f.dies * f.planes; }

/// A block of each plane.
u64 row_of(const fw_config& f) { return turn_of_planes(f) * f.pages; }

u64 kept_of(const fw_config& f) { return kFreeBlocks + f.gc_threshold + f.gc_hard + (f.wear_static != 0); }

/// Native firmware whose flash, host and DRAM hold nothing: only what it does counts.
class Stage final : public cpu::HalIf {
public:
    explicit Stage(const fw_config& config)
        : arena_(fw_arena_bytes(&config), BackedBy::SmallPages), events_(config.cores)
    {
        if (!fw_boot(&firmware_, &config, cpu::native_handle(*this), &arena_[0], arena_.size())) {
            throw ModelError("rehearsal of a fill: the arena is smaller than its tables");
        }
    }
    bool fill(u64 turns, u64 commands)
    {
        return fw_fill(&firmware_, static_cast<u32>(turns), static_cast<u32>(commands));
    }
    void write(u64 from, u64 end, u32 command_pages)
    {
        for (u64 page = from; page < end; page += command_pages) {
            hal_event e{};
            e.kind = HAL_EVENT_HOST_COMMAND;
            const u32 sectors = firmware_.cfg.page_bytes / kSectorBytes;
            e.u.command.lba = page * sectors;
            e.u.command.sectors = static_cast<u32>(std::min<u64>(command_pages, end - page)) * sectors;
            e.u.command.opcode = HAL_HOST_WRITE;
            push(FW_MODULE_HIL, e);
            run();
        }
    }
    /// All tables, and what stands outside of them. Pointers are equal where they point to the same table.
    bool operator==(const Stage& other) const
    {
        const fw& a = firmware_;
        const fw& b = other.firmware_;
        if (a.op_free != b.op_free || a.core != b.core || a.module != b.module) {
            return false;
        }
        const auto* const here = reinterpret_cast<const u64*>(&arena_[0]);
        const auto* const there = reinterpret_cast<const u64*>(&other.arena_[0]);
        for (u64 i = 0; i < arena_.size() / sizeof(u64); ++i) {
            if (here[i] != there[i] && here[i] - reinterpret_cast<std::uintptr_t>(here) !=
                                           there[i] - reinterpret_cast<std::uintptr_t>(there)) {
                return false;
            }
        }
        return true;
    }

    bool next_event(u32 core, hal_event& event) override
    {
        if (events_[core].empty()) {
            return false;
        }
        event = events_[core].pop();
        return true;
    }
    bool flash_submit(const flash_op& op) override
    {
        hal_event e{};
        e.kind = HAL_EVENT_FLASH;
        e.u.flash.tag = op.tag;
        e.u.flash.cookie = op.cookie;
        push(FW_MODULE_SCHED, e);
        return true;
    }
    void host_dma(const hal_host_dma& dma) override
    {
        buffers_.push_back(dma.buf);
        hal_event e{};
        e.kind = HAL_EVENT_HOST_DMA;
        e.tag = dma.tag;
        e.cookie = dma.cookie;
        push(FW_MODULE_HIL, e);
    }
    void copy(u32, u32, u64, u32 cookie) override
    {
        hal_event e{};
        e.kind = HAL_EVENT_COPY;
        e.cookie = cookie;
        push(FW_MODULE_BUFFER, e);
    }
    void send(u32 core, const hal_message& message) override
    {
        hal_event e{};
        e.kind = HAL_EVENT_MESSAGE;
        e.u.message = message;
        events_[core].push(e);
    }
    /// Page buffers of all writes so far, in order.
    const std::vector<u32>& buffers() const { return buffers_; }
    void host_complete(u32, u32) override {}
    void timer_arm(u32, u64) override {}
    void probe(u32, u32) override {}
    void panic(u32 code, u32 detail) override
    {
        throw ModelError("rehearsal of a fill: the firmware stopped: " + cpu::panic_text(code) + " (detail " +
                         std::to_string(detail) + ")");
    }

private:
    void push(fw_module module, const hal_event& e) { events_[firmware_.cfg.core_of[module]].push(e); }
    void run()
    {
        for (bool active = true; active;) {
            active = false;
            for (u32 core = 0; core < events_.size(); ++core) {
                if (!events_[core].empty()) {
                    active = true;
                    fw_step(&firmware_, core, 0);
                }
            }
        }
    }

    fw firmware_{};
    ZeroMemory<u8> arena_;
    std::vector<Fifo<hal_event>> events_; ///< by core
    std::vector<u32> buffers_;
};

/// The configuration with as many blocks as `pages` pages need: their number decides nothing before collection.
fw_config small_config(const fw_config& firmware, u64 pages)
{
    fw_config small = firmware;
    small.logical_pages = static_cast<u32>(pages);
    small.blocks = static_cast<u32>(
        std::min<u64>(firmware.blocks, (pages + row_of(firmware) - 1) / row_of(firmware) + kept_of(firmware)));
    return small;
}

/// Each plane fills a block in the meantime, at least.
u64 real_pages(const fw_config& firmware, u32 command_pages)
{
    return std::max(kTurnsOfBuffer * std::max<u64>(firmware.lines, command_pages), row_of(firmware));
}

} // namespace

SequentialPages::SequentialPages(const Geometry& geometry, const u32 (&allocation)[4])
    : geometry_(geometry), position_(geometry.total_planes())
{
    const std::array<u32, 4> sizes{geometry.channels, geometry.ways, geometry.dies, geometry.planes};
    for (u32 n = 0; n < position_.size(); ++n) {
        std::array<u32, 4> at{}; // channel, way, die, plane
        u32 rest = n;
        for (const u32 letter : allocation) {
            at[letter] = rest % sizes[letter];
            rest /= sizes[letter];
        }
        position_[((at[0] * sizes[1] + at[1]) * sizes[2] + at[2]) * sizes[3] + at[3]] = n;
    }
}

void SequentialPages::page(const nand::Place& place, UnitTag* tags, u8* oob) const
{
    const u64 turn = u64{place.block} * geometry_.pages + place.page;
    const u64 lpn = turn * position_.size() + position_[place.die * geometry_.planes + place.plane];
    const u32 units = geometry_.units_per_page();
    for (u32 unit = 0; unit < units; ++unit) {
        tags[unit] = UnitTag{static_cast<u32>(lpn * units + unit) + 1, 1};
    }
    fw_oob record{};
    record.lpn = static_cast<u32>(lpn);
    record.sequence_low = static_cast<u32>(lpn);
    record.kind = kUserData;
    record.check = fw_oob_check(&record);
    static_assert(sizeof record == kOobBytes);
    std::memcpy(oob, &record, sizeof record);
}

u64 turn_of_buffer(const fw_config& firmware, u32 command_pages)
{
    const u64 pages = real_pages(firmware, command_pages);
    const fw_config small = small_config(firmware, pages);
    if (!Stage(small).fill(1, 1)) { // other mappings read back what they wrote, and a stage keeps nothing
        return 0;
    }
    Stage stage(small);
    stage.write(0, pages, command_pages);
    const std::vector<u32>& used = stage.buffers();
    for (u64 turn = command_pages; turn <= used.size() / 4; turn += command_pages) {
        if (std::equal(used.end() - static_cast<std::ptrdiff_t>(2 * turn), used.end(),
                       used.end() - static_cast<std::ptrdiff_t>(3 * turn))) {
            return turn;
        }
    }
    return 0;
}

FillPlan plan_fill(const fw_config& firmware, u64 pages, u32 command_pages, u64 turn)
{
    const u64 row = row_of(firmware);
    const u64 real = real_pages(firmware, command_pages);
    const u64 kept = kept_of(firmware);
    if (turn == 0 || firmware.blocks <= kept || firmware.prefetch_mode != 0) {
        return {};
    }
    const u64 period = std::lcm(turn_of_planes(firmware), std::lcm<u64>(turn, std::max(firmware.block_pages, 1u)));
    if (pages / kWorthIt < period + 2 * real) {
        return {};
    }
    const u64 most = std::min(pages - real, (firmware.blocks - kept) * row);
    return {most / period * period, period, real};
}

bool rehearse(const fw_config& firmware, const FillPlan& plan, u32 command_pages)
{
    const u64 pages = plan.period + plan.written;
    const fw_config small = small_config(firmware, pages);
    Stage filled(small);
    if (!filled.fill(plan.period / turn_of_planes(firmware), plan.period / command_pages)) {
        return false;
    }
    Stage all(small);
    all.write(0, pages, command_pages);
    filled.write(plan.period, pages, command_pages);
    return filled == all;
}

} // namespace tlmssd::aging
