// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads a wave file back, through GTKWave's fst2vcd: not the library that wrote it.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::tb {

struct WaveFile {
    using Change = std::pair<u64, std::string>; ///< time step, value as binary digits

    int timescale_exponent = 0; ///< -12: a time step is 1 ps
    u64 end = 0;
    std::vector<std::string> paths;             ///< in order of declaration, without "[msb:lsb]"
    std::map<std::string, u32> bits;
    std::map<std::string, std::vector<Change>> changes;
    std::map<std::string, std::string> enums;   ///< path -> enum table as the writer stores it
};

/// The file as VCD with its attributes, `fst2vcd -e`.
inline std::string vcd_text(const std::string& path)
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
        popen(("fst2vcd -e '" + path + "' 2>/dev/null").c_str(), "r"), pclose);
    std::string text;
    char part[1 << 16];
    while (const std::size_t n = std::fread(part, 1, sizeof part, pipe.get())) {
        text.append(part, n);
    }
    if (text.empty()) {
        throw std::runtime_error("no fst2vcd (package gtkwave), or not an FST file: " + path);
    }
    return text;
}

/// Declarations and values of a VCD text, word by word.
class VcdParser {
public:
    explicit VcdParser(const std::string& text) : words_(text) {}

    WaveFile parse()
    {
        std::string word;
        while (words_ >> word) {
            if (word[0] == '$') {
                keyword(word);
            } else if (word[0] == '#') {
                file_.end = time_ = std::stoull(word.substr(1));
            } else if (word[0] == 'b') {
                std::string code;
                words_ >> code;
                change(code, word.substr(1));
            } else {
                change(word.substr(1), word.substr(0, 1));
            }
        }
        return file_;
    }

private:
    std::vector<std::string> body()
    {
        std::vector<std::string> words;
        for (std::string word; words_ >> word && word != "$end";) {
            words.push_back(word);
        }
        return words;
    }

    void keyword(const std::string& word)
    {
        if (word == "$dumpvars" || word == "$end") {
            return;
        }
        const std::vector<std::string> words = body();
        if (word == "$timescale") {
            file_.timescale_exponent = words.at(0) == "1ps" ? -12 : 0;
        } else if (word == "$scope") {
            scopes_.push_back(words.at(1));
        } else if (word == "$upscope") {
            scopes_.pop_back();
        } else if (word == "$attrbegin" && words.size() > 2 && words[0] == "misc" && words[1] == "07") {
            table(words);
        } else if (word == "$var") {
            variable(words);
        }
    }

    /// misc 07, text, number: a table. misc 07 "" number: the next variable has that table.
    void table(const std::vector<std::string>& words)
    {
        if (words.size() == 4 && words[2] == "\"\"") {
            next_enum_ = tables_[words[3]];
            return;
        }
        std::string text = words[2];
        for (std::size_t i = 3; i + 1 < words.size(); ++i) {
            text += ' ' + words[i];
        }
        tables_[words.back()] = text;
    }

    /// type bits code name [range]
    void variable(const std::vector<std::string>& words)
    {
        std::string name;
        for (const std::string& scope : scopes_) {
            name += scope + '.';
        }
        name += words.at(3).substr(0, words[3].find('['));
        file_.paths.push_back(name);
        file_.bits[name] = static_cast<u32>(std::stoul(words[1]));
        names_[words[2]].push_back(name);
        if (!next_enum_.empty()) {
            file_.enums[name] = next_enum_;
            next_enum_.clear();
        }
    }

    void change(const std::string& code, const std::string& value)
    {
        for (const std::string& name : names_[code]) {
            file_.changes[name].emplace_back(time_, value);
        }
    }

    std::istringstream words_;
    WaveFile file_;
    u64 time_ = 0;
    std::vector<std::string> scopes_;
    std::map<std::string, std::string> tables_;
    std::string next_enum_;
    std::map<std::string, std::vector<std::string>> names_; ///< by code, which aliases share
};

inline WaveFile read_waves(const std::string& path) { return VcdParser(vcd_text(path)).parse(); }

} // namespace tlmssd::tb
