// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: trace events as text, compressed on the way to the file.
#include "models/observe/timeline.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <zlib.h>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/common/interrupt.h"

namespace tlmssd::observe {

namespace {

constexpr unsigned kBufferBytes = 1u << 17; // of zlib, before compression

/// Picoseconds as microseconds: no floating point, so every digit is right. Returns the length.
std::size_t print_us(char* out, std::size_t room, Picoseconds time)
{
    const u64 ps = time.value();
    return static_cast<std::size_t>(
        std::snprintf(out, room, "%llu.%06llu", static_cast<unsigned long long>(ps / 1000000),
                      static_cast<unsigned long long>(ps % 1000000)));
}

} // namespace

// ---- details of a slice ----

void TimelineArgs::append(const char* key, const char* value, std::size_t size)
{
    const std::size_t key_size = std::strlen(key);
    if (size_ + key_size + size + 4 > kCapacity) {
        return;
    }
    const auto put = [this](const char* bytes, std::size_t n) {
        std::memcpy(text_ + size_, bytes, n);
        size_ += n;
    };
    if (size_ != 0) {
        put(",", 1);
    }
    put("\"", 1);
    put(key, key_size);
    put("\":", 2);
    put(value, size);
}

TimelineArgs& TimelineArgs::add(const char* key, u64 value)
{
    char number[24];
    const int n = std::snprintf(number, sizeof number, "%llu", static_cast<unsigned long long>(value));
    append(key, number, static_cast<std::size_t>(n));
    return *this;
}

TimelineArgs& TimelineArgs::add(const char* key, const char* text)
{
    char quoted[128];
    const int n = std::snprintf(quoted, sizeof quoted, "\"%s\"", text);
    if (n > 0 && static_cast<std::size_t>(n) < sizeof quoted) {
        append(key, quoted, static_cast<std::size_t>(n));
    }
    return *this;
}

TimelineArgs& TimelineArgs::add(const char* key, Picoseconds time)
{
    char number[32];
    append(key, number, print_us(number, sizeof number, time));
    return *this;
}

TimelineArgs& TimelineArgs::add(const char* key, const u32* values, u32 count)
{
    char list[128];
    std::size_t n = 0;
    for (u32 i = 0; i < count && n + 13 < sizeof list; ++i) {
        n += static_cast<std::size_t>(
            std::snprintf(list + n, sizeof list - n, "%c%u", i == 0 ? '[' : ',', values[i]));
    }
    if (count != 0) {
        list[n++] = ']';
        append(key, list, n);
    }
    return *this;
}

// ---- the file ----

/// Written beside its name, renamed when it is whole.
struct Timeline::File {
    explicit File(std::string name) : path(std::move(name)) {}
    ~File()
    {
        if (zip != nullptr) {
            gzclose(zip);
            std::remove(temporary.c_str());
        }
    }
    [[noreturn]] void fail(const std::string& reason) const
    {
        cannot_write(path, reason);
    }
    /// zlib's word for the last error, or the system's.
    std::string reason() const
    {
        int number = 0;
        const char* text = gzerror(zip, &number);
        return number == Z_ERRNO ? std::strerror(errno) : text;
    }
    void create()
    {
        namespace fs = std::filesystem;
        std::error_code code;
        if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
            fs::create_directories(parent, code);
            if (code) {
                cannot_write(path, code.value());
            }
        }
        if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
            fail("not a regular file"); // a rename would put a file in its place, or fail at the end
        }
        const bool packed = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
        temporary = path + ".part" + std::to_string(getpid());
        errno = 0;
        // Level 1: the file is half as large again as at level 6, and takes half the time.
        remove_when_killed(temporary);
        zip = gzopen(temporary.c_str(), packed ? "wb1" : "wbT");
        if (zip == nullptr) {
            cannot_write(path, errno != 0 ? errno : ENOMEM);
        }
        gzbuffer(zip, kBufferBytes);
    }
    void write(const char* text, std::size_t size)
    {
        if (gzwrite(zip, text, static_cast<unsigned>(size)) != static_cast<int>(size)) {
            fail(reason());
        }
    }
    void finish()
    {
        errno = 0;
        const int result = gzclose(zip);
        zip = nullptr;
        std::error_code code;
        if (result == Z_OK) {
            std::filesystem::rename(temporary, path, code);
        }
        if (result != Z_OK || code) {
            const int error = code ? code.value() : errno;
            std::remove(temporary.c_str());
            cannot_write(path, error);
        }
    }

    std::string path;
    std::string temporary;
    gzFile zip = nullptr;
};

