// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a wave file: declarations, values and time.
#include "models/observe/fst/wave_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/observe/output/write_file.h"

namespace tlmssd::observe {

WaveFile::Scope& WaveFile::Scope::at(const std::string& inner_name)
{
    for (Scope& scope : inner) {
        if (scope.name == inner_name) {
            return scope;
        }
    }
    inner.push_back(Scope{inner_name, {}, {}});
    return inner.back();
}

u32 WaveFile::declare_enum(u32 enum_id)
{
    u32 bits = 0;
    for (const Signal& signal : signals) {
        bits = signal.enum_id == enum_id ? std::max(bits, signal.bits) : bits;
    }
    const EnumType& type = enums[enum_id - 1];
    return bits == 0 ? kNoEnum : fst.add_enum(type.name, bits, type.values);
}

void WaveFile::declare(const Scope& scope, const std::vector<u32>& tables)
{
    for (const u32 id : scope.signals) {
        Signal& signal = signals[id];
        const std::string range = signal.bits == 1 ? "" : " [" + std::to_string(signal.bits - 1) + ":0]";
        signal.handle = fst.add(signal.name + range, signal.bits, tables[signal.enum_id]);
    }
    for (const Scope& inner : scope.inner) {
        fst.begin_scope(inner.name);
        declare(inner, tables);
        fst.end_scope();
    }
}

void WaveFile::dump(Picoseconds time)
{
    fst.step(time.value());
    if (first) {
        first = false;
        changed.clear();
        for (u32 id = 0; id < signals.size(); ++id) {
            signals[id].shown = ~values[id];
            changed.push_back(id);
        }
    }
    for (const u32 id : changed) {
        Signal& signal = signals[id];
        signal.listed = false;
        if (signal.shown != values[id]) {
            signal.shown = values[id];
            fst.put(signal.handle, signal.bits, signal.shown);
        }
    }
    changed.clear();
}

void WaveFile::open(const std::vector<u64>& current)
{
    temporary = prepare_file(path);
    was_open = true;
    values = current.data();
    changed.reserve(current.size());
    errno = 0;
    if (!fst.open(temporary, models)) {
        const std::string reason = errno != 0 ? std::strerror(errno) : "no temporary files";
        std::remove(temporary.c_str());
        cannot_write(path, reason);
    }
    std::vector<u32> tables{kNoEnum};
    for (u32 id = 1; id <= enums.size(); ++id) {
        tables.push_back(declare_enum(id));
    }
    declare(top, tables);
    check_writes();
    pending = true; // the state at time 0
    lagging = !holds.empty() && models.empty();
}

void WaveFile::check_writes()
{
    if (const int error = fst.error(); error != 0) {
        fst.close();
        queue.clear();
        std::remove(temporary.c_str());
        std::remove((temporary + ".hier").c_str());
        cannot_write(path, error);
    }
}

void WaveFile::finish()
{
    fst.close();
    queue.clear();
    check_writes();
    std::error_code code;
    std::filesystem::rename(temporary, path, code);
    if (code) {
        std::remove(temporary.c_str());
        cannot_write(path, code.value());
    }
}

void WaveFile::step_to(Picoseconds time)
{
    if (time == now) {
        return;
    }
    if (time < now) {
        throw ModelError("waves: time goes back from " + std::to_string(now.value()) + " to " +
                         std::to_string(time.value()) + " ps");
    }
    if (now < from) { // nothing is written yet
        if (from <= time) {
            pending = from == time;
            if (!pending) {
                dump(from);
            }
        }
    } else if (pending) {
        dump(now);
        pending = false;
        check_writes();
    }
    if (to < time) {
        if (now < to && from < to) {
            dump(to); // the time axis reaches to the window's end
        }
        finish();
    }
    now = time;
}

Picoseconds WaveFile::horizon(Picoseconds time) const
{
    for (const Picoseconds since : holds) {
        time = min(time, since);
    }
    return time;
}

} // namespace tlmssd::observe
