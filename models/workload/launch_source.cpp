// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: launches of applications as the host sees them.
#include "models/workload/launch_source.h"

#include <algorithm>
#include <tuple>

#include "models/common/error.h"
#include "models/config/rules/workload_check.h"

namespace tlmssd::workload {

using config::LaunchPrefetch;

LaunchSource::LaunchSource(const config::Workload& w, u64 device_sectors, u64 seed) : rules_(w.launch)
{
    if (const std::optional<config::Problem> problem = find_problem(w, device_sectors)) {
        throw InputError(std::string("workload.") + problem->key + ": " + problem->message);
    }
    for (u32 app = 0; app < rules_.apps; ++app) {
        plans_.emplace_back(w, device_sectors, seed, app);
    }
    other_.resize(rules_.reads);
    places_.resize(2 * std::size_t{rules_.reads});
}

bool LaunchSource::next(Request&) { throw ModelError("workload: launches were asked for a request without a time"); }

double LaunchSource::progress() const { return static_cast<double>(launch_) / rules_.launches; }

void LaunchSource::begin()
{
    now_ = LaunchRecord();
    now_.app = launch_ % rules_.apps;
    now_.number = number();
    now_.detour = plan().detours(number());
    now_.start = until_;
    at_ = ahead_ = 0;
    data_phase_ = false;
    const Page page = rules_.cache == config::LaunchCache::Warm ? Page::In : Page::Out;
    for (u32 i = 0; i < rules_.reads; ++i) {
        other_[i] = plan().elsewhere(number(), i);
        places_[i] = {page, false, until_};
        places_[rules_.reads + i] = Place();
    }
    if (before()) {
        phase_ = Phase::Alone;
    } else {
        phase_ = Phase::Burst;
        until_ += plan().reads()[0].burst;
    }
}

/// `until_` is when the last burst has ended.
void LaunchSource::finish()
{
    now_.time = until_ - now_.start;
    for (u32 i = 0; i < rules_.reads; ++i) {
        now_.useless += places_[i].prefetched && other_[i] ? 1 : 0;
    }
    for (const Open& open : open_) {
        now_.outstanding += open.launch == launch_ && open.since < until_ ? until_ - open.since : Picoseconds();
    }
    records_.push_back(now_);
    ++launch_;
    phase_ = Phase::Gap;
    until_ += rules_.gap;
}

void LaunchSource::emit(Request& request, const LaunchRead& read, u32 place, bool prefetcher, Picoseconds at)
{
    places_[place] = {Page::InFlight, prefetcher, Picoseconds()};
    request = Request{at, read.lba, read.sectors, Kind::Read, false, 0, ++cookies_};
    open_.push_back({cookies_, launch_, place, prefetcher, at});
    ++counts_.requests;
    ++(prefetcher ? now_.prefetched : now_.reads);
}

/// One step of the application, if it can make one by `now`; true: it issues a read.
bool LaunchSource::advance(Picoseconds now, Request& request)
{
    if (launch_ == rules_.launches || phase_ == Phase::Alone || (phase_ != Phase::Want && until_ > now)) {
        return false;
    }
    if (phase_ == Phase::Gap) {
        begin();
        return false;
    }
    if (phase_ == Phase::Burst) {
        if (at_ == rules_.reads) {
            finish();
        } else {
            phase_ = Phase::Want;
        }
        return false;
    }
    const u32 place = place_of(at_);
    const Place& p = places_[place];
    if (p.page == Page::Out) {
        emit(request, plan().read(number(), at_), place, false, until_);
        return true;
    }
    if (p.page == Page::In) {
        now_.waited += p.prefetched && p.since > until_ ? 1 : 0;
        until_ = max(until_, p.since);
        ++at_;
        until_ += at_ == rules_.reads ? plan().last_burst() : plan().reads()[at_].burst;
        phase_ = Phase::Burst;
    }
    return false;
}

/// In recorded order: metadata are waited for, data are not. two_phase: all metadata at once, then all data.
bool LaunchSource::prefetch(Picoseconds now, Request& request)
{
    if (rules_.prefetch == LaunchPrefetch::None || phase_ == Phase::Gap || launch_ == rules_.launches) {
        return false;
    }
    const bool phases = rules_.prefetch == LaunchPrefetch::TwoPhase;
    const auto mine = static_cast<u32>(std::count_if(open_.begin(), open_.end(), [this](const Open& open) {
        return open.prefetcher && open.launch == launch_;
    }));
    for (;;) {
        if (ahead_ == rules_.reads) {
            if (mine != 0 || !phases || data_phase_) {
                break;
            }
            ahead_ = 0;
            data_phase_ = true;
        }
        const LaunchRead& read = plan().reads()[ahead_];
        const Page page = places_[ahead_].page;
        if (phases ? read.metadata == data_phase_ : page == Page::In) {
            ++ahead_;
        } else if (page == Page::Out) {
            if (mine == rules_.depth) {
                return false;
            }
            emit(request, read, ahead_, true, now);
            return true;
        } else if (!phases && read.metadata) {
            return false;
        } else {
            ++ahead_;
        }
    }
    if (phase_ == Phase::Alone && mine == 0) {
        phase_ = Phase::Burst;
        until_ = now + plan().reads()[0].burst;
    }
    return false;
}

ReactiveSource::Next LaunchSource::poll(Picoseconds now, Request& request)
{
    for (bool moved = true; moved;) {
        const auto before = std::make_tuple(launch_, phase_, until_, at_);
        if (prefetch(now, request) || advance(now, request)) { // who is level with the prefetcher lets it go first
            return Next::Request;
        }
        moved = before != std::make_tuple(launch_, phase_, until_, at_);
    }
    if (launch_ == rules_.launches) {
        return Next::End;
    }
    request.arrival = phase_ == Phase::Gap || phase_ == Phase::Burst ? until_ : kTimeNever;
    return Next::Later;
}

void LaunchSource::ended(u32 cookie, Picoseconds now)
{
    const auto found = std::find_if(open_.begin(), open_.end(), [=](const Open& open) { return open.cookie == cookie; });
    if (found == open_.end()) {
        throw ModelError("workload: a read of a launch has ended twice");
    }
    const Open open = *found;
    open_.erase(found);
    if (open.launch != launch_ || phase_ == Phase::Gap) {
        return; // what was prefetched for a launch that is over
    }
    Place& place = places_[open.place];
    place.page = Page::In;
    place.since = now;
    now_.outstanding += now - open.since;
    if (open.prefetcher) {
        now_.prefetch = now - now_.start;
    }
}

} // namespace tlmssd::workload
