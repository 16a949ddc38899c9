// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: scheduler sost on the test device with the thesis's times: a read takes 1, a program 10; no
// bus and no software time.
#pragma once

#include <gmock/gmock.h>

#include <functional>

#include "tb/firmware/device.h"

namespace tlmssd::tb {

inline constexpr u64 kNever = ~u64{0};

struct Dispatched {
    u64 time;
    u32 die, lpn;
    friend bool operator==(const Dispatched& a, const Dispatched& b)
    {
        return a.time == b.time && a.die == b.die && a.lpn == b.lpn;
    }
};
inline void PrintTo(const Dispatched& s, std::ostream* out)
{
    *out << "t" << s.time << " die " << s.die << " LPN " << s.lpn;
}

/// Chip n of the examples is die n - 1. Pages that are only read lie in block 0.
class Sost : public testing::Test {
protected:
    void boot(u32 chips, u32 policy, const std::function<void(fw_config&)>& change = {})
    {
        fw_config c = small_config(chips, 1, 1, 1, 12, 32);
        c.scheduler = FW_SCHED_SOST;
        c.buffer_policy = policy;
        c.t_read_ns = 160000;
        c.t_program_ns = 1600000;
        c.return_reads = 0;
        if (change) {
            change(c);
        }
        device = std::make_unique<Device>(c);
        ends.assign(c.host_tags, kNever);
    }
    void place(u32 lpn, u32 chip, u32 page)
    {
        device->preload(lpn, ftl_ppn(device->f()->ftl, chip - 1, 0, page));
    }
    u32 read(u32 lpn, u32 pages = 1) { return begun(device->issue(HAL_HOST_READ, lpn * 8u, pages * 8)); }
    /// The allocation order comes to this chip next.
    u32 write(u32 lpn, u32 chip, u8 flags = 0)
    {
        device->run();
        device->f()->ftl->counter = chip - 1;
        return begun(device->write_page(lpn, flags));
    }
    u32 begun(u32 tag)
    {
        device->run();
        look();
        return tag;
    }
    /// Before another boot().
    void forget()
    {
        started.clear();
        flight_ends.clear();
        free_at.clear();
        now = seen = 0;
    }
    /// Note what has started and ended.
    void look()
    {
        for (const Device::Flight& flight : device->flights()) {
            if (flight_ends.count(flight.number) == 0) {
                const u64 units = flight.op.opcode == FLASH_OP_READ ? 1 : 10;
                u64& die_ends = free_at[device->die_of(flight.op)]; // a die does one after the other
                die_ends = std::max(die_ends, now) + units;
                flight_ends[flight.number] = die_ends;
                started.push_back(
                    {now, device->die_of(flight.op), device->f()->ops[flight.op.cookie].lpn});
            }
        }
        for (; seen < device->ended.size(); ++seen) {
            ends[device->ended[seen].tag] = now;
        }
    }
    /// Until `time`, or until nothing is left to happen.
    void run_to(u64 time)
    {
        for (;;) {
            device->run();
            look();
            u64 next = kNever;
            for (const Device::Flight& flight : device->flights()) {
                next = std::min(next, flight_ends[flight.number]);
            }
            if (next > time || next == kNever) {
                now = time == kNever ? now : time;
                return;
            }
            now = next;
            for (std::size_t i = 0; i < device->flights().size();) { // ties: first come, first served
                if (flight_ends[device->flights()[i].number] == now) {
                    device->finish(i);
                } else {
                    ++i;
                }
            }
        }
    }
    void run_all()
    {
        run_to(kNever);
        EXPECT_EQ(device->inside(), 0u);
    }
    u32 die_of_page(u32 lpn) const
    {
        return ftl_plane_index(device->f()->ftl, device->f()->ftl->map[lpn] - 1);
    }
    /// Host pages that were programmed and are not live.
    u64 invalid_pages() const
    {
        u64 live = 0;
        for (u32 lpn = 0; lpn < device->config().logical_pages; ++lpn) {
            live += device->f()->ftl->map[lpn] != 0;
        }
        return device->programs - live;
    }

    std::unique_ptr<Device> device;
    std::map<u64, u64> flight_ends;
    std::map<u32, u64> free_at; // by die
    std::vector<Dispatched> started;
    std::vector<u64> ends; ///< by tag
    std::size_t seen = 0;
    u64 now = 0;
};

} // namespace tlmssd::tb
