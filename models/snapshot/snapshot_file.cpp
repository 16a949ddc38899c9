// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: snapshot files by libarchive.
#include "models/snapshot/snapshot_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/common/interrupt.h"
#include "models/observe/output/checksum.h"
#include "models/observe/output/write_file.h"

namespace tlmssd::snapshot {

namespace {

constexpr u64 kBufferBytes = u64{1} << 20;
constexpr u64 kMostHeadBytes = u64{1} << 20;

} // namespace

void SnapshotSink::put(const u8* bytes, u64 count)
{
    crc_.add(bytes, count);
    if ((size_ + count) / kBufferBytes != size_ / kBufferBytes) {
        stop_point();
    }
    size_ += count;
    pass(bytes, count);
}

void SnapshotSink::put32(u32 word)
{
    const u8 bytes[4] = {static_cast<u8>(word), static_cast<u8>(word >> 8),
                         static_cast<u8>(word >> 16), static_cast<u8>(word >> 24)};
    put(bytes, sizeof bytes);
}

SnapshotWriter::SnapshotWriter(const std::string& path)
    : path_(path), temporary_(observe::prepare_file(path)), archive_(archive_write_new())
{
    buffer_.reserve(kBufferBytes);
    if (archive_write_add_filter_zstd(archive_) != ARCHIVE_OK ||
        archive_write_set_format_pax_restricted(archive_) != ARCHIVE_OK ||
        archive_write_open_filename(archive_, temporary_.c_str()) != ARCHIVE_OK) {
        const std::string why = reason();
        archive_write_free(archive_); // the destructor does not run
        std::remove(temporary_.c_str());
        cannot_write(path_, why);
    }
}

SnapshotWriter::~SnapshotWriter()
{
    if (archive_ != nullptr) {
        archive_write_free(archive_);
        std::remove(temporary_.c_str());
    }
}

std::string SnapshotWriter::reason() const
{
    const int code = archive_errno(archive_); // above 0 where the system said it
    const char* const text = archive_error_string(archive_);
    return code > 0 ? std::strerror(code) : text != nullptr ? text : "unknown error";
}

void SnapshotWriter::fail() { cannot_write(path_, reason()); }

void SnapshotWriter::begin(const std::string& entry, u64 bytes)
{
    archive_entry* const e = archive_entry_new();
    archive_entry_set_pathname(e, entry.c_str());
    archive_entry_set_size(e, static_cast<la_int64_t>(bytes));
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_mtime(e, 0, 0); // equal devices give equal files
    const int result = archive_write_header(archive_, e);
    archive_entry_free(e);
    if (result != ARCHIVE_OK) {
        fail();
    }
}

void SnapshotWriter::pass(const u8* bytes, u64 count)
{
    if (buffer_.size() + count > kBufferBytes) {
        flush();
    }
    buffer_.insert(buffer_.end(), bytes, bytes + count);
}

void SnapshotWriter::flush()
{
    if (!buffer_.empty() && archive_write_data(archive_, buffer_.data(), buffer_.size()) !=
                                static_cast<la_ssize_t>(buffer_.size())) {
        fail();
    }
    buffer_.clear();
}

void SnapshotWriter::end()
{
    flush();
    if (archive_write_finish_entry(archive_) != ARCHIVE_OK) {
        fail();
    }
}

void SnapshotWriter::finish()
{
    if (archive_write_close(archive_) != ARCHIVE_OK) {
        fail();
    }
    if (const int error = observe::seal_file(temporary_); error != 0) {
        cannot_write(path_, error);
    }
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        cannot_write(path_, errno);
    }
    archive_write_free(archive_);
    archive_ = nullptr;
}

