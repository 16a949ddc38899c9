// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: raw bit errors, failing operations and bad blocks.
#include "models/nand/errors/error_model.h"

#include <algorithm>
#include <cmath>

#include "models/common/hash.h"
#include "models/nand/errors/binomial.h"

namespace tlmssd::nand {

namespace {

constexpr u64 kPurposeBits = 0x6265;        // "be"
constexpr u64 kPurposeLayer = 0x6c79;       // "ly"
constexpr u64 kPurposeProgramFail = 0x7066; // "pf"
constexpr u64 kPurposeEraseFail = 0x6566;   // "ef"
constexpr u64 kPurposeFactoryBad = 0x6662;  // "fb"
constexpr u32 kEraseBits = 24;              // of a draw's counter; the page is above
constexpr double kMostRber = 0.5;           // a bit that tells nothing

double clamped(double value, double most) { return value < most ? value : most; }

} // namespace

ErrorModel::ErrorModel(const config::Nand& nand, const Geometry& geometry, u64 seed)
    : errors_(nand.errors), type_factors_{}, geometry_(geometry), seed_(seed),
      initial_erases_(nand.wear.initial_erases), program_log_(std::log1p(-errors_.program_fail)),
      erase_log_(std::log1p(-errors_.erase_fail)),
      types_(nand.pairing, nand.bits_per_cell, geometry.pages)
{
    for (std::size_t i = 0; i < type_factors_.size(); ++i) {
        type_factors_[i] = nand.types[i].rber_factor;
    }
}

/// Layers belong to the stack, which a die has once: the same in all its blocks.
double ErrorModel::layer_factor(const Place& place) const
{
    if (errors_.layer_spread == 0) {
        return 1;
    }
    const u64 layer = u64{place.page} * errors_.layers / geometry_.pages;
    const u64 word = draw64(seed_, kPurposeLayer, u64{place.die} * errors_.layers + layer);
    return 1 + errors_.layer_spread * (2 * draw_unit(word) - 1);
}

double ErrorModel::rber(const CellState& cells) const
{
    const config::NandErrors& c = errors_;
    if (!c.enabled) {
        return 0;
    }
    const double erases = clamped(cells.erases, c.max_erases);
    const double days = clamped(cells.days, c.max_days);
    const double reads = clamped(static_cast<double>(cells.block_reads), c.max_reads);
    double rate = c.e + c.a * std::pow(erases, c.k);
    if (days > 0) {
        rate += c.b * std::pow(erases, c.m) * std::pow(days, c.n);
    }
    if (reads > 0) {
        rate += c.g * std::pow(erases, c.p) * std::pow(reads, c.q);
    }
    rate *= type_factors_[types_.type(cells.place.page)] * layer_factor(cells.place);
    for (u32 level = 0; level < cells.retry; ++level) {
        rate *= c.retry_gain;
    }
    return clamped(rate, kMostRber);
}

u32 ErrorModel::bit_errors(const CellState& cells, double rber, u32 codeword, u32 bits) const
{
    const Place& place = cells.place;
    const u64 page =
        block_index(place.die, place.plane, place.block) * geometry_.pages + place.page;
    const u64 of_page = draw64(seed_, kPurposeBits, (page << kEraseBits) + cells.erases);
    return binomial_quantile(bits, rber, draw_unit(draw64(of_page, kPurposeBits, codeword)));
}

u32 ErrorModel::erases_in_run(u32 erases) const
{
    return erases > initial_erases_ ? erases - initial_erases_ : 0;
}

/// Has one of `operations` independent trials failed, each with 1 - exp(log_survival)? The first to
/// fail is a property of the block: its number is the quantile of a geometric distribution.
bool ErrorModel::failed_by(u64 purpose, double log_survival, const Place& place,
                           u64 operations) const
{
    const u64 block = block_index(place.die, place.plane, place.block);
    const double u = draw_unit(draw64(seed_, purpose, block));
    return std::log1p(-u) > static_cast<double>(operations) * log_survival;
}

bool ErrorModel::program_fails(const Place& place, u32 erases) const
{
    const u64 programs = u64{erases_in_run(erases)} * geometry_.pages + place.page + 1;
    return errors_.enabled && errors_.program_fail > 0 &&
           failed_by(kPurposeProgramFail, program_log_, place, programs);
}

bool ErrorModel::erase_fails(const Place& place, u32 erases) const
{
    return errors_.enabled && errors_.erase_fail > 0 &&
           failed_by(kPurposeEraseFail, erase_log_, place, u64{erases_in_run(erases)} + 1);
}

bool ErrorModel::factory_bad(u32 die, u32 plane, u32 block) const
{
    if (!errors_.enabled || errors_.factory_bad == 0 || (plane == 0 && block == 0)) {
        return false;
    }
    const u64 word = draw64(seed_, kPurposeFactoryBad, block_index(die, plane, block));
    return draw_unit(word) < errors_.factory_bad;
}

} // namespace tlmssd::nand
