// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the resolved configuration of the NAND part.
#pragma once

#include <array>
#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::config {

/// R/B# falls at the end of the confirming segment, tWB after it, or at a random time between.
enum class ReadyFalls : u8 { AtOnce, Max, Random };
enum class Pairing : u8 { Uniform, Adjacent, Distance3, Distance6 }; ///< where page types lie in a block

/// Pages of one type (which bit of the cell they hold).
struct PageType {
    Picoseconds t_read;
    Picoseconds t_program;
    double rber_factor = 1; ///< raw bit error rate relative to the part's mean
};

/// Raw bit errors: RBER = e + a N^k + b N^m t^n + g N^p r^q (Kim, Choi, Min, FAST 2019), with N
/// erases of the block, t days since programming, r reads of the block since its erase.
struct NandErrors {
    bool enabled = false;
    double e = 0, a = 0, k = 0;
    double b = 0, m = 0, n = 0;
    double g = 0, p = 0, q = 0;
    double max_erases = 0;       ///< N, t and r are clamped to these: beyond, the fit means nothing
    double max_days = 0;
    double max_reads = 0;
    double retention_days = 0;   ///< age at start of what preconditioning has written
    double layer_spread = 0;     ///< RBER varies by +- this fraction between layers
    u32 layers = 1;              ///< a block's pages in equal runs; 1: a planar part
    double retry_gain = 0.5;     ///< each read-retry level multiplies the RBER by it
    u32 retry_levels = 0;        ///< of feature 89h
    double retry_read_factor = 0.25; ///< level L senses for tR (1 + L * this)
    double program_fail = 0;     ///< probability that a page program reports FAIL
    double erase_fail = 0;       ///< that a block erase does; both stay failed for that block
    double factory_bad = 0;      ///< fraction of the blocks that are bad from the factory
};

/// Supply currents as in data sheets; energy of an operation is vcc * current * its time.
struct NandPower {
    double vcc = 3.3;     ///< V
    double read_ma = 25;  ///< ICC1, array read
    double program_ma = 25;
    double erase_ma = 25;
    double bus_ma = 5;    ///< ICC4, while bytes move
    double standby_ua = 10;
};

/// Change of array times with wear: t * (1 + change * N / endurance), N / endurance at most 2.
struct NandWear {
    double read_change = 0;
    double program_change = 0; ///< negative: programs become faster
    double erase_change = 0;
    u32 initial_erases = 0; ///< of every block before the run, on top of what preconditioning does
};

struct Nand {
    std::string name;
    std::string source;         ///< where the numbers come from
    std::string manufacturer;   ///< at most 12 characters, parameter page
    std::string jedec_id;       ///< bytes of READ ID in hex, first the manufacturer
    u32 page_bytes = 8192;      ///< data of a page of the part; Geometry::page_bytes is the host's
    u32 planes = 1;             ///< of the part; `geometry` holds what the device uses
    u32 blocks = 1;             ///< of the part, per plane
    u32 pages = 1;              ///< of the part, per block
    u32 bits_per_cell = 2;      ///< 1 SLC to 4 QLC
    Picoseconds t_read;         ///< tR: array to page register (typical of all page types)
    Picoseconds t_program;      ///< tPROG
    Picoseconds t_erase;        ///< tBERS
    Picoseconds t_plane_queue;  ///< tDBSY after 11h, 32h, D1h
    Picoseconds t_read_cache;   ///< tRCBSY: register to cache register, least busy time of 31h, 3Fh
    Picoseconds t_program_cache; ///< tCBSY: least busy time of 15h
    Picoseconds t_feature;      ///< tFEAT of SET and GET FEATURES
    Picoseconds t_reset_idle;   ///< tRST when idle or reading
    Picoseconds t_reset_program;
    Picoseconds t_reset_erase;
    Picoseconds t_suspend_program; ///< from suspend to ready
    Picoseconds t_suspend_erase;
    Picoseconds t_adl;          ///< of the part; zero: the timing mode's
    Picoseconds t_ccs;          ///< of the part; zero: the timing mode's
    Pairing pairing = Pairing::Uniform;
    std::array<PageType, 4> types; ///< lower, middle, upper, top; see page_types() for which are used
    double array_variation = 0; ///< +- fraction of tR and tPROG, uniform, drawn per page (seeded)
    double die_variation = 0;   ///< +- fraction of all array times, uniform, drawn per die (seeded)
    u32 endurance = 0;          ///< rated program/erase cycles
    u32 partial_programs = 1;   ///< programs of one page between erases
    bool block_restriction = false; ///< planes of one operation must use the same block number
    bool program_clear = true;  ///< 80h clears the page registers of its own LUN only
    ReadyFalls ready_falls = ReadyFalls::AtOnce;
    u32 sdr_modes = 6;          ///< timing modes 0 to n-1 that the part has; 0: none
    u32 nvddr_modes = 6;
    u32 nvddr2_modes = 9;
    u32 nvddr3_modes = 11;
    NandWear wear;
    NandErrors errors;
    NandPower power;
};

const char* to_string(Pairing);
const char* to_string(ReadyFalls);

} // namespace tlmssd::config
