// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: snapshot.json and its checks.
#include "models/snapshot/snapshot_head.h"

namespace tlmssd::snapshot {

using observe::Json;

std::string snapshot_text(const Json& head) { return head.dump(1) + "\n"; }

u32 snapshot_crc(const Json& head)
{
    const std::string text = snapshot_text(head);
    SnapshotSink sink;
    sink.put(reinterpret_cast<const u8*>(text.data()), text.size());
    return sink.crc();
}

Json checked_head(SnapshotReader& in)
{
    Json head = in.head();
    const u32 crc = head.value("crc32", u32{0});
    if (head.value("format", "") != "tlmssd-snapshot") {
        in.refuse("no snapshot of tlmssd");
    }
    if (const u64 version = head.value("version", u64{0}); version != kSnapshotVersion) {
        in.refuse("format version " + std::to_string(version) + "; this program reads version " +
                  std::to_string(kSnapshotVersion));
    }
    head.erase("crc32");
    if (snapshot_crc(head) != crc) {
        in.damaged("snapshot.json: its checksum is wrong");
    }
    return head;
}

} // namespace tlmssd::snapshot
