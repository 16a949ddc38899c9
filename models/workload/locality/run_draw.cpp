// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: draws from the distributions of a workload with locality.
#include "models/workload/locality/run_draw.h"

#include <algorithm>

namespace tlmssd::workload {

std::size_t WeightedDraw::operator()(u64 word) const
{
    const u64 at = draw_below(word, sum());
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
}

RunDraw::RunDraw(const config::RunTypes& runs, u64 seed, u64 purpose) : types_(runs.types), words_(seed, purpose)
{
    double requests = 0;
    for (const config::RunType& type : types_) {
        draw_.add(type.weight);
        requests += static_cast<double>(type.weight) * ((type.sectors + type.request - 1) / type.request);
        longest_ = std::max(longest_, type.sectors);
    }
    mean_requests_ = types_.empty() ? 0 : requests / static_cast<double>(draw_.sum());
}

ReuseDraw::ReuseDraw(const config::Reuse& reuse, u64 seed, u64 purpose)
{
    for (const config::ReuseClass& given : reuse.classes) {
        Class made{given.blocks, {0}, EvenWords(seed, purpose + classes_.size()), {}};
        made.draw.add(given.fresh);
        for (const config::ReuseStep& step : given.steps) {
            made.limits.push_back(step.limit);
            for (const u32 weight : step.weights) {
                made.draw.add(weight);
            }
        }
        classes_.push_back(std::move(made));
    }
}

Reuse ReuseDraw::next(u64 blocks)
{
    const auto found = std::find_if(classes_.begin(), classes_.end() - 1,
                                    [=](const Class& c) { return blocks <= c.blocks; });
    const u64 word = found->words.next();
    const std::size_t place = found->draw(word);
    if (place == 0) {
        return {0, config::BlockState::OnlyRead};
    }
    const std::size_t step = (place - 1) / config::kBlockStates + 1;
    const auto state = static_cast<config::BlockState>((place - 1) % config::kBlockStates);
    const u64 from = found->limits[step - 1];
    return {from + 1 + draw_below(mix64(word), found->limits[step] - from), state};
}

} // namespace tlmssd::workload
