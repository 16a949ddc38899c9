// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what must be in flash when a command ends.
#include "tb/firmware/durable_device.h"

#include <algorithm>
#include <cstring>

namespace tlmssd::tb {

void DurableDevice::post(u32 module, const hal_event& event)
{
    if (event.kind == HAL_EVENT_HOST_COMMAND) {
        const hal_host_command& c = event.u.command;
        const bool durable = (c.flags & HAL_HOST_FUA) != 0 || config_.buffer_policy == FW_BUFFER_NONE;
        promises_.erase(c.tag);
        if (c.opcode == HAL_HOST_FLUSH) {
            promises_[c.tag] = {c, expected()};
        } else if (c.opcode == HAL_HOST_WRITE && durable) {
            const auto from = expected().begin() + static_cast<long>(c.lba);
            promises_[c.tag] = {c, {from, from + c.sectors}};
        } else if (c.opcode == HAL_HOST_TRIM) {
            for (u64 lba = c.lba; lba < c.lba + c.sectors; ++lba) {
                if (expected()[lba] == 0) { // of a whole page
                    trimmed_[lba] = version_;
                }
            }
        }
    }
    Device::post(module, event);
}

void DurableDevice::finish(std::size_t index)
{
    const Flight flight = flights().at(index);
    Device::finish(index);
    for (u32 i = 0; i < flight.op.nplanes && flight.op.opcode == FLASH_OP_PROGRAM; ++i) {
        fw_oob oob;
        std::memcpy(&oob, flight.oob[i].data(), sizeof oob);
        for (u32 s = 0; s < spp_ && oob.lpn < config_.logical_pages; ++s) {
            u64& newest = reached_[u64{oob.lpn} * spp_ + s];
            newest = std::max(newest, flight.data[i][s]);
        }
    }
}

/// The newest version of each sector among programs in flight; by LBA.
std::vector<u64> DurableDevice::newest_on_their_way() const
{
    std::vector<u64> newest(host_sectors());
    for (const Flight& flight : flights()) {
        for (std::size_t i = 0; i < flight.data.size(); ++i) {
            fw_oob oob;
            std::memcpy(&oob, flight.oob[i].data(), sizeof oob);
            for (u32 s = 0; s < spp_ && oob.lpn < config_.logical_pages; ++s) {
                u64& cell = newest.at(u64{oob.lpn} * spp_ + s);
                cell = std::max(cell, flight.data[i][s]);
            }
        }
    }
    return newest;
}

/// The newest version that the host has written to a logical page.
u64 DurableDevice::newest_expected(u64 page) const
{
    const auto first = expected().begin() + static_cast<long>(page * spp_);
    return *std::max_element(first, first + static_cast<long>(spp_));
}

void DurableDevice::check(const Promise& promise) const
{
    const std::vector<u64> flash = newest_in_flash();
    const std::vector<u64> coming = newest_on_their_way();
    const bool flush = promise.command.opcode == HAL_HOST_FLUSH; // its LBA is 0: of the whole device
    const u64 youngest = promise.versions.empty() ? 0 : *std::max_element(promise.versions.begin(), promise.versions.end());
    for (std::size_t i = 0; i < promise.versions.size(); ++i) {
        const u64 lba = promise.command.lba + i;
        const u64 version = promise.versions[i];
        const auto trim = trimmed_.find(lba);
        // Without recovery a copy may be erased once a younger write of its page is placed (docs/reference/limitations.md).
        const bool overwritten =
            config_.recovery_span == 0 && reached_[lba] >= version && newest_expected(lba / spp_) > youngest;
        const bool replaced = overwritten || coming[lba] > version || (trim != trimmed_.end() && version <= trim->second);
        if (flash[lba] < version && (flush || !replaced)) { // nothing younger passes a FLUSH
            fail("a FLUSH or a durable write has ended, but LBA " + std::to_string(lba) + " is not in flash");
        }
    }
}

void DurableDevice::host_complete(u32 tag, u32 status)
{
    if (const auto found = promises_.find(tag); found != promises_.end()) {
        const hal_host_command& c = found->second.command;
        check(found->second);
        promises_kept += c.opcode == HAL_HOST_FLUSH || (c.flags & HAL_HOST_FUA) != 0;
        promises_.erase(found);
    }
    Device::host_complete(tag, status);
}

} // namespace tlmssd::tb
