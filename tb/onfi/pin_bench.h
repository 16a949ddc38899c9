// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what pin tests share: a target that writes down its cycles, and the dies' output lines.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "models/onfi/pins/pin_reader.h"
#include "tb/onfi/bytes.h"

namespace tlmssd::tb {

/// "c 70", "a 05", "in 3f", "out 4" (bytes), "wp 1"
inline std::string cycle_name(const char* kind, u32 byte)
{
    static const char* const kHex = "0123456789abcdef";
    return std::string(kind) + ' ' + kHex[byte >> 4 & 15] + kHex[byte & 15];
}

/// Writes down every cycle; answers bursts out from `byte(k)`, k counting from restart().
struct RecordingTarget final : onfi::TargetIf {
    std::vector<std::string> cycles;
    std::vector<Picoseconds> ends; ///< of the segments
    std::function<u8(u32)> byte = [](u32) { return u8{0}; };
    u32 given = 0;

    void restart()
    {
        cycles.clear();
        given = 0;
    }
    void on_segment(Segment& s) override
    {
        ends.push_back(s.end);
        for (u32 i = 0; i < s.lead; ++i) {
            cycles.push_back(cycle_name(s.is_command(i) ? "c" : "a", s.bytes[i]));
        }
        for (u32 i = 0; i < s.data_bytes; ++i) {
            if (s.direction == DataDirection::In) {
                cycles.push_back(cycle_name("in", s.data->page[i]));
                continue;
            }
            const u8 value = byte(given++);
            cycles.emplace_back("out");
            if (s.narrow) {
                s.data->bytes[i] = value;
            }
            if (s.data->page != nullptr) {
                s.data->page[i] = value;
            }
        }
    }
    void on_write_protect(bool protect) override { cycles.emplace_back(protect ? "wp 1" : "wp 0"); }
};

/// The lines as the dies drive them, from the announcements of a reader.
struct DieLines final : onfi::PinOutputIf {
    std::deque<onfi::DieDrive> announced;
    onfi::DieDrive now;

    void on_drive(const onfi::DieDrive& drive) override
    {
        while (!announced.empty() && announced.back().at >= drive.at) {
            announced.pop_back();
        }
        announced.push_back(drive);
    }
    const onfi::DieDrive& at(Picoseconds t)
    {
        while (!announced.empty() && announced.front().at <= t) {
            now = announced.front();
            announced.pop_front();
        }
        return now;
    }
};

} // namespace tlmssd::tb
