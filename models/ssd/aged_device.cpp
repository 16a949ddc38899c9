// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: aged devices from a cache (docs/guides/aged-devices.md).
#include "models/ssd/aged_device.h"

#include <array>
#include <chrono>
#include <cstring>

extern "C" {
extern const char __executable_start; // by the linker: the program's first byte, and the one behind its last
extern const char _end;
}

namespace tlmssd::ssd {

namespace {

/// Bytes of a value, for a key.
template <class T>
void add(std::string& key, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// All that the firmware and the functional world look at.
std::string key_of(const config::Config& config, const fw_config& firmware, const cpu::X32Firmware* stand_in)
{
    std::string key = "aged 1 " + aging::program_identity();
    if (stand_in != nullptr) {
        key += "x32 " + aging::program_identity(stand_in->path());
    }
    add(key, firmware);
    add(key, config.geometry);
    add(key, config.seed);
    add(key, config.logical_pages());
    const config::Precondition& p = config.precondition;
    for (const double part : {p.fill, p.overwrite, p.range, p.steady_window, p.steady_change, p.steady_limit}) {
        add(key, part);
    }
    add(key, p.pattern);
    add(key, p.steady);
    add(key, p.steady_windows);
    const config::AddressRule& rule = p.overwrite_pattern.rule;
    add(key, p.overwrite_pattern.sequential);
    key += rule.text;
    add(key, rule.kind);
    add(key, rule.parameter);
    add(key, rule.center);
    for (const std::vector<config::Zone>& zones : rule.zones) {
        add(key, zones.size());
        for (const config::Zone& zone : zones) {
            add(key, zone);
        }
    }
    return key;
}

std::string bytes_of(const aging::PreconditionReport& r)
{
    std::string bytes;
    for (const u64 count : {r.filled, r.overwritten, r.programs, r.erases, r.windows, r.waf_programs, r.waf_written}) {
        add(bytes, count);
    }
    return bytes;
}

} // namespace

bool AgedDevice::fits(const config::Config& config, bool stands_in)
{
    const config::Precondition& p = config.precondition;
    const double pages = (p.fill + p.overwrite) * static_cast<double>(config.logical_pages());
    return (config.cpu.model == config::CpuModel::Native || stands_in) && config.data == config::DataKind::Tags &&
           config.ftl.mapping != config::Mapping::Dftl && config.ftl.recovery == config::Recovery::None &&
           config.nand.errors.factory_bad == 0 && (pages >= static_cast<double>(kFewestPages) || p.steady);
}

AgedDevice::AgedDevice(const config::Config& config, FirmwareImage& image, nand::PageStore& store, dram::Dram& dram,
                       host::ExpectedVersions& versions, const std::string& folder, cpu::X32Firmware* stand_in)
    : image_(image), stand_in_(stand_in), store_(store), versions_(versions), cache_(folder),
      key_(key_of(config, image.state().cfg, stand_in))
{
    const auto [arena, arena_bytes] = image.arena();
    memories_ = {{&state_, sizeof state_}, {arena, arena_bytes, true}};
    if (stand_in != nullptr) { // its addresses, and so its pointers, are those of each process
        memories_.clear();
        for (const cpu::FirmwareMemory& memory : stand_in->side().memories) {
            memories_.push_back({memory.data, memory.bytes});
        }
    }
    for (const auto& [data, bytes] : store.memory()) {
        memories_.push_back({data, bytes});
    }
    memories_.push_back({dram.tags(0), dram.tag_bytes()});
    memories_.push_back({versions.memory(), versions.units() * sizeof(u32)});
    places_ = {{arena, arena_bytes},
               {&image.state(), sizeof(fw)},
               {&__executable_start, static_cast<u64>(&_end - &__executable_start)}};
}

std::optional<aging::PreconditionReport> AgedDevice::load()
{
    const auto began = std::chrono::steady_clock::now();
    aging::AgedFile file{key_, {}};
    aging::PreconditionReport r;
    if (!cache_.load(file, memories_, places_)) {
        return {};
    }
    std::array<u64*, 7> counts{&r.filled,  &r.overwritten,  &r.programs,   &r.erases,
                               &r.windows, &r.waf_programs, &r.waf_written};
    for (std::size_t i = 0; i < counts.size(); ++i) {
        std::memcpy(counts[i], file.report.data() + i * sizeof(u64), sizeof(u64));
    }
    if (stand_in_ != nullptr) {
        stand_in_->restored();
    } else {
        fw& f = image_.state();
        f.now_us = state_.now_us;
        f.step_cycles = state_.step_cycles;
        f.module_began = state_.module_began;
        f.core = static_cast<u32>(state_.core);
        f.module = static_cast<u32>(state_.module);
        f.op_free = static_cast<u32>(state_.op_free);
        f.stats = state_.stats;
    }
    r.cached = true;
    r.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return r;
}

void AgedDevice::save(const aging::PreconditionReport& report)
{
    if (store_.ruled_bytes() > cache_.most_of_one()) {
        return;
    }
    store_.memory(); // all of it is written out
    versions_.memory();
    const fw& f = image_.state();
    state_ = {f.now_us, f.step_cycles, f.module_began, f.core, f.module, f.op_free, f.stats};
    cache_.save({key_, bytes_of(report)}, memories_, places_);
}

} // namespace tlmssd::ssd
