// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: lines of a text file, plain or compressed (gz, xz, zst, bz2), in constant memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "models/common/types.h"

struct archive;

namespace tlmssd::workload {

/// Reads 1 MiB at a time. Lines end with LF or CRLF; the last one may lack its end.
/// The reader of a regular file has a position of its own: a copy of the process (fork) reads on where the copy was made,
/// and neither takes lines from the other.
class LineReader {
public:
    static constexpr std::size_t kMaxLine = 65536; ///< bytes without the line end

    /// `what` the file is, for messages. Throws InputError when it cannot be opened or is a directory.
    explicit LineReader(std::string path, const char* what = "the trace");
    ~LineReader();
    LineReader(const LineReader&) = delete;
    LineReader& operator=(const LineReader&) = delete;

    /// The next line without its end, valid until the next call; false at the end of the file.
    /// Throws InputError "file:line: ..." when the file cannot be read or decompressed.
    bool next(std::string_view& line);
    /// The line that next() gave is longer than kMaxLine; only its beginning was given.
    bool too_long() const { return too_long_; }
    /// Number of the line that next() gave, from 1.
    u64 number() const { return number_; }
    const std::string& path() const { return path_; }
    /// A regular file: it can be opened again and read from its start.
    bool rereadable() const { return file_bytes_ >= 0; }
    /// Fraction of the (compressed) bytes consumed; negative when unknown.
    double progress() const;

private:
    struct Free {
        void operator()(archive* a) const;
    };
    struct File;
    bool refill();
    bool give(std::string_view text, std::string_view& line);
    [[noreturn]] void fail() const;

    std::string path_;
    const char* what_;
    std::unique_ptr<File> file_;
    std::unique_ptr<archive, Free> archive_; ///< reads `file_`
    std::int64_t file_bytes_ = -1;
    const char* block_ = nullptr;
    const char* block_end_ = nullptr;
    std::string carry_; ///< start of a line whose end is in a later block
    bool carrying_ = false;
    bool ended_ = false;
    bool too_long_ = false;
    u64 number_ = 0;
};

} // namespace tlmssd::workload
