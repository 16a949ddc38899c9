// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host's data are: versions at issue, data that move, what reads must see.
#include "models/host/initiator.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/geometry.h"

namespace tlmssd::host {

/// Writes bump the version of each unit they touch; reads remember what they must see.
void Initiator::note_versions(Slot& slot)
{
    const hal_host_command& command = slot.command;
    if (command.opcode == HAL_HOST_TRIM) {
        mark_trimmed(command);
        return;
    }
    if (command.sectors == 0) {
        return;
    }
    const u64 first = unit_of(command.lba);
    const u64 units = unit_of(command.lba + command.sectors - 1) - first + 1;
    if (first + units > versions_.units()) {
        throw ModelError("host: a request lies beyond the device at LBA " +
                         std::to_string(command.lba));
    }
    if (units > slot.words.size()) {
        most_units_ = std::max(most_units_, static_cast<u32>(units));
        slot.words.resize(most_units_);
    }
    if (command.opcode == HAL_HOST_WRITE) {
        for (u64 i = 0; i < units; ++i) {
            slot.words[i] = versions_.bump(first + i).version;
        }
    } else {
        for (u64 i = 0; i < units; ++i) {
            slot.words[i] = versions_.word(first + i);
        }
    }
    if (versions_.bytes() != nullptr && data_ == nullptr) {
        note_sectors(slot);
    }
}

/// The same for each sector: a write gives its sectors the new version of their unit.
void Initiator::note_sectors(Slot& slot)
{
    const hal_host_command& command = slot.command;
    ExpectedBytes& bytes = *versions_.bytes();
    if (command.sectors > slot.sector_words.size()) {
        slot.sector_words.resize(command.sectors);
    }
    const u64 base = unit_of(command.lba);
    for (u32 i = 0; i < command.sectors; ++i) {
        if (command.opcode == HAL_HOST_WRITE) {
            bytes.write(command.lba + i, slot.words[unit_of(command.lba + i) - base]);
        }
        slot.sector_words[i] = bytes.word(command.lba + i);
    }
}

/// Only units that the TRIM covers wholly may change.
void Initiator::mark_trimmed(const hal_host_command& command)
{
    const u64 first = unit_of(command.lba + (u64{1} << unit_shift_) - 1);
    const u64 end = unit_of(command.lba + command.sectors);
    for (u64 unit = first; unit < end && unit < versions_.units(); ++unit) {
        versions_.trim(unit);
        if (ExpectedBytes* const bytes = versions_.bytes(); bytes != nullptr && data_ == nullptr) {
            for (u64 sector = unit << unit_shift_; sector < (unit + 1) << unit_shift_; ++sector) {
                bytes->trim(sector);
            }
        }
    }
}

/// Data of one command move once each, in ascending order. What a device with flash errors leaves
/// out is missed when the command ends well.
bool Initiator::move_sectors(u32 tag, u32 offset, u32 sectors, u8 opcode)
{
    Slot& slot = slots_[tag < kMaxTags ? tag : 0];
    if (tag >= kMaxTags || slot.command.opcode != opcode || offset < slot.next_sector ||
        (offset > slot.next_sector && !errors_allowed_) ||
        u64{offset} + sectors > slot.command.sectors) {
        report_error(slot.command, "data of tag " + std::to_string(tag) + " at sector " +
                                       std::to_string(offset) + ", where sector " +
                                       std::to_string(slot.next_sector) + " was due");
        return false;
    }
    slot.sectors_moved += sectors;
    slot.next_sector = offset + sectors;
    return true;
}

void Initiator::receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8* bytes)
{
    if (!move_sectors(tag, offset, sectors, HAL_HOST_READ)) {
        return;
    }
    const Slot& slot = slots_[tag];
    if (data_ != nullptr) {
        data_->take(tag, offset, sectors, bytes);
        bytes = nullptr; // nobody knows here what they should be
    }
    const u64 base = unit_of(slot.command.lba);
    const u64 first = unit_of(slot.command.lba + offset);
    const u64 last = unit_of(slot.command.lba + offset + sectors - 1);
    stats_.units_checked += last - first + 1;
    for (u64 unit = first; unit <= last; ++unit) {
        const u32 word = slot.words[unit - base];
        const UnitTag got = cells[unit - first];
        const bool tag_wrong = !ExpectedVersions::accepts(unit, word, got) &&
                               !(behind_a_write(slot, unit << unit_shift_) &&
                                 ExpectedVersions::accepts(unit, word | ExpectedVersions::kDoubtful, got));
        if (tag_wrong) {
            report_mismatch(unit, word, got);
        }
        if (bytes == nullptr) {
            continue;
        }
        const u64 from = std::max(unit << unit_shift_, slot.command.lba + offset);
        const u64 to = std::min((unit + 1) << unit_shift_, slot.command.lba + offset + sectors);
        const auto sector = static_cast<u32>(from - slot.command.lba);
        stats_.bytes_checked += (to - from) * kSectorBytes;
        stats_.mismatches += bytes_wrong(slot, sector, static_cast<u32>(to - slot.command.lba),
                                         bytes + (sector - offset) * kSectorBytes) &&
                             !tag_wrong;
    }
}

