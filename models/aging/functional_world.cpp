// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the functional world: every output of the firmware takes effect at once.
#include "models/aging/functional_world.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "models/aging/sequential_fill.h"
#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/cpu/cpu.h"
#include "models/flash/codeword.h"

namespace tlmssd::aging {

namespace {

constexpr u32 kTag = 0;

} // namespace

FunctionalWorld::FunctionalWorld(cpu::ExecutorIf& executor, const Geometry& geometry,
                                 nand::PageStore& store, dram::Dram& dram,
                                 host::ExpectedVersions& versions)
    : executor_(executor), cfg_(executor.state().cfg), geometry_(geometry), store_(store),
      dram_(dram), versions_(versions), events_(cfg_.cores)
{
    executor_.connect(*this);
    if (store_.keeps_bytes()) {
        page_.assign(geometry_.physical_bytes(), 0xff);
    }
}

/// The physical page that the table page, or else the page buffer at `buf`, becomes; null where tags
/// stand for the data.
const u8* FunctionalWorld::encoded(const u8* table, u32 buf, const u8* oob)
{
    if (page_.empty()) {
        return nullptr;
    }
    const u8* const data = table != nullptr ? table : dram_.bytes(buf);
    for (u32 sector = 0; sector < geometry_.sectors_per_page(); ++sector) {
        flash::encode_sector(data + sector * kSectorBytes, geometry_.parity_per_sector(),
                             &page_[geometry_.column_of_sector(sector)]);
    }
    std::copy_n(oob, kOobBytes, &page_[geometry_.oob_column()]);
    return page_.data();
}

/// Sectors [first, end) of a physical page to the page buffer at `buf`.
void FunctionalWorld::decode(const u8* page, u32 first, u32 end, u32 buf)
{
    for (u32 sector = first; page != nullptr && sector < end; ++sector) {
        std::copy_n(page + geometry_.column_of_sector(sector), kSectorBytes,
                    dram_.bytes(buf) + sector * kSectorBytes);
    }
}

void FunctionalWorld::run()
{
    for (bool active = true; active;) {
        stop_point();
        active = false;
        for (u32 core = 0; core < events_.size(); ++core) {
            if (!events_[core].empty()) {
                active = true;
                if (recorder_ != nullptr) {
                    recorder_->begin_step(core, now_us_);
                }
                executor_.step(core, now_us_);
                if (recorder_ != nullptr) {
                    recorder_->end_step();
                }
            }
        }
    }
}

void FunctionalWorld::command(const hal_host_command& command)
{
    hal_event e{};
    e.kind = HAL_EVENT_HOST_COMMAND;
    e.u.command = command;
    command_lba_ = command.lba;
    completed_ = false;
    events_[cfg_.core_of[FW_MODULE_HIL]].push(e);
    run();
    if (!completed_) {
        throw ModelError("in zero time: the firmware did not complete a command");
    }
}

void FunctionalWorld::write_pages(u32 first, u32 count)
{
    hal_host_command c{};
    c.lba = u64{first} * geometry_.sectors_per_page();
    c.sectors = count * geometry_.sectors_per_page();
    c.tag = kTag;
    c.opcode = HAL_HOST_WRITE;
    counts_.written += count;
    command(c);
}

void FunctionalWorld::read(u64 lba, u32 sectors)
{
    hal_host_command c{};
    c.lba = lba;
    c.sectors = sectors;
    c.tag = kTag;
    c.opcode = HAL_HOST_READ;
    command(c);
}

bool FunctionalWorld::fill(u64 pages, u32 command_pages)
{
    const u32 turns = static_cast<u32>(pages / geometry_.total_planes());
    if (!can_fill() || !executor_.fill(turns, static_cast<u32>(pages / command_pages))) {
        return false;
    }
    store_.fill(turns, std::make_unique<SequentialPages>(geometry_, cfg_.allocation));
    versions_.fill(pages * geometry_.units_per_page());
    counts_.written += pages;
    counts_.programs += pages;
    return true;
}

void FunctionalWorld::tell_ftl(const fw_message& message)
{
    hal_event e{};
    e.kind = HAL_EVENT_MESSAGE;
    static_assert(sizeof message == sizeof e.u.message);
    std::memcpy(&e.u.message, &message, sizeof message);
    events_[cfg_.core_of[FW_MODULE_FTL]].push(e);
    run();
}

void FunctionalWorld::mark_bad(u32 die, u32 plane, u32 block)
{
    fw_message message{};
    message.kind = FW_MSG_MARK_BAD;
    message.a = die;
    message.b = plane;
    message.c = block;
    message.module = FW_MODULE_FTL;
    tell_ftl(message);
}

void FunctionalWorld::mount()
{
    fw_message message{};
    message.kind = FW_MSG_FTL_MOUNT;
    message.module = FW_MODULE_FTL;
    tell_ftl(message);
    settle("a mount");
}

void FunctionalWorld::flush()
{
    hal_host_command c{};
    c.tag = kTag;
    c.opcode = HAL_HOST_FLUSH;
    c.flags = HAL_HOST_FUA; // into flash, whatever holds the buffer
    command(c);
    settle("a FLUSH");
}

void FunctionalWorld::expire_timers()
{
    for (u32 id = 0; timers_ != 0; ++id) {
        if (timers_ >> id & 1) {
            timers_ &= ~(1u << id);
            hal_event e{};
            e.kind = HAL_EVENT_TIMER;
            e.cookie = id;
            events_[cfg_.core_of[id]].push(e);
        }
    }
    run();
}

/// Time stands still until here, then all timers are due.
void FunctionalWorld::settle(const char* after)
{
    expire_timers();
    if (!executor_.idle()) {
        throw ModelError(std::string("in zero time: the firmware is not idle after ") + after);
    }
}

bool FunctionalWorld::next_event(u32 core, hal_event& event)
{
    if (events_[core].empty()) {
        return false;
    }
    event = events_[core].pop();
    return true;
}

void FunctionalWorld::program(const nand::Place& place, u32 buf, u32 oob)
{
    const u8* const record = dram_.oob(oob);
    std::array<UnitTag, nand::PageStore::kMaxUnits> table_tags;
    const UnitTag* tags = table_tags.data();
    const u8* const table = dram_.table_page(buf);
    if (table != nullptr) {
        table_tags.fill(TablePages::tag(store_.tables().keep(table, buf)));
    } else {
        tags = dram_.tags(buf);
    }
    if (store_.program(place, tags, record, encoded(table, buf, record)) != nand::ProgramError::None) {
        throw ModelError("in zero time: a page was programmed out of order");
    }
    ++counts_.programs;
}

/// The record goes to DRAM, too.
void FunctionalWorld::copy_back(const nand::Place& from, const nand::Place& to, u32 oob)
{
    const nand::PageView page = store_.read(from);
    if (page.tags == nullptr || page.oob == nullptr) {
        throw ModelError("in zero time: a copyback of an erased page");
    }
    std::array<UnitTag, nand::PageStore::kMaxUnits> tags{};
    std::copy_n(page.tags, geometry_.units_per_page(), tags.begin());
    u8* const record = dram_.oob(oob);
    std::copy_n(page.oob, kOobBytes, record);
    std::vector<u8> bytes;
    if (page.bytes != nullptr) {
        bytes.assign(page.bytes, page.bytes + geometry_.physical_bytes());
    }
    if (store_.program(to, tags.data(), record, bytes.empty() ? nullptr : bytes.data()) !=
        nand::ProgramError::None) {
        throw ModelError("in zero time: a page was copied back out of order");
    }
    ++counts_.programs;
}

/// Sectors [col, col + len) of a page, and its OOB record where asked for; false where some are lost.
/// An erased page has no tags and FFh in its record, as on the bus.
bool FunctionalWorld::read(const nand::Place& place, u32 col, u32 len, u32 buf, u32 oob)
{
    const nand::PageView page = store_.read(place);
    const u32 per_unit = geometry_.sectors_per_unit();
    const u32 first = col / per_unit;
    const u32 end = (col + len - 1) / per_unit + 1;
    static constexpr std::array<UnitTag, nand::PageStore::kMaxUnits> kNothing{};
    const UnitTag* const tags = page.tags != nullptr ? page.tags : kNothing.data();
    if (oob != FLASH_NO_OOB && col + len == geometry_.sectors_per_page()) { // it lies behind the last sector
        u8* const record = dram_.oob(oob);
        if (page.oob != nullptr) {
            std::copy_n(page.oob, kOobBytes, record);
        } else {
            std::fill_n(record, kOobBytes, nand::kErasedByte);
        }
    }
    if (u8* const table = dram_.table_page(buf); table != nullptr) {
        for (u32 sector = col; sector < col + len; ++sector) {
            const UnitTag tag = tags[sector / per_unit];
            u8* const to = table + sector * kSectorBytes;
            if (TablePages::is_table(tag)) {
                std::copy_n(store_.tables().bytes(tag.version) + sector * kSectorBytes, kSectorBytes, to);
            } else {
                std::fill_n(to, kSectorBytes, nand::kErasedByte);
            }
        }
    } else {
        std::copy(tags + first, tags + end, dram_.tags(buf) + first);
        decode(page.bytes, col, col + len, buf);
    }
    return std::find(tags + first, tags + end, kLostUnit) == tags + end;
}

bool FunctionalWorld::flash_submit(const flash_op& op)
{
    const u32 die = geometry_.die_index_ce(op.channel, op.ce, op.lun);
    hal_event e{};
    e.kind = HAL_EVENT_FLASH;
    e.u.flash.tag = op.tag;
    e.u.flash.cookie = op.cookie;
    for (u32 i = 0; i < op.nplanes; ++i) {
        const u32 row = op.row[i];
        const nand::Place place{die, geometry_.row_plane(row), geometry_.row_block(row),
                                geometry_.row_page(row)};
        const u32 oob = op.oob == FLASH_NO_OOB ? FLASH_NO_OOB : op.oob + i * kOobBytes;
        if (op.opcode == FLASH_OP_ERASE) {
            store_.erase(place);
            ++counts_.erases;
        } else if (op.opcode == FLASH_OP_PROGRAM) {
            program(place, op.buf[i], oob);
        } else if (op.opcode == FLASH_OP_COPYBACK) {
            const u32 to = op.row[1];
            copy_back(place, {die, geometry_.row_plane(to), geometry_.row_block(to), geometry_.row_page(to)}, oob);
        } else if (!read(place, op.col[i], op.len[i], op.buf[i], oob)) {
            e.u.flash.status = FLASH_STATUS_UNCORRECTABLE;
            e.u.flash.failed_planes |= static_cast<u8>(1u << i);
        }
    }
    events_[cfg_.core_of[FW_MODULE_SCHED]].push(e);
    return true;
}

void FunctionalWorld::check_units(const hal_host_dma& dma, u64 first_unit) const
{
    const u32 per_unit = geometry_.sectors_per_unit();
    const UnitTag* const tags = dram_.tags(dma.buf);
    const u32 last = (dma.sector + dma.sectors - 1u) / per_unit;
    for (u32 unit = dma.sector / per_unit; unit <= last; ++unit) {
        const u64 here = first_unit + unit;
        if (!host::ExpectedVersions::accepts(here, versions_.word(here), tags[unit])) {
            throw ModelError("in zero time: a read of LBA " + std::to_string(here * per_unit) + " returned version " +
                             std::to_string(tags[unit].version) + ", not " +
                             std::to_string(versions_.word(here) & host::ExpectedVersions::kVersion));
        }
    }
}

/// A write: whole pages or mapping units only.
void FunctionalWorld::take_units(const hal_host_dma& dma, u64 first_unit)
{
    UnitTag* const tags = dram_.tags(dma.buf);
    for (u32 unit = 0; unit < dma.sectors / geometry_.sectors_per_unit(); ++unit) {
        tags[unit] = versions_.bump(first_unit + unit);
    }
    if (host::ExpectedBytes* const expected = versions_.bytes(); expected != nullptr) {
        const u64 first = first_unit * geometry_.sectors_per_unit();
        for (u32 i = 0; i < dma.sectors; ++i) {
            expected->write(first + i, tags[i / geometry_.sectors_per_unit()].version);
            expected->fill(first + i, expected->word(first + i),
                           dram_.bytes(dma.buf) + i * kSectorBytes);
        }
    }
}

void FunctionalWorld::host_dma(const hal_host_dma& dma)
{
    const u64 first_unit = (command_lba_ + dma.offset - dma.sector) / geometry_.sectors_per_unit();
    if (dma.to_host) {
        check_units(dma, first_unit);
        completed_ = completed_ || dma.complete; // the port reports a read with its data
    } else {
        take_units(dma, first_unit);
    }
    hal_event e{};
    e.kind = HAL_EVENT_HOST_DMA;
    e.tag = dma.tag;
    e.cookie = dma.cookie;
    events_[cfg_.core_of[FW_MODULE_HIL]].push(e);
}

void FunctionalWorld::host_complete(u32, u32 status) { completed_ = status == HAL_HOST_OK; }

void FunctionalWorld::copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    dram_.copy(dst, src, sectors);
    hal_event e{};
    e.kind = HAL_EVENT_COPY;
    e.cookie = cookie;
    events_[cfg_.core_of[FW_MODULE_BUFFER]].push(e);
}

void FunctionalWorld::timer_arm(u32 id, u64) { timers_ |= 1u << id; }

void FunctionalWorld::send(u32 core, const hal_message& message)
{
    hal_event e{};
    e.kind = HAL_EVENT_MESSAGE;
    e.u.message = message;
    events_[core].push(e);
}

void FunctionalWorld::probe(u32, u32) {}

void FunctionalWorld::panic(u32 code, u32 detail)
{
    throw ModelError("firmware stopped in zero time (preconditioning or mount): " + cpu::panic_text(code) +
                     " (detail " + std::to_string(detail) + ")");
}

} // namespace tlmssd::aging
