// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ready lines, no suspends, no cache operations.
#include "models/flash/tlm/latency_fit.h"

#include "models/config/text/names.h"

namespace tlmssd::flash {

namespace {

template <class E>
const std::string& word(E value)
{
    return config::names_of<E>()[static_cast<std::size_t>(value)];
}

} // namespace

std::optional<std::string> latency_misfit(const config::Config& config)
{
    const config::Controller& c = config.controller;
    if (c.suspend != config::Suspend::None) {
        return "suspends: controller.suspend is " + word(c.suspend) + "; nearest: none";
    }
    if (c.cache_ops != config::CacheOps::None) {
        return "cache operations: controller.cache_ops is " + word(c.cache_ops) + "; nearest: none";
    }
    const config::ReadySense ready = config.onfi.ready;
    const bool has_lines = ready == config::ReadySense::Lun ||
                           (ready == config::ReadySense::Target && config.geometry.luns_per_ce() == 1);
    if (!has_lines) {
        return std::string("polls: onfi.ready is ") + to_string(ready) + "; nearest: lun";
    }
    return std::nullopt;
}

} // namespace tlmssd::flash
