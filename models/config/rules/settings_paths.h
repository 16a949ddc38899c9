// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: paths of files and of keys while settings are read.
#pragma once

#include <filesystem>
#include <string>

namespace tlmssd::config {

/// "section.name", or "name" at the top.
inline std::string joined(const std::string& section, const std::string& name)
{
    return section.empty() ? name : section + "." + name;
}

inline std::string resolved_path(const std::string& base, const std::string& path)
{
    return (std::filesystem::path(base) / path).lexically_normal().string();
}

inline std::string folder_of(const std::string& path)
{
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

inline bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// A reference is a path, else the name of a preset.
inline bool is_path(const std::string& text)
{
    return text.find('/') != std::string::npos || ends_with(text, ".yaml") ||
           ends_with(text, ".yml") || ends_with(text, ".fio");
}

/// Is it a fio job file?
inline bool is_fio(const std::string& text) { return ends_with(text, ".fio"); }

} // namespace tlmssd::config
