// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: NVMe queue entries as bytes.
#include "models/nvme_device/protocol/entries.h"

#include "models/nvme_device/protocol/bytes.h"

namespace tlmssd::nvme_device {

Submission unpack_submission(const u8* bytes)
{
    Submission s;
    for (u32 i = 0; i < s.dw.size(); ++i) {
        s.dw[i] = get32(bytes + 4 * i);
    }
    return s;
}

void pack(const Completion& c, bool phase, u8* bytes)
{
    put32(bytes, c.result);
    put32(bytes + 4, 0);
    put16(bytes + 8, c.sq_head);
    put16(bytes + 10, c.sq);
    put16(bytes + 12, c.id);
    put16(bytes + 14, u32{phase} | u32{c.status} << 1);
}

} // namespace tlmssd::nvme_device
