// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: firmware that breaks one promise each is caught by the check that the conformance suite uses.
#include <gmock/gmock.h>

#include <functional>
#include <string>

extern "C" {
#include "firmware/sched/fifo/fifo.h"
}
#include "tb/conformance/loads.h"
#include "tb/cpu/iss_support.h"

namespace tlmssd::tb {
namespace {

using testing::HasSubstr;

std::string thrown(const std::function<void()>& run)
{
    try {
        run();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

// ---- at the seam, on both CPUs: the firmware behaves as if it had ... ----

enum class Fault {
    None,
    ServesTheYoungerFirst, ///< of two commands
    FlushesNothing,        ///< FLUSH ends like a command without work
    IgnoresFua,
    LosesAnOperation,      ///< its completion never comes
    EndsTwice
};

class Faulty final : public Conformer {
public:
    Faulty(const fw_config& config, On on, Fault fault) : Conformer(config, 1, on), fault_(fault) {}

    void post(u32 module, const hal_event& original) override
    {
        hal_event event = original;
        Conformer::post(module, event); // as it should be: the promise is noted
        std::deque<hal_event>& queue = events_[config().core_of[module]];
        hal_host_command& c = queue.back().u.command;
        const bool command = event.kind == HAL_EVENT_HOST_COMMAND;
        if (fault_ == Fault::ServesTheYoungerFirst && command && queue.size() >= 2) {
            std::swap(queue[queue.size() - 1], queue[queue.size() - 2]);
            fault_ = Fault::None;
        } else if (fault_ == Fault::FlushesNothing && command && c.opcode == HAL_HOST_FLUSH) {
            c.opcode = HAL_HOST_TRIM; // of a part of a page: there is nothing to do
            c.sectors = 1;
        } else if (fault_ == Fault::IgnoresFua && command) {
            c.flags = static_cast<u8>(c.flags & ~HAL_HOST_FUA);
        } else if (fault_ == Fault::LosesAnOperation && event.kind == HAL_EVENT_FLASH) {
            queue.pop_back();
            fault_ = Fault::None;
        }
    }
    void host_complete(u32 tag, u32 status) override
    {
        Conformer::host_complete(tag, status);
        if (fault_ == Fault::EndsTwice) {
            Conformer::host_complete(tag, status);
        }
    }

private:
    Fault fault_;
};

class BrokenFirmware : public testing::TestWithParam<On> {
protected:
    void SetUp() override
    {
        if (GetParam() == On::Iss) {
            TLMSSD_NEEDS_ISS();
        }
    }
    std::string run(Fault fault, u32 policy, const std::function<void(Device&)>& commands)
    {
        return thrown([&] {
            Faulty d(conformance_config(FW_SCHED_INORDER, policy, true), GetParam(), fault);
            commands(d);
            d.drain();
            d.read_page(0);
            d.drain();
        });
    }
};

TEST_P(BrokenFirmware, ThatSwapsOverlappingWritesIsCaught)
{
    const auto two = [](Device& d) { // a version per sector: 1 to 8, and 9 to 16
        d.write_page(0);
        d.issue(HAL_HOST_WRITE, 4, 8); // half of page 0
    };
    EXPECT_EQ(run(Fault::None, FW_BUFFER_LRU, two), "");
    EXPECT_THAT(run(Fault::ServesTheYoungerFirst, FW_BUFFER_LRU, two),
                HasSubstr("LBA 4 reads version 5 instead of 9"));
}

TEST_P(BrokenFirmware, ThatReadsBehindALaterWriteIsCaught)
{
    const auto two = [](Device& d) {
        d.write_page(0);
        d.drain();
        d.read_page(0);
        d.write_page(0);
    };
    EXPECT_EQ(run(Fault::None, FW_BUFFER_LRU, two), "");
    // The swap strikes where two events are queued: the read and the second write.
    EXPECT_THAT(run(Fault::ServesTheYoungerFirst, FW_BUFFER_LRU, two),
                HasSubstr("LBA 0 reads version 9 instead of 1"));
}

TEST_P(BrokenFirmware, ThatEndsFlushEarlyIsCaught)
{
    const auto flush = [](Device& d) {
        d.write_page(0);
        d.run();
        d.flush();
    };
    EXPECT_EQ(run(Fault::None, FW_BUFFER_LRU, flush), "");
    EXPECT_THAT(run(Fault::FlushesNothing, FW_BUFFER_LRU, flush), HasSubstr("LBA 0 is not in flash"));
}

TEST_P(BrokenFirmware, ThatIgnoresFuaIsCaught)
{
    const auto fua = [](Device& d) { d.write_page(3, HAL_HOST_FUA); };
    EXPECT_EQ(run(Fault::None, FW_BUFFER_LRU, fua), "");
    EXPECT_THAT(run(Fault::IgnoresFua, FW_BUFFER_LRU, fua), HasSubstr("LBA 24 is not in flash"));
}

TEST_P(BrokenFirmware, ThatDropsACompletionIsCaught)
{
    const auto write = [](Device& d) { d.write_page(0); };
    EXPECT_EQ(run(Fault::None, FW_BUFFER_NONE, write), "");
    EXPECT_THAT(run(Fault::LosesAnOperation, FW_BUFFER_NONE, write), HasSubstr("not idle"));
}

TEST_P(BrokenFirmware, ThatEndsACommandTwiceIsCaught)
{
    EXPECT_THAT(run(Fault::EndsTwice, FW_BUFFER_NONE, [](Device& d) { d.write_page(0); }),
                HasSubstr("ended twice"));
}

/// Without its limit, or with one of a second, each scheduler that has one starves somebody.
TEST_P(BrokenFirmware, ThatForgetsItsAgeLimitIsCaught)
{
    constexpr u32 kNever = 1'000'000;
    for (const u32 scheduler : {FW_SCHED_HOST, FW_SCHED_SOST}) {
        fw_config c = ReadersAgainstAWriter::config(scheduler);
        c.sost_age_limit_us = kNever;
        TimedConformer d(c, GetParam(), kNever);
        EXPECT_GT(ReadersAgainstAWriter::longest_us(d), ReadersAgainstAWriter::bound_us(1000)) << scheduler;
    }
    for (const u32 scheduler : {FW_SCHED_PAQ1, FW_SCHED_PAQ2}) {
        fw_config c = CrowdOnTheOtherDie::config(scheduler);
        TimedConformer d(c, GetParam(), 0);
        EXPECT_GT(CrowdOnTheOtherDie::longest_us(d), CrowdOnTheOtherDie::bound_us(1000, true)) << scheduler;
    }
}

INSTANTIATE_TEST_SUITE_P(Cpus, BrokenFirmware, testing::Values(On::Native, On::Iss),
                         [](const auto& test) { return test.param == On::Native ? "native" : "iss"; });

// ---- schedulers that are wrong: natively, in the place of `inorder` ----

/// Takes op out of the list `fifo`, behind `before` (FW_NONE: it is the head).
void take_out(struct fw* fw, struct fw_fifo* fifo, u32 before, u32 op)
{
    if (before == FW_NONE) {
        fw_op_pop(fw, fifo);
        return;
    }
    fw->ops[before].next = fw->ops[op].next;
    if (fifo->tail == op) {
        fifo->tail = before;
    }
}

struct fw_fifo* ready_of(struct fw* fw) { return &static_cast<sched_fifo*>(fw->sched->state)->ready; }

/// Last in, first out.
void pump_youngest(struct fw* fw)
{
    struct fw_fifo* ready = ready_of(fw);
    while (!fw_fifo_empty(ready)) {
        u32 before = FW_NONE;
        for (u32 op = ready->head; op != ready->tail; op = fw->ops[op].next) {
            before = op;
        }
        const u32 op = ready->tail;
        if (!sched_submit(fw, op, false)) {
            return;
        }
        take_out(fw, ready, before, op);
    }
}

/// Idle dies only, and die 0 only where nobody else is in the queue.
void pump_all_but_die_0(struct fw* fw)
{
    struct fw_fifo* ready = ready_of(fw);
    for (bool again = true; again;) {
        again = false;
        bool others = false;
        for (u32 op = ready->head; op != FW_NONE; op = fw->ops[op].next) {
            others = others || fw->ops[op].die != 0;
        }
        u32 before = FW_NONE;
        for (u32 op = ready->head; op != FW_NONE && !again; before = op, op = fw->ops[op].next) {
            if ((fw->ops[op].die != 0 || !others) && !sched_die_busy(fw, fw->ops[op].die) &&
                sched_submit(fw, op, false)) {
                take_out(fw, ready, before, op);
                again = true;
                break;
            }
        }
    }
}

/// Forgets each fifth operation that comes in.
void forget_some(struct fw* fw, u32 op)
{
    if (op % 5 != 4) {
        sched_fifo_add(fw, op);
    }
}

sched_ops with(void (*pump)(struct fw*), void (*add)(struct fw*, u32) = nullptr)
{
    sched_ops ops = sched_inorder;
    ops.pump = pump != nullptr ? pump : ops.pump;
    ops.add = add != nullptr ? add : ops.add;
    return ops;
}

/// Eight writes that are all in the scheduler before the controller takes the first.
std::string eight_writes(const sched_ops& ops)
{
    return thrown([&] {
        Conformer d(conformance_config(FW_SCHED_INORDER, FW_BUFFER_NONE, true), 1, On::Native);
        d.f()->sched->ops = &ops;
        d.refuse = true;
        for (u32 lpn = 0; lpn < 8; ++lpn) {
            d.write_page(lpn);
        }
        d.run();
        d.refuse = false;
        hal_event space{};
        space.kind = HAL_EVENT_FLASH_SPACE;
        d.post(FW_MODULE_SCHED, space);
        d.drain();
    });
}

TEST(BrokenScheduler, ThatProgramsPagesOutOfOrderIsCaught)
{
    EXPECT_EQ(eight_writes(sched_inorder), "");
    EXPECT_THAT(eight_writes(with(pump_youngest)), HasSubstr("programmed out of order"));
}

TEST(BrokenScheduler, ThatForgetsAnOperationIsCaught)
{
    EXPECT_THAT(eight_writes(with(nullptr, forget_some)), HasSubstr("not idle"));
}

TEST(BrokenScheduler, ThatStarvesADieIsCaught)
{
    const auto longest = [](const sched_ops& ops) {
        TimedConformer d(CrowdOnTheOtherDie::config(FW_SCHED_INORDER), On::Native, 0);
        d.f()->sched->ops = &ops;
        return CrowdOnTheOtherDie::longest_us(d);
    };
    const u64 bound = CrowdOnTheOtherDie::bound_us(0, false);
    EXPECT_LE(longest(sched_inorder), bound);
    EXPECT_GT(longest(with(pump_all_but_die_0)), bound);
}

} // namespace
} // namespace tlmssd::tb
