// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rtl/o3/o3_top.sv, Verilated in some shape, as an RtlModelIf: what its registers are set to.
#pragma once

#include <memory>
#include <type_traits>

#include "models/flash/o3/o3_regs.h"
#include "models/flash/rtl/rtl_registers.h"
#include "models/flash/rtl/rtl_verilated.h"

namespace tlmssd::flash {

inline u32 mode_of(config::ControllerMode mode)
{
    switch (mode) {
    case config::ControllerMode::Serial:
        return 0;
    case config::ControllerMode::InOrder:
        return 1;
    case config::ControllerMode::Ooo:
        break;
    }
    return 2;
}

inline u32 suspend_kinds(config::Suspend suspend)
{
    switch (suspend) {
    case config::Suspend::None:
        return 0;
    case config::Suspend::Erase:
        return o3_regs::kSuspendErasesMask;
    case config::Suspend::ProgramAndErase:
        break;
    }
    return o3_regs::kSuspendErasesMask | o3_regs::kSuspendProgramsMask;
}

/// The work of boot software, in no simulated time.
template <class Top>
void configure(Top& top, RtlModelIf& model, const RtlStraps& straps)
{
    using namespace o3_regs;
    top.no_grant_i = static_cast<std::remove_reference_t<decltype(top.no_grant_i)>>(straps.no_grants);
    RtlRegisters registers(model);
    const auto write = [&](u32 address, u32 value) {
        registers.write_now(address, value, [&] { model.edge(0); });
    };
    write(kMode, mode_of(straps.mode));
    write(kStations, straps.stations);
    write(kAgeLimit, straps.age_limit);
    write(kTimeout, straps.timeout);
    write(kGeometry, straps.channels << kGeometryChannelsLsb | straps.ces << kGeometryCesLsb |
                         straps.luns << kGeometryLunsLsb |
                         straps.lun_shift << kGeometryLunShiftLsb);
    write(kRow, straps.page_bits << kRowPageBitsLsb | straps.row_lun << kRowLunLsbLsb);
    write(kSuspend, suspend_kinds(straps.suspend) | straps.suspends << kSuspendTimesLsb |
                        straps.suspend_priority << kSuspendLeastPriorityLsb);
    write(kSuspendProgress, straps.suspend_progress);
    const RtlPolling& p = straps.polling;
    write(kPollRead, p.read);
    write(kPollProgram, p.program);
    write(kPollErase, p.erase);
    write(kPollPlaneQueue, p.plane_queue);
    write(kPollReset, p.reset);
    write(kPollSuspendProgram, p.suspend_program);
    write(kPollSuspendErase, p.suspend_erase);
    write(kPollAgain, p.interval);
    write(kPollFeature, p.feature);
    write(kReadRetries, straps.read_retries);
    write(kReady, straps.ready_mask << kReadyMaskTicksLsb |
                      (straps.ready_synchronous ? kReadySynchronousMask : 0));
    write(kPoll, p.on ? kPollEnableMask : 0);
    write(kPerfCtrl, kPerfCtrlEnableMask | kPerfCtrlClearMask);
}

/// `Top`: the Verilated class, built for `kChannels` of `kLuns`, `tags` and `stations`.
template <class Top, u32 kChannels, u32 kLuns>
std::unique_ptr<RtlModelIf> make_rtl_o3_of(u32 tags, u32 stations, bool waves)
{
    constexpr u32 kLunsOfACe = 4; // rtl/o3/o3_channel.sv counts the LUNs of a RESET in two bits
    return std::make_unique<RtlVerilated<Top, true, kChannels, kLuns>>(
        "o3_top", RtlShape{kChannels, kLuns, tags, stations, kLunsOfACe}, waves);
}

} // namespace tlmssd::flash
