// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: small trace files for tests, written to the test's temporary directory.
#include "tb/workload/trace_file.h"

#include <cstdio>
#include <fstream>
#include <ostream>
#include <stdexcept>

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "models/common/error.h"

namespace tlmssd::workload::test {
namespace {

la_ssize_t append(archive*, void* out, const void* data, size_t size)
{
    static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
}

} // namespace

std::string packed(const std::string& text, Packing packing)
{
    std::string out;
    archive* writer = archive_write_new();
    archive_write_set_format_raw(writer);
    switch (packing) {
    case Packing::Plain:
        archive_write_free(writer);
        return text;
    case Packing::Gzip:
        archive_write_add_filter_gzip(writer);
        break;
    case Packing::Xz:
        archive_write_add_filter_xz(writer);
        archive_write_set_options(writer, "compression-level=0");
        break;
    case Packing::Zstd:
        archive_write_add_filter_zstd(writer);
        break;
    case Packing::Bzip2:
        archive_write_add_filter_bzip2(writer);
        break;
    }
    archive_write_set_bytes_per_block(writer, 0);
    archive_entry* entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_pathname(entry, "trace");
    const bool good = archive_write_open(writer, &out, nullptr, append, nullptr) == ARCHIVE_OK &&
                      archive_write_header(writer, entry) == ARCHIVE_OK &&
                      archive_write_data(writer, text.data(), text.size()) ==
                          static_cast<la_ssize_t>(text.size()) &&
                      archive_write_close(writer) == ARCHIVE_OK;
    archive_entry_free(entry);
    archive_write_free(writer);
    if (!good) {
        throw std::runtime_error("cannot pack a test file");
    }
    return out;
}

TraceFile::TraceFile(const std::string& text, Packing packing)
{
    static int number = 0;
    path_ = testing::TempDir() + "tlmssd_trace_" + std::to_string(getpid()) + "_" +
            std::to_string(number++) + ".trace";
    std::ofstream file(path_, std::ios::binary);
    file << packed(text, packing);
    file.close();
    if (!file) {
        throw std::runtime_error("cannot write " + path_);
    }
}

TraceFile::~TraceFile() { std::remove(path_.c_str()); }

config::Workload trace_workload(const std::string& path, const std::string& format)
{
    config::Workload workload;
    workload.trace = path;
    workload.format = format;
    workload.mode = config::LoopMode::Open;
    if (format == "columns") {
        workload.trace_columns = "time:us,device,lba:sectors,size:bytes,op";
    }
    return workload;
}

std::vector<Request> drain(RequestSource& source)
{
    std::vector<Request> requests;
    Request request;
    while (source.next(request)) {
        requests.push_back(request);
    }
    return requests;
}

std::vector<Request> read_all(const config::Workload& workload, u64 device_sectors)
{
    return drain(*make_source(workload, device_sectors, 1, nullptr));
}

std::vector<u64> arrivals(const std::vector<Request>& requests)
{
    std::vector<u64> times;
    for (const Request& request : requests) {
        times.push_back(request.arrival.value());
    }
    return times;
}

std::vector<u64> lbas(const std::vector<Request>& requests)
{
    std::vector<u64> result;
    for (const Request& request : requests) {
        result.push_back(request.lba);
    }
    return result;
}

std::string error_of(const config::Workload& workload, u64 device_sectors)
{
    try {
        read_all(workload, device_sectors);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

} // namespace tlmssd::workload::test

namespace tlmssd::workload {

bool operator==(const Request& a, const Request& b)
{
    return a.arrival == b.arrival && a.lba == b.lba && a.sectors == b.sectors &&
           a.kind == b.kind && a.fua == b.fua;
}

void PrintTo(const Request& request, std::ostream* out)
{
    *out << "{" << request.arrival.value() << " ps, lba " << request.lba << ", "
         << request.sectors << " sectors, kind " << static_cast<int>(request.kind)
         << (request.fua ? ", fua}" : "}");
}

} // namespace tlmssd::workload
