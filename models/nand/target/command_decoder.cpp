// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: ONFI cycles to command sequences.
#include "models/nand/target/command_decoder.h"

#include <algorithm>
#include <cstring>

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
using onfi::DataDirection;
using onfi::Rule;

namespace {

/// Up to 5 cycles from `from` on, the first in the low byte.
u64 address_bytes(const onfi::Segment& segment, u32 from, u32 count)
{
    u64 value = 0;
    if (from + sizeof value <= onfi::Segment::kMaxCycles) {
        std::memcpy(&value, &segment.bytes[from], sizeof value); // little endian
        return value & ((u64{1} << (8 * count)) - 1);
    }
    for (u32 i = count; i-- > 0;) {
        value = (value << 8) | segment.bytes[from + i];
    }
    return value;
}

} // namespace

void CommandDecoder::on_segment(onfi::Segment& segment)
{
    if (!page_read(segment)) {
        cycles(segment, 0, segment.lead);
    }
    if (segment.direction == DataDirection::None) {
        return;
    }
    if (segment.direction == DataDirection::Out) {
        burst_out(segment);
    } else {
        burst_in(segment);
    }
    cycles(segment, segment.lead, u32{segment.lead} + segment.trail);
}

/// The two sequences of every page that is read, 00h-30h and 06h-E0h with five address cycles, as a whole; false:
/// it is another one. What breaks a rule is for cycles().
bool CommandDecoder::page_read(const onfi::Segment& segment)
{
    constexpr u32 kAll = 2 + kMaxAddresses;
    constexpr u64 kCommands = u64{1} << (kAll - 1) | 1;
    if (segment.lead != kAll || (segment.command_mask & ((u64{1} << kAll) - 1)) != kCommands ||
        !sequence_.may_be_left()) {
        return false;
    }
    const u8 first = segment.bytes[0];
    const u8 last = segment.bytes[kAll - 1];
    const bool column = first == cmd::kChangeReadColumnEnhanced && last == cmd::kChangeReadColumnConfirm;
    if (!column && (first != cmd::kRead || last != cmd::kReadConfirm)) {
        return false;
    }
    sequence_.open(first);
    sequence_.add(address_bytes(segment, 1, kMaxAddresses), kMaxAddresses);
    if (column) {
        confirm_column();
    } else {
        output_.leave_status();
        confirm_read(ReadEnd::Page);
    }
    return true;
}

/// Command cycles one by one, address cycles in runs.
void CommandDecoder::cycles(const onfi::Segment& segment, u32 from, u32 to)
{
    while (from < to) {
        const u64 commands = segment.command_mask >> from;
        if ((commands & 1) != 0) {
            command(segment.bytes[from++]);
            continue;
        }
        const u32 run = commands == 0 ? to - from : static_cast<u32>(__builtin_ctzll(commands));
        const u32 count = std::min(run, to - from);
        address(address_bytes(segment, from, std::min(count, kMaxAddresses)), count);
        from += count;
    }
}

/// `count` address cycles; the first kMaxAddresses of them are in `value`.
void CommandDecoder::address(u64 value, u32 count)
{
    if (!sequence_.is_open()) {
        if (!sequence_.dead) {
            sequence_.dead = true;
            luns_.violate(Rule::CommandSequence);
        }
        return;
    }
    sequence_.add(value, count);
    switch (sequence_.first) { // commands that their last address cycle completes
    case cmd::kReadStatusEnhanced:
    case cmd::kResetLun:
    case cmd::kProgramSuspend:
    case cmd::kProgramResume:
    case cmd::kEraseSuspend:
    case cmd::kEraseResume:
        if (sequence_.address_count >= kRowCycles) {
            row_complete(static_cast<u8>(sequence_.first));
        }
        break;
    case cmd::kReadId:
    case cmd::kReadParameterPage:
    case cmd::kReadUniqueId:
        registers_.read(static_cast<u8>(sequence_.first));
        break;
    case cmd::kGetFeatures:
        registers_.get_features(false);
        break;
    case cmd::kLunGetFeatures:
        if (sequence_.address_count >= 2) {
            registers_.get_features(true);
        }
        break;
    default:
        break;
    }
}

