// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tags, OOB bytes and page bytes between DRAM and bus; ECC on the way in.
#include "models/flash/data_path.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/flash/codeword.h"

namespace tlmssd::flash {

u32 DataPath::buffer_address(const SegmentRequest& request)
{
    return ++transfers_ == falsify_at_ ? request.buf + geometry_.page_bytes : request.buf;
}

DramEnd DataPath::fetch(const SegmentRequest& request, onfi::DataCells& cells, Picoseconds now)
{
    const u32 address = buffer_address(request);
    u8* const table = table_at(address);
    if (table != nullptr) {
        std::fill_n(cells.tags.begin(), units(request), TablePages::tag(tables_->keep(table, address)));
    } else {
        std::copy_n(dram_.tags(address) + first_unit(request), units(request), cells.tags.begin());
    }
    if (has_oob(request)) {
        std::copy_n(dram_.oob(request.oob), kOobBytes, cells.oob.begin());
    }
    if (cells.page != nullptr) {
        encode(request, table != nullptr ? table : dram_.bytes(address), cells);
    }
    return dram_.begin(now, {address + request.col * kSectorBytes, request.len * kSectorBytes, false,
                             DramMaster::Flash});
}

/// All bursts of the tag since the last landing. Of an operation that never landed they are long over.
Picoseconds DataPath::landing(u32 tag, Picoseconds at, Picoseconds now)
{
    if (tag >= landings_.size()) {
        return at;
    }
    for (Landing& l : landings_[tag]) {
        dram_.over(l.end, now);
        at = max(at, l.end.at + l.latency);
    }
    if (at <= now) {
        landings_[tag].clear();
    }
    return at;
}

void DataPath::undriven(const SegmentRequest& request, onfi::DataCells& cells) const
{
    std::fill_n(cells.tags.begin(), units(request), kLostUnit);
    if (has_oob(request)) {
        cells.oob.fill(0xff);
    }
    if (cells.page != nullptr) {
        std::fill_n(cells.page, burst_bytes(request), u8{0xff});
    }
    cells.codewords = 0;
}

/// Codewords from a page buffer, then the OOB bytes.
void DataPath::encode(const SegmentRequest& request, const u8* from, onfi::DataCells& cells) const
{
    u8* to = cells.page;
    for (u32 i = 0; i < request.len; ++i, to += codeword_bytes_) {
        encode_sector(from + (u32{request.col} + i) * kSectorBytes, geometry_.parity_per_sector(),
                      to);
    }
    if (has_oob(request)) {
        std::copy_n(cells.oob.begin(), kOobBytes, to);
    }
}

/// Codewords to a page buffer. Those that ECC gives up on keep their wrong bits: so many as were
/// counted, at places that are a hash of where the codeword lies.
void DataPath::decode_bytes(const SegmentRequest& request, const onfi::DataCells& cells,
                            u8* to) const
{
    constexpr u64 kFlip = 0x666c6970;
    const u8* from = cells.page;
    for (u32 i = 0; i < request.len; ++i, from += codeword_bytes_) {
        const u32 sector = u32{request.col} + i;
        u8* const data = to + sector * kSectorBytes;
        std::copy_n(from, kSectorBytes, data);
        const u32 errors = i < cells.codewords ? cells.bit_errors[i] : 0;
        if (cells.tags[(sector >> unit_shift_) - first_unit(request)] == kLostUnit) {
            continue; // torn: the bytes are what they are
        }
        if (errors > ecc_bits_) {
            const u64 place = u64{request.row} << 16 | u64{request.ce} << 8 | sector;
            flip_bits(data, errors, draw64(request.level, kFlip, place));
        } else if (!intact(from, geometry_.parity_per_sector())) {
            throw ModelError("data path: sector " + std::to_string(sector) + " of row " +
                             std::to_string(request.row) + ", CE# " + std::to_string(request.ce) +
                             ": its bytes do not fit their parity, but ECC found at most " +
                             std::to_string(ecc_bits_) + " bit errors");
        }
    }
}

SegmentResult DataPath::store(const SegmentRequest& request, const onfi::DataCells& cells,
                              Picoseconds now)
{
    SegmentResult result;
    if (request.len == 0) { // the OOB record alone: a copyback, whose errors ECC does not see
        std::copy_n(cells.oob.begin(), kOobBytes, dram_.oob(request.oob));
        result.data_at = now;
        return result;
    }
    const u32 count = units(request);
    const u32 address = buffer_address(request);
    u8* const table = table_at(address);
    UnitTag* tags = table != nullptr ? unseen_.data() : dram_.tags(address) + first_unit(request);
    if (table == nullptr && cells.page != nullptr) {
        decode_bytes(request, cells, dram_.bytes(address));
    }
    for (u32 i = 0; i < count; ++i) {
        tags[i] = cells.tags[i];
        result.uncorrectable |= cells.tags[i] == kLostUnit;
    }
    if (has_oob(request)) {
        std::copy_n(cells.oob.begin(), kOobBytes, dram_.oob(request.oob));
    }
    Picoseconds latency = ecc_latency_;
    if (cells.codewords != 0) {
        latency += decode(request, cells, tags, result);
    }
    if (table != nullptr) {
        store_table(request, tags, table);
    }
    statistics_.retries += request.level != 0;
    statistics_.uncorrectable_pages += result.uncorrectable && request.level >= last_level_;
    const DramAccess access{address + request.col * kSectorBytes, request.len * kSectorBytes, true,
                            DramMaster::Flash};
    const DramEnd end = dram_.begin(now, access);
    result.data_at = end.at + latency;
    if (dram_.revises()) {
        if (request.tag >= landings_.size()) {
            landings_.resize(request.tag + 1);
        }
        landings_[request.tag].push_back({end, latency});
    }
    return result;
}

/// Sectors of a table page into the firmware's memory; FFh where the page holds no table, or lost it.
void DataPath::store_table(const SegmentRequest& request, const UnitTag* tags, u8* to) const
{
    for (u32 sector = request.col; sector < u32{request.col} + request.len; ++sector) {
        const UnitTag tag = tags[(sector >> unit_shift_) - first_unit(request)];
        u8* const at = to + sector * kSectorBytes;
        if (TablePages::is_table(tag)) {
            std::copy_n(tables_->bytes(tag.version) + sector * kSectorBytes, kSectorBytes, at);
        } else {
            std::fill_n(at, kSectorBytes, u8{0xff});
        }
    }
}

/// Time for the errors of the worst codeword: the codewords of a page are decoded side by side, and
/// the decoder gives up after `ecc_bits`. OOB bytes have a code of their own and never fail.
Picoseconds DataPath::decode(const SegmentRequest& request, const onfi::DataCells& cells,
                             UnitTag* tags, SegmentResult& result)
{
    const u32 count = std::min<u32>(cells.codewords, request.len);
    u32 worst = 0;
    u32 corrected = 0;
    for (u32 i = 0; i < count; ++i) {
        const u32 errors = cells.bit_errors[i];
        if (errors > ecc_bits_) {
            worst = ecc_bits_;
            ++statistics_.failed_codewords;
            result.uncorrectable = true;
            tags[((request.col + i) >> unit_shift_) - first_unit(request)] = kLostUnit;
        } else {
            worst = std::max(worst, errors);
            corrected += errors;
        }
    }
    statistics_.codewords += count;
    statistics_.corrected_bits += corrected;
    result.corrected = static_cast<u16>(std::min<u32>(corrected, 0xffff));
    return u64{worst} * ecc_per_bit_;
}

} // namespace tlmssd::flash
