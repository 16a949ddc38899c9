// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: checksums, escapes and runs of gdb's remote serial protocol.
#include "models/cpu/iss/gdb_packet.h"

#include <algorithm>

namespace tlmssd::cpu {

namespace {

constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;
constexpr char kRun = '*';
constexpr int kRunBase = 29; ///< count of further copies = character - 29
constexpr int kMinRun = 3, kMaxRun = 126 - kRunBase;

int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

char digit(u32 value) { return "0123456789abcdef"[value & 15]; }

std::string escaped(const std::string& payload)
{
    std::string out;
    for (const char c : payload) {
        if (c == '$' || c == '#' || c == kEscape || c == kRun) {
            out += {kEscape, static_cast<char>(c ^ kEscapeBit)};
        } else {
            out += c;
        }
    }
    return out;
}

/// Six and seven further copies would need '#' and '$' as their count: five, and the rest as it is.
std::string shortened(const std::string& text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t same = i + 1;
        while (same < text.size() && text[same] == text[i]) {
            ++same;
        }
        int further = static_cast<int>(std::min<std::size_t>(same - i - 1, kMaxRun));
        further = further == 6 || further == 7 ? 5 : further;
        const bool run = further >= kMinRun && text[i] != kEscape && (i == 0 || text[i - 1] != kEscape);
        out += text[i++];
        if (run) {
            out += {kRun, static_cast<char>(kRunBase + further)};
            i += static_cast<std::size_t>(further);
        }
    }
    return out;
}

bool expand(const std::string& raw, std::string& payload)
{
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != kEscape && raw[i] != kRun) {
            payload += raw[i];
            continue;
        }
        if (i + 1 == raw.size()) {
            return false;
        }
        const char second = raw[++i];
        if (raw[i - 1] == kEscape) {
            payload += static_cast<char>(second ^ kEscapeBit);
            continue;
        }
        const int further = second - kRunBase;
        if (payload.empty() || further < kMinRun || further > kMaxRun ||
            payload.size() + static_cast<std::size_t>(further) > GdbReader::kMaxPayload) {
            return false;
        }
        payload.append(static_cast<std::size_t>(further), payload.back());
    }
    return true;
}

} // namespace

std::string gdb_frame(const std::string& payload)
{
    const std::string text = shortened(escaped(payload));
    u32 sum = 0;
    for (const char c : text) {
        sum += static_cast<u8>(c);
    }
    return "$" + text + "#" + digit(sum >> 4) + digit(sum);
}

void GdbReader::feed(const char* bytes, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i) {
        take(bytes[i]);
    }
}

void GdbReader::take(char c)
{
    switch (state_) {
    case State::Outside:
        if (c == '+' || c == '-' || c == '\x03') {
            inputs_.push_back({c == '+'   ? GdbInput::Kind::Ack
                               : c == '-' ? GdbInput::Kind::Nack
                                          : GdbInput::Kind::Interrupt,
                               ""});
        }
        break;
    case State::Payload:
        if (c == '#') {
            state_ = State::Checksum1;
            return;
        }
        if (c == '$') {
            break; // the rest of the frame before was lost
        }
        sum_ += static_cast<u8>(c);
        too_long_ = too_long_ || raw_.size() >= kMaxPayload;
        if (!too_long_) {
            raw_ += c;
        }
        return;
    case State::Checksum1:
        checksum_ = digit_of(c);
        state_ = State::Checksum2;
        return;
    case State::Checksum2:
        checksum_ = checksum_ < 0 || digit_of(c) < 0 ? -1 : checksum_ * 16 + digit_of(c);
        finish(!too_long_ && checksum_ == static_cast<int>(sum_ & 0xff));
        return;
    }
    if (c == '$') {
        state_ = State::Payload;
        raw_.clear();
        too_long_ = false;
        sum_ = 0;
    }
}

void GdbReader::finish(bool whole)
{
    GdbInput input{GdbInput::Kind::Packet, ""};
    if (!whole || !expand(raw_, input.payload)) {
        input = {GdbInput::Kind::Broken, ""};
    }
    inputs_.push_back(input);
    state_ = State::Outside;
}

bool GdbReader::next(GdbInput& input)
{
    if (inputs_.empty()) {
        return false;
    }
    input = inputs_.front();
    inputs_.pop_front();
    return true;
}

std::string gdb_hex(const std::string& bytes)
{
    std::string out;
    for (const char c : bytes) {
        out += {digit(static_cast<u8>(c) >> 4), digit(static_cast<u8>(c))};
    }
    return out;
}

bool gdb_unhex(const std::string& digits, std::string& bytes)
{
    bytes.clear();
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        const int high = digit_of(digits[i]), low = digit_of(digits[i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes += static_cast<char>(high * 16 + low);
    }
    return digits.size() % 2 == 0;
}

} // namespace tlmssd::cpu
