// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows of text, compressed by libarchive.
#include "models/observe/output/csv_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/common/interrupt.h"
#include "models/observe/output/checksum.h"

namespace tlmssd::observe {

namespace {

constexpr std::size_t kBufferBytes = 1u << 17;

bool ends_with(const std::string& text, const char* end)
{
    const std::size_t n = std::strlen(end);
    return text.size() > n && text.compare(text.size() - n, n, end) == 0;
}

} // namespace

/// Written beside its name, renamed when it is whole.
struct CsvFile::File {
    File(const std::string& name, const std::string& by)
        : path(name), option(by), temporary(name + ".part" + std::to_string(getpid()))
    {
    }
    ~File()
    {
        if (out != nullptr) {
            archive_write_fail(out); // no trailer: the file goes
            archive_write_free(out);
            std::remove(temporary.c_str());
        }
    }
    [[noreturn]] void fail(const std::string& reason) const
    {
        cannot_write(path, reason);
    }
    void check(int result) const
    {
        if (result != ARCHIVE_OK) {
            const int code = archive_errno(out); // above 0 where the system said it
            if (code == ENOMEM) {
                throw std::bad_alloc();
            }
            const char* why = archive_error_string(out);
            fail(code > 0 ? std::strerror(code) : why != nullptr ? why : "unknown error");
        }
    }
    void create();

    std::string path, option;
    std::string temporary;
    archive* out = nullptr;
};

void CsvFile::File::create()
{
    if (!ends_with(path, ".csv") && !ends_with(path, ".csv.gz") && !ends_with(path, ".csv.xz") &&
        !ends_with(path, ".csv.zst")) {
        throw InputError(option + ": '" + path +
                         "' does not end in .csv, .csv.gz, .csv.xz or .csv.zst");
    }
    namespace fs = std::filesystem;
    std::error_code code;
    if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
        fs::create_directories(parent, code);
        if (code) {
            fail(code.message());
        }
    }
    if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
        fail("not a regular file");
    }
    out = archive_write_new();
    if (out == nullptr) {
        throw std::bad_alloc();
    }
    check(archive_write_set_format_raw(out));
    if (ends_with(path, ".csv.gz")) {
        check(archive_write_add_filter_gzip(out));
        // Equal runs write equal files: no time of day in the header.
        check(archive_write_set_options(out, "gzip:!timestamp,gzip:compression-level=1"));
    } else if (ends_with(path, ".csv.xz")) {
        check(archive_write_add_filter_xz(out));
        check(archive_write_set_options(out, "xz:compression-level=1"));
    } else if (ends_with(path, ".csv.zst")) {
        check(archive_write_add_filter_zstd(out));
    }
    check(archive_write_set_bytes_in_last_block(out, 1));
    remove_when_killed(temporary);
    check(archive_write_open_filename(out, temporary.c_str()));
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    const int result = archive_write_header(out, entry);
    archive_entry_free(entry);
    check(result);
}

CsvFile::CsvFile(const std::string& path, const std::string& option)
    : file_(std::make_unique<File>(path, option))
{
    file_->create();
    buffer_.reserve(kBufferBytes);
}

CsvFile::~CsvFile() = default;

void CsvFile::add(const char* text, std::size_t bytes)
{
    if (buffer_.size() + bytes > kBufferBytes) {
        flush();
    }
    buffer_.append(text, bytes);
    crc_.add(text, bytes);
}

void CsvFile::flush()
{
    const char* data = buffer_.data();
    std::size_t left = buffer_.size();
    while (left != 0) {
        const la_ssize_t written = archive_write_data(file_->out, data, left);
        if (written <= 0) {
            file_->check(ARCHIVE_FATAL);
        }
        data += written;
        left -= static_cast<std::size_t>(written);
    }
    buffer_.clear();
}

void CsvFile::close()
{
    if (file_ == nullptr) {
        return;
    }
    add(kChecksumLine + hex_of(crc_.value()) + '\n');
    flush();
    file_->check(archive_write_close(file_->out));
    archive_write_free(file_->out);
    file_->out = nullptr;
    std::error_code code(seal_file(file_->temporary), std::generic_category());
    if (!code) {
        std::filesystem::rename(file_->temporary, file_->path, code);
    }
    if (code) {
        std::remove(file_->temporary.c_str());
        cannot_write(file_->path, code.value());
    }
    file_.reset();
}

char* put_field(char* at, u64 value) { return std::to_chars(at, at + 24, value).ptr; }

char* put_field(char* at, const char* text)
{
    const std::size_t n = std::strlen(text);
    std::memcpy(at, text, n);
    return at + n;
}

char* put_field(char* at, Picoseconds time)
{
    at = put_field(at, time.value() / 1000);
    const u64 rest = time.value() % 1000;
    *at++ = '.';
    *at++ = static_cast<char>('0' + rest / 100);
    *at++ = static_cast<char>('0' + rest / 10 % 10);
    *at++ = static_cast<char>('0' + rest % 10);
    return at;
}

} // namespace tlmssd::observe
