// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: line coverage of Verilated models, where they are built with it (scripts/rtl-coverage).
#pragma once

#include <verilated.h>

#if VM_COVERAGE
#include <atomic>
#include <cstdlib>
#include <string>

#include <unistd.h>
#include <verilated_cov.h>
#endif

namespace tlmssd::flash {

/// The coverage of the models of `context` is written to a file of its own in the folder
/// $TLMSSD_RTL_COVERAGE_DIR; nowhere without the variable, or in a build without coverage.
inline void write_rtl_coverage([[maybe_unused]] VerilatedContext& context)
{
#if VM_COVERAGE
    static std::atomic<unsigned> number{0};
    if (const char* const folder = std::getenv("TLMSSD_RTL_COVERAGE_DIR")) {
        const std::string path = std::string(folder) + '/' + std::to_string(::getpid()) + '-' +
                                 std::to_string(number++) + ".dat";
        context.coveragep()->write(path.c_str());
    }
#endif
}

} // namespace tlmssd::flash