/// Compare the command's sectors [first, end) with `bytes`; the first wrong one is reported.
bool Initiator::bytes_wrong(const Slot& slot, u32 first, u32 end, const u8* bytes)
{
    for (u32 sector = first; sector < end; ++sector, bytes += kSectorBytes) {
        const u64 lba = slot.command.lba + sector;
        const u32 word = slot.sector_words[sector];
        const u32 wrong = versions_.bytes()->first_wrong(lba, word, bytes);
        if (wrong != kSectorBytes &&
            !(behind_a_write(slot, lba) && versions_.bytes()->first_wrong(lba, word | ExpectedVersions::kDoubtful,
                                                                   bytes) == kSectorBytes)) {
            report_bytes(lba, word, wrong, bytes);
            return true;
        }
    }
    return false;
}

void Initiator::provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes)
{
    if (!move_sectors(tag, offset, sectors, HAL_HOST_WRITE)) {
        return;
    }
    const Slot& slot = slots_[tag];
    const u64 base = unit_of(slot.command.lba);
    const u64 first = unit_of(slot.command.lba + offset);
    const u64 last = unit_of(slot.command.lba + offset + sectors - 1);
    for (u64 unit = first; unit <= last; ++unit) {
        cells[unit - first] = ExpectedVersions::tag_of(unit, slot.words[unit - base]);
    }
    if (data_ != nullptr) {
        data_->give(tag, offset, sectors, bytes);
        return;
    }
    for (u32 i = 0; bytes != nullptr && i < sectors; ++i) {
        versions_.bytes()->fill(slot.command.lba + offset + i, slot.sector_words[offset + i],
                                bytes + i * kSectorBytes);
    }
}

/// Commands that overlap take effect in a new order now: a write brings what the host has last written
/// there, a read may see any of it.
void Initiator::on_repeated(u32 tag)
{
    Slot& slot = slots_[tag];
    slot.sectors_moved = slot.next_sector = 0;
    const hal_host_command& command = slot.command;
    if (command.opcode != HAL_HOST_READ && command.opcode != HAL_HOST_WRITE) {
        return;
    }
    const u64 first = unit_of(command.lba);
    const u64 last = unit_of(command.lba + command.sectors - 1);
    for (u64 unit = first; unit <= last; ++unit) {
        if (u32& word = slot.words[unit - first]; word != versions_.word(unit)) {
            const bool read = command.opcode == HAL_HOST_READ;
            word = versions_.word(unit) | (read ? ExpectedVersions::kDoubtful : 0u);
        }
    }
    for (u32 i = 0; versions_.bytes() != nullptr && data_ == nullptr && i < command.sectors; ++i) {
        const u32 now = versions_.bytes()->word(command.lba + i);
        if (u32& word = slot.sector_words[i]; word != now) {
            word = command.opcode == HAL_HOST_READ ? now | ExpectedVersions::kDoubtful : now;
        }
    }
}

/// A write of this unit that was issued before the read is open on a device that may refuse it: the read then
/// sees what was there before, perhaps before the write's error is told.
bool Initiator::behind_a_write(const Slot& read, u64 lba) const
{
    const u64 unit = unit_of(lba);
    bool found = false;
    for (u32 tag = 0; errors_allowed_ && tag < depth_ && !found; ++tag) {
        const hal_host_command& c = slots_[tag].command;
        found = c.opcode == HAL_HOST_WRITE && slots_[tag].number < read.number && unit_of(c.lba) <= unit && unit <= unit_of(c.lba + c.sectors - 1);
    }
    return found;
}

/// A write has failed: its units may hold what it brought or what was there before, also for reads
/// that were issued behind it and are open now.
void Initiator::doubt(const hal_host_command& command)
{
    const u64 first = unit_of(command.lba);
    const u64 last = unit_of(command.lba + command.sectors - 1);
    for (u64 unit = first; unit <= last; ++unit) {
        versions_.doubt(unit);
    }
    for (u32 i = 0; versions_.bytes() != nullptr && data_ == nullptr && i < command.sectors; ++i) {
        versions_.bytes()->doubt(command.lba + i);
    }
    for (u32 tag = 0; tag < depth_; ++tag) {
        Slot& slot = slots_[tag];
        if (slot.command.opcode != HAL_HOST_READ) {
            continue;
        }
        const u64 base = unit_of(slot.command.lba);
        const u64 end = unit_of(slot.command.lba + slot.command.sectors - 1);
        for (u64 unit = std::max(first, base); unit <= std::min(last, end); ++unit) {
            slot.words[unit - base] |= ExpectedVersions::kDoubtful;
        }
        if (versions_.bytes() != nullptr && data_ == nullptr) {
            const u64 from = std::max(command.lba, slot.command.lba);
            const u64 to = std::min(command.lba + command.sectors,
                                    slot.command.lba + slot.command.sectors);
            for (u64 lba = from; lba < to; ++lba) {
                slot.sector_words[lba - slot.command.lba] |= ExpectedVersions::kDoubtful;
            }
        }
    }
}

} // namespace tlmssd::host
