// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: levels of the pins over time, by hand, and a reader that they are played to.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/onfi/pins/pin_reader.h"
#include "tb/onfi/pin_bench.h"

namespace tlmssd::tb {

using config::BusInterface;
using onfi::Pins;

constexpr auto kSdr = BusInterface::Sdr;
constexpr auto kClk = BusInterface::NvDdr;
constexpr auto kTog = BusInterface::NvDdr2;

/// One change of the lines; its name serves to move it.
struct Edge {
    const char* name;
    u64 ps;
    void (*set)(Pins&);
};
using Wave = std::vector<Edge>;

constexpr u64 ns(u64 n) { return n * 1000; }

inline void select(Pins& p) { p.ce_n = ~1u; }
inline void deselect(Pins& p) { p.ce_n = ~0u; }
inline void cle_1(Pins& p) { p.cle = true; }
inline void cle_0(Pins& p) { p.cle = false; }
inline void ale_1(Pins& p) { p.ale = true; }
inline void ale_0(Pins& p) { p.ale = false; }
inline void we_0(Pins& p) { p.we_n = false; }
inline void we_1(Pins& p) { p.we_n = true; }
inline void re_0(Pins& p) { p.re_n = false; }
inline void re_1(Pins& p) { p.re_n = true; }
inline void wp_0(Pins& p) { p.wp_n = false; }
inline void dqs_on(Pins& p) { p.dqs_driven = true, p.dqs = false; }
inline void dqs_1(Pins& p) { p.dqs = true; }
inline void dqs_0(Pins& p) { p.dqs = false; }
inline void dqs_off(Pins& p) { p.dqs_driven = false, p.dqs = false; }
inline void dq_off(Pins& p) { p.dq_driven = false, p.dq = 0; }
template <u16 Value>
inline void dq(Pins& p)
{
    p.dq_driven = true;
    p.dq = Value;
}
inline void strobe_and_latches(Pins& p) { p.cle = p.ale = true; }
inline void latches_0(Pins& p) { p.cle = p.ale = false; }

/// 70h and a status byte.
inline Wave read_status_wave()
{
    return {{"ce fall", ns(1000), select},  {"cle rise", ns(1100), cle_1},
            {"dq on", ns(1150), dq<0x70>},  {"we fall", ns(1200), we_0},
            {"we rise", ns(1300), we_1},    {"dq off", ns(1350), dq_off},
            {"cle fall", ns(1400), cle_0},  {"re fall", ns(1600), re_0},
            {"re rise", ns(1660), re_1},    {"ce rise", ns(1800), deselect}};
}

/// The edge of that name.
inline Edge& edge(Wave& wave, const std::string& name)
{
    const auto found = std::find_if(wave.begin(), wave.end(),
                                    [&](const Edge& e) { return name == e.name; });
    if (found == wave.end()) {
        throw std::logic_error("no edge " + name);
    }
    return *found;
}

/// A reader with one target; waves are played to it.
struct Bench {
    onfi::ViolationLog log;
    DieLines lines;
    RecordingTarget target;
    onfi::PinReader reader;
    BusInterface interface;

    Bench(BusInterface i, u32 mode)
        : reader(0, Geometry{}, onfi::bus_timing(i, mode), config::DataKind::Full, log, lines),
          interface(i)
    {
        reader.bind_target(0, target);
    }
    void play(Wave wave)
    {
        std::stable_sort(wave.begin(), wave.end(),
                         [](const Edge& a, const Edge& b) { return a.ps < b.ps; });
        Pins pins = onfi::idle_pins(interface);
        for (const Edge& e : wave) {
            e.set(pins);
            reader.on_pins(Picoseconds(e.ps), pins);
        }
    }
};

} // namespace tlmssd::tb
