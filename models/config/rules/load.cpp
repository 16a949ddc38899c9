// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the entry points of the configuration.
#include <algorithm>
#include <cmath>

#include "models/config/config.h"
#include "models/config/replay.h"
#include "models/config/rules/resolve.h"
#include "models/config/rules/settings.h"

namespace tlmssd::config {

u64 Config::logical_pages() const
{
    // The small term keeps 1048576 / 1.28 = 819200 from falling to 819199 by rounding of 1.28.
    const double parts = static_cast<double>(geometry.total_pages()) / (1 + ftl.over_provisioning);
    return static_cast<u64>(std::floor(parts * geometry.part_bytes() / geometry.page_bytes + 1e-6));
}

u32 Config::mapping_bits() const
{
    return ftl.mapping_unit == MappingUnit::Page ? 0 : bits_for(geometry.units_per_page());
}

u32 Config::mapping_units() const
{
    return ftl.mapping_unit == MappingUnit::Page ? 1 : geometry.units_per_page();
}

u64 Config::ragged_pages(u32 good) const
{
    const u64 units = mapping_units();
    return ((u64{good} + 1) * (units - 1) + units - 1) / units;
}

u32 Config::recovery_span() const
{
    if (ftl.recovery == Recovery::None) {
        return 0;
    }
    const u32 most = geometry.page_bytes * 8;
    u32 span = std::min(8192u, most);
    while (span < most && logical_pages() > u64{4096} * span) {
        span *= 2;
    }
    return span;
}

HitManager Config::hit_manager() const
{
    return scheduler == Scheduler::SOST     ? HitManager(sost)
           : scheduler == Scheduler::HYBRID ? HitManager(hybrid)
                                            : HitManager();
}

u64 Config::translation_pages() const
{
    const u64 entries = geometry.page_bytes / 4;
    return (logical_pages() + entries - 1) / entries;
}

u32 Config::map_entries() const
{
    return ftl.mapping == Mapping::Dftl ? ftl.map.cache_kib * (1024 / kMapEntryBytes) : 0;
}

u32 Config::map_planes() const
{
    if (ftl.mapping != Mapping::Dftl) {
        return 0;
    }
    const u32 wanted = ftl.map.planes == 0 ? geometry.total_planes() : ftl.map.planes;
    return static_cast<u32>(std::clamp<u64>(translation_pages(), 1, wanted));
}

u32 Config::map_blocks() const
{
    if (ftl.mapping != Mapping::Dftl) {
        return 0;
    }
    const u64 here = (translation_pages() + map_planes() - 1) / map_planes();
    return static_cast<u32>((here + geometry.pages - 1) / geometry.pages) + 3;
}

u32 Config::data_blocks() const
{
    const u64 blocks = (logical_pages() + geometry.pages - 1) / geometry.pages;
    return static_cast<u32>((blocks + geometry.total_planes() - 1) / geometry.total_planes());
}

u64 Config::table_pages() const
{
    const u32 span = recovery_span();
    if (span == 0) {
        return 0;
    }
    const u64 bits = u64{geometry.page_bytes} * 8;
    const u64 blocks = u64{geometry.total_planes()} << bits_for(geometry.blocks);
    return (logical_pages() + span - 1) / span + (blocks + bits - 1) / bits;
}

static Config resolve_with(Settings settings, const Overrides& overrides,
                           std::optional<ControllerMode> mode)
{
    if (!overrides.jobs.empty()) {
        settings.add_arguments(overrides.jobs);
    }
    for (const std::string& set : overrides.sets) {
        settings.add_set(set);
    }
    if (mode) {
        settings.force_mode(*mode);
    }
    return resolve(std::move(settings));
}

Config load_for_replay(const std::string& path, const Overrides& overrides,
                       std::optional<ControllerMode> mode)
{
    Settings settings;
    settings.add_file(path);
    return resolve_with(std::move(settings), overrides, mode);
}

Config load_text_for_replay(const std::string& text, const std::string& name, const Overrides& overrides,
                            std::optional<ControllerMode> mode)
{
    Settings settings;
    settings.add_text(text, name);
    return resolve_with(std::move(settings), overrides, mode);
}

Config load(const std::string& path, const Overrides& overrides)
{
    return load_for_replay(path, overrides, std::nullopt);
}

Config load_text(const std::string& text, const std::string& name, const Overrides& overrides)
{
    return load_text_for_replay(text, name, overrides, std::nullopt);
}

} // namespace tlmssd::config
