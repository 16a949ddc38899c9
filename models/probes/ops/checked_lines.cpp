// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: lines of a recording, with the checksums that end it.
#include "models/probes/ops/checked_lines.h"

#include <cstring>

#include "models/common/error.h"
#include "models/observe/output/checksum.h"

namespace tlmssd::probes {

CheckedLines::CheckedLines(const std::string& path, const char* what) : lines_(path, what)
{
    observe::check_seal(path);
}

bool CheckedLines::next(std::string_view& line)
{
    if (!lines_.next(line)) {
        return false;
    }
    if (line.rfind(observe::kChecksumLine, 0) == 0) {
        check(line);
        return false;
    }
    crc_.add(line);
    crc_.add("\n");
    return true;
}

void CheckedLines::check(std::string_view last)
{
    const std::string where = lines_.path() + ":" + std::to_string(lines_.number()) + ": damaged: ";
    if (last.substr(std::strlen(observe::kChecksumLine)) != hex_of(crc_.value())) {
        throw InputError(where + "the lines before do not give this checksum; without this line they are not checked");
    }
    std::string_view more;
    if (lines_.next(more)) {
        throw InputError(where + "a line follows the checksum");
    }
}

} // namespace tlmssd::probes
