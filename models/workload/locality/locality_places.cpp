// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the places of requests with locality.
#include "models/workload/locality/locality_places.h"

#include <algorithm>
#include <optional>

#include "models/common/geometry.h"
#include "models/common/hash.h"
#include "models/workload/random/purposes.h"

namespace tlmssd::workload {
namespace {

u32 blocks_of(const config::Locality& l, u64 region_sectors)
{
    return static_cast<u32>(std::min(l.footprint, region_sectors * kSectorBytes) / l.block);
}

enum Draw : u64 { kKind, kLane, kDraws };
constexpr u64 kSide = 32; // purposes of reads, then of writes: runs, then the classes of reuse

} // namespace

LocalityPlaces::LocalityPlaces(const config::Locality& l, u64 reads, u64 of, u64 region_sectors, u64 seed)
    : seed_(seed), block_sectors_(l.block / kSectorBytes),
      sides_{Side{RunDraw(l.read_runs, seed, purpose::kLocalitySides),
                  ReuseDraw(l.read_reuse, seed, purpose::kLocalitySides + 1)},
             Side{RunDraw(l.write_runs, seed, purpose::kLocalitySides + kSide),
                  ReuseDraw(l.write_reuse, seed, purpose::kLocalitySides + kSide + 1)}},
      stack_(blocks_of(l, region_sectors))
{
    const double read_runs = reads == 0 ? 0 : static_cast<double>(reads) / sides_[0].runs.mean_requests();
    const double write_runs = reads == of ? 0 : static_cast<double>(of - reads) / sides_[1].runs.mean_requests();
    read_share_ = read_runs / (read_runs + write_runs);
    const u32 blocks = blocks_of(l, region_sectors);
    const u32 longest = std::max(sides_[0].runs.longest(), sides_[1].runs.longest()) / block_sectors_ + 2;
    const u32 lanes = std::clamp<u32>(blocks / longest / 4, 1, kLanes);
    lane_blocks_ = blocks / lanes;
    lane_distance_ = region_sectors / lanes / block_sectors_ * block_sectors_;
    for (u32 i = 0; i < lanes; ++i) {
        lanes_.push_back({i * lane_blocks_, (i + 1) * lane_blocks_});
    }
}

u64 LocalityPlaces::sector_of(u32 block) const
{
    return lane_of(block) * lane_distance_ + u64{block % lane_blocks_} * block_sectors_;
}

/// Sector of its first block at which a run of so many sectors covers these blocks; one that comes back begins there
/// again.
u32 LocalityPlaces::offset_in(u32 block, u32 blocks, u32 sectors) const
{
    const u32 spare = blocks * block_sectors_ - sectors;
    const u32 least = spare < block_sectors_ ? 0 : spare - block_sectors_ + 1;
    const u32 most = std::min(block_sectors_ - 1, spare);
    return least + static_cast<u32>(draw_below(draw64(seed_, purpose::kLocalityOffset, block), most - least + 1));
}

/// The next blocks of a lane, one where they do not follow on the last run if there is one; without space anywhere what
/// was used longest ago.
RunStack::Place LocalityPlaces::fresh(u32 blocks, u64 word)
{
    const std::size_t first = draw_below(word, lanes_.size());
    std::optional<u32> beside;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        const Lane& lane = lanes_[(first + i) % lanes_.size()];
        if (lane.end - lane.next >= blocks) {
            if (lane.next != end_block_) {
                return {lane.next, 0, 0};
            }
            beside = lane.next;
        }
    }
    return beside ? RunStack::Place{*beside, 0, 0}
                  : stack_.find(stack_.size(), blocks, config::BlockState::OnlyRead, end_block_);
}

void LocalityPlaces::begin_run()
{
    const u64 draws = run_++ * kDraws;
    const auto word = [&](Draw draw) { return draw64(seed_, purpose::kLocality, draws + draw); };
    write_ = draw_unit(word(kKind)) >= read_share_;
    Side& side = sides_[write_ ? 1 : 0];
    const config::RunType& type = side.runs.next();
    const u32 needed = (type.sectors + block_sectors_ - 1) / block_sectors_ + (type.more ? 1 : 0);
    const u32 wanted = std::min(needed, lane_blocks_);
    const Reuse reuse = side.reuse.next(wanted);
    const RunStack::Place found = reuse.distance == 0 || reuse.distance > stack_.size()
                                      ? fresh(wanted, word(kLane))
                                      : stack_.find(reuse.distance, wanted, reuse.state, end_block_);

    Lane& lane = lanes_[lane_of(found.block)];
    const u32 blocks = std::min(wanted, lane.end - found.block);
    left_ = blocks < needed ? blocks * block_sectors_ : type.sectors;
    const u32 offset = offset_in(found.block, blocks, left_);
    request_ = type.request;
    at_ = sector_of(found.block) + offset;
    stack_.use(found, blocks, write_);
    end_block_ = found.block + blocks;
    lane.next = std::max(lane.next, end_block_);
}

LocalityPlaces::Request LocalityPlaces::next()
{
    if (left_ == 0) {
        begin_run();
    }
    const u32 sectors = std::min(request_, left_);
    const Request request{at_, sectors, !write_};
    at_ += sectors;
    left_ -= sectors;
    return request;
}

} // namespace tlmssd::workload
