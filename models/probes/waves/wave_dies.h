// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: R/B# lines and the states of the dies and planes of one channel in the wave file.
#pragma once

#include <string>
#include <vector>

#include "models/common/geometry.h"
#include "models/observe/fst/waves.h"
#include "models/onfi/bus/segment.h"
#include "models/probes/waves/wave_bus.h"
#include "models/probes/waves/wave_names.h"

namespace tlmssd::probes {

/// Knows what an observer of the bus can know: command and address bytes, R/B# edges, status bytes. R/B# does not show
/// the end of a cache operation in the array: a die says it (array_rests()), or a status byte shows it.
class WaveDies {
public:
    /// Signals `scope`.ceE.rb_n, .ceE.lunL.{rb_n,state}, .ceE.lunL.planeP.state
    WaveDies(observe::Waves& waves, const WaveNames& names, const std::string& scope,
             const Geometry& geometry);

    void started(const onfi::Segment& segment, const SegmentTimes& times);
    void ended(const onfi::Segment& segment);
    void ready_edge(u32 ce, u32 lun, bool ready, Picoseconds when);
    void array_rests(u32 ce, u32 lun, Picoseconds when);

private:
    struct Plane {
        u32 id = 0;
        PlaneState state = PlaneState::Idle;
        Picoseconds burst_end; ///< of its last burst out
    };
    /// An array operation: the state it brings and the planes that take part.
    struct Work {
        DieState state = DieState::Idle;
        PlaneState planes_state = PlaneState::Idle; ///< of its planes while it runs
        PlaneState after = PlaneState::Idle;        ///< and when it has ended
        u32 planes = 0;
        bool stays = false; ///< cache: goes on when R/B# rises
    };
    struct Lun {
        u32 ready_id = 0, state_id = 0;
        bool ready = true;
        DieState state = DieState::Idle;
        u32 gathered = 0;   ///< planes that wait for the confirm
        u32 plane = 0;      ///< addressed last
        bool pending = false; ///< `next` begins when R/B# falls
        Work next;
        Work running;
        bool cache = false; ///< a cache sequence is open
        bool suspending = false;
        Work suspended;     ///< state Idle: none
        std::vector<Plane> planes;
    };
    struct Target {
        u32 ready_id = 0;
        u32 lun = 0;       ///< addressed last
        u8 command = 0;    ///< last one
        std::vector<Lun> luns;
    };

    void decode(Target& target, u8 command, const u8* address, u32 n);
    Lun* select_row(Target& target, const u8* row);
    void confirm(Target& target, DieState state, PlaneState running, PlaneState after, bool stays);
    void gather(Target& target);
    void all(Target& target, DieState state);
    void begin(Lun& lun, Picoseconds at);
    void end(Lun& lun, Picoseconds at);
    void status(Lun& lun, u8 byte, Picoseconds at);
    void end_cached(Lun& lun, Picoseconds at);
    void set(Lun& lun, DieState state, Picoseconds at);
    void set(Lun& lun, u32 planes, PlaneState state, Picoseconds at);

    observe::Waves& waves_;
    const Geometry& geometry_;
    std::vector<Target> targets_;
};

} // namespace tlmssd::probes
