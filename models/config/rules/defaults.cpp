// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the defaults of keys: those of the table, and those that follow from other keys.
#include "models/config/rules/defaults.h"

#include <algorithm>

#include "models/config/keys/keys.h"
#include "models/config/keys/value.h"
#include "models/config/rules/spare.h"
#include "models/config/rules/workload_check.h"

namespace tlmssd::config {
namespace {

constexpr u64 kGeneratorRequests = 100000;

} // namespace

Config with_defaults(const Settings& settings)
{
    Config config;
    for (const Key& key : keys()) {
        if (const Setting* setting = settings.find(key.path)) {
            key.set(config, setting->value);
        } else if (key.derived.empty()) {
            key.set(config, parse_value(key, key.fallback, false, Origin{"default", 0, 0, ""}));
        }
    }
    // What other keys need the modes for is decided before derive().
    const Setting* mode = settings.find("controller.mode");
    if (mode == nullptr || mode->value.number == 0) {
        config.controller.mode = mode_of(config.scheduler);
    }
    Workload& w = config.workload;
    if (settings.find("workload.mode") == nullptr) {
        w.mode = w.trace.empty() ? LoopMode::Closed : LoopMode::Open;
    }
    return config;
}

void derive(Config& config, const Settings& settings)
{
    Geometry& g = config.geometry;
    g.page_bytes = config.nand.page_bytes;
    if (config.ftl.write_size_factor < 1 && kMappingUnits.holds(config) && g.page_bytes >= kUnitBytes) {
        g.compress(config.ftl.write_size_factor, kMostPageUnits + 1); // one more than check() allows
    }
    const auto missing = [&](const char* key) { return settings.find(key) == nullptr; };
    if (missing("geometry.planes")) {
        g.planes = config.nand.planes;
    }
    if (missing("geometry.blocks")) {
        g.blocks = config.nand.blocks;
    }
    if (missing("geometry.pages")) {
        g.pages = config.nand.pages;
    }
    raise_spare(config, settings);
    if (missing("buffer.block_pages")) {
        config.buffer.block_pages = g.pages;
    }
    const char* const types[] = {"lower", "middle", "upper", "top"};
    for (std::size_t i = 0; i < config.nand.types.size(); ++i) {
        const std::string section = std::string("nand.") + types[i];
        if (missing((section + ".t_read_us").c_str())) {
            config.nand.types[i].t_read = config.nand.t_read;
        }
        if (missing((section + ".t_program_us").c_str())) {
            config.nand.types[i].t_program = config.nand.t_program;
        }
    }
    if (missing("buffer.free_pages")) {
        const u64 eighth = config.buffer.bytes / config.mapped_bytes() / 8;
        config.buffer.free_pages = static_cast<u32>(std::clamp<u64>(eighth, 1, 64));
    }
    Workload& w = config.workload;
    if (missing("workload.requests")) {
        const bool ends = !w.trace.empty() || w.launch.launches != 0 || has_own_end(w);
        w.requests = ends ? 0 : w.reads + w.writes > 0 ? w.reads + w.writes : kGeneratorRequests;
    }
    if (missing("workload.iodepth")) {
        w.iodepth = config.host.queue_depth;
    }
    w.preset = settings.preset();
    if (w.name.empty()) {
        w.name = !w.trace.empty() ? "trace" : w.launch.launches != 0 ? "launches" : is_of_locality(w) ? "locality" : "generator";
    }
}

} // namespace tlmssd::config
