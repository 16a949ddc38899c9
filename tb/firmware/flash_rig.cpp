// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the test device's DRAM and NAND: what operations do, and what fails. flash_rules.cpp has what it refuses.
#include "tb/firmware/flash_rig.h"

#include <algorithm>
#include <cstring>

#include "models/common/hash.h"

namespace tlmssd::tb {

FlashRig::FlashRig(const fw_config& config, u64 seed)
    : HalLog(config), spp_(fw_unit_bytes(&config) / 512), flash_spp_(config.page_bytes / 512), seed_(seed),
      dram_((config.recovery_span == 0 && config.map_entries == 0
                 ? fw_page_buffer_bytes(&config)
                 : u64{fw_table_base(&config)} + fw_table_bytes(&config)) /
            512)
{
}

void FlashRig::fail(const std::string& what) const
{
    throw std::runtime_error(what + " (seed " + std::to_string(seed_) + ")");
}

u32 FlashRig::draw(u32 below)
{
    return static_cast<u32>(draw_below(draw64(seed_, 1, draws_++), below));
}

bool FlashRig::one_copy(u32 choice)
{
    if (copies.empty()) {
        return false;
    }
    const auto which = copies.begin() + choice % static_cast<u32>(copies.size());
    const CopyJob job = *which;
    copies.erase(which);
    for (u32 i = 0; i < spp_; ++i) {
        if ((job.sectors >> i & 1) != 0) {
            dram_.at(job.dst / 512 + i) =
                hal_copy_clears(job.src) ? 0 : dram_.at(job.src / 512 + i);
        }
    }
    hal_event event{};
    event.kind = HAL_EVENT_COPY;
    event.cookie = job.cookie;
    post(FW_MODULE_BUFFER, event);
    return true;
}

u32 FlashRig::ppn_of(const flash_op& op, u32 i) const
{
    const fw_ftl* ftl = f()->ftl;
    const u32 row = op.row[i];
    const u32 page = row & ((1u << ftl->page_bits) - 1);
    const u32 plane = row >> ftl->page_bits & ((1u << ftl->plane_bits) - 1);
    const u32 block = row >> (ftl->page_bits + ftl->plane_bits) & ((1u << ftl->block_bits) - 1);
    if (row >> (ftl->page_bits + ftl->plane_bits + ftl->block_bits) != op.lun) {
        fail("the row names another LUN");
    }
    return ftl_ppn(ftl, die_of(op) * config_.planes + plane, block, page);
}

bool FlashRig::flash_submit(const flash_op& op)
{
    if (refuse || flights_.size() >= capacity) {
        ++refused;
        owe_space_ = true;
        return false;
    }
    check(op);
    if (op.opcode == FLASH_OP_PROGRAM) {
        to_cells(op);
    }
    submitted.push_back(op);
    Flight flight{op, ++number_, {}, {}};
    for (u32 i = 0; i < op.nplanes && op.opcode == FLASH_OP_PROGRAM; ++i) {
        const auto from = dram_.begin() + op.buf[i] / 512;
        flight.data.emplace_back(from, from + flash_spp_);
        std::array<u8, 16> oob{};
        std::memcpy(oob.data(), oob_at(op.oob + 16 * i), 16);
        flight.oob.push_back(oob);
    }
    if (op.opcode == FLASH_OP_COPYBACK) {
        const auto page = nand_.find(ppn_of(op, 0));
        if (page == nand_.end()) {
            fail("a copyback of a page that was erased meanwhile");
        }
        flight.data.push_back(page->second.data);
        std::array<u8, 16> oob{};
        std::memcpy(oob.data(), &page->second.oob, 16);
        flight.oob.push_back(oob);
    }
    flights_.push_back(flight);
    return true;
}

void FlashRig::mark_bad(u32 die, u32 plane, u32 block)
{
    fw_mark_bad(f(), die, plane, block);
    bad_blocks_.insert((die * config_.planes + plane) << f()->ftl->block_bits | block);
}

bool FlashRig::chance(u32 of_10000)
{
    return of_10000 != 0 && draw_below(draw64(seed_, 2, fault_draws_++), 10000) < of_10000;
}

bool FlashRig::block_fails(u32 block, u32 of_10000)
{
    if (failing_blocks.count(block) != 0) {
        return true;
    }
    if ((faulty_blocks_.count(block) == 0 && faulty_blocks_.size() >= faults.blocks) ||
        !chance(of_10000)) {
        return false;
    }
    faulty_blocks_.insert(block);
    return true;
}

/// False where the program failed.
bool FlashRig::program_page(const Flight& flight, u32 i, u32 ppn)
{
    const u32 block = ftl_block_index(f()->ftl, ppn);
    if (flight.op.opcode == FLASH_OP_PROGRAM &&
        !std::equal(flight.data[i].begin(), flight.data[i].end(),
                    dram_.begin() + flight.op.buf[i] / 512)) {
        fail("a page buffer changed while it was programmed");
    }
    Page& page = nand_[ppn];
    page.data = flight.data[i];
    std::memcpy(&page.oob, flight.oob[i].data(), 16);
    page.broken = dead_dies.count(die_of(flight.op)) != 0 || block_fails(block, faults.program);
    ++programs;
    if (page.broken) {
        ++failed_programs;
        failed_blocks_.insert(block);
    }
    return !page.broken;
}

bool FlashRig::read_page_of(const flash_op& op, u32 i, u32 ppn)
{
    const auto found = nand_.find(ppn);
    if (op.oob != FLASH_NO_OOB && u32{op.col[i]} + op.len[i] != flash_spp_) {
        fail("a read of an OOB record without the sectors in front of it");
    }
    if (found == nand_.end() && reads_erased_) {
        std::fill_n(dram_.begin() + op.buf[i] / 512 + op.col[i], op.len[i], ~u64{0});
        if (op.oob != FLASH_NO_OOB) {
            std::memset(oob_at(op.oob + 16 * i), 0xff, 16);
        }
        return true;
    }
    if (found == nand_.end()) {
        fail("a read of a page that was erased meanwhile");
    }
    const Page& page = found->second;
    const bool dead = dead_dies.count(die_of(op)) != 0;
    const auto to = dram_.begin() + op.buf[i] / 512 + op.col[i];
    ++reads;
    if (dead || page.broken || unreadable.count(ppn) != 0 || chance(faults.read)) {
        std::fill_n(to, op.len[i], ~u64{0});
        if (!page.broken) {
            ++failed_reads;
            for (u32 s = 0; s < flash_spp_; ++s) {
                const u32 lpn = config_.unit_bits == 0 ? page.oob.lpn
                                                      : f()->ftl->owners[ppn << config_.unit_bits | s / spp_];
                unread_.insert({u64{lpn} * spp_ + s % spp_, page.data[s]});
            }
        }
        if (op.oob != FLASH_NO_OOB) {
            std::memset(oob_at(op.oob + 16 * i), 0xa5, 16);
        }
        const bool unnoticed =
            !dead && page.broken && draw_below(draw64(seed_, 3, fault_draws_++), 2) == 0;
        if (reads_erased_ && op.oob != FLASH_NO_OOB && !unnoticed) {
            std::memcpy(oob_at(op.oob + 16 * i), &page.oob, 16); // readable, where the data are not
        }
        return unnoticed;
    }
    std::copy_n(page.data.begin() + op.col[i], op.len[i], to);
    if (op.oob != FLASH_NO_OOB) {
        std::memcpy(oob_at(op.oob + 16 * i), &page.oob, 16);
    }
    return true;
}

/// What cannot be read is noticed where ECC sees the page, and cannot be read in the copy either. Sometimes the OOB
/// record that is read on the way is not the page's.
u8 FlashRig::copy_page(const Flight& flight)
{
    const flash_op& op = flight.op;
    const u32 from = ppn_of(op, 0);
    const u32 to = ppn_of(op, 1);
    const bool good = program_page(flight, 0, to);
    ++copybacks;
    nand_[to].broken |= nand_[from].broken;
    if (unreadable.count(from) != 0) {
        unreadable.insert(to);
    }
    std::memcpy(oob_at(op.oob), flight.oob[0].data(), 16);
    const bool unread = chance(faults.read);
    if (unread) {
        std::memset(oob_at(op.oob), 0xa5, 16);
    }
    const bool lost = op.len[0] != 0 && (unread || nand_[from].broken || unreadable.count(from) != 0);
    return good ? lost ? FLASH_STATUS_UNCORRECTABLE : FLASH_STATUS_OK : FLASH_STATUS_FAIL;
}

bool FlashRig::erase_block(u32 ppn)
{
    const u32 block = ftl_block_index(f()->ftl, ppn);
    ++erases;
    if (dead_dies.count(ftl_plane_index(f()->ftl, ppn) / config_.planes) != 0 ||
        block_fails(block, faults.erase)) {
        ++failed_erases;
        bad_blocks_.insert(block);
        return false;
    }
    ++erases_of[block];
    for (u32 page = 0; page < config_.pages; ++page) {
        nand_.erase(ppn + page);
        generation_.erase(ppn + page);
        unreadable.erase(ppn + page);
    }
    return true;
}

void FlashRig::finish(std::size_t index)
{
    const Flight flight = flights_.at(index);
    const flash_op& op = flight.op;
    flights_.erase(flights_.begin() + static_cast<long>(index));
    if (op.opcode == FLASH_OP_PROGRAM) {
        to_cells(op); // other bytes are another number, and a buffer that changed
    }
    u8 failed = 0;
    const u8 copied = op.opcode == FLASH_OP_COPYBACK ? copy_page(flight) : u8{FLASH_STATUS_OK};
    for (u32 i = 0; i < op.nplanes; ++i) {
        const u32 ppn = ppn_of(op, i);
        const bool good = op.opcode == FLASH_OP_PROGRAM    ? program_page(flight, i, ppn)
                          : op.opcode == FLASH_OP_COPYBACK ? copied == FLASH_STATUS_OK
                          : op.opcode == FLASH_OP_READ     ? read_page_of(op, i, ppn)
                                                           : erase_block(ppn);
        failed = static_cast<u8>(failed | (good ? 0u : 1u << i));
    }
    if (op.opcode == FLASH_OP_READ) {
        from_cells(op);
    }
    hal_event event{};
    event.kind = HAL_EVENT_FLASH;
    event.u.flash.tag = op.tag;
    if (failed != 0 && dead_dies.count(die_of(op)) != 0) {
        event.u.flash.status = FLASH_STATUS_TIMEOUT;
    } else if (failed != 0) {
        event.u.flash.status =
            op.opcode == FLASH_OP_READ || copied == FLASH_STATUS_UNCORRECTABLE ? FLASH_STATUS_UNCORRECTABLE
                                                                               : FLASH_STATUS_FAIL;
        event.u.flash.failed_planes = failed;
    }
    event.u.flash.cookie = op.cookie;
    post(FW_MODULE_SCHED, event);
    if (owe_space_) {
        owe_space_ = false;
        hal_event space{};
        space.kind = HAL_EVENT_FLASH_SPACE;
        post(FW_MODULE_SCHED, space);
    }
}

/// Dies work in order, a fence waits for its stream, serial runs one at a time.
bool FlashRig::may_run(std::size_t index)
{
    for (std::size_t i = 0; i <= index; ++i) {
        const flash_op& op = flights_[i].op;
        if (i < index && (config_.scheduler == FW_SCHED_SERIAL ||
                          die_of(op) == die_of(flights_[index].op))) {
            return false;
        }
        if ((op.flags & FLASH_FLAG_FENCE) != 0) { // holds itself and all behind it
            for (std::size_t j = 0; j < i; ++j) {
                if (flights_[j].op.stream == op.stream) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool FlashRig::one_flash(u32 choice)
{
    for (std::size_t i = 0; i < flights_.size(); ++i) {
        const std::size_t index = (choice + i) % flights_.size();
        if (may_run(index)) {
            finish(index);
            return true;
        }
    }
    return false;
}

// ---- the firmware's own pages: real bytes ----

void FlashRig::to_cells(const flash_op& op)
{
    for (u32 i = 0; i < op.nplanes; ++i) {
        for (u32 s = 0; s < spp_ && is_table(op.buf[i]); ++s) {
            const u8* const from = fw_table_pages(f()) + (op.buf[i] - fw_table_base(&config_)) + 512 * s;
            dram_.at(op.buf[i] / 512 + s) = tables_.cell(std::vector<u8>(from, from + 512));
        }
    }
}

void FlashRig::from_cells(const flash_op& op)
{
    for (u32 i = 0; i < op.nplanes; ++i) {
        for (u32 s = op.col[i]; s < u32{op.col[i]} + op.len[i] && is_table(op.buf[i]); ++s) {
            u8* const to = fw_table_pages(f()) + (op.buf[i] - fw_table_base(&config_)) + 512 * s;
            if (const std::vector<u8>* sector = tables_.sector(dram_.at(op.buf[i] / 512 + s))) {
                std::memcpy(to, sector->data(), 512);
            } else {
                std::memset(to, 0x5a, 512); // no table page, or unreadable
            }
        }
    }
}

const fw_oob* FlashRig::oob_of(u32 ppn) const
{
    const auto page = nand_.find(ppn);
    return page == nand_.end() ? nullptr : &page->second.oob;
}

std::vector<u64> FlashRig::newest_in_flash() const
{
    std::vector<u64> newest(host_sectors());
    for (const auto& [ppn, page] : nand_) {
        for (u32 s = 0; s < spp_ && !page.broken && page.oob.lpn < config_.logical_pages; ++s) {
            u64& cell = newest.at(u64{page.oob.lpn} * spp_ + s);
            cell = std::max(cell, page.data[s]);
        }
    }
    return newest;
}

u32 FlashRig::die_of_page(u32 lpn) const
{
    for (const auto& [ppn, page] : nand_) {
        if (page.oob.lpn == lpn) {
            return ftl_plane_index(f()->ftl, ppn) / config_.planes;
        }
    }
    return FW_NONE;
}

} // namespace tlmssd::tb
