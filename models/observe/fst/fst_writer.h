// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one FST file for signals of ours and of Verilated models, on the writer library that Verilator brings.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/types.h"

class VerilatedFstC;

namespace tlmssd::observe {

/// Usage: open(), declarations, then step() and the values of that step, and so on; close(). One step is 1 ps.
/// Declarations and values are in fst_fstapi.cpp and fst_fstcpp.cpp, one for each writer library (Verilator 5.006
/// has GTKWave's fstapi.h, later ones have fstcpp); verilated.cmake takes the one that is present.
class FstWriter {
public:
    static constexpr u32 kNoEnum = 0;
    using Attach = std::function<void(VerilatedFstC&)>;

    FstWriter();
    ~FstWriter();
    FstWriter(const FstWriter&) = delete;
    FstWriter& operator=(const FstWriter&) = delete;

    /// Creates the file. The signals of `models` are declared; step() reads their values. False: it cannot be
    /// created; errno says why where it is not 0.
    bool open(const std::string& path, const std::vector<Attach>& models);
    bool is_open() const { return writer_ != nullptr; }
    void close();
    /// The errno of the first write that failed, 0: none did. Known at the latest after close().
    int error() const;

    void begin_scope(const std::string& name);
    void end_scope();
    /// A table of names; values are padded with zeros to `bits`, since viewers compare them as text.
    u32 add_enum(const std::string& name, u32 bits, const std::vector<std::pair<u64, std::string>>& values);
    /// Returns the handle for put().
    u32 add(const std::string& name, u32 bits, u32 enum_id);

    /// A new time, later than the last one, with the values that the models have now.
    void step(u64 time);
    /// A value of ours at the time of the last step().
    void put(u32 handle, u32 bits, u64 value);

private:
    // In the library's file.
    void* create();
    void destroy();
    void library_step(u64 time);
    void begin_errors();
    void end_errors(); ///< after close()

    std::string path_;
    std::unique_ptr<VerilatedFstC> rtl_; ///< null without models
    void* writer_ = nullptr;             ///< the library's; of rtl_ where there is one
    int error_ = 0;
};

} // namespace tlmssd::observe
