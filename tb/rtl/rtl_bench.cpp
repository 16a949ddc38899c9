// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wall speed of the bare RTL controllers: random 4 KiB reads on 8 channels x 8 chips x 2 LUNs, of no
// stream. o3 works out of order, round_robin in order, all that it can.
#include <queue>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "models/common/hash.h"
#include "models/flash/rtl/rtl_driver.h"
#include "models/flash/rtl/rtl_registry.h"

namespace tlmssd::tb {
namespace {

// 200 MHz clock, 4 KiB at 333 MB/s, tR 50 us, ECC and DMA 5 us.
constexpr u32 kAgeLimit = 4769; // stamps of 2^20 ps: 5 ms, the default of controller.age_limit_us
constexpr u64 kCommand = 200000, kBurst = 12300000, kArray = 50000000, kLanding = 5000000; // ps

class Reads : public flash::RtlClientIf {
public:
    Reads(const std::string& rtl, bool gated) : current_(8)
    {
        flash::RtlDriverConfig config;
        config.straps.channels = 8;
        config.straps.ces = 8;
        config.straps.luns = 2;
        config.straps.lun_shift = 1;
        if (rtl == "o3") {
            config.straps.mode = config::ControllerMode::Ooo;
            config.straps.age_limit = kAgeLimit;
        }
        config.gated = gated;
        flash::RtlClientIf& self = *this;
        driver_ = std::make_unique<flash::RtlDriver>(flash::make_rtl_model(rtl, false),
                                                     config, self);
    }
    void submit(u16 tag)
    {
        const u64 word = draw64(1, 2, submitted_++);
        flash_op op{};
        op.tag = tag;
        op.opcode = FLASH_OP_READ;
        op.channel = word % 8;
        op.ce = (word >> 8) % 8;
        op.lun = (word >> 16) % 2;
        op.nplanes = 1;
        op.len[0] = 8;
        op.stream = FLASH_NO_STREAM;
        op.oob = FLASH_NO_OOB;
        driver_->submit(op);
    }
    void run_until(u64 done)
    {
        while (done_ < done) {
            const u64 edge = driver_->next_edge(Picoseconds(now_)).value();
            if (!events_.empty() && events_.top().at <= edge) {
                const Event e = events_.top();
                events_.pop();
                now_ = e.at;
                handle(e);
            } else {
                now_ = edge;
                driver_->edge(Picoseconds(now_));
            }
        }
    }
    u64 edges() const { return driver_->edges(); }

private:
    struct Event {
        u64 at, sequence;
        u32 channel, ce, lun;
        bool segment_end;
        friend bool operator<(const Event& x, const Event& y)
        {
            return x.at != y.at ? x.at > y.at : x.sequence > y.sequence;
        }
    };
    void handle(const Event& e)
    {
        if (!e.segment_end) {
            driver_->ready(e.channel, e.ce, e.lun, true);
            return;
        }
        flash::SegmentResult result;
        result.data_at = Picoseconds(now_ + kLanding);
        driver_->segment_done(e.channel, result);
        if (current_[e.channel] == flash::Phase::Command) {
            driver_->ready(e.channel, e.ce, e.lun, false);
            events_.push({now_ + kArray, sequence_++, e.channel, e.ce, e.lun, false});
        }
    }
    void on_rtl_segment(u32 channel, const flash::SegmentRequest& r) override
    {
        current_[channel] = r.phase;
        events_.push({now_ + (r.phase == flash::Phase::DataOut ? kBurst : kCommand), sequence_++,
                      channel, r.ce, r.lun, true});
    }
    void on_rtl_completion(const flash_completion& completion) override
    {
        ++done_;
        submit(completion.tag);
    }
    void on_rtl_retry(u32, const flash::SegmentRequest&) override {}
    void on_rtl_held(const flash_completion&) override {}
    void on_rtl_space() override {}

    std::unique_ptr<flash::RtlDriver> driver_;
    std::priority_queue<Event> events_;
    std::vector<flash::Phase> current_;
    u64 now_ = 0, sequence_ = 0, submitted_ = 0, done_ = 0;
};

void random_reads(benchmark::State& state, const char* rtl, bool gated, u64 step)
{
    Reads reads(rtl, gated);
    for (u16 tag = 0; tag < state.range(0); ++tag) {
        reads.submit(tag);
    }
    u64 done = 0;
    for (auto _ : state) {
        done += step;
        reads.run_until(done);
    }
    state.SetItemsProcessed(static_cast<int64_t>(done)); // items: reads
    state.counters["edges_per_read"] = static_cast<double>(reads.edges()) / static_cast<double>(done);
}

BENCHMARK_CAPTURE(random_reads, round_robin_gated, "round_robin", true, 1000)->Arg(1)->Arg(32);
BENCHMARK_CAPTURE(random_reads, round_robin_free_running, "round_robin", false, 10)->Arg(1)->Arg(32);
BENCHMARK_CAPTURE(random_reads, o3_gated, "o3", true, 1000)->Arg(1)->Arg(32);
BENCHMARK_CAPTURE(random_reads, o3_free_running, "o3", false, 10)->Arg(1)->Arg(32);

} // namespace
} // namespace tlmssd::tb

BENCHMARK_MAIN();
