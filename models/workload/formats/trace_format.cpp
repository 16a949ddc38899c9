// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checks that all trace formats share, and the words for a broken line.
#include "models/workload/formats/trace_format.h"

namespace tlmssd::workload {

LineKind TraceFormat::read(std::string_view line, Row& row, Problem& problem,
                           ReadState& state) const
{
    std::size_t first = 0;
    while (first < line.size() && (line[first] == ' ' || line[first] == '\t')) {
        ++first;
    }
    if (first == line.size()) {
        return LineKind::Ignored;
    }
    row = Row{};
    const LineKind kind = parse(Cursor(line), row, problem, state);
    if (kind == LineKind::Row) {
        if (row.sectors > kMaxRowSectors) {
            problem = {"size above 2 TiB", line.data() + line.size()};
            return LineKind::Broken;
        }
        if (row.lba > kMaxRowLba - row.sectors) {
            problem = {"address beyond 2^64 bytes", line.data() + line.size()};
            return LineKind::Broken;
        }
    }
    return kind;
}

void TraceFormat::take_bytes(Row& row, u64 offset, u64 bytes)
{
    row.lba = offset / 512;
    if (bytes != 0) { // head and body are added as sectors: no overflow
        row.sectors = bytes / 512 + (bytes % 512 + offset % 512 + 511) / 512;
    }
}

u64 TraceFormat::device_number(std::string_view text)
{
    Cursor cursor(text);
    u64 number = 0;
    if (cursor.integer(number) && cursor.at_end()) {
        return number;
    }
    number = 0xcbf29ce484222325ull; // FNV-1a
    for (const char c : text) {
        number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
    }
    return number;
}

std::string quoted(std::string_view text)
{
    constexpr std::size_t kShown = 60;
    static const char* const kHex = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text.substr(0, kShown)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f) {
            out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
        } else {
            out += c;
        }
    }
    return out + (text.size() > kShown ? "...\"" : "\"");
}

std::string describe_broken(const std::string& file, u64 line, const TraceFormat& format,
                            const Problem& problem, std::string_view text)
{
    return file + ":" + std::to_string(line) + ": " + format.name() + ": " + problem.what + ": " +
           quoted(text) + "; expected " + format.fields();
}

} // namespace tlmssd::workload
