// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the user gave: each key's winning value, who gave it and with what precedence.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "models/config/keys.h"
#include "models/config/origin.h"
#include "models/config/raw.h"

namespace tlmssd::config {

/// Precedence: files count up in the order in which they take effect (an included file before the
/// file that includes it); --set beats files, a single key beats a preset.
inline constexpr int kRankSet = std::numeric_limits<int>::max();
inline constexpr int kRankSetReference = kRankSet - 1;
inline constexpr int kRankDefault = -1;

struct Setting {
    Value value;
    Origin origin;
    int rank = kRankDefault;
};

/// Reads files and --set texts into settings. Types and ranges of single values are checked here.
class Settings {
public:
    /// Read a file, its includes first.
    void add_file(const std::string& path);
    /// The same for text; relative paths start at ".".
    void add_text(const std::string& text, const std::string& name);
    /// One `--set` text "a.b=c".
    void add_set(const std::string& set);

    /// Null where the user did not give the key.
    const Setting* find(const std::string& key) const;
    /// Of the key, or kRankDefault.
    int rank(const std::string& key) const;
    /// Where the key was given, else the main file as a whole.
    Origin where(const std::string& key) const;
    const std::map<std::string, Setting>& all() const { return settings_; }
    void erase(const std::string& key) { settings_.erase(key); }

private:
    void add_root(const RawNode& root, const std::string& base);
    void add_includes(const RawNode& node, const std::string& base);
    void add_include(const RawNode& node, const std::string& base);
    void add_map(const std::string& section, const RawNode& map, const std::string& base, int rank);
    void add_entry(const std::string& section, const RawNode& key, const RawNode& value,
                   const std::string& base, int rank);
    void add_reference(const Section& section, const std::string& text, const Origin& origin,
                       const std::string& base, int rank);
    void assign(const Key& key, const std::string& text, bool quoted, const Origin& origin,
                const std::string& base, int rank);
    std::string find_preset(const std::string& name, const std::string& key, const Origin& origin,
                            const std::string& base) const;
    std::string read(const std::string& path, const Origin& origin, const std::string& key);

    std::map<std::string, Setting> settings_;
    std::string main_name_;
    std::vector<std::string> open_;  ///< files being read, canonical: finds cycles
    std::vector<std::string> bases_; ///< folders of the files read so far
    int next_rank_ = 0;
    int files_read_ = 0;
};

} // namespace tlmssd::config
