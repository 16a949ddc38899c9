// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: independent protocol checker: derives from observed cycles and the data sheet alone.
#pragma once

#include <array>
#include <vector>

#include "models/common/geometry.h"
#include "models/config/config.h"
#include "models/onfi/bus_if.h"
#include "models/onfi/timing.h"
#include "models/onfi/violation.h"
#include "models/onfi/zero_memory.h"

namespace tlmssd::onfi {

/// Watches all channels of a device. Shares no function with Channel, the dies or segment_time():
/// it knows the part (geometry, array times) and the data sheet of the bus mode, nothing else.
/// Rules in docs/onfi.md. A rule is reported once for each segment or edge that breaks it.
class Checker final : public BusObserverIf {
public:
    static constexpr u32 kMaxPlanes = 16;

    /// Throws ModelError for more than kMaxPlanes planes.
    Checker(const Geometry& geometry, const DataSheet& sheet, const config::Nand& nand);

    void on_observed(u32 channel, const Segment& segment) override;
    void on_ready_edge(u32 channel, u32 ce, u32 lun, bool ready, Picoseconds when) override;

    /// Take over what preconditioning has left: pages of the block that are programmed.
    /// `die` counts over the device.
    void learn(u32 die, u32 plane, u32 block, u32 next_page);

    u64 violations() const { return log_.count(); }
    const ViolationLog& log() const { return log_; } ///< the first 100 violations

private:
    enum class Busy : u8 { No, Queue, Read, Program, Erase, Reset };
    struct alignas(64) LunState { ///< what every segment needs comes first, on one cache line
        Picoseconds ready_at;    ///< last rising edge
        Picoseconds low_at;      ///< last falling edge
        Picoseconds may_rise_at; ///< earliest legal rising edge
        Busy busy = Busy::No;
        Busy gathered = Busy::No; ///< kind of the operation whose planes are in `planes`
        bool low = false;
        u8 out_plane = 0;
        u32 planes = 0; ///< gathered for one (multi-plane) operation
        u32 bad = 0;    ///< of these, planes that broke a rule
        u32 page = 0;   ///< page offset they share
        u32 valid = 0;  ///< planes whose register holds data
        u32 column = 0;
        std::array<u32, kMaxPlanes> block{};
    };
    struct CeState {
        u64 address = 0;
        u32 cycles = 0;
        u8 opener = 0;
        bool open = false;
        bool spoiled = false;  ///< the sequence broke a rule, its rest is not judged
        bool row_done = false; ///< 80h: row taken
        bool status = false;   ///< bursts out are status bytes
        u8 lun = 0;
    };
    struct ChannelState {
        Picoseconds free_at;
        Picoseconds command_from; ///< last burst out + tRHW
    };
    /// The segment under judgement.
    struct View {
        const Segment& segment;
        CeState& ce;
        LunState* luns; ///< of the CE#
        u32 channel;
        u32 first_die; ///< device number of luns[0]
        Picoseconds first_cycle;
    };

    void check_bus(ChannelState& bus, u32 channel, const Segment& segment);
    Picoseconds minimum(const Segment& segment) const;
    void report(Rule rule, u32 channel, u32 ce, u32 lun, Picoseconds when);
    void report(const View& view, Rule rule);

    struct Row {
        u32 lun, plane, block, page;
    };

    void command(View& view, u8 byte);
    void address(View& view, u32 from, u32 count);
    void confirm(View& view, u8 byte);
    void burst_in(View& view);
    void burst_out(View& view);
    void reset(View& view);
    Row parts(u64 row) const;
    LunState* take_row(View& view, const Row& row);
    bool usable(const View& view, const LunState& lun);
    bool take_program_row(View& view);
    void gather(View& view, LunState& lun, Busy kind, const Row& row);
    void start(View& view, LunState& lun, Busy kind, Picoseconds least);
    void confirm_program(View& view, LunState& lun, const Row& row, bool queue);
    u64 block_at(u32 die, u32 plane, u32 block) const;

    Geometry geometry_;
    DataSheet sheet_;
    u32 plane_shift_, block_shift_, lun_shift_; ///< of the row address
    u32 luns_of_ce_, ces_of_channel_;
    Picoseconds per_cycle_;
    Picoseconds frame_out_; ///< strobe overhead of a burst out
    Picoseconds frame_in_;
    bool ddr_;
    Picoseconds least_read_, least_program_, least_erase_, least_queue_;
    u32 physical_bytes_;
    std::vector<ChannelState> channels_;
    std::vector<CeState> ces_;
    std::vector<LunState> luns_; ///< by device die number
    ZeroMemory<u16> next_page_;  ///< by block
    ViolationLog log_;
};

} // namespace tlmssd::onfi
