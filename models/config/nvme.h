// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of NVMe and its PCI Express link.
#pragma once

#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class NvmeArbitration : u8 { RoundRobin, Weighted };
enum class NvmeSteer : u8 { Job, RoundRobin };

enum class NvmeEngine : u8 { Hardware, Firmware };

/// Times of the controller's units for each of their actions, beside the link.
struct NvmeUnits {
    NvmeEngine engine = NvmeEngine::Hardware; ///< its own units, or the firmware's core
    Picoseconds fetch;      ///< a turn of arbitration
    Picoseconds decode;     ///< a command
    Picoseconds completion; ///< a completion entry

    bool takes_time() const { return fetch + decode + completion != Picoseconds(); }
};

struct Nvme {
    u32 queues = 1;           ///< queue pairs
    u32 queue_entries = 1024; ///< of each queue
    u32 commands = 1024;      ///< inside the device at most
    NvmeSteer steer = NvmeSteer::Job;
    NvmeArbitration arbitration = NvmeArbitration::RoundRobin;
    u32 arbitration_burst = 1; ///< commands a turn; 0: no limit
    std::string classes = "m"; ///< of queue 0, 1, ...: letters of urgent, high, medium, low
    u32 high_weight = 8;
    u32 medium_weight = 4;
    u32 low_weight = 2;
    NvmeUnits units;
};

struct Pcie {
    u32 generation = 3;
    u32 lanes = 4;
    u32 max_payload = 256;    ///< bytes of a packet
    u32 read_request = 512;   ///< bytes that a read asks for at most
    u32 read_tags = 64;       ///< reads that are open at most
    u32 packets_per_dllp = 4; ///< packets for which the other side sends ACK and UpdateFC
    Picoseconds latency;      ///< of one direction
    Picoseconds host_memory;  ///< from a read's arrival to its answer
};

} // namespace tlmssd::config
