// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the host says when the device has gone wrong.
#include "models/host/initiator.h"

#include <array>

#include "models/common/geometry.h"

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

/// What else a read may return.
const char* allowed(u32 word)
{
    return word & ExpectedVersions::kDoubtful  ? " or older (a write failed)"
           : word & ExpectedVersions::kTrimmed ? " or no data (trimmed)"
                                               : "";
}

std::string hex(u8 byte)
{
    constexpr char kDigits[] = "0123456789abcdef";
    return {kDigits[byte >> 4], kDigits[byte & 15], 'h'};
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
    report(unit << unit_shift_, "unit " + std::to_string(unit) + ": expected " +
                                    text_of(ExpectedVersions::tag_of(unit, word)) + allowed(word) +
                                    ", got " + text_of(got));
}

void Initiator::report_bytes(u64 lba, u32 word, u32 offset, const u8* got)
{
    std::array<u8, kSectorBytes> want{};
    versions_.bytes()->fill(lba, word, want.data());
    report(lba, "byte " + std::to_string(offset) + " of the sector: expected " +
                    hex(want[offset]) + " (version " +
                    std::to_string(word & ExpectedVersions::kVersion) + ")" + allowed(word) +
                    ", got " + hex(got[offset]));
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
    failure.when = event_queue_.now();
    failure.text = "LBA " + std::to_string(lba) + ", " + text + ", at " +
                   std::to_string(failure.when.value()) + " ps";
    if (stats_.failures.size() < InitiatorStats::kFailuresKept) {
        stats_.failures.push_back(failure);
    }
    listener_->on_failure(failure);
}

} // namespace tlmssd::host
