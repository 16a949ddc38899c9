// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the key table's rows of the buffer that go with some policies only.
#include "models/config/keys/key_builders.h"

namespace tlmssd::config {
namespace {

using namespace rows;

#define AT(member) [](auto& c) -> auto& { return c.member; }

} // namespace

std::vector<Key> buffer_keys()
{
    return {
        choice("buffer.reads", AT(buffer.reads), BufferReads::Auto,
               "bypass: a page that is clean is not kept, the buffer is for writes; auto: as the policy's paper "
               "has it, bypass for bplru and clc")
            .when(kCache),
        choice("buffer.write", AT(buffer.write), BufferWrite::Back,
               "through: a write is acknowledged when it is in flash, and its page stays as a clean one")
            .when(kCache),
        choice("buffer.power", AT(buffer.power), BufferPower::Volatile,
               "capacitors: what is in the buffer gets into flash when the supply goes, so that FLUSH and FUA need "
               "not write it (docs/power-loss.md)")
            .when(kCache),
        integer("buffer.hold_up_ms", AT(buffer.hold_up_ms), 100, 1, 1000000,
                "so long the device works on its capacitors")
            .when(kCapacitors),
        flag("buffer.tables_inside", AT(buffer.tables_inside), false,
             "size_mib holds the lists and tags of the pages too, so that there are fewer of them"),
        integer("buffer.read_ahead", AT(buffer.read_ahead), 0, 0, 1024,
                "pages that are read ahead of a sequential stream of reads; at most an eighth of the buffer; 0: off")
            .when(kCache),
        integer("buffer.block_pages", AT(buffer.block_pages), 0, 1, 65536,
                "logical pages that follow each other and make a block for the policy")
            .when(kBlocks)
            .follows("`geometry.pages`"),
        real_above("buffer.victim_window", AT(buffer.victim_window), 0.25, 0, 1,
                   "of the least recently used pages, so many of all are searched for pages of the victim blocks")
            .when(kRefPolicy),
        integer("buffer.victim_blocks", AT(buffer.victim_blocks), 8, 1, 64,
                "blocks whose pages leave first")
            .when(kRefPolicy),
        flag("buffer.page_padding", AT(buffer.page_padding), false,
             "pages that are missing in a block that leaves are read and programmed with it")
            .when(kBplruPolicy),
        real("buffer.hot_blocks", AT(buffer.hot_blocks), 0.1, 0, 1,
             "of the most recently used blocks, so many of all do not leave while there are others")
            .when(kClcPolicy),
    };
}

} // namespace tlmssd::config
