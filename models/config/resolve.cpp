// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: defaults, precedence between trace and generator, derived values.
#include "models/config/resolve.h"

#include <cstdio>
#include <set>

#include "models/config/names.h"
#include "models/config/value.h"

namespace tlmssd::config {
namespace {

constexpr u64 kGeneratorRequests = 100000;

bool is_mixed(Rw rw) { return rw == Rw::ReadWrite || rw == Rw::RandRw; }
bool is_random(Rw rw) { return rw == Rw::RandRead || rw == Rw::RandWrite || rw == Rw::RandRw; }
bool has_writes(Rw rw) { return rw != Rw::Read && rw != Rw::RandRead; }
bool of_generator(Use use) { return use >= Use::Generator; }

/// A generator workload that a trace from a stronger source replaces goes as a whole.
void drop_replaced_generator(Settings& settings)
{
    const Setting* trace = settings.find("workload.trace");
    if (trace == nullptr || trace->value.text.empty()) {
        return;
    }
    std::set<int> dropped;
    for (const Key& key : keys()) {
        const int rank = settings.rank(key.path);
        if (of_generator(key.use) && settings.find(key.path) != nullptr && rank < trace->rank) {
            dropped.insert(rank);
            settings.erase(key.path);
        }
    }
    for (const char* key : {"workload.name", "workload.requests", "workload.mode"}) {
        if (dropped.count(settings.rank(key)) != 0) {
            settings.erase(key);
        }
    }
}

Config apply(const Settings& settings)
{
    Config config;
    for (const Key& key : keys()) {
        if (const Setting* setting = settings.find(key.path)) {
            key.set(config, setting->value);
        } else if (key.derived.empty()) {
            key.set(config, parse_value(key, key.fallback, false, Origin{"default", 0, 0, ""}));
        }
    }
    return config;
}

/// Keys without effect: dropped where a stronger source made them so, else an error.
bool drop_unused(Settings& settings, const Config& config)
{
    std::vector<std::string> unused;
    for (const auto& [path, setting] : settings.all()) {
        const Use use = find_key(path)->use;
        if (in_use(use, config)) {
            continue;
        }
        const std::string cause = decider(use, config);
        if (settings.rank(cause) <= setting.rank) {
            const Key& key = *find_key(cause);
            const bool trace = cause == "workload.trace";
            const bool has_trace = !config.workload.trace.empty();
            const std::string state =
                trace ? (has_trace ? "is given" : "is not given")
                      : "is " + format_value(key, key.get(config));
            fail(setting.origin, path, "has no effect because " + cause + " " + state);
        }
        unused.push_back(path);
    }
    for (const std::string& path : unused) {
        settings.erase(path);
    }
    return !unused.empty();
}

void derive(Config& config, const Settings& settings)
{
    Geometry& g = config.geometry;
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
    const Setting* mode = settings.find("controller.mode");
    if (mode == nullptr || mode->value.number == 0) {
        config.controller.mode = mode_of(config.scheduler);
    }
    Workload& w = config.workload;
    if (missing("workload.requests")) {
        w.requests = w.trace.empty() ? kGeneratorRequests : 0;
    }
    if (missing("workload.mode")) {
        w.mode = w.trace.empty() ? LoopMode::Closed : LoopMode::Open;
    }
    if (w.name.empty()) {
        w.name = w.trace.empty() ? "generator" : "trace";
    }
}

} // namespace

bool in_use(Use use, const Config& config)
{
    const Workload& w = config.workload;
    const bool generator = w.trace.empty();
    const Nand& n = config.nand;
    const u32 bits = n.pairing == Pairing::Uniform ? 1 : n.bits_per_cell;
    switch (use) {
    case Use::Always:
        return true;
    case Use::MiddlePages:
        return bits >= 3;
    case Use::UpperPages:
        return bits >= 2;
    case Use::TopPages:
        return bits == 4;
    case Use::Trace:
        return !generator;
    case Use::OpenLoop:
        return !generator && w.mode == LoopMode::Open;
    case Use::Generator:
        return generator;
    case Use::Mixed:
        return generator && is_mixed(w.rw);
    case Use::RandomAccess:
        return generator && is_random(w.rw);
    case Use::Zipf:
        return generator && is_random(w.rw) && w.distribution == Distribution::Zipf;
    case Use::Writes:
        return generator && has_writes(w.rw);
    }
    return true;
}

const char* decider(Use use, const Config& config)
{
    const Workload& w = config.workload;
    const bool generator = w.trace.empty();
    switch (use) {
    case Use::MiddlePages:
    case Use::UpperPages:
    case Use::TopPages:
        return config.nand.pairing == Pairing::Uniform ? "nand.pairing" : "nand.bits_per_cell";
    case Use::Always:
    case Use::Trace:
    case Use::Generator:
        return "workload.trace";
    case Use::OpenLoop:
        return generator ? "workload.trace" : "workload.mode";
    case Use::Mixed:
    case Use::RandomAccess:
    case Use::Writes:
        return generator ? "workload.rw" : "workload.trace";
    case Use::Zipf:
        return !generator ? "workload.trace"
                          : is_random(w.rw) ? "workload.random_distribution" : "workload.rw";
    }
    return "";
}

Config resolve(Settings settings)
{
    drop_replaced_generator(settings);
    Config config = apply(settings);
    if (drop_unused(settings, config)) {
        config = apply(settings);
    }
    derive(config, settings);
    check(config, settings);
    config.hash = hash_of(config);
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(config.hash));
    config.hash_text = text;
    return config;
}

} // namespace tlmssd::config
