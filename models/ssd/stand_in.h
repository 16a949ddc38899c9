// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: firmware that takes the ISS's place in no simulated time (docs/explanation/iss-handover.md).
#pragma once

#include <memory>
#include <string>

#include "models/cpu/iss/handover.h"
#include "models/cpu/iss/iss_executor.h"
#include "models/cpu/iss/x32_firmware.h"
#include "models/dram/dram.h"

namespace tlmssd::ssd {

/// From its making until hand_over() the x32 firmware is the device's: OOB records and table pages in DRAM are those
/// that it sees. The ISS has booted and runs no steps meanwhile.
class StandIn {
public:
    /// `image`: of the x32 firmware; `native`: a state of the same configuration, as `iss` shows. Null: the two
    /// firmwares are not the same, or the addresses are in use; then the ISS has to do it. `iss` shows no probes from
    /// then on.
    static std::unique_ptr<StandIn> make(const std::string& image, cpu::IssExecutor& iss, const fw& native,
                                         dram::Dram& dram);
    ~StandIn();
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;

    cpu::X32Firmware& firmware() { return *x32_; }
    /// The ISS goes on from here, its counters at zero but for factory_bad. Once.
    void hand_over();

private:
    StandIn(std::unique_ptr<cpu::X32Firmware> x32, cpu::IssExecutor& iss, const fw& native, dram::Dram& dram);
    void map(u8* oob, u8* tables);

    std::unique_ptr<cpu::X32Firmware> x32_;
    cpu::IssExecutor& iss_;
    const fw& native_;
    dram::Dram& dram_;
    cpu::Handover handover_;
};

} // namespace tlmssd::ssd
