// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a power cut leaves of the test device's flash, and the reference of what must survive.
#include "tb/firmware/device_power.h"

#include <cstring>

extern "C" {
#include "firmware/ftl/recovery/recovery.h"
}

namespace tlmssd::tb {

fw_config power_config(u32 scheduler, u32 policy, u32 cores, u32 blocks)
{
    fw_config c = small_config(2, 1, 2, 2, blocks, 4);
    c.page_bytes = 1024;
    c.scheduler = scheduler;
    c.buffer_policy = policy;
    c.lines = 32;
    c.host_tags = 16;
    spread(c, cores);
    c.recovery_span = 64;
    c.logical_pages = 188; // and 4 table pages: 24 pages a plane, what configuration allows of 11 blocks
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c));
    return c;
}

fw_config journal_config(u32 scheduler, u32 policy, u32 cores, u32 blocks)
{
    fw_config c = power_config(scheduler, policy, cores, blocks); // 24 data pages a plane in 13 - 5 blocks
    c.journal = 1;
    return c;
}

bool PowerDevice::flash_submit(const flash_op& op)
{
    const bool taken = Device::flash_submit(op);
    const bool kept = config_.recovery_span != 0 && faults.read == 0; // else a lost page's older copy may go
    for (u32 i = 0; kept && taken && op.opcode == FLASH_OP_ERASE && i < op.nplanes; ++i) {
        check_erase(ppn_of(op, i));
    }
    return taken;
}

/// No cut is needed to see this: the newest page of an LPN that has what must survive goes.
void PowerDevice::check_erase(u32 ppn) const
{
    for (u32 page = 0; page < config_.pages; ++page) {
        const auto gone = nand_.find(ppn + page);
        if (gone == nand_.end() || gone->second.broken) {
            continue;
        }
        const fw_oob& oob = gone->second.oob;
        if (oob.kind == FTL_OOB_JOURNAL) {
            continue;
        }
        bool needed = oob.lpn >= config_.logical_pages;
        for (u32 s = 0; s < spp_ && !needed; ++s) {
            const u64 version = gone->second.data[s];
            const std::vector<u64>& v = history_[u64{oob.lpn} * spp_ + s].versions;
            needed = version != 0 && version == v.front() &&
                     std::count(v.begin(), v.end(), 0) == 0; // a trim may be durable, unknown to us
        }
        for (auto other = nand_.begin(); needed && other != nand_.end(); ++other) {
            const Page& p = other->second;
            needed = p.broken || p.oob.lpn != oob.lpn || other->first / config_.pages == ppn / config_.pages ||
                     p.oob.sequence_low < oob.sequence_low;
        }
        if (needed) {
            fail("an erase of the only copy of LPN " + std::to_string(oob.lpn) + " that must survive");
        }
    }
}

bool PowerDevice::may_run(std::size_t index)
{
    const u64 number = flights_[index].number;
    const bool waits = slow_ && number % 8 == 0 && ++passed_over_[number] < 100;
    return !waits && Device::may_run(index);
}

void PowerDevice::plant(u32 ppn, u32 lpn, u32 sequence)
{
    Page page;
    page.data.assign(spp_, 0);
    page.oob.lpn = lpn;
    page.oob.sequence_low = sequence;
    page.oob.kind = 1;
    page.oob.check = fw_oob_check(&page.oob);
    nand_[ppn] = page;
    next_page_[ftl_block_index(f()->ftl, ppn)] = config_.pages;
}

void PowerDevice::plant_journal(u32 block, const std::vector<std::pair<u32, u32>>& pages, u32 erased, bool damaged)
{
    std::vector<u32> words(54 + 3 * pages.size());
    words[0] = 0x4a524e4c;
    words[2] = block;
    words[3] = static_cast<u32>(pages.size());
    words[4] = erased;
    std::fill(words.begin() + 5, words.begin() + 21, 0xffffffff);
    for (std::size_t i = 0; i < pages.size(); ++i) {
        words[54 + 3 * i] = pages[i].first;
        words[55 + 3 * i] = pages[i].second;
    }
    u32 check = 2166136261;
    for (std::size_t i = 0; i < words.size(); ++i) {
        check = i == 1 ? check : (check ^ words[i]) * 16777619;
    }
    words[1] = check + (damaged ? 1 : 0);
    std::vector<u8> sector(512);
    std::memcpy(sector.data(), words.data(), words.size() * 4);
    const u32 ppn = block << f()->ftl->page_bits | (config_.pages - 1);
    plant(ppn, 0xfffffffe, 1);
    Page& page = nand_[ppn];
    page.data = {tables_.cell(std::vector<u8>(512)), tables_.cell(sector)};
    page.oob.kind = 3;
    page.oob.check = fw_oob_check(&page.oob);
}

// ---- the cut ----

