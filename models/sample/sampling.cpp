// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which windows, and when there are enough.
#include "models/sample/sampling.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "models/common/error.h"
#include "models/observe/output/format.h"
#include "models/sample/forked_pass.h"
#include "models/workload/detect/detect.h"

namespace tlmssd::sample {
namespace {

constexpr u64 kFirstWindows = 32;
constexpr u64 kFirstLength = 2048; ///< requests
constexpr u64 kLengthOfDepth = 64; ///< a window has at least so many requests for each that may be open
constexpr u64 kMostPasses = 8;
constexpr double kMostGrowth = 16; ///< of the number of windows from one pass to the next
constexpr double kMargin = 1.2;    ///< more windows than the last pass asks for
constexpr u64 kSections = 8;       ///< a divisor of kParts
constexpr u64 kSectionsOfWorkload = 8;     ///< sections are an eighth of the workload
constexpr u64 kLeastSection = 65'536;      ///< requests
constexpr u64 kOutlines = 8; ///< of a run: it may show before its end that it differs from another
constexpr u64 kFewRuns = 3;  ///< of the TLM controller, where two of them differ
constexpr u64 kMostRuns = 5; ///< where so many are enough

/// The requests that a stratum needs: a window, those that are open behind it, and as many for the place to be free.
u64 least_stratum(u64 length, u32 depth) { return 2 * (length + u64{depth}); }

u64 most_windows(u64 requests, u64 length, u32 depth) { return requests / least_stratum(length, depth); }

} // namespace

Plan first_plan(u64 requests, u32 depth, u64 draw)
{
    const Plan plan{kFirstWindows, std::max(kFirstLength, kLengthOfDepth * depth), draw};
    const u64 least = plan.windows * least_stratum(plan.length, depth);
    if (requests < least) {
        throw InputError("--sample: the workload has " + std::to_string(requests) + " requests, and " +
                         std::to_string(plan.windows) + " windows need " + std::to_string(least) +
                         ": run it without --sample");
    }
    return plan;
}

double excess(const Analysis& a, const SampleOptions& options, bool open_loop)
{
    const double mean = std::max(open_loop ? 0 : a.iops.relative(), a.all.mean_us.relative());
    return std::max(mean / options.error, a.all.p99_us.relative() / options.tail_error);
}

void plan_sections(Plan& plan, u64 requests, u32 depth)
{
    const u64 length = std::max(kLeastSection, requests / (kSections * kSectionsOfWorkload));
    plan.section_length = length;
    if (requests / kSections < 2 * (plan.section_warmup() + length + depth)) {
        plan.section_length = 0;
        return;
    }
    plan.sections = kSections;
}

bool more_runs_are_enough(double excess)
{
    // t s sqrt(1 + 1/n) of kMostRuns over that of kFewRuns
    return excess > 1 && excess * 0.6122 <= 1;
}

bool runs_differ_more(const Analysis& a, const SampleOptions& options, bool open_loop)
{
    return std::max(open_loop ? 0 : a.runs_differ, a.means_differ) > options.error;
}

Next next_plan(const Plan& plan, const Analysis& analysis, double excess, u64 requests, u32 depth)
{
    Next next{plan, false};
    if (!analysis.settled) {
        next.plan.length = 2 * plan.length;
        next.more = most_windows(requests, next.plan.length, depth) >= plan.windows;
    } else {
        const double growth = std::min(kMostGrowth, std::pow(excess, 2) * kMargin);
        const double wanted = std::ceil(static_cast<double>(plan.windows) * growth);
        next.plan.windows = std::min(static_cast<u64>(wanted), most_windows(requests, plan.length, depth));
        next.more = next.plan.windows > plan.windows;
    }
    next.plan.draw = plan.draw + 1;
    next.plan.sections = 0; // one pass has them
    next.plan.outline_every = 0;
    return next;
}

void require_sampling(const config::Config& config)
{
    const auto refuse = [](const std::string& what) { throw InputError("--sample conflicts with " + what); };
    if (config.workloads().size() > 1 || config.workloads().front().numjobs > 1) {
        refuse("several jobs: the order of their requests depends on time");
    }
    const config::Workload w = config.workloads().front();
    if (config::is_of_launches(w)) {
        refuse("workload.launches: its requests depend on time");
    }
    if (!w.trace.empty() && std::filesystem::exists(w.trace) && !std::filesystem::is_regular_file(w.trace)) {
        refuse("workload.trace: " + w.trace + ": not a regular file: the workload is read several times");
    }
    if (w.runtime != Picoseconds()) {
        refuse("workload.runtime_ms: the number of requests has to be known before; use workload.requests");
    }
    if (w.rate_iops > 0 && w.mode == config::LoopMode::Closed) {
        refuse("workload.rate_iops in closed loop: requests that are skipped keep no rate");
    }
    if (config.warmup.kind != config::WarmupKind::None) {
        refuse("workload.warmup: each window has a warm-up of its own");
    }
    if (config.cpu.model != config::CpuModel::Native) {
        refuse("cpu.model: iss: it would run between windows, too");
    }
    if (config.data != config::DataKind::Tags) {
        refuse("data: full: requests that are skipped have no bytes");
    }
    if (config.operations_fail()) {
        refuse("flash that fails (nand.errors, inject): which operation fails depends on time");
    }
    if (config.prefetch.mode != config::PrefetchMode::None) {
        refuse("prefetch.mode: a launch is recognised by the times of its reads");
    }
    if (config::is_rtl(config.controller.kind) && !config.controller.clock_gating) {
        refuse("controller.clock_gating: false: the clock would run between windows, too");
    }
}

namespace {

/// As another run of the same workload each read is longer by so many edges of the controller's clock. That is too short
/// to matter, and chance falls otherwise. Less than an edge may be no other run.
Picoseconds longer_ecc(u64 edges, const config::Controller& controller)
{
    return edges * Picoseconds((1'000'000u + controller.clock_mhz / 2) / controller.clock_mhz);
}

/// The estimate beside other runs of the workload by the TLM controller. Windows, however many, say nothing of them.
class Comparison {
public:
    Comparison(ForkedPasses& passes, const SampleResult& result, const config::Controller& controller)
        : passes_(passes), result_(result), controller_(controller)
    {
        if (result.plan.sections == 0) { // another whole run, beside the first pass
            begin(result.plan.outline_every);
        }
    }

