// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the sentences of the rules, and the log.
#include "models/onfi/violation.h"

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
    }
    return "unknown rule";
}

std::string to_string(const Violation& violation)
{
    char text[192];
    const u64 ps = violation.when.value();
    std::snprintf(text, sizeof text, "%llu.%06llu us: channel %u CE %u LUN %u: %s",
                  static_cast<unsigned long long>(ps / 1000000),
                  static_cast<unsigned long long>(ps % 1000000), violation.channel, violation.ce,
                  violation.lun, rule_text(violation.rule));
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
