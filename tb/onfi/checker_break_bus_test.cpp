// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: broken bus times, interfaces and R/B# edges in legal traffic.
#include "tb/onfi/checker_mutant.h"

namespace tlmssd::tb {
namespace {

using onfi::Rule;

/// One picosecond less of a segment that the predicate likes.
template <class Predicate>
void shorten(Mutant& m, Predicate likes)
{
    const std::size_t i = m.pick_segment(likes);
    m.set_end(i, m.events()[i].at - 1);
}

void rise_early(Mutant& m, u8 cause)
{
    const std::size_t i = m.pick([&](std::size_t n) { return m.events()[n].rises(cause); });
    m.set_edge(i, m.events()[i].least - 1);
}

/// The same of a cache operation whose time is (not) that of the registers alone.
void cached_rise_early(Mutant& m, u8 cause, u64 registers, bool array)
{
    const std::size_t i = m.pick([&](std::size_t n) {
        const Event& e = m.events()[n];
        if (!e.rises(cause)) {
            return false;
        }
        std::size_t fall = n;
        while (m.events()[fall].kind != Event::Kind::Fall || m.events()[fall].ce != e.ce ||
               m.events()[fall].lun != e.lun) {
            --fall;
        }
        return (e.least != m.events()[fall].at + registers) == array;
    });
    m.set_edge(i, m.events()[i].least - 1);
}

/// The edge that answers a segment which the predicate likes.
template <class Predicate>
std::size_t pick_fall(Mutant& m, Predicate likes)
{
    return m.pick([&](std::size_t n) {
        if (m.events()[n].kind != Event::Kind::Fall) {
            return false;
        }
        std::size_t answered = n;
        while (!m.events()[answered].is_segment()) {
            ++answered;
        }
        return likes(m.events()[answered]);
    });
}

bool is_read(const Event& e) { return e.starts(0x00) && e.ends(0x30); }
bool is_program(const Event& e) { return e.starts(0x80) && e.ends(0x10); }
bool is_erase(const Event& e) { return e.starts(0x60) && e.ends(0xd0); }
bool sets_mode(const Event& e) { return e.starts(0xef) && e.segment.bytes[1] == 0x01; }
bool is_bare(const Event& e, DataDirection d)
{
    return e.is_segment() && e.cycles() == 0 && e.segment.direction == d;
}

const Mutation kMutations[] = {
    // Time on the bus
    {"ReadCommandOnePsShort", Rule::SegmentTooShort, [](Mutant& m) { shorten(m, is_read); }},
    {"EraseCommandOnePsShort", Rule::SegmentTooShort, [](Mutant& m) { shorten(m, is_erase); }},
    {"StatusOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) { shorten(m, [](const Event& e) { return e.starts(0x70); }); }},
    {"EnhancedStatusOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) { shorten(m, [](const Event& e) { return e.starts(0x78); }); }},
    {"ColumnChangeOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) { shorten(m, [](const Event& e) { return e.starts(0x05); }); }},
    {"EnhancedColumnChangeOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) { shorten(m, [](const Event& e) { return e.starts(0x06); }); }},
    {"ProgramOnePsShort", Rule::SegmentTooShort, [](Mutant& m) { shorten(m, is_program); }},
    {"ChangeWriteColumnOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) {
         shorten(m, [](const Event& e) { return e.starts(0x85) && e.segment.trail == 0; });
     }},
    {"FeatureBytesOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) { shorten(m, [](const Event& e) { return e.starts(0xef); }); }},
    {"IdBytesOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) { shorten(m, [](const Event& e) { return e.starts(0x90); }); }},
    {"BareBurstOutOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) {
         shorten(m, [](const Event& e) { return is_bare(e, DataDirection::Out); });
     }},
    {"BareBurstInOnePsShort", Rule::SegmentTooShort,
     [](Mutant& m) { shorten(m, [](const Event& e) { return is_bare(e, DataDirection::In); }); }},
    {"CommandOnePsInsideTurnaround", Rule::SegmentTooShort,
     [](Mutant& m) {
         const std::size_t i = m.pick([&](std::size_t n) {
             const Event& e = m.events()[n];
             return (e.starts(0x70) || e.starts(0x78)) &&
                    m.previous_segment(n).segment.direction == DataDirection::Out;
         });
         const Event before = m.previous_segment(i);
         const u64 cs = kDrives[m.events()[i].drive].cs;
         m.move(i, before.at + kDrives[before.drive].rhw - cs - 1);
     }},
    {"SegmentOnePsOverTheEndOfAnother", Rule::BusOverlap,
     [](Mutant& m) {
         const std::size_t i = m.pick([&](std::size_t n) {
             const Event& e = m.events()[n];
             return e.starts(0x78) && m.previous_segment(n).is_segment() &&
                    m.previous_segment(n).segment.direction != DataDirection::Out;
         });
         m.move(i, m.previous_segment(i).at - 1);
     }},

    // Data interface
    {"DrivenInSdrWhenSetToDdr", Rule::WrongInterface,
     [](Mutant& m) {
         m.redrive(m.pick_segment([](const Event& e) {
             return e.drive >= kNvDdr5 && !e.starts(0xff);
         }), kSdr3);
     }},
    {"DrivenInDdrWhenSetToSdr", Rule::WrongInterface,
     [](Mutant& m) {
         m.redrive(m.pick_segment([](const Event& e) {
             return e.drive <= kSdr5 && !e.starts(0xff);
         }), kNvDdr2);
     }},
    {"DrivenFasterThanTheModeSet", Rule::WrongInterface,
     [](Mutant& m) {
         m.redrive(m.pick_segment([](const Event& e) {
             return e.drive <= kSdr3 && !e.starts(0xff);
         }), kSdr5);
     }},
    {"NewInterfaceBeforeTfeatHasPassed", Rule::WrongInterface,
     [](Mutant& m) {
         const std::size_t i = m.pick_segment(sets_mode);
         m.put_behind(i, read_status(m.cells()));
         m.redrive(i + 1, m.events()[i].drive == kNvDdr2 ? kNvDdr3 : kNvDdr2);
     }},
    {"SetFeaturesToASlowerModeThanIsDriven", Rule::WrongInterface,
     [](Mutant& m) {
         const std::size_t i = m.pick([&](std::size_t n) {
             const std::vector<Event>& all = m.events();
             if (!sets_mode(all[n])) {
                 return false;
             }
             std::size_t next = n + 1;
             while (next < all.size() && (!all[next].is_segment() || all[next].ce != all[n].ce)) {
                 ++next;
             }
             return next < all.size() && all[next].drive > kSdr0 && !all[next].starts(0xff) &&
                    all[next].segment.start.value() > all[n].at + 2000000; // tFEAT has passed
         });
         m.events()[i].segment.data = &m.cells(0x40); // SDR 0; the stream goes on in another
     }},
    {"DdrAfterFfh", Rule::WrongInterface,
     [](Mutant& m) {
         m.redrive(m.pick_segment([](const Event& e) { return sets_mode(e) && e.drive == kSdr0; }),
                   kNvDdr2);
     }},
    {"SynchronousResetInSdr", Rule::WrongInterface,
     [](Mutant& m) {
         const std::size_t i = m.pick_segment(
             [](const Event& e) { return e.starts(0xff) && e.drive <= kSdr5; });
         m.events()[i].segment.bytes[0] = 0xfc;
     }},

    // Ready edges
    {"ReadReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x30); }},
    {"CopybackReadReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x35); }},
    {"ProgramReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x10); }},
    {"EraseReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xd0); }},
    {"QueuedReadReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x32); }},
    {"QueuedProgramReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x11); }},
    {"QueuedEraseReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xd1); }},
    {"CacheReadReadyBeforeTrcbsy", Rule::ReadyTooEarly,
     [](Mutant& m) { cached_rise_early(m, 0x31, 3000000, false); }},
    {"CacheReadReadyBeforeTheArray", Rule::ReadyTooEarly,
     [](Mutant& m) { cached_rise_early(m, 0x31, 3000000, true); }},
    {"CacheEndReadyBeforeTheArray", Rule::ReadyTooEarly,
     [](Mutant& m) { cached_rise_early(m, 0x3f, 3000000, true); }},
    {"CacheProgramReadyBeforeTcbsy", Rule::ReadyTooEarly,
     [](Mutant& m) { cached_rise_early(m, 0x15, 3000000, false); }},
    {"CacheProgramReadyBeforeTheArray", Rule::ReadyTooEarly,
     [](Mutant& m) { cached_rise_early(m, 0x15, 3000000, true); }},
    {"ProgramBehindCacheReadyBeforeBothPages", Rule::ReadyTooEarly,
     [](Mutant& m) { cached_rise_early(m, 0x10, 100000000, true); }},
    {"ParameterPageReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xec); }},
    {"UniqueIdReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xed); }},
    {"SetFeaturesReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xef); }},
    {"GetFeaturesReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xee); }},
    {"LunFeaturesReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xd5); }},
    {"ProgramSuspendReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x84); }},
    {"EraseSuspendReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x61); }},
    {"ProgramResumeReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0x13); }},
    {"EraseResumeReadyOnePsEarly", Rule::ReadyTooEarly, [](Mutant& m) { rise_early(m, 0xd2); }},
    {"NoBusyEdgeAfterARead", Rule::ReadyEdge,
     [](Mutant& m) { m.remove(pick_fall(m, is_read)); }},
    {"NoBusyEdgeAfterAnErase", Rule::ReadyEdge,
     [](Mutant& m) { m.remove(pick_fall(m, is_erase)); }},
    {"NoBusyEdgeOfOneLunAfterFfh", Rule::ReadyEdge,
     [](Mutant& m) {
         m.remove(pick_fall(m, [](const Event& e) { return e.starts(0xff); }));
     }},
    {"BusyEdgeTwice", Rule::ReadyEdge,
     [](Mutant& m) {
         const std::size_t i = pick_fall(m, is_program);
         m.add_edge(i, Event::Kind::Fall, m.events()[i].at + 1);
     }},
    {"ReadyEdgeOfAReadyLun", Rule::ReadyEdge,
     [](Mutant& m) {
         const std::size_t i = m.pick_idle();
         m.add_edge(i, Event::Kind::Rise, m.events()[i].segment.start.value());
     }},
};

class BrokenOnTheBus : public testing::TestWithParam<Mutation> {};

TEST_P(BrokenOnTheBus, IsCaughtWithItsTwoCycles) { expect_caught(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Mutations, BrokenOnTheBus, testing::ValuesIn(kMutations), mutation_name);

} // namespace
} // namespace tlmssd::tb
