// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a file with one row per request (docs/reference/results.md, "The log").
#pragma once

#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/observe/output/csv_file.h"

namespace tlmssd::observe {

/// One request that has ended. Times are from the start of the workload.
struct LogRow {
    u32 job = 0;
    const char* kind = "";
    u64 lba = 0;
    u64 bytes = 0;
    u32 tag = 0;
    Picoseconds arrival;
    Picoseconds issued;
    Picoseconds ended;
    bool hit = false;
    u32 flash_ops = 0;
    const char* status = "";
};

/// Comma-separated values (CsvFile).
class RequestLog {
public:
    explicit RequestLog(const std::string& path);

    void add(const LogRow& row);
    void close() { file_.close(); }

private:
    CsvFile file_;
};

} // namespace tlmssd::observe
