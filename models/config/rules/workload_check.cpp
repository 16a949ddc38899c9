// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the rules that join several keys of a generated workload.
#include "models/config/rules/workload_check.h"

#include <algorithm>

#include "models/common/geometry.h"
#include "models/config/keys/value.h"

namespace tlmssd::config {
namespace {

using Found = std::optional<Problem>;

constexpr u32 kMaxSectors = 65536; // of a request
constexpr u64 kMostBlocks = 1u << 30; // of a footprint
constexpr u64 kMaxQuota = 1000000000000000u;

std::string str(u64 n) { return std::to_string(n); }

Found wrong(const char* key, std::string message) { return Problem{key, std::move(message)}; }

bool same(const std::vector<SizeShare>& a, const std::vector<SizeShare>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const SizeShare& x, const SizeShare& y) {
                          return x.sectors == y.sectors && x.share == y.share;
                      });
}

Found sizes(const Workload& w)
{
    if (w.bssplit.text.empty() &&
        (w.bs == 0 || w.bs % kSectorBytes != 0 || w.bs / kSectorBytes > kMaxSectors)) {
        return wrong("bs", str(w.bs) + " is not a multiple of 512 bytes between 512 and 33554432");
    }
    return std::nullopt;
}

Found amounts(const Workload& w)
{
    if (w.requests == 0 && !has_own_end(w)) {
        return wrong("requests", "a generated workload needs a number, or an end by "
                                 "io_size, loops, number_ios or runtime_ms");
    }
    if (w.reads > kMaxQuota || w.writes > kMaxQuota) {
        return wrong(w.reads > kMaxQuota ? "reads" : "writes", "more than 10^15");
    }
    if ((w.reads > 0 || w.writes > 0) && !is_mixed(w.rw)) {
        return wrong(w.reads > 0 ? "reads" : "writes",
                     "quotas of reads and writes need rw: readwrite or randrw");
    }
    return std::nullopt;
}

Found percents(const Workload& w)
{
    if (w.rwmixread > 100) {
        return wrong("rwmixread", str(w.rwmixread) + " is above 100 %");
    }
    if (w.trim_percent > 100) {
        return wrong("trim_percent", str(w.trim_percent) + " is above 100 %");
    }
    for (const u32 percent : w.percentage_random.of) {
        if (percent > 100) {
            return wrong("percentage_random", str(percent) + " is above 100 %");
        }
    }
    if (!(w.random_read_percent <= 100)) {
        return wrong("random_read_percent", "above 100 %");
    }
    if (!(w.random_write_percent <= 100)) {
        return wrong("random_write_percent", "above 100 %");
    }
    return std::nullopt;
}

Found region(const Workload& w, u64 device_sectors)
{
    const Region r = region_of(w, device_sectors);
    if (r.sectors == 0) {
        const bool beyond = w.offset.sectors(device_sectors) >= device_sectors;
        return beyond ? wrong("offset", "at or beyond the end of the device, " +
                                            str(device_sectors * kSectorBytes) + " bytes")
                      : wrong("size", "0 sectors hold no block");
    }
    const u32 largest = largest_request(w);
    if (largest > r.sectors) {
        return wrong("size", "a request of " + str(u64{largest} * kSectorBytes) +
                                 " bytes does not fit into the " + str(r.sectors * kSectorBytes) +
                                 " bytes that are used");
    }
    return std::nullopt;
}

Found addresses(const Workload& w, u64 device_sectors)
{
    const AddressRule& rule = w.random_distribution;
    const bool ruled = w.random_read_percent >= 0 || w.random_write_percent >= 0;
    const auto& percent = w.percentage_random.of;
    const bool mixture = percent[kReads] != 100 || percent[kWrites] != 100 ||
                         percent[kTrims] != 100;
    if (ruled && !is_random(w.rw)) {
        return wrong(w.random_read_percent >= 0 ? "random_read_percent" : "random_write_percent",
                     "needs a random rw");
    }
    if (ruled && mixture) {
        return wrong("percentage_random", "given beside random_read_percent or "
                                          "random_write_percent, which rule the same");
    }
    const u64 blocks = region_of(w, device_sectors).sectors / smallest_request(w);
    for (const std::vector<Zone>& zones : rule.zones) {
        u64 end = 0;
        for (const Zone& zone : zones) {
            const u64 first = blocks * end / kWhole;
            end += zone.region;
            if (zone.access > 0 && blocks * end / kWhole == first) {
                return wrong("random_distribution", "a zone of the " + str(blocks) +
                                                        " blocks that are used holds none");
            }
        }
    }
    if (w.norandommap || !is_random(w.rw)) {
        return std::nullopt;
    }
    if (rule.kind != Distribution::Random) {
        return wrong("norandommap", "false visits each block once, which requires "
                                    "random_distribution: random only");
    }
    if (ruled) {
        return wrong("norandommap", "false goes neither with random_read_percent nor with "
                                    "random_write_percent");
    }
    const bool trims = is_mixed(w.rw) || w.rw == Rw::RandWrite ? w.trim_percent > 0 : false;
    const std::vector<SizeShare>& all = w.bssplit.of[main_direction(w)];
    if ((is_mixed(w.rw) && !same(all, w.bssplit.of[kWrites])) ||
        (trims && !same(all, w.bssplit.of[kTrims]))) {
        return wrong("norandommap", "false (fio's default) needs the same sizes for reads, writes "
                                    "and trims");
    }
    return std::nullopt;
}

