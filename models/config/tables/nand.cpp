// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the NAND part (nand.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(Pairing, "uniform", "adjacent", "distance3", "distance6")
TO_STRING(Pairing)
NAMES(ReadyFalls, "at_once", "max", "random")
TO_STRING(ReadyFalls)

using namespace rows;

namespace {

constexpr u64 kU32 = 0xffffffffu;

/// Times and error rate of one page type; the default is the part's.
void page_type(std::vector<Key>& keys, const char* name, std::size_t index, const Condition& only)
{
    const std::string section = std::string("nand.") + name + ".";
    const auto path = [&](const char* key) { return section + key; };
    const auto type = [index](auto& c) -> auto& { return c.nand.types[index]; };
    keys.push_back(time(path("t_read_us").c_str(),
                        [type](auto& c) -> auto& { return type(c).t_read; }, kUs, 50, 0.001, 1e6,
                        "tR of the page type")
                       .follows("nand.t_read_us")
                       .when(only));
    keys.push_back(time(path("t_program_us").c_str(),
                        [type](auto& c) -> auto& { return type(c).t_program; }, kUs, 1300, 0.001,
                        1e6, "tPROG of the page type")
                       .follows("nand.t_program_us")
                       .when(only));
    keys.push_back(real(path("rber_factor").c_str(),
                        [type](auto& c) -> auto& { return type(c).rber_factor; }, 1, 0, 1000,
                        "raw bit error rate of the page type relative to the formula")
                       .when(only));
}

} // namespace

