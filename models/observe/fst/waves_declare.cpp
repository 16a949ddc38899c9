// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: declarations and values of a wave file, as callbacks of Verilator's FST writer.
#include <algorithm>

#include "models/observe/fst/waves_impl.h"

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

Waves::Impl::Scope& Waves::Impl::Scope::at(const std::string& inner_name)
{
    for (Scope& scope : inner) {
        if (scope.name == inner_name) {
            return scope;
        }
    }
    inner.push_back(Scope{inner_name, {}, {}});
    return inner.back();
}

void Waves::Impl::declare_enum(VerilatedFst* trace, u32 enum_id) const
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
        const auto uses = [id](const Signal& signal) { return signal.enum_id == id; };
        if (std::any_of(impl.signals.begin(), impl.signals.end(), uses)) {
            impl.declare_enum(trace, id);
        }
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

} // namespace tlmssd::observe
