// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a file that is the cells of a device: mapped, so that it survives the process.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/types.h"

namespace tlmssd::nand {

/// The sections of a PageStore with bytes, in a sparse file after a page of text that
/// describes them. Stores to it survive the end of the process, however it ends; PageStore orders them so that at any
/// instant the file is something that a cut of the supply could have left (docs/explanation/nbd-server.md).
class StoreFile {
public:
    /// Facts that must be the same to use it again, in order: a name, a value.
    using Facts = std::vector<std::pair<std::string, std::string>>;

    /// Open `path`, or make it where there is none. InputError, "path: ...": in use by another process,
    /// no such file, another version, made for other facts, or it cannot be made.
    StoreFile(std::string path, const Geometry& geometry, const Facts& facts);
    ~StoreFile();
    StoreFile(const StoreFile&) = delete;
    StoreFile& operator=(const StoreFile&) = delete;

    /// It has just been made: all cells are erased.
    bool fresh() const { return fresh_; }
    const std::string& path() const { return path_; }

    u16* next() { return at<u16>(next_); }        ///< by block
    u32* erases() { return at<u32>(erases_); }    ///< by block
    u64* records() { return at<u64>(records_); }  ///< by page: tags, OOB
    u8* bytes() { return at<u8>(bytes_); }        ///< by page
    u8* tables() { return at<u8>(tables_); }      ///< by number

    /// Its content is impossible: InputError.
    [[noreturn]] void damaged(const std::string& what) const;

private:
    template <class T>
    T* at(u64 offset)
    {
        return reinterpret_cast<T*>(memory_ + offset);
    }
    void open(const std::string& head);
    void make(const std::string& head);
    void check(const std::string& head) const;
    [[noreturn]] void fail(const char* what) const;

    std::string path_;
    int descriptor_ = -1;
    bool fresh_ = false;
    u8* memory_ = nullptr;
    u64 next_, erases_, records_, bytes_, tables_, size_;
};

} // namespace tlmssd::nand
