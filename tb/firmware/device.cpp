// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the test device's memory, NAND and host.
#include "tb/firmware/device.h"

#include <algorithm>
#include <cstring>

#include "models/common/hash.h"

namespace tlmssd::tb {

namespace {
constexpr u64 kTable = u64{1} << 63; ///< cells of the firmware's own pages: this plus the number of their contents
}

Device::Device(const fw_config& config, u64 seed)
    : HalLog(config), spp_(fw_unit_bytes(&config) / 512), flash_spp_(config.page_bytes / 512), seed_(seed), commands_(config.host_tags),
      host_(u64{config.logical_pages} * spp_),
      dram_((config.recovery_span == 0 && config.map_entries == 0
                 ? fw_page_buffer_bytes(&config)
                 : u64{fw_table_base(&config)} + fw_table_bytes(&config)) /
            512)
{
}

void Device::fail(const std::string& what) const
{
    throw std::runtime_error(what + " (seed " + std::to_string(seed_) + ")");
}

u32 Device::draw(u32 below)
{
    return static_cast<u32>(draw_below(draw64(seed_, 1, draws_++), below));
}

// ---- host ----

u32 Device::issue(u8 opcode, u64 lba, u32 sectors, u8 flags)
{
    u32 tag = 0;
    while (tag < commands_.size() && commands_[tag].active) {
        ++tag;
    }
    if (tag == commands_.size()) {
        fail("no free tag");
    }
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
        c.data.assign(sectors, ++version_);
        std::fill_n(host_.begin() + static_cast<long>(lba), sectors, version_);
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
    post(FW_ROOM_HIL, event);
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
        post(FW_ROOM_HIL, event);
        if (dma.complete != 0) {
            ended.push_back({tag, HAL_HOST_OK});
            end(tag);
        }
        return true;
    }
    return false;
}

bool Device::one_copy(u32 choice)
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
    post(FW_ROOM_BUFFER, event);
    return true;
}

// ---- flash ----

u32 Device::ppn_of(const flash_op& op, u32 i) const
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

/// What no NAND would forgive, the plane rule, and the promise of some schedulers to submit to
/// idle dies only.
void Device::check(const flash_op& op)
{
    const fw_ftl* ftl = f()->ftl;
    if (op.nplanes < 1 || op.nplanes > config_.planes || op.channel >= config_.channels ||
        op.ce >= config_.ways * config_.chip_enables || op.reserved != 0) {
        fail("an impossible operation");
    }
    if (op.opcode == FLASH_OP_COPYBACK) {
        check_copyback(op);
    }
    for (const Flight& other : flights_) {
        if (other.op.tag == op.tag) {
            fail("a flash tag in use");
        }
        if (one_a_die(config_.scheduler) && die_of(other.op) == die_of(op)) {
            fail("the scheduler submits to a busy die");
        }
    }
    for (u32 i = 0; i < op.nplanes; ++i) {
        const u32 ppn = ppn_of(op, i);
        const u32 page = ppn & ((1u << ftl->page_bits) - 1);
        for (u32 j = 0; j < i; ++j) {
            const u32 other = ppn_of(op, j);
            if (ftl_plane_index(ftl, other) == ftl_plane_index(ftl, ppn) ||
                (other & ((1u << ftl->page_bits) - 1)) != page) {
                fail("planes joined against the plane rule");
            }
        }
        const u32 block = ftl_block_index(ftl, ppn);
        if (bad_blocks_.count(block) != 0 && op.opcode != FLASH_OP_READ) {
            fail("an operation on a bad block");
        }
        u32& next = next_page_[block];
        if (op.opcode == FLASH_OP_PROGRAM) {
            programs_on_failed += failed_blocks_.count(block);
            if (next != page || op.col[i] != 0 || op.len[i] != flash_spp_) {
                fail("a page programmed out of order, twice or in part");
            }
            ++next;
        } else if ((op.opcode == FLASH_OP_READ || op.opcode == FLASH_OP_COPYBACK) && page >= next && !reads_erased_) {
            fail("a read of an erased page");
        } else if (op.opcode == FLASH_OP_ERASE) {
            if (failed_blocks_.count(block) != 0) {
                fail("an erase of a block where a program failed");
            }
            next = 0;
        }
    }
}

/// Its destination: the plane of the source, the next page of its block; nothing but the OOB record is read.
void Device::check_copyback(const flash_op& op)
{
    const fw_ftl* ftl = f()->ftl;
    const u32 to = ppn_of(op, 1);
    const u32 block = ftl_block_index(ftl, to);
    if (config_.gc_copyback == 0) {
        fail("a copyback that nobody asked for");
    }
    if (op.nplanes != 1 || op.len[0] != 0 || op.col[0] != spp_ || op.oob == FLASH_NO_OOB ||
        ftl_plane_index(ftl, to) != ftl_plane_index(ftl, ppn_of(op, 0)) || bad_blocks_.count(block) != 0) {
        fail("an impossible copyback");
    }
    programs_on_failed += failed_blocks_.count(block);
    if (next_page_[block]++ != (to & ((1u << ftl->page_bits) - 1))) {
        fail("a page copied out of order or twice");
    }
    const auto page = nand_.find(ppn_of(op, 0));
    if (page != nand_.end() && !page->second.broken && ++generation_[to] <= generation_[ppn_of(op, 0)]) {
        generation_[to] = generation_[ppn_of(op, 0)] + 1;
    }
    if (generation_[to] > config_.gc_copyback) {
        fail("a page copied back too often without ECC");
    }
}

