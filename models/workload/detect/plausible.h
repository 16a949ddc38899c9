// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which readings of the same lines no real trace would have.
#pragma once

#include <string>
#include <vector>

#include "models/workload/detect/trial.h"

namespace tlmssd::workload {

using Trials = std::vector<const Trial*>;

/// Leaves out of `left` what is implausible beside another reading; never all. From 16 requests on it compares
/// the mean gap between arrivals, the smallest request, and the number of requests that follow on the one before
/// (docs/reference/trace-detection.md). Returns a reason for each, in words.
std::vector<std::string> leave_plausible(Trials& left);

/// Both read the same requests: equal times, devices, addresses, lengths and kinds.
bool same_rows(const Trial& a, const Trial& b);

/// "spc, msr".
std::string names_of(const Trials& trials);

} // namespace tlmssd::workload
