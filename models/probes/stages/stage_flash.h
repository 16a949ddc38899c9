// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: flash operations from doorbell to completion as stages, and what they wait for.
#pragma once

#include <array>
#include <vector>

#include "models/config/config.h"
#include "models/interfaces/controller_if.h"
#include "models/probes/stages/stage_lines.h"
#include "models/probes/stages/use_history.h"

namespace tlmssd::probes {

/// The configuration of StageFlash.
struct StageFlashOptions {
    Geometry geometry;
    u32 tags = 0;        ///< flash operations in flight
    bool rtl = false;    ///< the controller is RTL
    bool polled = false; ///< a LUN has no ready line of its own

    static StageFlashOptions of(const config::Config& config)
    {
        return {config.geometry, config.controller.tags, config::is_rtl(config.controller.kind),
                config.onfi.ready != config::ReadySense::Lun};
    }
};

/// Moves the clocks of the page buffers that an operation serves. Bind it as an observer of the
/// controller and of the segment port; serves() comes from the firmware's probes.
class StageFlash final : public flash::OperationObserverIf {
public:
    StageFlash(const StageFlashOptions& options, LineClocks& lines);

    /// The doorbell of the operation `tag` rings at `at`. It serves page buffer `line`, for the
    /// command with the running number `request`.
    void serves(u32 tag, u32 line, u32 request, Picoseconds at);
    /// So does page buffer `line`, with a mapping unit of a page that is served already.
    void serves_also(u32 tag, u32 line, Picoseconds at);
    /// Waits shorter than this need no explanation.
    void explain_from(Picoseconds time) { explain_from_ = time; }

    void on_issue(u32 tag, const flash_op& op, Picoseconds now) override;
    void on_wait(u32 tag, Picoseconds now) override;
    void on_bus(u32 tag, u32 channel, Picoseconds start) override;
    void on_phase(u32 tag, u32 channel, flash::Phase phase, Picoseconds start,
                  Picoseconds end) override;
    void on_complete(u32 tag, const flash_completion& completion, Picoseconds now) override;

private:
    static constexpr u32 kUnits = 8; ///< mapping units of the largest page
    static constexpr u32 kMembers = FLASH_MAX_PLANES * kUnits;
    static constexpr u32 kNoTag = ~u32{0};

    struct Operation {
        std::array<u32, kMembers> members{}; ///< clocks of the buffers that it serves
        u32 count = 0;
        u32 die = 0;
        Use use = Use::Other;
        bool program = false;
        bool suspending = false; ///< from a suspend to the resume
        observe::Stage stage = observe::Stage::Sched; ///< of all its members
        Picoseconds submitted;
        Picoseconds waits_since; ///< for the bus
        Picoseconds last_end;    ///< of its last segment
    };
    struct Die {
        UseHistory history;
        u32 tag = kNoTag; ///< that has it
        Use use = Use::Free;
        Picoseconds since;
        Picoseconds left; ///< when the last one left it
    };

    void move(Operation& o, Picoseconds t, observe::Stage stage)
    {
        if (o.stage == stage) {
            return;
        }
        o.stage = stage;
        for (u32 i = 0; i < o.count; ++i) {
            lines_.go(o.members[i], t, stage);
        }
    }
    /// The operation serves the buffer of that clock, from `at` on.
    void join(Operation& o, u32 index, Picoseconds at)
    {
        o.submitted = at;
        o.stage = observe::Stage::WaitDie;
        lines_.go(index, at, observe::Stage::WaitDie);
        o.members[o.count++] = index;
    }
    void leave(Die& die, Picoseconds t);
    void explain(const Operation& o, Wait Facts::*kind, const UseHistory& history, u32 where, Picoseconds from,
                 Picoseconds to);

    DieNumbers die_number_;
    LineClocks& lines_;
    bool rtl_;    ///< on_issue() comes with the first segment
    bool polled_; ///< the controller asks for the status of a busy LUN
    std::vector<Operation> operations_; ///< by flash tag
    std::vector<Die> dies_;
    std::vector<UseHistory> channels_;
    Picoseconds explain_from_;
};

} // namespace tlmssd::probes
