// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: data bursts of a target.
#include <algorithm>
#include <cstring>
#include <limits>

#include "models/nand/target/target.h"

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
using onfi::Rule;

void Target::burst_in(const onfi::Segment& segment)
{
    if (dead_) {
        return;
    }
    if (first_ == cmd::kSetFeatures || first_ == cmd::kLunSetFeatures) {
        set_features(first_ == cmd::kLunSetFeatures, segment);
        return;
    }
    if (first_ != cmd::kProgram && first_ != cmd::kChangeWriteColumn) {
        violate(Rule::CommandSequence, selected_);
        return;
    }
    if (!resolve_program()) {
        return;
    }
    const Rule rule = slots_[selected_].lun.write_in(segment.data_bytes, *segment.data);
    if (rule != Rule::None) {
        dead_ = true;
        violate(rule, selected_);
    }
}

void Target::burst_out(onfi::Segment& segment)
{
    Slot& slot = slots_[selected_];
    if (slot.silent) {
        silence_out(segment);
        return;
    }
    if (dead_ || (first_ != kNone && !bare_read())) {
        if (!dead_) {
            violate(Rule::CommandSequence, selected_);
        }
        return;
    }
    first_ = kNone;
    if (status_out_) {
        segment.data->bytes.fill(slot.lun.status(status_plane_));
        if (segment.data->page != nullptr) {
            std::memset(segment.data->page, segment.data->bytes[0], segment.data_bytes);
        }
        return;
    }
    if (!accessible(slot, Access::Register)) {
        return;
    }
    if (output_ == Output::Bytes) {
        bytes_out(segment);
        return;
    }
    const Rule rule = slot.lun.read_out(segment.data_bytes, *segment.data);
    if (rule != Rule::None) {
        violate(rule, selected_);
    } else if (device_.swap_at != 0) {
        count_page_burst(*segment.data);
    }
}

/// Register bytes; they come again when the last has been read.
void Target::bytes_out(onfi::Segment& segment)
{
    onfi::DataCells& cells = *segment.data;
    const auto size = static_cast<u32>(register_.size());
    for (u32 i = 0; i < segment.data_bytes; ++i) {
        const u8 byte = register_[(register_at_ + i) % size];
        if (i < cells.bytes.size()) {
            cells.bytes[i] = byte;
        }
        if (cells.page != nullptr) {
            cells.page[i] = byte;
        }
    }
    register_at_ = (register_at_ + segment.data_bytes) % size;
}

/// Nobody drives the bus: pull-ups make it read FFh, which no codeword is.
void Target::silence_out(onfi::Segment& segment) const
{
    constexpr u8 kFloating = 0xff;
    constexpr u32 kNoTag = std::numeric_limits<u32>::max();
    onfi::DataCells& cells = *segment.data;
    cells.tags.fill(UnitTag{kNoTag, kNoTag});
    cells.oob.fill(kFloating);
    cells.bytes.fill(kFloating);
    if (cells.page != nullptr) {
        std::memset(cells.page, kFloating, segment.data_bytes);
    }
    const u32 codeword = geometry_.codeword_bytes();
    cells.codewords = std::min({(segment.data_bytes + codeword - 1) / codeword,
                                geometry_.sectors_per_page(), onfi::DataCells::kMaxCodewords});
    std::fill_n(cells.bit_errors.begin(), cells.codewords, std::numeric_limits<u16>::max());
}

/// Fault injection: from burst number swap_at on, the first burst where a wrong tag can be had.
void Target::count_page_burst(onfi::DataCells& cells)
{
    ++device_.bursts;
    if (device_.swapped == 0 && device_.bursts >= device_.swap_at &&
        slots_[selected_].lun.swap_delivered(cells)) {
        ++device_.swapped;
    }
}

} // namespace tlmssd::nand
