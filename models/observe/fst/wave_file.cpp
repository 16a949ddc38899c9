// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a wave file on Verilator's FST writer: declarations and values, as its callbacks, and time.
#include "models/observe/fst/wave_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/observe/fst/fst_stdio.h"
#include "models/observe/output/write_file.h"

namespace tlmssd::observe {

namespace {

std::string binary(u64 value)
{
    std::string digits;
    do {
        digits.insert(digits.begin(), (value & 1) != 0 ? '1' : '0');
        value >>= 1;
    } while (value != 0);
    return digits;
}

} // namespace

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

void WaveFile::declare_enum(VerilatedFst* trace, u32 enum_id) const
{
    const EnumType& type = enums[enum_id - 1];
    std::vector<std::string> texts;
    for (const EnumValue& value : type.values) {
        texts.push_back(binary(value.first));
    }
    std::vector<const char*> names_p;
    std::vector<const char*> values_p;
    for (std::size_t i = 0; i < type.values.size(); ++i) {
        names_p.push_back(type.values[i].second.c_str());
        values_p.push_back(texts[i].c_str());
    }
    // The writer pads the values with zeros to this width, which viewers compare as text.
    u32 bits = 1;
    for (const Signal& signal : signals) {
        bits = signal.enum_id == enum_id ? std::max(bits, signal.bits) : bits;
    }
    trace->declDTypeEnum(static_cast<int>(enum_id), type.name.c_str(),
                         static_cast<u32>(type.values.size()), bits, names_p.data(),
                         values_p.data());
}

void WaveFile::declare(VerilatedFst* trace, const Scope& scope, u32& code)
{
    for (const u32 id : scope.signals) {
        Signal& signal = signals[id];
        signal.code = code - base;
        const int type = signal.enum_id == kNoEnum ? -1 : static_cast<int>(signal.enum_id);
        if (signal.bits == 1) {
            trace->declBit(code, signal.name.c_str(), type, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false,
                           -1);
        } else {
            trace->declBus(code, signal.name.c_str(), type, FST_VD_IMPLICIT, FST_VT_SV_LOGIC, false,
                           -1, static_cast<int>(signal.bits) - 1, 0);
        }
        code += signal.bits > 32 ? 2 : 1;
    }
    for (const Scope& inner : scope.inner) {
        trace->pushNamePrefix(inner.name + ' ');
        declare(trace, inner, code);
        trace->popNamePrefix();
    }
}

void WaveFile::on_init(void* self, VerilatedFst* trace, uint32_t code)
{
    auto& file = *static_cast<WaveFile*>(self);
    file.base = code;
    for (u32 id = 1; id <= file.enums.size(); ++id) {
        const auto uses = [id](const Signal& signal) { return signal.enum_id == id; };
        if (std::any_of(file.signals.begin(), file.signals.end(), uses)) {
            file.declare_enum(trace, id);
        }
    }
    u32 next = code;
    file.declare(trace, file.top, next);
}

void WaveFile::write(VerilatedFst::Buffer* buffer, Signal& signal, u64 value) const
{
    signal.shown = value;
    uint32_t* const old = buffer->oldp(base + signal.code);
    if (signal.bits == 1) {
        buffer->fullBit(old, static_cast<CData>(value));
    } else if (signal.bits <= 32) {
        buffer->fullIData(old, static_cast<IData>(value), static_cast<int>(signal.bits));
    } else {
        buffer->fullQData(old, value, static_cast<int>(signal.bits));
    }
}

void WaveFile::on_full(void* self, VerilatedFst::Buffer* buffer)
{
    auto& file = *static_cast<WaveFile*>(self);
    for (u32 id = 0; id < file.signals.size(); ++id) {
        file.write(buffer, file.signals[id], file.values[id]);
        file.signals[id].listed = false;
    }
    file.changed.clear();
}

void WaveFile::on_change(void* self, VerilatedFst::Buffer* buffer)
{
    auto& file = *static_cast<WaveFile*>(self);
    for (const u32 id : file.changed) {
        Signal& signal = file.signals[id];
        signal.listed = false;
        if (signal.shown != file.values[id]) {
            file.write(buffer, signal, file.values[id]);
        }
    }
    file.changed.clear();
}

void WaveFile::open(const std::vector<u64>& current)
{
    temporary = prepare_file(path);
    fst_forget_error();
    was_open = true;
    values = current.data();
    changed.reserve(current.size());
    if (!signals.empty()) {
        fst.spTrace()->addInitCb(&WaveFile::on_init, this);
        fst.spTrace()->addFullCb(&WaveFile::on_full, this);
        fst.spTrace()->addChgCb(&WaveFile::on_change, this);
    }
    for (const auto& trace : models) {
        trace(fst);
    }
    fst.set_time_unit("1ps");
    fst.set_time_resolution("1ps");
    errno = 0;
    fst.open(temporary.c_str());
    if (!fst.isOpen()) {
        const std::string reason = errno != 0 ? std::strerror(errno) : "no temporary files";
        std::remove(temporary.c_str());
        cannot_write(path, reason);
    }
    check_writes();
    pending = true; // the state at time 0
    lagging = !holds.empty() && models.empty();
}

void WaveFile::check_writes()
{
    if (const int error = fst_error(); error != 0) {
        if (fst.isOpen()) {
            fst.close();
        }
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
                fst.dump(from.value());
            }
        }
    } else if (pending) {
        fst.dump(now.value());
        pending = false;
        check_writes();
    }
    if (to < time) {
        if (now < to && from < to) {
            fst.dump(to.value()); // the time axis reaches to the window's end
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
