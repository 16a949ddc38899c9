// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: asynchronous events: requests that wait for one, and events that wait for a request.
#pragma once

#include <vector>

#include "models/common/types.h"

namespace tlmssd::nvme_device {

/// An event as dword 0 of its completion has it (Base Specification 1.4, 5.2).
struct Event {
    enum Type : u8 { kError = 0, kHealth = 1 };
    u8 type = kError;
    u8 info = 0;
    u8 log_page = 0;

    u32 result() const { return type | u32{info} << 8 | u32{log_page} << 16; }
    friend bool operator==(const Event& a, const Event& b) { return a.result() == b.result(); }
};

namespace event {
inline constexpr Event kInvalidDoorbell{Event::kError, 0, 1};
inline constexpr Event kInvalidDoorbellValue{Event::kError, 1, 1};
inline constexpr Event kPersistentError{Event::kError, 3, 1};
inline constexpr Event kReliability{Event::kHealth, 0, 2};
inline constexpr Event kSpare{Event::kHealth, 2, 2};
}

/// After an event has been reported, no other one of its type is until the host has read its log page. Equal events
/// that wait are one.
class Events {
public:
    static constexpr u32 kMostRequests = 4; ///< AERL + 1

    /// False: the limit is reached.
    bool request(u16 id);
    void report(const Event& event);
    void log_read(u8 log_page);
    /// The next request that gets an event; false: none.
    bool next(u16& id, Event& event);
    /// Take a request back; false: there is none with this identifier.
    bool abort(u16 id);
    void clear();

private:
    static constexpr std::size_t kMostWaiting = 16;
    std::vector<u16> requests_;
    std::vector<Event> waiting_;
    u32 masked_ = 0; ///< types, bits
};

} // namespace tlmssd::nvme_device
