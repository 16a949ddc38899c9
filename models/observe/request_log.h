// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a file with one row a request (docs/results.md, "The log").
#pragma once

#include <memory>
#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

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

/// Comma-separated values, compressed where the name ends in .gz, .xz or .zst. Rows go to a temporary
/// file as they come; close() gives it its name, without it there is no file.
class RequestLog {
public:
    /// Makes the file and its parent directories. Throws InputError: an unknown suffix, or what the
    /// system says.
    explicit RequestLog(const std::string& path);
    ~RequestLog();
    RequestLog(const RequestLog&) = delete;
    RequestLog& operator=(const RequestLog&) = delete;

    void add(const LogRow& row);
    void close();

private:
    struct File;
    void flush();

    std::unique_ptr<File> file_;
    std::string buffer_;
};

} // namespace tlmssd::observe
