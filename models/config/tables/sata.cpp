// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the SATA link (sata.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(LinkDetail, "fast", "full")
TO_STRING(LinkDetail)

using namespace rows;

namespace {

Row sata_gbps()
{
    static constexpr u32 kTenths[] = {15, 30, 60};
    Row r = row("sata.gbps", Type::Choice, "6", "line rate, Gb/s (8b/10b coded)");
    r.choices = {"1.5", "3", "6"};
    r.numeric_choices = true;
    r.set = [](Config& c, const Value& v) { c.sata.gbps_tenths = kTenths[v.number]; };
    r.get = [](const Config& c) {
        return Value{c.sata.gbps_tenths == 15 ? 0u : c.sata.gbps_tenths == 30 ? 1u : 2u, 0, ""};
    };
    return r;
}

} // namespace

std::vector<Key> sata_keys()
{
    return {
        sata_gbps(),
        integer("sata.handshake_dwords", AT(sata.handshake_dwords), 20, 0, 10000,
                "idle dwords a frame: X_RDY/R_RDY and WTRM/R_OK handshakes"),
        flag("sata.extended_tags", AT(sata.extended_tags), false,
             "allow more than 32 tags (not standard)"),
        flag("sata.queued_trim", AT(sata.queued_trim), false,
             "TRIM as SEND FPDMA QUEUED, beside open commands; else it waits until none is open")
            .when(kSata),
        flag("sata.ncq", AT(sata.ncq), true,
             "queued commands; false: READ and WRITE DMA EXT, one at a time")
            .when(kSata),
        choice("sata.link", AT(sata.link), LinkDetail::Fast,
               "full: each frame's bits, CRC and scrambling are computed; the same results, slower")
            .cosmetic()
            .when(kSata),
        real("sata.bit_error_rate", AT(sata.bit_error_rate), 0, 0, 1e-3,
             "chance that a bit on the line is wrong; the frame is then sent again")
            .when(kSata),
        integer("sata.retries", AT(sata.retries), 8, 0, 1000,
                "times that a broken frame is sent again before the host resets the link (COMRESET)")
            .when(kSataErrors),
        real("sata.slower_error_factor", AT(sata.slower_error_factor), 1, 0, 1,
             "bit_error_rate is multiplied by it at each lower line rate that the host falls back to")
            .when(kSataErrors),
        integer("sata.command_retries", AT(sata.command_retries), 5, 0, 1000,
                "times that the host sends a command again after COMRESETs before it ends with an I/O error")
            .when(kSataErrors),
        integer("sata.slower_after", AT(sata.slower_after), 4, 0, 1000,
                "COMRESETs within 10 minutes (2 where no command ended) after which the host takes the next lower line "
                "rate, then turns NCQ off")
            .zero("never")
            .when(kSataErrors),
        integer("sata.resets_in_a_row", AT(sata.resets_in_a_row), 20, 1, 10000,
                "COMRESETs without a command that ended, after which the host gives the device up: status 3")
            .when(kSataErrors),
        time("sata.comreset_us", AT(sata.comreset), kUs, 1000, 0, 1e7,
             "from COMRESET until the link carries frames again")
            .when(kSataErrors),
        integer("sata.fifo_kib", AT(sata.fifo_kib), 0, 0, 1024,
                "buffer of the device for data on their way to DRAM; full: HOLD; the least is one data FIS")
            .zero("unlimited", 8)
            .when(kSata),
    };
}

} // namespace tlmssd::config
