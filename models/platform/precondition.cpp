// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the functional world and the preconditioning patterns.
#include "models/platform/precondition.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/cpu/cpu.h"
#include "models/flash/codeword.h"
#include "models/nand/error_model.h"

namespace tlmssd::platform {

namespace {

constexpr u32 kTag = 0;
constexpr u32 kPagesPerCommand = 32;
enum Purpose : u64 { kOverwrite = 0x70726530, kShuffle = 0x70726531 };

/// A fixed pseudo-random permutation of [0, n): a Feistel network on the next even number of bits,
/// walked until the value lies in range.
class Permutation {
public:
    Permutation(u64 n, u64 seed) : n_(n), seed_(seed)
    {
        u32 bits = 2;
        while ((u64{1} << bits) < n) {
            bits += 2;
        }
        half_ = bits / 2;
    }
    u64 operator()(u64 i) const
    {
        do {
            i = encrypt(i);
        } while (i >= n_);
        return i;
    }

private:
    u64 encrypt(u64 x) const
    {
        const u64 mask = (u64{1} << half_) - 1;
        u64 left = x >> half_;
        u64 right = x & mask;
        for (u64 round = 0; round < 4; ++round) {
            const u64 next = left ^ (draw64(seed_, kShuffle + round, right) & mask);
            left = right;
            right = next;
        }
        return left << half_ | right;
    }

