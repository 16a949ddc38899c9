// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: broken bus and die rules, as the dies and the protocol checker both report them.
#pragma once

#include <string>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::onfi {

/// The rules. Their sentences are in rule_text().
enum class Rule : u8 {
    None,
    BusOverlap,
    SegmentTooShort,
    UnknownCommand,
    CommandSequence,
    AddressCycles,
    RowRange,
    LunBusy,
    MultiPlane,
    PageOrder,
    NotErased,
    NoData,
    BurstLength,
    ReadyTooEarly,
    ReadyEdge,
    CacheState,      ///< 31h, 3Fh or 15h where no such cache operation can go on
    CopybackPlane,   ///< copyback program to another LUN or plane than the read
    PartialPrograms, ///< more programs of one page than the part allows between erases
    WriteProtected,  ///< program or erase while WP# is low
    SuspendState,    ///< suspend or resume where nothing can be, or a second operation of its kind
    WrongInterface,  ///< driven in another data interface, or faster, than the target is set to
    FeatureAddress,  ///< a feature or ID address that the part does not have
    StatusTooEarly,  ///< a status read on the grounds of R/B# that has not fallen yet, inside tWB
    PinTiming,       ///< pins: a pulse, set-up, hold or cycle time below the data sheet's
    PinState         ///< pins: an edge while the other lines mean no cycle
};

const char* rule_text(Rule rule);

enum class CycleKind : u8 { None, Command, Address, DataIn, DataOut, Busy, Ready, Select, Pin };

/// One thing that was seen on the bus.
struct Cycle {
    CycleKind kind = CycleKind::None;
    u8 byte = 0;    ///< of a command or address cycle
    Picoseconds at; ///< its end; of a burst the end of the burst; of R/B# and CE# the edge
};

/// One broken rule. Never repaired in silence: the run ends with status 3.
struct Violation {
    Picoseconds when; ///< end of the segment, or the time of the ready edge
    u32 channel = 0;
    u32 ce = 0;
    u32 lun = 0;
    Rule rule = Rule::None;
    Cycle first{};  ///< the cycle that set the rule up; kind None where there is none
    Cycle second{}; ///< the cycle that broke it
};

/// "12.345678 us: channel 0 CE 1 LUN 0: sentence (command 30h at 12.1 us, command 00h at 12.3 us)"
std::string to_string(const Violation& violation);

/// Takes violations from dies or from the checker.
struct ViolationSink {
    virtual ~ViolationSink() = default;
    virtual void on_violation(const Violation& violation) = 0;
};

/// Counts violations and keeps the first ones.
class ViolationLog final : public ViolationSink {
public:
    static constexpr std::size_t kKept = 100;

    void on_violation(const Violation& violation) override;
    u64 count() const { return count_; }
    const std::vector<Violation>& first() const { return first_; } ///< at most kKept

private:
    u64 count_ = 0;
    std::vector<Violation> first_;
};

} // namespace tlmssd::onfi
