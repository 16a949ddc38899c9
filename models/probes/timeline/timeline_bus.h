// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the timeline's tracks of channels and planes, from what an observer of the bus sees.
#pragma once

#include <array>
#include <vector>

#include "models/common/geometry.h"
#include "models/observe/timeline.h"
#include "models/onfi/bus/bus_if.h"

namespace tlmssd::probes {

/// One track a channel with its segments, one a plane with the array's busy times: R/B# of the LUN
/// is low, for what its last confirmed sequence asked of that plane, or the array works at a cache
/// operation behind a ready R/B#; then CACHE is the time of the registers alone. An observer of all channels.
class TimelineBus final : public onfi::BusObserverIf {
public:
    /// Declares the tracks of channels under `channels` and of planes under `planes`.
    TimelineBus(observe::Timeline& timeline, const Geometry& geometry, u32 channels, u32 planes);

    void on_started(u32 channel, const onfi::Segment& segment) override;
    void on_observed(u32 channel, const onfi::Segment& segment) override;
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;
    void on_array_edge(u32 channel, u32 ce, u32 lun, bool busy, Picoseconds when) override;

    /// Shows slices that have not ended at the end.
    void close(Picoseconds now);

private:
    static constexpr u32 kMaxPlanes = 16;

    /// The work that the array of a LUN has got.
    struct Work {
        const char* name = nullptr; ///< null: nothing that a plane does (features, identification)
        u32 planes = 0;
    };
    struct Lun {
        Work work;
        Work suspended;
        Work cached; ///< what the array does behind the next 31h or 15h
        Work array;  ///< and does now; no name: nothing
        u32 queued = 0; ///< planes that wait for the confirming sequence
        std::array<u32, kMaxPlanes> rows{}; ///< by plane, of its last sequence
        std::array<u32, kMaxPlanes> suspended_rows{};
        std::array<u32, kMaxPlanes> fetched{}; ///< by plane, of the page that the array is given last
        std::array<u32, kMaxPlanes> array_rows{};
        Picoseconds array_since;
        bool busy = false;
        Picoseconds fell;
    };
    /// The open sequence of a target.
    struct Sequence {
        u8 first = 0;
        u32 count = 0; ///< address cycles so far
        u64 address = 0;
        u32 program_row = 0; ///< of the last 80h
        u32 lun = 0;         ///< that the last row named
    };
    struct Channel {
        u32 track = 0;
        Picoseconds started;
        const char* name = nullptr; ///< of the running segment; null: the bus is free
    };

    Sequence& sequence(u32 channel, u32 ce) { return sequences_[channel * ces_ + ce]; }
    Lun& lun(u32 channel, u32 ce, u32 index)
    {
        return luns_[geometry_.die_index_ce(channel, ce, index)];
    }
    void command(u32 channel, u32 ce, u8 byte);
    void address(u32 channel, u32 ce, u8 byte);
    void confirm(u32 channel, u32 ce, u32 row, const char* name, bool queue);
    void read_next(Lun& lun);
    void reset(u32 channel, u32 ce, u32 first, u32 count);
    void show(u32 die, Picoseconds until, bool open);
    void show_array(u32 die, Picoseconds until, bool open);
    void draw(u32 die, const Work& work, const std::array<u32, kMaxPlanes>& rows, Picoseconds from, Picoseconds until,
              bool open);

    observe::Timeline& timeline_;
    Geometry geometry_;
    u32 ces_;
    std::vector<Channel> channels_;
    std::vector<Sequence> sequences_; ///< by channel and CE#
    std::vector<Lun> luns_;           ///< by die
    std::vector<u32> plane_tracks_;   ///< by die and plane
};

/// The action of the segment, in words: "READ", "DATA OUT", "PROGRAM QUEUE", ...
const char* segment_name(const onfi::Segment& segment);

} // namespace tlmssd::probes
