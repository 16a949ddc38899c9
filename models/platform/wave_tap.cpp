// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: signals of the SystemC side of a wave file.
#include "models/platform/wave_tap.h"

#include <string>

namespace tlmssd::platform {

WaveTap::WaveTap(observe::Waves& waves, u32 channel, const Geometry& geometry,
                 onfi::BusObserverIf* next)
    : waves_(waves), next_(next), luns_per_ce_(geometry.luns_per_ce())
{
    const std::string scope = "ssd.channel" + std::to_string(channel);
    opcode_ = waves_.add(scope + ".bus.opcode", 8);
    ce_ = waves_.add(scope + ".bus.ce", 8);
    bytes_ = waves_.add(scope + ".bus.data_bytes", 32);
    count_ = waves_.add(scope + ".bus.segments", 32);
    for (u32 ce = 0; ce < geometry.ces_per_channel(); ++ce) {
        for (u32 lun = 0; lun < luns_per_ce_; ++lun) {
            ready_.push_back(waves_.add(
                scope + ".ce" + std::to_string(ce) + ".lun" + std::to_string(lun) + "_ready", 1));
            waves_.set(ready_.back(), 1, Picoseconds());
        }
    }
}

void WaveTap::on_observed(u32 channel, const onfi::Segment& segment)
{
    waves_.set(opcode_, segment.lead > 0 ? segment.bytes[0] : 0, segment.end);
    waves_.set(ce_, segment.ce, segment.end);
    waves_.set(bytes_, segment.data_bytes, segment.end);
    waves_.set(count_, ++segments_ & 0xffffffff, segment.end);
    if (next_ != nullptr) {
        next_->on_observed(channel, segment);
    }
}

void WaveTap::on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when)
{
    waves_.set(ready_[ce * luns_per_ce_ + lun], ready, when);
    if (next_ != nullptr) {
        next_->on_ready_edge(channel, ce, lun, ready, when);
    }
}

void show_probes(observe::Waves& waves, cpu::NativeCpu& cpu)
{
    static const struct {
        const char* name;
        u32 bits;
    } kProbes[] = {
#define PROBE(id, name, bits) {#name, bits},
#include "firmware/hal/probes.def"
#undef PROBE
    };
    std::vector<u32> ids;
    for (const auto& probe : kProbes) {
        ids.push_back(waves.add(std::string("firmware.") + probe.name, probe.bits));
    }
    cpu.set_probe([&waves, ids](u32 id, u32 value, Picoseconds now) {
        waves.set(ids[id], value, now);
    });
}

} // namespace tlmssd::platform
