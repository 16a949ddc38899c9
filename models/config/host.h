// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the host and its link.
#pragma once

#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class HostKind : u8 { Sata, Direct, Nvme };
enum class NvmeArbitration : u8 { RoundRobin, Weighted };
enum class NvmeSteer : u8 { Job, RoundRobin };
enum class LinkDetail : u8 { Fast, Full };

struct Host {
    HostKind kind = HostKind::Sata;
    u32 queue_depth = 32;
    double direct_mb_per_s = 0; ///< of the link of `direct` in each direction; 0: no link
};

struct Sata {
    u32 gbps_tenths = 60;     ///< line rate in 0.1 Gb/s: 15, 30, 60
    u32 handshake_dwords = 20; ///< idle dwords of X_RDY/R_RDY and WTRM/R_OK handshakes a frame
    bool extended_tags = false;
    bool queued_trim = false; ///< SEND FPDMA QUEUED for TRIM
    bool ncq = true;          ///< else READ and WRITE DMA EXT
    LinkDetail link = LinkDetail::Fast; ///< Full: bits, CRC and scrambling are computed
    double bit_error_rate = 0;          ///< of bits on the line
    u32 retries = 8;                    ///< of a frame, before COMRESET
    Picoseconds comreset{1000000000};   ///< from COMRESET until the link carries frames again
    u32 fifo_kib = 0;                   ///< data in the device on their way to DRAM; 0: no limit
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
