// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: bursts that carry no page data.
#include "models/nand/target/target_output.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tlmssd::nand {

void TargetOutput::put_bytes(onfi::Segment& segment)
{
    onfi::DataCells& cells = *segment.data;
    const auto size = static_cast<u32>(bytes_.size());
    for (u32 i = 0; i < segment.data_bytes; ++i) {
        const u8 byte = bytes_[(at_ + i) % size];
        if (i < cells.bytes.size()) {
            cells.bytes[i] = byte;
        }
        if (cells.page != nullptr) {
            cells.page[i] = byte;
        }
    }
    at_ = (at_ + segment.data_bytes) % size;
}

void TargetOutput::put_status(onfi::Segment& segment, u8 status)
{
    segment.data->bytes.fill(status);
    if (segment.data->page != nullptr) {
        std::memset(segment.data->page, status, segment.data_bytes);
    }
}

void TargetOutput::put_silence(onfi::Segment& segment, const Geometry& geometry)
{
    constexpr u8 kFloating = 0xff;
    constexpr u32 kNoTag = std::numeric_limits<u32>::max();
    onfi::DataCells& cells = *segment.data;
    cells.tags.fill(UnitTag{kNoTag, kNoTag});
    cells.oob.fill(kFloating);
    put_status(segment, kFloating);
    const u32 codeword = geometry.codeword_bytes();
    cells.codewords = std::min({(segment.data_bytes + codeword - 1) / codeword,
                                geometry.sectors_per_page(), onfi::DataCells::kMaxCodewords});
    std::fill_n(cells.bit_errors.begin(), cells.codewords, std::numeric_limits<u16>::max());
}

} // namespace tlmssd::nand
