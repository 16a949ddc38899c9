// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the schedulers `paq1` and `paq2`.
#pragma once

#include "models/common/types.h"

namespace tlmssd::config {

enum class PaqClusterLimit : u8 { Package, Die };
enum class PaqWait : u8 { Skip, Block };

struct Paq {
    PaqClusterLimit cluster_limit = PaqClusterLimit::Package;
    PaqWait wait = PaqWait::Skip;
    u32 age_limit_us = 0; ///< 0: off
};

} // namespace tlmssd::config
