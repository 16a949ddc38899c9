// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the timer heap and its two back-ends on the SystemC kernel.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "models/time/event_wheel.h"

#include <algorithm>
#include <cassert>

#include "models/common/error.h"

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
    if (free_slots_.empty()) {
        if (timers_.size() >> kSlotBits != 0) {
            throw ModelError("event wheel: more than 65536 timers");
        }
        timer.slot_ = static_cast<u32>(timers_.size());
        timers_.push_back(&timer);
    } else {
        timer.slot_ = free_slots_.back();
        free_slots_.pop_back();
        timers_[timer.slot_] = &timer;
    }
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
    if (vacant_) {
        vacant_ = false;
        pop();
    }
    const auto mine = [&](Entry e) { return &timer_of(e) == &timer; };
    heap_.erase(std::remove_if(heap_.begin(), heap_.end(), mine), heap_.end());
    std::sort(heap_.begin(), heap_.end()); // a sorted row is a heap
    timers_[timer.slot_] = nullptr;
    free_slots_.push_back(timer.slot_);
    delete timer.kernel_event_;
}

bool EventWheel::others_armed(const Timer& timer) const
{
    for (const Timer* const t : timers_) {
        if (t != nullptr && t != &timer && t->armed_) {
            return true;
        }
    }
    return false;
}

void EventWheel::start_of_simulation()
{
    started_ = true;
    notify_kernel();
    if (backend_ == Backend::Kernel) {
        for (const Entry entry : heap_) {
            if (!stale(entry)) {
                timer_of(entry).kernel_event_->notify(
                    sc_core::sc_time::from_value((time_of(entry) - kernel_now()).value()));
            }
        }
    }
}

void EventWheel::schedule(Timer& timer)
{
    assert(timer.at_ >= now());
    timer.order_ = (static_cast<u64>(timer.priority_) << (kSequenceBits + kSlotBits)) |
                   (++sequence_ << kSlotBits) | timer.slot_;
    push((static_cast<Entry>(timer.at_.value()) << 64) | timer.order_);
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
    } else if (!running_ && &timer_of(heap_.front()) == &timer) {
        wake_.notify(sc_core::sc_time::from_value((timer.at_ - kernel_now()).value()));
    }
}

bool EventWheel::stale(Entry entry) const
{
    const Timer& timer = timer_of(entry);
    return !timer.armed_ || timer.order_ != static_cast<u64>(entry);
}

void EventWheel::push(Entry entry)
{
    if (vacant_) { // the callback of the root arms a timer: one sift instead of two
        vacant_ = false;
        sift_down(entry);
        return;
    }
    std::size_t hole = heap_.size();
    heap_.push_back(entry);
    Entry* const heap = heap_.data();
    while (hole > 0) {
        const std::size_t parent = (hole - 1) / kArity;
        if (heap[parent] <= entry) {
            break;
        }
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = entry;
}

void EventWheel::pop()
{
    const Entry last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
        sift_down(last);
    }
}

/// Put `entry` where the root was.
void EventWheel::sift_down(Entry entry)
{
    const std::size_t size = heap_.size();
    Entry* const heap = heap_.data();
    std::size_t hole = 0;
    for (;;) {
        const std::size_t first = hole * kArity + 1;
        std::size_t best;
        if (first + kArity <= size) { // all four children: choose without branches
            const std::size_t left = first + (heap[first + 1] < heap[first]);
            const std::size_t right = first + 2 + (heap[first + 3] < heap[first + 2]);
            best = heap[right] < heap[left] ? right : left;
        } else if (first < size) {
            best = first;
            for (std::size_t i = first + 1; i < size; ++i) {
                best = heap[i] < heap[best] ? i : best;
            }
        } else {
            break;
        }
        if (entry <= heap[best]) {
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
        if (vacant_) {
            vacant_ = false;
            pop();
        }
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
    while (!heap_.empty() && time_of(heap_.front()) <= end && !stop_requested_) {
        const Entry entry = heap_.front();
        if (stale(entry)) {
            pop();
            continue;
        }
        Timer& timer = timer_of(entry);
        now_ = time_of(entry);
        timer.armed_ = false;
        ++events_;
        vacant_ = true;
        timer.callback_(timer.owner_);
        if (vacant_) {
            vacant_ = false;
            pop();
        }
    }
}

void EventWheel::notify_kernel()
{
    while (!heap_.empty() && stale(heap_.front())) {
        pop();
    }
    if (backend_ == Backend::Wheel && !heap_.empty()) {
        wake_.notify(sc_core::sc_time::from_value((time_of(heap_.front()) - kernel_now()).value()));
    }
}

} // namespace tlmssd::time
