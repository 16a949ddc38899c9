// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the buffer in DRAM (buffer.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(BufferReads, "auto", "cached", "bypass")
NAMES(BufferWrite, "back", "through")
NAMES(BufferPower, "volatile", "capacitors")
NAMES(Evict, "ahead", "on_demand", "on_demand_each")

template <>
const std::vector<std::string>& names_of<BufferPolicy>()
{
    static const std::vector<std::string> names{
#define BUFFER_POLICY(id, name, ...) #name,
#include "firmware/hal/buffer_policies.def"
#undef BUFFER_POLICY
    };
    return names;
}
TO_STRING(BufferPolicy)

using namespace rows;

namespace {

Row buffer_size()
{
    constexpr double kMib = 1048576.0;
    Row r =
        row("buffer.size_mib", Type::Real, "32", "page buffers in DRAM, MiB; at least 64 pages");
    r.real_most = 1024;
    r.above_least = true;
    r.set = [](Config& c, const Value& v) {
        c.buffer.bytes = static_cast<u64>(std::llround(v.real * kMib));
    };
    r.get = [](const Config& c) {
        return Value{0, static_cast<double>(c.buffer.bytes) / kMib, ""};
    };
    return r;
}

} // namespace

std::vector<Key> buffer_keys()
{
    return {
        choice("buffer.policy", AT(buffer.policy), BufferPolicy::LRU,
               "caching in DRAM, and which page leaves (docs/explanation/buffer-policies.md)"),
        real("buffer.clean_window", AT(buffer.clean_window), 0.25, 0, 1,
             "share of all pages, from the least recently used end, that is searched for a clean page")
            .when(kCleanFirst),
        buffer_size(),
        integer("buffer.flush_after_ms", AT(buffer.flush_after_ms), 0, 0, 1000000,
                "dirty pages go to flash this long after the first of them; never: only when needed")
            .zero("never")
            .when(kWriteBack),
    };
}

/// Keys that some policies have.
std::vector<Key> buffer_policy_keys()
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
               "not write it (docs/explanation/capacitors.md)")
            .when(kCache),
        integer("buffer.hold_up_ms", AT(buffer.hold_up_ms), 100, 1, 1000000,
                "so long the device works on its capacitors")
            .when(kCapacitors),
        flag("buffer.tables_inside", AT(buffer.tables_inside), false,
             "size_mib holds the lists and tags of the pages too, so that there are fewer of them"),
        integer("buffer.read_ahead", AT(buffer.read_ahead), 0, 0, 1024,
                "pages that are read ahead of a sequential stream of reads; at most an eighth of the buffer")
            .zero("none")
            .when(kCache),
        integer("buffer.block_pages", AT(buffer.block_pages), 0, 1, 65536,
                "logical pages that follow each other and make a block for the policy")
            .when(kBlocks)
            .follows("`geometry.pages`"),
        real_above("buffer.victim_window", AT(buffer.victim_window), 0.25, 0, 1,
                   "share of all pages, from the least recently used end, that is searched for pages of the victim blocks")
            .when(kRefPolicy),
        integer("buffer.victim_blocks", AT(firmware.victim_blocks), 8, 1, 64,
                "blocks whose pages leave first")
            .when(kRefPolicy),
        flag("buffer.page_padding", AT(buffer.page_padding), false,
             "pages that are missing in a block that leaves are read and programmed with it")
            .when(kBplruPolicy),
        real("buffer.hot_blocks", AT(buffer.hot_blocks), 0.1, 0, 1,
             "share of all blocks, from the most recently used end, that stays while other blocks exist")
            .when(kClcPolicy),
    };
}

/// When pages leave, and the policies that evict in sets.
std::vector<Key> eviction_keys()
{
    return {
        choice("buffer.evict", AT(buffer.evict), Evict::Ahead,
               "when pages leave: ahead, so that some page buffers are always free, or on_demand, when a request "
               "finds none, and then one page (or set) at a time; on_demand_each: one for each that waits")
            .when(kCaching),
        integer("buffer.free_pages", AT(buffer.free_pages), 0, 1, 65536,
                "page buffers (of a mapping unit each) that are free or on their way to flash; at most an eighth of "
                "the buffer")
            .when(kEvictAhead)
            .follows("64, or an eighth of the buffer where that is less"),
        choice("buffer.cave_over", AT(buffer.cave_over), BufferPolicy::CCF_LRU,
               "the policy that says which page is the next; any that keeps pages and evicts them one by one")
            .when(kCave),
        choice("buffer.cawr_over", AT(buffer.cawr_over), BufferPolicy::FAB,
               "the block-level policy that says which block is the next: fab, bplru or clc")
            .when(kCawrBlock),
        integer("buffer.cawr_list", AT(firmware.cawr_list), 4, 4, 16, "pages of a channel's list of cold dirty pages")
            .when(kCawr),
        index("buffer.cawr_sequence", AT(firmware.cawr_any_neighbour), {"tail", "any_neighbour"},
               "which page joins a channel's list: the one that follows its last, or any neighbour of one in it")
            .when(kCawr),
    };
}

} // namespace tlmssd::config
