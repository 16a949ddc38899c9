// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: issue and completion of host requests.
#include "models/host/initiator.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/common/geometry.h"

namespace tlmssd::host {

using workload::Kind;

Initiator::Initiator(sc_core::sc_module_name name, time::EventWheel& wheel,
                     const config::Config& config, DeviceLinkIf& link, ExpectedVersions& versions)
    : sc_module(name), wheel_(wheel), link_(link), versions_(versions),
      timer_(wheel, time::Priority::Host, time::Timer::call<&Initiator::pump, Initiator>, this),
      unit_shift_(bits_for(config.geometry.sectors_per_unit())), depth_(config.host.queue_depth),
      open_loop_(config.workload.mode == config::LoopMode::Open),
      errors_allowed_(config.nand.errors.enabled || !config.inject.fault_script.empty())
{
    if (depth_ == 0 || depth_ > kMaxTags) {
        throw InputError("host.queue_depth: " + std::to_string(depth_) + " is not in 1..256");
    }
    for (u32 tag = 0; tag < depth_; ++tag) {
        free_tag(tag);
        slots_[tag].words.resize(kFirstUnits);
    }
    link_.bind(*this);
}

void Initiator::start(workload::RequestSource& source, RunListenerIf& listener)
{
    source_ = &source;
    listener_ = &listener;
    done_ = false;
    stats_.started = stats_.last_completion = outstanding_since_ = wheel_.now();
    pull();
    timer_.arm(wheel_.now());
}

void Initiator::pull()
{
    try {
        have_head_ = source_->next(head_);
    } catch (...) {
        have_head_ = false;
        source_error_ = std::current_exception();
        listener_->on_source_error();
        return;
    }
    head_arrived_ = false;
    if (have_head_) {
        versions_.prefetch(unit_of(head_.lba));
    }
}

/// Decides when the head arrives, and whether it may be issued now.
bool Initiator::head_may_go()
{
    const Picoseconds now = wheel_.now();
    const bool tag_free = outstanding_ < depth_ && !exclusive_;
    if (!head_arrived_) {
        if (open_loop_) {
            head_arrival_ = stats_.started + head_.arrival;
            if (head_arrival_ > now) {
                timer_.arm(head_arrival_);
                return false;
            }
            head_found_full_ = head_arrival_ < now || outstanding_ == depth_;
        } else {
            if (!tag_free) {
                return false;
            }
            head_arrival_ = now;
            head_found_full_ = false;
        }
        head_arrived_ = true;
    }
    const bool alone =
        head_.kind == Kind::Flush || (head_.kind == Kind::Trim && !link_.queues_trim());
    return tag_free && !(alone && outstanding_ != 0);
}

void Initiator::pump()
{
    if (pumping_) {
        return; // a command ended inside submit(): the loop below goes on with it
    }
    pumping_ = true;
    while (have_head_ && head_may_go()) {
        issue();
    }
    pumping_ = false;
    if (!have_head_ && outstanding_ == 0 && !done_ && source_error_ == nullptr) {
        done_ = true;
        listener_->on_workload_done();
    }
}

u32 Initiator::take_tag()
{
    u32 word = 0;
    while (free_[word] == 0) {
        ++word;
    }
    const u32 bit = static_cast<u32>(__builtin_ctzll(free_[word]));
    free_[word] &= free_[word] - 1;
    return word * 64 + bit;
}

void Initiator::account_outstanding()
{
    const Picoseconds now = wheel_.now();
    stats_.outstanding_ps +=
        static_cast<unsigned __int128>(outstanding_) * (now - outstanding_since_).value();
    outstanding_since_ = now;
}

void Initiator::issue()
{
    const Picoseconds now = wheel_.now();
    const u32 tag = take_tag();
    Slot& slot = slots_[tag];
    slot.command.lba = head_.lba;
    slot.command.sectors = head_.sectors;
    slot.command.tag = static_cast<u16>(tag);
    slot.command.opcode = static_cast<u8>(head_.kind);
    slot.command.flags = head_.fua ? HAL_HOST_FUA : 0;
    slot.arrival = head_arrival_;
    slot.issued = now;
    slot.sequence = ++sequence_;
    slot.sectors_moved = slot.next_sector = 0;
    note_versions(slot);
    stats_.last_arrival = head_arrival_;
    stats_.queue_wait.record(now - head_arrival_);
    if (head_found_full_) {
        stats_.queue_wait_when_full.record(now - head_arrival_);
    }
    account_outstanding();
    ++outstanding_;
    exclusive_ = head_.kind == Kind::Flush || (head_.kind == Kind::Trim && !link_.queues_trim());
    pull();
    if (observer_ != nullptr) {
        observer_->on_issued(slot.command, slot.arrival, now);
    }
    link_.submit(slot.command);
}

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
    if (versions_.bytes() != nullptr) {
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
        if (ExpectedBytes* const bytes = versions_.bytes(); bytes != nullptr) {
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
    const u64 base = unit_of(slot.command.lba);
    const u64 first = unit_of(slot.command.lba + offset);
    const u64 last = unit_of(slot.command.lba + offset + sectors - 1);
    stats_.units_checked += last - first + 1;
    for (u64 unit = first; unit <= last; ++unit) {
        const u32 word = slot.words[unit - base];
        const UnitTag got = cells[unit - first];
        const bool tag_wrong = !ExpectedVersions::accepts(unit, word, got);
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
        if (wrong != kSectorBytes) {
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
    for (u32 i = 0; bytes != nullptr && i < sectors; ++i) {
        versions_.bytes()->fill(slot.command.lba + offset + i, slot.sector_words[offset + i],
                                bytes + i * kSectorBytes);
    }
}

void Initiator::on_completed(u32 tag, u32 status)
{
    if (tag >= kMaxTags || slots_[tag].command.opcode == 0) {
        throw ModelError("host: tag " + std::to_string(tag) + " ended, but was not open");
    }
    Slot& slot = slots_[tag];
    const Picoseconds now = wheel_.now();
    if (status != HAL_HOST_OK) {
        on_device_error(slot);
    } else {
        on_ended(slot, now);
    }
    if (slot.sequence == sequence_) {
        stats_.last_latency = now - slot.issued;
    }
    stats_.last_completion = now;
    if (observer_ != nullptr) {
        observer_->on_request(slot.command, slot.arrival, slot.issued, now);
    }
    slot.command.opcode = 0;
    free_tag(tag);
    account_outstanding();
    --outstanding_;
    exclusive_ = false; // if it was set, this was the only open command
    pump();
}

void Initiator::on_device_error(const Slot& slot)
{
    DeviceErrors& errors = stats_.device_errors;
    switch (slot.command.opcode) {
    case HAL_HOST_READ: ++errors.reads; break;
    case HAL_HOST_WRITE: ++errors.writes; break;
    default: ++errors.others; break;
    }
    if (!errors_allowed_) {
        report_error(slot.command, "the device reported an error");
    } else if (slot.command.opcode == HAL_HOST_WRITE) {
        doubt(slot.command);
    }
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
    for (u32 i = 0; versions_.bytes() != nullptr && i < command.sectors; ++i) {
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
        if (versions_.bytes() != nullptr) {
            const u64 from = std::max(command.lba, slot.command.lba);
            const u64 to = std::min(command.lba + command.sectors,
                                    slot.command.lba + slot.command.sectors);
            for (u64 lba = from; lba < to; ++lba) {
                slot.sector_words[lba - slot.command.lba] |= ExpectedVersions::kDoubtful;
            }
        }
    }
}

void Initiator::on_ended(const Slot& slot, Picoseconds now)
{
    const hal_host_command& command = slot.command;
    const Picoseconds latency = now - slot.issued;
    switch (command.opcode) {
    case HAL_HOST_FLUSH:
        ++stats_.flushes;
        stats_.flush_latency.record(latency);
        return;
    case HAL_HOST_TRIM:
        ++stats_.trims;
        stats_.trim_latency.record(latency);
        return;
    default: break;
    }
    if (slot.sectors_moved != command.sectors) {
        report_error(command, "ended after " + std::to_string(slot.sectors_moved) + " of " +
                                  std::to_string(command.sectors) + " sectors");
    }
    DirectionStats& stats = command.opcode == HAL_HOST_READ ? stats_.reads : stats_.writes;
    stats.record(u64{command.sectors} * kSectorBytes, latency, now - slot.arrival);
}

} // namespace tlmssd::host