Timeline::Timeline(std::string path, Window window) : path_(std::move(path)), window_(window) {}

Timeline::~Timeline() = default;

u32 Timeline::add_process(const std::string& name)
{
    processes_.push_back(name);
    return static_cast<u32>(processes_.size() - 1);
}

u32 Timeline::add_track(u32 process, const std::string& name)
{
    tracks_.push_back(Track{process, name, {}, {}, {}});
    return static_cast<u32>(tracks_.size() - 1);
}

void Timeline::event(const char* text, std::size_t size)
{
    file_->write(first_ ? "\n" : ",\n", first_ ? 1 : 2);
    first_ = false;
    file_->write(text, size);
}

/// An "M" event: `what` is "process_name" and the like; `value` is JSON.
void Timeline::metadata(const char* what, u32 process, u32 track, const std::string& value)
{
    const std::string key = std::strstr(what, "sort") != nullptr ? "sort_index" : "name";
    const std::string text = R"({"ph":"M","pid":)" + std::to_string(process + 1) + R"(,"tid":)" +
                             std::to_string(track) + R"(,"name":")" + what + R"(","args":{")" + key +
                             R"(":)" + value + "}}";
    event(text.data(), text.size());
}

void Timeline::open()
{
    file_ = std::make_unique<File>(path_);
    file_->create();
    static constexpr char kHead[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    file_->write(kHead, sizeof kHead - 1);
    for (u32 p = 0; p < processes_.size(); ++p) {
        metadata("process_name", p, 0, nlohmann::json(processes_[p]).dump());
        metadata("process_sort_index", p, 0, std::to_string(p));
    }
    for (u32 t = 0; t < tracks_.size(); ++t) {
        metadata("thread_name", tracks_[t].process, t + 1, nlohmann::json(tracks_[t].name).dump());
        metadata("thread_sort_index", tracks_[t].process, t + 1, std::to_string(t));
    }
}

bool Timeline::slice(u32 id, const char* name, Picoseconds start, Picoseconds end,
                     const TimelineArgs& args)
{
    Track& track = tracks_[id];
    if (start < track.end || end < start) {
        throw ModelError("timeline: slices of '" + track.name + "' overlap: one ends at " +
                         std::to_string(track.end.value()) + " ps, " + name + " starts at " +
                         std::to_string(start.value()) + " ps");
    }
    track.start = track.last = start;
    track.end = end;
    if (!shows(start, end)) {
        return false;
    }
    char text[256 + TimelineArgs::kCapacity];
    char* const limit = text + sizeof text;
    char* at = text;
    const auto room = [&] { return static_cast<std::size_t>(limit - at); };
    at += std::snprintf(at, room(), R"({"ph":"X","pid":%u,"tid":%u,"name":"%.80s","ts":)",
                        track.process + 1, id + 1, name);
    at += print_us(at, room(), start);
    at += std::snprintf(at, room(), R"(,"dur":)");
    at += print_us(at, room(), end - start);
    if (args.size() != 0) {
        at += std::snprintf(at, room(), R"(,"args":{%.*s})", static_cast<int>(args.size()),
                            args.text());
    }
    *at++ = '}';
    event(text, static_cast<std::size_t>(at - text));
    return true;
}

void Timeline::arrow(char phase, u32 id, u64 number, Picoseconds at_time)
{
    Track& track = tracks_[id];
    if (at_time < track.last || at_time > track.end) {
        throw ModelError("timeline: an arrow of '" + track.name + "' at " +
                         std::to_string(at_time.value()) + " ps lies outside its slice");
    }
    track.last = at_time;
    char text[256];
    int n = std::snprintf(text, sizeof text,
                          R"({"ph":"%c","pid":%u,"tid":%u,"cat":"request","name":"request","id":%llu,)"
                          R"(%s"ts":)",
                          phase, track.process + 1, id + 1, static_cast<unsigned long long>(number),
                          phase == 'f' ? R"("bp":"e",)" : "");
    n += static_cast<int>(print_us(text + n, sizeof text - static_cast<std::size_t>(n), at_time));
    text[n++] = '}';
    event(text, static_cast<std::size_t>(n));
}

void Timeline::close()
{
    if (file_ == nullptr) {
        return;
    }
    file_->write("\n]}\n", 4);
    file_->finish();
    file_.reset();
}

} // namespace tlmssd::observe