/// Commands that open a sequence or stand alone.
void CommandDecoder::command(u8 byte)
{
    switch (byte) {
    case cmd::kRead:
    case cmd::kChangeReadColumn:
    case cmd::kChangeReadColumnEnhanced:
    case cmd::kProgram:
    case cmd::kErase:
    case cmd::kReadStatusEnhanced:
    case cmd::kResetLun:
    case cmd::kProgramSuspend:
    case cmd::kProgramResume:
    case cmd::kEraseSuspend:
    case cmd::kEraseResume:
    case cmd::kReadId:
    case cmd::kReadParameterPage:
    case cmd::kReadUniqueId:
    case cmd::kGetFeatures:
    case cmd::kSetFeatures:
    case cmd::kLunGetFeatures:
    case cmd::kLunSetFeatures:
        return open(byte);
    case cmd::kReadStatus:
        open(byte);
        sequence_.first = CommandSequence::kNone;
        output_.deliver_status(Lun::kAllPlanes);
        return;
    case cmd::kReset:
    case cmd::kSynchronousReset:
        return reset(byte == cmd::kReset);
    case cmd::kChangeWriteColumn:
        return change_write();
    default:
        return confirm(byte);
    }
}

/// Commands that close a sequence.
void CommandDecoder::confirm(u8 byte)
{
    switch (byte) {
    case cmd::kReadConfirm:
        return confirm_read(ReadEnd::Page);
    case cmd::kReadQueuePlane:
        return confirm_read(ReadEnd::QueuePlane);
    case cmd::kCopybackReadConfirm:
        return confirm_read(ReadEnd::Copyback);
    case cmd::kReadCacheSequential: // and kReadCacheRandom
        return !sequence_.is_open() || sequence_.bare_read() ? confirm_cache_read(false)
                                                             : confirm_read(ReadEnd::Cache);
    case cmd::kReadCacheEnd:
        return confirm_cache_read(true);
    case cmd::kProgramConfirm:
        return confirm_program(ProgramEnd::Page);
    case cmd::kProgramQueuePlane:
        return confirm_program(ProgramEnd::QueuePlane);
    case cmd::kProgramCacheConfirm:
        return confirm_program(ProgramEnd::Cache);
    case cmd::kEraseConfirm:
    case cmd::kEraseQueuePlane:
        return confirm_erase(byte == cmd::kEraseQueuePlane);
    case cmd::kChangeReadColumnConfirm:
        return confirm_column();
    default:
        sequence_.end();
        sequence_.dead = true;
        luns_.violate(Rule::UnknownCommand);
        return;
    }
}

/// First cycle of a sequence.
void CommandDecoder::open(u8 byte)
{
    if (!sequence_.may_be_left()) {
        luns_.violate(Rule::CommandSequence);
    }
    sequence_.open(byte);
    if (byte == cmd::kRead) {
        output_.leave_status();
    }
}

/// A confirm cycle: does it end a sequence that was opened by `first` with `addresses` cycles?
bool CommandDecoder::closes(u32 first, u32 addresses)
{
    const bool dead = sequence_.dead;
    const bool fits = sequence_.first == first;
    sequence_.end();
    if (dead) {
        return false;
    }
    if (!fits || sequence_.address_count != addresses) {
        luns_.violate(fits ? Rule::AddressCycles : Rule::CommandSequence);
        return false;
    }
    return true;
}

/// The LUN of a row, from now on the selected one; null where it cannot take the command.
TimedLun* CommandDecoder::ready_lun(const RowAddress& row, Access access)
{
    TimedLun* lun = luns_.addressed(row);
    if (lun == nullptr) {
        return nullptr;
    }
    if (lun->silent()) {
        luns_.select(*lun);
        output_.leave_status();
        return nullptr;
    }
    if (!luns_.accessible(*lun, access)) {
        return nullptr;
    }
    luns_.select(*lun);
    output_.deliver_page();
    return lun;
}

/// Commands that end with their row: 78h, FAh, suspend and resume.
void CommandDecoder::row_complete(u8 first)
{
    sequence_.first = CommandSequence::kNone;
    if (sequence_.address_count > kRowCycles) {
        luns_.violate(Rule::AddressCycles);
        return;
    }
    const RowAddress where = row_only();
    TimedLun* lun = luns_.addressed(where);
    if (lun == nullptr) {
        return;
    }
    luns_.select(*lun);
    switch (first) {
    case cmd::kReadStatusEnhanced:
        output_.deliver_status(where.place.plane);
        break;
    case cmd::kResetLun:
        output_.deliver_page();
        lun->reset(luns_.segment_end(), luns_.begin_at());
        break;
    case cmd::kProgramSuspend:
        suspend(*lun, ArrayOp::Program);
        break;
    case cmd::kEraseSuspend:
        suspend(*lun, ArrayOp::Erase);
        break;
    default:
        if (luns_.accessible(*lun, Access::Array)) {
            output_.leave_status();
            const ArrayOp kind =
                first == cmd::kProgramResume ? ArrayOp::Program : ArrayOp::Erase;
            luns_.start(*lun, lun->lun.resume(kind, luns_.begin_at()));
        }
        break;
    }
}

} // namespace tlmssd::nand
