// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: cycles of one CE# low to one segment.
#include "models/onfi/pins/pin_target.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"

namespace tlmssd::onfi {

namespace {
constexpr u32 kMostFiller = 3; ///< NV-DDR x16 moves 4 bytes a strobe
} // namespace

void PinTarget::announce(const Segment& asked)
{
    seen_.clear();
    seen_.ce = ce_;
    seen_.timing = asked.timing;
    seen_.start = asked.start;
    announced_ = asked.direction == DataDirection::None ? 0 : asked.data_bytes;
    given_ = 0;
    if (asked.direction == DataDirection::In && bytes_.full()) {
        tags_ = asked.data->tags;
    }
}

void PinTarget::on_segment(Segment& cycle)
{
    if (cycle.direction == DataDirection::In) {
        take_in(cycle);
    } else if (cycle.direction == DataDirection::Out) {
        if (given_ == 0) {
            first_strobe(cycle);
        }
        strobe(cycle);
    } else if (seen_.lead + seen_.trail >= static_cast<int>(Segment::kMaxCycles)) {
        throw ModelError("pins: more than " + std::to_string(Segment::kMaxCycles) + " cycles while CE " +
                         std::to_string(ce_) + " was low");
    } else if (cycle.is_command(0)) {
        seen_.command(cycle.bytes[0]);
    } else {
        seen_.address(cycle.bytes[0]);
    }
}

void PinTarget::take_in(const Segment& burst)
{
    const bool filled = burst.data_bytes > announced_ && burst.data_bytes - announced_ <= kMostFiller;
    if (seen_.direction != DataDirection::None || (!filled && burst.data_bytes != announced_)) {
        throw ModelError("pins: a burst in of " + std::to_string(burst.data_bytes) + " bytes, " +
                         std::to_string(announced_) + " were announced");
    }
    cells_ = *burst.data;
    if (burst.data->page != nullptr) {
        page_.assign(burst.data->page, burst.data->page + announced_);
        cells_.page = page_.data();
        cells_.tags = tags_;
    }
    seen_.burst(DataDirection::In, announced_, &cells_);
    seen_.narrow = burst.narrow;
}

/// The target gets all that came before, and gives the burst.
void PinTarget::first_strobe(const Segment& strobe)
{
    if (seen_.direction != DataDirection::None || announced_ == 0) {
        throw ModelError("pins: a burst out of CE " + std::to_string(ce_) + " that was not announced");
    }
    column_ = reader_.column(ce_);
    cells_.page = nullptr;
    if (strobe.data->page != nullptr) {
        page_.assign(announced_, 0xff);
        cells_.page = page_.data();
    }
    cells_.tags.fill(UnitTag{0xffffffff, 0xffffffff}); // what nobody drives
    cells_.oob.fill(0xff);
    cells_.bytes.fill(0xff);
    cells_.codewords = 0;
    seen_.burst(DataDirection::Out, announced_, &cells_);
    seen_.narrow = strobe.narrow;
    seen_.end = strobe.end;
    target_.on_segment(seen_);
}

void PinTarget::strobe(Segment& strobe)
{
    const u32 at = given_;
    given_ += strobe.data_bytes;
    if (at >= announced_) {
        return; // a filler: FFh, as the reader has set it
    }
    DataCells& out = *strobe.data;
    if (out.page != nullptr) {
        std::copy_n(&page_[at], std::min(strobe.data_bytes, announced_ - at), out.page);
        return;
    }
    out.bytes[0] = cells_.bytes[std::min<std::size_t>(at, cells_.bytes.size() - 1)];
    const u32 unit = (column_ + at) / bytes_.unit_columns() - column_ / bytes_.unit_columns();
    for (u32 i = 0; i < 2 && unit + i < cells_.tags.size(); ++i) {
        out.tags[i] = cells_.tags[unit + i];
    }
    out.oob = cells_.oob;
}

Segment& PinTarget::finish(Picoseconds now)
{
    seen_.end = now;
    if (seen_.direction == DataDirection::Out) {
        if (given_ < announced_ || given_ - announced_ > kMostFiller) {
            throw ModelError("pins: a burst out of " + std::to_string(given_) + " bytes, " +
                             std::to_string(announced_) + " were announced");
        }
    } else {
        target_.on_segment(seen_);
    }
    return seen_;
}

} // namespace tlmssd::onfi
