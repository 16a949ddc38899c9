// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: log pages byte by byte.
#include "models/sata/logs.h"

namespace tlmssd::sata {

namespace {

constexpr u32 kStatisticsPages = 8; // 0 to 7
constexpr u8 kSupportedAndValid = 0xc0;

/// A statistic: value in bits 55:0, flags in the last byte.
void put_statistic(Block& block, u32 at, u64 value)
{
    for (u32 i = 0; i < 7; ++i) {
        block[at + i] = static_cast<u8>(value >> (8 * i));
    }
    block[at + 7] = kSupportedAndValid;
}

void put_page_header(Block& block, u32 page)
{
    block[0] = 1; // revision
    block[2] = static_cast<u8>(page);
}

} // namespace

u32 log_pages(u8 log)
{
    switch (log) {
    case kLogDirectory: return 1;
    case kLogStatistics: return kStatisticsPages;
    case kLogNcqError: return 1;
    default: return 0;
    }
}

void make_ncq_error(const NcqError& error, Block& block)
{
    block.fill(0);
    block[0] = static_cast<u8>((error.not_queued ? 0x80 : 0) | (error.tag & 0x1f));
    block[1] = static_cast<u8>(error.tag >> 5); // extended tags
    block[2] = error.status;
    block[3] = error.error;
    for (u32 i = 0; i < 3; ++i) {
        block[4 + i] = static_cast<u8>(error.lba >> (8 * i));
        block[8 + i] = static_cast<u8>(error.lba >> (24 + 8 * i));
    }
    block[7] = error.device;
    block[12] = static_cast<u8>(error.count);
    block[13] = static_cast<u8>(error.count >> 8);
    set_checksum(block);
}

void read_ncq_error(const Block& block, NcqError& error)
{
    error = NcqError();
    error.not_queued = block[0] >> 7;
    error.tag = static_cast<u8>((block[0] & 0x1f) | (block[1] & 7) << 5);
    error.status = block[2];
    error.error = block[3];
    for (u32 i = 0; i < 3; ++i) {
        error.lba |= u64{block[4 + i]} << (8 * i) | u64{block[8 + i]} << (24 + 8 * i);
    }
    error.device = block[7];
    error.count = static_cast<u16>(block[12] | block[13] << 8);
}

void make_log_directory(Block& block)
{
    block.fill(0);
    block[0] = 1; // version of the directory
    for (u32 log = 1; log < 256; ++log) {
        block[log * 2] = static_cast<u8>(log_pages(static_cast<u8>(log)));
    }
}

void make_statistics(const DeviceStatistics& statistics, u32 page, Block& block)
{
    block.fill(0);
    switch (page) {
    case 0:
        put_page_header(block, 0);
        block[8] = 3; // pages
        block[9] = 0;
        block[10] = 1;
        block[11] = 7;
        return;
    case 1:
        put_page_header(block, 1);
        put_statistic(block, 8, statistics.power_on_resets);
        put_statistic(block, 16, statistics.power_on_hours);
        put_statistic(block, 24, statistics.sectors_written);
        put_statistic(block, 32, statistics.write_commands);
        put_statistic(block, 40, statistics.sectors_read);
        put_statistic(block, 48, statistics.read_commands);
        return;
    case 7:
        put_page_header(block, 7);
        put_statistic(block, 8, statistics.percentage_used);
        return;
    default: return;
    }
}

} // namespace tlmssd::sata