/// What has become of an operation that the die had begun.
void PowerDevice::tear(const Flight& flight, PowerDevice& next)
{
    const flash_op& op = flight.op;
    for (u32 i = 0; i < op.nplanes; ++i) {
        const u32 ppn = ppn_of(op, op.opcode == FLASH_OP_COPYBACK ? 1 : i);
        const u32 how = draw(4); // 0: not begun (or as if), 1: done, else torn
        if ((op.opcode == FLASH_OP_PROGRAM || op.opcode == FLASH_OP_COPYBACK) && how != 0) {
            Page& page = next.nand_[ppn];
            page.data = flight.data[i];
            std::memcpy(&page.oob, flight.oob[i].data(), 16);
            page.broken = how != 1;
            next.torn_programs += page.broken;
        } else if (op.opcode == FLASH_OP_ERASE && how != 0) {
            ++next.erases_of[ftl_block_index(f()->ftl, ppn)];
            next.torn_erases += how != 1;
            for (u32 page = 0; page < config_.pages; ++page) {
                const u32 state = how == 1 ? 0 : draw(3); // erased, garbage, or what was there
                if (state == 0) {
                    next.nand_.erase(ppn + page);
                } else if (state == 1) {
                    next.nand_[ppn + page].broken = true;
                }
            }
        }
    }
}

std::unique_ptr<PowerDevice> PowerDevice::cut(u64 seed)
{
    auto next = std::make_unique<PowerDevice>(config_, seed);
    next->nand_ = nand_;
    next->generation_ = generation_;
    next->torn_programs = torn_programs;
    next->erases_of = erases_of;
    next->torn_erases = torn_erases;
    next->survivors = survivors;
    next->trims_of_100 = trims_of_100;
    for (std::size_t i = 0; i < flights_.size(); ++i) {
        if (Device::may_run(i)) {
            tear(flights_[i], *next);
        }
    }
    next->capacity = capacity;
    next->version_ = version_;
    next->history_ = history_;
    next->tables_ = tables_;
    next->faults = faults;
    next->faulty_blocks_ = faulty_blocks_;
    next->fault_draws_ = fault_draws_;
    // A block that could not be erased never can; one where a program failed may work, or fail again.
    next->failing_blocks = failing_blocks;
    next->failing_blocks.insert(bad_blocks_.begin(), bad_blocks_.end());
    // Nothing may be programmed before it has been erased: a block may look erased and be half erased.
    for (u32 plane = 0; plane < f()->ftl->plane_count; ++plane) {
        for (u32 block = 0; block < config_.blocks; ++block) {
            next->next_page_[plane << f()->ftl->block_bits | block] = config_.pages;
        }
    }
    return next;
}

bool PowerDevice::save(u64 ticks)
{
    hal_event event{};
    event.kind = HAL_EVENT_MESSAGE;
    fw_message m{};
    m.kind = FW_MSG_POWER_FAIL;
    m.module = FW_MODULE_BUFFER;
    std::memcpy(&event.u.message, &m, sizeof m);
    power_failed_ = true;
    post(FW_MODULE_BUFFER, event);
    u32 nothing = 0;
    for (; ticks != 0 && stats().power_saves == 0; --ticks) {
        nothing = tick() ? 0 : nothing + 1;
        if (nothing > 1000) { // a slow operation is passed over 100 times at most
            fail("what is in the buffer does not get into flash");
        }
    }
    return stats().power_saves != 0;
}

bool PowerDevice::mount(u64 ticks)
{
    reads_erased_ = true;
    hal_event event{};
    event.kind = HAL_EVENT_MESSAGE;
    fw_message m{};
    m.kind = FW_MSG_FTL_MOUNT;
    m.module = FW_MODULE_FTL;
    std::memcpy(&event.u.message, &m, sizeof m);
    post(FW_MODULE_FTL, event);
    bool begun = false;
    for (; ticks != 0; --ticks) {
        begun = begun || !fw_mounted(f());
        if (begun && fw_mounted(f())) {
            reads_erased_ = false;
            return true;
        }
        if (!tick()) {
            fail("the mount hangs");
        }
    }
    return false;
}

void PowerDevice::expect_as_scanned() const
{
    fw_config c = config_;
    c.journal = 0;
    PowerDevice twin(c, seed_ + 1);
    twin.nand_ = nand_;
    twin.tables_ = tables_;
    twin.capacity = capacity;
    twin.mount();
    for (u32 lpn = 0; lpn < f()->ftl->map_entries; ++lpn) {
        const u32 wanted = twin.f()->ftl->map[lpn];
        const u32 found = f()->ftl->map[lpn];
        const auto page = nand_.find(found - 1);
        if ((wanted == 0) != (found == 0) ||
            (wanted != 0 && (page == nand_.end() || page->second.broken || page->second.oob.lpn != lpn ||
                             page->second.oob.sequence_low != nand_.at(wanted - 1).oob.sequence_low))) {
            fail("LPN " + std::to_string(lpn) + " is mounted at " + std::to_string(found) + ", a scan finds it at " +
                 std::to_string(wanted));
        }
    }
    for (u32 block = 0; block < f()->ftl->plane_count << f()->ftl->block_bits; ++block) {
        const auto erases_now = erases_of.find(block);
        if (f()->ftl->blocks[block].erases > (erases_now == erases_of.end() ? 0 : erases_now->second)) {
            fail("block " + std::to_string(block) + " has not been erased so often");
        }
    }
}

