// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the test device's rules: what no NAND would forgive, and what schedulers promise.
#include "tb/firmware/flash_rig.h"

namespace tlmssd::tb {

bool FlashRig::host_read(const flash_op& op) const
{
    return op.opcode == FLASH_OP_READ && (f()->ops[op.cookie].flags & FW_OP_GC) == 0;
}

/// What no NAND would forgive, the plane rule, and the promise of some schedulers to submit to
/// idle dies only.
void FlashRig::check(const flash_op& op)
{
    const fw_ftl* ftl = f()->ftl;
    if (op.nplanes < 1 || op.nplanes > config_.planes || op.channel >= config_.channels ||
        op.ce >= config_.ways * config_.chip_enables || op.reserved != 0) {
        fail("an impossible operation");
    }
    if (op.opcode == FLASH_OP_COPYBACK) {
        check_copyback(op);
    }
    u32 reads_before = 0;
    for (const Flight& other : flights_) {
        if (other.op.tag == op.tag) {
            fail("a flash tag in use");
        }
        if (one_a_die(config_.scheduler) && die_of(other.op) == die_of(op)) {
            const bool ahead = has_trait(config_.scheduler, SCHED_READS_AHEAD) && host_read(op) && host_read(other.op);
            if (!ahead || ++reads_before > 1) {
                fail("the scheduler submits to a busy die");
            }
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

/// Its destination: the plane of the source, the next page of its block. The OOB record alone is read, or all for ECC.
void FlashRig::check_copyback(const flash_op& op)
{
    const fw_ftl* ftl = f()->ftl;
    const u32 to = ppn_of(op, 1);
    const u32 block = ftl_block_index(ftl, to);
    if (config_.gc_copyback == 0) {
        fail("a copyback that nobody asked for");
    }
    const bool checked = op.len[0] != 0;
    if (op.nplanes != 1 || op.col[0] != (checked ? 0 : spp_) || (checked && op.len[0] != spp_) ||
        op.oob == FLASH_NO_OOB ||
        ftl_plane_index(ftl, to) != ftl_plane_index(ftl, ppn_of(op, 0)) || bad_blocks_.count(block) != 0) {
        fail("an impossible copyback");
    }
    programs_on_failed += failed_blocks_.count(block);
    if (next_page_[block]++ != (to & ((1u << ftl->page_bits) - 1))) {
        fail("a page copied out of order or twice");
    }
    const auto page = nand_.find(ppn_of(op, 0));
    if (checked) {
        const u32 buffer = ftl->gc_buffer_base + ftl_plane_index(ftl, to) * config_.page_bytes;
        if (op.buf[0] != buffer) {
            fail("a page is checked in another buffer than that of its plane's collection");
        }
        ++checked_copies;
        generation_.erase(to);
    } else if (page != nand_.end() && !page->second.broken && ++generation_[to] <= generation_[ppn_of(op, 0)]) {
        generation_[to] = generation_[ppn_of(op, 0)] + 1;
    }
    if (generation_[to] > config_.gc_copyback) {
        fail("a page copied back too often without ECC");
    }
}

} // namespace tlmssd::tb
