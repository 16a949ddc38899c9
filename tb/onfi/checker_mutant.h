// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: breaks one rule in a recorded stream, at a place that the seed chooses.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tb/onfi/checker_stream.h"

namespace tlmssd::tb {

/// A stream in the hands of a mutation. Everything before `from()` stays legal.
class Mutant {
public:
    Mutant(Stream& stream, u64 seed) : stream_(stream), seed_(seed) {}

    std::vector<Event>& events() { return stream_.events; }
    const StreamPart& part() const { return stream_.part; }
    DataCells& cells(u8 p1 = 0) { return stream_.cells(p1); }
    u64 from() const { return from_; }
    u64 random(u64 n) { return draw_below(draw64(seed_, 0x6d75, ++counter_), n); }

    /// The first event from a random one on that the predicate (of the index) likes; throws where
    /// there is none.
    template <class Predicate>
    std::size_t pick(Predicate likes)
    {
        const std::size_t size = events().size();
        const std::size_t first = random(size);
        for (std::size_t n = 0; n < size; ++n) {
            const std::size_t site = (first + n) % size;
            if (site != 0 && likes(site)) {
                from_ = events()[site].segment.start.value();
                return site;
            }
        }
        throw std::runtime_error("no place for this mutation");
    }
    const Event& previous_segment(std::size_t i) const;

    /// Before segment i its LUN is ready, and no operation, suspend or sequence is pending.
    bool idle(std::size_t i) const;
    /// The same of all LUNs of the CE#.
    bool all_idle(std::size_t i) const;
    /// One of the segments that the predicate (of the event) likes.
    template <class Predicate>
    std::size_t pick_segment(Predicate likes)
    {
        return pick([&](std::size_t i) { return events()[i].is_segment() && likes(events()[i]); });
    }
    std::size_t pick_idle()
    {
        return pick([this](std::size_t i) { return idle(i); });
    }
    std::size_t pick_all_idle()
    {
        return pick([this](std::size_t i) { return all_idle(i); });
    }

    /// Put a segment before segment i of the same CE#; R/B# of `lun` is low for `busy` ps after
    /// it (0: no edges). All that follows comes later. Answers the new index of segment i.
    std::size_t put(std::size_t i, const Segment& s, u64 busy = 0, u32 lun = kSame, u8 cause = 0);
    /// Put a segment behind segment i, while what that one has started goes on.
    void put_behind(std::size_t i, const Segment& s);
    /// New end of segment i, its falling edges with it.
    void set_end(std::size_t i, u64 end);
    /// New start and end of segment i.
    void move(std::size_t i, u64 start);
    /// Segment i is driven in another mode, and takes the time for it.
    void redrive(std::size_t i, u32 drive);
    /// Edge i comes at another time.
    void set_edge(std::size_t i, u64 at);
    void remove(std::size_t i) { events().erase(events().begin() + static_cast<long>(i)); }
    /// A further edge of the LUN of event i.
    void add_edge(std::size_t i, Event::Kind kind, u64 at);
    void shift(u64 after, u64 by);
    u32 row(std::size_t i, u32 plane, u32 block, u32 page) const
    {
        return part().row(stream_.events[i].lun, plane, block, page);
    }
    u64 read_time() const { return part().nand.t_read.value(); }
    u64 program_time() const { return part().nand.t_program.value(); }
    u64 erase_time() const { return part().nand.t_erase.value(); }
    u64 queue_time() const { return part().nand.t_plane_queue.value(); }

    static constexpr u32 kSame = 99;

private:
    bool pending(std::size_t before, u32 ce, u32 lun) const;

    Stream& stream_;
    u64 seed_;
    u64 counter_ = 0;
    u64 from_ = 0;
};

struct Mutation {
    const char* name;
    onfi::Rule rule;
    void (*apply)(Mutant&);
    void (*part)(StreamPart&) = nullptr;
};

/// For several seeds: makes the stream, proves it clean, breaks it, and looks at what the checker
/// says first.
void expect_caught(const Mutation& mutation);

inline std::string mutation_name(const testing::TestParamInfo<Mutation>& info)
{
    return info.param.name;
}

inline void PrintTo(const Mutation& mutation, std::ostream* out) { *out << mutation.name; }

} // namespace tlmssd::tb
