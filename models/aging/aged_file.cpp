// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: files of aged devices: head, key, report, pointers, then for each memory its size and runs of 4 KiB pages
// that are not all zero. Numbers are 64 bits, as the machine has them: a file is read by the program that wrote it.
#include "models/aging/aged_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace tlmssd::aging {

namespace {

constexpr u64 kMagic = 0x3144454741444d54; // "TMDAGED1"
constexpr u64 kPage = 4096;
constexpr u64 kNoPlace = ~u64{0};

u64 rounded(u64 bytes) { return (bytes + 7) / 8 * 8; }

/// Sum over 64-bit words that depends on their order.
class Sum {
public:
    void add(const void* data, u64 bytes)
    {
        const auto* at = static_cast<const u8*>(data);
        for (u64 i = 0; i + 8 <= bytes; i += 8) {
            u64 word;
            std::memcpy(&word, at + i, 8);
            sum_ = (sum_ ^ word) * 0x9e3779b97f4a7c15ull;
            sum_ ^= sum_ >> 29;
        }
    }
    u64 value() const { return sum_; }

private:
    u64 sum_ = kMagic;
};

/// One word of the device that is a pointer: in which memory, at which byte, and what it points to.
struct Pointer {
    u64 memory;
    u64 offset;
    u64 place;
    u64 distance; ///< from the beginning of the place
};

bool zero(const u8* data, u64 bytes)
{
    u64 any = 0;
    u64 i = 0;
    for (; i + 8 <= bytes; i += 8) {
        u64 word;
        std::memcpy(&word, data + i, 8);
        any |= word;
    }
    for (; i < bytes; ++i) {
        any |= data[i];
    }
    return any == 0;
}

/// Calls visit(offset, bytes) for each run of pages that are not zero.
template <class Visit>
void each_run(const Memory& memory, const Visit& visit)
{
    const auto* const data = static_cast<const u8*>(memory.data);
    u64 begin = 0;
    bool inside = false;
    for (u64 at = 0; at < memory.bytes; at += kPage) {
        const bool used = !zero(data + at, std::min(kPage, memory.bytes - at));
        if (used && !inside) {
            begin = at;
        } else if (!used && inside) {
            visit(begin, at - begin);
        }
        inside = used;
    }
    if (inside) {
        visit(begin, memory.bytes - begin);
    }
}

u64 place_of(u64 word, const std::vector<Place>& places)
{
    for (u64 i = 0; i < places.size(); ++i) {
        if (word - reinterpret_cast<std::uintptr_t>(places[i].begin) <= places[i].bytes) {
            return i;
        }
    }
    return kNoPlace;
}

std::vector<Pointer> pointers_of(const std::vector<Memory>& memories, const std::vector<Place>& places)
{
    std::vector<Pointer> found;
    for (u64 m = 0; m < memories.size(); ++m) {
        if (!memories[m].pointers) {
            continue;
        }
        const auto* const data = static_cast<const u8*>(memories[m].data);
        each_run(memories[m], [&](u64 begin, u64 bytes) {
            for (u64 at = begin; at + 8 <= begin + bytes; at += 8) {
                u64 word;
                std::memcpy(&word, data + at, 8);
                if (const u64 place = place_of(word, places); place != kNoPlace) {
                    found.push_back({m, at, place, word - reinterpret_cast<std::uintptr_t>(places[place].begin)});
                }
            }
        });
    }
    return found;
}

/// A file being written beside its place, under a name of this process.
class Output {
public:
    explicit Output(const std::string& path) : path_(path), temporary_(path + "." + std::to_string(::getpid()))
    {
        file_ = std::fopen(temporary_.c_str(), "wbx");
    }
    ~Output()
    {
        if (file_ != nullptr) {
            std::fclose(file_);
            ::unlink(temporary_.c_str());
        }
    }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    void word(u64 value) { bytes(&value, 8); }
    /// Filled up with zeros to whole words.
    void bytes(const void* data, u64 n)
    {
        const u64 whole = n / 8 * 8;
        put(data, whole);
        if (whole != n) {
            std::array<u8, 8> last{};
            std::memcpy(last.data(), static_cast<const u8*>(data) + whole, n - whole);
            put(last.data(), 8);
        }
    }
    void text(const std::string& t)
    {
        word(t.size());
        bytes(t.data(), t.size());
    }
    bool finish()
    {
        const u64 sum = sum_.value();
        good_ = good_ && file_ != nullptr && std::fwrite(&sum, 8, 1, file_) == 1;
        if (file_ == nullptr) {
            return false;
        }
        good_ = std::fclose(file_) == 0 && good_;
        file_ = nullptr;
        if (!good_ || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
            ::unlink(temporary_.c_str());
            return false;
        }
        return true;
    }

private:
    void put(const void* data, u64 n)
    {
        sum_.add(data, n);
        good_ = good_ && file_ != nullptr && (n == 0 || std::fwrite(data, n, 1, file_) == 1);
    }

