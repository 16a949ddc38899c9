// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what preconditioning has done, in results.json.
#pragma once

#include "models/aging/precondition.h"
#include "models/observe/statistics.h"

namespace tlmssd::aging {

/// `precondition`.
struct PreconditionReading {
    const PreconditionReport& report;
    const Geometry& geometry;
};
const observe::Table<PreconditionReading>& precondition_statistics();

} // namespace tlmssd::aging
