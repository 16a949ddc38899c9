// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tiny device's host: commands, transfers and what the data must be.
#include <string>

#include "tb/cpu/fake_device.h"

namespace tlmssd::cpu::test {

bool FakeDevice::issue(u8 opcode, u64 lba, u32 sectors, u8 flags)
{
    std::vector<u16> free;
    for (u16 tag = 0; tag < commands_.size(); ++tag) {
        if (!commands_[tag].active) {
            free.push_back(tag);
        }
    }
    if (free.empty()) {
        return false;
    }
    const u16 tag = free[draw(static_cast<u32>(free.size()))];
    Command& c = commands_[tag];
    c = Command{};
    c.active = true;
    c.command.lba = lba;
    c.command.sectors = sectors;
    c.command.tag = tag;
    c.command.opcode = opcode;
    c.command.flags = flags;
    ++inside_;
    /* Commands that overlap take effect in order of arrival: what a read must bring is known now. */
    if (opcode == HAL_HOST_WRITE) {
        for (u64 i = 0; i < sectors; ++i) {
            host_[lba + i] = ++version_;
        }
    } else if (opcode == HAL_HOST_TRIM) { // whole pages only
        for (u64 page = (lba + spp_ - 1) / spp_; (page + 1) * spp_ <= lba + sectors; ++page) {
            std::fill_n(host_.begin() + static_cast<long>(page * spp_), spp_, 0);
            trimmed_[page] = version_;
        }
    }
    if (opcode == HAL_HOST_FLUSH) {
        c.expected = host_; // all that may be dirty
    } else {
        c.expected.assign(host_.begin() + static_cast<long>(lba),
                          host_.begin() + static_cast<long>(lba + sectors));
    }
    hal_event event{};
    event.kind = HAL_EVENT_HOST_COMMAND;
    event.u.command = c.command;
    post(FW_ROOM_HIL, event);
    return true;
}

bool FakeDevice::one_dma()
{
    std::vector<u32> waiting;
    for (u32 tag = 0; tag < commands_.size(); ++tag) {
        if (!commands_[tag].dmas.empty()) {
            waiting.push_back(tag);
        }
    }
    if (waiting.empty()) {
        return false;
    }
    const u32 tag = waiting[draw(static_cast<u32>(waiting.size()))];
    Command& c = commands_[tag];
    const struct ::hal_host_dma dma = c.dmas.front();
    c.dmas.pop_front();
    const bool read = c.command.opcode == HAL_HOST_READ;
    if (dma.offset != c.moved || dma.sectors == 0 || (dma.to_host != 0) != read ||
        dma.sector + dma.sectors > spp_ || dma.offset + dma.sectors > c.command.sectors) {
        fail("a transfer out of order or outside its command");
    }
    for (u32 i = 0; i < dma.sectors; ++i) {
        u64& cell = dram_.at(dma.buf / 512 + dma.sector + i);
        const u64 wanted = c.expected[dma.offset + i];
        if (!read) {
            cell = wanted;
        } else if (cell != wanted) {
            fail("read of LBA " + std::to_string(c.command.lba + dma.offset + i) + " brought version " +
                 std::to_string(cell) + " instead of " + std::to_string(wanted));
        }
    }
    c.moved += dma.sectors;
    hal_event event{};
    event.kind = HAL_EVENT_HOST_DMA;
    event.tag = static_cast<u16>(tag);
    event.cookie = dma.cookie;
    post(FW_ROOM_HIL, event);
    if (dma.complete) {
        if (c.moved != c.command.sectors) {
            fail("a read reported before its last transfer");
        }
        finish(tag);
    }
    return true;
}

void FakeDevice::finish(u32 tag)
{
    Command& c = commands_[tag];
    if (!c.active || !c.dmas.empty()) {
        fail("a command ended twice, or before its transfers");
    }
    const bool moves = c.command.opcode == HAL_HOST_READ || c.command.opcode == HAL_HOST_WRITE;
    if (moves && c.moved != c.command.sectors) {
        fail("a command ended before all its data had moved");
    }
    if (c.command.opcode == HAL_HOST_FLUSH) {
        check_durable(0, c.expected);
    } else if (c.command.opcode == HAL_HOST_WRITE &&
               ((c.command.flags & HAL_HOST_FUA) || config_.buffer_policy == FW_BUFFER_NONE)) {
        check_durable(c.command.lba, c.expected);
    }
    c.active = false;
    --inside_;
}

void FakeDevice::run_until(u32 at_most)
{
    while (inside_ > at_most) {
        if (!tick()) {
            fail(std::to_string(inside_) + " commands hang: nothing is left to happen");
        }
    }
    while (at_most == 0 && tick()) {
    }
}

void FakeDevice::fill()
{
    for (u64 lba = 0; lba < host_.size(); lba += 64) {
        const u32 sectors = static_cast<u32>(std::min<u64>(64, host_.size() - lba));
        run_until(config_.host_tags - 1);
        issue(HAL_HOST_WRITE, lba, sectors, 0);
    }
    run_until(0);
}

void FakeDevice::random_load(u32 requests)
{
    for (u32 i = 0; i < requests; ++i) {
        const u32 depth = draw(config_.host_tags);
        run_until(depth);
        const u32 sectors = 1 + draw(draw(8) == 0 ? 128 : 24);
        const u64 lba = draw(static_cast<u32>(host_.size()) - sectors);
        const bool write = draw(100) < 55;
        issue(write ? HAL_HOST_WRITE : HAL_HOST_READ, lba, sectors,
              write && draw(8) == 0 ? HAL_HOST_FUA : 0);
        if (draw(100) < 4) {
            run_until(config_.host_tags - 1);
            issue(HAL_HOST_FLUSH, 0, 0, 0);
        }
        if (draw(100) < 4) {
            run_until(config_.host_tags - 1);
            const u32 trimmed = 1 + draw(60);
            issue(HAL_HOST_TRIM, draw(static_cast<u32>(host_.size()) - trimmed), trimmed, 0);
        }
    }
    run_until(0);
}

void FakeDevice::verify()
{
    for (u64 lba = 0; lba < host_.size(); lba += 100) {
        run_until(config_.host_tags - 1);
        issue(HAL_HOST_READ, lba, static_cast<u32>(std::min<u64>(100, host_.size() - lba)), 0);
    }
    run_until(0);
}

} // namespace tlmssd::cpu::test