Found times(const Workload& w)
{
    if (!(w.rate_iops >= 0 && w.rate_iops <= 1e12)) {
        return wrong("rate_iops", "not between 0 and 10^12");
    }
    if (w.mode == LoopMode::Open && w.rate_iops == 0) {
        return wrong("mode", "open needs a trace, or arrivals from rate_iops; did you mean "
                             "'closed'?");
    }
    const std::string process = to_string(w.rate_process);
    if (w.rate_process != RateProcess::Linear && w.rate_iops == 0) {
        return wrong("rate_process", process + " needs rate_iops");
    }
    if (w.rate_process != RateProcess::Linear && w.mode != LoopMode::Open) {
        return wrong("rate_process", process + " arrivals need mode: open");
    }
    if (Found problem = find_burst_problem(w)) {
        return problem;
    }
    if (w.thinktime != Picoseconds() && w.mode == LoopMode::Open) {
        return wrong("thinktime_us", "needs mode: closed; in open loop requests have their times");
    }
    return std::nullopt;
}

/// Reads or writes of a workload with locality.
Found locality_side(const Workload& w, bool reads)
{
    const Locality& l = w.locality;
    const RunTypes& runs = reads ? l.read_runs : l.write_runs;
    const bool used = is_mixed(w.rw) || (w.rw == Rw::RandRead) == reads;
    if (!used) {
        return std::nullopt;
    }
    const std::string kind = std::string("rw: ") + to_string(w.rw) + (reads ? " has reads" : " has writes");
    if (runs.types.empty()) {
        return wrong(reads ? "locality_read_runs" : "locality_write_runs",
                     kind + "; give their runs (as in 4k/60:64kx4k/40)");
    }
    if ((reads ? l.read_reuse : l.write_reuse).classes.empty()) {
        return wrong(reads ? "locality_read_reuse" : "locality_write_reuse",
                     kind + "; give their distances (as in 1=new/10:64/90)");
    }
    for (const RunType& run : runs.types) {
        if (run.more && run.sectors % (l.block / kSectorBytes) == 1 % (l.block / kSectorBytes)) {
            return wrong(reads ? "locality_read_runs" : "locality_write_runs",
                         str(u64{run.sectors} * kSectorBytes) + "+: a run of this size never covers one block of " +
                             str(l.block) + " more than it needs");
        }
        if (u64{run.sectors} * kSectorBytes + l.block > l.footprint) {
            return wrong("locality_footprint", str(l.footprint) + " bytes do not hold a run of " +
                                                   str(u64{run.sectors} * kSectorBytes) + " bytes and a block");
        }
    }
    return std::nullopt;
}

Found locality(const Workload& w, u64 device_sectors)
{
    const Locality& l = w.locality;
    if (l.block % kSectorBytes != 0 || (l.block & (l.block - 1)) != 0) {
        return wrong("locality_block", str(l.block) + " is not a power of two from 512 to 1048576");
    }
    if (!is_random(w.rw) || is_trim_write(w.rw) || w.rw == Rw::RandTrim) {
        return wrong("rw", std::string(to_string(w.rw)) +
                               " has no locality: with locality_footprint randread, randwrite or randrw");
    }
    if (l.footprint / l.block > kMostBlocks) {
        return wrong("locality_footprint", str(l.footprint / l.block) + " blocks are more than " + str(kMostBlocks));
    }
    const u64 space = region_of(w, device_sectors).sectors * kSectorBytes;
    if (space < l.block) {
        return wrong("size", str(space) + " bytes hold no block of " + str(l.block) + " (workload.locality_block)");
    }
    const Found of_reads = locality_side(w, true);
    return of_reads ? of_reads : locality_side(w, false);
}

