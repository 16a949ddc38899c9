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
#include <cstring>
#include <type_traits>

#if VERILATOR_VERSION_INTEGER == 5006000
extern void VL_WRITEF(const char* format, ...) __attribute__((cold));
extern void VL_STOP_MT(const char* file, int line, const char* scope, bool maybe) __attribute__((cold));
extern void VL_FATAL_MT(const char* file, int line, const char* scope, const char* message) __attribute__((cold));

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
namespace tlmssd::flash {

/// The interface of VlTriggerVec in verilated_types.h of 5.006. Triggers are assigned as bytes and read as bits of a
/// word. any() makes the bits: generated code asks it after it has assigned all triggers, before it reads one.
template <std::size_t kSize>
class TriggerBits final {
    static_assert(kSize <= 64, "one word");
    static constexpr std::size_t kWords = (kSize + 7) / 8;

public:
    /// Some triggers: true where one of them is set. An `or` of triggers of one vector is one test of its word.
    class Bits {
    public:
        Bits(const TriggerBits& vector, std::uint64_t bits) : vector_(vector), bits_(bits) {}
        operator bool() const { return (vector_.word_ & bits_) != 0; }
        friend Bits operator|(const Bits& a, const Bits& b) { return {a.vector_, a.bits_ | b.bits_}; }

    private:
        const TriggerBits& vector_;
        std::uint64_t bits_;
    };
    class Bit : public Bits {
    public:
        Bit(TriggerBits& vector, std::size_t index)
            : Bits(vector, std::uint64_t{1} << index), byte_(vector.bytes_[index]) {}
        void operator=(IData on) { byte_ = static_cast<CData>(on); } ///< 0 or 1: an expression of one bit

    private:
        CData& byte_;
    };

    void clear() { word_ = set_ = 0; }
    Bit at(std::size_t index) { return {*this, index}; }
    bool any()
    {
        word_ = set_;
        for (std::size_t i = 0; i < kWords; ++i) {
            std::uint64_t bytes;
            std::memcpy(&bytes, bytes_ + 8 * i, sizeof bytes);
            word_ |= (bytes * 0x0102040810204080u) >> 56 << (8 * i); // bit 0 of byte n to bit n
        }
        return word_ != 0;
    }
    void set(const TriggerBits& other)
    {
        set_ |= other.word_;
        word_ |= other.word_;
    }
    void andNot(const TriggerBits& a, const TriggerBits& b) { word_ = a.word_ & ~b.word_; }

private:
    std::uint64_t word_ = 0;
    std::uint64_t set_ = 0;        ///< by set()
    CData bytes_[8 * kWords] = {}; ///< by at() =
};

/// Verilator's own where a word does not hold them.
template <std::size_t kSize>
using TriggerVector = std::conditional_t<(kSize <= 64), TriggerBits<kSize>, VlTriggerVec<kSize>>;

} // namespace tlmssd::flash

#define VlTriggerVec tlmssd::flash::TriggerVector
#endif
#endif
