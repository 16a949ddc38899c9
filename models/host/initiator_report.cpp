// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host says when the device has gone wrong.
#include "models/host/initiator.h"

namespace tlmssd::host {

namespace {

const char* name_of(u8 opcode)
{
    switch (opcode) {
    case HAL_HOST_READ: return "READ";
    case HAL_HOST_WRITE: return "WRITE";
    case HAL_HOST_FLUSH: return "FLUSH";
    case HAL_HOST_TRIM: return "TRIM";
    default: return "no command";
    }
}

std::string text_of(UnitTag tag)
{
    if (tag == UnitTag{}) {
        return "no data";
    }
    const std::string unit =
        tag.unit == 0 ? std::string("none") : std::to_string(u64{tag.unit} - 1);
    return "unit " + unit + " version " + std::to_string(tag.version);
}

} // namespace

void Initiator::report_mismatch(u64 unit, u32 word, UnitTag got)
{
    ++stats_.mismatches;
    const std::string allowed = (word & ExpectedVersions::kTrimmed) ? " or no data (trimmed)" : "";
    report(unit << unit_shift_, "unit " + std::to_string(unit) + ": expected " +
                                    text_of(ExpectedVersions::tag_of(unit, word)) + allowed +
                                    ", got " + text_of(got));
}

void Initiator::report_error(const hal_host_command& command, const std::string& what)
{
    ++stats_.errors;
    report(command.lba, std::string(name_of(command.opcode)) + " of " +
                            std::to_string(command.sectors) + " sectors, tag " +
                            std::to_string(command.tag) + ": " + what);
}

void Initiator::report(u64 lba, std::string text)
{
    Failure failure;
    failure.lba = lba;
    failure.when = wheel_.now();
    failure.text = "LBA " + std::to_string(lba) + ", " + text + ", at " +
                   std::to_string(failure.when.value()) + " ps";
    if (stats_.failures.size() < InitiatorStats::kFailuresKept) {
        stats_.failures.push_back(failure);
    }
    listener_->on_failure(failure);
}

} // namespace tlmssd::host
