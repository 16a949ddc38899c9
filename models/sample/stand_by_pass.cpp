// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the process is copied where a window begins.
#include "models/sample/stand_by_pass.h"

#include <thread>

#include "models/common/geometry.h"
#include "models/observe/histogram.h"

namespace tlmssd::sample {
namespace {

SsdOptions options_of(const std::string& cache)
{
    SsdOptions options;
    options.cache = cache;
    options.stand_by = true;
    return options;
}

/// Copies that run beside this process.
std::size_t most_copies() { return std::max(2u, std::thread::hardware_concurrency()) - 1; }

} // namespace

StandByPass::StandByPass(const config::Config& config, const std::string& cache) : Pass(config, options_of(cache))
{
    for (Whole::Kind& kind : whole_.kinds) {
        kind.buckets.resize(observe::Histogram::kBuckets);
    }
    parts_.resize(kParts, whole_);
}

std::unique_ptr<workload::RequestSource> StandByPass::prepare(std::unique_ptr<workload::RequestSource> source,
                                                              const config::LoopMode&)
{
    ssd_.stand_by(true);
    ssd_.lengthen_ecc(plan_.longer_ecc);
    begins_ = plan_.windows == 0 ? requests_ : place(0);
    return source;
}

void StandByPass::count(const Ended& request)
{
    add(request, whole_);
    whole_.time_ps = request.at_ps;
    Whole& part = parts_[ended_ * kParts / requests_];
    if (part.requests == 0 && ended_ != 0) {
        part_began_ps_ = last_ps_;
    }
    add(request, part);
    part.time_ps = request.at_ps - part_began_ps_;
    last_ps_ = request.at_ps;
}

void StandByPass::add(const Ended& request, Whole& to)
{
    ++to.requests;
    if (request.sectors != 0) {
        ++to.transfers;
        to.bytes += u64{request.sectors} * kSectorBytes;
        Whole::Kind& kind = to.kinds[request.kind == workload::Kind::Read ? 0 : 1];
        ++kind.requests;
        kind.latency_ps += static_cast<double>(request.latency_ps);
        ++kind.buckets[observe::Histogram::bucket_of(request.latency_ps)];
    }
}

/// Behind the request that ended last.
void StandByPass::begin()
{
    begin_window();
    if (copies_.size() == most_copies()) {
        collect();
    }
    auto process = std::make_unique<ChildProcess>();
    if (process->is_parent()) {
        copies_.push_back({*process, windows_.size() - 1});
        begins_ = windows_.size() < plan_.windows ? place(windows_.size()) : requests_;
        return;
    }
    parent_ = std::move(process);
    hide_progress();
    ssd_.stand_by(false);
}

/// The window of the oldest copy.
void StandByPass::collect()
{
    Copy copy = copies_.front();
    copies_.pop_front();
    windows_[copy.window].measured = copy.process.result().take_all<Ended>();
}

void StandByPass::on_request(const host::RequestRecord& record)
{
    const Ended request = ended(record);
    if (parent_) {
        std::vector<Ended>& measured = windows_.back().measured;
        measured.push_back(request);
        if (measured.size() == plan_.length) {
            Message message;
            message.put_all(measured);
            parent_->succeed(message);
        }
        return;
    }
    count(request);
    ++ended_;
    show_progress(ended_);
    if (!windows_.empty() && windows_.back().control.size() < plan_.length) {
        windows_.back().control.push_back(request);
    } else if (windows_.size() < plan_.windows && ended_ >= begins_) {
        begin();
    }
}

void StandByPass::simulated()
{
    if (parent_) { // the window has not come to its end
        try {
            require_success();
        } catch (...) {
            parent_->fail(std::current_exception());
        }
    }
    while (!copies_.empty()) {
        collect();
    }
}

} // namespace tlmssd::sample
