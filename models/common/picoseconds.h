// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: simulated time as a strong integer type.
#pragma once

#include <cstdint>
#include <limits>

namespace tlmssd {

/// A point in simulated time or a duration, in integer picoseconds (2^64 ps = 213 days).
class Picoseconds {
public:
    constexpr Picoseconds() = default;
    constexpr explicit Picoseconds(std::uint64_t ps) : ps_(ps) {}

    constexpr std::uint64_t value() const { return ps_; }
    /// For reports only; never feed the result back into the model.
    constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }
    constexpr double microseconds() const { return static_cast<double>(ps_) * 1e-6; }

    constexpr Picoseconds& operator+=(Picoseconds other)
    {
        ps_ += other.ps_;
        return *this;
    }
    friend constexpr Picoseconds operator+(Picoseconds a, Picoseconds b)
    {
        return Picoseconds(a.ps_ + b.ps_);
    }
    /// Requires a >= b: simulated time is never negative.
    friend constexpr Picoseconds operator-(Picoseconds a, Picoseconds b)
    {
        return Picoseconds(a.ps_ - b.ps_);
    }
    friend constexpr Picoseconds operator*(std::uint64_t n, Picoseconds t)
    {
        return Picoseconds(n * t.ps_);
    }
    friend constexpr bool operator==(Picoseconds a, Picoseconds b) { return a.ps_ == b.ps_; }
    friend constexpr bool operator!=(Picoseconds a, Picoseconds b) { return a.ps_ != b.ps_; }
    friend constexpr bool operator<(Picoseconds a, Picoseconds b) { return a.ps_ < b.ps_; }
    friend constexpr bool operator<=(Picoseconds a, Picoseconds b) { return a.ps_ <= b.ps_; }
    friend constexpr bool operator>(Picoseconds a, Picoseconds b) { return a.ps_ > b.ps_; }
    friend constexpr bool operator>=(Picoseconds a, Picoseconds b) { return a.ps_ >= b.ps_; }

private:
    std::uint64_t ps_ = 0;
};

inline constexpr Picoseconds kTimeNever{std::numeric_limits<std::uint64_t>::max()};

constexpr Picoseconds nanoseconds(std::uint64_t n) { return Picoseconds(n * 1000u); }
constexpr Picoseconds microseconds(std::uint64_t n) { return Picoseconds(n * 1000000u); }
constexpr Picoseconds milliseconds(std::uint64_t n) { return Picoseconds(n * 1000000000u); }

constexpr Picoseconds max(Picoseconds a, Picoseconds b) { return a < b ? b : a; }
constexpr Picoseconds min(Picoseconds a, Picoseconds b) { return b < a ? b : a; }

} // namespace tlmssd
