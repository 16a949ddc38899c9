// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the wave file, on Verilator's FST writer, which SystemC-side signals share by callbacks.
#include "models/observe/waves.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <unistd.h>
#include <utility>
#include <verilated_fst_c.h>

#include "models/common/error.h"

namespace tlmssd::observe {

namespace {

struct Signal {
    std::string name; ///< last part, without scopes
    u32 bits;
    u32 enum_id;
    u32 code = 0;  ///< index into Verilator's store of old values, relative to ours
    u64 shown = 0; ///< value in the file
    bool listed = false;
};

struct EnumType {
    std::string name;
    std::vector<std::string> names;
};

/// Signals and inner scopes of one scope, in the order of their first mention.
struct Scope {
    std::string name;
    std::vector<u32> signals;
    std::vector<Scope> inner;

    Scope& at(const std::string& inner_name)
    {
        for (Scope& scope : inner) {
            if (scope.name == inner_name) {
                return scope;
            }
        }
        inner.push_back(Scope{inner_name, {}, {}});
        return inner.back();
    }
};

std::string binary(u64 value)
{
    std::string digits;
    do {
        digits.insert(digits.begin(), (value & 1) != 0 ? '1' : '0');
        value >>= 1;
    } while (value != 0);
    return digits;
}

/// Throws InputError where a wave file cannot be made.
void prepare(const std::string& path)
{
    namespace fs = std::filesystem;
    const auto fail = [&path](const std::string& reason) {
        throw InputError(path + ": cannot write waves: " + reason);
    };
    std::error_code code;
    if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
        fs::create_directories(parent, code);
        if (code) {
            fail(code.message());
        }
    }
    // The FST writer unlinks the path first: never let it do that to a directory or a device.
    if (fs::exists(path, code) && !fs::is_regular_file(path, code)) {
        fail("not a regular file");
    }
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        fail(std::strerror(errno));
    }
    ::close(file);
}

} // namespace

struct Waves::Impl {
    std::string path;
    std::vector<Signal> signals;
    std::vector<EnumType> enums;
    std::vector<std::function<void(VerilatedFstC&)>> models;
    Scope top;
    std::set<std::string> names;
    std::vector<u32> changed; ///< signals set since the last dump
    const u64* values = nullptr;
    VerilatedFstC fst;
    u32 base = 0; ///< our first code in Verilator's store
    Picoseconds now;
    bool pending = false;
    bool was_open = false;

    void declare(VerilatedFst* trace, const Scope& scope, u32& code);
    void declare_enum(VerilatedFst* trace, u32 enum_id) const;
    void write(VerilatedFst::Buffer* buffer, Signal& signal, u64 value) const;

    // Callbacks of the trace object: declare all, write all, write what changed.
    static void on_init(void* self, VerilatedFst* trace, uint32_t code);
    static void on_full(void* self, VerilatedFst::Buffer* buffer);
    static void on_change(void* self, VerilatedFst::Buffer* buffer);
};

void Waves::Impl::declare_enum(VerilatedFst* trace, u32 enum_id) const
{
    const EnumType& type = enums[enum_id - 1];
    std::vector<std::string> texts;
    for (u64 value = 0; value < type.names.size(); ++value) {
        texts.push_back(binary(value));
    }
    std::vector<const char*> names_p;
    std::vector<const char*> values_p;
    for (std::size_t i = 0; i < type.names.size(); ++i) {
        names_p.push_back(type.names[i].c_str());
        values_p.push_back(texts[i].c_str());
    }
    // The writer pads the values with zeros to this width, which viewers compare as text.
    u32 bits = 1;
    for (const Signal& signal : signals) {
        bits = signal.enum_id == enum_id ? std::max(bits, signal.bits) : bits;
    }
    trace->declDTypeEnum(static_cast<int>(enum_id), type.name.c_str(),
                         static_cast<u32>(type.names.size()), bits, names_p.data(),
                         values_p.data());
}

