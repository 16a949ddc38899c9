// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one FST file with signals of the SystemC model and of Verilated RTL side by side.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

class VerilatedFstC;

namespace tlmssd::observe {

struct WaveFile;

/// Usage: add_enum(), add(), attach(), window() and add_hold() in any order, open(), then set() and
/// touch() in the order of simulated time and schedule() for later times, close(). One time step of
/// the file is 1 ps. The state at a time is written when a later time comes: of several values at
/// one time the last is kept, and RTL settles first. Those who watch hold a pointer to Waves that is
/// null while waves are off.
class Waves {
public:
    static constexpr u32 kNoEnum = 0;
    using EnumValue = std::pair<u64, std::string>;

    /// Nothing is written before open().
    explicit Waves(const std::string& path);
    ~Waves(); ///< close(), without a word where that fails
    Waves(const Waves&) = delete;
    Waves& operator=(const Waves&) = delete;

    /// Names of the values 0, 1, ... for viewers. Returns the id for add().
    u32 add_enum(const std::string& type_name, const std::vector<std::string>& value_names);
    /// Names of some values; the others show as numbers.
    u32 add_sparse_enum(const std::string& type_name, const std::vector<EnumValue>& values);
    /// A signal of 1..64 bits, initially 0, named by scopes and dots: "ssd.ch0.way1.busy".
    /// Returns the id for set(). Throws ModelError on a bad or repeated name or a bad width.
    u32 add(const std::string& name, u32 bits, u32 enum_id = kNoEnum);
    /// An RTL wrapper's `[&](VerilatedFstC& fst) { model.trace(&fst, 99); }`, called by open(). All
    /// models share one VerilatedContext, with traceEverOn(true) from before their first eval().
    /// close() reads the models for the last time: call it while they live.
    void attach(std::function<void(VerilatedFstC&)> trace);
    /// Write only [from, to]: the file begins with the state at `from`. Needs from < to.
    void window(Picoseconds from, Picoseconds to);
    /// For one who knows only at the end of an activity what happened in it. Returns its slot.
    u32 add_hold();

    /// Create the file and its parent directories. Throws InputError where that fails. Until close() it
    /// has another name; set(), touch() and close() throw InputError where it cannot be written.
    void open();
    /// The signal has this value from `now` on. Throws ModelError if the value does not fit or the
    /// time goes back.
    void set(u32 id, u64 value, Picoseconds now)
    {
        if (value != values_[id] || next_ <= now) {
            change(id, value, now);
        }
    }
    /// The signal has this value from `at` on, which may lie ahead: it is written when its time
    /// comes, before any set() of that time; those of one time in the order of the calls. Never
    /// before what has been written; values after the end given to close() are left out.
    void schedule(u32 id, u64 value, Picoseconds at);
    /// Whether the window has anything of [start, end].
    bool shows(Picoseconds start, Picoseconds end) const;
    /// Nothing at or after `since` is written while the slot holds: schedule() may go back to it
    /// until release(). Without effect where !lags().
    void hold(u32 slot, Picoseconds since);
    void release(u32 slot);
    /// After open(): writing may be later than simulated time. False without add_hold(), and with
    /// RTL, whose signals can only be read as they are now.
    bool lags() const;
    /// Something in attached RTL may change at `now`: call it before the model's eval().
    void touch(Picoseconds now);
    /// Write what is pending and end the file; later calls do nothing.
    void close();
    /// The same, with the file's time axis reaching to `end` (or to the window's end).
    void close(Picoseconds end);

private:
    void change(u32 id, u64 value, Picoseconds now);
    void apply(u32 id, u64 value);
    void run_to(Picoseconds now);
    void check(u32 id, u64 value) const;

    std::vector<u64> values_;
    Picoseconds next_ = kTimeNever; ///< earliest scheduled change; 0 where all are queued
    std::unique_ptr<WaveFile> file_;
};

} // namespace tlmssd::observe
