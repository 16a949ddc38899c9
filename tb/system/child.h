// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the figures of several simulations in one test, each in a child process.
#pragma once

#include "tb/support/child.h"
#include "tb/system/run.h"

namespace tlmssd::tb {

/// What a child reports of its run.
struct Figures {
    bool clean = false; ///< Device::expect_clean() held, and the child came to its end
    double seconds = 0; ///< makespan
    double read_us = 0; ///< mean latencies; 0 where there were none
    double write_us = 0;
    double longest_read_us = 0;
    double read_p999_us = 0;
    double waf = 0; ///< pages programmed a page written by the host; 0: none written
    u64 multi_plane_ops = 0;
    u64 transactions = 0;
    u64 gc_runs = 0;
    u64 reordered = 0; ///< by the scheduler
    u64 issued_early = 0; ///< controller.reordered
    u64 held = 0;         ///< controller.held
    u64 suspends = 0, resumes = 0, polls = 0; ///< controller.*
    u64 programs = 0; ///< pages
    u64 reallocated = 0, hit_manager_reads = 0, cancelled_writes = 0, returned_pages = 0;
};

inline Figures figures_of(const Device& run)
{
    run.expect_clean();
    Figures f;
    f.seconds = run.makespan().seconds();
    f.read_us = run.host().reads.latency.mean_ps() * 1e-6;
    f.write_us = run.host().writes.latency.mean_ps() * 1e-6;
    f.longest_read_us = run.host().reads.latency.max().seconds() * 1e6;
    f.read_p999_us = run.host().reads.latency.quantile(0.999).seconds() * 1e6;
    const fw_stats& s = run.firmware();
    f.waf = s.host_pages_written == 0 ? 0
                                      : static_cast<double>(s.flash_pages_written) /
                                            static_cast<double>(s.host_pages_written);
    f.multi_plane_ops = s.multi_plane_ops;
    f.transactions = s.flash_operations;
    f.gc_runs = s.gc_runs;
    const auto controller = run.results()["controller"];
    f.issued_early = controller.value("reordered", u64{0});
    f.held = controller.value("held", u64{0});
    f.suspends = controller.value("suspends", u64{0});
    f.resumes = controller.value("resumes", u64{0});
    f.polls = controller.value("polls", u64{0});
    f.reordered = s.reordered;
    f.programs = s.flash_pages_written;
    f.reallocated = s.reallocated;
    f.hit_manager_reads = s.hit_manager_reads;
    f.cancelled_writes = s.cancelled_writes;
    f.returned_pages = s.returned_pages;
    f.clean = !testing::Test::HasFailure();
    return f;
}

/// Run the device in a child. Failures of the child are printed and make `clean` false.
inline Figures run_apart(const std::string& yaml, const Sets& sets = {})
{
    return in_child([&] { return figures_of(Device(yaml, sets)); }).value_or(Figures{});
}

} // namespace tlmssd::tb
