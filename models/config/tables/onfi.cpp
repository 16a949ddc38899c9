// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the keys of the flash bus (onfi.h).
#include "models/config/keys/tables.h"

#include "models/config/keys/key_builders.h"

namespace tlmssd::config {

NAMES(BusInterface, "sdr", "nvddr", "nvddr2", "nvddr3")
NAMES(ReadySense, "lun", "target", "status")
TO_STRING(BusInterface)
TO_STRING(ReadySense)

using namespace rows;

namespace {

Row onfi_width()
{
    Row r = row("onfi.width", Type::Choice, "8", "DQ lines; two x8 parts in lockstep are a x16 bus");
    r.choices = {"8", "16"};
    r.numeric_choices = true;
    r.set = [](Config& c, const Value& v) { c.onfi.width = v.number == 0 ? 8 : 16; };
    r.get = [](const Config& c) { return Value{c.onfi.width == 8 ? 0u : 1u, 0, ""}; };
    return r;
}

} // namespace

std::vector<Key> onfi_keys()
{
    return {
        choice("onfi.interface", AT(onfi.interface), BusInterface::Sdr, "data interface"),
        integer("onfi.mode", AT(onfi.mode), 0, 0, 10,
                "timing mode: sdr 0 to 5, nvddr 0 to 5, nvddr2 0 to 8, nvddr3 0 to 10"),
        onfi_width(),
        time("onfi.cycle_ns", AT(onfi.cycle), kNs, 0, 0, 1e6,
             "data cycle: tRC and tWC (sdr), tCK (nvddr), tDSC (nvddr2, nvddr3); auto: the minimum")
            .zero("auto"),
        flag("onfi.timeless", AT(onfi.timeless), false,
             "a bus on which cycles, bursts and the waits between them take no time: what is left is the dies'; "
             "with kind: tlm"),
        choice("onfi.ready", AT(onfi.ready), ReadySense::Lun,
               "how the controller learns that a LUN is ready: a line each, R/B# of the CE#, status"),
        time("onfi.poll_us", AT(onfi.poll_interval), kUs, 5, 0.1, 1e6,
             "status reads of a LUN that was still busy, with ready: target or status"),
    };
}

} // namespace tlmssd::config
