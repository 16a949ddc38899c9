// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: files of configs/ by name: `default` is the device file configs/ssd/default.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tlmssd::config {

enum class NamedKind : unsigned char { Device, Workload };

struct NamedFile {
    std::string name; ///< of the file, without .yaml
    std::string path;
};

/// Where names are looked for: configs/ssd or configs/workloads of the working directory, then of the folder
/// share/tlmssd beside the program's folder (a built tree links it to its sources).
std::vector<std::string> named_folders(NamedKind kind);

/// All files NAME.yaml of `folders`, by name. The first folder that has a name counts.
std::vector<NamedFile> named_files(const std::vector<std::string>& folders);
/// The names alone.
std::vector<std::string> names_of_files(const std::vector<std::string>& folders);

/// The path of NAME.yaml in the first folder that has it.
std::optional<std::string> find_named(const std::string& name, const std::vector<std::string>& folders);

/// The device file that the command line names: a path, an existing file, or the name of a device. InputError: a name
/// that is neither, with the nearest device.
std::string device_file(const std::string& text);

/// A file of configs/ in words: the first sentence of its first comment, without its full stop; of a sentence of more
/// than 100 characters the part before the first colon. "": it has no comment.
std::string sentence_of_file(const std::string& path);

} // namespace tlmssd::config
