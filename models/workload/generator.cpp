// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests from a rule, in fio's words.
#include "models/workload/generator.h"

#include <cmath>
#include <string>

#include "models/common/error.h"
#include "models/common/geometry.h"
#include "models/common/hash.h"
#include "models/workload/random/purposes.h"

namespace tlmssd::workload {
namespace {

using config::Direction;
using config::Rw;

/// Throws where a rule is broken; the whole Workload may be used afterwards.
const config::Workload& checked(const config::Workload& w, u64 device_sectors)
{
    if (const std::optional<config::Problem> problem = find_problem(w, device_sectors)) {
        throw InputError(std::string("workload.") + problem->key + ": " + problem->message);
    }
    return w;
}

u32 read_percent(const config::Workload& w)
{
    const bool reads = w.rw == Rw::Read || w.rw == Rw::RandRead;
    return config::is_mixed(w.rw) ? w.rwmixread : reads ? 100 : 0;
}

u32 trim_percent(const config::Workload& w)
{
    return w.rw == Rw::Trim || w.rw == Rw::RandTrim ? 100 : w.trim_percent;
}

/// Requests of a direction in which its exact numbers come round; 0: there are none. A handful of
/// requests is too few to hold shares.
u64 round_of(const config::Workload& w, Direction direction)
{
    constexpr u64 kHandful = 10;
    const u64 round = direction == config::kReads ? w.reads
                      : direction == config::kWrites ? w.writes
                                                     : 0;
    return round < kHandful ? 0 : round;
}

/// fio takes whole blocks of the region for a loop.
u64 byte_limit(const config::Workload& w, const config::Region& region)
{
    const u64 whole = region.sectors - region.sectors % config::smallest_request(w);
    const u64 loops = whole * kSectorBytes * w.loops;
    return w.loops == 0 || (w.io_size != 0 && w.io_size < loops) ? w.io_size : loops;
}

double ruled_percent(const config::Workload& w, Direction direction)
{
    return direction == config::kReads ? w.random_read_percent : w.random_write_percent;
}

} // namespace

Generator::Side Generator::make_side(const config::Workload& w, Direction direction) const
{
    constexpr u64 kRound = 10000; // without quotas: percentages with two decimals are exact
    const u32 sectors = w.bs / kSectorBytes;
    const u32 step = config::smallest_request(w, direction);
    Side side{Sizes(w.bssplit.of[direction], sectors, round_of(w, direction), seed_,
                    purpose::kSize + direction),
              BlockDraw(w.random_distribution, direction, region_.sectors / step, seed_),
              step,
              w.percentage_random.of[direction],
              0,
              0,
              std::nullopt};
    const double ruled = ruled_percent(w, direction);
    if (ruled >= 0) {
        const u64 round = round_of(w, direction) != 0 ? round_of(w, direction) : kRound;
        const double share = (100 - ruled) / 100 * static_cast<double>(round);
        side.follow.emplace(round, static_cast<u64>(std::llround(share)), seed_,
                            purpose::kFollows + direction);
    }
    return side;
}

Generator::Generator(const config::Workload& w, u64 device_sectors, u64 seed)
    : seed_(w.randseed == 0 ? seed : draw64(seed, purpose::kRandseed, w.randseed)),
      limit_(checked(w, device_sectors).requests), region_(config::region_of(w, device_sectors)),
      byte_limit_(byte_limit(w, region_)), ios_limit_(w.number_ios), read_percent_(read_percent(w)),
      trim_percent_(trim_percent(w)), flush_every_(w.flush_every),
      random_(config::is_random(w.rw)), trim_write_(config::is_trim_write(w.rw)), fua_(w.fua),
      sides_{make_side(w, config::kReads), make_side(w, config::kWrites),
             make_side(w, config::kTrims)},
      arrivals_(w.mode == config::LoopMode::Open ? w.rate_iops : 0, w.rate_process, seed_, {w.burst_requests, w.burst_gap})
{
    if (w.reads + w.writes > 0) {
        mix_.emplace(w.reads + w.writes, w.reads, seed_, purpose::kMixQuota);
    }
    if (random_ && !w.norandommap) {
        map_.emplace(w.bssplit.of[config::main_direction(w)], w.bs / kSectorBytes, region_.sectors,
                     seed_);
    }
}

// Inline: all of a request is worked out in one function; nobody outside this file calls these.

inline bool Generator::draw_percent(u64 purpose, u64 index, u32 percent) const
{
    return percent >= 100 ||
           (percent > 0 && draw_below(draw64(seed_, purpose, index), 100) < percent);
}

inline Kind Generator::draw_kind(u64 index)
{
    if (trim_write_) {
        return Kind::Trim; // its write follows at once, see next()
    }
    if (mix_ ? mix_->draw() : draw_percent(purpose::kDirection, index, read_percent_)) {
        return Kind::Read;
    }
    return draw_percent(purpose::kTrim, index, trim_percent_) ? Kind::Trim : Kind::Write;
}

inline u64 Generator::random_start(Side& side, u64 index, u32 sectors) const
{
    if (side.fitting_sectors != sectors) { // a division for each request would show
        side.fitting_sectors = sectors;
        side.fitting = (region_.sectors - sectors) / side.step + 1;
    }
    const u64 block = side.blocks(index, side.fitting);
    return (block < side.fitting ? block : side.fitting - 1) * side.step;
}

/// random_read_percent and random_write_percent: follows the request before of any kind, or surely
/// does not.
u64 Generator::ruled_start(Side& side, u64 index, u32 sectors)
{
    const bool fits = previous_end_ + sectors <= region_.sectors;
    if (side.follow->draw() && index > 0 && fits) {
        return previous_end_;
    }
    const u64 start = random_start(side, index, sectors);
    if (start != previous_end_ || index == 0) {
        return start;
    }
    const u64 beside = start + side.step;
    return beside + sectors <= region_.sectors ? beside : 0;
}

inline Generator::Place Generator::place(Kind kind, Side& side, u64 index)
{
    if (map_ && draw_percent(purpose::kPercentageRandom, index, side.percentage_random)) {
        const RandomMap::Piece piece = map_->next();
        return {piece.start, piece.sectors};
    }
    const u32 sectors = side.sizes.next();
    if (!random_) {
        u64& pointer = kind == Kind::Read ? read_pointer_ : write_pointer_;
        const u64 start = pointer + sectors <= region_.sectors ? pointer : 0;
        pointer = start + sectors;
        return {start, sectors};
    }
    if (side.follow) {
        return {ruled_start(side, index, sectors), sectors};
    }
    const bool follows =
        !draw_percent(purpose::kPercentageRandom, index, side.percentage_random) &&
        side.end + sectors <= region_.sectors;
    return {follows ? side.end : random_start(side, index, sectors), sectors};
}

inline bool Generator::at_end() const
{
    if (limit_ != 0 && counts_.requests == limit_) {
        return true;
    }
    const bool half_a_pair = trim_write_ && last_.kind == Kind::Trim;
    return !half_a_pair && ((byte_limit_ != 0 && bytes_ >= byte_limit_) ||
                            (ios_limit_ != 0 && index_ >= ios_limit_));
}

bool Generator::next(Request& request)
{
    if (at_end()) {
        return false;
    }
    if (flush_every_ != 0 && writes_ == flush_every_) {
        writes_ = 0;
        ++counts_.requests;
        request = Request{arrival_, 0, 0, Kind::Flush, false};
        return true;
    }
    arrival_ = arrivals_.next();
    ++counts_.requests;
    if (trim_write_ && last_.kind == Kind::Trim) {
        last_.kind = Kind::Write;
        last_.arrival = arrival_;
        last_.fua = fua_;
        ++writes_;
        request = last_;
        return true;
    }
    const u64 index = index_++;
    const Kind kind = draw_kind(index);
    Side& side = sides_[kind == Kind::Read    ? config::kReads
                        : kind == Kind::Write ? config::kWrites
                                              : config::kTrims];
    const Place at = place(kind, side, index);
    writes_ += kind == Kind::Write ? 1 : 0;
    side.end = previous_end_ = at.start + at.sectors;
    bytes_ += u64{at.sectors} * kSectorBytes;
    request = Request{arrival_, region_.start + at.start, at.sectors, kind,
                      fua_ && kind == Kind::Write};
    if (trim_write_) {
        last_ = request;
    }
    return true;
}

double Generator::progress() const
{
    if (limit_ != 0) {
        return static_cast<double>(counts_.requests) / static_cast<double>(limit_);
    }
    if (ios_limit_ != 0) {
        return static_cast<double>(index_) / static_cast<double>(ios_limit_);
    }
    return byte_limit_ != 0 ? static_cast<double>(bytes_) / static_cast<double>(byte_limit_) : -1;
}

} // namespace tlmssd::workload
