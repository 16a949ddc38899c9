// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a folder of aged devices, so that the same preconditioning is done once.
#pragma once

#include <string>
#include <vector>

#include "models/aging/aged_file.h"

namespace tlmssd::aging {

/// Files of save_aged(), named by a hash of their keys. Several processes may use a folder at once. A file that
/// cannot be read or written is as if it were not there: a cache changes no result.
class AgedCache {
public:
    /// In all; the files that were used least recently go. A file may take a quarter of it.
    static constexpr u64 kMostBytes = u64{1} << 30;

    /// The folder is made where it is missing, for its user alone.
    explicit AgedCache(const std::string& folder, u64 most_bytes = kMostBytes);

    bool load(AgedFile& file, const std::vector<Memory>& memories, const std::vector<Place>& places) const;
    void save(const AgedFile& file, const std::vector<Memory>& memories, const std::vector<Place>& places) const;
    u64 most_of_one() const { return most_bytes_ / 4; } ///< bytes
    std::string path_of(const std::string& key) const;

    /// $TLMSSD_CACHE, else `tlmssd` in the user's cache folder ($XDG_CACHE_HOME, else ~/.cache). Empty: none, which
    /// TLMSSD_CACHE=off asks for.
    static std::string usual_folder();

private:
    void shrink() const;

    std::string folder_;
    u64 most_bytes_;
};

/// Identifies the running program, or another file: another build may lay out its tables in another way.
std::string program_identity(const std::string& path = "/proc/self/exe");

} // namespace tlmssd::aging
