// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: replay.json (docs/replay-ops.md).
#include <sstream>

#include "models/common/hash.h"
#include "models/observe/output/process.h"
#include "models/probes/ops/op_words.h"
#include "models/replay/replay.h"
#include "models/run/config_json.h"

namespace tlmssd::replay {

Picoseconds total_time(const ReplayRecord& record)
{
    Picoseconds first = kTimeNever, last;
    for (const ReplayedOp& r : record.ops) {
        if (r.completed != kTimeNever) {
            first = min(first, r.arrival);
            last = max(last, r.completed);
        }
    }
    return first < last ? last - first : Picoseconds();
}

double mean_latency_ps(const ReplayRecord& record)
{
    double sum = 0;
    u64 count = 0;
    for (const ReplayedOp& r : record.ops) {
        if (r.completed != kTimeNever) {
            sum += static_cast<double>((r.completed - r.arrival).value());
            ++count;
        }
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
}

void Replay::put_operations(observe::Results& r) const
{
    observe::Histogram all, wait;
    std::vector<observe::Histogram> by_kind(FLASH_OP_RESET + 1);
    std::vector<u64> statuses(FLASH_STATUS_TIMEOUT + 1);
    const ReplayRecord& record = replay_->record();
    for (std::size_t n = 0; n < record.ops.size(); ++n) {
        const ReplayedOp& op = record.ops[n];
        if (op.completed == kTimeNever) {
            continue;
        }
        all.record(op.completed - op.arrival);
        by_kind[record.stream[n].op.opcode].record(op.completed - op.arrival);
        if (op.started != kTimeNever) {
            wait.record(op.started - op.arrival);
        }
        ++statuses[op.status];
    }
    r.put("operations.recorded", u64{record.ops.size()});
    r.put("operations.completed", replay_->completed());
    r.put("operations.delayed", replay_->delayed());
    r.put("operations.retagged", replay_->retagged());
    for (const probes::Word& w : probes::status_words()) {
        r.put(std::string("operations.status.") + w.text, statuses[w.value]);
    }
    const auto put = [&r](const std::string& path, const observe::Histogram& latency) {
        r.put(path + ".count", latency.count());
        r.put_latency_us(path + ".latency_us", latency);
    };
    put("operations.all", all);
    put("operations.read", by_kind[FLASH_OP_READ]);
    put("operations.program", by_kind[FLASH_OP_PROGRAM]);
    put("operations.erase", by_kind[FLASH_OP_ERASE]);
    put("operations.reset", by_kind[FLASH_OP_RESET]);
    r.put_latency_us("operations.start_wait_us", wait);
}

void Replay::put_channels(observe::Results& r) const
{
    observe::Json channels = observe::Json::array();
    for (u32 c = 0; c < config_.geometry.channels; ++c) {
        const auto& s = assembly_->ssd().segments().channel_statistics(c);
        observe::Json channel;
        channel["busy_s"] =
            static_cast<double>(assembly_->ssd().segments().channel_busy(c, ended_at_).value()) / 1e12;
        channel["reads"] = s.page_reads;
        channel["programs"] = s.page_programs;
        channel["erases"] = s.block_erases;
        channels.push_back(channel);
    }
    r.put("channels", channels);
}

/// `order` is equal where two replays of one stream have started a die's operations in one order.
void Replay::put_dies(observe::Results& r) const
{
    const std::vector<std::vector<u32>> order =
        order_per_die(replay_->record(), config_.geometry.total_dies());
    observe::Json dies = observe::Json::array();
    for (const std::vector<u32>& of_die : order) {
        u64 hash = 0;
        u64 passed = 0;
        u32 youngest = 0;
        for (const u32 n : of_die) {
            hash = draw64(hash, 0, n);
            passed += n < youngest;
            youngest = std::max(youngest, n);
        }
        std::ostringstream text;
        text << std::hex;
        text.width(16);
        text.fill('0');
        text << hash;
        observe::Json die;
        die["operations"] = of_die.size();
        die["passed"] = passed;
        die["order"] = text.str();
        dies.push_back(die);
    }
    r.put("dies", dies);
}

observe::Json Replay::results(run::RunStatus status) const
{
    static const char* const kStatus[] = {"done", "interrupted", "failed"};
    observe::Results r;
    r.put("schema", kReplaySchema);
    r.put("config_hash", config_.hash_text);
    r.put("seed", config_.seed);
    r.put("status", kStatus[static_cast<int>(status)]);
    r.put("wall.seconds", wall_seconds_);
    r.put_ratio("wall.operations_per_s", static_cast<double>(replay_->completed()), wall_seconds_);
    r.put("wall.wheel_events", assembly_->wheel().events());
    r.put("wall.peak_rss_mib", observe::peak_rss_mib());
    r.put("wall.git", observe::git_describe());
    r.put("config", run::config_json(config_));
    r.put("loop", options_.closed ? "closed" : "open");
    r.put("controller.kind", to_string(config_.controller.kind));
    if (config::is_rtl(config_.controller.kind)) {
        r.put("controller.rtl", config_.controller.rtl);
    } else {
        r.put("controller.rtl", nullptr);
    }
    r.put("controller.mode", to_string(config_.controller.mode));
    r.put("controller.rtl_latencies", options_.rtl_latencies);
    r.put_seconds("sim.time_s", total_time(replay_->record()));
    put_operations(r);
    put_channels(r);
    put_dies(r);
    r.put("checker.violations", assembly_->ssd().violations());
    return r.json();
}

std::string replay_table(const observe::Json& results)
{
    std::ostringstream out;
    out << std::fixed;
    out.precision(3);
    const auto& o = results["operations"];
    out << "Replay, " << results["loop"].get<std::string>() << " loop, controller "
        << results["controller"]["kind"].get<std::string>();
    if (results["controller"]["rtl"].is_string()) {
        out << ' ' << results["controller"]["rtl"].get<std::string>();
    }
    out << ", " << results["controller"]["mode"].get<std::string>() << '\n';
    out << "  operations   " << o["completed"] << " of " << o["recorded"] << ", "
        << o["delayed"] << " waited for a tag\n";
    out << "  time         " << results["sim"]["time_s"].get<double>() * 1e3 << " ms\n";
    out << "  latency, us  " << "         count        mean         p50         p99         max\n";
    for (const char* const kind : {"all", "read", "program", "erase", "reset"}) {
        const auto& l = o[kind]["latency_us"];
        if (o[kind]["count"] == 0) {
            continue;
        }
        out << "    ";
        out.width(10);
        out << std::left << kind << std::right;
        out.width(13);
        out << o[kind]["count"].get<u64>();
        for (const char* const key : {"mean", "p50", "p99", "max"}) {
            out.width(12);
            out << l[key].get<double>();
        }
        out << '\n';
    }
    u64 passed = 0;
    for (const auto& die : results["dies"]) {
        passed += die["passed"].get<u64>();
    }
    out << "  order        " << passed << " operations started after a younger one of their die\n";
    return out.str();
}

} // namespace tlmssd::replay
