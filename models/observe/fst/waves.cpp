// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the wave file: signals by name, changes ahead of time, the window.
#include "models/observe/fst/waves.h"

#include <algorithm>
#include <utility>

#include "models/common/error.h"
#include "models/observe/fst/wave_file.h"

namespace tlmssd::observe {

static_assert(Waves::kNoEnum == WaveFile::kNoEnum);

Waves::Waves(const std::string& path) : file_(std::make_unique<WaveFile>()) { file_->path = path; }

Waves::~Waves()
{
    try {
        close();
    } catch (const InputError&) { // the file has gone; close() is for those who want to know
    }
}

u32 Waves::add_enum(const std::string& type_name, const std::vector<std::string>& value_names)
{
    std::vector<EnumValue> values;
    for (const std::string& name : value_names) {
        values.emplace_back(values.size(), name);
    }
    return add_sparse_enum(type_name, values);
}

u32 Waves::add_sparse_enum(const std::string& type_name, const std::vector<EnumValue>& values)
{
    if (file_->was_open || values.empty()) {
        throw ModelError("waves: enum " + type_name + " is empty or comes after open()");
    }
    for (const EnumValue& value : values) { // the file separates names by blanks
        if (value.second.empty() || value.second.find_first_of(" \t\n") != std::string::npos) {
            throw ModelError("waves: enum " + type_name + " has a bad name '" + value.second + "'");
        }
    }
    file_->enums.push_back(WaveFile::EnumType{type_name, values});
    return static_cast<u32>(file_->enums.size());
}

u32 Waves::add(const std::string& name, u32 bits, u32 enum_id)
{
    if (file_->was_open) {
        throw ModelError("waves: signal " + name + " comes after open()");
    }
    if (bits < 1 || bits > 64 || enum_id > file_->enums.size()) {
        throw ModelError("waves: signal " + name + " has a bad width or enum");
    }
    if (name.find_first_of(" \t\n") != std::string::npos || !file_->names.insert(name).second) {
        throw ModelError("waves: signal name '" + name + "' has a blank or is taken");
    }
    WaveFile::Scope* scope = &file_->top;
    std::size_t begin = 0;
    for (std::size_t dot = 0; dot != std::string::npos; begin = dot + 1) {
        dot = name.find('.', begin);
        const std::string part = name.substr(begin, dot - begin);
        if (part.empty()) {
            throw ModelError("waves: signal name '" + name + "' has an empty part");
        }
        if (dot != std::string::npos) {
            scope = &scope->at(part);
            continue;
        }
        const u32 id = static_cast<u32>(values_.size());
        scope->signals.push_back(id);
        WaveFile::Signal signal;
        signal.name = part;
        signal.bits = bits;
        signal.enum_id = enum_id;
        file_->signals.push_back(signal);
        values_.push_back(0);
    }
    return static_cast<u32>(values_.size()) - 1;
}

void Waves::attach(std::function<void(VerilatedFstC&)> trace)
{
    if (file_->was_open) {
        throw ModelError("waves: a model is attached after open()");
    }
    file_->models.push_back(std::move(trace));
}

void Waves::window(Picoseconds from, Picoseconds to)
{
    if (file_->was_open || to <= from) {
        throw ModelError("waves: the window is empty or comes after open()");
    }
    file_->from = from;
    file_->to = to;
}

u32 Waves::add_hold()
{
    if (file_->was_open) {
        throw ModelError("waves: a hold comes after open()");
    }
    file_->holds.push_back(kTimeNever);
    return static_cast<u32>(file_->holds.size() - 1);
}

void Waves::open()
{
    if (file_->was_open) {
        throw ModelError("waves: opened twice");
    }
    file_->open(values_);
    if (file_->lagging) {
        next_ = Picoseconds();
    }
}

bool Waves::lags() const { return file_->lagging; }

void Waves::run_to(Picoseconds now)
{
    WaveFile& file = *file_;
    while (!file.queue.empty() && file.queue.front().at <= now) {
        std::pop_heap(file.queue.begin(), file.queue.end());
        const WaveFile::Change next = file.queue.back();
        file.queue.pop_back();
        if (next.value != values_[next.id]) {
            file.step_to(next.at);
            if (!file.fst.is_open()) { // behind the window
                break;
            }
            apply(next.id, next.value);
        }
    }
    if (!file.lagging) {
        next_ = file.queue.empty() ? kTimeNever : file.queue.front().at;
    }
}

void Waves::apply(u32 id, u64 value)
{
    WaveFile& file = *file_;
    WaveFile::Signal& signal = file.signals[id];
    file.pending = true;
    if (!signal.listed) {
        signal.listed = true;
        file.changed.push_back(id);
    }
    values_[id] = value;
}

void Waves::check(u32 id, u64 value) const
{
    const WaveFile::Signal& signal = file_->signals[id];
    if (signal.bits < 64 && (value >> signal.bits) != 0) {
        throw ModelError("waves: " + std::to_string(value) + " does not fit " + signal.name);
    }
}

void Waves::change(u32 id, u64 value, Picoseconds now)
{
    check(id, value);
    if (!file_->fst.is_open()) {
        values_[id] = value;
        return;
    }
    if (file_->lagging) {
        schedule(id, value, now);
        run_to(file_->horizon(now));
        return;
    }
    run_to(now);
    if (!file_->fst.is_open() || value == values_[id]) {
        return;
    }
    file_->step_to(now);
    if (file_->fst.is_open()) {
        apply(id, value);
    }
}

void Waves::schedule(u32 id, u64 value, Picoseconds at)
{
    WaveFile& file = *file_;
    check(id, value);
    if (!file.was_open) {
        throw ModelError("waves: " + file.signals[id].name + " is scheduled before open()");
    }
    if (!file.fst.is_open() || file.to < at) {
        return;
    }
    if (at < file.now) {
        throw ModelError("waves: time goes back from " + std::to_string(file.now.value()) + " to " +
                         std::to_string(at.value()) + " ps");
    }
    file.queue.push_back(WaveFile::Change{at, file.sequence++, value, id});
    std::push_heap(file.queue.begin(), file.queue.end());
    next_ = min(next_, at);
}

bool Waves::shows(Picoseconds start, Picoseconds end) const
{
    return file_->from <= end && start <= file_->to;
}

void Waves::hold(u32 slot, Picoseconds since) { file_->holds[slot] = since; }

void Waves::release(u32 slot) { file_->holds[slot] = kTimeNever; }

void Waves::touch(Picoseconds now)
{
    if (file_->fst.is_open()) {
        run_to(now);
        if (file_->fst.is_open()) {
            file_->step_to(now);
            file_->pending = true;
        }
    }
}

void Waves::close() { close(file_->now); }

void Waves::close(Picoseconds end)
{
    WaveFile& file = *file_;
    if (!file.fst.is_open()) {
        return;
    }
    run_to(end); // whoever holds will not come back
    if (!file.fst.is_open()) {
        return;
    }
    if (file.now < end) {
        file.step_to(end);
        if (!file.fst.is_open()) {
            return;
        }
        file.pending = true;
    }
    if (file.pending || file.now < file.from) { // a run that ends before the window leaves its end
        file.dump(file.now);
    }
    file.finish();
}

} // namespace tlmssd::observe
