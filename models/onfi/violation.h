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
    ReadyEdge
};

const char* rule_text(Rule rule);

/// One broken rule. Never repaired in silence: the run ends with status 3.
struct Violation {
    Picoseconds when; ///< end of the segment, or the time of the ready edge
    u32 channel = 0;
    u32 ce = 0;
    u32 lun = 0;
    Rule rule = Rule::None;
};

/// "12.345678 us: channel 0 CE 1 LUN 0: sentence"
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
