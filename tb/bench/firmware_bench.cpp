// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: native firmware on hardware that answers at once: a whole 4 KiB read and its parts.
#include <benchmark/benchmark.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "models/common/fifo.h"
#include "models/cpu/hal_if.h"
#include "tb/bench/world.h"
#include "tb/firmware/private.h"

namespace tlmssd::bench {
namespace {

/// 8 x 8 x 2 x 2 planes of 64 blocks of 256 pages of 8 KiB: 4 M pages, 3.6 M of them logical.
fw_config device_config(u32 buffer_policy)
{
    const Geometry& g = world().geometry;
    fw_config c{};
    c.channels = g.channels;
    c.ways = g.ways;
    c.chip_enables = 1;
    c.dies = g.dies;
    c.planes = g.planes;
    c.blocks = g.blocks;
    c.pages = g.pages;
    c.page_bytes = g.page_bytes;
    c.logical_pages = static_cast<u32>(g.total_pages() / 8 * 7);
    for (u32 i = 0; i < 4; ++i) {
        c.allocation[i] = i;
    }
    c.gc_threshold = 2;
    c.lines = 4096;
    c.buffer_policy = buffer_policy;
    c.scheduler = FW_SCHED_INORDER;
    c.host_tags = 32;
    c.flash_tags = 256;
    c.cores = 1;
    c.oob_base = 0xf0000000u;
    return c;
}

/// Every operation ends in the step that starts it; its event comes next.
class InstantHardware final : public cpu::HalIf {
public:
    explicit InstantHardware(const fw_config& config) : firmware_(std::make_unique<fw>())
    {
        arena_.resize(fw_arena_bytes(&config) + 64);
        const u64 skew = (64 - reinterpret_cast<std::uintptr_t>(arena_.data()) % 64) % 64;
        if (!fw_boot(firmware_.get(), &config, cpu::native_handle(*this), arena_.data() + skew,
                     arena_.size() - 64)) {
            throw std::runtime_error("the firmware does not boot");
        }
    }
    fw* f() { return firmware_.get(); }
    /// Every logical page has a place, in order.
    void map_all()
    {
        fw_ftl* ftl = f()->ftl;
        for (u32 lpn = 0; lpn < f()->cfg.logical_pages; ++lpn) {
            const u32 plane = lpn % ftl->plane_count;
            const u32 n = lpn / ftl->plane_count;
            ftl_map_set(f(), lpn, ftl_ppn(ftl, plane, n / f()->cfg.pages, n % f()->cfg.pages));
        }
    }
    void command(u8 opcode, u64 lba, u32 sectors)
    {
        hal_event& e = events_.append();
        e.kind = HAL_EVENT_HOST_COMMAND;
        e.u.command = hal_host_command{lba, sectors, 0, opcode, 0, {}};
        fw_step(f(), 0, 0);
    }
    u64 completed = 0;

    bool next_event(u32, hal_event& event) override
    {
        if (events_.empty()) {
            return false;
        }
        event = events_.pop();
        return true;
    }
    bool flash_submit(const flash_op& op) override
    {
        hal_event& e = events_.append();
        e.kind = HAL_EVENT_FLASH;
        e.u.flash = flash_completion{op.tag, FLASH_STATUS_OK, 0, 0, 0, op.cookie, 0};
        return true;
    }
    void host_dma(const struct ::hal_host_dma& dma) override
    {
        completed += dma.complete;
        hal_event& e = events_.append();
        e.kind = HAL_EVENT_HOST_DMA;
        e.tag = dma.tag;
        e.cookie = dma.cookie;
    }
    void host_complete(u32, u32) override { ++completed; }
    void copy(u32, u32, u64, u32 cookie) override
    {
        hal_event& e = events_.append();
        e.kind = HAL_EVENT_COPY;
        e.cookie = cookie;
    }
    void timer_arm(u32, u64) override {}
    void send(u32, const hal_message&) override {}
    void probe(u32, u32) override {}
    void panic(u32 code, u32) override
    {
        throw std::runtime_error("firmware panic " + std::to_string(code));
    }

private:
    std::unique_ptr<fw> firmware_;
    std::vector<u8> arena_;
    Fifo<hal_event> events_{256};
};

void firmware_random_read_4k(benchmark::State& state)
{
    InstantHardware hardware(device_config(FW_BUFFER_NONE));
    hardware.map_all();
    const u64 sectors = u64{hardware.f()->cfg.logical_pages} * 16;
    u64 reads = 0;
    for (auto _ : state) {
        hardware.command(HAL_HOST_READ, draw64(1, 5, reads++) % (sectors / 8) * 8, 8);
    }
    if (hardware.completed != reads) {
        state.SkipWithError("reads are missing");
    }
}
BENCHMARK(firmware_random_read_4k);

void firmware_read_hit_4k(benchmark::State& state)
{
    InstantHardware hardware(device_config(FW_BUFFER_LRU));
    hardware.map_all();
    u64 reads = 0;
    for (auto _ : state) { // 2048 pages fit
        hardware.command(HAL_HOST_READ, draw64(1, 6, reads++) % 2048 * 16, 8);
    }
    if (hardware.completed != reads) {
        state.SkipWithError("reads are missing");
    }
}
BENCHMARK(firmware_read_hit_4k);

void buffer_slot_find(benchmark::State& state)
{
    InstantHardware hardware(device_config(FW_BUFFER_LRU));
    fw_buffer* b = hardware.f()->buffer;
    for (u32 slot = 0; slot < 4096; ++slot) {
        line_insert(b, slot, slot * 37);
    }
    u64 i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(line_find(hardware.f(), static_cast<u32>(draw64(1, 7, i++) % 4096) * 37));
    }
}
BENCHMARK(buffer_slot_find);

void ftl_l2p_lookup(benchmark::State& state)
{
    InstantHardware hardware(device_config(FW_BUFFER_NONE));
    hardware.map_all();
    fw_ftl* ftl = hardware.f()->ftl;
    fw_op op{};
    u64 i = 0;
    for (auto _ : state) {
        op.ppn = ftl->map[draw64(1, 8, i++) % hardware.f()->cfg.logical_pages] - 1;
        ftl_address_op(hardware.f(), &op, ftl_plane_index(ftl, op.ppn));
        ftl_row_op(hardware.f(), &op);
        benchmark::DoNotOptimize(op);
    }
}
BENCHMARK(ftl_l2p_lookup);

/// A page moves between two halves of the flash: map entry, two valid bits, four counters.
void ftl_l2p_update(benchmark::State& state)
{
    fw_config c = device_config(FW_BUFFER_NONE);
    c.logical_pages /= 2;
    InstantHardware hardware(c);
    fw_ftl* ftl = hardware.f()->ftl;
    const u32 half = ftl->plane_count / 2;
    u64 i = 0;
    for (auto _ : state) {
        const u32 lpn = static_cast<u32>(draw64(1, 9, i++) % (half * 64 * 200));
        const u32 in_half = ftl_ppn(ftl, lpn % half, lpn / half % 64, lpn / half / 64);
        const u32 old = ftl->map[lpn];
        const u32 upper = ftl_ppn(ftl, half, 0, 0);
        ftl_map_set(hardware.f(), lpn, old == 0 || old - 1 >= upper ? in_half : in_half + upper);
    }
}
BENCHMARK(ftl_l2p_update);

} // namespace
} // namespace tlmssd::bench
