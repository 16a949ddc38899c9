// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: gives each instant of a host request to the stage in which it was (docs/explanation/stages.md).
#pragma once

#include <vector>

#include "models/config/config.h"
#include "models/cpu/cpu.h"
#include "models/host/request_record.h"
#include "models/interfaces/copy_observer_if.h"
#include "models/interfaces/host_port.h"
#include "models/observe/stages.h"
#include "models/probes/stages/stage_flash.h"

namespace tlmssd::probes {

/// Facts of a request when it has ended. Holds until the next request is issued.
struct EndedStages {
    const observe::StageTimes& times; ///< add up to its latency, exactly
    const Facts& facts;
    u32 flash_ops = 0; ///< pages that the flash read or programmed for it while it waited for them
    bool hit = false;  ///< READ, WRITE: the buffer had all of its pages
};

/// The configuration of StageTracker.
struct StageOptions {
    StageFlashOptions flash;
    u32 host_tags = 0;
    u32 unit_bytes = 0;  ///< of a logical page
    bool packs = false;  ///< a flash page holds several logical pages
    bool link = false;   ///< data take time on the host link

    static StageOptions of(const config::Config& config)
    {
        return {StageFlashOptions::of(config), config.host.queue_depth, config.mapped_bytes(),
                config.mapping_bits() != 0,
                config.host.kind != config::HostKind::Direct || config.host.direct_mb_per_s > 0};
    }
};

/// Follows each page of each command through the modules; the page that ended last counts. Fed by the
/// host (issued, finish), by a tap between host port and CPU (the five calls below), by the
/// firmware's probes, by port and copy engine where data move, and by flash() with what the
/// controller does. Memory: 64 pages a tag; nothing is allocated in steady state.
class StageTracker final : public cpu::StepObserverIf,
                           public HostDmaObserverIf,
                           public CopyObserverIf {
public:
    /// `lines`: page buffers of the firmware.
    StageTracker(const StageOptions& options, u32 lines);

    StageFlash& flash() { return flash_; }

    void on_issued(const host::RequestRecord& request);
    /// The request has ended. ModelError: the stages do not add up.
    EndedStages finish(const host::RequestRecord& request);

    void on_command(u32 tag, Picoseconds now);
    void on_dma_start(u32 tag, u32 page, Picoseconds now);
    void on_dma_done(u32 tag, u32 page, Picoseconds now);
    void on_completing(u32 tag, Picoseconds now);

    void on_step(u32, Picoseconds, Picoseconds, const fw&) override {}
    void on_probe(u32 id, u32 value, Picoseconds now, Picoseconds at) override;
    u32 probes() const override;
    void on_dma_on_link(u32 tag, u32 page, Picoseconds at) override;
    void on_dma_off_link(u32 tag, u32 page, Picoseconds now) override;
    void on_copy_start(u32 dst, Picoseconds now) override;
    void on_copy_end(u32 dst, Picoseconds now) override;

private:
    static constexpr u32 kWindow = 64; ///< pages of a command in the buffer at once (firmware/hil/state.h)
    static constexpr u32 kNone = LineClocks::kNone;

    struct Page : Follower {
        Facts facts;
        u32 number = 0;        ///< in the command
        Picoseconds no_line;   ///< it waits for a page buffer since then
        bool used = false;
        bool granted = false;  ///< WRITE: has had its page buffer
        bool no_line_yet = false;
    };
    struct Request {
        observe::StageClock base; ///< until its first page is asked for, and without any
        observe::StageClock best; ///< of the page that ended last
        Facts facts;              ///< of that page
        Picoseconds best_at;
        u32 best_page = kNone;
        u32 number = 0; ///< the firmware's
        u32 open_pages = 0;
        u32 flash_ops = 0;
        u32 missed = 0;
        u8 opcode = 0; ///< 0: the tag is free
        u8 held = 0;
    };

    Page* find(u32 tag, u32 page);
    Page& page_of(u32 tag, u32 page);
    Page& open(u32 tag, u32 page);
    [[gnu::noinline]] void to_buffer(u32 tag, u32 page, Picoseconds at);
    [[gnu::noinline]] void to_hil(u32 tag, u32 page, Picoseconds at);
    [[gnu::noinline]] void no_line(u32 tag, u32 page, Picoseconds at);
    [[gnu::noinline]] void at_line(u32 tag, u32 page, u32 line, Picoseconds at);
    void leave_line(Request& request, Page& page, Picoseconds at);
    [[gnu::noinline]] void submitted(u32 tag, u32 line, Picoseconds at);
    [[gnu::noinline]] void parked(u32 line);
    [[gnu::noinline]] void packed(u32 line, bool first);
    u32 packed_next(u32 line) const { return packed_next_.empty() ? kNone : packed_next_[line]; }
    [[gnu::noinline]] void enter_module(u32 line, u32 module, Picoseconds at);
    [[noreturn]] static void fail(u32 tag, const char* what);

    LineClocks lines_;
    StageFlash flash_;
    bool link_;
    u32 page_bytes_;
    std::vector<Request> requests_; ///< by host tag
    std::vector<Page> pages_;       ///< kWindow a tag
    std::vector<u32> packed_next_;  ///< by line: the next whose unit shares its flash page; empty without units
    u32 packed_last_ = kNone;
    u32 hil_tag_ = 0; ///< values of the probes that come first in their groups
    u32 flash_request_ = 0;
    u32 page_id_ = 0; ///< of the probe PAGE_AT_LINE, until LINE comes
};

} // namespace tlmssd::probes
