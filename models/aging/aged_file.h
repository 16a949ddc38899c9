// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the memory of an aged device in a file, to be put back into another process of the same program.
#pragma once

#include <string>
#include <vector>

#include "models/common/types.h"

namespace tlmssd::aging {

/// Memory of a device. It is all zero when the device is new, but for what `pointers` says.
struct Memory {
    void* data = nullptr; ///< aligned to 8 bytes
    u64 bytes = 0;
    /// It also holds pointers into what `Places` names. They are set when the device is made and never again; they
    /// differ from process to process and are not put back.
    bool pointers = false;
};

/// Where pointers may point to: [begin, begin + bytes], its end too.
struct Place {
    const void* begin = nullptr;
    u64 bytes = 0;
};

/// The identity of a device, and a text to remember; both are opaque bytes here.
struct AgedFile {
    std::string key;    ///< configuration and program; a file with another key is as none
    std::string report; ///< given back by load()
};

/// Write the memories' pages that are not zero. The file appears whole or not at all. False: it could not be
/// written, or they are more than `most_bytes`; nothing is left of it.
bool save_aged(const std::string& path, const AgedFile& file, const std::vector<Memory>& memories,
               const std::vector<Place>& places, u64 most_bytes = ~u64{0});

/// Put the memories of `path` back into those of a new device. False, and nothing is changed: there is no such file,
/// it has another key or other sizes, it is damaged, or some pointer is none of a new device.
bool load_aged(const std::string& path, AgedFile& file, const std::vector<Memory>& memories,
               const std::vector<Place>& places);

} // namespace tlmssd::aging
