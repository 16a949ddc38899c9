// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: unloaded latencies for the bound.
#include "models/run/idle_latency.h"

#include "models/nand/array_time.h"
#include "models/nvme/pcie.h"
#include "models/onfi/bus/timing.h"
#include "models/sata/link.h"

namespace tlmssd::run {

namespace {

constexpr u32 kRegisterFisDwords = 5;

} // namespace

Unloaded::Unloaded(const config::Config& config)
    : host_(config.host), sata_(config.sata), pcie_(config.pcie), dram_(config.dram)
{
    const onfi::BusTiming timing = onfi::bus_timing(config.onfi, config.nand);
    const nand::ArrayTime array(config.nand, config.geometry, config.seed);
    const Geometry& g = config.geometry;
    onfi::DataCells cells;
    onfi::Segment command;
    command.command(onfi::cmd::kRead);
    for (int i = 0; i < 5; ++i) {
        command.address(0);
    }
    command.command(onfi::cmd::kReadConfirm);
    onfi::Segment out;
    out.burst(onfi::DataDirection::Out, g.codeword_bytes(), &cells);
    flash_read_ = segment_time(command, timing) + array.least_read() + segment_time(out, timing);
    onfi::Segment in;
    in.command(onfi::cmd::kProgram);
    for (int i = 0; i < 5; ++i) {
        in.address(0);
    }
    in.burst(onfi::DataDirection::In, g.sectors_per_page() * g.codeword_bytes(), &cells);
    in.command(onfi::cmd::kProgramConfirm);
    flash_program_ = segment_time(in, timing) + array.least_program();
}

Picoseconds Unloaded::transfer(u64 bytes, u64 requests) const
{
    if (host_.kind == config::HostKind::Sata) {
        const Picoseconds command = sata::frame_time(sata_, kRegisterFisDwords);
        const u64 line_ps = bytes / 4 * 40 * 10000 / sata_.gbps_tenths; // dwords of 40 bits
        return requests * command + Picoseconds(line_ps);
    }
    if (host_.kind == config::HostKind::Nvme) {
        const double line_ps = static_cast<double>(bytes) * nvme::byte_ps(pcie_);
        return requests * nvme::least_command_time(pcie_) + Picoseconds(static_cast<u64>(line_ps));
    }
    const Picoseconds dram = dram_.least_time(bytes);
    if (host_.direct_mb_per_s == 0) {
        return dram;
    }
    // Pieces of a request overlap on DRAM and link, so only the longer of the two is sure.
    const double link_ps = static_cast<double>(bytes) * 1e6 / host_.direct_mb_per_s;
    return max(dram, Picoseconds(static_cast<u64>(link_ps)));
}

Picoseconds Unloaded::total(const Work& work) const
{
    return transfer(work.bytes, work.requests) + work.flash_reads * flash_read_ +
           work.flash_writes * flash_program_;
}

} // namespace tlmssd::run
