// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what may survive a cut of the supply.
#include "models/powercut/power_history.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "models/common/error.h"
#include "models/common/file_io.h"

namespace tlmssd::powercut {

PowerHistory::PowerHistory(u64 units, u32 sectors_per_unit, u32 units_per_page, bool durable_writes,
                           bool durable_trims)
    : sectors_per_unit_(sectors_per_unit), units_per_page_(units_per_page), durable_writes_(durable_writes),
      durable_trims_(durable_trims), durable_(units)
{
}

void PowerHistory::all_durable(const host::ExpectedVersions& versions)
{
    std::unordered_map<u64, Since> since;
    for (u64 unit = 0; unit < units(); ++unit) {
        const u32 word = versions.word(unit);
        durable_[unit] = word & host::ExpectedVersions::kVersion;
        if ((word & host::ExpectedVersions::kTrimmed) != 0) {
            since.try_emplace(unit).first->second.entries.push_back({0, 0, 0, 0});
        }
        if ((word & host::ExpectedVersions::kDoubtful) != 0) {
            Since& entry = since[unit];
            for (u32 version = 0; version < durable_[unit]; ++version) {
                entry.entries.push_back({version, 0, 0, 0});
            }
        }
    }
    since_ = std::move(since);
}

void PowerHistory::on_issued(const hal_host_command& command, const host::ExpectedVersions& versions)
{
    std::vector<Mark>& marks = open_.at(command.tag).marks;
    marks.clear();
    open_[command.tag].ends = ends_;
    const auto add = [&](u64 unit, Entry entry) {
        Since& since = since_[unit];
        marks.push_back({unit, since.dropped + since.entries.size()});
        since.entries.push_back(entry);
    };
    if (command.opcode == HAL_HOST_WRITE && command.sectors != 0) {
        const u64 last = (command.lba + command.sectors - 1) / sectors_per_unit_;
        for (u64 unit = command.lba / sectors_per_unit_; unit <= last; ++unit) {
            add(unit, {versions.word(unit) & host::ExpectedVersions::kVersion, 1, 0, kOpen});
        }
    } else if (command.opcode == HAL_HOST_TRIM) {
        const u64 end = (command.lba + command.sectors) / sectors_per_unit_;
        const u64 first = (command.lba + sectors_per_unit_ - 1) / sectors_per_unit_;
        const u64 first_page = (first + units_per_page_ - 1) / units_per_page_;
        for (u64 unit = first; unit < std::min(end, units()); ++unit) {
            const u64 page = unit / units_per_page_;
            add(unit, {0, page >= first_page && (page + 1) * units_per_page_ <= end ? u16{1} : u16{0}, 0, kOpen});
        }
    }
}

/// The entry `index` of the unit, and all before it, are durable.
void PowerHistory::settle(u64 unit, u64 index)
{
    const auto at = since_.find(unit);
    if (at == since_.end()) {
        return;
    }
    Since& since = at->second;
    for (u64 i = std::min<u64>(index + 1, since.dropped + since.entries.size()); i > since.dropped; --i) {
        const Entry entry = since.entries[i - 1 - since.dropped];
        if (entry.sure != 0) {
            durable_[unit] = entry.version;
            since.entries.erase(since.entries.begin(),
                                since.entries.begin() + static_cast<std::ptrdiff_t>(i - since.dropped));
            since.dropped = i;
            break;
        }
    }
}

void PowerHistory::on_ended(const hal_host_command& command, u32 status)
{
    const Command& open = open_.at(command.tag);
    const std::vector<Mark>& marks = open.marks;
    ++ends_;
    for (const Mark& mark : marks) {
        if (const auto at = since_.find(mark.unit); at != since_.end() && mark.index >= at->second.dropped) {
            Entry& entry = at->second.entries[mark.index - at->second.dropped];
            entry.ended = ends_;
            entry.told = status == HAL_HOST_OK ? 1 : 0;
        }
    }
    if (status != HAL_HOST_OK) {
        for (const Mark& mark : marks) {
            Since& since = since_[mark.unit];
            if (mark.index >= since.dropped) {
                since.entries[mark.index - since.dropped].sure = 0;
            }
        }
    } else if (command.opcode == HAL_HOST_FLUSH) {
        for (const auto& [unit, since] : since_) { // the newest that had ended by then, and all before it
            u64 index = since.entries.size();
            while (index != 0 && since.entries[index - 1].ended > open.ends) {
                --index;
            }
            if (index != 0) {
                settle(unit, since.dropped + index - 1);
            }
        }
        for (auto at = since_.begin(); at != since_.end();) {
            at = at->second.entries.empty() ? since_.erase(at) : std::next(at);
        }
    } else if (command.opcode == HAL_HOST_WRITE &&
               (durable_writes_ || (command.flags & HAL_HOST_FUA) != 0)) {
        for (const Mark& mark : marks) {
            settle(mark.unit, mark.index);
        }
    } else if (command.opcode == HAL_HOST_TRIM && durable_trims_) {
        for (const Mark& mark : marks) { // a part of a page is not trimmed, and waits for nothing
            const auto at = since_.find(mark.unit);
            if (at != since_.end() && mark.index >= at->second.dropped &&
                at->second.entries[mark.index - at->second.dropped].sure != 0) {
                settle(mark.unit, mark.index);
            }
        }
    }
}

bool PowerHistory::allows(u64 unit, u32 version) const
{
    if (version == durable_[unit]) {
        return true;
    }
    const auto at = since_.find(unit);
    return at != since_.end() &&
           std::any_of(at->second.entries.begin(), at->second.entries.end(),
                       [version](const Entry& entry) { return entry.version == version; });
}

bool PowerHistory::lost(u64 unit, u32 version) const
{
    const auto at = since_.find(unit);
    if (at == since_.end()) {
        return false;
    }
    const std::vector<Entry>& entries = at->second.entries;
    for (auto entry = entries.rbegin(); entry != entries.rend() && entry->version != version; ++entry) {
        if (entry->sure != 0 && entry->told != 0) {
            return true;
        }
    }
    return false;
}

void PowerHistory::found(u64 unit, u32 version)
{
    durable_[unit] = version;
    since_.erase(unit);
}

void PowerHistory::save(const std::string& path) const
{
    std::ofstream out(path, std::ios::binary);
    const auto put = [&out](u64 word) { out.write(reinterpret_cast<const char*>(&word), sizeof word); };
    out.write(reinterpret_cast<const char*>(durable_.data()),
              static_cast<std::streamsize>(durable_.size() * sizeof durable_[0]));
    put(since_.size());
    for (const auto& [unit, since] : since_) {
        put(unit);
        put(since.entries.size());
        out.write(reinterpret_cast<const char*>(since.entries.data()),
                  static_cast<std::streamsize>(since.entries.size() * sizeof(Entry)));
    }
    if (!out.flush()) {
        cannot_write(path, errno != 0 ? errno : EIO);
    }
}

void PowerHistory::load(const std::string& path)
{
    std::string bytes;
    const int error = read_file(path, bytes);
    std::istringstream in(bytes);
    const auto get = [&in] {
        u64 word = 0;
        in.read(reinterpret_cast<char*>(&word), sizeof word);
        return word;
    };
    in.read(reinterpret_cast<char*>(durable_.data()),
            static_cast<std::streamsize>(durable_.size() * sizeof durable_[0]));
    since_.clear();
    for (u64 n = get(); in && n != 0; --n) {
        Since& since = since_[get()];
        since.entries.resize(get());
        in.read(reinterpret_cast<char*>(since.entries.data()),
                static_cast<std::streamsize>(since.entries.size() * sizeof(Entry)));
        for (Entry& entry : since.entries) {
            entry.ended = 0; // in this life nothing of it is open
        }
    }
    if (error != 0 || !in) {
        throw InputError(path + ": cannot read: " + std::strerror(error != 0 ? error : EIO));
    }
}

} // namespace tlmssd::powercut
