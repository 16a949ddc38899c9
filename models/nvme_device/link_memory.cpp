// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: accesses of host memory over the link that wait.
#include "models/nvme_device/link_memory.h"

namespace tlmssd::nvme_device {

using nvme::Transfer;

u32 LinkMemory::begin()
{
    const u32 slot = accesses_.take();
    accesses_[slot].open = true;
    return slot;
}

bool LinkMemory::end(u32 slot)
{
    Access& a = accesses_[slot];
    while (a.open) { // not on a link without time
        sc_core::wait(a.ended);
    }
    const bool good = !a.failed;
    accesses_.free(slot);
    return good;
}

bool LinkMemory::read(u64 address, u8* data, u32 bytes)
{
    Transfer t;
    t.kind = Transfer::Kind::List;
    t.slot = begin();
    t.address = address;
    t.data = data;
    t.bytes = bytes;
    link_.read(t, false);
    return end(t.slot);
}

bool LinkMemory::write(u64 address, const u8* data, u32 bytes)
{
    Transfer t;
    t.kind = Transfer::Kind::AdminData;
    t.slot = begin();
    t.address = address;
    t.data = const_cast<u8*>(data); // a transfer has one pointer for both directions
    t.bytes = bytes;
    link_.post(t);
    return end(t.slot);
}

void LinkMemory::on_end(const Transfer& t)
{
    Access& a = accesses_[t.slot];
    a.open = false;
    a.failed = t.failed;
    if (!link_.timeless()) {
        event_queue_.notify(a.ended);
    }
}

} // namespace tlmssd::nvme_device
