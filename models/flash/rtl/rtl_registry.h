// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the RTL controllers that this build contains, by the name of `controller.rtl`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/flash/rtl/rtl_model.h"

namespace tlmssd::flash {

/// Names for `controller.rtl`; empty when built with TLMSSD_RTL=OFF.
std::vector<std::string> rtl_names();

/// A fresh instance with its own simulation context. `waves`: it will be traced.
/// InputError: no such controller in this build, or it does not have this policy.
std::unique_ptr<RtlModelIf> make_rtl_model(const std::string& name, bool waves,
                                           config::IssuePolicy policy = config::IssuePolicy::FirstCome);

} // namespace tlmssd::flash