SnapshotReader::SnapshotReader(const std::string& path) : path_(path), archive_(archive_read_new())
{
    archive_read_support_filter_zstd(archive_);
    archive_read_support_format_tar(archive_);
    if (archive_read_open_filename(archive_, path_.c_str(), kBufferBytes) != ARCHIVE_OK) {
        const bool missing = access(path_.c_str(), R_OK) != 0;
        const std::string reason = missing ? std::string("cannot open: ") + std::strerror(errno)
                                           : std::string("no snapshot: ") + archive_error_string(archive_);
        archive_read_free(archive_); // the destructor does not run
        throw InputError(path_ + ": " + reason);
    }
    try {
        observe::check_seal(path);
    } catch (...) {
        archive_read_free(archive_);
        throw;
    }
}

SnapshotReader::~SnapshotReader() { archive_read_free(archive_); }

void SnapshotReader::damaged(const std::string& what) const
{
    throw InputError(path_ + ": damaged snapshot: " + (entry_.empty() ? "" : entry_ + ": ") + what);
}

void SnapshotReader::refuse(const std::string& why) const { throw InputError(path_ + ": " + why); }

/// Bytes of the entry that follows.
u64 SnapshotReader::next_entry(std::string& name)
{
    archive_entry* e = nullptr;
    const int result = archive_read_next_header(archive_, &e);
    if (result == ARCHIVE_EOF) {
        damaged("it ends early");
    }
    if (result != ARCHIVE_OK) {
        const char* const reason = archive_error_string(archive_);
        damaged(reason != nullptr ? reason : "unreadable");
    }
    const char* const found = archive_entry_pathname(e);
    name = found != nullptr ? found : "";
    buffer_.clear();
    at_ = 0;
    crc_ = Crc32();
    return static_cast<u64>(archive_entry_size(e));
}

observe::Json SnapshotReader::head()
{
    std::string name;
    left_ = unread_ = next_entry(name);
    if (name != "snapshot.json" || left_ > kMostHeadBytes) {
        refuse("no snapshot of tlmssd: it does not begin with snapshot.json");
    }
    entry_ = name;
    std::string text(left_, ' ');
    get(reinterpret_cast<u8*>(text.data()), text.size());
    observe::Json head = observe::Json::parse(text, nullptr, false);
    if (!head.is_object()) {
        damaged("not a JSON object");
    }
    entry_.clear();
    return head;
}

void SnapshotReader::begin(const std::string& entry, u64 bytes)
{
    entry_ = entry;
    std::string name;
    left_ = unread_ = next_entry(name);
    if (name != entry || left_ != bytes) {
        damaged("found '" + name + "' with " + std::to_string(left_) + " bytes instead of " +
                std::to_string(bytes));
    }
}

void SnapshotReader::fill()
{
    stop_point();
    buffer_.resize(std::min(kBufferBytes, unread_));
    u64 have = 0;
    while (have < buffer_.size()) {
        const la_ssize_t got = archive_read_data(archive_, buffer_.data() + have, buffer_.size() - have);
        if (got <= 0) {
            const char* const reason = got < 0 ? archive_error_string(archive_) : nullptr;
            damaged(reason != nullptr ? reason : "it ends early");
        }
        have += static_cast<u64>(got);
    }
    crc_.add(buffer_.data(), buffer_.size());
    unread_ -= buffer_.size();
    at_ = 0;
}

void SnapshotReader::get(u8* bytes, u64 count)
{
    if (count > left_) {
        damaged("it is too short");
    }
    left_ -= count;
    while (count > 0) {
        if (at_ == buffer_.size()) {
            fill();
        }
        const u64 part = std::min<u64>(count, buffer_.size() - at_);
        std::memcpy(bytes, buffer_.data() + at_, part);
        at_ += part;
        bytes += part;
        count -= part;
    }
}

u32 SnapshotReader::get32()
{
    u8 b[4];
    get(b, sizeof b);
    return u32{b[0]} | u32{b[1]} << 8 | u32{b[2]} << 16 | u32{b[3]} << 24;
}

void SnapshotReader::end(u32 crc)
{
    if (left_ != 0) {
        damaged("it is too long");
    }
    if (crc_.value() != crc) {
        damaged("its checksum is wrong");
    }
    entry_.clear();
}

} // namespace tlmssd::snapshot
