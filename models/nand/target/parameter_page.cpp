// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fields of the parameter page.
#include "models/nand/target/parameter_page.h"

#include <algorithm>
#include <cmath>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/nand/array_time.h"
#include "models/nand/errors/binomial.h"
#include "models/nand/errors/error_model.h"

namespace tlmssd::nand {

namespace {

constexpr u64 kPurposeUniqueId = 0x7569; // "ui"
constexpr u32 kCrcOffset = kParameterPageBytes - 2;

// Where the part says nothing: worst cases over all timing modes (ONFI 4.0).
constexpr Picoseconds kWorstCcs = nanoseconds(500);
constexpr Picoseconds kWorstAdl = nanoseconds(400);

constexpr u8 kAddressCycles = 0x23; ///< 2 column (high nibble, from memory) and 3 row cycles
constexpr u8 kPinCapacitance = 10;  ///< pF, from memory
constexpr u8 kDriveStrengths = 0x07; ///< 35/50, 25 and 18 ohm, from memory
constexpr u16 kVendorRevision = 1;

/// Revision bits: 1 is ONFI 1.0, 2 to 5 are 2.0 to 2.3, 6 to 8 are 3.0 to 3.2, 9 is 4.0.
constexpr u32 kRevision1 = 0x0002, kRevision2 = 0x003c, kRevision3 = 0x01c0, kRevision4 = 0x0200;

/// Features supported; 0, 5 and 7 as in barebox' onfi.h, the others from memory.
namespace features {
constexpr u32 k16Bit = 1u << 0, kMultiLun = 1u << 1, kMultiPlaneWrite = 1u << 3;
constexpr u32 kNvDdr = 1u << 5, kMultiPlaneRead = 1u << 6, kProgramClear = 1u << 8;
constexpr u32 kNvDdr2 = 1u << 10;
} // namespace features

/// Optional commands; 1 and 2 as in barebox' onfi.h, the others from memory.
namespace optional {
constexpr u32 kProgramCache = 1u << 0, kReadCache = 1u << 1, kFeatures = 1u << 2;
constexpr u32 kStatusEnhanced = 1u << 3, kCopyback = 1u << 4, kUniqueId = 1u << 5;
constexpr u32 kColumnEnhanced = 1u << 6, kRowAddress = 1u << 7, kResetLun = 1u << 9;
constexpr u32 kLunFeatures = 1u << 12;
constexpr u32 kAll = kProgramCache | kReadCache | kFeatures | kStatusEnhanced | kCopyback |
                     kUniqueId | kColumnEnhanced | kRowAddress | kResetLun | kLunFeatures;
} // namespace optional

/// Multi-plane operation attributes.
namespace multi_plane {
constexpr u8 kNoBlockRestriction = 1u << 1, kProgramCache = 1u << 2, kReadCache = 1u << 5;
}

/// Codewords of a sector at the part's rated endurance have more wrong bits than byte 112 states
/// only with this probability.
constexpr double kEccExceeded = 1e-12;
constexpr u32 kMostEcc = 254; // 255 would refer to the extended parameter page

using Page = std::array<u8, kParameterPageBytes>;

/// Little endian.
void put(Page& page, u32 at, u32 bytes, u64 value)
{
    for (u32 i = 0; i < bytes; ++i) {
        page[at + i] = static_cast<u8>(value >> (8 * i));
    }
}

/// Padded with blanks or cut.
void put_text(Page& page, u32 at, u32 bytes, const std::string& text)
{
    for (u32 i = 0; i < bytes; ++i) {
        page[at + i] = i < text.size() ? static_cast<u8>(text[i]) : u8{' '};
    }
}

/// A time rounded up to `unit` in 16 bits.
void put_time(Page& page, u32 at, Picoseconds t, Picoseconds unit)
{
    const u64 units = (t.value() + unit.value() - 1) / unit.value();
    put(page, at, 2, std::min<u64>(units, 0xffff));
}

/// value x 10^exponent in two bytes, rounded down: never more than the part endures.
void put_endurance(Page& page, u32 at, u32 cycles)
{
    u8 exponent = 0;
    for (; cycles > 0xff; cycles /= 10) {
        ++exponent;
    }
    page[at] = static_cast<u8>(cycles);
    page[at + 1] = exponent;
}

u32 modes_bitmap(u32 modes) { return (1u << modes) - 1; }

u32 revision(const config::Nand& nand)
{
    u32 bits = kRevision1;
    if (nand.nvddr_modes > 0) {
        bits |= kRevision2;
    }
    if (nand.nvddr2_modes > 0) {
        bits |= kRevision2 | kRevision3;
    }
    if (nand.nvddr3_modes > 0) {
        bits |= kRevision2 | kRevision3 | kRevision4;
    }
    return bits;
}

u32 feature_bits(const config::Nand& nand, const Geometry& geometry, u32 width)
{
    u32 bits = width == 16 ? features::k16Bit : 0;
    bits |= geometry.luns_per_ce() > 1 ? features::kMultiLun : 0;
    bits |= geometry.planes > 1 ? features::kMultiPlaneWrite | features::kMultiPlaneRead : 0;
    bits |= nand.nvddr_modes > 0 ? features::kNvDdr : 0;
    bits |= nand.program_clear ? features::kProgramClear : 0;
    bits |= nand.nvddr2_modes > 0 ? features::kNvDdr2 : 0;
    return bits;
}

/// Factory bad blocks that a LUN exceeds with a probability below 1e-12.
u32 most_bad_blocks(const config::Nand& nand, const Geometry& geometry)
{
    return nand.errors.enabled
               ? binomial_quantile(geometry.planes * geometry.blocks, nand.errors.factory_bad,
                                   1 - kEccExceeded)
               : 0;
}

/// Correctable bits that a sector of 512 bytes needs at rated endurance, in the worst page type.
u32 ecc_bits(const config::Nand& nand, const Geometry& geometry)
{
    const ErrorModel model(nand, geometry, 0);
    double worst = 0;
    CellState cells;
    cells.erases = nand.endurance;
    for (u32 page = 0; page < geometry.pages; ++page) {
        cells.place.page = page;
        worst = std::max(worst, model.rber(cells));
    }
    return std::min(binomial_quantile(kSectorBytes * 8, worst, 1 - kEccExceeded), kMostEcc);
}

void put_memory(Page& page, const config::Nand& nand, const Geometry& geometry)
{
    put(page, 80, 4, geometry.part_bytes());
    put(page, 84, 2, geometry.spare_bytes);
    put(page, 92, 4, geometry.pages);
    put(page, 96, 4, u64{geometry.blocks} * geometry.planes);
    put(page, 100, 1, geometry.luns_per_ce());
    put(page, 101, 1, kAddressCycles);
    put(page, 102, 1, nand.bits_per_cell);
    put(page, 103, 2, most_bad_blocks(nand, geometry));
    put_endurance(page, 105, nand.endurance);
    put(page, 107, 1, 1); // block 0 is good
    put_endurance(page, 108, nand.endurance);
    put(page, 110, 1, nand.partial_programs);
    put(page, 112, 1, ecc_bits(nand, geometry));
    put(page, 113, 1, geometry.plane_bits());
    if (geometry.planes > 1) {
        const u32 free = nand.block_restriction ? 0 : multi_plane::kNoBlockRestriction;
        put(page, 114, 1, free | multi_plane::kProgramCache | multi_plane::kReadCache);
    }
}

void put_electrical(Page& page, const config::Nand& nand, const Geometry& geometry)
{
    const ArrayTime times(nand, geometry, 0);
    constexpr Picoseconds us = microseconds(1), ns = nanoseconds(1);
    put(page, 128, 1, kPinCapacitance);
    put(page, 129, 2, modes_bitmap(nand.sdr_modes));
    put_time(page, 133, times.most_program(), us);
    put_time(page, 135, times.most_erase(), us);
    put_time(page, 137, times.most_read(), us);
    put_time(page, 139, nand.t_ccs == Picoseconds() ? kWorstCcs : nand.t_ccs, ns);
    put(page, 141, 1, modes_bitmap(nand.nvddr_modes));
    put(page, 142, 1, modes_bitmap(nand.nvddr2_modes) & 0xff);
    put(page, 151, 1, kDriveStrengths);
    put_time(page, 152, times.most_read(), us);
    put_time(page, 154, nand.t_adl == Picoseconds() ? kWorstAdl : nand.t_adl, ns);
    // From memory (ONFI 4.0): all modes of NV-DDR3 and of NV-DDR2, which has outgrown byte 142.
    put(page, 160, 2, modes_bitmap(nand.nvddr3_modes));
    put(page, 162, 2, modes_bitmap(nand.nvddr2_modes));
}

u8 hex_digit(char c)
{
    const std::size_t at = std::string("0123456789abcdef0123456789ABCDEF").find(c);
    if (at == std::string::npos) {
        throw ModelError(std::string("nand.jedec_id: not a hex digit: ") + c);
    }
    return static_cast<u8>(at % 16);
}

} // namespace

u16 onfi_crc16(const u8* bytes, std::size_t n)
{
    constexpr u32 kPolynomial = 0x8005, kInitial = 0x4f4e, kTop = 0x8000;
    u32 crc = kInitial;
    for (std::size_t i = 0; i < n; ++i) {
        crc ^= u32{bytes[i]} << 8;
        for (u32 bit = 0; bit < 8; ++bit) {
            crc = (crc << 1) ^ ((crc & kTop) != 0 ? kPolynomial : 0);
        }
        crc &= 0xffff;
    }
    return static_cast<u16>(crc);
}

Page parameter_page(const config::Nand& nand, const Geometry& geometry, u32 width)
{
    Page page{};
    const std::vector<u8> id = read_id(nand, 0x00);
    put_text(page, 0, 4, "ONFI");
    put(page, 4, 2, revision(nand));
    put(page, 6, 2, feature_bits(nand, geometry, width));
    put(page, 8, 2, optional::kAll);
    put(page, 14, 1, kParameterPageCopies);
    put_text(page, 32, 12, nand.manufacturer);
    put_text(page, 44, 20, nand.name);
    put(page, 64, 1, id.empty() ? 0 : id[0]);
    put_memory(page, nand, geometry);
    put_electrical(page, nand, geometry);
    put(page, 164, 2, kVendorRevision);
    put(page, kCrcOffset, 2, onfi_crc16(page.data(), kCrcOffset));
    return page;
}

std::vector<u8> parameter_page_copies(const config::Nand& nand, const Geometry& geometry,
                                      u32 width)
{
    const Page page = parameter_page(nand, geometry, width);
    std::vector<u8> copies;
    for (u32 i = 0; i < kParameterPageCopies; ++i) {
        copies.insert(copies.end(), page.begin(), page.end());
    }
    return copies;
}

std::vector<u8> read_id(const config::Nand& nand, u8 address)
{
    constexpr u8 kJedec = 0x00, kOnfi = 0x20;
    std::vector<u8> bytes;
    if (address == kOnfi) {
        bytes = {'O', 'N', 'F', 'I'};
    } else if (address == kJedec) {
        for (std::size_t i = 0; i + 1 < nand.jedec_id.size(); i += 2) {
            const u32 high = hex_digit(nand.jedec_id[i]);
            bytes.push_back(static_cast<u8>(high << 4 | hex_digit(nand.jedec_id[i + 1])));
        }
    }
    return bytes;
}

std::vector<u8> unique_id(u64 seed, u32 target)
{
    constexpr u32 kHalf = 16;
    std::vector<u8> bytes(kUniqueIdBytes);
    for (u32 i = 0; i < kUniqueIdBytes; ++i) {
        const u32 at = i % kHalf;
        const u64 word = draw64(seed, kPurposeUniqueId, u64{target} * 2 + at / 8);
        const auto byte = static_cast<u8>(word >> (8 * (at % 8)));
        bytes[i] = (i / kHalf) % 2 == 0 ? byte : static_cast<u8>(~byte);
    }
    return bytes;
}

} // namespace tlmssd::nand
