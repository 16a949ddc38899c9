// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the spare pages that garbage collection needs, and the over-provisioning that leaves them.
#include "models/config/rules/spare.h"

#include <algorithm>
#include <cmath>

#include "models/config/keys/value.h"

namespace tlmssd::config {
namespace {

const char* const kKey = "ftl.over_provisioning";
constexpr u32 kSteps = 1000; ///< of one
constexpr u32 kMost = 10 * kSteps; ///< as the row of the key
constexpr u64 kLeastPart = 64;

/// The key that takes the spare pages, with its value; null: none does.
const char* taker(const Config& c)
{
    return c.ftl.mapping != Mapping::Page       ? "ftl.mapping"
           : c.ftl.recovery != Recovery::None   ? "ftl.recovery"
                                                : nullptr;
}

/// Spare pages of a plane without what the two mechanisms take; at least a part, without which garbage collection
/// would find hardly a dead page in a block.
u64 spare_without(Config config)
{
    if (config.ftl.mapping == Mapping::LogBlock) {
        return 0; // more would not make its merges cheaper
    }
    config.ftl.mapping = Mapping::Page;
    config.ftl.recovery = Recovery::None;
    const Spare spare = spare_of(config);
    return std::max(spare.fits() ? spare.usable - spare.logical : 0, spare.usable / kLeastPart);
}

/// The least value, in steps, with `pages` spare pages; above kMost: there is none. More over-provisioning never
/// leaves fewer.
u32 least_steps(Config config, u64 pages)
{
    u32 low = 0;
    u32 high = kMost + 1;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        config.ftl.over_provisioning = static_cast<double>(middle) / kSteps;
        const Spare spare = spare_of(config);
        if (spare.fits() && spare.usable - spare.logical >= pages) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

} // namespace

Spare spare_of(const Config& c)
{
    const Geometry& g = c.geometry;
    Spare spare{};
    if (c.ftl.mapping == Mapping::LogBlock) {
        spare.reserve = c.log_reserve();
        spare.usable = u64{g.pages} * (g.blocks - std::min(g.blocks, spare.reserve));
        spare.logical = u64{c.data_blocks()} * g.pages;
        return spare;
    }
    spare.reserve = c.ftl.gc_threshold_blocks + c.ftl.open_blocks() + c.map_blocks();
    const u64 blocks = g.blocks > spare.reserve ? g.blocks - spare.reserve : 0;
    const u64 ragged = c.ragged_pages(g.blocks);
    spare.usable = std::max(u64{c.data_pages()} * blocks, ragged) - ragged;
    const u64 planes = g.total_planes();
    spare.logical = (c.logical_pages() + c.table_pages() + planes - 1) / planes;
    return spare;
}

void raise_spare(Config& config, const Settings& settings)
{
    const char* const key = taker(config);
    if (key == nullptr || settings.rank(kKey) >= settings.rank(key) || spare_of(config).fits()) {
        return;
    }
    const u32 steps = least_steps(config, spare_without(config));
    if (steps > kMost) {
        return;
    }
    const Setting* const given = settings.find(kKey);
    const Key& row = *find_key(key);
    const std::string before = format_real(config.ftl.over_provisioning);
    config.ftl.over_provisioning = static_cast<double>(steps) / kSteps;
    config.notes.push_back(std::string(kKey) + ": " + format_real(config.ftl.over_provisioning) + ", computed for " + key + ": " +
                           format_value(row, row.get(config)) + ", for which " + before +
                           (given != nullptr ? " (" + given->origin.text() + ")" : ", the default,") +
                           " is too little; a value given beside " + key + " counts instead");
}

} // namespace tlmssd::config
