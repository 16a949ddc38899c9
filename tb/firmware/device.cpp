// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the test device's host, what happens next, and where the firmware finds a page.
#include "tb/firmware/device.h"

#include <algorithm>
#include <cstring>

namespace tlmssd::tb {

Device::Device(const fw_config& config, u64 seed)
    : FlashRig(config, seed), commands_(config.host_tags), host_(u64{config.logical_pages} * spp_)
{
}

// ---- host ----

u32 Device::free_tag()
{
    std::vector<u32> free;
    for (u32 tag = 0; tag < commands_.size(); ++tag) {
        if (!commands_[tag].active) {
            free.push_back(tag);
        }
    }
    if (free.empty()) {
        fail("no free tag");
    }
    return any_tag ? free[draw(static_cast<u32>(free.size()))] : free.front();
}

u32 Device::issue(u8 opcode, u64 lba, u32 sectors, u8 flags)
{
    const u32 tag = free_tag();
    Command& c = commands_[tag];
    c = Command{};
    c.active = true;
    c.command = hal_host_command{lba, sectors, static_cast<u16>(tag), opcode, flags, {}};
    ++inside_;
    // Overlapping commands take effect in order of arrival: what they must see is known now.
    if (opcode == HAL_HOST_READ) {
        c.data.assign(host_.begin() + static_cast<long>(lba),
                      host_.begin() + static_cast<long>(lba + sectors));
    } else if (opcode == HAL_HOST_WRITE) {
        for (u64 i = 0; i < sectors; ++i) { // a version of its own each: a sector in the wrong place is seen
            c.data.push_back(++version_);
            host_[lba + i] = version_;
        }
    } else if (opcode == HAL_HOST_TRIM) {
        const u64 first = (lba + spp_ - 1) / spp_ * spp_;
        const u64 end = (lba + sectors) / spp_ * spp_;
        for (u64 i = first; i < end; ++i) {
            host_[i] = 0;
        }
    }
    hal_event event{};
    event.kind = HAL_EVENT_HOST_COMMAND;
    event.tag = static_cast<u16>(tag);
    event.u.command = c.command;
    post(FW_MODULE_HIL, event);
    return tag;
}

void Device::host_dma(const struct ::hal_host_dma& dma)
{
    if (!commands_.at(dma.tag).active) {
        fail("a transfer for a command that is not inside");
    }
    commands_[dma.tag].dmas.push_back(dma);
}

void Device::host_complete(u32 tag, u32 status)
{
    HalLog::host_complete(tag, status);
    Command& c = commands_.at(tag);
    if (status != HAL_HOST_OK) {
        if (!c.active || !error_is_explained(c)) {
            fail("a command ended with an error, but nothing was wrong");
        }
        c.failed = true;
        for (u64 i = 0; i < c.command.sectors && c.command.opcode != HAL_HOST_READ; ++i) {
            refused_.insert(c.command.lba + i);
        }
        flush_errors += c.command.opcode == HAL_HOST_FLUSH;
        ++(c.command.opcode == HAL_HOST_READ ? read_errors : write_errors);
    }
    end(tag);
}

/// A read: a sector of the version that it should see could not be read. A write: a sector of its
/// first or last page, which it writes in part.
bool Device::error_is_explained(const Command& c) const
{
    const u64 first = c.command.lba;
    const u64 end = first + c.command.sectors;
    if (f()->ftl->read_only && c.command.opcode != HAL_HOST_READ) {
        return c.command.opcode != HAL_HOST_FLUSH || f()->buffer->write_lost;
    }
    for (u64 lba = first; lba < end && f()->ftl->read_only; ++lba) {
        if (is_lost(lba)) {
            return true;
        }
    }
    if (c.command.opcode == HAL_HOST_READ) {
        for (u64 lba = first; lba < end; ++lba) {
            if (unread_.count({lba, c.data[lba - first]}) != 0) {
                return true;
            }
        }
    } else if (c.command.opcode == HAL_HOST_WRITE) {
        const auto from = unread_.lower_bound({first / spp_ * spp_, 0});
        return from != unread_.end() && from->first < (end + spp_ - 1) / spp_ * spp_;
    }
    return false;
}

/// A write or trim of it was refused, or one that is inside will be.
bool Device::may_be_older(u64 lba) const
{
    bool inside = false;
    for (const Command& c : commands_) {
        inside |= c.active && c.command.opcode != HAL_HOST_READ && lba >= c.command.lba &&
                  lba < c.command.lba + c.command.sectors;
    }
    return f()->ftl->read_only && (inside || refused_.count(lba) != 0);
}

bool Device::is_lost(u64 lba) const
{
    const u32 lpn = static_cast<u32>(lba / spp_);
    return map_entry(lpn) == FTL_LOST || (lost_get(f()->buffer, lpn) >> (lba % spp_) & 1) != 0;
}

void Device::end(u32 tag)
{
    Command& c = commands_.at(tag);
    const bool moves = (c.command.opcode == HAL_HOST_READ && !c.failed) ||
                       (c.command.opcode == HAL_HOST_WRITE && !(c.failed && c.moved == 0));
    if (!c.active || !c.dmas.empty() || (moves && c.moved != c.command.sectors)) {
        fail("a command ended twice or before its data had moved");
    }
    c.active = false;
    --inside_;
}

bool Device::one_dma(u32 choice)
{
    for (u32 i = 0; i < commands_.size(); ++i) {
        const u32 tag = (choice + i) % static_cast<u32>(commands_.size());
        Command& c = commands_[tag];
        if (c.dmas.empty()) {
            continue;
        }
        const struct ::hal_host_dma dma = c.dmas.front();
        c.dmas.pop_front();
        if (dma.offset != c.moved || dma.sectors == 0 || dma.sector + dma.sectors > spp_ ||
            dma.offset + dma.sectors > c.command.sectors ||
            (dma.to_host != 0) != (c.command.opcode == HAL_HOST_READ)) {
            fail("a transfer out of order or outside its command");
        }
        for (u32 s = 0; s < dma.sectors; ++s) {
            u64& cell = dram_.at(dma.buf / 512 + dma.sector + s);
            const u64 wanted = c.data[dma.offset + s];
            if (dma.to_host == 0) {
                cell = wanted;
            } else if (!may_read(c.command.lba + dma.offset + s, wanted, cell) &&
                       (cell > version_ || !may_be_older(c.command.lba + dma.offset + s))) {
                fail("LBA " + std::to_string(c.command.lba + dma.offset + s) + " reads version " +
                     std::to_string(cell) + " instead of " + std::to_string(wanted));
            }
        }
        c.moved += dma.sectors;
        hal_event event{};
        event.kind = HAL_EVENT_HOST_DMA;
        event.tag = static_cast<u16>(tag);
        event.cookie = dma.cookie;
        post(FW_MODULE_HIL, event);
        if (dma.complete != 0) {
            ended.push_back({tag, HAL_HOST_OK});
            end(tag);
        }
        return true;
    }
    return false;
}

// ---- what happens next ----

bool Device::one_step(u32 choice)
{
    for (u32 i = 0; i < config_.cores; ++i) {
        const u32 core = (choice + i) % config_.cores;
        if (pending(core)) {
            now_us += us_between_steps == 0 ? 0 : draw(us_between_steps);
            step(core);
            return true;
        }
    }
    return false;
}

bool Device::one_timer(u32 choice)
{
    for (u32 i = 0; i < timers.size(); ++i) {
        const u32 module = (choice + i) % static_cast<u32>(timers.size());
        if (timers[module] != kNotArmed) {
            fire(module);
            return true;
        }
    }
    return false;
}

void Device::run()
{
    while (one_step(0) || one_dma(0) || one_copy(0)) {
    }
}

void Device::drain()
{
    run();
    while (!flights_.empty()) {
        finish(0);
        run();
    }
    if (inside_ != 0 || !firmware_idle()) {
        fail("nothing is left to happen, but the device is not idle");
    }
}

bool Device::tick()
{
    const u32 first = draw(5);
    for (u32 i = 0; i < 5; ++i) {
        bool happened = false;
        switch ((first + i) % 5) {
        case 0:
            happened = one_step(draw(config_.cores));
            break;
        case 1:
            happened = one_flash(draw(256));
            break;
        case 2:
            happened = one_dma(draw(256));
            break;
        case 3:
            happened = draw(20) == 0 && one_timer(draw(4));
            break;
        default:
            happened = one_copy(draw(256));
        }
        if (happened) {
            return true;
        }
    }
    return one_timer(0);
}

void Device::tick_until(u32 n)
{
    while (inside_ > n) {
        if (!tick()) {
            fail(std::to_string(inside_) + " commands hang: nothing is left to happen");
        }
    }
}

// ---- where pages are ----

void Device::preload(u32 lpn, u32 ppn)
{
    fw_ftl* ftl = f()->ftl;
    struct plane& plane = ftl->planes[ftl_plane_index(ftl, ppn)];
    const u32 number = ftl_block_index(ftl, ppn) & ((1u << ftl->block_bits) - 1);
    gc_block_state(f(), ftl_plane_index(ftl, ppn), number, BLOCK_OPEN); // it gains a page
    if (plane.fresh == 0) {
        plane.fresh = 1;
        gc_free_blocks(ftl, ftl_plane_index(ftl, ppn), -1);
        next_page_[ftl_block_index(ftl, ppn)] = config_.pages;
    }
    ++plane.valid;
    ftl_map_set(f(), lpn, ppn);
    gc_block_state(f(), ftl_plane_index(ftl, ppn), number, BLOCK_FULL);
    Page page;
    page.data.assign(spp_, 0);
    page.oob.lpn = lpn;
    page.oob.kind = 1;
    page.oob.check = fw_oob_check(&page.oob);
    nand_[ppn] = page;
}

u32 Device::entry_in_flash(u32 lpn) const
{
    const ftl_dftl* d = f()->ftl->dftl;
    const u32 at = d->directory[lpn / d->per_page];
    if (at == 0) {
        return 0;
    }
    const Page& page = nand_.at(at - 1);
    const u32 byte = lpn % d->per_page * 4;
    const std::vector<u8>* sector = tables_.sector(page.data[byte / 512]);
    if (sector == nullptr) {
        fail("the directory names a page that is no translation page");
    }
    u32 entry = 0;
    std::memcpy(&entry, sector->data() + byte % 512, 4);
    return entry;
}

u32 Device::map_entry(u32 lpn) const
{
    const fw_ftl* ftl = f()->ftl;
    if (ftl->map != nullptr) {
        return ftl->map[lpn];
    }
    if (ftl->log != nullptr) {
        const u32 ppn = log_locate(f(), lpn);
        return ppn != FW_NONE ? ppn + 1 : (ftl->log->lost[lpn / 64] >> (lpn % 64) & 1) != 0 ? FTL_LOST : 0;
    }
    const ftl_dftl* d = ftl->dftl;
    const u32 slot = cmt_find(d, lpn);
    if (ftl_map_is_trimmed(d, lpn)) {
        return 0;
    }
    if (slot != FW_NONE && (d->cmt[slot].state & CMT_LOADED) != 0) {
        return d->cmt[slot].entry;
    }
    const u32 job = d->job_of[lpn / d->per_page];
    if (job != 0 && d->jobs[job - 1].state >= JOB_CONTENT) {
        u32 entry = 0;
        std::memcpy(&entry, d->buffers + u64{job - 1} * config_.page_bytes + lpn % d->per_page * 4, 4);
        return entry;
    }
    return entry_in_flash(lpn);
}

void Device::expect_all_in_flash() const
{
    for (u64 lba = 0; lba < host_.size(); ++lba) {
        const u32 lpn = static_cast<u32>(lba / spp_);
        const u32 entry = map_entry(lpn);
        if (entry == FTL_LOST || (lost_get(f()->buffer, lpn) >> (lba % spp_) & 1) != 0) {
            if (unread_.count({lba, host_[lba]}) == 0 && !f()->ftl->read_only) {
                fail("LBA " + std::to_string(lba) + " is lost without a reason");
            }
            continue;
        }
        if (refused_.count(lba) != 0) {
            continue;
        }
        const u32 ppn = (entry - 1) >> config_.unit_bits;
        const u32 unit = (entry - 1) & ((1u << config_.unit_bits) - 1);
        const u64 found = entry == 0 ? 0 : nand_.at(ppn).data[unit * spp_ + lba % spp_];
        if (found != host_[lba] || (entry != 0 && nand_.at(ppn).broken)) {
            fail("LBA " + std::to_string(lba) + " is version " + std::to_string(found) +
                 " in flash instead of " + std::to_string(host_[lba]));
        }
    }
}

} // namespace tlmssd::tb
