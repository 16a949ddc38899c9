// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reading the options of --waves.
#include "models/probes/waves/wave_options.h"

#include <utility>

#include "models/common/error.h"
#include "models/observe/output/time_text.h"

namespace tlmssd::probes {

namespace {

[[noreturn]] void fail(const char* option, const std::string& text, const std::string& reason)
{
    throw InputError(std::string(option) + " " + text + ": " + reason);
}

WaveView view_of(const std::string& text)
{
    if (text == "decoded") {
        return WaveView::Decoded;
    }
    if (text == "pins") {
        return WaveView::Pins;
    }
    if (text == "both") {
        return WaveView::Both;
    }
    fail("--waves-view", text, "must be decoded, pins or both");
}

/// "0,2-3"
u32 channels_of(const std::string& text, u32 channels)
{
    const char* const option = "--waves-channels";
    const auto wrong = [&]() { fail(option, text, "must be channels like 0,2-3"); };
    u32 mask = 0;
    std::size_t place = 0;
    const auto number = [&]() {
        u32 value = 0;
        const std::size_t begin = place;
        while (place < text.size() && text[place] >= '0' && text[place] <= '9' && value < 1000) {
            value = value * 10 + static_cast<u32>(text[place++] - '0');
        }
        if (place == begin) {
            wrong();
        }
        if (value >= channels) {
            fail(option, text, "the device has channels 0 to " + std::to_string(channels - 1));
        }
        return value;
    };
    for (;;) {
        const u32 first = number();
        u32 last = first;
        if (place < text.size() && text[place] == '-') {
            ++place;
            last = number();
        }
        if (last < first) {
            wrong();
        }
        for (u32 channel = first; channel <= last; ++channel) {
            mask |= 1u << channel;
        }
        if (place == text.size()) {
            return mask;
        }
        if (text[place++] != ',') {
            wrong();
        }
    }
}

} // namespace

WaveOptions parse_wave_options(const WaveArguments& a, u32 channels)
{
    WaveOptions options;
    if (!a.file) {
        for (const auto& [name, text] : {std::pair("--waves-view", a.view),
                                         {"--waves-from", a.from},
                                         {"--waves-to", a.to},
                                         {"--waves-channels", a.channels}}) {
            if (text) {
                fail(name, *text, "needs --waves FILE");
            }
        }
        return options;
    }
    if (a.file->empty()) {
        throw InputError("--waves: needs the name of a file");
    }
    options.file = *a.file;
    if (a.view) {
        options.view = view_of(*a.view);
    }
    if (a.from) {
        options.from = observe::time_of(*a.from, "--waves-from");
    }
    if (a.to) {
        options.to = observe::time_of(*a.to, "--waves-to");
        if (options.to <= options.from) {
            fail("--waves-to", *a.to, "must be later than --waves-from");
        }
    }
    if (a.channels) {
        options.channels = channels_of(*a.channels, channels);
    }
    return options;
}

} // namespace tlmssd::probes
