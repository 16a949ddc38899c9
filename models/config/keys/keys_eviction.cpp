// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of eviction: when, and by the policies that evict in sets.
#include "models/config/keys/key_builders.h"

namespace tlmssd::config {
namespace {

using namespace rows;

#define AT(member) [](auto& c) -> auto& { return c.member; }

} // namespace

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
        integer("buffer.cawr_list", AT(buffer.cawr_list), 4, 4, 16, "pages of a channel's list of cold dirty pages")
            .when(kCawr),
        choice("buffer.cawr_sequence", AT(buffer.cawr_sequence), CawrSequence::Tail,
               "which page joins a channel's list: the one that follows its last, or any neighbour of one in it")
            .when(kCawr),
    };
}

} // namespace tlmssd::config
