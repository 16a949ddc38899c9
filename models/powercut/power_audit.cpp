// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the look at a mounted device.
#include "models/powercut/power_audit.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::powercut {

namespace {

constexpr std::size_t kFailuresShown = 8;

std::string shown(u32 version)
{
    return version == 0 ? "never written or trimmed" : "version " + std::to_string(version);
}

} // namespace

PowerAudit::PowerAudit(const AuditOptions& options, host::DeviceLinkIf& link,
                       host::ExpectedVersions& versions, PowerHistory& history)
    : link_(link), versions_(versions), history_(history), units_per_page_(options.units_per_page),
      sectors_per_unit_(options.sectors_per_unit), errors_allowed_(options.errors_allowed),
      page_of_tag_(options.queue_depth)
{
    for (u32 tag = options.queue_depth; tag-- > 0;) {
        free_tags_.push_back(tag);
    }
}

void PowerAudit::start(std::function<void()> done)
{
    done_ = std::move(done);
    for (u64 page = 0; page < versions_.units() / units_per_page_; ++page) {
        for (u32 i = 0; i < units_per_page_; ++i) {
            if (versions_.word(page * units_per_page_ + i) != 0) {
                pages_.push_back(page);
                break;
            }
        }
    }
    found_.assign(pages_.size() * units_per_page_, kUnread);
    link_.bind(*this);
    pump();
}

void PowerAudit::pump()
{
    if (pumping_) {
        return; // a command ended inside submit()
    }
    pumping_ = true;
    while (next_ < pages_.size() && !free_tags_.empty()) {
        const u32 tag = free_tags_.back();
        free_tags_.pop_back();
        page_of_tag_[tag] = next_;
        hal_host_command command{};
        command.lba = pages_[next_++] * units_per_page_ * sectors_per_unit_;
        command.sectors = units_per_page_ * sectors_per_unit_;
        command.tag = static_cast<u16>(tag);
        command.opcode = HAL_HOST_READ;
        link_.submit(command);
    }
    pumping_ = false;
    if (ended_ == pages_.size()) {
        settle();
        done_();
    }
}

void PowerAudit::receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8*)
{
    const std::size_t at = page_of_tag_.at(tag);
    const u32 first = offset / sectors_per_unit_;
    const u32 last = (offset + sectors - 1) / sectors_per_unit_;
    for (u32 i = first; i <= last; ++i) {
        const u64 unit = pages_[at] * units_per_page_ + i;
        const UnitTag got = cells[i - first];
        const u32 version = got == UnitTag{} ? 0 : got.version;
        if (!(got == UnitTag{}) && (got.unit != unit + 1 || version == 0)) {
            fail("unit " + std::to_string(unit) + " holds data of " +
                 (got.unit == 0 ? "nothing" : "unit " + std::to_string(u64{got.unit} - 1)));
        } else if (unsaved_ && !history_.allows(unit, version) &&
                   version <= (versions_.word(unit) & host::ExpectedVersions::kVersion)) {
            ++lost_;
        } else if (!history_.allows(unit, version)) {
            fail("unit " + std::to_string(unit) + " has " + shown(version) + "; " + shown(history_.durable(unit)) +
                 " was durable, " + shown(versions_.word(unit) & host::ExpectedVersions::kVersion) +
                 " the newest written");
        }
        found_[at * units_per_page_ + i] = version;
    }
}

void PowerAudit::provide(u32 tag, u32, u32, UnitTag*, u8*)
{
    throw ModelError("powercut: the device wants data for the READ with tag " + std::to_string(tag));
}

void PowerAudit::on_completed(u32 tag, u32 status)
{
    const std::size_t at = page_of_tag_.at(tag);
    u32* const found = &found_[at * units_per_page_];
    if (status != HAL_HOST_OK) {
        std::fill(found, found + units_per_page_, kUnread);
        ++unreadable_;
        if (!errors_allowed_) {
            fail("logical page " + std::to_string(pages_[at]) + " cannot be read");
        }
    } else if (std::find(found, found + units_per_page_, kUnread) != found + units_per_page_) {
        fail("logical page " + std::to_string(pages_[at]) + " came incomplete");
    }
    ++ended_;
    free_tags_.push_back(tag);
    pump();
}

void PowerAudit::settle()
{
    using host::ExpectedVersions;
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const u64 unit = pages_[i / units_per_page_] * units_per_page_ + i % units_per_page_;
        const u32 newest = versions_.word(unit) & ExpectedVersions::kVersion;
        if (found_[i] != kUnread) {
            survivors_ += found_[i] != history_.durable(unit) && history_.allows(unit, found_[i]);
            forgotten_ += history_.allows(unit, found_[i]) && history_.lost(unit, found_[i]);
            history_.found(unit, found_[i]);
        }
        // Numbers are never given twice: a unit that lost its newest versions counts on from them.
        versions_.restore(unit, found_[i] == newest ? newest : newest | ExpectedVersions::kDoubtful);
    }
}

void PowerAudit::fail(const std::string& text)
{
    if (failures_.size() < kFailuresShown) {
        failures_.push_back(text);
    }
}

} // namespace tlmssd::powercut
