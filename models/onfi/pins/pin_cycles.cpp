// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cycles seen on the pins become segments, and bytes of the die go out.
#include "models/onfi/pins/pin_reader.h"

namespace tlmssd::onfi {

namespace {

constexpr u32 kFeatureBytes = 4;

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
    const Edge latched{now, command ? CycleKind::Command : CycleKind::Address, byte};
    for (u32 ce = 0; ce < ways_.size(); ++ce) {
        if ((selected_ >> ce & 1) == 0) {
            continue;
        }
        ways_[ce].latched = latched;
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
    cells_.page = bytes_.full() ? in_.data() : nullptr;
    cells_.codewords = 0;
    bytes_.gather(in_.data(), static_cast<u32>(in_.size()), column, cells_);
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
        !registers && (w.source == Source::Parameter || bytes_.full());
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
        const u8 byte = real ? strobe_[i] : bytes_.page_byte(cells_, column, column + i);
        value = static_cast<u16>(value << 8 | byte);
    }
    return value;
}

void PinReader::release(Picoseconds at) { output_.on_drive({at, 0, false, false, false}); }

} // namespace tlmssd::onfi
