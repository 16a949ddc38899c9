// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: encoding and decoding of frames on the line.
#include "models/sata/line.h"

#include "models/sata/crc.h"
#include "models/sata/primitives.h"

namespace tlmssd::sata {

namespace {

constexpr u32 kLineBits = 40; // of a dword, 8b/10b coded
constexpr u32 kDataBits = 32;

/// Noise that the dwords of one frame meet, in ascending order.
class Noise {
public:
    explicit Noise(const BitErrors& errors) : errors_(errors) {}
    u32 next()
    {
        u32 mask = 0;
        const u64 end = u64{++dwords_} * kLineBits;
        for (; at_ < errors_.size() && errors_[at_] < end; ++at_) {
            mask |= 1u << (errors_[at_] % kLineBits * kDataBits / kLineBits);
        }
        return mask;
    }

private:
    const BitErrors& errors_;
    std::size_t at_ = 0;
    u32 dwords_ = 0;
};

} // namespace

u32 frame_dword(const Frame& frame, u32 index)
{
    const u32 header = frame.is_data ? kDataHeaderDwords : frame.dwords;
    if (index < header) {
        return fis_dword(frame.fis, index);
    }
    const u32 at = index - header;
    if (const u8* const from = frame.is_block ? frame.block->data() : frame.bytes.get()) {
        const u8* const b = from + at * 4;
        return u32{b[0]} | u32{b[1]} << 8 | u32{b[2]} << 16 | u32{b[3]} << 24;
    }
    const UnitTag& tag = frame.tags[at / 128];
    return at % 2 == 0 ? static_cast<u32>(tag.unit) : static_cast<u32>(tag.version);
}

void set_frame_dword(Frame& frame, u32 index, u32 value)
{
    const u32 header = frame.is_data ? kDataHeaderDwords : frame.dwords;
    if (index < header) {
        set_fis_dword(frame.fis, index, value);
        return;
    }
    if (u8* const to = frame.is_block ? frame.block->data() : frame.bytes.get()) {
        for (u32 i = 0; i < 4; ++i) {
            to[(index - header) * 4 + i] = static_cast<u8>(value >> (8 * i));
        }
    }
}

void LineSender::put(LineDword dword, std::vector<LineDword>& line)
{
    line.push_back(dword);
    if (++since_align_ == kAlignEvery) {
        since_align_ = 0;
        line.insert(line.end(), kAlignPair, LineDword{dword_of(Primitive::Align), true});
    }
}

void LineSender::send(const Frame& frame, u32 holds, const BitErrors& errors,
                      std::vector<LineDword>& line)
{
    Noise noise(errors);
    Crc crc;
    line.clear();
    put({dword_of(Primitive::Sof) ^ noise.next(), true}, line);
    for (u32 i = 0; i < frame.dwords; ++i) {
        const u32 dword = frame_dword(frame, i);
        crc.add(dword);
        put({dword ^ scramble(i) ^ noise.next(), false}, line);
    }
    for (u32 i = 0; i < holds; ++i) {
        put({dword_of(Primitive::Hold), true}, line);
    }
    put({crc.value() ^ scramble(frame.dwords) ^ noise.next(), false}, line);
    put({dword_of(Primitive::Eof) ^ noise.next(), true}, line);
}

bool LineReceiver::receive(const std::vector<LineDword>& line)
{
    dwords_.clear();
    bool inside = false;
    bool ended = false;
    for (const LineDword dword : line) {
        if (!dword.primitive) {
            if (inside && !ended && dwords_.size() < kMostScrambled) {
                const auto place = static_cast<u32>(dwords_.size());
                dwords_.push_back(dword.value ^ scramble(place));
            }
        } else if (dword.value == dword_of(Primitive::Sof)) {
            inside = true;
        } else if (dword.value == dword_of(Primitive::Eof)) {
            ended = inside;
        } // ALIGN, HOLD, and primitives that noise has changed carry nothing
    }
    if (!ended || dwords_.size() < 2) {
        return false;
    }
    const u32 sent = dwords_.back();
    dwords_.pop_back();
    Crc crc;
    for (const u32 dword : dwords_) {
        crc.add(dword);
    }
    return crc.value() == sent;
}

} // namespace tlmssd::sata
