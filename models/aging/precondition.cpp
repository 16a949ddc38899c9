// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the preconditioning patterns.
#include "models/aging/precondition.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "models/aging/sequential_fill.h"
#include "models/aging/steady.h"
#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/nand/errors/error_model.h"
#include "models/workload/random/distributions.h"

namespace tlmssd::aging {

namespace {

constexpr u32 kPagesPerCommand = 32;
constexpr u64 kAhead = 16;     // writes that are known before their turn, so that memory can be fetched
constexpr u64 kLeastBlocks = 4;     // a plane in a window
constexpr u64 kLeastPages = 1 << 14; // in a window, so that chance does not decide on small devices
enum Purpose : u64 { kOverwrite = 0x70726530, kShuffle = 0x70726531, kSkewed = 0x70726532 };

/// A fixed pseudo-random permutation of [0, n): a Feistel network on the next even number of bits,
/// walked until the value lies in range.
class Permutation {
public:
    Permutation(u64 n, u64 seed) : n_(n), seed_(seed)
    {
        u32 bits = 2;
        while ((u64{1} << bits) < n) {
            bits += 2;
        }
        half_ = bits / 2;
    }
    u64 operator()(u64 i) const
    {
        do {
            i = encrypt(i);
        } while (i >= n_);
        return i;
    }

private:
    u64 encrypt(u64 x) const
    {
        const u64 mask = (u64{1} << half_) - 1;
        u64 left = x >> half_;
        u64 right = x & mask;
        for (u64 round = 0; round < 4; ++round) {
            const u64 next = left ^ (draw64(seed_, kShuffle + round, right) & mask);
            left = right;
            right = next;
        }
        return left << half_ | right;
    }

