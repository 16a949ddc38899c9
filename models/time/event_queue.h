// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the model's clockwork: timers on a heap that runs ahead of the SystemC kernel, exactly.
#pragma once

#include <exception>
#include <systemc>
#include <vector>

#include "models/common/picoseconds.h"
#include "models/common/types.h"
#include "models/time/timer_queue.h"

namespace tlmssd::time {

class EventQueue;

/// Order of timers that fall on the same picosecond; lower runs first. Ties within one priority run
/// in the order in which they were armed.
enum class Priority : u8 { Array = 0, Bus = 1, Dma = 2, Link = 3, Host = 4, Output = 5, Step = 6, Clock = 7 };

/// One pending callback of a component. At most one time is pending; arm() again moves it.
/// Of a thousand timers each is touched rarely: one cache line.
class alignas(64) Timer {
public:
    using Callback = void (*)(void* owner);

    Timer(EventQueue& event_queue, Priority priority, Callback callback, void* owner);
    /// Timer(event queue, priority, Timer::call<&Die::on_done>, this)
    template <auto Member, class Owner>
    static void call(void* owner)
    {
        (static_cast<Owner*>(owner)->*Member)();
    }
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    /// Fire at absolute time `at`, which is not before now().
    void arm(Picoseconds at);
    void cancel();
    /// Data that the callback will use: fetched into the cache shortly before, for timers of Priority::Array. May be null.
    void uses(const void* data) { data_ = data; }
    bool armed() const { return order_ != kIdle; }
    Picoseconds at() const { return at_; }

private:
    friend class EventQueue;
    static constexpr u64 kIdle = 0; ///< no entry has it: sequences begin at 1

    EventQueue& event_queue_;
    Callback callback_;
    void* owner_;
    Picoseconds at_;
    u64 order_ = kIdle; ///< low word of the entry that counts, kIdle where none does; others are stale
    u64 tie_ = 0;       ///< the part of order_ that stays: priority and slot
    sc_core::sc_event* kernel_event_ = nullptr; ///< Backend::Kernel
    const void* data_ = nullptr;
};

enum class Backend : u8 {
    Queue, ///< one sc_event for all timers, run ahead of the kernel
    Kernel ///< one sc_event a timer; slow, the reference
};

/// Holds the timers of one SSD. The event queue runs ahead of the kernel up to the next kernel activity,
/// the quantum or the end of the run, so that no process can see the difference.
/// Under run-ahead sc_time_stamp() is stale: ask now().
class EventQueue : public sc_core::sc_module {
public:
    EventQueue(sc_core::sc_module_name name, Backend backend = Backend::Queue,
               Picoseconds quantum = milliseconds(1));
    ~EventQueue() override;

    /// Model time. Inside a callback: the callback's time. Outside: the kernel's time.
    Picoseconds now() const
    {
        return running_ ? now_ : kernel_now();
    }
    /// No timer later than `end` runs; tell it before sc_start(end - now).
    void set_limit(Picoseconds end) { limit_ = end; }
    /// Before an sc_start() without a length: nobody acts when a quantum is over, so the kernel is asked then, not woken.
    void run_to_the_end() { to_the_end_ = true; }
    /// Notify an event of the kernel at now(). Inside a callback the event queue runs ahead no further, so
    /// that a process of the kernel can answer at the time at which this was asked.
    void notify(sc_core::sc_event& event);
    /// Finish the callback that runs, then return to the kernel and call sc_stop().
    void stop() { stop_requested_ = true; }
    /// The exception of a callback; the event queue has then stopped. The kernel would have hidden
    /// its type.
    std::exception_ptr failure() const { return failure_; }
    /// Time of the last callback; the model's time after a stop inside run-ahead.
    Picoseconds last() const { return now_; }
    /// Whether a timer other than `timer` is armed: if not, nothing more will happen by itself.
    bool others_armed(const Timer& timer) const { return others_armed(timer, timer); }
    /// The same for two that would keep each other alive.
    bool others_armed(const Timer& timer, const Timer& partner) const;
    u64 events() const { return events_; }       ///< callbacks run
    u64 kernel_wakes() const { return wakes_; } ///< SC_METHOD activations

private:
    friend class Timer;
    static constexpr u32 kSlotBits = 16;
    static constexpr u32 kSequenceBits = 44; ///< 1.7e13 arms a run
    using Entry = TimerEntry; ///< time (64 bits), priority (4), sequence (44), slot (16)
    static Picoseconds time_of(Entry entry) { return Picoseconds(static_cast<u64>(entry >> 64)); }
    Timer& timer_of(Entry entry) const
    {
        return *timers_[slot_of(static_cast<u64>(entry))];
    }

    void start_of_simulation() override;
    static Picoseconds kernel_now();
    void attach(Timer& timer);
    void detach(Timer& timer);
    void schedule(Timer& timer)
    {
        timer.order_ = timer.tie_ | ++sequence_ << kSlotBits;
        const Entry entry = (static_cast<Entry>(timer.at_.value()) << 64) | timer.order_;
        if (is_far(timer.tie_)) {
            far_.push(entry);
        } else {
            near_.push(entry);
        }
        if (!inside_) {
            tell_kernel(timer, entry);
        }
    }
    void tell_kernel(Timer& timer, Entry entry);
    static u64 tie_of(Priority priority) { return static_cast<u64>(priority) << (kSequenceBits + kSlotBits); }
    static u32 slot_of(u64 order) { return static_cast<u32>(order & ((u64{1} << kSlotBits) - 1)); }
    static bool is_far(Entry entry)
    {
        return static_cast<u64>(entry) >> (kSequenceBits + kSlotBits) ==
               static_cast<u64>(Priority::Array);
    }
    /// The earliest entry, kNoTimer where there is none.
    Entry front() const { return std::min(near_.front(), far_.front()); }
    void pop(Entry front);
    bool stale(Entry entry) const;
    void run();
    void run_ahead();
    Picoseconds bound(Picoseconds from) const;
    bool goes_on();
    void notify_kernel();

    Backend backend_;
    Picoseconds quantum_;
    Picoseconds limit_ = kTimeNever;
    Picoseconds now_;
    Picoseconds end_; ///< of the current run-ahead
    NearTimers near_;             ///< buses, DMA, links, host, CPU, clock
    FarTimers far_;               ///< arrays: one per die, a long time ahead
    std::vector<Timer*> timers_;  ///< by slot
    std::vector<u32> free_slots_; ///< of timers that are gone
    sc_core::sc_event wake_;
    u64 sequence_ = 0;
    u64 events_ = 0;
    u64 wakes_ = 0;
    bool running_ = false;
    bool inside_ = true; ///< before the start or in a run-ahead: the kernel need not hear of what is armed
    bool to_the_end_ = false;
    bool stop_requested_ = false;
    std::exception_ptr failure_;
};

} // namespace tlmssd::time
