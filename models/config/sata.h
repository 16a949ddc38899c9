// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the SATA link.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class LinkDetail : u8 { Fast, Full };

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

const char* to_string(LinkDetail);

} // namespace tlmssd::config