Found launches(const Workload& w, u64 device_sectors)
{
    const Launch& l = w.launch;
    if (l.bs == 0 || l.bs % kSectorBytes != 0 || l.bs / kSectorBytes > kMaxSectors) {
        return wrong("launch_bs", str(l.bs) + " is not a multiple of 512 bytes between 512 and 33554432");
    }
    if (w.mode != LoopMode::Closed) {
        return wrong("mode", "launches issue a read when the one that it depends on has ended: closed only");
    }
    if (w.requests != 0) {
        return wrong("requests", "launches end by their number; set workload.launches");
    }
    if (w.rate_iops != 0) {
        return wrong("rate_iops", "launches have a time of their own; set workload.launch_cpu_ms or launch_gap_ms");
    }
    if (l.apps > l.launches) {
        return wrong("launch_apps", str(l.apps) + " applications are more than the " + str(l.launches) + " launches");
    }
    if (w.lba_offset >= device_sectors * kSectorBytes) {
        return wrong("lba_offset", "at or beyond the end of the device, " + str(device_sectors * kSectorBytes) + " bytes");
    }
    const u64 block = std::max<u64>(l.bs, kLaunchMetadataBytes);
    const u64 room = (device_sectors * kSectorBytes - w.lba_offset) / block;
    if (room / 2 < u64{l.reads} * l.apps) {
        return wrong("launch_reads", str(u64{l.reads} * l.apps) + " reads of " + str(block) +
                                         " bytes are more than half of the device; it holds " + str(room / 2));
    }
    return std::nullopt;
}

} // namespace

std::optional<Problem> find_burst_problem(const Workload& w)
{
    const double mean_us = 1e6 / w.rate_iops;
    const double gap_us = static_cast<double>(w.burst_gap.value()) / 1e6;
    if (w.rate_process == RateProcess::Bursts && gap_us > mean_us) {
        return wrong("burst_gap_us", format_real(gap_us) + " us is more than the mean time between all arrivals, " +
                                         format_real(mean_us) + " us at rate_iops");
    }
    return std::nullopt;
}

bool has_own_end(const Workload& w)
{
    return w.io_size > 0 || w.loops > 0 || w.number_ios > 0 || w.runtime != Picoseconds();
}

Direction main_direction(const Workload& w)
{
    const bool trims = w.rw == Rw::Trim || w.rw == Rw::RandTrim || is_trim_write(w.rw);
    return trims ? kTrims : w.rw == Rw::Write || w.rw == Rw::RandWrite ? kWrites : kReads;
}

u32 smallest_request(const Workload& w, Direction direction)
{
    u32 least = w.bs / kSectorBytes;
    bool first = true;
    for (const SizeShare& size : w.bssplit.of[direction]) {
        least = first || size.sectors < least ? size.sectors : least;
        first = false;
    }
    return least;
}

u32 largest_request(const Workload& w, Direction direction)
{
    u32 most = w.bssplit.of[direction].empty() ? w.bs / kSectorBytes : 0;
    for (const SizeShare& size : w.bssplit.of[direction]) {
        most = std::max(most, size.sectors);
    }
    return most;
}

u32 smallest_request(const Workload& w)
{
    return std::min({smallest_request(w, kReads), smallest_request(w, kWrites),
                     smallest_request(w, kTrims)});
}

u32 largest_request(const Workload& w)
{
    return std::max({largest_request(w, kReads), largest_request(w, kWrites),
                     largest_request(w, kTrims)});
}

Region region_of(const Workload& w, u64 device_sectors)
{
    u64 start = w.offset.sectors(device_sectors);
    const u32 step = smallest_request(w);
    if (w.offset.percent > 0 && step > 0) {
        start = (start + step - 1) / step * step;
    }
    if (start >= device_sectors) {
        return {start, 0};
    }
    return {start, std::min(w.size.sectors(device_sectors), device_sectors - start)};
}

std::optional<Problem> find_problem(const Workload& w, u64 device_sectors)
{
    if (w.launch.launches != 0) {
        return launches(w, device_sectors);
    }
    Found found = sizes(w);
    found = found ? found : amounts(w);
    found = found ? found : percents(w);
    found = found ? found : times(w);
    found = found ? found : region(w, device_sectors);
    if (w.locality.footprint != 0) {
        return found ? found : locality(w, device_sectors);
    }
    return found ? found : addresses(w, device_sectors);
}

} // namespace tlmssd::config