    /// As soon as the first pass and the other run differ, so will they as wholes, most likely: the next one begins.
    void watch(ChildProcess& pass)
    {
        for (u64 i = 1; result_.plan.outline_every != 0 && i < kOutlines; ++i) {
            const Outline of_pass = ForkedPasses::outline(pass);
            if (!are_alike(of_pass, ForkedPasses::outline(running_.front()))) {
                begin(0);
                return;
            }
        }
    }
    /// Beside the first pass. `too_wide(others)`: excess() of the analysis. Further runs only where two differ, five only
    /// where that is enough.
    template <class TooWide>
    void compare(const PassResult& pass, const TooWide& too_wide)
    {
        collect();
        others_.twins = others_.wholes.empty() ? pass.sections : Twins{pass.parts, others_.wholes.front().parts, 1};
        if (are_alike(others_.twins)) {
            others_.wholes.clear();
            return;
        }
        run_until(kFewRuns);
        if (more_runs_are_enough(too_wide(others_))) {
            run_until(kMostRuns);
        }
    }
    const OtherRuns& others() const { return others_; }

private:
    void begin(u64 outline_every)
    {
        Plan plan;
        plan.outline_every = outline_every;
        plan.longer_ecc = longer_ecc(++begun_, controller_);
        running_.push_back(passes_.begin_beside(plan, result_.census));
    }
    void collect()
    {
        for (ChildProcess& run : running_) {
            others_.wholes.push_back(passes_.finish(run));
        }
        running_.clear();
    }
    void run_until(u64 runs)
    {
        while (begun_ + 1 < runs) {
            begin(0);
        }
        collect();
    }

    ForkedPasses& passes_;
    const SampleResult& result_;
    const config::Controller& controller_;
    OtherRuns others_;
    std::vector<ChildProcess> running_;
    u64 begun_ = 0;
};

} // namespace

SampleResult sampled_run(const config::Config& config, const SampleOptions& options)
{
    const auto began = std::chrono::steady_clock::now();
    require_sampling(config);
    SampleResult result;
    std::vector<config::Workload> workloads = config.workloads();
    for (const std::string& note : workload::name_formats(workloads)) {
        if (options.warnings != nullptr) {
            *options.warnings << "note: " << observe::printable(note) << '\n';
        }
    }
    result.census = count(config, options.warnings);
    if (!config::is_rtl(config.controller.kind) && result.census.reads != result.census.requests) {
        throw InputError("--sample: a workload with other requests than reads needs controller.kind: rtl or rtl_pins: the TLM "
                         "controller does the work between windows, and a whole run of it takes no longer");
    }
    const bool open_loop = config.workloads().front().mode == config::LoopMode::Open;
    const u32 depth = config.host.queue_depth;
    result.plan = first_plan(result.census.requests, depth, options.draw << 8);
    // A read changes nothing but page buffers; in open loop requests may pile up, and a window begins with none.
    const bool stands_by = config::is_rtl(config.controller.kind) &&
                           (open_loop || result.census.reads != result.census.requests);
    if (stands_by && open_loop) {
        plan_sections(result.plan, result.census.requests, depth);
        result.plan.section_ecc = longer_ecc(1, config.controller);
    }
    if (stands_by && !open_loop) {
        result.plan.outline_every = result.census.requests / kOutlines;
    }
    ForkedPasses passes(config, stands_by ? ForkedPasses::Between::TlmController : ForkedPasses::Between::Reads, options.cache,
                        options.progress);
    std::optional<Comparison> comparison;
    if (stands_by) {
        comparison.emplace(passes, result, config.controller);
    }
    PassResult pass;
    const auto analyse_beside = [&](const OtherRuns& others) {
        return analyse(pass, result.plan, open_loop, options.confidence, options.error, others);
    };
    for (;;) {
        ChildProcess process = passes.begin(result.plan, result.census);
        if (comparison) {
            comparison->watch(process);
        }
        pass = passes.finish(process);
        ++result.passes;
        result.exact = pass.exact;
        if (comparison && result.passes == 1) {
            comparison->compare(pass, [&](const OtherRuns& others) { return excess(analyse_beside(others), options, open_loop); });
        }
        const Analysis windows = analyse_beside({});
        result.analysis = comparison ? analyse_beside(comparison->others()) : windows;
        result.met = result.analysis.settled && excess(result.analysis, options, open_loop) <= 1;
        const Next next = next_plan(result.plan, windows, excess(windows, options, open_loop), result.census.requests, depth);
        if (result.met || !next.more || result.passes == kMostPasses || runs_differ_more(result.analysis, options, open_loop)) {
            break;
        }
        result.plan = next.plan;
    }
    result.runs = comparison ? 1 + comparison->others().wholes.size() : 1;
    result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return result;
}

} // namespace tlmssd::sample
