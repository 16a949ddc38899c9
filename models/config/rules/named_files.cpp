// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: files of configs/ by name.
#include "models/config/rules/named_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "models/common/error.h"
#include "models/config/rules/settings_paths.h"
#include "models/config/text/origin.h"

namespace tlmssd::config {
namespace fs = std::filesystem;
namespace {

/// The sentence ends with the line: at a full stop or a colon.
bool ends_sentence(const std::string& text) { return ends_with(text, ".") || ends_with(text, ":"); }

} // namespace

std::vector<std::string> named_folders(NamedKind kind)
{
    const std::string folder = kind == NamedKind::Device ? "configs/ssd" : "configs/workloads";
    std::vector<std::string> folders{folder};
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (!error) {
        folders.push_back((program.parent_path().parent_path() / "share/tlmssd" / folder).string());
    }
    return folders;
}

std::vector<NamedFile> named_files(const std::vector<std::string>& folders)
{
    std::map<std::string, std::string> found;
    for (const std::string& folder : folders) {
        std::error_code error;
        for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
            if (it->path().extension() == ".yaml") {
                found.emplace(it->path().stem().string(), it->path().string());
            }
        }
    }
    std::vector<NamedFile> files;
    for (const auto& [name, path] : found) {
        files.push_back({name, path});
    }
    return files;
}

std::vector<std::string> names_of_files(const std::vector<std::string>& folders)
{
    std::vector<std::string> names;
    for (const NamedFile& file : named_files(folders)) {
        names.push_back(file.name);
    }
    return names;
}

std::optional<std::string> find_named(const std::string& name, const std::vector<std::string>& folders)
{
    for (const std::string& folder : folders) {
        std::error_code error;
        const std::string path = folder + "/" + name + ".yaml";
        if (fs::exists(path, error)) {
            return path;
        }
    }
    return std::nullopt;
}

std::string device_file(const std::string& text)
{
    std::error_code error;
    if (is_path(text) || fs::is_regular_file(text, error)) {
        return text;
    }
    const std::vector<std::string> folders = named_folders(NamedKind::Device);
    if (const std::optional<std::string> path = find_named(text, folders)) {
        return *path;
    }
    throw InputError("no device '" + shown(text) + "' and no file of this name (looked for " + shown(text) +
                     ".yaml in configs/ssd; `tlmssd list devices` names all)" +
                     did_you_mean(text, names_of_files(folders)));
}

std::string sentence_of_file(const std::string& path)
{
    constexpr std::size_t kLong = 100;
    std::ifstream file(path);
    std::string sentence;
    for (std::string line; std::getline(file, line) && line.rfind("# ", 0) == 0 && !ends_sentence(sentence);) {
        sentence += (sentence.empty() ? "" : " ") + line.substr(2);
        sentence = sentence.substr(0, std::min(sentence.find(". "), sentence.size() - 1) + 1);
    }
    if (ends_sentence(sentence)) {
        sentence.pop_back();
    }
    return sentence.size() > kLong ? sentence.substr(0, sentence.find(": ")) : sentence;
}

} // namespace tlmssd::config
