// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one FST file with signals of the SystemC model and of Verilated RTL side by side.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

class VerilatedFstC;

namespace tlmssd::observe {

/// Usage: add_enum(), add() and attach() in any order, open(), then set() and touch() in the order
/// of simulated time, close(). One time step of the file is 1 ps. The state at a time is written
/// when a later time comes: of several values at one time the last is kept, and RTL settles first.
/// Those who watch hold a pointer to Waves that is null while waves are off.
class Waves {
public:
    static constexpr u32 kNoEnum = 0;

    /// Nothing is written before open().
    explicit Waves(const std::string& path);
    ~Waves(); ///< close()
    Waves(const Waves&) = delete;
    Waves& operator=(const Waves&) = delete;

    /// Names of the values 0, 1, ... for viewers. Returns the id for add().
    u32 add_enum(const std::string& type_name, const std::vector<std::string>& value_names);
    /// A signal of 1..64 bits, initially 0, named by scopes and dots: "ssd.ch0.way1.busy".
    /// Returns the id for set(). Throws ModelError on a bad or repeated name or a bad width.
    u32 add(const std::string& name, u32 bits, u32 enum_id = kNoEnum);
    /// An RTL wrapper's `[&](VerilatedFstC& fst) { model.trace(&fst, 99); }`, called by open(). All
    /// models share one VerilatedContext, with traceEverOn(true) from before their first eval().
    /// close() reads the models for the last time: call it while they live.
    void attach(std::function<void(VerilatedFstC&)> trace);

    /// Create the file and its parent directories. Throws InputError where that fails.
    void open();
    /// The signal has this value from `now` on. Throws ModelError if the value does not fit or the
    /// time goes back.
    void set(u32 id, u64 value, Picoseconds now)
    {
        if (value != values_[id]) {
            change(id, value, now);
        }
    }
    /// Something in attached RTL may change at `now`: call it before the model's eval().
    void touch(Picoseconds now);
    /// Write what is pending and end the file; later calls do nothing.
    void close();
    /// The same, with the file's time axis reaching to `end`.
    void close(Picoseconds end);

private:
    struct Impl;

    void change(u32 id, u64 value, Picoseconds now);
    void advance(Picoseconds now);

    std::vector<u64> values_;
    std::unique_ptr<Impl> impl_;
};

} // namespace tlmssd::observe
