// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: lines of a recording, with the checksums that end it.
#pragma once

#include <string>
#include <string_view>

#include "models/common/crc32.h"
#include "models/workload/formats/line_reader.h"

namespace tlmssd::probes {

/// The lines without the last one, `# crc32 XXXXXXXX`. A text without that line passes: other programs write
/// recordings too.
class CheckedLines {
public:
    /// InputError: the file cannot be opened, or its compressed bytes are damaged.
    CheckedLines(const std::string& path, const char* what);
    /// The next line, as LineReader::next(). InputError: the lines do not give the checksum.
    bool next(std::string_view& line);
    u64 number() const { return lines_.number(); }

private:
    void check(std::string_view last);

    workload::LineReader lines_;
    Crc32 crc_;
};

} // namespace tlmssd::probes
