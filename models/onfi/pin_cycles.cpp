// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cycles seen on the pins become segments, and bytes of the die go out.
#include <algorithm>

#include "models/onfi/pin_reader.h"

namespace tlmssd::onfi {

namespace {

constexpr u32 kTagBytes = 8;
constexpr u32 kFeatureBytes = 4;

u8 tag_byte(const UnitTag& tag, u32 i)
{
    const u32 word = i < 4 ? tag.unit : tag.version;
    return static_cast<u8>(word >> (8 * (i % 4)));
}

u32 word_of(const u8* bytes)
{
    return bytes[0] | u32{bytes[1]} << 8 | u32{bytes[2]} << 16 | u32{bytes[3]} << 24;
}

} // namespace

/// A segment of what was seen from `from` to `to`, to one target.
void PinReader::pass(u32 ce, Segment& segment, Picoseconds from, Picoseconds to)
{
    Way& way = ways_[ce];
    const Picoseconds cs = way.timing.sheet.t_cs; // the target counts from CE#: its first cycle
    segment.ce = ce;
    segment.timing = &way.timing;
    segment.start = from > cs ? from - cs : Picoseconds();
    segment.end = to;
    if (way.target != nullptr) {
        way.target->on_segment(segment);
    }
}

void PinReader::cycle(bool command, Picoseconds from, Picoseconds now)
{
    end_burst();
    const u8 byte = static_cast<u8>(pins_.dq);
    latched_ = {now, command ? CycleKind::Command : CycleKind::Address, byte};
    for (u32 ce = 0; ce < ways_.size(); ++ce) {
        if ((selected_ >> ce & 1) == 0) {
            continue;
        }
        Segment segment;
        if (command) {
            segment.command(byte);
            follow_command(ways_[ce], byte);
        } else {
            segment.address(byte);
            follow_address(ways_[ce], byte);
        }
        pass(ce, segment, from, now);
    }
}

/// What later bursts will carry, and from which column.
void PinReader::follow_command(Way& way, u8 byte)
{
    way.last = byte;
    way.addresses = 0;
    switch (byte) {
    case cmd::kReadStatus:
    case cmd::kReadStatusEnhanced:
        way.status = true;
        return;
    case cmd::kRead: // alone: back to what was there before the status
    case cmd::kChangeReadColumn:
        way.status = false;
        return;
    case cmd::kReadId:
    case cmd::kGetFeatures:
    case cmd::kSetFeatures:
    case cmd::kLunGetFeatures:
    case cmd::kLunSetFeatures:
        way.source = Source::Register;
        way.column = 0;
        break;
    case cmd::kReadParameterPage:
    case cmd::kReadUniqueId:
        way.source = Source::Parameter;
        way.column = 0;
        break;
    case cmd::kReadCacheSequential:
    case cmd::kReadCacheEnd:
        way.source = Source::Page;
        way.column = 0;
        break;
    case cmd::kReadConfirm:
    case cmd::kReadQueuePlane:
    case cmd::kChangeReadColumnConfirm:
        break;
    default:
        way.source = Source::Page;
        break;
    }
    way.status = false;
}

void PinReader::follow_address(Way& way, u8 byte)
{
    const u32 index = way.addresses++;
    switch (way.last) {
    case cmd::kRead:
        way.source = Source::Page;
        break;
    case cmd::kChangeReadColumn:
    case cmd::kChangeReadColumnEnhanced:
    case cmd::kProgram:
    case cmd::kChangeWriteColumn:
        break;
    default:
        return; // no column
    }
    if (index == 0) {
        way.column = byte;
    } else if (index == 1) {
        way.column |= u32{byte} << 8;
    }
}

bool PinReader::narrow(const Way& way) const
{
    if (way.status || way.source == Source::Register) {
        return true;
    }
    return way.source == Source::Parameter && way.timing.width == 16 && !ddr();
}

void PinReader::take_in(Picoseconds now)
{
    const Way& w = way();
    const bool lower_only = narrow(w);
    const u64 k = transfers_++;
    if (k == 0) {
        in_from_ = now;
    }
    in_to_ = now;
    if (!(lower_only && ddr() && k % 2 == 1)) { // a register byte comes with both edges
        in_.push_back(static_cast<u8>(pins_.dq));
        if (!lower_only && w.timing.width == 16) {
            in_.push_back(static_cast<u8>(pins_.dq >> 8));
        }
    }
    // SET FEATURES starts with its fourth byte: no other cycle ends it.
    if (w.source == Source::Register && in_.size() == kFeatureBytes && (!ddr() || k % 2 == 1)) {
        flush_in();
        transfers_ = 0;
    }
}

void PinReader::flush_in()
{
    if (in_.empty()) {
        return;
    }
    for (u32 ce = 0; ce < ways_.size(); ++ce) {
        if ((selected_ >> ce & 1) == 0) {
            continue;
        }
        Way& w = ways_[ce];
        gather(w.column);
        Segment segment;
        segment.burst(DataDirection::In, static_cast<u32>(in_.size()), &cells_);
        segment.narrow = narrow(w);
        pass(ce, segment, in_from_, in_to_);
        w.column += static_cast<u32>(in_.size());
    }
    in_.clear();
}

/// Cells of the burst in whose first byte is at `column`.
void PinReader::gather(u32 column)
{
    const u32 size = static_cast<u32>(in_.size());
    const u32 end = column + size;
    cells_.page = data_ == config::DataKind::Full ? in_.data() : nullptr;
    cells_.codewords = 0;
    cells_.tags.fill(UnitTag{});
    cells_.oob.fill(0);
    cells_.bytes.fill(0);
    std::copy_n(in_.begin(), std::min<std::size_t>(size, cells_.bytes.size()),
                cells_.bytes.begin());
    for (u32 c = std::max(column, oob_column_); c < std::min(end, oob_column_ + kOobBytes); ++c) {
        cells_.oob[c - oob_column_] = in_[c - column];
    }
    const u32 first = column / unit_columns_;
    for (u32 i = 0; i < cells_.tags.size(); ++i) {
        const u32 unit = (first + i) * unit_columns_;
        const u32 inside = column > unit ? column - unit : 0;
        const u32 from = unit + (inside + kTagBytes - 1) / kTagBytes * kTagBytes;
        if (from + kTagBytes > std::min({end, unit + unit_columns_, oob_column_})) {
            continue; // no whole tag of this unit
        }
        const u8* const bytes = &in_[from - column];
        cells_.tags[i] = {word_of(bytes), word_of(bytes + 4)};
    }
}

/// One transfer of a burst out; a register byte goes with both edges of a DDR strobe.
void PinReader::give_out(Picoseconds now, Picoseconds delay, bool dqs)
{
    const u64 k = transfers_++;
    if (!(ddr() && k % 2 == 1 && narrow(way()))) {
        out_value_ = fetch(now);
    }
    output_.on_drive({now + delay, out_value_, true, dqs, ddr()});
}

u16 PinReader::fetch(Picoseconds now)
{
    if ((selected_ & (selected_ - 1)) != 0) { // two dies would drive the same lines
        misuse(CycleKind::DataOut, now);
        return 0xffff;
    }
    Way& w = way();
    const bool lower_only = narrow(w);
    const u32 bytes = !lower_only && w.timing.width == 16 ? 2 : 1;
    const bool registers = w.status || w.source == Source::Register;
    const bool real =
        !registers && (w.source == Source::Parameter || data_ == config::DataKind::Full);
    strobe_.fill(0xff);
    cells_.page = real ? strobe_.data() : nullptr;
    cells_.codewords = 0;
    cells_.bytes[0] = 0xff;
    cells_.tags[0] = cells_.tags[1] = UnitTag{};
    Segment segment;
    segment.burst(DataDirection::Out, bytes, &cells_);
    segment.narrow = lower_only;
    pass(first_, segment, now, now);
    if (registers) {
        return cells_.bytes[0];
    }
    const u32 column = w.column;
    w.column += bytes;
    u16 value = 0;
    for (u32 i = bytes; i-- > 0;) {
        value = static_cast<u16>(value << 8 | (real ? strobe_[i] : page_byte(column, column + i)));
    }
    return value;
}

/// What the byte at `column` looks like when tags stand for the data; cells_.tags[0] is the unit
/// at `first`.
u8 PinReader::page_byte(u32 first, u32 column) const
{
    if (column >= oob_column_) {
        const u32 i = column - oob_column_;
        return i < kOobBytes ? cells_.oob[i] : u8{0xff};
    }
    const u32 unit = column / unit_columns_;
    const u32 i = (column - unit * unit_columns_) % kTagBytes;
    return tag_byte(cells_.tags[unit - first / unit_columns_], i);
}

void PinReader::release(Picoseconds at) { output_.on_drive({at, 0, false, false, false}); }

} // namespace tlmssd::onfi
