// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: windows, and the reads before each of them that matter.
#include "models/sample/reads_pass.h"

#include "models/common/error.h"
#include "models/common/interrupt.h"

namespace tlmssd::sample {
namespace {

constexpr u64 kRemembered = 8; ///< reads for each page buffer, after which it has another page
constexpr Picoseconds kLook = Picoseconds(10'000'000);           ///< 10 us
constexpr Picoseconds kLongest = Picoseconds(1'000'000'000'000); ///< 1 s: a device comes to rest before

SsdOptions options_of(const std::string& cache)
{
    SsdOptions options;
    options.cache = cache;
    return options;
}

} // namespace

ReadsPass::ReadsPass(const config::Config& config, const std::string& cache)
    : Pass(config, options_of(cache)),
      rest_(event_queue_, time::Priority::Host, time::Timer::call<&ReadsPass::on_rest, ReadsPass>, this)
{
}

std::unique_ptr<workload::RequestSource> ReadsPass::prepare(std::unique_ptr<workload::RequestSource> source,
                                                            const config::LoopMode& mode)
{
    auto windowed = std::make_unique<WindowSource>(std::move(source), mode == config::LoopMode::Open);
    source_ = windowed.get();
    started_ = closed_at_ = event_queue_.now();
    rest_.arm(started_);
    return windowed;
}

void ReadsPass::on_request(const host::RequestRecord& request)
{
    if (!source_->is_open()) {
        return; // what drains behind the window
    }
    windows_.back().measured.push_back(ended(request));
    if (windows_.back().measured.size() == plan_.length) {
        source_->close();
        closed_at_ = event_queue_.now();
        rest_.arm(closed_at_);
    }
}

void ReadsPass::on_rest()
{
    const Picoseconds now = event_queue_.now();
    if (initiator_.outstanding() != 0 || !ssd_.at_rest()) {
        if (now - closed_at_ > kLongest) {
            throw ModelError("--sample: the device does not come to rest behind a window\n" + ssd_.stall_report());
        }
        rest_.arm(now + kLook);
        return;
    }
    if (windows_.size() == plan_.windows) {
        event_queue_.stop();
        return;
    }
    const u64 begin = place_of_window(windows_.size());
    skip(begin > source_->taken() ? begin - source_->taken() : 0);
    begin_window();
    source_->open(now - started_);
    initiator_.wake();
}

void ReadsPass::skip(u64 requests)
{
    const u64 remembered = kRemembered * ssd_.firmware().cfg.lines;
    workload::Request request;
    for (; requests > remembered && source_->take(request); --requests) {
        if (requests % kShowEvery == 0) {
            stop_point();
        }
    }
    show_progress(0);
    ssd_.fast_forward(*versions_, [&](aging::FunctionalWorld& world) {
        for (; requests != 0 && source_->take(request); --requests) {
            world.read(request.lba, request.sectors);
        }
    });
}

} // namespace tlmssd::sample
