// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how much a fio job does, when, how deep and how many of it.
#include <algorithm>
#include <limits>

#include "models/config/fio/fio_translator.h"
#include "models/config/keys/value.h"
#include "models/config/keys/workload_words.h"
#include "models/config/text/fio_units.h"

namespace tlmssd::config {
namespace {

constexpr u64 kSecond = 1000000; // in microseconds
constexpr u64 kDefaultPrio = 4;  // of Linux: best effort, in the middle

} // namespace

void FioTranslator::amounts()
{
    const u64 runtime = microseconds("runtime", kSecond);
    const bool time_based = on("time_based");
    if (time_based && runtime == 0) {
        fail(find("time_based")->origin, "time_based", "needs a runtime");
    }
    if (runtime != 0) {
        add("runtime_ms", format_real(static_cast<double>(runtime) / 1000), find("runtime"));
    }
    const u64 loops = number("loops", std::numeric_limits<u32>::max()).value_or(1);
    const std::optional<Extent> io_size = extent_of("io_size");
    if (io_size && io_size->percent > 0) {
        wrong("io_size", "bytes; % is not modelled here");
    }
    if (loops > 1 && (io_size || find("number_ios") != nullptr)) {
        fail(find("loops")->origin, "loops", "beside io_size or number_ios is not modelled");
    }
    if (!time_based) {
        const bool bounded = io_size && io_size->bytes > 0;
        add(bounded ? "io_size" : "loops", bounded ? io_size->bytes : std::max<u64>(loops, 1),
            find(bounded ? "io_size" : "loops"));
    }
    if (const u64 ios = number("number_ios", u64{1000000000000000}).value_or(0)) {
        add("number_ios", ios, find("number_ios"));
    }
}

void FioTranslator::depth()
{
    static const std::vector<std::string> kWaiting{"sync",   "psync", "vsync", "pvsync",
                                                   "pvsync2", "mmap"};
    static const std::vector<std::string> kOther{
        "net",  "netsplice", "cpuio",      "rdma",       "falloc",     "e4defrag", "exec",
        "nfs",  "http",      "filecreate", "filestat",   "filedelete", "ftruncate"};
    const Option engine = find("ioengine");
    const std::string name = engine == nullptr ? "psync" : engine->value;
    if (std::find(kOther.begin(), kOther.end(), name) != kOther.end()) {
        fail(engine->origin, "ioengine", "'" + shown(name) + "' is not for block devices");
    }
    const bool waits = std::find(kWaiting.begin(), kWaiting.end(), name) != kWaiting.end();
    const Option submit = find("io_submit_mode");
    const bool offload = submit != nullptr && submit->value == "offload"; // a thread per request waits
    u64 depth = number("iodepth", 65536).value_or(1);
    if (depth == 0) {
        wrong("iodepth", "1 or more");
    }
    if (waits && !offload && depth > 1) {
        notes_.push_back(find("iodepth")->origin.text() + ": iodepth: " + std::to_string(depth) +
                         " has no effect with ioengine " + name + (engine == nullptr ? " (fio's default)" : "") +
                         ", which waits for each request; the queue depth is 1, as in fio");
        depth = 1;
    }
    if (!poisson()) { // open loop: requests come at their times, however many are open
        add("iodepth", depth, find("iodepth"));
    }
}

/// fio caps each direction apart: the mix follows from the caps.
void FioTranslator::rate(Option option)
{
    std::vector<u64> rates;
    for (const std::string& part : split_text(option->value, ',')) {
        const std::optional<u64> value = parse_fio_size(trimmed(part), kb_base_);
        if (!value || *value == 0 || *value > 1000000000) {
            wrong("rate_iops", "requests per second, 1 to 10^9, for each direction that is used");
        }
        rates.push_back(*value);
    }
    if (rates.size() > kDirections) {
        wrong("rate_iops", "up to three values, for reads, writes and trims");
    }
    const auto of = [&](std::size_t direction) {
        return rates[std::min(direction, rates.size() - 1)];
    };
    if (is_trim_write(rw_) && of(kTrims) != of(kWrites)) {
        fail(option->origin, "rate_iops", "each trim is followed by its write: give one value");
    }
    if (is_mixed(rw_)) {
        const u64 sum = of(kReads) + of(kWrites);
        const u64 factor = sum < 10000 ? 10000 / sum : 1; // a round long enough for shares of sizes
        add("reads", of(kReads) * factor, option);
        add("writes", of(kWrites) * factor, option);
        add("rate_iops", sum, option);
        return;
    }
    const bool reads = rw_ == Rw::Read || rw_ == Rw::RandRead;
    add("rate_iops", is_trim_write(rw_) ? 2 * of(kTrims) : of(reads           ? kReads
                                                               : has_writes(rw_) ? kWrites
                                                                                 : kTrims),
        option);
}

/// Arrivals are a Poisson process; without a rate the option says nothing.
bool FioTranslator::poisson() const
{
    const Option process = find("rate_process");
    if (process != nullptr && process->value != "poisson" && process->value != "linear") {
        wrong("rate_process", "linear or poisson");
    }
    return process != nullptr && process->value == "poisson" && find("rate_iops") != nullptr;
}

void FioTranslator::times()
{
    if (const u64 delay = microseconds("startdelay", kSecond)) {
        add("start_us", delay, find("startdelay"));
    }
    const u64 think = microseconds("thinktime", 1);
    const std::optional<u64> blocks =
        number("thinktime_blocks", std::numeric_limits<u32>::max());
    if (const Option option = find("rate_iops")) {
        rate(option);
    }
    if (poisson()) {
        add("rate_process", "poisson", find("rate_process"));
        add("mode", "open", find("rate_process"));
    }
    if (think == 0) {
        return;
    }
    if (poisson()) {
        fail(find("thinktime")->origin, "thinktime", "beside rate_process=poisson is not modelled");
    }
    add("thinktime_us", think, find("thinktime"));
    if (blocks) {
        if (*blocks == 0) {
            wrong("thinktime_blocks", "1 or more");
        }
        add("thinktime_blocks", *blocks, find("thinktime_blocks"));
    }
}

/// Linux: class 1 real time, 2 best effort, 3 idle; priority 0 (highest) to 7 within best effort.
void FioTranslator::priority()
{
    const u64 prio = number("prio", 7).value_or(kDefaultPrio);
    const u64 io_class = number("prioclass", 3).value_or(2);
    if (priorities_) {
        const u64 level = io_class == 1 ? 3 : io_class == 3 ? 0 : 3 - prio / 2;
        add("priority", level, find(find("prio") != nullptr ? "prio" : "prioclass"));
    }
}

std::vector<RawNode> FioTranslator::clones()
{
    const u64 jobs = number("numjobs", 1024).value_or(1);
    if (jobs == 0) {
        wrong("numjobs", "1 or more");
    }
    const std::optional<Extent> step = extent_of("offset_increment");
    if (!step || (step->bytes == 0 && step->percent == 0)) {
        if (jobs > 1) {
            add("numjobs", jobs, find("numjobs"));
        }
        return {map_};
    }
    const Extent start = extent_of("offset").value_or(Extent{});
    if ((step->percent > 0 && start.bytes > 0) || (step->bytes > 0 && start.percent > 0)) {
        fail(find("offset_increment")->origin, "offset_increment",
             "bytes and % do not add up: give offset in the same unit");
    }
    const std::vector<std::pair<RawNode, RawNode>> entries = std::move(map_.entries);
    std::vector<RawNode> list;
    for (u64 i = 0; i < jobs; ++i) {
        map_.entries.clear();
        for (const auto& entry : entries) {
            if (entry.first.text != "offset") {
                map_.entries.push_back(entry);
            }
        }
        const double n = static_cast<double>(i);
        add("offset",
            extent_text({start.bytes + i * step->bytes, start.percent + n * step->percent}),
            find("offset_increment"));
        list.push_back(map_);
    }
    return list;
}

} // namespace tlmssd::config
