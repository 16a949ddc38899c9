// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of faults put in on purpose (inject.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

using namespace rows;

std::vector<Key> inject_keys()
{
    return {
        integer("inject.swap_page_registers_at", AT(inject.swap_page_registers_at), 0, 0, ~u64{0},
                "the n-th read burst gets another page's tags")
            .zero("never"),
        integer("inject.falsify_dma_at", AT(inject.falsify_dma_at), 0, 0, ~u64{0},
                "the n-th flash DMA goes to another page buffer")
            .zero("never"),
        integer("inject.no_grants", AT(inject.no_grants), 0, 0, 0xffff,
                "bit c: the controller o3 never gives the bus of channel c away; 0: all work"),
        text("inject.fault_script", AT(inject.fault_script), "",
             "file of timed faults: at 12 ms: die 3/1/0 stops answering", Type::File),
    };
}

} // namespace tlmssd::config
