// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the wave file, on Verilator's FST writer, which SystemC-side signals share by callbacks.
#include "models/observe/fst/waves.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "models/common/error.h"
#include "models/observe/fst/fst_stdio.h"
#include "models/observe/fst/waves_impl.h"
#include "models/observe/results.h"

namespace tlmssd::observe {

namespace {

[[noreturn]] void fail(const std::string& path, const std::string& reason)
{
    throw InputError(path + ": cannot write waves: " + reason);
}

} // namespace

Waves::Waves(const std::string& path) : impl_(std::make_unique<Impl>()) { impl_->path = path; }

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
    if (impl_->was_open || values.empty()) {
        throw ModelError("waves: enum " + type_name + " is empty or comes after open()");
    }
    for (const EnumValue& value : values) { // the file separates names by blanks
        if (value.second.empty() || value.second.find_first_of(" \t\n") != std::string::npos) {
            throw ModelError("waves: enum " + type_name + " has a bad name '" + value.second + "'");
        }
    }
    impl_->enums.push_back(Impl::EnumType{type_name, values});
    return static_cast<u32>(impl_->enums.size());
}

u32 Waves::add(const std::string& name, u32 bits, u32 enum_id)
{
    if (impl_->was_open) {
        throw ModelError("waves: signal " + name + " comes after open()");
    }
    if (bits < 1 || bits > 64 || enum_id > impl_->enums.size()) {
        throw ModelError("waves: signal " + name + " has a bad width or enum");
    }
    if (name.find_first_of(" \t\n") != std::string::npos || !impl_->names.insert(name).second) {
        throw ModelError("waves: signal name '" + name + "' has a blank or is taken");
    }
    Impl::Scope* scope = &impl_->top;
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
        Impl::Signal signal;
        signal.name = part;
        signal.bits = bits;
        signal.enum_id = enum_id;
        impl_->signals.push_back(signal);
        values_.push_back(0);
    }
    return static_cast<u32>(values_.size()) - 1;
}

void Waves::attach(std::function<void(VerilatedFstC&)> trace)
{
    if (impl_->was_open) {
        throw ModelError("waves: a model is attached after open()");
    }
    impl_->models.push_back(std::move(trace));
}

void Waves::window(Picoseconds from, Picoseconds to)
{
    if (impl_->was_open || to <= from) {
        throw ModelError("waves: the window is empty or comes after open()");
    }
    impl_->from = from;
    impl_->to = to;
}

u32 Waves::add_hold()
{
    if (impl_->was_open) {
        throw ModelError("waves: a hold comes after open()");
    }
    impl_->holds.push_back(kTimeNever);
    return static_cast<u32>(impl_->holds.size() - 1);
}

void Waves::open()
{
    Impl& impl = *impl_;
    if (impl.was_open) {
        throw ModelError("waves: opened twice");
    }
    impl.temporary = prepare_file(impl.path, " waves");
    fst_forget_error();
    impl.was_open = true;
    impl.values = values_.data();
    impl.changed.reserve(values_.size());
    if (!impl.signals.empty()) {
        impl.fst.spTrace()->addInitCb(&Impl::on_init, &impl);
        impl.fst.spTrace()->addFullCb(&Impl::on_full, &impl);
        impl.fst.spTrace()->addChgCb(&Impl::on_change, &impl);
    }
    for (const auto& trace : impl.models) {
        trace(impl.fst);
    }
    impl.fst.set_time_unit("1ps");
    impl.fst.set_time_resolution("1ps");
    errno = 0;
    impl.fst.open(impl.temporary.c_str());
    if (!impl.fst.isOpen()) {
        const std::string reason = errno != 0 ? std::strerror(errno) : "no temporary files";
        std::remove(impl.temporary.c_str());
        fail(impl.path, reason);
    }
    impl.check_writes();
    impl.pending = true; // the state at time 0
    impl.lagging = !impl.holds.empty() && impl.models.empty();
    if (impl.lagging) {
        next_ = Picoseconds();
    }
}

void Waves::Impl::check_writes()
{
    if (const int error = fst_error(); error != 0) {
        if (fst.isOpen()) {
            fst.close();
        }
        queue.clear();
        std::remove(temporary.c_str());
        std::remove((temporary + ".hier").c_str());
        fail(path, std::strerror(error));
    }
}

