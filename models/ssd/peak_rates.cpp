// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: peak payload rates of a configuration.
#include "models/ssd/peak_rates.h"

#include "models/nand/array_time.h"
#include "models/nvme/pcie.h"
#include "models/onfi/bus/timing.h"
#include "models/sata/link.h"

namespace tlmssd::ssd {

namespace {

constexpr u32 kDataFisBytes = 8192;

onfi::Segment page_segment(const Geometry& g, bool read, onfi::DataCells& cells)
{
    onfi::Segment s;
    const u32 bytes = g.sectors_per_page() * g.codeword_bytes();
    const bool choose = !read || g.luns_per_ce() > 1;
    if (choose) {
        s.command(read ? onfi::cmd::kChangeReadColumnEnhanced : onfi::cmd::kProgram);
        for (int i = 0; i < 5; ++i) {
            s.address(0);
        }
    }
    if (read) {
        if (choose) {
            s.command(onfi::cmd::kChangeReadColumnConfirm);
        }
        s.burst(onfi::DataDirection::Out, bytes, &cells);
    } else {
        s.burst(onfi::DataDirection::In, bytes + kOobBytes, &cells);
        s.command(onfi::cmd::kProgramConfirm);
    }
    return s;
}

Picoseconds read_command_time(const onfi::BusTiming& timing)
{
    onfi::Segment s;
    s.command(onfi::cmd::kRead);
    for (int i = 0; i < 5; ++i) {
        s.address(0);
    }
    s.command(onfi::cmd::kReadConfirm);
    return segment_time(s, timing);
}

/// Means over the pages of a block: page types in their shares, no variation, no wear.
struct ArrayMeans {
    Picoseconds read;
    Picoseconds program;
};

ArrayMeans array_means(const config::Config& c)
{
    const nand::ArrayTime array(c.nand, c.geometry, c.seed);
    Picoseconds read, program;
    for (u32 page = 0; page < c.geometry.pages; ++page) {
        read += array.typical_read(page);
        program += array.typical_program(page);
    }
    return {Picoseconds(read.value() / c.geometry.pages),
            Picoseconds(program.value() / c.geometry.pages)};
}

double mb_per_s(double bytes, Picoseconds time) { return bytes / 1e6 / time.seconds(); }

} // namespace

PeakRates peak_rates(const config::Config& c)
{
    const Geometry& g = c.geometry;
    const onfi::BusTiming timing = onfi::bus_timing(c.onfi, c.nand);
    const ArrayMeans array = array_means(c);
    onfi::DataCells cells;
    const Picoseconds out =
        read_command_time(timing) + segment_time(page_segment(g, true, cells), timing);
    const Picoseconds in = segment_time(page_segment(g, false, cells), timing);
    PeakRates p{};
    p.link_to_host = c.host.kind == config::HostKind::Sata
                         ? mb_per_s(kDataFisBytes, sata::frame_time(c.sata, 1 + kDataFisBytes / 4))
                     : c.host.kind == config::HostKind::Nvme ? nvme::peak_to_host_mb_per_s(c.pcie)
                                                             : c.host.direct_mb_per_s;
    p.channel_read = g.channels * mb_per_s(g.page_bytes, out);
    p.channel_program = g.channels * mb_per_s(g.page_bytes, in);
    p.die_read = g.total_dies() * mb_per_s(g.page_bytes, out + timing.sheet.t_wb + array.read);
    p.die_program =
        g.total_dies() * mb_per_s(g.page_bytes, in + timing.sheet.t_wb + array.program);
    p.dram = c.dram.peak_mb_per_s();
    return p;
}

} // namespace tlmssd::ssd
