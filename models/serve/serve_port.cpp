// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NBD client's requests on their way from and to the ring.
#include "models/serve/serve_port.h"

#include <sched.h>

#include <chrono>
#include <cstring>

#include "models/common/geometry.h"

namespace tlmssd::serve {

namespace {

constexpr u64 kPollPs = 5'000'000; ///< simulated time between looks at the ring: 5 us
constexpr u32 kControlEvery = 4096; ///< looks
constexpr u32 kAwakeUs = 50;
constexpr u32 kSleepMs = 200;       ///< at a time: a child that ends wakes nobody

} // namespace

/// What the host pulls requests from.
class ServeSource final : public workload::RequestSource {
public:
    explicit ServeSource(ServePort& port) : port_(port) {}
    bool next(workload::Request& request) override
    {
        const bool found = port_.next(request);
        counts_.requests += found;
        return found;
    }
    bool waits() const override { return !port_.stopping_; }
    const workload::SourceCounts& counts() const override { return counts_; }
    u64 expected() const override { return 0; }
    double progress() const override { return -1; }

private:
    ServePort& port_;
    workload::SourceCounts counts_;
};

ServePort::ServePort(ServeMemory& memory, std::function<void()> control)
    : memory_(memory), ring_(memory.ring()), control_(std::move(control))
{
}

/// Whoever waits for an answer is told that none comes.
ServePort::~ServePort()
{
    __atomic_store_n(&ring_.closed, 1, __ATOMIC_RELEASE);
}

workload::Job ServePort::job(u32 queue_depth)
{
    workload::Job job;
    job.rules.name = "nbd";
    job.rules.mode = config::LoopMode::Open;
    job.rules.iodepth = queue_depth;
    job.workload = "nbd";
    job.source = std::make_unique<ServeSource>(*this);
    return job;
}

void ServePort::attach(time::EventQueue& event_queue, host::Initiator& initiator)
{
    event_queue_ = &event_queue;
    initiator_ = &initiator;
    timer_ = std::make_unique<time::Timer>(event_queue, time::Priority::Host,
                                           time::Timer::call<&ServePort::on_timer, ServePort>, this);
    initiator.carry(*this);
}

void ServePort::detach() { timer_.reset(); }

void ServePort::learn(const host::ExpectedVersions& versions)
{
    const u64 units = versions.units();
    const u64 pages = ring_.sectors / ring_.page_sectors;
    const u64 per_page = units / pages;
    for (u64 page = 0; page < pages; ++page) {
        for (u64 unit = page * per_page; unit < (page + 1) * per_page; ++unit) {
            if (versions.word(unit) != 0) {
                memory_.mark(page, page + 1, true);
            }
        }
    }
}

void ServePort::start()
{
    origin_ = event_queue_->now();
    timer_->arm(origin_);
}

void ServePort::stop()
{
    stopping_ = true;
    initiator_->wake();
}

/// Requests that have come since the last look; false: none.
bool ServePort::collect()
{
    bool any = false;
    for (u32 word = 0; word < SERVE_WORDS; ++word) {
        if (__atomic_load_n(&ring_.asked[word], __ATOMIC_RELAXED) == 0) {
            continue;
        }
        for (u64 asked = __atomic_exchange_n(&ring_.asked[word], 0, __ATOMIC_ACQUIRE); asked != 0;
             asked &= asked - 1) {
            found_.push(word * 64 + static_cast<u32>(__builtin_ctzll(asked)));
            any = true;
        }
    }
    return any;
}

bool ServePort::next(workload::Request& request)
{
    if (found_.empty() && !collect()) {
        return false;
    }
    const u32 slot = found_.pop();
    taken_.push(slot);
    const serve_slot& s = ring_.slot[slot];
    request.arrival = event_queue_->now() - origin_;
    request.lba = s.lba;
    request.sectors = s.sectors;
    request.kind = s.opcode == SERVE_ZERO ? workload::Kind::Write : static_cast<workload::Kind>(s.opcode);
    request.fua = s.fua != 0;
    return true;
}

void ServePort::on_timer()
{
    if (++polls_ % kControlEvery == 0) {
        control_();
    }
    if (collect()) {
        initiator_->wake();
    } else if (initiator_->outstanding() == 0 && found_.empty() && !stopping_) {
        if (!wait_awake()) {
            sleep();
            control_();
        }
        initiator_->wake();
    }
    if (!stopping_) { // else nothing that comes is left out: nbdkit has ended
        timer_->arm(event_queue_->now() + Picoseconds(kPollPs));
    }
}

/// A busy client has its next request soon: to sleep and to be woken up costs both sides more than to let the
/// others run for a while.
bool ServePort::wait_awake()
{
    using Clock = std::chrono::steady_clock;
    for (const auto limit = Clock::now() + std::chrono::microseconds(kAwakeUs); Clock::now() < limit;) {
        if (collect()) {
            return true;
        }
        sched_yield();
    }
    return false;
}

void ServePort::sleep()
{
    __atomic_store_n(&ring_.sleeping, 1, __ATOMIC_SEQ_CST);
    u64 asked = 0;
    for (u32 word = 0; word < SERVE_WORDS; ++word) {
        asked |= __atomic_load_n(&ring_.asked[word], __ATOMIC_SEQ_CST);
    }
    if (asked == 0) {
        serve_sleep(&ring_.sleeping, 1, kSleepMs);
    }
    __atomic_store_n(&ring_.sleeping, 0, __ATOMIC_SEQ_CST);
}

void ServePort::on_issued(const host::RequestRecord& request)
{
    const hal_host_command& command = request.command;
    slot_of_[command.tag] = taken_.pop();
    if (command.opcode == HAL_HOST_WRITE || command.opcode == HAL_HOST_TRIM) {
        mark(command, command.opcode == HAL_HOST_WRITE);
    }
}

/// A page that is only touched by a write holds data; a TRIM is of whole pages.
void ServePort::mark(const hal_host_command& command, bool data)
{
    const u64 page = ring_.page_sectors;
    memory_.mark(command.lba / page, (command.lba + command.sectors + page - 1) / page, data);
}

void ServePort::on_request(const host::RequestRecord& request)
{
    const hal_host_command& command = request.command;
    serve_slot& slot = ring_.slot[slot_of_[command.tag]];
    if (request.status != HAL_HOST_OK && command.opcode == HAL_HOST_TRIM) {
        mark(command, true);
    }
    slot.failed = request.status != HAL_HOST_OK;
    if (__atomic_exchange_n(&slot.state, SERVE_DONE, __ATOMIC_RELEASE) == SERVE_AWAITED) {
        serve_wake(&slot.state);
    }
}

void ServePort::give(u32 tag, u32 offset, u32 sectors, u8* bytes)
{
    const u32 slot = slot_of_[tag];
    if (ring_.slot[slot].opcode == SERVE_ZERO) {
        std::memset(bytes, 0, u64{sectors} * kSectorBytes);
    } else {
        std::memcpy(bytes, serve_data(&ring_, slot) + u64{offset} * kSectorBytes, u64{sectors} * kSectorBytes);
    }
}

void ServePort::take(u32 tag, u32 offset, u32 sectors, const u8* bytes)
{
    std::memcpy(serve_data(&ring_, slot_of_[tag]) + u64{offset} * kSectorBytes, bytes, u64{sectors} * kSectorBytes);
}

} // namespace tlmssd::serve
