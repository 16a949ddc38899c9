// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the flash controller.
#pragma once

#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

enum class ControllerKind : u8 { Tlm, Rtl, RtlPins };
constexpr bool is_rtl(ControllerKind kind) { return kind != ControllerKind::Tlm; }
enum class ControllerMode : u8 { Serial, InOrder, Ooo }; ///< resolved: never auto
enum class Suspend : u8 { None, Erase, ProgramAndErase };
enum class IssuePolicy : u8 { FirstCome, Clump }; ///< which page burst gets a channel's bus
enum class CacheOps : u8 { None, Read, Program, Both }; ///< which operations of a LUN overlap by its cache register
constexpr bool caches_reads(CacheOps c) { return c == CacheOps::Read || c == CacheOps::Both; }
constexpr bool caches_programs(CacheOps c) { return c == CacheOps::Program || c == CacheOps::Both; }

struct Controller {
    ControllerKind kind = ControllerKind::Tlm;
    ControllerMode mode = ControllerMode::InOrder;
    std::string rtl;         ///< name of the RTL controller
    u32 tags = 128;          ///< operations in flight, 16..256
    bool clock_gating = true;
    u32 clock_mhz = 80;      ///< of the RTL controller
    u32 phy_mhz = 0;         ///< of the ONFI PHY, kind rtl_pins; 0: chosen by the timing mode
    Picoseconds ecc_latency; ///< from the burst's end to corrected data in DRAM
    u32 ecc_bits = 40;       ///< bit errors of a codeword (512 B and parity) that ECC corrects
    Picoseconds ecc_per_bit; ///< further decode time for each bit error of the worst codeword
    u32 read_retries = 0;    ///< levels that the controller tries after an uncorrectable read
    Picoseconds timeout;     ///< a LUN that does not answer for so long is given up; zero: never
    IssuePolicy issue_policy = IssuePolicy::FirstCome; ///< mode ooo
    u32 stations = 8;        ///< mode ooo: operations that wait in front of a LUN, 1..16
    Picoseconds age_limit;   ///< mode ooo: an operation that has waited this long precedes every priority
    Suspend suspend = Suspend::None; ///< mode ooo: what is suspended for reads
    u32 suspends = 1;                ///< of one operation at most, 1..15
    u32 suspend_priority = 0;        ///< least priority of a read that suspends, 0..3
    Picoseconds suspend_progress;    ///< from a resume to the next suspend at least
    CacheOps cache_ops = CacheOps::None;
};

const char* to_string(ControllerKind);
const char* to_string(ControllerMode);

} // namespace tlmssd::config
