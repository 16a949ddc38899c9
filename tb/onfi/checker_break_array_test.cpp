// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: broken rules of busy LUNs, planes and cells in legal traffic.
#include "tb/onfi/checker_place.h"

namespace tlmssd::tb {
namespace {

using onfi::Rule;

void with_block_restriction(StreamPart& part) { part.nand.block_restriction = true; }
void with_two_programs(StreamPart& part) { part.nand.partial_programs = 2; }

const Mutation kBusy[] = {
    {"ReadWhileReading", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_read, [](Mutant&, u32 r) { return read_command(r); });
     }},
    {"ProgramWhileErasing", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_erase, [](Mutant& n, u32 r) { return program(r, 0, 16, n.cells()); });
     }},
    {"EraseWhileProgramming", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_program, [](Mutant&, u32 r) { return erase(r); });
     }},
    {"DataOutWhileReading", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_read, [](Mutant& n, u32) { return direct_out(16, n.cells()); });
     }},
    {"ColumnChangeWhileErasing", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_erase, [](Mutant& n, u32) { return column_out(0, 16, n.cells()); });
     }},
    {"PlaneChoiceWhileReading", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_read, [](Mutant& n, u32 r) { return enhanced_out(r, 0, 1, n.cells()); });
     }},
    {"CacheReadWhileReading", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_read, [](Mutant&, u32) { return lone_command(0x31); });
     }},
    {"CommandWithinTdbsy", Rule::LunBusy, // of 1 us: the next cycles come before
     [](Mutant& m) {
         while_busy(m, [](const Event& e) { return e.ends(0x32); },
                    [](Mutant&, u32 r) { return read_command(r); });
     },
     [](StreamPart& part) { part.nand.t_plane_queue = microseconds(3); }},
    {"ReadIdWhileALunErases", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_erase, [](Mutant& n, u32) { return read_id(0x00, 5, n.cells()); });
     }},
    {"ParameterPageWhileALunPrograms", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_program, [](Mutant&, u32) { return read_register(0xec, 0x00); });
     }},
    {"SetFeaturesWhileALunErases", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_erase, [](Mutant& n, u32) { return set_features(0x10, n.cells(1)); });
     }},
    {"ResumeWhileErasing", Rule::LunBusy,
     [](Mutant& m) {
         while_busy(m, is_erase, [](Mutant&, u32 r) { return row_command(0xd2, r); });
     }},
    {"FirstCycleOnePsBeforeReady", Rule::LunBusy,
     [](Mutant& m) {
         // The edge before a read, with only status reads between.
         const auto edge_before = [&](std::size_t n) {
             std::size_t i = n - 1;
             const Event& e = m.events()[n];
             while (i > 0 && (m.events()[i].ce != e.ce || m.events()[i].at == e.at ||
                              m.events()[i].starts(0x70) || m.events()[i].starts(0x78))) {
                 --i;
             }
             return i;
         };
         const std::size_t n = m.pick([&](std::size_t i) {
             const Event& edge = m.events()[edge_before(i)];
             return is_read(m.events()[i]) && edge.kind == Event::Kind::Rise &&
                    edge.lun == m.events()[i].lun && !edge.rises(0xef);
         });
         const Event& read = m.events()[n];
         m.set_edge(edge_before(n), read.segment.start.value() + kDrives[read.drive].cs + 1);
     }},
    {"EraseBehindACachedProgram", Rule::LunBusy,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.cached_write(p.row(0, 1, 0));
         p.put(erase(p.row(1, 1, 0)));
     }},
    {"CopybackBehindACachedProgram", Rule::LunBusy,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.read(p.row(1, 0, 0), 0x35);
         p.cached_write(p.row(0, 1, 0));
         p.put(copyback_program(p.row(1, 1, 0), 0, 0, p.cells()));
     }},
    {"ReadBehindACacheRead", Rule::LunBusy,
     [](Mutant& m) {
         Place p(m);
         p.read(p.row(0, 1, 0));
         p.cached_read();
         p.put(read_command(p.row(0, 2, 0)));
     }},
};

