// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: independent protocol checker: derives from observed cycles and the data sheet alone.
#pragma once

#include <array>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/zero_memory.h"
#include "models/config/config.h"
#include "models/onfi/bus/bus_if.h"
#include "models/onfi/bus/timing.h"
#include "models/onfi/bus/violation.h"
#include "models/onfi/checker/checker_minima.h"

namespace tlmssd::onfi {

/// Watches all channels of a device. Shares no function with Channel, the dies or segment_time():
/// it knows the part (geometry, config::Nand) and the data sheets of the timing modes, nothing
/// else. Rules, state and equations in docs/checker.md. A rule is reported once for each segment
/// or edge that breaks it. WP# is no cycle and stays with the dies.
class Checker final : public BusObserverIf {
public:
    static constexpr u32 kMaxPlanes = 16;

    /// Every target starts in the data interface and mode of `onfi`. With `tolerate_silent_luns`
    /// (fault scripts) a LUN that does not answer a command with R/B#, or whose status reads FFh,
    /// is not judged until it answers again. Throws ModelError for more than kMaxPlanes planes.
    Checker(const Geometry& geometry, const config::Onfi& onfi, const config::Nand& nand,
            bool tolerate_silent_luns = false);
    /// The same on an x8 bus that starts in the mode of `sheet`.
    Checker(const Geometry& geometry, const DataSheet& sheet, const config::Nand& nand,
            bool tolerate_silent_luns = false);

    void on_observed(u32 channel, const Segment& segment) override;
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;

    /// Take over what preconditioning has left: pages of the block that are programmed (once).
    /// `die` counts over the device.
    void learn(u32 die, u32 plane, u32 block, u32 next_page);

    u64 violations() const { return log_.count(); }
    const ViolationLog& log() const { return log_; } ///< the first 100 violations

private:
    /// Why R/B# is low.
    enum class Busy : u8 {
        No,
        Queue,        ///< tDBSY of 11h, 32h, D1h
        Read,         ///< 30h, 35h
        Program,      ///< 10h
        Erase,        ///< D0h
        CacheRead,    ///< 31h
        CacheEnd,     ///< 3Fh
        CacheProgram, ///< 15h
        Register,     ///< ECh, EDh: the page registers are lost
        Feature,      ///< tFEAT
        Suspend,      ///< 84h or 61h has been taken
        Other         ///< a reset, or what follows a broken rule: no least time
    };
    /// What a command may find in the array while R/B# is high: RDY is 1 and ARDY 0.
    enum class Array : u8 { Idle, Reading, Programming };

    struct alignas(64) LunState { ///< what every segment needs comes first, on one cache line
        u64 ready_at = 0;    ///< last rising edge
        u64 low_at = 0;      ///< last falling edge
        u64 may_rise_at = 0; ///< earliest legal rising edge
        Busy busy = Busy::No;
        Busy gathered = Busy::No; ///< kind of the operation whose planes are in `planes`
        Busy suspended = Busy::No; ///< Program, Erase or No
        Busy ended = Busy::No;     ///< what R/B# was low for last
        Array array = Array::Idle;
        bool low = false;
        bool unknown = false;  ///< a silent LUN: not judged
        bool caching = false;  ///< 31h has run, 3Fh not yet
        bool copying = false;  ///< the read in progress is a copyback read
        u8 out_plane = 0;
        bool relearn = false;  ///< has been silent: page order is taken as it comes
        u32 planes = 0;        ///< gathered for one (multi-plane) operation
        u32 bad = 0;           ///< of these, planes that broke a rule
        u32 valid = 0;         ///< planes whose cache register the bus can read
        u32 loaded = 0;        ///< planes whose page register feeds 31h and 3Fh
        u32 copied = 0;        ///< planes that hold a page of 35h
        u32 page = 0;          ///< page offset of `planes`
        u32 column = 0;
        // Second line.
        Cycle by;              ///< the command that the LUN took last
        u64 array_until = 0;   ///< Array: not idle before
        u32 read_page = 0;     ///< page offset of `loaded`: 31h reads the next one
        u32 loading = 0;       ///< planes that 31h fetches
        Cycle cleared;         ///< what made the registers invalid
        Cycle queued;          ///< last 11h, 32h, D1h
        Cycle copy_by;         ///< last 35h
        std::array<u32, kMaxPlanes> block{};
    };
    struct Row {
        u32 lun, plane, block, page;
    };
    struct Suspended { ///< a program or erase that waits for its resume
        std::array<u32, kMaxPlanes> block{};
        u64 due = 0;       ///< may_rise_at had it not been suspended
        u64 remaining = 0; ///< least time that is left
        Cycle by;          ///< the suspend command
        u32 page = 0;
        u32 planes = 0;
        u32 bad = 0;
        bool perhaps_done = false; ///< it may have ended before the suspend took hold
    };
    struct CeState {
        u64 address = 0;
        u64 from = 0;      ///< first cycle of the segment in which the sequence was opened
        u64 data_from = 0; ///< a burst comes no earlier: tCCS, tWHR, tADL of the segment before
        u32 cycles = 0;
        u8 opener = 0;
        bool open = false;
        bool spoiled = false;   ///< the sequence broke a rule, its rest is not judged
        bool row_done = false;  ///< 80h, 85h: row taken
        bool change = false;    ///< 85h inside a program: its address is being collected
        bool status = false;    ///< bursts out are status bytes
        bool registers = false; ///< bursts out are ID, parameter page or feature bytes
        u8 lun = 0;             ///< the LUN that the bus talks to
        u8 setting = 0;         ///< timing mode that the target is set to, row of MinimaTable
        u8 old_setting = 0;     ///< before `set_at`
        bool program_clear = true;
        u8 next_setting = MinimaTable::kNoIndex; ///< after tFEAT; kNoIndex: stays
        bool next_program_clear = true;
        bool setting_pending = false;
        u64 set_at = 0;
        Row row{};       ///< of the program that is open
        Cycle opened;
        Cycle last;   ///< seen on this CE#
        Cycle set_by; ///< what chose the interface; none: the start
    };
    struct ChannelState {
        u64 free_at = 0;
        u64 command_from = 0; ///< end of the last burst out + tRHW
        u32 last_ce = 0;      ///< whose segment was the last one; device number
    };
    /// The segment under judgement.
    struct View {
        const Segment& segment;
        CeState& ce;
        LunState* luns; ///< of the CE#
        const BusMinima& minima;
        u32 channel;
        u32 first_die;   ///< device number of luns[0]
        u64 first_cycle; ///< start of the first cycle
        u64 end;
        u32 at = 0;         ///< the cycle under judgement; lead: the burst where in_burst
        bool in_burst = false;
        bool broken = false; ///< a rule was
    };

