// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: standard output that remembers why it took nothing more.
#pragma once

#include <array>
#include <streambuf>

namespace tlmssd::observe {

/// The buffer of std::cout while this lives. <iostream> forgets the error of the write that failed.
class StandardOutput final : private std::streambuf {
public:
    StandardOutput();
    ~StandardOutput() override; ///< what is left in it is written
    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;

    /// Writes what is left. 0, or the errno of the first write that failed, then or before.
    int finish();

private:
    int_type overflow(int_type byte) override;
    int sync() override;
    bool write_out();

    std::array<char, 1 << 14> buffer_;
    std::streambuf* before_;
    int error_ = 0;
};

} // namespace tlmssd::observe