    std::string path_;
    std::string temporary_;
    std::FILE* file_;
    bool good_ = true;
    Sum sum_;
};

/// A file in memory. What is read behind its end is nothing, and good() is false from then on.
class Input {
public:
    explicit Input(const std::string& path)
    {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return;
        }
        struct stat is{};
        if (::fstat(file, &is) == 0 && is.st_size >= 16 && is.st_size % 8 == 0) {
            bytes_ = static_cast<u64>(is.st_size);
            void* const mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
            data_ = mapped == MAP_FAILED ? nullptr : static_cast<const u8*>(mapped);
        }
        ::close(file);
    }
    ~Input()
    {
        if (data_ != nullptr) {
            ::munmap(const_cast<u8*>(data_), bytes_);
        }
    }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    bool good() const { return data_ != nullptr && good_; }
    /// The last word is the sum of all before it.
    bool whole() const
    {
        if (data_ == nullptr) {
            return false;
        }
        Sum sum;
        sum.add(data_, bytes_ - 8);
        u64 last;
        std::memcpy(&last, data_ + bytes_ - 8, 8);
        return last == sum.value();
    }
    u64 word()
    {
        u64 value = 0;
        if (const u8* const at = take(8); at != nullptr) {
            std::memcpy(&value, at, 8);
        }
        return value;
    }
    const u8* take(u64 n)
    {
        if (!good() || n > bytes_ - 8 - at_ || rounded(n) > bytes_ - 8 - at_) {
            good_ = false;
            return nullptr;
        }
        const u8* const at = data_ + at_;
        at_ += rounded(n);
        return at;
    }
    std::string text()
    {
        const u64 n = word();
        const u8* const at = take(n);
        return at == nullptr ? std::string() : std::string(reinterpret_cast<const char*>(at), n);
    }
    bool at_end() const { return good() && at_ == bytes_ - 8; }

private:
    const u8* data_ = nullptr;
    u64 bytes_ = 0;
    u64 at_ = 0;
    bool good_ = true;
};

struct Run {
    u64 memory;
    u64 offset;
    const u8* from;
    u64 bytes;
};

/// All runs of the file; empty and !good() where they do not fit the memories.
std::vector<Run> runs_of(Input& in, const std::vector<Memory>& memories)
{
    std::vector<Run> runs;
    bool fits = in.word() == memories.size();
    for (u64 m = 0; fits && m < memories.size(); ++m) {
        fits = in.word() == memories[m].bytes;
        const u64 count = in.word();
        for (u64 i = 0; fits && i < count; ++i) {
            const u64 offset = in.word();
            const u64 bytes = in.word();
            const u8* const from = in.take(bytes);
            fits = from != nullptr && offset <= memories[m].bytes && bytes <= memories[m].bytes - offset;
            runs.push_back({m, offset, from, bytes});
        }
    }
    if (!fits || !in.at_end()) {
        runs.clear();
        in.take(kNoPlace); // no good
    }
    return runs;
}

} // namespace

bool save_aged(const std::string& path, const AgedFile& file, const std::vector<Memory>& memories,
               const std::vector<Place>& places, u64 most_bytes)
{
    u64 used = 0;
    for (const Memory& memory : memories) {
        each_run(memory, [&used](u64, u64 bytes) { used += bytes; });
    }
    if (used > most_bytes) {
        return false;
    }
    Output out(path);
    out.word(kMagic);
    out.text(file.key);
    out.text(file.report);
    const std::vector<Pointer> pointers = pointers_of(memories, places);
    out.word(pointers.size());
    out.bytes(pointers.data(), pointers.size() * sizeof(Pointer));
    out.word(memories.size());
    for (const Memory& memory : memories) {
        out.word(memory.bytes);
        u64 count = 0;
        each_run(memory, [&count](u64, u64) { ++count; });
        out.word(count);
        each_run(memory, [&](u64 begin, u64 bytes) {
            out.word(begin);
            out.word(bytes);
            out.bytes(static_cast<const u8*>(memory.data) + begin, bytes);
        });
    }
    return out.finish();
}

bool load_aged(const std::string& path, AgedFile& file, const std::vector<Memory>& memories,
               const std::vector<Place>& places)
{
    Input in(path);
    if (!in.whole() || in.word() != kMagic || in.text() != file.key) {
        return false;
    }
    const std::string report = in.text();
    const u64 count = in.word();
    if (!in.good() || count > u64{1} << 24) {
        return false;
    }
    std::vector<Pointer> pointers(count);
    const u8* const stored = in.take(count * sizeof(Pointer));
    if (stored == nullptr) {
        return false;
    }
    if (count != 0) { // else there is nowhere to copy to
        std::memcpy(pointers.data(), stored, count * sizeof(Pointer));
    }
    std::vector<u64> fresh;
    for (const Pointer& p : pointers) {
        if (p.memory >= memories.size() || p.place >= places.size() || memories[p.memory].bytes < 8 ||
            p.offset > memories[p.memory].bytes - 8) {
            return false;
        }
        u64 word;
        std::memcpy(&word, static_cast<const u8*>(memories[p.memory].data) + p.offset, 8);
        if (word != reinterpret_cast<std::uintptr_t>(places[p.place].begin) + p.distance) {
            return false;
        }
        fresh.push_back(word);
    }
    const std::vector<Run> runs = runs_of(in, memories);
    if (!in.good()) {
        return false;
    }
    for (const Run& run : runs) {
        std::memcpy(static_cast<u8*>(memories[run.memory].data) + run.offset, run.from, run.bytes);
    }
    for (std::size_t i = 0; i < pointers.size(); ++i) {
        std::memcpy(static_cast<u8*>(memories[pointers[i].memory].data) + pointers[i].offset, &fresh[i], 8);
    }
    file.report = report;
    return true;
}

} // namespace tlmssd::aging
