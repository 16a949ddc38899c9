// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a HAL that writes down what native firmware asks for and lets the test answer.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/cpu/executor_if.h"
#include "models/cpu/hal_if.h"
#include "tb/firmware/private.h"
#include "tb/support/fw_config.h"

namespace tlmssd::tb {

/// What fw_panic() becomes.
struct FirmwarePanic : std::runtime_error {
    FirmwarePanic(u32 c, u32 d)
        : runtime_error("firmware panic " + std::to_string(c) + ", detail " + std::to_string(d)),
          code(c), detail(d)
    {
    }
    u32 code, detail;
};

struct CopyJob {
    u32 dst, src;
    u64 sectors;
    u32 cookie;
};

struct HostEnd {
    u32 tag, status;
    friend bool operator==(const HostEnd& a, const HostEnd& b)
    {
        return a.tag == b.tag && a.status == b.status;
    }
};

/// What a scheduler's row of firmware/hal/sched.def says of it.
inline bool has_trait(u32 scheduler, u32 trait) { return (fw_sched_traits[scheduler] & trait) != 0; }

/// Schedulers that ftl.gc.copyback works with.
inline bool copies_back(u32 scheduler) { return has_trait(scheduler, SCHED_COPIES_BACK); }

/// Schedulers that promise to submit to idle dies only.
inline bool one_a_die(u32 scheduler) { return has_trait(scheduler, SCHED_ONE_A_DIE); }

/// Events go in by post(); step() runs one core until it has taken them all.
class HalLog : public cpu::HalIf {
public:
    static constexpr u64 kNotArmed = ~u64{0};

    explicit HalLog(const fw_config& config)
        : config_(config), firmware_(std::make_unique<fw>())
    {
        const u64 bytes = fw_arena_bytes(&config_);
        arena_.assign(bytes + 64, 0);
        const u64 skew = (64 - reinterpret_cast<std::uintptr_t>(arena_.data()) % 64) % 64;
        if (!fw_boot(firmware_.get(), &config_, cpu::native_handle(*this), arena_.data() + skew,
                     bytes)) {
            throw std::runtime_error("fw_arena_bytes() is smaller than what fw_boot() needs");
        }
        firmware_->probing = ~0u;
    }

    fw* f() { return firmware_.get(); }
    const fw* f() const { return firmware_.get(); }
    const fw_config& config() const { return config_; }
    const fw_stats& stats() const { return firmware_->stats; }

    /// Steps run there from now on; before the first event. f() is then its mirror (IssMirror).
    void run_on(std::unique_ptr<cpu::ExecutorIf> executor)
    {
        executor_ = std::move(executor);
        executor_->connect(*this);
    }
    bool firmware_idle() { return executor_ ? executor_->idle() : fw_idle(f()); }

    virtual void post(u32 module, const hal_event& event)
    {
        events_[config_.core_of[module]].push_back(event);
    }
    virtual void step(u32 core)
    {
        if (executor_) {
            executor_->step(core, now_us);
        } else {
            fw_step(firmware_.get(), core, now_us);
        }
    }
    bool pending(u32 core) const { return !events_[core].empty(); }

    std::vector<flash_op> submitted;
    std::vector<struct ::hal_host_dma> dmas;
    std::vector<HostEnd> ended;
    std::vector<CopyJob> copies;
    std::array<u32, FW_PROBE_COUNT> probes{};
    bool refuse = false; ///< flash_submit says: full
    u32 refused = 0;
    std::array<u64, 4> timers{kNotArmed, kNotArmed, kNotArmed, kNotArmed}; ///< by module, in us
    u64 now_us = 0;

    /// The armed timer of `module` fires, at its time or now.
    void fire(u32 module)
    {
        now_us = std::max(now_us, timers.at(module));
        timers[module] = kNotArmed;
        hal_event event{};
        event.kind = HAL_EVENT_TIMER;
        event.cookie = module;
        post(module, event);
    }

    bool next_event(u32 core, hal_event& event) override
    {
        if (events_[core].empty()) {
            return false;
        }
        event = events_[core].front();
        events_[core].pop_front();
        return true;
    }
    bool flash_submit(const flash_op& op) override
    {
        if (refuse) {
            ++refused;
            return false;
        }
        submitted.push_back(op);
        return true;
    }
    void host_dma(const struct ::hal_host_dma& dma) override { dmas.push_back(dma); }
    void host_complete(u32 tag, u32 status) override { ended.push_back({tag, status}); }
    void copy(u32 dst, u32 src, u64 sectors, u32 cookie) override
    {
        copies.push_back({dst, src, sectors, cookie});
    }
    void timer_arm(u32 id, u64 at_us) override { timers.at(id) = at_us; }
    void send(u32 core, const hal_message& message) override
    {
        hal_event event{};
        event.kind = HAL_EVENT_MESSAGE;
        event.u.message = message;
        events_.at(core).push_back(event);
    }
    void probe(u32 id, u32 value) override { probes.at(id) = value; }
    void panic(u32 code, u32 detail) override { throw FirmwarePanic(code, detail); }

protected:
    fw_config config_;
    std::array<std::deque<hal_event>, FW_MAX_CORES> events_;

private:
    std::unique_ptr<fw> firmware_;
    std::vector<u8> arena_;
    std::unique_ptr<cpu::ExecutorIf> executor_; ///< null: native
};

/// One module alone: each module has its own core, and messages from the module under test to others are
/// kept in sent() instead of being delivered.
class ModuleRig : public HalLog {
public:
    explicit ModuleRig(fw_config config) : HalLog(own_cores(config)) {}

    void send(u32 core, const hal_message& message) override
    {
        if (core == f()->core) { // to itself
            HalLog::send(core, message);
            return;
        }
        fw_message m;
        static_assert(sizeof m == sizeof message);
        __builtin_memcpy(&m, &message, sizeof m);
        sent.push_back(m);
    }
    /// Give a message to its module and run the module.
    void deliver(fw_module module, fw_message m)
    {
        m.module = module;
        hal_event event{};
        event.kind = HAL_EVENT_MESSAGE;
        __builtin_memcpy(&event.u.message, &m, sizeof m);
        give(module, event);
    }
    /// The same with a message that names an operation, or whatever `a` is of that kind.
    void tell(fw_module module, u16 kind, u32 a)
    {
        fw_message m{};
        m.kind = kind;
        m.a = a;
        deliver(module, m);
    }
    void give(fw_module module, const hal_event& event)
    {
        post(module, event);
        while (pending(module)) { // what it sends to itself, too
            step(module);
        }
    }
    /// Messages sent since the last call.
    std::vector<fw_message> take()
    {
        std::vector<fw_message> all;
        all.swap(sent);
        return all;
    }
    /// The only message sent since the last call; fails with another kind where there is not one.
    fw_message take_one()
    {
        const std::vector<fw_message> all = take();
        if (all.size() != 1) {
            fw_message none{};
            none.kind = 0xffff;
            return none;
        }
        return all[0];
    }

    std::vector<fw_message> sent;

private:
    static fw_config own_cores(fw_config config)
    {
        config.cores = 4;
        for (u32 module = 0; module < FW_MODULE_COUNT; ++module) {
            config.core_of[module] = module < 4 ? module : 0;
        }
        return config;
    }
};

} // namespace tlmssd::tb
