// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the folder of aged devices.
#include "models/aging/aged_cache.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "models/common/hash.h"

namespace tlmssd::aging {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnding = ".aged";
constexpr std::chrono::hours kLongestWrite{1}; ///< a file that is half written for longer has lost its process

std::string value_of(const char* name)
{
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

struct Kept {
    fs::path path;
    fs::file_time_type used;
    u64 bytes;
};

/// Other processes make and remove files meanwhile: one that has gone is passed over. What a process has left behind
/// that was killed while it wrote is removed.
std::vector<Kept> kept_in(const std::string& folder)
{
    std::vector<Kept> kept;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code gone;
        Kept k{at->path(), at->last_write_time(gone), 0};
        k.bytes = gone ? 0 : at->file_size(gone);
        if (gone) {
            continue;
        }
        if (k.path.extension() == kEnding) {
            kept.push_back(std::move(k));
        } else if (k.path.stem().extension() == kEnding && fs::file_time_type::clock::now() - k.used > kLongestWrite) {
            fs::remove(k.path, gone);
        }
    }
    return kept;
}

} // namespace

AgedCache::AgedCache(const std::string& folder, u64 most_bytes) : folder_(folder), most_bytes_(most_bytes)
{
    std::error_code error;
    if (fs::create_directories(folder_, error)) {
        fs::permissions(folder_, fs::perms::owner_all, error);
    }
}

std::string AgedCache::path_of(const std::string& key) const
{
    u64 hash = 0;
    for (const char c : key) {
        hash = mix64(hash + static_cast<u8>(c) + 1);
    }
    static constexpr const char* kDigits = "0123456789abcdef";
    std::string name(16, '0');
    for (u32 i = 0; i < 16; ++i) {
        name[i] = kDigits[hash >> (60 - 4 * i) & 15];
    }
    return (fs::path(folder_) / (name + kEnding)).string();
}

bool AgedCache::load(AgedFile& file, const std::vector<Memory>& memories, const std::vector<Place>& places) const
{
    const std::string path = path_of(file.key);
    if (!load_aged(path, file, memories, places)) {
        return false;
    }
    std::error_code error;
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    return true;
}

void AgedCache::save(const AgedFile& file, const std::vector<Memory>& memories,
                     const std::vector<Place>& places) const
{
    if (save_aged(path_of(file.key), file, memories, places, most_of_one())) {
        shrink();
    }
}

void AgedCache::shrink() const
{
    std::vector<Kept> kept = kept_in(folder_);
    std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.used > b.used; });
    u64 bytes = 0;
    for (const Kept& k : kept) {
        bytes += k.bytes;
        if (bytes > most_bytes_) {
            std::error_code error;
            fs::remove(k.path, error);
        }
    }
}

std::string AgedCache::usual_folder()
{
    if (const std::string named = value_of("TLMSSD_CACHE"); !named.empty()) {
        return named == "off" ? std::string() : named;
    }
    if (const std::string cache = value_of("XDG_CACHE_HOME"); !cache.empty()) {
        return (fs::path(cache) / "tlmssd").string();
    }
    const std::string home = value_of("HOME");
    return home.empty() ? home : (fs::path(home) / ".cache/tlmssd").string();
}

std::string program_identity(const std::string& path)
{
    struct stat is{};
    if (::stat(path.c_str(), &is) != 0) {
        return {};
    }
    std::string text;
    for (const u64 part : {static_cast<u64>(is.st_dev), static_cast<u64>(is.st_ino), static_cast<u64>(is.st_size),
                           static_cast<u64>(is.st_mtim.tv_sec), static_cast<u64>(is.st_mtim.tv_nsec)}) {
        text += std::to_string(part) + " ";
    }
    return text;
}

} // namespace tlmssd::aging
