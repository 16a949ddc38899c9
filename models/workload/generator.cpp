// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests from a rule, in fio's words.
#include "models/workload/generator.h"

#include <string>

#include "models/common/error.h"
#include "models/common/geometry.h"
#include "models/common/hash.h"
#include "models/workload/row.h"

namespace tlmssd::workload {
namespace {

using config::Rw;

constexpr u64 kPurpose = 0x776f726b6c6f6164; ///< "workload": apart from other rooms' draws
constexpr u64 kOffset = kPurpose ^ 1;
constexpr u64 kDirection = kPurpose ^ 2;
constexpr u64 kTrim = kPurpose ^ 3;
constexpr u64 kScatter = kPurpose ^ 4;

u32 checked_sectors(const config::Workload& w)
{
    if (w.bs == 0 || w.bs % kSectorBytes != 0 || w.bs / kSectorBytes > kMaxRequestSectors) {
        throw InputError("workload.bs: " + std::to_string(w.bs) +
                         " is not a multiple of 512 bytes between 512 and 33554432");
    }
    return w.bs / kSectorBytes;
}

u64 checked_blocks(const config::Workload& w, u64 device_sectors)
{
    if (!(w.size > 0 && w.size <= 1)) {
        throw InputError("workload.size: " + std::to_string(w.size) +
                         " is not a fraction above 0 and up to 1");
    }
    const u64 sectors =
        w.size == 1 ? device_sectors
                    : static_cast<u64>(w.size * static_cast<double>(device_sectors));
    const u64 blocks = sectors / checked_sectors(w);
    if (blocks == 0) {
        throw InputError("workload.size: " + std::to_string(sectors) +
                         " sectors hold no block of workload.bs");
    }
    return blocks;
}

u32 read_percent(const config::Workload& w)
{
    switch (w.rw) {
    case Rw::Read:
    case Rw::RandRead:
        return 100;
    case Rw::Write:
    case Rw::RandWrite:
        return 0;
    case Rw::ReadWrite:
    case Rw::RandRw:
        break;
    }
    return w.rwmixread;
}

void check_percent(const char* key, u32 value)
{
    if (value > 100) {
        throw InputError(std::string(key) + ": " + std::to_string(value) +
                         " is above 100 per cent");
    }
}

} // namespace

Generator::Generator(const config::Workload& w, u64 device_sectors, u64 seed)
    : seed_(seed), limit_(w.requests), blocks_(checked_blocks(w, device_sectors)),
      sectors_(checked_sectors(w)), read_percent_(read_percent(w)), trim_percent_(w.trim_percent),
      flush_every_(w.flush_every),
      random_(w.rw == Rw::RandRead || w.rw == Rw::RandWrite || w.rw == Rw::RandRw), fua_(w.fua),
      scatter_(blocks_, seed, kScatter)
{
    if (w.requests == 0) {
        throw InputError("workload.requests: a generated workload needs a number above 0");
    }
    if (w.mode == config::LoopMode::Open) {
        throw InputError("workload.mode: open needs a trace: a generated workload has no arrival "
                         "times; did you mean \"closed\"?");
    }
    check_percent("workload.rwmixread", w.rwmixread);
    check_percent("workload.trim_percent", w.trim_percent);
    if (random_ && w.distribution == config::Distribution::Zipf) {
        if (!(w.zipf_theta > 0 && w.zipf_theta <= Zipf::kMaxTheta)) {
            throw InputError("workload.zipf_theta: " + std::to_string(w.zipf_theta) +
                             " is not above 0 and up to 10");
        }
        zipf_.emplace(blocks_, w.zipf_theta);
    }
}

bool Generator::draw_percent(u64 purpose, u64 index, u32 percent) const
{
    return percent >= 100 ||
           (percent > 0 && draw_below(draw64(seed_, purpose, index), 100) < percent);
}

u64 Generator::random_block(u64 index) const
{
    const u64 word = draw64(seed_, kOffset, index);
    return zipf_ ? scatter_(zipf_->rank(draw_unit(word))) : draw_below(word, blocks_);
}

u64 Generator::next_in(u64& pointer) const
{
    const u64 block = pointer;
    pointer = pointer + 1 == blocks_ ? 0 : pointer + 1;
    return block;
}

bool Generator::next(Request& request)
{
    if (counts_.requests == limit_) {
        return false;
    }
    ++counts_.requests;
    if (flush_every_ != 0 && writes_ == flush_every_) {
        writes_ = 0;
        request = Request{Picoseconds(0), 0, 0, Kind::Flush, false};
        return true;
    }
    const u64 index = index_++;
    Kind kind = Kind::Read;
    if (!draw_percent(kDirection, index, read_percent_)) {
        kind = draw_percent(kTrim, index, trim_percent_) ? Kind::Trim : Kind::Write;
        writes_ += kind == Kind::Write ? 1 : 0;
    }
    const u64 block = random_                ? random_block(index)
                      : kind == Kind::Read ? next_in(read_pointer_)
                                           : next_in(write_pointer_);
    request = Request{Picoseconds(0), block * sectors_, sectors_, kind,
                      fua_ && kind == Kind::Write};
    return true;
}

double Generator::progress() const
{
    return static_cast<double>(counts_.requests) / static_cast<double>(limit_);
}

} // namespace tlmssd::workload