bool Device::flash_submit(const flash_op& op)
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

void Device::mark_bad(u32 die, u32 plane, u32 block)
{
    fw_mark_bad(f(), die, plane, block);
    bad_blocks_.insert((die * config_.planes + plane) << f()->ftl->block_bits | block);
}

bool Device::chance(u32 of_10000)
{
    return of_10000 != 0 && draw_below(draw64(seed_, 2, fault_draws_++), 10000) < of_10000;
}

bool Device::block_fails(u32 block, u32 of_10000)
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

/// These three: false where the operation failed.
bool Device::program_page(const Flight& flight, u32 i, u32 ppn)
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

bool Device::read_page_of(const flash_op& op, u32 i, u32 ppn)
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

/// What cannot be read is not noticed, and cannot be read in the copy either. Sometimes the OOB record that is
/// read on the way is not the page's.
bool Device::copy_page(const Flight& flight)
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
    if (chance(faults.read)) {
        std::memset(oob_at(op.oob), 0xa5, 16);
    }
    return good;
}

bool Device::erase_block(u32 ppn)
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

void Device::finish(std::size_t index)
{
    const Flight flight = flights_.at(index);
    const flash_op& op = flight.op;
    flights_.erase(flights_.begin() + static_cast<long>(index));
    if (op.opcode == FLASH_OP_PROGRAM) {
        to_cells(op); // other bytes are another number, and a buffer that changed
    }
    u8 failed = 0;
    for (u32 i = 0; i < op.nplanes; ++i) {
        const u32 ppn = ppn_of(op, i);
        const bool good = op.opcode == FLASH_OP_PROGRAM    ? program_page(flight, i, ppn)
                          : op.opcode == FLASH_OP_COPYBACK ? copy_page(flight)
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
            op.opcode == FLASH_OP_READ ? FLASH_STATUS_UNCORRECTABLE : FLASH_STATUS_FAIL;
        event.u.flash.failed_planes = failed;
    }
    event.u.flash.cookie = op.cookie;
    post(FW_ROOM_SCHED, event);
    if (owe_space_) {
        owe_space_ = false;
        hal_event space{};
        space.kind = HAL_EVENT_FLASH_SPACE;
        post(FW_ROOM_SCHED, space);
    }
}

/// Dies work in order, a fence waits for its stream, serial runs one at a time.
bool Device::may_run(std::size_t index)
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

bool Device::one_flash(u32 choice)
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

u64 Device::table_cell(const std::vector<u8>& sector)
{
    const auto [at, fresh] = number_of_.insert({sector, contents_.size()});
    if (fresh) {
        contents_.push_back(at->first);
    }
    return kTable | at->second;
}

void Device::to_cells(const flash_op& op)
{
    for (u32 i = 0; i < op.nplanes; ++i) {
        for (u32 s = 0; s < spp_ && is_table(op.buf[i]); ++s) {
            const u8* const from = fw_table_pages(f()) + (op.buf[i] - fw_table_base(&config_)) + 512 * s;
            dram_.at(op.buf[i] / 512 + s) = table_cell(std::vector<u8>(from, from + 512));
        }
    }
}

void Device::from_cells(const flash_op& op)
{
    for (u32 i = 0; i < op.nplanes; ++i) {
        for (u32 s = op.col[i]; s < u32{op.col[i]} + op.len[i] && is_table(op.buf[i]); ++s) {
            u8* const to = fw_table_pages(f()) + (op.buf[i] - fw_table_base(&config_)) + 512 * s;
            const u64 cell = dram_.at(op.buf[i] / 512 + s) ^ kTable;
            if (cell < contents_.size()) {
                std::memcpy(to, contents_[cell].data(), 512);
            } else {
                std::memset(to, 0x5a, 512); // no table page, or unreadable
            }
        }
    }
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
    u32 entry = 0;
    std::memcpy(&entry, contents_.at(page.data[byte / 512] ^ kTable).data() + byte % 512, 4);
    return entry;
}

u32 Device::map_entry(u32 lpn) const
{
    const fw_ftl* ftl = f()->ftl;
    if (ftl->map != nullptr) {
        return ftl->map[lpn];
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

// ---- what happens next ----

bool Device::one_step(u32 choice)
{
    for (u32 i = 0; i < config_.cores; ++i) {
        const u32 core = (choice + i) % config_.cores;
        if (pending(core)) {
            step(core);
            return true;
        }
    }
    return false;
}

bool Device::one_timer(u32 choice)
{
    for (u32 i = 0; i < timers.size(); ++i) {
        const u32 room = (choice + i) % static_cast<u32>(timers.size());
        if (timers[room] != kNotArmed) {
            fire(room);
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

const fw_oob* Device::oob_of(u32 ppn) const
{
    const auto page = nand_.find(ppn);
    return page == nand_.end() ? nullptr : &page->second.oob;
}

std::vector<u64> Device::newest_in_flash() const
{
    std::vector<u64> newest(host_.size());
    for (const auto& [ppn, page] : nand_) {
        for (u32 s = 0; s < spp_ && !page.broken && page.oob.lpn < config_.logical_pages; ++s) {
            u64& cell = newest.at(u64{page.oob.lpn} * spp_ + s);
            cell = std::max(cell, page.data[s]);
        }
    }
    return newest;
}

u32 Device::die_of_page(u32 lpn) const
{
    for (const auto& [ppn, page] : nand_) {
        if (page.oob.lpn == lpn) {
            return ftl_plane_index(f()->ftl, ppn) / config_.planes;
        }
    }
    return FW_NONE;
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
