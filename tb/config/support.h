// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: helpers of the configuration tests: load text, catch the message, temporary folders.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/config/replay.h"

namespace tlmssd::config {

inline Config from(const std::string& text, const std::vector<std::string>& sets = {})
{
    return load_text(text, "t.yaml", Overrides{sets});
}

/// The InputError's text, or "" where the configuration loads. `mode`: of a replay.
inline std::string error_of(const std::string& text, const std::vector<std::string>& sets = {},
                            std::optional<ControllerMode> mode = std::nullopt)
{
    try {
        load_text_for_replay(text, "t.yaml", Overrides{sets}, mode);
    } catch (const InputError& e) {
        return e.what();
    }
    return "";
}

/// A folder of its own that goes with the object.
class TempFolder {
public:
    TempFolder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "tlmssdXXXXXX").string();
        path_ = mkdtemp(pattern.data());
    }
    ~TempFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    std::string write(const std::string& name, const std::string& text) const
    {
        const std::filesystem::path file = std::filesystem::path(path_) / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
        return file.string();
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

} // namespace tlmssd::config
