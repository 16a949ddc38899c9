// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: replay.json (docs/guides/replay-ops.md).
#include <sstream>

#include "models/common/hash.h"
#include "models/replay/replay.h"
#include "models/replay/statistics.h"

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

namespace {

/// `order` is equal where two replays of one stream have started a die's operations in one order.
std::vector<DieOrder> orders_of(const ReplayRecord& record, u32 dies)
{
    std::vector<DieOrder> orders;
    for (const std::vector<u32>& of_die : order_per_die(record, dies)) {
        DieOrder die;
        die.operations = of_die.size();
        u64 hash = 0;
        u32 youngest = 0;
        for (const u32 n : of_die) {
            hash = draw64(hash, 0, n);
            die.passed += n < youngest;
            youngest = std::max(youngest, n);
        }
        std::ostringstream text;
        text << std::hex;
        text.width(16);
        text.fill('0');
        text << hash;
        die.order = text.str();
        orders.push_back(die);
    }
    return orders;
}

} // namespace

observe::Json Replay::results(run::RunStatus status) const
{
    static const char* const kStatus[] = {"done", "interrupted", "failed"};
    const ReplayReading reading{config_,
                                kStatus[static_cast<int>(status)],
                                wall_seconds_,
                                assembly_->event_queue().events(),
                                options_.closed,
                                options_.rtl_latencies,
                                total_time(replay_->record()),
                                OperationReading(*replay_),
                                flash::statistics_of(assembly_->ssd().segments(), ended_at_),
                                orders_of(replay_->record(), config_.geometry.total_dies()),
                                assembly_->ssd().violations()};
    observe::Json document;
    replay_statistics().put(document, "", reading);
    return document;
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
    out << ", " << results["controller"]["effective_mode"].get<std::string>() << '\n';
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
