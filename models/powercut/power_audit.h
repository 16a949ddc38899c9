// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: after a mount: read every page that was written, and compare it with the versions that may be read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/interfaces/device_link_if.h"
#include "models/powercut/power_history.h"

namespace tlmssd::powercut {

/// The configuration of a look.
struct AuditOptions {
    u32 units_per_page = 1;
    u32 sectors_per_unit = 8;
    u32 queue_depth = 1;         ///< READs in flight
    bool errors_allowed = false; ///< the flash has errors: a page may be unreadable

    static AuditOptions of(const config::Config& config)
    {
        return {config.geometry.units_per_page(), config.geometry.sectors_per_unit(), config.host.queue_depth,
                config.nand.errors.enabled};
    }
};

/// The host while it looks: one READ a page, as many open as the queue takes. The findings enter
/// history and versions when all has been read, so that a cut before that changes nothing.
class PowerAudit final : public host::LinkClientIf {
public:
    PowerAudit(const AuditOptions& options, host::DeviceLinkIf& link, host::ExpectedVersions& versions,
               PowerHistory& history);
    /// The capacitors were empty before all was in flash: what is missing is counted, not a failure.
    void after_unsaved() { unsaved_ = true; }

    /// The link's client from now on. `done` is called at the end; also where failures() has something.
    void start(std::function<void()> done);

    u64 pages() const { return pages_.size(); }
    u64 unreadable() const { return unreadable_; } ///< pages; the flash has errors
    /// Units that have a version which need not have survived.
    u64 survivors() const { return survivors_; }
    /// Units that have an older version than was acknowledged, as they may.
    u64 forgotten() const { return forgotten_; }
    u64 lost() const { return lost_; } ///< units that lack what was acknowledged, after_unsaved()
    const std::vector<std::string>& failures() const { return failures_; }

    void receive(u32 tag, u32 offset, u32 sectors, const UnitTag* cells, const u8* bytes) override;
    void provide(u32 tag, u32 offset, u32 sectors, UnitTag* cells, u8* bytes) override;
    void on_repeated(u32) override {} ///< what comes again is found again
    void on_completed(u32 tag, u32 status) override;

private:
    static constexpr u32 kUnread = ~u32{0};
    void pump();
    void settle();
    void fail(const std::string& text);

    host::DeviceLinkIf& link_;
    host::ExpectedVersions& versions_;
    PowerHistory& history_;
    u32 units_per_page_;
    u32 sectors_per_unit_;
    bool errors_allowed_;
    std::function<void()> done_;
    std::vector<u64> pages_;
    std::vector<u32> found_;     ///< versions, units_per_page_ for each of pages_
    std::vector<u32> free_tags_;
    std::vector<std::size_t> page_of_tag_;
    std::size_t next_ = 0, ended_ = 0;
    bool pumping_ = false;
    bool unsaved_ = false;
    u64 unreadable_ = 0, survivors_ = 0, lost_ = 0, forgotten_ = 0;
    std::vector<std::string> failures_;
};

} // namespace tlmssd::powercut