void Waves::Impl::finish()
{
    fst.close();
    queue.clear();
    check_writes();
    std::error_code code;
    std::filesystem::rename(temporary, path, code);
    if (code) {
        std::remove(temporary.c_str());
        fail(path, code.message());
    }
}

void Waves::Impl::step_to(Picoseconds time)
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

Picoseconds Waves::Impl::horizon(Picoseconds time) const
{
    for (const Picoseconds since : holds) {
        time = min(time, since);
    }
    return time;
}

bool Waves::lags() const { return impl_->lagging; }

void Waves::run_to(Picoseconds now)
{
    Impl& impl = *impl_;
    while (!impl.queue.empty() && impl.queue.front().at <= now) {
        std::pop_heap(impl.queue.begin(), impl.queue.end());
        const Impl::Change next = impl.queue.back();
        impl.queue.pop_back();
        if (next.value != values_[next.id]) {
            impl.step_to(next.at);
            if (!impl.fst.isOpen()) { // behind the window
                break;
            }
            apply(next.id, next.value);
        }
    }
    if (!impl.lagging) {
        next_ = impl.queue.empty() ? kTimeNever : impl.queue.front().at;
    }
}

void Waves::apply(u32 id, u64 value)
{
    Impl& impl = *impl_;
    Impl::Signal& signal = impl.signals[id];
    impl.pending = true;
    if (!signal.listed) {
        signal.listed = true;
        impl.changed.push_back(id);
    }
    values_[id] = value;
}

void Waves::check(u32 id, u64 value) const
{
    const Impl::Signal& signal = impl_->signals[id];
    if (signal.bits < 64 && (value >> signal.bits) != 0) {
        throw ModelError("waves: " + std::to_string(value) + " does not fit " + signal.name);
    }
}

void Waves::change(u32 id, u64 value, Picoseconds now)
{
    check(id, value);
    if (!impl_->fst.isOpen()) {
        values_[id] = value;
        return;
    }
    if (impl_->lagging) {
        schedule(id, value, now);
        run_to(impl_->horizon(now));
        return;
    }
    run_to(now);
    if (!impl_->fst.isOpen() || value == values_[id]) {
        return;
    }
    impl_->step_to(now);
    if (impl_->fst.isOpen()) {
        apply(id, value);
    }
}

void Waves::schedule(u32 id, u64 value, Picoseconds at)
{
    Impl& impl = *impl_;
    check(id, value);
    if (!impl.was_open) {
        throw ModelError("waves: " + impl.signals[id].name + " is scheduled before open()");
    }
    if (!impl.fst.isOpen() || impl.to < at) {
        return;
    }
    if (at < impl.now) {
        throw ModelError("waves: time goes back from " + std::to_string(impl.now.value()) + " to " +
                         std::to_string(at.value()) + " ps");
    }
    impl.queue.push_back(Impl::Change{at, impl.sequence++, value, id});
    std::push_heap(impl.queue.begin(), impl.queue.end());
    next_ = min(next_, at);
}

bool Waves::shows(Picoseconds start, Picoseconds end) const
{
    return impl_->from <= end && start <= impl_->to;
}

void Waves::hold(u32 slot, Picoseconds since) { impl_->holds[slot] = since; }

void Waves::release(u32 slot) { impl_->holds[slot] = kTimeNever; }

void Waves::touch(Picoseconds now)
{
    if (impl_->fst.isOpen()) {
        run_to(now);
        if (impl_->fst.isOpen()) {
            impl_->step_to(now);
            impl_->pending = true;
        }
    }
}

void Waves::close() { close(impl_->now); }

void Waves::close(Picoseconds end)
{
    Impl& impl = *impl_;
    if (!impl.fst.isOpen()) {
        return;
    }
    run_to(end); // whoever holds will not come back
    if (!impl.fst.isOpen()) {
        return;
    }
    if (impl.now < end) {
        impl.step_to(end);
        if (!impl.fst.isOpen()) {
            return;
        }
        impl.pending = true;
    }
    if (impl.pending || impl.now < impl.from) { // a run that ends before the window leaves its end
        impl.fst.dump(impl.now.value());
    }
    impl.finish();
}

} // namespace tlmssd::observe
