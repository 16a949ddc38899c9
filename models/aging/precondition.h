// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bring the device to a used state in zero simulated time: what is written, and until when.
#pragma once

#include <string>

#include "models/aging/functional_world.h"
#include "models/config/config.h"

namespace tlmssd::aging {

/// The work that preconditioning has done.
struct PreconditionReport {
    u64 filled = 0;       ///< pages written by the fill
    u64 overwritten = 0;  ///< and by the overwrites
    u64 programs = 0;     ///< pages programmed, garbage collection's too
    u64 erases = 0;       ///< blocks
    u64 windows = 0;      ///< of precondition.steady that were looked at
    /// Write amplification is waf_programs / waf_written: of the windows that agreed, or without
    /// precondition.steady of all overwrites.
    u64 waf_programs = 0;
    u64 waf_written = 0;
    double wall_seconds = 0;
    u64 by_arithmetic = 0; ///< of `filled`, those that no command has written (sequential_fill.h)
    bool cached = false; ///< the device comes from the cache of aged devices, and wall_seconds is for that
    std::string snapshot; ///< config_hash of that which the device comes from; empty: none
};

/// The configuration of an aged device.
struct AgingOptions {
    config::Precondition precondition;
    Geometry geometry;
    config::Nand nand;
    u64 seed = 1;
    u64 logical_pages = 0;
    u64 needed_blocks = 0; ///< good ones per plane, for its share of the logical pages

    static AgingOptions of(const config::Config& config);
};

/// The scan for factory bad blocks that a device does when it is first switched on: the firmware
/// hears of each. InputError where a plane has too few good blocks left for its logical pages.
void scan_factory_bad(const AgingOptions& options, FunctionalWorld& world);

/// scan_factory_bad(), then run options.precondition: `fill` first, then `overwrite`, with `steady` on
/// until write amplification has settled, then a FLUSH. Afterwards the firmware's statistics are
/// zero, but for its count of factory bad blocks, and it is idle. Deterministic in options.seed.
/// InputError where write amplification does not settle within precondition.steady_limit.
PreconditionReport precondition(const AgingOptions& options, FunctionalWorld& world);

/// Instead of that, for a store that a snapshot has filled: scan_factory_bad(), then the mount unless it
/// is `timed`, which means later. The firmware's statistics are zero afterwards as well. InputError where a
/// factory bad block holds data.
PreconditionReport mount(const AgingOptions& options, const nand::PageStore& store, FunctionalWorld& world,
                         bool timed);

} // namespace tlmssd::aging