std::vector<Key> nand_keys()
{
    std::vector<Key> keys{
        text("nand.name", AT(nand.name), "MT29F64G08CBAAA", "of the part").cosmetic(),
        text("nand.manufacturer", AT(nand.manufacturer), "GENERIC",
             "parameter page, at most 12 characters")
            .cosmetic(),
        text("nand.jedec_id", AT(nand.jedec_id), "2c64444ba900",
             "bytes of READ ID in hex; the first is the manufacturer's")
            .cosmetic(),
        integer("nand.page_bytes", AT(nand.page_bytes), 8192, 512, 65536,
                "data bytes of a page, a power of two"),
        integer("nand.spare_bytes", AT(geometry.spare_bytes), 448, 16, 65536,
                "spare bytes of a page: ECC parity and 16 bytes of metadata"),
        integer("nand.pages", AT(nand.pages), 256, 1, 4096, "pages per block of the part").cosmetic(),
        integer("nand.blocks", AT(nand.blocks), 2048, 1, 65536, "blocks per plane of the part")
            .cosmetic(),
        integer("nand.planes", AT(nand.planes), 2, 1, 4, "planes per die of the part").cosmetic(),
        integer("nand.bits_per_cell", AT(nand.bits_per_cell), 2, 1, 4,
                "1 SLC, 2 MLC, 3 TLC, 4 QLC: how many page types there are"),
        time("nand.t_read_us", AT(nand.t_read), kUs, 50, 0.001, 1e6, "tR, array to page register"),
        time("nand.t_program_us", AT(nand.t_program), kUs, 1300, 0.001, 1e6, "tPROG"),
        time("nand.t_erase_us", AT(nand.t_erase), kUs, 3000, 0.001, 1e6, "tBERS"),
        time("nand.t_plane_queue_us", AT(nand.t_plane_queue), kUs, 0.5, 0, 1000,
             "tDBSY, after 11h, 32h and D1h"),
        time("nand.t_read_cache_us", AT(nand.t_read_cache), kUs, 3, 0, 1000,
             "tRCBSY, least busy time of 31h and 3Fh (from memory)"),
        time("nand.t_program_cache_us", AT(nand.t_program_cache), kUs, 3, 0, 1000,
             "tCBSY, least busy time of 15h (from memory)"),
        time("nand.t_feature_us", AT(nand.t_feature), kUs, 1, 0, 1000,
             "tFEAT, SET and GET FEATURES"),
        time("nand.t_reset_idle_us", AT(nand.t_reset_idle), kUs, 5, 0, 1e6,
             "tRST of an idle or reading LUN (from memory)"),
        time("nand.t_reset_program_us", AT(nand.t_reset_program), kUs, 10, 0, 1e6,
             "tRST of a programming LUN (from memory)"),
        time("nand.t_reset_erase_us", AT(nand.t_reset_erase), kUs, 500, 0, 1e6,
             "tRST of an erasing LUN (from memory)"),
        time("nand.t_suspend_program_us", AT(nand.t_suspend_program), kUs, 100, 0, 1e6,
             "program suspend to ready (MQSim)"),
        time("nand.t_suspend_erase_us", AT(nand.t_suspend_erase), kUs, 700, 0, 1e6,
             "erase suspend to ready (MQSim)"),
        time("nand.t_adl_ns", AT(nand.t_adl), kNs, 0, 0, 1e6,
             "tADL of the part; auto: the timing mode's worst case")
            .zero("auto"),
        time("nand.t_ccs_ns", AT(nand.t_ccs), kNs, 0, 0, 1e6,
             "tCCS of the part; auto: the timing mode's worst case")
            .zero("auto"),
        choice("nand.pairing", AT(nand.pairing), Pairing::Uniform,
               "order of the page types in a block; uniform: all pages alike"),
        real("nand.array_variation", AT(nand.array_variation), 0, 0, 0.9,
             "fraction by which tR and tPROG vary from page to page, uniform, seeded"),
        real("nand.die_variation", AT(nand.die_variation), 0, 0, 0.9,
             "fraction by which all array times vary from die to die, uniform, seeded"),
        integer("nand.endurance", AT(nand.endurance), 5000, 1, kU32,
                "rated program/erase cycles; scales the effects of wear"),
        integer("nand.partial_programs", AT(nand.partial_programs), 1, 1, 8,
                "programs of one page between erases"),
        flag("nand.block_restriction", AT(nand.block_restriction), false,
             "planes of one operation must use the same block number"),
        flag("nand.program_clear", AT(nand.program_clear), true,
             "80h clears the page registers of its own LUN only (feature 01h, bit 6)"),
        choice("nand.ready_falls", AT(nand.ready_falls), ReadyFalls::AtOnce,
               "R/B# falls with the last cycle of a command, tWB later (max), or at a seeded random time between"),
        integer("nand.sdr_modes", AT(nand.sdr_modes), 6, 0, 6, "SDR timing modes of the part"),
        integer("nand.nvddr_modes", AT(nand.nvddr_modes), 6, 0, 6, "NV-DDR timing modes; 0: none"),
        integer("nand.nvddr2_modes", AT(nand.nvddr2_modes), 9, 0, 9,
                "NV-DDR2 timing modes; 0: none"),
        integer("nand.nvddr3_modes", AT(nand.nvddr3_modes), 11, 0, 11,
                "NV-DDR3 timing modes; 0: none"),
        text("nand.source", AT(nand.source), "", "where the numbers come from").cosmetic(),

        real("nand.wear.read_change", AT(nand.wear.read_change), 0, -0.45, 10,
             "change of tR at rated endurance, as a fraction"),
        real("nand.wear.program_change", AT(nand.wear.program_change), 0, -0.45, 10,
             "change of tPROG at rated endurance, as a fraction"),
        real("nand.wear.erase_change", AT(nand.wear.erase_change), 0, -0.45, 10,
             "change of tBERS at rated endurance, as a fraction"),
        integer("nand.wear.initial_erases", AT(nand.wear.initial_erases), 0, 0, 10000000,
                "erases of every block before the run, beside those of preconditioning"),

        flag("nand.errors.enabled", AT(nand.errors.enabled), false,
             "bit errors, failing operations and bad blocks; off: a perfect part"),
        real("nand.errors.e", AT(nand.errors.e), 8.34e-5, 0, 1, "RBER: floor"),
        real("nand.errors.a", AT(nand.errors.a), 3.30e-11, 0, 1, "RBER: wear, a N^k"),
        real("nand.errors.k", AT(nand.errors.k), 1.71, 0, 10, "RBER: exponent of wear"),
        real("nand.errors.b", AT(nand.errors.b), 5.56e-19, 0, 1, "RBER: retention, b N^m t^n"),
        real("nand.errors.m", AT(nand.errors.m), 2.49, 0, 10, "RBER: wear in retention"),
        real("nand.errors.n", AT(nand.errors.n), 3.33, 0, 10, "RBER: exponent of days"),
        real("nand.errors.g", AT(nand.errors.g), 6.26e-13, 0, 1, "RBER: read disturb, g N^p r^q"),
        real("nand.errors.p", AT(nand.errors.p), 1.76, 0, 10, "RBER: wear in read disturb"),
        real("nand.errors.q", AT(nand.errors.q), 0.47, 0, 10, "RBER: exponent of reads"),
        real("nand.errors.max_erases", AT(nand.errors.max_erases), 10000, 0, 1e7,
             "N is clamped to it"),
        real("nand.errors.max_days", AT(nand.errors.max_days), 60, 0, 1e5, "t is clamped to it"),
        real("nand.errors.max_reads", AT(nand.errors.max_reads), 1e6, 0, 1e9, "r is clamped to it"),
        real("nand.errors.retention_days", AT(nand.errors.retention_days), 0, 0, 1e5,
             "age at the start of what preconditioning has written"),
        real("nand.errors.layer_spread", AT(nand.errors.layer_spread), 0, 0, 1,
             "fraction by which RBER varies between layers, uniform, seeded"),
        integer("nand.errors.layers", AT(nand.errors.layers), 1, 1, 1024,
                "layers of a block; 1: a planar part"),
        real("nand.errors.retry_gain", AT(nand.errors.retry_gain), 0.5, 0.01, 1,
             "each read-retry level multiplies RBER by it"),
        integer("nand.errors.retry_levels", AT(nand.errors.retry_levels), 7, 0, 63,
                "read-retry levels of the part (feature 89h)"),
        real("nand.errors.retry_read_factor", AT(nand.errors.retry_read_factor), 0.25, 0, 10,
             "level L reads in tR (1 + L x this)"),
        real("nand.errors.program_fail", AT(nand.errors.program_fail), 0, 0, 1,
             "probability that a page program fails"),
        real("nand.errors.erase_fail", AT(nand.errors.erase_fail), 0, 0, 1,
             "probability that a block erase fails"),
        real("nand.errors.factory_bad", AT(nand.errors.factory_bad), 0, 0, 0.2,
             "fraction of blocks that are bad from the factory"),

        real_above("nand.power.vcc", AT(nand.power.vcc), 3.3, 0, 10, "supply, V"),
        real("nand.power.read_ma", AT(nand.power.read_ma), 25, 0, 10000,
             "array read current of a die, mA"),
        real("nand.power.program_ma", AT(nand.power.program_ma), 25, 0, 10000,
             "program current of a die, mA"),
        real("nand.power.erase_ma", AT(nand.power.erase_ma), 25, 0, 10000,
             "erase current of a die, mA"),
        real("nand.power.bus_ma", AT(nand.power.bus_ma), 5, 0, 10000,
             "current while bytes move on the bus, mA"),
        real("nand.power.standby_ua", AT(nand.power.standby_ua), 10, 0, 1e6,
             "standby current of a die, uA"),
    };
    page_type(keys, "lower", 0, kAlways);
    page_type(keys, "middle", 1, kMiddlePages);
    page_type(keys, "upper", 2, kUpperPages);
    page_type(keys, "top", 3, kTopPages);
    return keys;
}

} // namespace tlmssd::config
