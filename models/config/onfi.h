// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the flash bus.
#pragma once

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class BusInterface : u8 { Sdr, NvDdr, NvDdr2, NvDdr3 };
enum class ReadySense : u8 { Lun, Target, Status }; ///< how the controller learns that a LUN is ready

struct Onfi {
    BusInterface interface = BusInterface::Sdr;
    u32 mode = 0;              ///< ONFI timing mode of the interface
    u32 width = 8;             ///< DQ lines, 8 or 16
    bool timeless = false;     ///< nothing on the bus takes time
    Picoseconds cycle;         ///< data cycle (SDR tRC and tWC; tCK; tDSC); zero: the mode's minimum
    ReadySense ready = ReadySense::Lun;
    Picoseconds poll_interval; ///< between status reads of a LUN that was still busy
};

const char* to_string(BusInterface);
const char* to_string(ReadySense);

} // namespace tlmssd::config
