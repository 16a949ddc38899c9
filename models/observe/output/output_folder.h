// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the folder of --out, held by one process at a time.
#pragma once

#include <string>

namespace tlmssd::observe {

/// Two processes that write into one folder would leave files of both. The folder itself is locked (flock), so
/// that nothing is left behind and a process that dies holds nothing.
class OutputFolder {
public:
    /// Makes the folder; an empty path holds nothing. Throws InputError where it cannot be made, with the name of
    /// the `file` that is to be in it, and where another process has it. A file system that cannot lock does not.
    OutputFolder(const std::string& path, const std::string& file);
    ~OutputFolder(); ///< a folder that was made here goes again where nothing came to be in it
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

private:
    std::string path_;
    int folder_ = -1;
    bool made_ = false;
};

} // namespace tlmssd::observe
