// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: array times and their bounds.
#include "models/nand/array_time.h"

#include <algorithm>

#include "models/common/hash.h"
#include "models/config/nand_limits.h"

namespace tlmssd::nand {

namespace {

constexpr u64 kPurposeRead = 0x7252;    // "tR"
constexpr u64 kPurposeProgram = 0x7450; // "tP"
constexpr u64 kPurposeDie = 0x7444;     // "tD"
constexpr u32 kEraseBits = 24;          // of a draw's counter; the page is above

/// 1 - spread at u = 0, below 1 + spread for u < 1.
double spread_factor(double spread, double u) { return 1.0 + spread * (2.0 * u - 1.0); }

/// All factors are positive and each operation rounds monotonically, so bounds that go through this
/// function hold to the picosecond.
Picoseconds scaled(Picoseconds mean, double page, double die, double wear, double retry = 1.0)
{
    const double ps = static_cast<double>(mean.value()) * page * die * wear * retry;
    return Picoseconds(static_cast<u64>(ps + 0.5));
}

Picoseconds or_else(Picoseconds own, Picoseconds part)
{
    return own == Picoseconds() ? part : own;
}

} // namespace

ArrayTime::ArrayTime(const config::Nand& nand, const Geometry& geometry, u64 seed)
    : erase_(nand.t_erase), wear_(nand.wear), array_variation_(nand.array_variation),
      die_variation_(nand.die_variation), retry_read_factor_(nand.errors.retry_read_factor),
      endurance_(std::max(nand.endurance, 1u)), geometry_(geometry), seed_(seed),
      types_(nand.pairing, nand.bits_per_cell, geometry.pages)
{
    for (std::size_t i = 0; i < types_read_.size(); ++i) {
        types_read_[i] = or_else(nand.types[i].t_read, nand.t_read);
        types_program_[i] = or_else(nand.types[i].t_program, nand.t_program);
    }
    plain_ = array_variation_ == 0 && die_variation_ == 0 && wear_.read_change == 0 &&
             wear_.program_change == 0 && wear_.erase_change == 0 && types_.used() == 1;
}

double ArrayTime::page_factor(u64 purpose, const Place& place, u32 erases) const
{
    if (array_variation_ == 0) {
        return 1.0;
    }
    const u64 block =
        (u64{place.die} * geometry_.planes + place.plane) * geometry_.blocks + place.block;
    const u64 page = block * geometry_.pages + place.page;
    const u64 word = draw64(seed_, purpose, (page << kEraseBits) + erases);
    return spread_factor(array_variation_, draw_unit(word));
}

double ArrayTime::die_factor(u32 die) const
{
    return die_variation_ == 0
               ? 1.0
               : spread_factor(die_variation_, draw_unit(draw64(seed_, kPurposeDie, die)));
}

double ArrayTime::wear_factor(double change, u32 erases) const
{
    return 1.0 + change * std::min(erases / endurance_, config::kMostWear);
}

double ArrayTime::retry_factor(u32 retry) const { return 1.0 + retry * retry_read_factor_; }

Picoseconds ArrayTime::varied_read(const Place& place, u32 erases, u32 retry) const
{
    return scaled(typical_read(place.page), page_factor(kPurposeRead, place, erases),
                  die_factor(place.die), wear_factor(wear_.read_change, erases),
                  retry_factor(retry));
}

Picoseconds ArrayTime::varied_program(const Place& place, u32 erases) const
{
    return scaled(typical_program(place.page), page_factor(kPurposeProgram, place, erases),
                  die_factor(place.die), wear_factor(wear_.program_change, erases));
}

Picoseconds ArrayTime::varied_erase(const Place& place, u32 erases) const
{
    return scaled(erase_, 1.0, die_factor(place.die), wear_factor(wear_.erase_change, erases));
}

Picoseconds ArrayTime::bound(Picoseconds mean, double variation, double change, bool most) const
{
    const double u = most ? 1.0 : 0.0;
    const double worn = 1.0 + change * config::kMostWear;
    return scaled(mean, spread_factor(variation, u), spread_factor(die_variation_, u),
                  most ? std::max(1.0, worn) : std::min(1.0, worn));
}

Picoseconds ArrayTime::least_of(const Times& times) const
{
    Picoseconds least = kTimeNever;
    for (u32 left = types_.used(); left != 0; left &= left - 1) {
        least = min(least, times[static_cast<u32>(__builtin_ctz(left))]);
    }
    return least;
}

Picoseconds ArrayTime::most_of(const Times& times) const
{
    Picoseconds most;
    for (u32 left = types_.used(); left != 0; left &= left - 1) {
        most = max(most, times[static_cast<u32>(__builtin_ctz(left))]);
    }
    return most;
}

Picoseconds ArrayTime::least_read() const
{
    return bound(least_of(types_read_), array_variation_, wear_.read_change, false);
}

Picoseconds ArrayTime::least_program() const
{
    return bound(least_of(types_program_), array_variation_, wear_.program_change, false);
}

Picoseconds ArrayTime::least_erase() const
{
    return bound(erase_, 0.0, wear_.erase_change, false);
}

Picoseconds ArrayTime::most_read(u32 retry) const
{
    const double worn = std::max(1.0, 1.0 + wear_.read_change * config::kMostWear);
    return scaled(most_of(types_read_), spread_factor(array_variation_, 1.0),
                  spread_factor(die_variation_, 1.0), worn, retry_factor(retry));
}

Picoseconds ArrayTime::most_program() const
{
    return bound(most_of(types_program_), array_variation_, wear_.program_change, true);
}

Picoseconds ArrayTime::most_erase() const
{
    return bound(erase_, 0.0, wear_.erase_change, true);
}

} // namespace tlmssd::nand
