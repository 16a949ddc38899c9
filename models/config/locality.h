// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of a workload with locality (docs/explanation/locality.md).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::config {

/// A run of requests of one kind that follow on each other.
struct RunType {
    u32 sectors; ///< of the run
    u32 request; ///< sectors of each request; the last may be shorter
    bool more;   ///< it covers one block more than its size needs: it does not start with a block
    u32 weight;  ///< share of the runs of this kind, relative to the sum of all
};
struct RunTypes {
    std::string text; ///< as given
    std::vector<RunType> types;
};

/// The state of a block: never written; written, but read since; written last.
enum class BlockState : u8 { OnlyRead, ReadLast, WrittenLast };
inline constexpr std::size_t kBlockStates = 3;

/// Stack distances in blocks above the limit of the step before and up to this one, all equally likely.
struct ReuseStep {
    u64 limit;
    std::array<u32, kBlockStates> weights;
};
/// Distances of the runs of up to `blocks` blocks that no class before has. Weights are relative to their sum.
struct ReuseClass {
    u64 blocks;
    u32 fresh = 0; ///< weight of places that were never used
    std::vector<ReuseStep> steps;
};
struct Reuse {
    std::string text; ///< as given
    std::vector<ReuseClass> classes; ///< by growing length; longer runs have the last one's
};

struct Locality {
    u64 footprint = 0;     ///< bytes that are used at most; 0: this is no workload with locality
    u32 block = 4096;      ///< bytes; the unit of distances
    RunTypes read_runs, write_runs;
    Reuse read_reuse, write_reuse;
};

} // namespace tlmssd::config
