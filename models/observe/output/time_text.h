// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: times of simulation as a user writes them.
#pragma once

#include <string>

#include "models/common/picoseconds.h"

namespace tlmssd::observe {

/// "1.5ms", "250us", "12 ns", "0.000001s": a decimal number and ps, ns, us, ms or s. Exact: a digit
/// below one picosecond is an error. Throws InputError that names `option`.
Picoseconds time_of(const std::string& text, const std::string& option);

} // namespace tlmssd::observe
