// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the timer heap and its two back-ends on the SystemC kernel.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "models/time/event_wheel.h"

#include <algorithm>
#include <cassert>

namespace tlmssd::time {

namespace {

constexpr std::size_t kArity = 4;
constexpr std::size_t kInitialCapacity = 4096;

} // namespace

Timer::Timer(EventWheel& wheel, Priority priority, Callback callback, void* owner)
    : wheel_(wheel), callback_(callback), owner_(owner), priority_(priority)
{
    wheel_.attach(*this);
}

Timer::~Timer() { wheel_.detach(*this); }

void Timer::arm(Picoseconds at)
{
    at_ = at;
    armed_ = true;
    wheel_.schedule(*this);
}

void Timer::cancel() { armed_ = false; }

EventWheel::EventWheel(sc_core::sc_module_name name, Backend backend, Picoseconds quantum)
    : sc_module(name), backend_(backend), quantum_(quantum)
{
    heap_.reserve(kInitialCapacity);
    SC_HAS_PROCESS(EventWheel);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
}

EventWheel::~EventWheel() = default;

Picoseconds EventWheel::kernel_now() { return Picoseconds(sc_core::sc_time_stamp().value()); }

void EventWheel::attach(Timer& timer)
{
    if (backend_ != Backend::Kernel) {
        return;
    }
    // The timer's own event wakes the dispatcher one delta later, when all timers of this instant
    // have fired; the heap then gives the order that the wheel back-end would give.
    timer.kernel_event_ = new sc_core::sc_event;
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(timer.kernel_event_);
    options.dont_initialize();
    sc_core::sc_spawn([this] { wake_.notify(sc_core::SC_ZERO_TIME); },
                      sc_core::sc_gen_unique_name("timer"), &options);
}

void EventWheel::detach(Timer& timer)
{
    const auto mine = [&timer](const Entry& e) { return e.timer == &timer; };
    const auto end = std::remove_if(heap_.begin(), heap_.end(), mine);
    if (end != heap_.end()) {
        heap_.erase(end, heap_.end());
        std::sort(heap_.begin(), heap_.end(),
                  [](const Entry& a, const Entry& b) { return a.key < b.key; });
    }
    delete timer.kernel_event_;
}

void EventWheel::start_of_simulation()
{
    started_ = true;
    notify_kernel();
    if (backend_ == Backend::Kernel) {
        for (const Entry& entry : heap_) {
            if (!stale(entry)) {
                entry.timer->kernel_event_->notify(
                    sc_core::sc_time::from_value((entry.time() - kernel_now()).value()));
            }
        }
    }
}

void EventWheel::schedule(Timer& timer)
{
    assert(timer.at_ >= now());
    timer.order_ = (static_cast<u64>(timer.priority_) << 56) | ++sequence_;
    push(Entry{(static_cast<unsigned __int128>(timer.at_.value()) << 64) | timer.order_, &timer});
    if (!started_) {
        return;
    }
    if (backend_ == Backend::Kernel) {
        const Picoseconds kernel = kernel_now();
        timer.kernel_event_->cancel();
        if (!running_ || timer.at_ > kernel) {
            timer.kernel_event_->notify(
                sc_core::sc_time::from_value((timer.at_ - kernel).value()));
        }
    } else if (!running_ && heap_.front().timer == &timer) {
        wake_.notify(sc_core::sc_time::from_value((timer.at_ - kernel_now()).value()));
    }
}

bool EventWheel::stale(const Entry& entry)
{
    return !entry.timer->armed_ || entry.timer->order_ != static_cast<u64>(entry.key);
}

void EventWheel::push(const Entry& entry)
{
    std::size_t hole = heap_.size();
    heap_.push_back(entry);
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / kArity;
        if (heap_[parent].key <= entry.key) {
            break;
        }
        heap_[hole] = heap_[parent];
        hole = parent;
    }
    heap_[hole] = entry;
}

void EventWheel::pop()
{
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
        sift_down(0, last);
    }
}

void EventWheel::sift_down(std::size_t hole, const Entry& entry)
{
    const std::size_t size = heap_.size();
    Entry* const heap = heap_.data();
    for (;;) {
        const std::size_t first = hole * kArity + 1;
        std::size_t best;
        if (first + kArity <= size) { // all four children: choose without branches
            const std::size_t left = first + (heap[first + 1].key < heap[first].key);
            const std::size_t right = first + 2 + (heap[first + 3].key < heap[first + 2].key);
            best = heap[right].key < heap[left].key ? right : left;
        } else if (first < size) {
            best = first;
            for (std::size_t i = first + 1; i < size; ++i) {
                best = heap[i].key < heap[best].key ? i : best;
            }
        } else {
            break;
        }
        if (entry.key <= heap[best].key) {
            break;
        }
        heap[hole] = heap[best];
        hole = best;
    }
    heap[hole] = entry;
}

void EventWheel::run()
{
    ++wakes_;
    const Picoseconds kernel = kernel_now();
    now_ = kernel;
    Picoseconds end = kernel;
    // Another process of this instant may not have armed its next event yet: then stay here.
    if (backend_ == Backend::Wheel && !sc_core::sc_pending_activity_at_current_time()) {
        end = kernel + quantum_;
        if (sc_core::sc_pending_activity_at_future_time()) {
            end = min(end, kernel + Picoseconds(sc_core::sc_time_to_pending_activity().value()));
        }
    }
    end = min(end, limit_);
    running_ = true;
    try {
        run_until(end);
    } catch (...) {
        failure_ = std::current_exception();
        stop_requested_ = true;
    }
    running_ = false;
    if (stop_requested_) {
        sc_core::sc_stop();
        return;
    }
    notify_kernel();
}

void EventWheel::run_until(Picoseconds end)
{
    while (!heap_.empty() && heap_.front().time() <= end && !stop_requested_) {
        const Entry entry = heap_.front();
        pop();
        if (stale(entry)) {
            continue;
        }
        Timer& timer = *entry.timer;
        now_ = entry.time();
        timer.armed_ = false;
        ++events_;
        timer.callback_(timer.owner_);
    }
}

void EventWheel::notify_kernel()
{
    while (!heap_.empty() && stale(heap_.front())) {
        pop();
    }
    if (backend_ == Backend::Wheel && !heap_.empty()) {
        wake_.notify(sc_core::sc_time::from_value((heap_.front().time() - kernel_now()).value()));
    }
}

} // namespace tlmssd::time
