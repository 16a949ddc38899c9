// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: commands to the target or to one LUN of it: ID, features, suspend, reset.
#include "models/onfi/checker/target_decoder.h"

namespace tlmssd::onfi {

namespace {

constexpr bool known_feature(u8 address, bool of_lun)
{
    return address == feature::kReadRetry ||
           (!of_lun && (address == feature::kTimingMode || address == feature::kDriveStrength));
}

} // namespace

/// Commands to the target need all of its LUNs.
bool TargetDecoder::all_usable(ObservedSegment& seen)
{
    for (u32 i = 0; i < limits_.luns_of_ce; ++i) {
        if (!luns_[i].usable(seen, Array::Idle)) {
            return false;
        }
    }
    return true;
}

/// Which LUNs of the target answer with R/B# is the part's choice; one at least must.
void TargetDecoder::start_all(ObservedSegment& seen, Busy kind, u64 least)
{
    bool answered = false;
    bool excused = false;
    for (u32 i = limits_.luns_of_ce; i-- > 0;) {
        LunSequence& lun = luns_[i];
        excused |= lun.unknown();
        if (!lun.answers(seen) && !lun.may_answer()) {
            continue;
        }
        answered = true;
        sequence_.lun = static_cast<u8>(i);
        lun.start(seen, kind, seen.end + least);
        if (kind == Busy::Register) {
            lun.lose_page_registers();
        }
    }
    if (answered || excused) {
        return;
    }
    if (limits_.tolerate) {
        for (u32 i = 0; i < limits_.luns_of_ce; ++i) {
            luns_[i].silence();
        }
    } else {
        seen.report(Rule::ReadyEdge, sequence_.opened);
    }
}

/// 90h, ECh, EDh and their address.
void TargetDecoder::read_registers(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    const u8 where = static_cast<u8>(s.address);
    const bool id = s.opener == 0x90;
    if (!all_usable(seen)) {
        s.spoiled = true;
        return;
    }
    if (where != 0x00 && !(id && where == 0x20)) {
        spoil(seen, Rule::FeatureAddress);
        return;
    }
    s.status = false;
    s.registers = true;
    if (!id) {
        start_all(seen, Busy::Register, limits_.array.parameter);
    }
}

/// EEh or EFh and a feature address, D4h or D5h and LUN and feature address.
void TargetDecoder::feature_address(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    const bool of_lun = s.opener == 0xd4 || s.opener == 0xd5;
    const u32 first = static_cast<u32>(s.address) & 0xff;
    const u8 wanted = static_cast<u8>(of_lun ? s.address >> 8 : s.address);
    if (of_lun && first >= limits_.luns_of_ce) {
        spoil(seen, Rule::RowRange);
        return;
    }
    if (of_lun) {
        s.lun = static_cast<u8>(first);
    }
    if (of_lun ? !luns_[first].usable(seen, Array::Idle) : !all_usable(seen)) {
        s.spoiled = true;
        return;
    }
    if (!known_feature(wanted, of_lun)) {
        spoil(seen, Rule::FeatureAddress);
        return;
    }
    s.status = false;
    s.registers = true;
    if (s.opener == 0xee) {
        start_all(seen, Busy::Feature, limits_.array.feature);
    } else if (s.opener == 0xd4) {
        luns_[first].start(seen, Busy::Feature, seen.end + limits_.array.feature);
    }
}

bool TargetDecoder::known_value(u8 address, u8 p1) const
{
    switch (address) {
    case feature::kTimingMode:
        return (p1 & 0x80) == 0 && (p1 & 15u) < limits_.modes[(p1 >> 4) & 3];
    case feature::kReadRetry:
        return p1 <= limits_.retry_levels;
    default: // drive strength (ONFI 2.3, from memory)
        return p1 < 4;
    }
}

/// The four bytes of SET FEATURES.
void TargetDecoder::set_feature(ObservedSegment& seen)
{
    CommandSequence& s = sequence_;
    const bool of_lun = s.opener == 0xd5;
    const u8 address = static_cast<u8>(of_lun ? s.address >> 8 : s.address);
    if (s.cycles != (of_lun ? 2 : 1)) {
        spoil(seen, Rule::AddressCycles);
        return;
    }
    if (seen.segment.data_bytes != 4) {
        spoil(seen, Rule::BurstLength);
        return;
    }
    const DataCells* const cells = seen.segment.data;
    const u8 p1 = cells != nullptr ? cells->bytes[0] : u8{0};
    if (!known_value(address, p1)) {
        spoil(seen, Rule::FeatureAddress);
        return;
    }
    s.open = false;
    s.registers = false;
    if (of_lun) {
        selected().start(seen, Busy::Feature, seen.end + limits_.array.feature);
        return;
    }
    if (address == feature::kTimingMode) {
        const auto wanted = static_cast<config::BusInterface>((p1 >> 4) & 3);
        interface_.request(MinimaTable::index(wanted, p1 & 15),
                           (p1 & feature::kProgramClear) != 0, s.opened);
    }
    start_all(seen, Busy::Feature, limits_.array.feature);
}

/// Suspend (84h, 61h), resume (13h, D2h) or reset (FAh) of the LUN of a row.
void TargetDecoder::lun_command(ObservedSegment& seen, u8 byte)
{
    LunSequence* const lun = take_row(seen, limits_.split(sequence_.address));
    if (lun == nullptr) {
        return;
    }
    switch (byte) {
    case 0x84:
        lun->suspend(seen, Busy::Program);
        break;
    case 0x61:
        lun->suspend(seen, Busy::Erase);
        break;
    case 0x13:
        lun->resume(seen, Busy::Program);
        break;
    case 0xd2:
        lun->resume(seen, Busy::Erase);
        break;
    default:
        reset(seen, *lun);
        break;
    }
}

/// FFh and FCh reach every LUN of the CE#.
void TargetDecoder::reset_target(ObservedSegment& seen, u8 byte)
{
    if (byte == 0xfc && seen.segment.timing != nullptr && seen.driven < MinimaTable::kModes) {
        seen.report(Rule::WrongInterface, interface_.set_by()); // FCh is for the DDR interfaces
    }
    sequence_.opened = seen.current();
    interface_.reset(byte == 0xff, sequence_.opened);
    for (u32 i = 0; i < limits_.luns_of_ce; ++i) {
        reset(seen, luns_[i]);
    }
}

void TargetDecoder::reset(ObservedSegment& seen, LunSequence& lun)
{
    sequence_.open = false;
    sequence_.spoiled = false;
    sequence_.deliver_page();
    lun.reset(seen);
}

} // namespace tlmssd::onfi
