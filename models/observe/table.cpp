// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: results.json as one screen of text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "models/observe/output/format.h"
#include "models/observe/results.h"
#include "models/observe/stages.h"

namespace tlmssd::observe {

namespace {

/// Reads a document by JSON pointer; what is absent or null reads as "-".
class Reader {
public:
    explicit Reader(const Json& document) : document_(document) {}

    const Json& at(const std::string& pointer) const
    {
        static const Json none;
        const Json::json_pointer p(pointer);
        return document_.contains(p) ? document_.at(p) : none;
    }
    bool number(const std::string& pointer) const { return at(pointer).is_number(); }
    double value(const std::string& pointer) const
    {
        return number(pointer) ? at(pointer).get<double>() : 0;
    }
    std::string word(const std::string& pointer) const
    {
        return at(pointer).is_string() ? at(pointer).get<std::string>() : "-";
    }
    std::string count(const std::string& pointer) const
    {
        return number(pointer) ? grouped(static_cast<u64>(std::llround(value(pointer)))) : "-";
    }
    std::string decimal(const std::string& pointer, int decimals, double scale = 1) const
    {
        return number(pointer) ? fixed(scale * value(pointer), decimals) : "-";
    }
    std::string percent_of(const std::string& pointer, double whole) const
    {
        return number(pointer) && whole > 0 ? fixed(100 * value(pointer) / whole, 1) + " %" : "-";
    }

private:
    const Json& document_;
};

std::string right(const std::string& text, std::size_t width)
{
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string left(const std::string& text, std::size_t width)
{
    return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

/// One decimal below 10,000 us, none above: seven characters hold up to ten seconds.
std::string microseconds_text(const Reader& read, const std::string& pointer)
{
    return read.decimal(pointer, read.value(pointer) < 1e4 ? 1 : 0);
}

void latency_rows(std::ostream& out, const Reader& read)
{
    out << left("", 9) << right("IOPS", 11) << right("MB/s", 8) << "  latency us: mean"
        << right("p50", 9) << right("p95", 9) << right("p99", 9) << right("p99.9", 9)
        << right("p99.99", 9) << right("max", 9) << '\n';
    for (const char* kind : {"all", "reads", "writes"}) {
        const std::string base = std::string("/host/") + kind;
        out << left(kind, 9) << right(read.count(base + "/iops"), 11)
            << right(read.decimal(base + "/mb_s", 1), 8)
            << right(microseconds_text(read, base + "/latency_us/mean"), 18);
        for (const char* key : {"p50", "p95", "p99", "p999", "p9999", "max"}) {
            out << right(microseconds_text(read, base + "/latency_us/" + key), 9);
        }
        out << '\n';
    }
}

/// "82.1 % (79.9 .. 85.0)": mean, smallest and largest share of `whole`.
std::string spread(const std::vector<double>& values, double whole)
{
    if (values.empty() || whole <= 0) {
        return "-";
    }
    double sum = 0;
    for (const double v : values) {
        sum += v;
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double scale = 100 / whole;
    return fixed(scale * sum / static_cast<double>(values.size()), 1) + " % (" +
           fixed(scale * *low, 1) + " .. " + fixed(scale * *high, 1) + ")";
}

/// Mean time of a request in each stage, largest first, as far as they matter.
void stage_row(std::ostream& out, const Reader& read)
{
    struct Part {
        std::string name;
        double mean;
    };
    std::vector<Part> parts;
    double whole = 0;
    for (std::size_t s = 0; s < kStages; ++s) {
        const char* const name = to_string(static_cast<Stage>(s));
        parts.push_back({name, read.value("/stages/" + std::string(name) + "_us/mean")});
        whole += parts.back().mean;
    }
    if (whole <= 0) {
        return;
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.mean > b.mean; });
    out << left("stages", 9);
    const char* separator = "";
    for (std::size_t i = 0; i < 5 && parts[i].mean >= 0.005 * whole; ++i) {
        out << separator << parts[i].name << ' ' << fixed(100 * parts[i].mean / whole, 0) << " %";
        separator = ", ";
    }
    out << " of the latency\n";
}

/// What does not count, where something does not.
void warmup_row(std::ostream& out, const Reader& read)
{
    const std::string kind = read.word("/warmup/kind");
    if (kind == "none" || kind == "-") {
        return;
    }
    out << left("warm-up", 9);
    if (read.value("/warmup/time_s") > 0) {
        out << read.count("/warmup/requests") << " requests in "
            << read.decimal("/warmup/time_s", 6) << " s left out\n";
    } else {
        out << "not over at the end; the figures cover the whole run\n";
    }
}

void use_row(std::ostream& out, const Reader& read)
{
    const double time = read.value("/sim/time_s");
    std::vector<double> channels;
    for (const Json& channel : read.at("/flash/channels")) {
        channels.push_back(channel.value("busy_s", 0.0));
    }
    std::vector<double> cores;
    for (const Json& core : read.at("/cpu/busy_fraction")) {
        if (core.is_number()) {
            cores.push_back(core.get<double>());
        }
    }
    out << left("busy", 9) << "link to host " << read.percent_of("/link/busy_to_host_s", time)
        << ", to device " << read.percent_of("/link/busy_to_device_s", time) << "; channels "
        << spread(channels, time) << "; DRAM " << read.percent_of("/dram/busy_s", time) << '\n'
        << left("", 9) << "CPU " << spread(cores, 1) << " at " << read.count("/cpu/mhz")
        << " MHz; dies idle " << read.decimal("/flash/die_idle_s", 3) << " s in sum\n";
}

/// `words` from column `begin` on, on lines of at most 100 columns; the first follows what stands there already.
void wrapped(std::ostream& out, const std::string& words, std::size_t begin)
{
    constexpr std::size_t kColumns = 100;
    std::istringstream in(words);
    std::size_t column = begin;
    for (std::string word; in >> word;) {
        if (column > begin && column + 1 + word.size() > kColumns) {
            out << '\n' << std::string(begin, ' ');
            column = begin;
        }
        out << (column > begin ? " " : "") << word;
        column += (column > begin ? 1 : 0) + word.size();
    }
    out << '\n';
}

/// Mechanisms that are switched on and did nothing; those with one reason on one line.
void inactive_rows(std::ostream& out, const Reader& read)
{
    std::vector<std::pair<std::string, std::string>> reasons; // and the mechanisms
    for (const Json& one : read.at("/acted")) {
        if (one.at("acted") != 0) {
            continue;
        }
        const std::string why = one.at("why").get<std::string>();
        const std::string name = one.at("mechanism").get<std::string>() + " (" + one.at("key").get<std::string>() + ")";
        const auto known = std::find_if(reasons.begin(), reasons.end(), [&](const auto& r) { return r.first == why; });
        if (known == reasons.end()) {
            reasons.emplace_back(why, name);
        } else {
            known->second += ", " + name;
        }
    }
    const char* head = "inactive";
    for (const auto& [why, names] : reasons) {
        out << left(head, 9);
        wrapped(out, names + ": " + why, 9);
        head = "";
    }
}

} // namespace

std::string table(const Json& document)
{
    const Reader read(document);
    std::ostringstream out;
    out << left("run", 9) << read.word("/workload/name") << ", scheduler "
        << read.word("/sched/name") << ", seed " << read.at("/seed").dump() << ", config "
        << read.word("/config_hash") << ": " << read.word("/status") << '\n'
        << left("time", 9) << read.decimal("/sim/time_s", 6) << " s simulated; "
        << read.count("/workload/source_requests") << " requests in " << read.decimal("/wall/seconds", 2)
        << " s of wall time, " << read.count("/wall/host_ios_per_s") << " a second, "
        << read.count("/wall/peak_rss_mib") << " MiB\n\n";
    latency_rows(out, read);
    stage_row(out, read);
    warmup_row(out, read);
    out << '\n'
        << left("flash", 9) << "WAF " << read.decimal("/ftl/waf", 3) << "; pages written "
        << read.count("/ftl/host_pages_written") << " by host, "
        << read.count("/ftl/flash_pages_written") << " to flash; multi-plane "
        << read.count("/sched/multi_plane_ops") << '\n'
        << left("GC", 9) << read.count("/ftl/gc/runs") << " runs, "
        << read.count("/ftl/gc/pages_moved") << " pages moved, "
        << read.count("/ftl/gc/blocks_erased") << " blocks erased; erases a block "
        << read.count("/ftl/wear/min") << " .. " << read.count("/ftl/wear/max") << ", mean "
        << read.decimal("/ftl/wear/mean", 2) << '\n'
        << left("buffer", 9) << "hit ratio " << read.decimal("/buffer/hit_ratio", 1, 100)
        << " %; reads " << read.count("/buffer/read_hits") << " hits, "
        << read.count("/buffer/read_misses") << " misses; writes "
        << read.count("/buffer/write_hits") << " hits, " << read.count("/buffer/write_misses")
        << " misses\n";
    use_row(out, read);
    out << left("bound", 9) << read.decimal("/bound/makespan_s", 6) << " s by "
        << read.word("/bound/limiter") << "; reached "
        << read.decimal("/bound/fraction_of_bound", 1, 100) << " % of it\n"
        << left("checks", 9) << read.count("/integrity/pages_checked") << " pages, "
        << read.count("/integrity/mismatches") << " mismatches; "
        << read.count("/checker/violations") << " protocol violations\n";
    inactive_rows(out, read);
    if (read.at("/calibrated") == false) {
        out << left("note", 9) << "CPU costs are estimates (calibrated: false)\n";
    }
    return out.str();
}

} // namespace tlmssd::observe