void Waves::Impl::declare(VerilatedFst* trace, const Scope& scope, u32& code)
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

void Waves::Impl::on_init(void* self, VerilatedFst* trace, uint32_t code)
{
    auto& impl = *static_cast<Impl*>(self);
    impl.base = code;
    for (u32 id = 1; id <= impl.enums.size(); ++id) {
        impl.declare_enum(trace, id);
    }
    u32 next = code;
    impl.declare(trace, impl.top, next);
}

void Waves::Impl::write(VerilatedFst::Buffer* buffer, Signal& signal, u64 value) const
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

void Waves::Impl::on_full(void* self, VerilatedFst::Buffer* buffer)
{
    auto& impl = *static_cast<Impl*>(self);
    for (u32 id = 0; id < impl.signals.size(); ++id) {
        impl.write(buffer, impl.signals[id], impl.values[id]);
        impl.signals[id].listed = false;
    }
    impl.changed.clear();
}

void Waves::Impl::on_change(void* self, VerilatedFst::Buffer* buffer)
{
    auto& impl = *static_cast<Impl*>(self);
    for (const u32 id : impl.changed) {
        Signal& signal = impl.signals[id];
        signal.listed = false;
        if (signal.shown != impl.values[id]) {
            impl.write(buffer, signal, impl.values[id]);
        }
    }
    impl.changed.clear();
}

Waves::Waves(const std::string& path) : impl_(std::make_unique<Impl>()) { impl_->path = path; }

Waves::~Waves() { close(); }

u32 Waves::add_enum(const std::string& type_name, const std::vector<std::string>& value_names)
{
    if (impl_->was_open || value_names.empty()) {
        throw ModelError("waves: enum " + type_name + " is empty or comes after open()");
    }
    impl_->enums.push_back(EnumType{type_name, value_names});
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
    Scope* scope = &impl_->top;
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
        Signal signal{};
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

void Waves::open()
{
    Impl& impl = *impl_;
    if (impl.was_open) {
        throw ModelError("waves: opened twice");
    }
    prepare(impl.path);
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
    impl.fst.open(impl.path.c_str());
    if (!impl.fst.isOpen()) {
        throw InputError(impl.path + ": cannot write waves");
    }
    impl.pending = true; // the state at time 0
}

void Waves::advance(Picoseconds now)
{
    Impl& impl = *impl_;
    if (now == impl.now) {
        return;
    }
    if (now < impl.now) {
        throw ModelError("waves: time goes back from " + std::to_string(impl.now.value()) + " to " +
                         std::to_string(now.value()) + " ps");
    }
    if (impl.pending) {
        impl.fst.dump(impl.now.value());
        impl.pending = false;
    }
    impl.now = now;
}

void Waves::change(u32 id, u64 value, Picoseconds now)
{
    Impl& impl = *impl_;
    Signal& signal = impl.signals[id];
    if (signal.bits < 64 && (value >> signal.bits) != 0) {
        throw ModelError("waves: " + std::to_string(value) + " does not fit " + signal.name);
    }
    if (impl.fst.isOpen()) {
        advance(now);
        impl.pending = true;
        if (!signal.listed) {
            signal.listed = true;
            impl.changed.push_back(id);
        }
    }
    values_[id] = value;
}

void Waves::touch(Picoseconds now)
{
    if (impl_->fst.isOpen()) {
        advance(now);
        impl_->pending = true;
    }
}

void Waves::close() { close(impl_->now); }

void Waves::close(Picoseconds end)
{
    Impl& impl = *impl_;
    if (!impl.fst.isOpen()) {
        return;
    }
    if (impl.pending) {
        impl.fst.dump(impl.now.value());
        impl.pending = false;
    }
    if (impl.now < end) {
        impl.fst.dump(end.value());
    }
    impl.fst.close();
}

} // namespace tlmssd::observe
