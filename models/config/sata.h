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
    double slower_error_factor = 1;     ///< of bit_error_rate, at each lower rate
    u32 retries = 8;                    ///< of a frame, before COMRESET
    u32 command_retries = 5;            ///< of a command, before it ends with an I/O error
    u32 slower_after = 4;               ///< COMRESETs before the host takes a measure; 0: never
    u32 resets_in_a_row = 20;           ///< without a command that ended, before the host gives up
    Picoseconds comreset{1000000000};   ///< from COMRESET until the link carries frames again
    u32 fifo_kib = 0;                   ///< data in the device on their way to DRAM; 0: no limit
};

const char* to_string(LinkDetail);

} // namespace tlmssd::config
