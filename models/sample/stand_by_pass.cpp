// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the process is copied where a window or a section begins.
#include "models/sample/stand_by_pass.h"

#include <thread>

#include "models/sample/outline.h"
#include "models/sample/whole_message.h"

namespace tlmssd::sample {
namespace {

SsdOptions options_of(const std::string& cache)
{
    SsdOptions options;
    options.cache = cache;
    options.stand_by = true;
    return options;
}

/// Copies of windows that run beside this process.
std::size_t most_copies() { return std::max(2u, std::thread::hardware_concurrency()) - 1; }

void append(std::vector<Whole>& to, const std::vector<Whole>& more) { to.insert(to.end(), more.begin(), more.end()); }

} // namespace

StandByPass::StandByPass(const config::Config& config, const std::string& cache) : Pass(config, options_of(cache))
{
    whole_ = empty_whole();
}

std::unique_ptr<workload::RequestSource> StandByPass::prepare(std::unique_ptr<workload::RequestSource> source,
                                                              const config::LoopMode&)
{
    ssd_.stand_by(true);
    ssd_.lengthen_ecc(plan_.longer_ecc);
    begins_ = plan_.windows == 0 ? requests_ : place_of_window(0);
    section_begins_ = plan_.sections == 0 ? requests_ : place_of_section(0);
    whole_parts_ = PartCounter(0, requests_, kParts);
    return source;
}

void StandByPass::on_request(const host::RequestRecord& record)
{
    const Ended request = ended(record);
    switch (role_) {
    case Role::Pass: return on_request_of_pass(request);
    case Role::Window: return on_request_of_window(request);
    case Role::Section: return on_request_of_section(request);
    }
}

void StandByPass::on_request_of_pass(const Ended& request)
{
    add(request, whole_);
    whole_.time_ps = request.at_ps;
    if (plan_.sections == 0) {
        whole_parts_.count(request);
    }
    if (section_ && !section_parts_.complete()) {
        section_parts_.count(request);
    }
    ++ended_;
    if (plan_.outline_every != 0 && ended_ % plan_.outline_every == 0) {
        show_outline_(outline_of(whole_));
    }
    show_progress(ended_);
    if (!windows_.empty() && windows_.back().control.size() < plan_.length) {
        windows_.back().control.push_back(request);
    } else if (windows_.size() < plan_.windows && ended_ >= begins_) {
        begin_copy_of_window();
    }
    if (role_ == Role::Pass && sections_begun_ < plan_.sections && ended_ >= section_begins_) {
        begin_section();
    }
}

void StandByPass::on_request_of_window(const Ended& request)
{
    std::vector<Ended>& measured = windows_.back().measured;
    measured.push_back(request);
    if (measured.size() == plan_.length) {
        Message message;
        message.put_all(measured);
        parent_->succeed(message);
    }
}

void StandByPass::on_request_of_section(const Ended& request)
{
    section_parts_.count(request);
    if (section_parts_.complete()) {
        Message message;
        put_all(message, section_parts_.parts());
        parent_->succeed(message);
    }
}

/// Behind the request that ended last.
void StandByPass::begin_copy_of_window()
{
    begin_window();
    if (copies_.size() == most_copies()) {
        collect();
    }
    auto process = std::make_unique<ChildProcess>();
    if (process->is_parent()) {
        copies_.push_back({*process, windows_.size() - 1});
        begins_ = windows_.size() < plan_.windows ? place_of_window(windows_.size()) : requests_;
        return;
    }
    parent_ = std::move(process);
    role_ = Role::Window;
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

/// Behind the request that ended last; the section before has ended.
void StandByPass::begin_section()
{
    collect_section();
    section_parts_ = PartCounter(plan_.section_warmup(), plan_.section_length, kParts / plan_.sections);
    auto process = std::make_unique<ChildProcess>();
    if (process->is_parent()) {
        section_ = *process;
        ++sections_begun_;
        section_begins_ = sections_begun_ < plan_.sections ? place_of_section(sections_begun_) : requests_;
        return;
    }
    parent_ = std::move(process);
    role_ = Role::Section;
    hide_progress();
    ssd_.lengthen_ecc(plan_.section_ecc);
}

void StandByPass::collect_section()
{
    if (section_) {
        Message message = section_->result();
        section_.reset();
        append(sections_.pass, section_parts_.parts());
        append(sections_.other, take_wholes(message));
    }
}

void StandByPass::simulated()
{
    if (role_ != Role::Pass) { // the window or the section has not come to its end
        try {
            require_success();
        } catch (...) {
            parent_->fail(std::current_exception());
        }
    }
    collect_section();
    sections_.share = static_cast<double>(plan_.sections * plan_.section_length) / static_cast<double>(requests_);
    while (!copies_.empty()) {
        collect();
    }
    parts_ = whole_parts_.parts();
}

} // namespace tlmssd::sample
