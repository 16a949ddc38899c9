// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the timer heap and its two back-ends on the SystemC kernel.
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include "models/time/event_queue.h"

#include <cassert>
#include <cstdio>
#include <cstdlib>

#include "models/common/error.h"
#include "models/common/interrupt.h"

namespace tlmssd::time {

namespace {

constexpr u64 kLookEvery = 256; // callbacks between looks at signals: under 100 ms of any model

} // namespace

Timer::Timer(EventQueue& event_queue, Priority priority, Callback callback, void* owner)
    : event_queue_(event_queue), callback_(callback), owner_(owner),
      tie_(EventQueue::tie_of(priority))
{
    event_queue_.attach(*this);
}

Timer::~Timer() { event_queue_.detach(*this); }

void Timer::arm(Picoseconds at)
{
    assert(at >= event_queue_.now());
    at_ = at;
    event_queue_.schedule(*this);
}

void Timer::cancel() { order_ = kIdle; }

EventQueue::EventQueue(sc_core::sc_module_name name, Backend backend, Picoseconds quantum)
    : sc_module(name), backend_(backend), quantum_(quantum)
{
    SC_HAS_PROCESS(EventQueue);
    SC_METHOD(run);
    sensitive << wake_;
    dont_initialize();
}

/// A timer that outlives its queue would write into freed memory when it goes.
EventQueue::~EventQueue()
{
    for (const Timer* const t : timers_) {
        if (t != nullptr) {
            std::fputs("tlmssd: a Timer outlives its EventQueue\n", stderr);
            std::abort();
        }
    }
}

Picoseconds EventQueue::kernel_now() { return Picoseconds(sc_core::sc_time_stamp().value()); }

void EventQueue::attach(Timer& timer)
{
    u32 slot = static_cast<u32>(timers_.size());
    if (free_slots_.empty()) {
        if (slot >> kSlotBits != 0) {
            throw ModelError("event queue: more than 65536 timers");
        }
        timers_.push_back(&timer);
    } else {
        slot = free_slots_.back();
        free_slots_.pop_back();
        timers_[slot] = &timer;
    }
    timer.tie_ |= slot;
    if (backend_ != Backend::Kernel) {
        return;
    }
    // The timer's own event wakes the dispatcher one delta later, when all timers of this instant
    // have fired; the heap then gives the order that the event queue back-end would give.
    timer.kernel_event_ = new sc_core::sc_event;
    sc_core::sc_spawn_options options;
    options.spawn_method();
    options.set_sensitivity(timer.kernel_event_);
    options.dont_initialize();
    sc_core::sc_spawn([this] { wake_.notify(sc_core::SC_ZERO_TIME); },
                      sc_core::sc_gen_unique_name("timer"), &options);
}

void EventQueue::detach(Timer& timer)
{
    const auto mine = [&](Entry e) { return e != kNoTimer && &timer_of(e) == &timer; };
    near_.remove_if(mine);
    far_.remove_if(mine);
    timers_[slot_of(timer.tie_)] = nullptr;
    free_slots_.push_back(slot_of(timer.tie_));
    delete timer.kernel_event_;
}

bool EventQueue::others_armed(const Timer& timer, const Timer& partner) const
{
    for (const Timer* const t : timers_) {
        if (t != nullptr && t != &timer && t != &partner && t->armed()) {
            return true;
        }
    }
    return false;
}

void EventQueue::start_of_simulation()
{
    inside_ = false;
    notify_kernel();
    if (backend_ == Backend::Kernel) {
        const auto notify = [this](Entry entry) {
            if (!stale(entry)) {
                timer_of(entry).kernel_event_->notify(
                    sc_core::sc_time::from_value((time_of(entry) - kernel_now()).value()));
            }
        };
        near_.for_each(notify);
        far_.for_each(notify);
    }
}

/// What has been armed outside a run-ahead may have to wake the kernel.
void EventQueue::tell_kernel(Timer& timer, Entry entry)
{
    if (backend_ == Backend::Kernel) {
        const Picoseconds kernel = kernel_now();
        timer.kernel_event_->cancel();
        if (!running_ || timer.at_ > kernel) {
            timer.kernel_event_->notify(
                sc_core::sc_time::from_value((timer.at_ - kernel).value()));
        }
    } else if (front() == entry) {
        wake_.notify(sc_core::sc_time::from_value((timer.at_ - kernel_now()).value()));
    }
}

bool EventQueue::stale(Entry entry) const
{
    return timer_of(entry).order_ != static_cast<u64>(entry);
}

void EventQueue::pop(Entry front)
{
    if (is_far(front)) {
        far_.pop();
        if (const Entry next = far_.front(); next != kNoTimer) { // of many arrays its data have left the cache
            __builtin_prefetch(timer_of(next).data_, 1);
        }
    } else {
        near_.pop();
    }
}

/// How far the queue may run ahead from `from`: no process of the kernel acts before that.
Picoseconds EventQueue::bound(Picoseconds from) const
{
    Picoseconds end = from + quantum_;
    if (sc_core::sc_pending_activity_at_future_time()) {
        end = min(end, kernel_now() + Picoseconds(sc_core::sc_time_to_pending_activity().value()));
    }
    return min(end, limit_);
}

/// A quantum is over, and the kernel would do nothing but wake the queue for its next timer.
bool EventQueue::goes_on()
{
    if (!to_the_end_ || stop_requested_ || front() == kNoTimer || sc_core::sc_pending_activity_at_current_time()) {
        return false;
    }
    const Picoseconds at = time_of(front());
    end_ = bound(at);
    return at <= end_;
}

void EventQueue::run()
{
    ++wakes_;
    now_ = kernel_now();
    // Another process of this instant may not have armed its next event yet: then stay here.
    const bool ahead = backend_ == Backend::Queue && !sc_core::sc_pending_activity_at_current_time();
    end_ = ahead ? bound(now_) : min(now_, limit_);
    running_ = true;
    inside_ = backend_ == Backend::Queue;
    try {
        do {
            run_ahead();
        } while (ahead && goes_on());
    } catch (...) {
        failure_ = std::current_exception();
        stop_requested_ = true;
    }
    running_ = inside_ = false;
    if (stop_requested_) {
        sc_core::sc_stop();
        return;
    }
    notify_kernel();
}

void EventQueue::run_ahead()
{
    while (!stop_requested_) {
        const Entry entry = front();
        if (time_of(entry) > end_ || entry == kNoTimer) {
            return;
        }
        Timer& timer = timer_of(entry);
        pop(entry);
        if (stale(entry)) {
            continue;
        }
        if (const Entry next = front(); next != kNoTimer) { // of many timers it has left the cache
            __builtin_prefetch(&timer_of(next));
        }
        now_ = time_of(entry);
        timer.order_ = Timer::kIdle;
        if (++events_ % kLookEvery == 0 && tlmssd::stop_requested()) {
            throw Interrupted();
        }
        timer.callback_(timer.owner_);
    }
}

void EventQueue::notify(sc_core::sc_event& event)
{
    event.notify(sc_core::sc_time::from_value((now() - kernel_now()).value()));
    if (running_) {
        end_ = min(end_, now_);
    }
}

void EventQueue::notify_kernel()
{
    while (front() != kNoTimer && stale(front())) {
        pop(front());
    }
    if (backend_ == Backend::Queue && front() != kNoTimer) {
        wake_.notify(sc_core::sc_time::from_value((time_of(front()) - kernel_now()).value()));
    }
}

} // namespace tlmssd::time
