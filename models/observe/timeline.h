// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a timeline file: Chrome trace events for ui.perfetto.dev (docs/guides/timeline.md).
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::observe {

/// Details of one slice, shown when it is clicked on. Keys and texts are literals that need no
/// escapes in JSON. Entries that do not fit into kCapacity characters are left out whole.
class TimelineArgs {
public:
    static constexpr std::size_t kCapacity = 480;

    TimelineArgs& add(const char* key, u64 value);
    TimelineArgs& add(const char* key, const char* text);
    /// In microseconds with all digits.
    TimelineArgs& add(const char* key, Picoseconds time);
    /// An array of numbers; nothing where `count` is 0.
    TimelineArgs& add(const char* key, const u32* values, u32 count);

    const char* text() const { return text_; }
    std::size_t size() const { return size_; }

private:
    void append(const char* key, const char* value, std::size_t size);

    char text_[kCapacity];
    std::size_t size_ = 0;
};

/// Writes tracks of slices, and arrows between them, as they end. Usage: add_process() and
/// add_track() in the order of display, open(), then slices and arrows, close(). Memory stays
/// bounded however long the run. Those who watch hold a pointer that is null while it is off.
class Timeline {
public:
    /// Slices wholly outside [from, to) are left out.
    struct Window {
        Picoseconds from;
        Picoseconds to = kTimeNever;
    };

    /// `path` ends in ".gz" (compressed) or not. Nothing is written before open().
    Timeline(std::string path, Window window);
    ~Timeline(); ///< without close(): no file
    Timeline(const Timeline&) = delete;
    Timeline& operator=(const Timeline&) = delete;

    /// A group of tracks. Returns its id for add_track().
    u32 add_process(const std::string& name);
    /// A line of slices. Returns its id.
    u32 add_track(u32 process, const std::string& name);
    /// Makes the file (under a temporary name) and its parent directories. Throws InputError.
    void open();

    /// [start, end] on `track`, with a name that needs no escapes. The slices of one track come in
    /// order and do not overlap, else ModelError. Returns whether the window shows it. Throws
    /// InputError where the file cannot be written.
    bool slice(u32 track, const char* name, Picoseconds start, Picoseconds end,
               const TimelineArgs& args = {});
    /// The arrow `id` leaves the last slice of `track` at `at`, which lies in that slice and not
    /// before earlier arrows of it. Each arrow has one start and one end, in any order of calls.
    void arrow_start(u32 track, u64 id, Picoseconds at) { arrow('s', track, id, at); }
    /// It ends at the start of the last slice of `track`.
    void arrow_end(u32 track, u64 id) { arrow('f', track, id, tracks_[track].start); }
    bool shows(Picoseconds start, Picoseconds end) const
    {
        return start < window_.to && end >= window_.from;
    }

    /// Ends the file and gives it its name. Throws InputError.
    void close();

private:
    struct File;
    struct Track {
        u32 process;
        std::string name;
        Picoseconds start; ///< of the last slice
        Picoseconds end;
        Picoseconds last; ///< time of the last event in the file
    };

    void arrow(char phase, u32 track, u64 id, Picoseconds at);
    void event(const char* text, std::size_t size);
    void metadata(const char* what, u32 process, u32 track, const std::string& value);

    std::string path_;
    Window window_;
    std::vector<std::string> processes_;
    std::vector<Track> tracks_;
    std::unique_ptr<File> file_;
    bool first_ = true;
};

} // namespace tlmssd::observe
