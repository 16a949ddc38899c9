// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the container of a snapshot: a tar file (pax), packed with zstd, its entries checked.
#pragma once

#include <string>
#include <vector>

#include "models/common/crc32.h"
#include "models/common/types.h"
#include "models/observe/results.h"

struct archive;

namespace tlmssd::snapshot {

/// Takes bytes, counts them and keeps their CRC-32 (IEEE 802.3). Words lowest byte first.
class SnapshotSink {
public:
    virtual ~SnapshotSink() = default;
    void put(const u8* bytes, u64 count);
    void put32(u32 word);
    u64 size() const { return size_; }
    u32 crc() const { return crc_.value(); }

protected:
    virtual void pass(const u8*, u64) {}
    u64 size_ = 0;
    Crc32 crc_;
};

/// Writes beside `path` and takes its name in finish(); without that the file is dropped. InputError
/// where it cannot be written.
class SnapshotWriter final : public SnapshotSink {
public:
    explicit SnapshotWriter(const std::string& path);
    ~SnapshotWriter() override;
    SnapshotWriter(const SnapshotWriter&) = delete;
    SnapshotWriter& operator=(const SnapshotWriter&) = delete;

    void begin(const std::string& entry, u64 bytes);
    void end();
    void finish();

private:
    void pass(const u8* bytes, u64 count) override;
    void flush();
    std::string reason() const;
    [[noreturn]] void fail();

    std::string path_;
    std::string temporary_;
    archive* archive_;
    std::vector<u8> buffer_;
};

/// Reads entries in their order. InputError "path: ..." where the file is not what it should be.
class SnapshotReader {
public:
    explicit SnapshotReader(const std::string& path);
    ~SnapshotReader();
    SnapshotReader(const SnapshotReader&) = delete;
    SnapshotReader& operator=(const SnapshotReader&) = delete;

    /// The first entry, snapshot.json.
    observe::Json head();
    /// The next entry is to be called `entry` and to have `bytes`.
    void begin(const std::string& entry, u64 bytes);
    u64 left() const { return left_; }
    void get(u8* bytes, u64 count);
    u32 get32();
    /// All of it is read, and its CRC-32 is this.
    void end(u32 crc);

    [[noreturn]] void damaged(const std::string& what) const;
    [[noreturn]] void refuse(const std::string& why) const;

private:
    u64 next_entry(std::string& name);
    void fill();

    std::string path_;
    archive* archive_;
    std::string entry_;
    u64 left_ = 0;         ///< bytes of the entry not handed out
    u64 unread_ = 0;       ///< and not read from the file
    std::vector<u8> buffer_;
    u64 at_ = 0;           ///< in the buffer
    Crc32 crc_;
};

} // namespace tlmssd::snapshot
