// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a file of comma-separated values, compressed by its name; whole or not there.
#pragma once

#include <memory>
#include <string>

#include "models/common/crc32.h"
#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

/// Text, compressed where the name ends in .csv.gz, .csv.xz or .csv.zst. It goes to a temporary file
/// as it comes; close() adds the checksums (checksum.h) and gives the file its name, without it there is none.
class CsvFile {
public:
    /// `option`: the one that named it, for messages. Makes the file and its parent directories. Throws
    /// InputError: an unknown suffix, what the system says.
    CsvFile(const std::string& path, const std::string& option);
    ~CsvFile();
    CsvFile(const CsvFile&) = delete;
    CsvFile& operator=(const CsvFile&) = delete;

    void add(const char* text, std::size_t bytes);
    void add(const std::string& text) { add(text.data(), text.size()); }
    void close();

private:
    struct File;
    void flush();

    std::unique_ptr<File> file_;
    std::string buffer_;
    Crc32 crc_;
};

// Fields of a row: written at `at`, the end is returned.
char* put_field(char* at, u64 value);
char* put_field(char* at, const char* text);
/// Nanoseconds with three decimals: exact.
char* put_field(char* at, Picoseconds time);

} // namespace tlmssd::observe
