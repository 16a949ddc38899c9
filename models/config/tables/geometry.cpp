// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the shape of the flash array (common/geometry.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

using namespace rows;

std::vector<Key> geometry_keys()
{
    return {
        integer("geometry.channels", AT(geometry.channels), 4, 1, 32, "buses"),
        integer("geometry.ways", AT(geometry.ways), 4, 1, 32, "packages per channel"),
        integer("geometry.chip_enables", AT(geometry.chip_enables), 1, 1, 16,
                "CE# a package; divides `dies`"),
        integer("geometry.dies", AT(geometry.dies), 2, 1, 16, "dies (LUNs) a package"),
        integer("geometry.planes", AT(geometry.planes), 1, 1, 4, "planes per die: 1, 2 or 4")
            .follows("of the part"),
        integer("geometry.blocks", AT(geometry.blocks), 1, 1, 65536, "blocks per plane")
            .follows("of the part"),
        integer("geometry.pages", AT(geometry.pages), 1, 1, 4096, "pages per block")
            .follows("of the part"),
    };
}

} // namespace tlmssd::config
