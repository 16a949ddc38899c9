// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a fio job file as text: sections of options, global ones handed down. Knows no option.
#include "models/config/fio/fio_file.h"

#include "models/config/text/fio_units.h"
#include "models/config/text/raw.h"

namespace tlmssd::config {
namespace {

/// Without the comment and the blanks around the rest; `column`: of its first character, from 1.
std::string stripped(const std::string& line, int& column)
{
    const std::string code = line.substr(0, line.find_first_of(";#"));
    const std::size_t first = code.find_first_not_of(" \t\r");
    column = first == std::string::npos ? 1 : static_cast<int>(first) + 1;
    return trimmed(code);
}

} // namespace

std::string canonical_fio_option(const std::string& word)
{
    static const std::map<std::string, std::string> kNames{
        {"readwrite", "rw"},           {"blocksize", "bs"},
        {"io_limit", "io_size"},       {"wait_for_previous", "stonewall"},
        {"blocksize_range", "bsrange"}, {"blockalign", "ba"},
        {"iomem", "mem"},              {"hugepage-size", "hugepage_size"}};
    const auto found = kNames.find(word);
    return found == kNames.end() ? word : found->second;
}

std::vector<FioSection> parse_fio_file(const std::string& text, const std::string& name)
{
    check_characters(text, name);
    std::vector<FioSection> jobs;
    FioSection global;
    FioSection* section = nullptr;
    int number = 0;
    for (const std::string& line : split_text(text, '\n')) {
        ++number;
        int column = 1;
        const std::string code = stripped(line, column);
        const Origin origin{name, number, column, ""};
        if (code.empty()) {
            continue;
        }
        if (code[0] == '[') {
            const std::size_t close = code.find(']');
            if (close == std::string::npos || close == 1 || close + 1 != code.size()) {
                fail(origin, "", "expected [NAME] alone on the line, found '" + shown(code) + "'");
            }
            const std::string title = code.substr(1, close - 1);
            if (title == "global") {
                section = &global;
                continue;
            }
            jobs.push_back({title, origin, global.options});
            section = &jobs.back();
            continue;
        }
        const std::size_t equals = code.find('=');
        const std::string word = trimmed(code.substr(0, equals));
        if (code.compare(0, 8, "include ") == 0) {
            fail(origin, "include", "other job files are not read; put their lines here");
        }
        if (section == nullptr) {
            fail(origin, shown(word), "stands before the first [section]");
        }
        FioOption option;
        option.origin = origin;
        option.bare = equals == std::string::npos;
        option.value = option.bare ? "" : trimmed(code.substr(equals + 1));
        section->options[canonical_fio_option(word)] = option;
    }
    if (jobs.empty()) {
        fail(Origin{name, 1, 1, ""}, "", "no job: a fio job file has a [section] beside [global]");
    }
    return jobs;
}

} // namespace tlmssd::config
