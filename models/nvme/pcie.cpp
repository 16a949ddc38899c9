// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: sizes of PCI Express packets.
#include "models/nvme/pcie.h"

#include "models/nvme/entries.h"

namespace tlmssd::nvme {

namespace {

constexpr u32 kFraming = 8; // STP, sequence number, LCRC, END; from generation 3 on token and LCRC
constexpr u32 kRequestHeader = 16;
constexpr u32 kCompletionHeader = 12;

constexpr u32 pieces(u32 bytes, u32 most) { return (bytes + most - 1) / most; }

Packets with_data(u32 bytes, u32 most, u32 header)
{
    const u32 count = pieces(bytes, most);
    return {count, bytes + count * (kFraming + header)};
}

} // namespace

double byte_ps(const config::Pcie& config)
{
    static constexpr double kGigatransfers[] = {2.5, 5, 8, 16, 32};
    const double code = config.generation <= 2 ? 10.0 / 8 : 130.0 / 128;
    return 8e3 * code / (kGigatransfers[config.generation - 1] * config.lanes);
}

Packets write_packets(const config::Pcie& config, u32 bytes)
{
    return with_data(bytes, config.max_payload, kRequestHeader);
}

Packets completion_packets(const config::Pcie& config, u32 bytes)
{
    return with_data(bytes, config.max_payload, kCompletionHeader);
}

Packets read_packets(const config::Pcie& config, u32 bytes)
{
    const u32 count = pieces(bytes, config.read_request);
    return {count, count * (kFraming + kRequestHeader)};
}

Picoseconds least_command_time(const config::Pcie& config)
{
    const u32 bytes = write_packets(config, 4).bytes + read_packets(config, kSubmissionBytes).bytes +
                      completion_packets(config, kSubmissionBytes).bytes +
                      write_packets(config, kCompletionBytes).bytes + write_packets(config, 4).bytes;
    return Picoseconds(static_cast<u64>(bytes * byte_ps(config))) + 4 * config.latency + config.host_memory;
}

double peak_to_host_mb_per_s(const config::Pcie& config)
{
    return 1e6 * config.max_payload / (write_packets(config, config.max_payload).bytes * byte_ps(config));
}

double peak_to_device_mb_per_s(const config::Pcie& config)
{
    return 1e6 * config.max_payload / (completion_packets(config, config.max_payload).bytes * byte_ps(config));
}

} // namespace tlmssd::nvme
