// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: `tlmssd serve`: the model as an NBD server (docs/guides/nbd-server.md).
#pragma once

#include <string>

#include "models/config/config.h"

namespace tlmssd::serve {

struct ServeArguments {
    std::string socket;
    std::string device; ///< file of the cells; empty: they stand in memory
    std::string out; ///< directory for results.json; empty: none
    u32 threads = 16; ///< of nbdkit for each connection
    bool quiet = false;
};

/// Until SIGINT or SIGTERM. The exit status; InputError, ModelError.
int serve(const ServeArguments& arguments, config::Config config);

} // namespace tlmssd::serve
