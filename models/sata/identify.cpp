// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the words of IDENTIFY DEVICE.
#include "models/sata/identify.h"

#include <algorithm>

namespace tlmssd::sata {

namespace {

void put(Block& block, u32 word, u32 value)
{
    block[word * 2] = static_cast<u8>(value);
    block[word * 2 + 1] = static_cast<u8>(value >> 8);
}

/// ATA strings: two characters a word, the first in the high byte; filled with blanks.
void put_text(Block& block, u32 word, u32 words, const std::string& text)
{
    for (u32 i = 0; i < words * 2; ++i) {
        block[(word * 2 + i) ^ 1] = i < text.size() ? static_cast<u8>(text[i]) : u8{' '};
    }
}

u32 bit(bool on, u32 number) { return on ? 1u << number : 0u; }

} // namespace

void set_checksum(Block& block)
{
    block[511] = 0;
    u32 sum = 0;
    for (const u8 byte : block) {
        sum += byte;
    }
    block[511] = static_cast<u8>(0u - sum);
}

void make_identity(const DeviceFacts& facts, const DeviceSettings& settings, Block& block)
{
    block.fill(0);
    put(block, 0, 0x0040); // an ATA device that is not removable
    put_text(block, 10, 10, facts.serial);
    put_text(block, 23, 4, facts.revision);
    put_text(block, 27, 20, facts.model);
    put(block, 47, 0x8000);
    put(block, 49, 0x0b00); // IORDY, LBA, DMA
    put(block, 50, 0x4000);
    put(block, 53, 0x0006); // words 64 to 70 and 88 are valid
    const u32 small = static_cast<u32>(std::min<u64>(facts.sectors, 0x0fffffff)); // LBA28
    put(block, 60, small);
    put(block, 61, small >> 16);
    put(block, 63, 0x0007); // multiword DMA 0 to 2
    put(block, 64, 0x0003); // PIO 3, 4
    for (u32 word = 65; word <= 68; ++word) {
        put(block, word, 120); // ns a cycle
    }
    put(block, 69, 0x4000); // reads after TRIM are deterministic
    if (facts.ncq) {
        put(block, 75, std::min(facts.tags, 32u) - 1);
    }
    const u32 generation = facts.gbps_tenths == 15 ? 1 : facts.gbps_tenths == 30 ? 2 : 3;
    put(block, 76, bit(true, 1) | bit(generation >= 2, 2) | bit(generation >= 3, 3) |
                       bit(facts.ncq, 8) | bit(facts.ncq, 12));
    put(block, 77, generation << 1 | bit(facts.ncq && facts.queued_trim, 6));
    put(block, 78, bit(facts.ncq, 1) | bit(facts.ncq, 2));
    put(block, 79, bit(facts.ncq && settings.offsets, 1) |
                       bit(facts.ncq && settings.auto_activate, 2));
    put(block, 80, 0x03f0);                       // ATA/ATAPI-4 to ACS-2
    put(block, 82, bit(true, 5) | bit(true, 6));  // write cache, look-ahead
    put(block, 83, 0x7400);                       // LBA48, FLUSH CACHE, FLUSH CACHE EXT
    put(block, 84, 0x4060);                       // logs, WRITE DMA FUA EXT
    put(block, 85, bit(settings.write_cache, 5) | bit(settings.read_ahead, 6));
    put(block, 86, 0x3400);
    put(block, 87, 0x4060);
    put(block, 88, 0x407f); // Ultra DMA 0 to 6, 6 is chosen
    for (u32 i = 0; i < 4; ++i) {
        put(block, 100 + i, static_cast<u32>(facts.sectors >> (16 * i)) & 0xffff);
    }
    put(block, 105, 1); // blocks of a DATA SET MANAGEMENT
    put(block, 106, 0x4000 | bit(facts.physical_sectors_log2 != 0, 13) | facts.physical_sectors_log2);
    put(block, 169, 1);      // TRIM
    put(block, 217, 1);      // does not rotate
    put(block, 222, 0x103f); // serial, up to SATA 3.0
    block[510] = 0xa5;       // the checksum is valid
    set_checksum(block);
}

} // namespace tlmssd::sata
