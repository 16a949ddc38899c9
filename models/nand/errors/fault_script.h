// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: faults at given times, read from a file.
#pragma once

#include <string>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/picoseconds.h"

namespace tlmssd::nand {

enum class FaultKind : u8 {
    StopsAnswering, ///< the die ignores every command; busy stays busy; its status reads FFh
    AnswersAgain,   ///< as after a power cycle: idle, registers empty
    FailsPrograms,  ///< every program reports FAIL
    FailsErases,
    BlockGoesBad    ///< programs and erases of one block report FAIL from now on
};

struct Fault {
    Picoseconds at;
    FaultKind kind = FaultKind::StopsAnswering;
    u32 die = 0; ///< over the device
    u32 plane = 0;
    u32 block = 0;
};

/// Lines of `at TIME UNIT: die CHANNEL/WAY/DIE WHAT`, `#` starts a comment, UNIT ns, us, ms or s,
/// WHAT `stops answering`, `answers again`, `fails programs`, `fails erases` or
/// `block PLANE/BLOCK goes bad`. Sorted by time. Throws InputError with file, line and the nearest
/// valid words.
std::vector<Fault> read_fault_script(const std::string& path, const Geometry& geometry);

} // namespace tlmssd::nand
