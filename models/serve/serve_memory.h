// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the shared memory of `tlmssd serve`, made and mapped.
#pragma once

#include "models/common/types.h"
#include "models/serve/serve_ring.h"

namespace tlmssd::serve {

/// The ring with the data of its slots and the map of pages behind it. The file descriptor is inherited by
/// nbdkit. ModelError where the system gives no memory.
class ServeMemory {
public:
    ServeMemory(u64 sectors, u32 page_sectors);
    ~ServeMemory();
    ServeMemory(const ServeMemory&) = delete;
    ServeMemory& operator=(const ServeMemory&) = delete;

    serve_ring& ring() { return *ring_; }
    int descriptor() const { return descriptor_; }

    /// Pages [first, end): do they hold data, or read as zeros?
    void mark(u64 first, u64 end, bool data);

private:
    int descriptor_ = -1;
    u64 bytes_ = 0;
    serve_ring* ring_ = nullptr;
};

} // namespace tlmssd::serve
