// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the sentences of the rules, and the log.
#include "models/onfi/bus/violation.h"

#include <cstdio>

namespace tlmssd::onfi {

const char* rule_text(Rule rule)
{
    switch (rule) {
    case Rule::None:
        return "no rule broken";
    case Rule::BusOverlap:
        return "a segment starts before the bus is free";
    case Rule::SegmentTooShort:
        return "a segment is shorter than its data-sheet minimum";
    case Rule::UnknownCommand:
        return "unknown command";
    case Rule::CommandSequence:
        return "a command, address or burst that does not fit the sequence before it";
    case Rule::AddressCycles:
        return "wrong number of address cycles";
    case Rule::RowRange:
        return "row address outside the part";
    case Rule::LunBusy:
        return "access to a busy LUN";
    case Rule::MultiPlane:
        return "multi-plane operation needs different planes and one page offset";
    case Rule::PageOrder:
        return "program not on the next page of the block";
    case Rule::NotErased:
        return "program on a page that is not erased";
    case Rule::NoData:
        return "burst out without data in the page register";
    case Rule::BurstLength:
        return "burst beyond the end of the physical page";
    case Rule::ReadyTooEarly:
        return "R/B# rises before the minimum array time";
    case Rule::ReadyEdge:
        return "R/B# edge missing or without an operation";
    case Rule::CacheState:
        return "cache command where no cache operation can go on";
    case Rule::CopybackPlane:
        return "copyback program to another LUN or plane than the copyback read";
    case Rule::PartialPrograms:
        return "more programs of a page than the part allows between erases";
    case Rule::WriteProtected:
        return "program or erase while WP# is low";
    case Rule::SuspendState:
        return "suspend or resume without its operation, or an operation that a suspended one bars";
    case Rule::WrongInterface:
        return "driven in another data interface, or faster, than the target is set to";
    case Rule::FeatureAddress:
        return "feature or ID address that the part does not have";
    case Rule::StatusTooEarly:
        return "status read inside tWB, before R/B# has fallen";
    case Rule::PinTiming:
        return "a pulse, set-up, hold or cycle time of the pins is below the data sheet's";
    case Rule::PinState:
        return "an edge on the pins while the other lines mean no cycle";
    }
    return "unknown rule";
}

namespace {

/// "12.345678"
void put_microseconds(char (&text)[32], Picoseconds t)
{
    const auto ps = static_cast<unsigned long long>(t.value());
    std::snprintf(text, sizeof text, "%llu.%06llu", ps / 1000000, ps % 1000000);
}

const char* kind_text(CycleKind kind)
{
    switch (kind) {
    case CycleKind::None:
        return "nothing";
    case CycleKind::Command:
        return "command";
    case CycleKind::Address:
        return "address";
    case CycleKind::DataIn:
        return "data in";
    case CycleKind::DataOut:
        return "data out";
    case CycleKind::Busy:
        return "R/B# low";
    case CycleKind::Ready:
        return "R/B# high";
    case CycleKind::Select:
        return "CE# low";
    case CycleKind::Pin:
        return "pin edge";
    }
    return "unknown cycle";
}

std::string cycle_text(const Cycle& cycle)
{
    char at[32];
    put_microseconds(at, cycle.at);
    const bool byte = cycle.kind == CycleKind::Command || cycle.kind == CycleKind::Address;
    char text[96];
    if (byte) {
        std::snprintf(text, sizeof text, "%s %02Xh at %s us", kind_text(cycle.kind),
                      static_cast<unsigned>(cycle.byte), at);
    } else {
        std::snprintf(text, sizeof text, "%s at %s us", kind_text(cycle.kind), at);
    }
    return text;
}

} // namespace

std::string to_string(const Violation& violation)
{
    char at[32];
    put_microseconds(at, violation.when);
    char place[96];
    std::snprintf(place, sizeof place, "%s us: channel %u CE %u LUN %u: ", at, violation.channel,
                  violation.ce, violation.lun);
    std::string text = place;
    text += rule_text(violation.rule);
    const bool first = violation.first.kind != CycleKind::None;
    const bool second = violation.second.kind != CycleKind::None;
    if (first || second) {
        text += " (";
        text += first ? cycle_text(violation.first) : "";
        text += first && second ? ", " : "";
        text += second ? cycle_text(violation.second) : "";
        text += ')';
    }
    return text;
}

void ViolationLog::on_violation(const Violation& violation)
{
    ++count_;
    if (first_.size() < kKept) {
        first_.push_back(violation);
    }
}

} // namespace tlmssd::onfi
