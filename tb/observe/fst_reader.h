// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads a wave file back, through the reader that comes with Verilator's FST writer.
#pragma once

#include <cstddef>
#include <gtkwave/fstapi.h>
#include <map>
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

inline WaveFile read_waves(const std::string& path)
{
    void* const reader = fstReaderOpen(path.c_str());
    if (reader == nullptr) {
        throw std::runtime_error("not an FST file: " + path);
    }
    WaveFile file;
    file.timescale_exponent = fstReaderGetTimescale(reader);
    file.end = fstReaderGetEndTime(reader);

    std::vector<std::string> scopes;
    std::map<u64, std::string> tables;
    std::string next_enum;
    struct Collector {
        WaveFile* file;
        std::map<fstHandle, std::vector<std::string>> paths; ///< aliases share a handle
    } collector{&file, {}};
    while (fstHier* item = fstReaderIterateHier(reader)) {
        switch (item->htyp) {
        case FST_HT_SCOPE:
            scopes.push_back(item->u.scope.name);
            break;
        case FST_HT_UPSCOPE:
            scopes.pop_back();
            break;
        case FST_HT_ATTRBEGIN:
            // A table is declared with its text, and a variable refers to it by number.
            if (item->u.attr.subtype == FST_MT_ENUMTABLE) {
                if (item->u.attr.name_length > 0) {
                    tables[item->u.attr.arg] = item->u.attr.name;
                } else {
                    next_enum = tables[item->u.attr.arg];
                }
            }
            break;
        case FST_HT_VAR: {
            std::string name;
            for (const std::string& scope : scopes) {
                name += scope + '.';
            }
            name += item->u.var.name;
            name = name.substr(0, name.find(' '));
            file.paths.push_back(name);
            file.bits[name] = item->u.var.length;
            collector.paths[item->u.var.handle].push_back(name);
            if (!next_enum.empty()) {
                file.enums[name] = next_enum;
                next_enum.clear();
            }
            break;
        }
        default:
            break;
        }
    }
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks(
        reader,
        [](void* user, u64 time, fstHandle handle, const unsigned char* value) {
            auto& c = *static_cast<Collector*>(user);
            for (const std::string& name : c.paths[handle]) {
                c.file->changes[name].emplace_back(time, reinterpret_cast<const char*>(value));
            }
        },
        &collector, nullptr);
    fstReaderClose(reader);
    return file;
}

} // namespace tlmssd::tb
