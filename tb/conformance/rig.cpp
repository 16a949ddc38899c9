// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the conformance suite's device.
#include "tb/conformance/rig.h"

#include <algorithm>
#include <stdexcept>

#include "models/cpu/iss/iss_executor.h"
#include "tb/cpu/iss_support.h"

namespace tlmssd::tb {

namespace {

/// What FirmwareImage::mirror() does for the simulator.
cpu::IssMirror mirror_of(fw& state)
{
    cpu::IssMirror m;
    m.state = &state;
    for (u32 id = 0; id < m.shown.size(); ++id) {
        m.shown[id] = fw_shown(&state, id);
    }
    m.blocks = fw_blocks(&state, &m.blocks_bytes);
    return m;
}

fw_config with_oob_base(fw_config c)
{
    c.oob_base = static_cast<u32>(fw_page_buffer_bytes(&c)); // whole pages: the image checks it
    return c;
}

config::ControllerMode mode_of(u32 scheduler)
{
    using Mode = config::ControllerMode;
    [[maybe_unused]] constexpr Mode SERIAL = Mode::Serial, INORDER = Mode::InOrder, OOO = Mode::Ooo;
    static constexpr Mode modes[] = {
#define SCHED(id, name, mode, traits, text) mode,
#include "firmware/hal/sched.def"
#undef SCHED
    };
    return modes[scheduler];
}

flash::O3Core::Shape shape_of(const fw_config& c, u32 page_bits, u64 age_us)
{
    flash::O3Core::Shape s;
    s.mode = mode_of(c.scheduler);
    s.tags = c.flash_tags;
    s.channels = c.channels;
    s.luns = c.channels * c.ways * c.dies;
    s.page_bits = page_bits;
    s.age_limit = microseconds(age_us);
    return s;
}

} // namespace

Conformer::Conformer(fw_config config, u64 seed, On on) : DurableDevice(with_oob_base(config), seed)
{
    if (on == On::Iss) {
        run_on(std::make_unique<cpu::IssExecutor>(cpu::load_iss_unicorn(), cpu::test::rv32_image(),
                                                  100'000'000, mirror_of(*f())));
    }
}

// ---- in time ----

TimedConformer::TimedConformer(const fw_config& config, On on, u64 controller_age_us)
    : Conformer(config, 1, on), core_(shape_of(config, f()->ftl->page_bits, controller_age_us))
{
}

bool TimedConformer::flash_submit(const flash_op& op)
{
    if (!Conformer::flash_submit(op)) {
        return false;
    }
    core_.submit(op, die_of(op), 1, now());
    return true;
}

u32 TimedConformer::start(const Job& job)
{
    jobs_.push_back(job);
    issue_job(static_cast<u32>(jobs_.size() - 1));
    return static_cast<u32>(jobs_.size() - 1);
}

void TimedConformer::issue_job(u32 number)
{
    const Job& job = jobs_[number];
    const u32 tag = issue(job.opcode, u64{job.lpn} * spp(), job.pages * spp());
    inside_jobs_[tag] = {number, now_us};
}

/// Commands that have ended are counted and perhaps issued again; false: there were none.
bool TimedConformer::collect()
{
    std::vector<HostEnd> fresh;
    fresh.swap(ended);
    for (const HostEnd& end : fresh) {
        const auto [number, since] = inside_jobs_.at(end.tag);
        inside_jobs_.erase(end.tag);
        jobs_[number].longest_us = std::max(jobs_[number].longest_us, now_us - since);
        if (jobs_[number].again) {
            issue_job(number);
        }
    }
    return !fresh.empty();
}

void TimedConformer::start_operations()
{
    u32 tag = 0;
    while (core_.next(now(), tag)) {
        const auto flight = std::find_if(flights().begin(), flights().end(),
                                         [&](const Flight& f) { return f.op.tag == tag; });
        const u32 ns = flight->op.opcode == FLASH_OP_READ      ? config().t_read_ns
                       : flight->op.opcode == FLASH_OP_PROGRAM ? config().t_program_ns
                                                               : config().t_erase_ns;
        ends_us_[tag] = now_us + ns / 1000;
    }
}

void TimedConformer::finish_tag(u32 tag)
{
    for (std::size_t i = 0; i < flights().size(); ++i) {
        if (flights()[i].op.tag == tag) {
            finish(i);
            return;
        }
    }
    throw std::runtime_error("the controller ends an operation that is not in flight");
}

void TimedConformer::end_operation(u32 tag)
{
    core_.release(tag);
    const u32 stream = core_.end(tag, now());
    if (!core_.retires_in_order()) {
        finish_tag(tag);
        return;
    }
    for (u32 told = 0; core_.retire(stream, now(), told);) {
        finish_tag(told);
    }
}

/// Go to the next end of an operation or timer, and let all that is due then happen. False: it is
/// later than `limit`, or there is none.
bool TimedConformer::next_time(u64 limit)
{
    u64 next = kNotArmed;
    for (const auto& [tag, end] : ends_us_) {
        next = std::min(next, end);
    }
    for (const u64 timer : timers) {
        next = std::min(next, timer);
    }
    if (next == kNotArmed || std::max(next, now_us) > limit) {
        return false;
    }
    now_us = std::max(next, now_us);
    for (u32 module = 0; module < timers.size(); ++module) {
        if (timers[module] <= now_us) {
            fire(module);
        }
    }
    std::vector<u32> due;
    for (const auto& [tag, end] : ends_us_) {
        if (end == now_us) {
            due.push_back(tag);
        }
    }
    for (const u32 tag : due) {
        ends_us_.erase(tag);
        end_operation(tag);
    }
    return true;
}

void TimedConformer::run_until(u64 us)
{
    do {
        do {
            run();
            start_operations();
        } while (collect());
    } while ((inside() != 0 || !ends_us_.empty()) && next_time(us));
    const bool sleeps = std::all_of(timers.begin(), timers.end(), [](u64 at) { return at == kNotArmed; });
    if (inside() != 0 && ends_us_.empty() && sleeps) {
        throw std::runtime_error(std::to_string(inside()) + " commands hang: the flash is idle");
    }
}

u64 TimedConformer::longest_us(u32 job) const
{
    u64 longest = jobs_[job].longest_us;
    for (const auto& [tag, inside] : inside_jobs_) {
        if (inside.first == job) {
            longest = std::max(longest, now_us - inside.second);
        }
    }
    return longest;
}

} // namespace tlmssd::tb
