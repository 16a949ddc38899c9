// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which operations start together: queues of the worked examples on the test device.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include "tb/firmware/device.h"

namespace tlmssd::tb {

/// LPNs of what starts at one time, in order; mates follow each other.
using Set = std::vector<u32>;
struct Started {
    u64 time;
    Set lpns;
    friend bool operator==(const Started& a, const Started& b)
    {
        return a.time == b.time && a.lpns == b.lpns;
    }
};
inline void PrintTo(const Started& s, std::ostream* out)
{
    *out << "t" << s.time << ":";
    for (const u32 lpn : s.lpns) {
        *out << " " << lpn;
    }
}

/// Pages of block 0; LPN i stands for transaction i of the example.
class QueueSets : public testing::Test {
protected:
    explicit QueueSets(u32 of_scheduler) : scheduler(of_scheduler) {}
    void boot(u32 channels, u32 ways, u32 dies, u32 planes, u32 pages,
              const std::function<void(fw_config&)>& change = {})
    {
        fw_config c = small_config(channels, ways, dies, planes, 10, pages);
        c.scheduler = scheduler;
        c.buffer_policy = FW_BUFFER_NONE;
        if (change) {
            change(c);
        }
        device = std::make_unique<Device>(c);
    }
    void place(u32 lpn, u32 channel, u32 way, u32 die, u32 plane, u32 page)
    {
        const fw_config& c = device->config();
        const u32 index = ((channel * c.ways + way) * c.dies + die) * c.planes + plane;
        device->preload(lpn, ftl_ppn(device->f()->ftl, index, 0, page));
    }
    void read(u32 lpn, u32 pages = 1) { device->issue(HAL_HOST_READ, lpn * 8u, pages * 8); }

    /// Let the commands come in while the controller takes nothing, so that all of them are queued.
    void hold()
    {
        device->refuse = true;
        device->run();
        ASSERT_TRUE(device->flights().empty());
        device->refuse = false;
        hal_event event{};
        event.kind = HAL_EVENT_FLASH_SPACE;
        device->post(FW_MODULE_SCHED, event);
    }

    /// Everything queued at 0, no software or bus time; an operation of LPN x takes time(x) us.
    std::vector<Started> run(const std::function<u64(u32)>& time = [](u32) { return 1; })
    {
        std::vector<Started> sets;
        std::map<u64, u64> ends; // operation number -> time
        u64 now = 0;
        for (;;) {
            device->run();
            Set fresh;
            for (const Device::Flight& flight : device->flights()) {
                if (ends.count(flight.number) != 0) {
                    continue;
                }
                u64 longest = 0;
                for (u32 o = flight.op.cookie; o != FW_NONE; o = device->f()->ops[o].mate) {
                    fresh.push_back(device->f()->ops[o].lpn);
                    longest = std::max(longest, time(fresh.back()));
                }
                ends[flight.number] = now + longest;
            }
            if (!fresh.empty()) {
                sets.push_back({now, fresh});
            }
            if (device->flights().empty()) {
                break;
            }
            now = device->timers[FW_MODULE_SCHED]; // not armed: far off
            for (const Device::Flight& flight : device->flights()) {
                now = std::min(now, ends[flight.number]);
            }
            device->now_us = now;
            if (device->timers[FW_MODULE_SCHED] <= now) {
                device->fire(FW_MODULE_SCHED);
            }
            for (std::size_t i = device->flights().size(); i-- > 0;) {
                if (ends[device->flights()[i].number] == now) {
                    device->finish(i);
                }
            }
        }
        makespan = now;
        EXPECT_EQ(device->inside(), 0u);
        EXPECT_TRUE(fw_idle(device->f()));
        return sets;
    }

    u32 scheduler;
    std::unique_ptr<Device> device;
    u64 makespan = 0;
};

} // namespace tlmssd::tb