const Mutation kPlanes[] = {
    {"ReadOfTwoPageOffsets", Rule::MultiPlane,
     [](Mutant& m) {
         Place p(m);
         p.queue_read(p.row(0, 1, 2));
         p.read(p.row(1, 1, 3));
     }},
    {"ReadOfOnePlaneTwice", Rule::MultiPlane,
     [](Mutant& m) {
         Place p(m);
         p.queue_read(p.row(0, 1, 2));
         p.read(p.row(0, 2, 2));
     }},
    {"EraseOfOnePlaneTwice", Rule::MultiPlane,
     [](Mutant& m) {
         Place p(m);
         p.put(erase(p.row(0, 1, 0), 0xd1), 500000);
         p.erase_block(0, 2);
     }},
    {"EraseBehindAQueuedRead", Rule::MultiPlane,
     [](Mutant& m) {
         Place p(m);
         p.queue_read(p.row(0, 1, 0));
         p.erase_block(1, 1);
     }},
    {"ProgramOfTwoPageOffsets", Rule::MultiPlane,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 1);
         p.erase_block(1, 1);
         p.write(p.row(1, 1, 0));
         p.queue_write(p.row(0, 1, 0));
         p.write(p.row(1, 1, 1));
     }},
    {"PlanesOfTwoBlocksUnderARestriction", Rule::MultiPlane,
     [](Mutant& m) {
         Place p(m);
         p.queue_read(p.row(0, 1, 2));
         p.read(p.row(1, 2, 2));
     },
     with_block_restriction},
};

const Mutation kCells[] = {
    {"PageSkipped", Rule::PageOrder,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(1, 3);
         p.write(p.row(1, 3, 1));
     }},
    {"PageSkippedInACache", Rule::PageOrder,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(1, 3);
         p.cached_write(p.row(1, 3, 0));
         p.put(program(p.row(1, 3, 2), 0, 16, p.cells()), 200000000);
     }},
    {"PageProgrammedTwice", Rule::NotErased,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(1, 3);
         p.write(p.row(1, 3, 0));
         p.write(p.row(1, 3, 0));
     }},
    {"EarlierPageProgrammedAgain", Rule::NotErased,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 3);
         p.write(p.row(0, 3, 0));
         p.write(p.row(0, 3, 1));
         p.write(p.row(0, 3, 0));
     }},
    {"CopybackToAProgrammedPage", Rule::NotErased,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 3);
         p.write(p.row(0, 3, 0));
         p.read(p.row(0, 4, 0), 0x35);
         p.put(copyback_program(p.row(0, 3, 0), 0, 0, p.cells()), 100000000);
     }},
    {"ProgramBehindAnInterruptedErase", Rule::NotErased,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 3);
         p.write(p.row(0, 3, 0));
         p.erase_block(0, 3);
         p.put_behind(row_command(0xfa, p.row(0, 3, 0)));
         p.write(p.row(0, 3, 0));
     }},
    {"ThirdProgramOfAPage", Rule::PartialPrograms,
     [](Mutant& m) {
         Place p(m);
         p.erase_block(0, 3);
         p.write(p.row(0, 3, 0));
         p.write(p.row(0, 3, 0));
         p.write(p.row(0, 3, 0));
     },
     with_two_programs},
};

class BrokenInTheArray : public testing::TestWithParam<Mutation> {};

TEST_P(BrokenInTheArray, IsCaughtWithItsTwoCycles) { expect_caught(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Busy, BrokenInTheArray, testing::ValuesIn(kBusy), mutation_name);
INSTANTIATE_TEST_SUITE_P(Planes, BrokenInTheArray, testing::ValuesIn(kPlanes), mutation_name);
INSTANTIATE_TEST_SUITE_P(Cells, BrokenInTheArray, testing::ValuesIn(kCells), mutation_name);

} // namespace
} // namespace tlmssd::tb