    u64 n_;
    u64 seed_;
    u32 half_;
};

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

/// The physical page that the page buffer at `buf` becomes; null where tags stand for the data.
const u8* FunctionalWorld::encoded(u32 buf, const u8* oob)
{
    if (page_.empty()) {
        return nullptr;
    }
    const u8* const data = dram_.bytes(buf);
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
        active = false;
        for (u32 core = 0; core < events_.size(); ++core) {
            if (!events_[core].empty()) {
                active = true;
                if (recorder_ != nullptr) {
                    recorder_->begin_step(core, 0);
                }
                executor_.step(core, 0);
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
    events_[cfg_.core_of[FW_ROOM_HIL]].push(e);
    run();
    if (!completed_) {
        throw ModelError("precondition: the firmware did not complete a command");
    }
}

void FunctionalWorld::write_pages(u32 first, u32 count)
{
    hal_host_command c{};
    c.lba = u64{first} * geometry_.sectors_per_page();
    c.sectors = count * geometry_.sectors_per_page();
    c.tag = kTag;
    c.opcode = HAL_HOST_WRITE;
    command(c);
}

void FunctionalWorld::mark_bad(u32 die, u32 plane, u32 block)
{
    fw_message message{};
    message.kind = FW_MSG_MARK_BAD;
    message.a = die;
    message.b = plane;
    message.c = block;
    message.room = FW_ROOM_FTL;
    hal_event e{};
    e.kind = HAL_EVENT_MESSAGE;
    static_assert(sizeof message == sizeof e.u.message);
    std::memcpy(&e.u.message, &message, sizeof message);
    events_[cfg_.core_of[FW_ROOM_FTL]].push(e);
    run();
}

void FunctionalWorld::flush()
{
    hal_host_command c{};
    c.tag = kTag;
    c.opcode = HAL_HOST_FLUSH;
    command(c);
    for (u32 id = 0; timers_ != 0; ++id) { // time stands still until here, then all timers are due
        if (timers_ >> id & 1) {
            timers_ &= ~(1u << id);
            hal_event e{};
            e.kind = HAL_EVENT_TIMER;
            e.cookie = id;
            events_[cfg_.core_of[id]].push(e);
        }
    }
    run();
    if (!executor_.idle()) {
        throw ModelError("precondition: the firmware is not idle after a FLUSH");
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
        } else if (op.opcode == FLASH_OP_PROGRAM) {
            const u8* const record = dram_.oob(oob);
            if (store_.program(place, dram_.tags(op.buf[i]), record, encoded(op.buf[i], record)) !=
                nand::ProgramError::None) {
                throw ModelError("precondition: a page was programmed out of order");
            }
        } else {
            const nand::PageView page = store_.read(place);
            if (page.tags == nullptr) {
                throw ModelError("precondition: an erased page was read");
            }
            const u32 first = op.col[i] / geometry_.sectors_per_unit();
            const u32 end = (op.col[i] + op.len[i] - 1) / geometry_.sectors_per_unit() + 1;
            std::copy(page.tags + first, page.tags + end, dram_.tags(op.buf[i]) + first);
            decode(page.bytes, op.col[i], u32{op.col[i]} + op.len[i], op.buf[i]);
            if (oob != FLASH_NO_OOB) {
                std::copy_n(page.oob, kOobBytes, dram_.oob(oob));
            }
        }
    }
    events_[cfg_.core_of[FW_ROOM_SCHED]].push(e);
    return true;
}

void FunctionalWorld::host_dma(const hal_host_dma& dma)
{
    UnitTag* tags = dram_.tags(dma.buf);
    const u64 first_unit = (command_lba_ + dma.offset - dma.sector) / geometry_.sectors_per_unit();
    for (u32 unit = 0; unit < geometry_.units_per_page(); ++unit) {
        tags[unit] = versions_.bump(first_unit + unit); // whole pages only
    }
    if (host::ExpectedBytes* const expected = versions_.bytes(); expected != nullptr) {
        const u64 first = first_unit * geometry_.sectors_per_unit();
        for (u32 i = 0; i < geometry_.sectors_per_page(); ++i) {
            expected->write(first + i, tags[i / geometry_.sectors_per_unit()].version);
            expected->fill(first + i, expected->word(first + i),
                           dram_.bytes(dma.buf) + i * kSectorBytes);
        }
    }
    hal_event e{};
    e.kind = HAL_EVENT_HOST_DMA;
    e.tag = dma.tag;
    e.cookie = dma.cookie;
    events_[cfg_.core_of[FW_ROOM_HIL]].push(e);
}

void FunctionalWorld::host_complete(u32, u32 status) { completed_ = status == HAL_HOST_OK; }

void FunctionalWorld::copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    dram_.copy(dst, src, sectors);
    hal_event e{};
    e.kind = HAL_EVENT_COPY;
    e.cookie = cookie;
    events_[cfg_.core_of[FW_ROOM_BUFFER]].push(e);
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
    throw ModelError("firmware stopped while preconditioning: " + cpu::panic_text(code) +
                     " (detail " + std::to_string(detail) + ")");
}

void scan_factory_bad(const config::Config& config, FunctionalWorld& world)
{
    const Geometry& g = config.geometry;
    const nand::ErrorModel errors(config.nand, g, config.seed);
    if (!errors.enabled() || config.nand.errors.factory_bad == 0) {
        return;
    }
    const u64 share = (config.logical_pages() + g.total_planes() - 1) / g.total_planes();
    const u64 needed = (share + g.pages - 1) / g.pages + config.ftl.gc_threshold_blocks + config.ftl.open_blocks();
    for (u32 die = 0; die < g.total_dies(); ++die) {
        for (u32 plane = 0; plane < g.planes; ++plane) {
            u32 good = g.blocks;
            for (u32 block = 0; block < g.blocks; ++block) {
                if (errors.factory_bad(die, plane, block)) {
                    world.mark_bad(die, plane, block);
                    --good;
                }
            }
            if (good < needed) {
                throw InputError(
                    "nand.errors.factory_bad: leaves " + std::to_string(good) + " good blocks of " +
                    std::to_string(g.blocks) + " in plane " + std::to_string(plane) + " of die " +
                    std::to_string(die) + "; its share of the logical pages needs " +
                    std::to_string(needed) +
                    ": lower it, or raise ftl.over_provisioning or the number of blocks");
            }
        }
    }
}

void precondition(const config::Config& config, FunctionalWorld& world)
{
    scan_factory_bad(config, world);
    const config::Precondition& p = config.precondition;
    const u64 pages = config.logical_pages();
    const u64 filled = static_cast<u64>(std::llround(p.fill * static_cast<double>(pages)));
    if (p.pattern == config::Pattern::Sequential) {
        for (u64 page = 0; page < filled; page += kPagesPerCommand) {
            world.write_pages(static_cast<u32>(page),
                              static_cast<u32>(std::min<u64>(kPagesPerCommand, filled - page)));
        }
    } else if (filled > 0) {
        const Permutation order(filled, config.seed);
        for (u64 i = 0; i < filled; ++i) {
            world.write_pages(static_cast<u32>(order(i)), 1);
        }
    }
    const u64 range = std::max<u64>(
        1, static_cast<u64>(std::llround(p.range * static_cast<double>(pages))));
    const u64 overwrites = static_cast<u64>(std::llround(p.overwrite * static_cast<double>(pages)));
    for (u64 i = 0; i < overwrites; ++i) {
        world.write_pages(static_cast<u32>(draw_below(draw64(config.seed, kOverwrite, i), range)), 1);
    }
    if (filled + overwrites > 0) {
        world.flush();
    }
    world.clear_stats();
}

} // namespace tlmssd::platform
