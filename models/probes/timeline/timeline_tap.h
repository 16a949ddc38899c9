// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the whole simulation shows on the timeline (docs/guides/timeline.md).
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/cpu/cpu.h"
#include "models/host/initiator.h"
#include "models/interfaces/controller_if.h"
#include "models/nvme/pcie_link.h"
#include "models/observe/timeline.h"
#include "models/probes/timeline/timeline_bus.h"
#include "models/sata/link.h"

namespace tlmssd::probes {

/// The part of a device's configuration that the timeline needs.
struct TimelineDevice {
    Geometry geometry;
    u32 host_tags = 0;
    u32 flash_tags = 0;
    u32 cores = 0;
    bool has_link = false;

    static TimelineDevice of(const config::Config& config)
    {
        return {config.geometry, config.host.queue_depth, config.controller.tags, config.cpu.cores,
                config.host.kind != config::HostKind::Direct};
    }
};

/// Tracks of host tags, link directions, cores, channels, dies and planes, and an arrow from each
/// host request to each flash operation that it causes while it is open. Bind it as the observer of
/// initiator, link, CPU, controller and segment port, and bus() as one of each channel.
class TimelineTap final : public host::RequestObserverIf,
                          public sata::LinkObserverIf,
                          public nvme::PcieObserverIf,
                          public cpu::StepObserverIf,
                          public flash::OperationObserverIf {
public:
    /// Declares all tracks; the caller opens and closes `timeline`.
    TimelineTap(observe::Timeline& timeline, const TimelineDevice& device);

    onfi::BusObserverIf& bus() { return bus_; }
    /// Shows slices that have not ended at the end, marked `open`.
    void close(Picoseconds now);

    void on_issued(const host::RequestRecord& request) override;
    void on_request(const host::RequestRecord& request) override;
    void on_frame(const sata::Frame& frame, Picoseconds start, Picoseconds end) override;
    void on_transfer(const nvme::Transfer& transfer, bool to_host, Picoseconds start, Picoseconds end) override;
    void on_step(u32 core, Picoseconds start, Picoseconds end, const fw& firmware) override;
    void on_probe(u32 id, u32 value, Picoseconds now, Picoseconds at) override;
    u32 probes() const override;
    void on_issue(u32 tag, const flash_op& op, Picoseconds now) override;
    void on_phase(u32 tag, u32 channel, flash::Phase phase, Picoseconds start,
                  Picoseconds end) override;
    void on_complete(u32 tag, const flash_completion& completion, Picoseconds now) override;

private:
    static constexpr u32 kMates = FLASH_MAX_PLANES;
    static constexpr u32 kStepNames = 1u << FW_MODULE_CORE; ///< by the set of modules that worked

    struct Arrow {
        Picoseconds at;
        u64 id;
    };
    /// A host command that is open, by tag.
    struct Request {
        hal_host_command command{}; ///< opcode 0: none
        Picoseconds arrival;
        Picoseconds issued;
        u32 number = 0; ///< the firmware's; 0: none, or not yet known
        std::vector<Arrow> arrows;
    };
    /// Which requests caused the operation that the firmware submits under a flash tag.
    struct Cause {
        u32 count = 0;
        std::array<u32, kMates> requests{};
        Picoseconds submitted;
    };
    /// An operation on a die, from issue to completion. The die has one at a time, but DMA and ECC
    /// of a read outlast that. One that was suspended becomes two where it is resumed.
    struct Operation {
        flash_op op{};
        Cause cause;
        Picoseconds issued;
        Picoseconds start; ///< of its first segment
        Picoseconds end;   ///< of its last one; of a reset: ready
        Picoseconds cut = kTimeNever; ///< cache program: the next one's data begin
        u16 retries = 0;
        u8 status = 0;
        bool begun = false;
        bool done = false;
        bool suspended = false; ///< a part: another one follows
        bool resumed = false;   ///< a part: another one was before
        u32 arrow_count = 0;
        std::array<u64, kMates> arrows{};
    };

    /// The dies that an operation takes: of a RESET all of its CE#.
    u32 first_die(const flash_op& op) const;
    u32 dies_taken(const flash_op& op) const;
    template <class Visit>
    void for_operation(u32 tag, Visit visit);
    void resume(u32 tag);
    void cut_program_before(u32 die, const Operation& o);
    void draw_arrows(Operation& o);
    void show_ended(u32 die); ///< those that are before all others of their die
    void show(u32 die, const Operation& o, bool open);
    void show(Request& request, Picoseconds ended, bool open);

    observe::Timeline& timeline_;
    Geometry geometry_;
    std::vector<u32> tag_tracks_;
    u32 link_tracks_[2]{}; ///< by sender
    std::vector<u32> core_tracks_;
    std::vector<u32> die_tracks_;
    TimelineBus bus_;

    std::vector<Request> requests_; ///< by host tag
    std::vector<Cause> causes_;     ///< by flash tag, until issue
    std::vector<u32> die_of_;       ///< by flash tag: first die
    std::vector<u32> dies_of_;      ///< by flash tag: how many
    std::vector<std::deque<Operation>> dies_; ///< in the order of issue, until all before are done
    std::vector<Picoseconds> drawn_until_; ///< by die
    u32 hil_tag_ = 0;
    u32 flash_tag_ = 0;
    u64 arrows_ = 0;
    std::array<u64, FW_MODULE_COUNT> cycles_{}; ///< charged up to the last step
    std::array<std::string, kStepNames> step_names_;
};

} // namespace tlmssd::probes
