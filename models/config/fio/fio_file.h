// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a fio job file as text: sections of options, global ones handed down. Knows no option.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/config/text/origin.h"

namespace tlmssd::config {

struct FioOption {
    std::string value;
    bool bare = false; ///< no "=": a switch
    Origin origin;     ///< of the key
};

/// One job with the options of the [global] sections above it.
struct FioSection {
    std::string name;
    Origin origin;
    std::map<std::string, FioOption> options; ///< by fio's main name, see canonical_fio_option()
};

/// "blocksize" to "bs" and the like; other words stay.
std::string canonical_fio_option(const std::string& word);

/// The jobs of the file, at least one. As in fio: what follows ; or # is a comment; the last of
/// several values counts. InputError: text outside sections, an
/// unclosed [section], no job, `include`.
std::vector<FioSection> parse_fio_file(const std::string& text, const std::string& name);

} // namespace tlmssd::config