    u64 n_;
    u64 seed_;
    u32 half_;
};

u64 part(double fraction, u64 pages)
{
    return static_cast<u64>(std::llround(fraction * static_cast<double>(pages)));
}

/// The page that the n-th overwrite goes to.
class Overwrites {
public:
    explicit Overwrites(const AgingOptions& options)
        : sequential_(options.precondition.overwrite_pattern.sequential),
          uniform_(options.precondition.overwrite_pattern.rule.kind == config::Distribution::Random),
          seed_(options.seed),
          range_(std::max<u64>(1, part(options.precondition.range, options.logical_pages))),
          draw_(options.precondition.overwrite_pattern.rule, config::kWrites, range_,
                draw64(options.seed, kSkewed, 0))
    {
    }
    u64 operator()(u64 n) const
    {
        return sequential_ ? n % range_
               : uniform_  ? draw_below(draw64(seed_, kOverwrite, n), range_)
                           : draw_(n, range_);
    }

private:
    bool sequential_;
    bool uniform_;
    u64 seed_;
    u64 range_;
    workload::BlockDraw draw_;
};

/// Write pages page_of(from), page_of(from + 1), ... one by one.
template <class PageOf>
void write_each(FunctionalWorld& world, u64 from, u64 count, const PageOf& page_of)
{
    std::array<u64, kAhead> ahead;
    const auto look = [&](u64 i) {
        ahead[i % kAhead] = page_of(from + i);
        world.prefetch(ahead[i % kAhead]);
    };
    for (u64 i = 0; i < std::min(kAhead, count); ++i) {
        look(i);
    }
    for (u64 i = 0; i < count; ++i) {
        const u64 page = ahead[i % kAhead];
        if (i + kAhead < count) {
            look(i + kAhead);
        }
        world.write_pages(static_cast<u32>(page), 1);
    }
}

/// Returns the pages that no command has written.
u64 fill(const AgingOptions& options, FunctionalWorld& world, u64 filled)
{
    u64 by_arithmetic = 0;
    if (options.precondition.pattern == config::Pattern::Sequential) {
        FillPlan plan;
        // with a turn of one command it would be worth it, if at all
        if (options.precondition.arithmetic && world.can_fill() &&
            plan_fill(world.firmware(), filled, kPagesPerCommand, kPagesPerCommand).pages != 0) {
            plan = plan_fill(world.firmware(), filled, kPagesPerCommand,
                             turn_of_buffer(world.firmware(), kPagesPerCommand));
        }
        if (plan.pages != 0 && rehearse(world.firmware(), plan, kPagesPerCommand) &&
            world.fill(plan.pages, kPagesPerCommand)) {
            by_arithmetic = world.counts().written;
        }
        for (u64 page = by_arithmetic; page < filled; page += kPagesPerCommand) {
            world.write_pages(static_cast<u32>(page),
                              static_cast<u32>(std::min<u64>(kPagesPerCommand, filled - page)));
        }
    } else if (filled > 0) {
        write_each(world, 0, filled, Permutation(filled, options.seed));
    }
    return by_arithmetic;
}

/// Overwrite until write amplification is steady; returns the pages written, `overwritten` included.
u64 overwrite_until_steady(const AgingOptions& options, FunctionalWorld& world,
                           const Overwrites& page_of, u64 overwritten, PreconditionReport& report)
{
    const config::Precondition& p = options.precondition;
    const Geometry& g = options.geometry;
    const u64 pages = options.logical_pages;
    const u64 window = std::max({part(p.steady_window, pages), kLeastPages,
                                 kLeastBlocks * g.pages * g.total_planes()});
    const u64 most = part(p.steady_limit, pages);
    Steady steady(p.steady_windows, p.steady_change, window);
    for (;;) {
        const FunctionalWorld::Counts before = world.counts();
        if (overwritten + window > most) {
            throw InputError(steady.missed(p, pages, overwritten));
        }
        write_each(world, overwritten, window, page_of);
        overwritten += window;
        const u64 programs = world.counts().programs - before.programs;
        if (before.programs < g.total_pages() && programs != 0) {
            continue; // blocks that were never used give no picture yet; without programs it all fits the cache
        }
        if (steady.add(programs)) {
            report.windows = steady.windows();
            report.waf_programs = steady.best().programs;
            report.waf_written = steady.best().written;
            return overwritten;
        }
    }
}

void finish(std::chrono::steady_clock::time_point began, FunctionalWorld& world, PreconditionReport& report)
{
    report.programs = world.counts().programs;
    report.erases = world.counts().erases;
    report.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    world.clear_stats();
}

} // namespace

AgingOptions AgingOptions::of(const config::Config& config)
{
    const Geometry& g = config.geometry;
    const u64 share = (config.logical_pages() + config.table_pages() + g.total_planes() - 1) / g.total_planes();
    const u32 pages = config.data_pages();
    const u64 needed = (share + config.ragged_pages(g.blocks) + pages - 1) / pages + config.ftl.gc_threshold_blocks +
                       config.ftl.open_blocks() + config.map_blocks();
    return {config.precondition, g, config.nand, config.seed, config.logical_pages(), needed};
}

void scan_factory_bad(const AgingOptions& options, FunctionalWorld& world)
{
    const Geometry& g = options.geometry;
    const nand::ErrorModel errors(options.nand, g, options.seed);
    if (!errors.enabled() || options.nand.errors.factory_bad == 0) {
        return;
    }
    for (u32 die = 0; die < g.total_dies(); ++die) {
        for (u32 plane = 0; plane < g.planes; ++plane) {
            u32 good = g.blocks;
            for (u32 block = 0; block < g.blocks; ++block) {
                if (errors.factory_bad(die, plane, block)) {
                    world.mark_bad(die, plane, block);
                    --good;
                }
            }
            if (good < options.needed_blocks) {
                throw InputError(
                    "nand.errors.factory_bad: leaves " + std::to_string(good) + " good blocks of " +
                    std::to_string(g.blocks) + " in plane " + std::to_string(plane) + " of die " +
                    std::to_string(die) + "; its share of the logical pages needs " +
                    std::to_string(options.needed_blocks) +
                    ": lower it, or raise ftl.over_provisioning or the number of blocks");
            }
        }
    }
}

PreconditionReport precondition(const AgingOptions& options, FunctionalWorld& world)
{
    const auto began = std::chrono::steady_clock::now();
    scan_factory_bad(options, world);
    const config::Precondition& p = options.precondition;
    PreconditionReport report;
    report.filled = part(p.fill, options.logical_pages);
    report.by_arithmetic = fill(options, world, report.filled);
    report.overwritten = part(p.overwrite, options.logical_pages);
    const FunctionalWorld::Counts before = world.counts();
    if (report.overwritten > 0 || p.steady) {
        const Overwrites page_of(options);
        write_each(world, 0, report.overwritten, page_of);
        if (p.steady) {
            report.overwritten =
                overwrite_until_steady(options, world, page_of, report.overwritten, report);
        }
    }
    if (report.filled + report.overwritten > 0) {
        world.flush();
    }
    if (!p.steady) {
        report.waf_programs = world.counts().programs - before.programs;
        report.waf_written = report.overwritten;
    }
    finish(began, world, report);
    return report;
}

PreconditionReport mount(const AgingOptions& options, const nand::PageStore& store, FunctionalWorld& world,
                         bool timed)
{
    const auto began = std::chrono::steady_clock::now();
    const Geometry& g = options.geometry;
    const nand::ErrorModel errors(options.nand, g, options.seed);
    for (u32 die = 0; errors.enabled() && die < g.total_dies(); ++die) {
        for (u32 plane = 0; plane < g.planes; ++plane) {
            for (u32 block = 0; block < g.blocks; ++block) {
                if (errors.factory_bad(die, plane, block) && store.next_page({die, plane, block, 0}) != 0) {
                    throw InputError("nand.errors.factory_bad: block " + std::to_string(block) + " of plane " +
                                     std::to_string(plane) + " of die " + std::to_string(die) +
                                     " holds data in the snapshot; use the factory_bad and the seed it was made with");
                }
            }
        }
    }
    scan_factory_bad(options, world);
    if (!timed) {
        world.mount();
    }
    PreconditionReport report;
    finish(began, world, report);
    return report;
}

} // namespace tlmssd::aging
