// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of faults put in on purpose.
#pragma once

#include <string>

#include "models/common/types.h"

namespace tlmssd::config {

struct Inject { ///< faults; 0 or empty: off
    u64 swap_page_registers_at = 0; ///< the n-th read burst (from 1) gets another page's tags
    u64 falsify_dma_at = 0;         ///< the n-th flash DMA (from 1) goes to another page buffer
    u32 no_grants = 0;              ///< bit c: the RTL controller never gives channel c's bus away
    std::string fault_script;       ///< file with lines "at 12 ms: die 3/1/0 stops answering"
};

} // namespace tlmssd::config
