// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: page states and buffers that recorded flash operations need.
#include "models/replay/op_check.h"

#include "models/common/error.h"
#include "models/probes/ops/op_words.h"

namespace tlmssd::replay {

std::string text_of_op(const flash_op& op, const Geometry& g)
{
    std::string text = std::string(probes::word_of(probes::opcode_words(), op.opcode)) + " ch" +
                       std::to_string(op.channel) + "/ce" + std::to_string(op.ce) + "/lun" +
                       std::to_string(op.lun);
    for (u32 i = 0; i < op.nplanes && op.opcode != FLASH_OP_RESET; ++i) {
        text += (i == 0 ? " plane " : ", plane ") + std::to_string(g.row_plane(op.row[i])) +
                " block " + std::to_string(g.row_block(op.row[i]));
        if (op.opcode != FLASH_OP_ERASE) {
            text += " page " + std::to_string(g.row_page(op.row[i]));
        }
    }
    return text;
}

namespace {

/// Pages of each block that are programmed, as the operations leave them.
class Blocks {
public:
    Blocks(const Geometry& g, const nand::PageStore& store)
        : geometry_(g), next_(u64{g.total_planes()} * g.blocks)
    {
        u64 index = 0;
        nand::for_each_block(g, [&](const nand::Place& block) {
            next_[index++] = static_cast<u16>(store.next_page(block));
        });
    }
    /// Apply plane `i`; empty, or what is wrong.
    std::string apply(const flash_op& op, u32 i)
    {
        const u32 row = op.row[i];
        const u32 page = geometry_.row_page(row);
        const u64 die = geometry_.die_index_ce(op.channel, op.ce, op.lun);
        u16& next = next_[(die * geometry_.planes + geometry_.row_plane(row)) * geometry_.blocks +
                          geometry_.row_block(row)];
        if (op.opcode == FLASH_OP_ERASE) {
            next = 0;
        } else if (op.opcode == FLASH_OP_PROGRAM) {
            if (page != next) {
                return page < next ? "the page is programmed already"
                                   : "the next page of the block is " + std::to_string(next);
            }
            ++next;
        } else if (page >= next) {
            return "the page is erased";
        }
        return "";
    }

private:
    const Geometry& geometry_;
    std::vector<u16> next_; ///< by die, plane, block
};

} // namespace

void check_ops(const std::vector<probes::RecordedOp>& ops, const std::string& path, const Ssd& ssd)
{
    const Geometry& g = ssd.config().geometry;
    const u64 last_buffer = ssd.buffer_bytes();
    Blocks blocks(g, ssd.page_store());
    for (u64 n = 0; n < ops.size(); ++n) {
        const flash_op& op = ops[n].op;
        const auto fail = [&](const std::string& why) {
            throw InputError(path + ":" + std::to_string(probes::line_of_op(n)) + ": operation " +
                             std::to_string(n) + " (" + text_of_op(op, g) + "): " + why);
        };
        if (op.opcode == FLASH_OP_RESET) {
            continue;
        }
        for (u32 i = 0; i < op.nplanes; ++i) {
            if (const std::string why = blocks.apply(op, i); !why.empty()) {
                fail("plane " + std::to_string(g.row_plane(op.row[i])) + ": " + why +
                     "; was it recorded with this configuration (seed, precondition, ftl, scheduler)?");
            }
            if (op.opcode != FLASH_OP_ERASE &&
                (op.buf[i] > last_buffer || op.buf[i] % g.unit_bytes() != 0)) {
                fail("buffer " + std::to_string(op.buf[i]) + " is none of this device's: multiples of " +
                     std::to_string(g.unit_bytes()) + " up to " + std::to_string(last_buffer));
            }
        }
    }
}

} // namespace tlmssd::replay
