// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the table of NVMe's statistics.
#include "models/nvme/statistics.h"

namespace tlmssd::nvme {

using observe::Table;
using observe::Unit;

namespace {

const Table<PcieStats::Direction>& direction_statistics()
{
    using D = PcieStats::Direction;
    static const Table<D> table(
        "pcie_direction", observe::Show::Rows,
        {{"packets", Unit::Count, "transaction layer packets", &D::packets},
         {"bytes", Unit::Bytes, "bytes with framing, headers and link-layer packets", &D::bytes},
         {"payload_bytes", Unit::Bytes, "data of requests", &D::payload_bytes}});
    return table;
}

} // namespace

const Table<Statistics>& statistics()
{
    using S = Statistics;
    static const Table<S> table(
        {{"commands", Unit::Count, "submission entries that the device has fetched ([nvme.md](../explanation/nvme.md))",
          [](const S& s) { return s.port.commands; }},
         {"fetches", Unit::Count, "reads of queues that these took", [](const S& s) { return s.port.fetches; }},
         {"prp_lists", Unit::Count, "PRP lists fetched: commands with more than two memory pages",
          [](const S& s) { return s.port.lists; }},
         {"doorbells.submission", Unit::Count, "doorbells of submission queues rung",
          [](const S& s) { return s.port.submission_bells; }},
         {"doorbells.completion", Unit::Count, "doorbells of completion queues rung",
          [](const S& s) { return s.port.completion_bells; }},
         {"most_waiting", Unit::Count,
          "most entries in all submission queues that had not been fetched, from the start of the run",
          [](const S& s) { return u64{s.port.most_waiting}; }},
         {"link.to_host", "from the device to the host", direction_statistics,
          [](const S& s) -> const PcieStats::Direction& { return s.link.to_host; }},
         {"link.to_device", "from the host to the device", direction_statistics,
          [](const S& s) -> const PcieStats::Direction& { return s.link.to_device; }}});
    return table;
}

} // namespace tlmssd::nvme
