// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: x32 firmware instead of the ISS, and back.
#include "models/ssd/stand_in.h"

#include <utility>

#include "firmware/boot/firmware.h"
#include "models/common/error.h"

namespace tlmssd::ssd {

std::unique_ptr<StandIn> StandIn::make(const std::string& image, cpu::IssExecutor& iss, const fw& native,
                                       dram::Dram& dram)
{
    std::unique_ptr<cpu::X32Firmware> x32 = cpu::X32Firmware::make(image, native);
    if (x32 == nullptr) {
        return nullptr;
    }
    iss.set_probing(0);
    std::unique_ptr<StandIn> made(new StandIn(std::move(x32), iss, native, dram));
    return made->handover_.possible() ? std::move(made) : nullptr;
}

StandIn::StandIn(std::unique_ptr<cpu::X32Firmware> x32, cpu::IssExecutor& iss, const fw& native, dram::Dram& dram)
    : x32_(std::move(x32)), iss_(iss), native_(native), dram_(dram), handover_(x32_->side(), iss_.side())
{
    map(x32_->oob(), x32_->tables());
}

StandIn::~StandIn() { map(native_.oob, fw_table_pages(&native_)); }

void StandIn::map(u8* oob, u8* tables)
{
    dram_.map_oob(native_.cfg.oob_base, oob, u64{native_.cfg.flash_tags} * 64);
    if (tables != nullptr) {
        dram_.map_tables(fw_table_base(&native_.cfg), tables, fw_table_bytes(&native_.cfg));
    }
}

void StandIn::hand_over()
{
    handover_.hand_over();
    if (x32_->has_run() && !iss_.idle()) { // the question also wakes the ISS, as steps would have: main() is in its loop
        throw ModelError("handover of firmware: it is not idle");
    }
    iss_.clear_stats();
}

} // namespace tlmssd::ssd
