// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the checks that all trace formats share, and the words for a broken line.
#include "models/workload/trace_format.h"

namespace tlmssd::workload {

LineKind TraceFormat::read(std::string_view line, Row& row, Problem& problem) const
{
    std::size_t first = 0;
    while (first < line.size() && (line[first] == ' ' || line[first] == '\t')) {
        ++first;
    }
    if (first == line.size()) {
        return LineKind::Ignored;
    }
    row = Row{};
    const LineKind kind = parse(Cursor(line), row, problem);
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