// ---- reference ----

u32 PowerDevice::issue(u8 opcode, u64 lba, u32 sectors, u8 flags)
{
    const u32 tag = Device::issue(opcode, lba, sectors, flags);
    u64 first = lba;
    u64 end = lba + sectors;
    if (opcode == HAL_HOST_TRIM) {
        first = (lba + spp_ - 1) / spp_ * spp_;
        end = end / spp_ * spp_;
    } else if (opcode == HAL_HOST_FLUSH) {
        first = 0;
        end = host_.size();
    } else if (opcode == HAL_HOST_READ) {
        return tag;
    }
    until_[tag].clear();
    for (u64 i = first; i < end; ++i) {
        History& h = history_[i];
        if (opcode != HAL_HOST_FLUSH) {
            h.versions.push_back(host_[i]);
        }
        until_[tag].push_back(h.dropped + h.versions.size() - 1);
    }
    return tag;
}

void PowerDevice::end(u32 tag)
{
    const Command c = commands_.at(tag);
    Device::end(tag);
    const bool write = c.command.opcode == HAL_HOST_WRITE;
    const bool trim = c.command.opcode == HAL_HOST_TRIM;
    const bool held = config_.capacitors != 0 && !power_failed_;
    const bool durable = !c.failed && (c.command.opcode == HAL_HOST_FLUSH || (held && (write || trim)) ||
                                       (write && ((c.command.flags & HAL_HOST_FUA) != 0 ||
                                                  config_.buffer_policy == FW_BUFFER_NONE)));
    for (u64 i = 0; durable && i < until_[tag].size(); ++i) {
        History& h = history_[(write ? c.command.lba : trim ? (c.command.lba + spp_ - 1) / spp_ * spp_ : 0) + i];
        if (until_[tag][i] > h.dropped) {
            h.versions.erase(h.versions.begin(),
                             h.versions.begin() + static_cast<long>(until_[tag][i] - h.dropped));
            h.dropped = until_[tag][i];
        }
    }
}

bool PowerDevice::may_read(u64 lba, u64 wanted, u64 found)
{
    if (!learning_) {
        return wanted == found;
    }
    History& h = history_[lba];
    if (std::find(h.versions.begin(), h.versions.end(), found) == h.versions.end()) {
        return false;
    }
    survivors += found != h.versions.front();
    h.versions.assign(1, found);
    host_[lba] = found;
    return true;
}

void PowerDevice::read_all()
{
    learning_ = true;
    for (u64 lba = 0; lba < host_.size();) {
        tick_until(config_.host_tags - 1);
        const u32 n = static_cast<u32>(std::min<u64>(1 + draw(12), host_.size() - lba));
        issue(HAL_HOST_READ, lba, n);
        lba += n;
    }
    tick_until(0);
    learning_ = false;
}

void PowerDevice::work(u64 ticks)
{
    const u32 sectors = static_cast<u32>(host_.size());
    u32 most = 1 + draw(config_.host_tags);
    slow_ = draw(2) == 0;
    u32 nothing = 0;
    while (ticks != 0) {
        if (draw(64) == 0) {
            most = 1 + draw(config_.host_tags);
        }
        if (inside_ < most) {
            const u32 n = std::min(sectors, 1 + draw(draw(16) == 0 ? 60 : 6));
            // Half of all commands go to an eighth of the pages, so that one page has several versions.
            const u32 range = draw(2) == 0 ? sectors / 8 : sectors;
            const u64 lba = draw(range - std::min(n, range - 1));
            const u32 kind = draw(100);
            if (kind < trims_of_100) {
                const u64 from = lba / spp_ * spp_;
                issue(HAL_HOST_TRIM, from, static_cast<u32>(std::min<u64>(2 + n, sectors - from)));
            } else if (kind < trims_of_100 + 6) {
                flush();
            } else if (kind < 80) {
                issue(HAL_HOST_WRITE, lba, n, draw(8) == 0 ? HAL_HOST_FUA : 0);
            } else {
                issue(HAL_HOST_READ, lba, n);
            }
        }
        for (u32 i = draw(40); i != 0 && ticks != 0; --i, --ticks) {
            if (tick()) {
                nothing = 0;
            } else if (inside_ != 0 && ++nothing > 1000) { // a slow operation is passed over 100 times at most
                fail(std::to_string(inside_) + " commands hang: nothing is left to happen");
            } else {
                break;
            }
        }
        ticks -= ticks != 0;
    }
    slow_ = false;
}

} // namespace tlmssd::tb