    // Time and reports (checker_bus.cpp)
    void check_bus(ChannelState& bus, View& view);
    bool spoken_to(View& view, u8 driven);
    Cycle cycle(const View& view, u32 i) const;
    Cycle burst(const View& view) const;
    Cycle current(const View& view) const;
    Cycle previous(const View& view) const;
    Cycle acting(const View& view) const;
    void report(View& view, Rule rule, Cycle first);
    void report(View& view, Rule rule, Cycle first, Cycle second);
    void remember(View& view);

    // Cycles (checker_decode.cpp)
    void cycles(View& view, u32 from, u32 to);
    void command(View& view, u8 byte);
    void open(View& view, u8 byte);
    void change_write_column(View& view);
    void spoil(View& view, Rule rule);
    void address(View& view, u32 count);
    void addressed(View& view);
    void confirm(View& view, u8 byte);
    void burst_in(View& view);
    void burst_out(View& view);
    void status_out(View& view);
    void confirm_column(View& view);

    // LUNs (checker_lun.cpp)
    Row parts(u64 row) const;
    LunState* take_row(View& view, const Row& row);
    bool usable(View& view, LunState& lun, u64 from, Array through, Cycle second);
    bool all_usable(View& view);
    bool start(View& view, LunState& lun, Busy kind, u64 may_rise_at);
    static void silence(LunState& lun);
    void adopt(View& view);

    // Array operations (checker_array.cpp)
    void confirm_read(View& view, u8 byte);
    void lone_cache_read(View& view, u8 byte);
    void start_cache_read(View& view, LunState& lun, u32 next, u32 page);
    bool gather(View& view, LunState& lun, Busy kind, const Row& row);
    bool take_program_row(View& view);
    bool take_change(View& view);
    void clear_registers(View& view, LunState& lun, u32 plane);
    void confirm_program(View& view, u8 byte);
    Rule page_rule(u64 block, u32 page) const;
    void mark_programmed(u32 die, const LunState& lun);
    void confirm_erase(View& view, bool queue);
    bool barred(View& view, const LunState& lun, Busy kind, const Row& row);
    bool touches(u32 die, const LunState& lun, u32 plane, u32 block, u32 page) const;

    // What concerns the target or stops an operation (checker_target.cpp)
    void start_target(View& view, Busy kind, u64 least);
    void read_registers(View& view);
    void feature_address(View& view);
    bool known_value(u8 feature, u8 p1) const;
    void set_feature(View& view);
    void suspend(View& view, Busy kind);
    void resume(View& view, Busy kind);
    void reset_target(View& view, u8 byte);
    void reset_lun(View& view);
    void reset(View& view, LunState& lun);
    void resolve_suspended(u32 die, LunState& lun, u8 status);
    void finish_erase(u32 die, const std::array<u32, kMaxPlanes>& block, u32 planes);
    static void apply_setting(CeState& ce, u64 now);

    u64 block_at(u32 die, u32 plane, u32 block) const;

    Geometry geometry_;
    MinimaTable minima_;
    ArrayMinima array_;
    u8 initial_; ///< row of minima_
    bool tolerate_;
    bool block_restriction_;
    std::array<u32, MinimaTable::kInterfaces> modes_; ///< that the part has
    u32 retry_levels_;
    u32 partial_programs_;
    u32 plane_shift_, block_shift_, lun_shift_; ///< of the row address
    u32 luns_of_ce_, ces_of_channel_;
    u32 physical_bytes_;
    std::vector<ChannelState> channels_;
    std::vector<CeState> ces_;
    std::vector<LunState> luns_;       ///< by device die number
    std::vector<Suspended> suspended_; ///< by device die number
    ZeroMemory<u16> next_page_;        ///< by block
    ZeroMemory<u8> repeats_; ///< by block: programs of its last page after the first; where allowed
    ViolationLog log_;
};

} // namespace tlmssd::onfi
