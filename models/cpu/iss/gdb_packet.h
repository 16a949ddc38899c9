// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: frames of gdb's remote serial protocol (GDB manual, appendix E.1 "Overview"). Pure.
#pragma once

#include <deque>
#include <string>

#include "models/common/types.h"

namespace tlmssd::cpu {

/// "$payload#checksum" with what needs it escaped, and runs shortened.
std::string gdb_frame(const std::string& payload);

struct GdbInput {
    enum class Kind {
        Packet,    ///< whole, with the right checksum
        Broken,    ///< wrong checksum, bad escape or run, too long: to be asked for again
        Ack,       ///< '+'
        Nack,      ///< '-': the last frame did not arrive
        Interrupt, ///< 0x03
    };
    Kind kind;
    std::string payload; ///< Packet: unescaped and expanded
};

/// Cuts a stream of bytes, in pieces as they come, into inputs. Bytes between frames are left out.
class GdbReader {
public:
    static constexpr std::size_t kMaxPayload = 16384;

    void feed(const char* bytes, std::size_t count);
    /// False: no whole input has come.
    bool next(GdbInput& input);

private:
    enum class State { Outside, Payload, Checksum1, Checksum2 };
    void take(char c);
    void finish(bool whole);

    State state_ = State::Outside;
    std::string raw_; ///< between '$' and '#'
    bool too_long_ = false;
    u32 sum_ = 0;
    int checksum_ = 0; ///< -1: not hexadecimal
    std::deque<GdbInput> inputs_;
};

/// Lower-case hexadecimal, two digits a byte.
std::string gdb_hex(const std::string& bytes);
/// False: an odd number of digits or none. `bytes` is what they say.
bool gdb_unhex(const std::string& digits, std::string& bytes);

} // namespace tlmssd::cpu
