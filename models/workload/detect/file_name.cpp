// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the name of a file says about the format of the trace in it.
#include "models/workload/detect/file_name.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "models/workload/formats/formats.h"

namespace tlmssd::workload {
namespace {

using Words = std::vector<std::string>;

/// Runs of letters and digits, in small letters.
Words words_of(const std::string& text)
{
    Words words;
    bool inside = false;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool letter = std::isalnum(byte) != 0;
        if (letter && !inside) {
            words.emplace_back();
        }
        if (letter) {
            words.back() += static_cast<char>(std::tolower(byte));
        }
        inside = letter;
    }
    return words;
}

bool holds(const Words& all, const Words& part)
{
    return std::search(all.begin(), all.end(), part.begin(), part.end()) != all.end();
}

bool is_packing(const std::string& word)
{
    return word == "gz" || word == "xz" || word == "zst" || word == "bz2";
}

} // namespace

Words formats_in_name(const std::string& path)
{
    Words name = words_of(std::filesystem::path(path).filename().string());
    if (!name.empty() && is_packing(name.back())) {
        name.pop_back();
    }
    Words found;
    for (const std::string& format : format_names()) {
        if (format != "columns" && holds(name, words_of(format))) {
            found.push_back(format);
        }
    }
    const Words longer = found;
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const std::string& format) {
                                   return std::any_of(longer.begin(), longer.end(), [&](const std::string& other) {
                                       return other != format && holds(words_of(other), words_of(format));
                                   });
                               }),
                found.end());
    if (found.empty() && !name.empty() && name.back() == "iolog") {
        found.emplace_back("fio-iolog");
    }
    if (found == Words{"fio-iolog"}) { // no name of a file says what a wait means
        found.emplace_back("fio-iolog-manual");
    }
    if (found.empty() && !name.empty() && name.back() == "load") {
        found.emplace_back("blkreplay");
    }
    return found;
}

} // namespace tlmssd::workload
