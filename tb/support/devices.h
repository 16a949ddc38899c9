// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: configurations of small devices, as the text of device files.
#pragma once

#include <string>

namespace tlmssd::tb {

/// Two channels x two ways x two dies x two planes, 24 blocks of 16 pages of 8 KiB: small enough
/// that a few thousand writes collect every block several times. The first lines of a device file.
inline std::string tiny_flash()
{
    return R"(
nand: {page_bytes: 8192, spare_bytes: 448, t_read_us: 50, t_program_us: 400, t_erase_us: 1000}
geometry: {channels: 2, ways: 2, dies: 2, planes: 2, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
)";
}

/// tiny_flash() without link, full, without write buffer.
inline std::string tiny_device()
{
    return tiny_flash() + R"(host: {kind: direct, queue_depth: 32}
ftl: {over_provisioning: 0.5}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 1.0}
)";
}

/// One command at a time, two dies on a CE# of their own, nothing varies: for latencies in closed form.
/// `nand`: page_bytes and spare_bytes.
inline std::string one_command_device(const std::string& nand)
{
    return "nand: {" + nand + R"(, t_read_us: 50, t_program_us: 900, array_variation: 0}
geometry: {channels: 1, ways: 1, dies: 2, chip_enables: 2, planes: 1, blocks: 24, pages: 16}
onfi: {interface: nvddr, mode: 5}
cpu: {mhz: 800}
controller: {ecc_us: 1}
dram: {mb_per_s: 3200, access_ns: 100}
sata: {gbps: 6, handshake_dwords: 20}
host: {queue_depth: 1}
ftl: {over_provisioning: 1.2}
buffer: {policy: none, size_mib: 1}
precondition: {fill: 0.5}
)";
}

/// 16 dies on a channel or CE# of their own, a CPU that takes no time: launches in closed form. 256 page
/// buffers.
inline std::string launch_device(const std::string& buffer_policy)
{
    return R"(
nand: {page_bytes: 4096, spare_bytes: 224, t_read_us: 50, array_variation: 0}
geometry: {channels: 8, ways: 1, dies: 2, chip_enables: 2, planes: 1, blocks: 64, pages: 32}
onfi: {interface: nvddr, mode: 5}
cpu: {mhz: 100000}
controller: {ecc_us: 1}
dram: {mb_per_s: 3200, access_ns: 100}
host: {kind: direct, queue_depth: 32}
ftl: {over_provisioning: 0.2}
precondition: {fill: 1.0}
buffer: {policy: )" + buffer_policy + ", size_mib: 1}\n";
}

} // namespace tlmssd::tb
