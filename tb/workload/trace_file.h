// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: small trace files for tests, written to the test's temporary directory.
#pragma once

#include <string>
#include <vector>

#include "models/workload/factory.h"

namespace tlmssd::workload::test {

enum class Packing { Plain, Gzip, Xz, Zstd, Bzip2 };

/// `text` packed as a compressed file would hold it.
std::string packed(const std::string& text, Packing packing);

/// A file that lives as long as the object.
class TraceFile {
public:
    explicit TraceFile(const std::string& text, Packing packing = Packing::Plain);
    ~TraceFile();
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

inline constexpr u64 kBigDevice = u64{1} << 40; ///< sectors; nothing is folded

/// Open loop, not lenient, of the format named; `columns` with time:us,device,lba:sectors,
/// size:bytes,op.
config::Workload trace_workload(const std::string& path, const std::string& format);

/// All requests of a source.
std::vector<Request> drain(RequestSource& source);
std::vector<Request> read_all(const config::Workload& workload, u64 device_sectors = kBigDevice);
std::vector<u64> arrivals(const std::vector<Request>& requests); ///< ps
std::vector<u64> lbas(const std::vector<Request>& requests);

/// The message of the InputError that reading throws; empty if there is none.
std::string error_of(const config::Workload& workload, u64 device_sectors = kBigDevice);

} // namespace tlmssd::workload::test

namespace tlmssd::workload {

bool operator==(const Request& a, const Request& b);
void PrintTo(const Request& request, std::ostream* out);

} // namespace tlmssd::workload
