// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a place in a recorded stream where one LUN is idle, for what a broken rule needs first.
#pragma once

#include "tb/onfi/checker_mutant.h"

namespace tlmssd::tb {

/// Legal operations of one LUN, put into the stream where the LUN is idle; then the break.
class Place {
public:
    explicit Place(Mutant& m, bool whole_target = false) : m_(m)
    {
        m.events()[whole_target ? m.pick_all_idle() : m.pick_idle()].mark = kMark;
    }

    DataCells& cells(u8 p1 = 0) { return m_.cells(p1); }
    u32 row(u32 plane, u32 block, u32 page) const { return m_.row(index(), plane, block, page); }
    u32 other_row(u32 plane, u32 block, u32 page) const
    {
        return m_.part().row(1 - own(), plane, block, page);
    }
    u32 own() const { return m_.events()[index()].lun; }
    u32 drive() const { return m_.events()[index()].drive; }

    /// A segment that nothing answers: mostly the one that breaks the rule.
    void put(const Segment& s) { m_.put(index(), s); }
    void put(const Segment& s, u64 busy) { m_.put(index(), s, busy); }
    void put_other(const Segment& s, u64 busy) { m_.put(index(), s, busy, 1 - own()); }
    void put_behind(const Segment& s) { m_.put_behind(last_segment(), s); }

    void read(u32 r, u8 confirm = 0x30) { put(read_command(r, 0, confirm), m_.read_time()); }
    void queue_read(u32 r) { put(read_command(r, 0, 0x32), m_.queue_time()); }
    void write(u32 r) { put(program(r, 0, 16, cells()), m_.program_time()); }
    void queue_write(u32 r) { put(program(r, 0, 16, cells(), 0x11), m_.queue_time()); }
    void cached_write(u32 r) { put(program(r, 0, 16, cells(), 0x15), kCacheTime); }
    void erase_block(u32 plane, u32 block) { put(erase(row(plane, block, 0)), m_.erase_time()); }
    void cached_read() { put(lone_command(0x31), kCacheTime); }
    void end_of_cache() { put(lone_command(0x3f), m_.read_time()); } // the array first
    void out(u32 r) { put(enhanced_out(r, 0, 16, cells())); }
    /// Program (else erase) that is suspended after 2 us; its R/B# rises 15 us later.
    void suspended(bool programs, u32 r)
    {
        const u64 busy = programs ? m_.program_time() : m_.erase_time();
        put(programs ? program(r, 0, 16, cells()) : erase(r), busy);
        put_behind(row_command(programs ? 0x84 : 0x61, r));
        const std::size_t command = last_segment();
        std::size_t rise = command + 1;
        const Event& next = m_.events()[index()];
        while (m_.events()[rise].kind != Event::Kind::Rise || m_.events()[rise].lun != next.lun ||
               m_.events()[rise].ce != next.ce) {
            ++rise;
        }
        m_.set_edge(rise, m_.events()[command].at + 15000000);
    }

    static constexpr u64 kCacheTime = 3000000;

private:
    static constexpr u32 kMark = 1;

    /// The segment before which things are put.
    std::size_t index() const
    {
        std::size_t i = 0;
        while (m_.events()[i].mark != kMark) {
            ++i;
        }
        return i;
    }
    std::size_t last_segment() const
    {
        std::size_t i = index() - 1;
        while (!m_.events()[i].is_segment()) {
            --i;
        }
        return i;
    }

    Mutant& m_;
};

inline bool is_read(const Event& e) { return e.starts(0x00) && e.ends(0x30); }
inline bool is_program(const Event& e) { return e.starts(0x80) && e.ends(0x10); }
inline bool is_erase(const Event& e) { return e.starts(0x60) && e.ends(0xd0); }

/// A command to a LUN while it does what the predicate says.
template <class Predicate, class Make>
void while_busy(Mutant& m, Predicate busy, Make make)
{
    const std::size_t i = m.pick_segment(busy);
    m.put_behind(i, make(m, m.row(i, 0, 0, 0)));
}

} // namespace tlmssd::tb
