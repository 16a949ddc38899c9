// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a file with one row per request (docs/reference/results.md, "The log").
#pragma once

#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/observe/output/csv_file.h"
#include "models/observe/stages.h"

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
    const StageTimes* stages = nullptr; ///< with Columns::Stages
};

/// Comma-separated values (CsvFile).
class RequestLog {
public:
    enum class Columns : u8 {
        Plain,
        Stages ///< a column more for each stage
    };
    /// InputError: it cannot be written.
    explicit RequestLog(const std::string& path, Columns columns = Columns::Plain);

    void add(const LogRow& row);
    void close() { file_.close(); }

private:
    CsvFile file_;
    Columns columns_;
};

} // namespace tlmssd::observe
