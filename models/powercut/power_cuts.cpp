// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: power cuts on the whole device in simulated time. The kernel elaborates once a process: each
// life is a child, and a folder hands the device over.
#include "models/powercut/power_cuts.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <optional>

#include "models/common/error.h"
#include "models/common/hash.h"
#include "models/common/interrupt.h"
#include "models/observe/output/format.h"
#include "models/observe/output/time_text.h"
#include "models/observe/results.h"
#include "models/powercut/power_life.h"
#include "models/ssd/capacitor_budget.h"
#include "models/workload/detect/detect.h"

namespace tlmssd::powercut {

namespace {

namespace fs = std::filesystem;

constexpr u64 kMostFailures = 10;
constexpr u32 kInput = 2; ///< LifeReport::failed: the input is wrong
constexpr const char* kPhases[] = {"mount", "look", "work", "idle"};
enum Purpose : u64 { kConfig = 0x70776366, kWork = 0x7077776b, kWhen = 0x70777768 };

/// What only one run of a device has a meaning for.
void check(const config::Config& config)
{
    if (config.ftl.recovery == config::Recovery::None) {
        throw InputError("powercut requires ftl.recovery: scan or journal; the configuration has none");
    }
    if (config.data == config::DataKind::Full) {
        throw InputError("powercut conflicts with data: full, because only tags show versions; use data: tags");
    }
    if (!config.inject.fault_script.empty()) {
        throw InputError("powercut conflicts with inject.fault_script, whose times are those of one run; leave it out");
    }
}

/// The next child that ends; 0: a signal has come meanwhile.
pid_t wait_for_child(int& status)
{
    constexpr timespec kAWhile{0, 100'000'000}; // a signal may come just before the wait
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, nullptr);
    for (;;) {
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended < 0) {
            throw ModelError(std::string("powercut: ") + std::strerror(errno));
        }
        if (ended != 0) {
            return ended;
        }
        sigtimedwait(&child, nullptr, &kAWhile);
        if (interrupt_requested()) {
            return waitpid(-1, &status, WNOHANG);
        }
    }
}

/// A device, from new to its last look.
class Chain {
public:
    Chain(const config::Config& config, const PowerCutArguments& arguments, Picoseconds within, u64 seed,
          u64 cuts, const fs::path& folder)
        : config_(config), arguments_(arguments), within_(within), seed_(seed), cuts_(cuts),
          folder_(folder / std::to_string(seed))
    {
        config_.seed = draw64(seed, kConfig, 0);
        fs::create_directory(folder_);
    }
    ~Chain()
    {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    u64 seed() const { return seed_; }
    u64 life() const { return life_; }
    bool over() const { return life_ > cuts_; } ///< and the last look was had
    pid_t process() const { return process_; }
    void kill() const { ::kill(process_, SIGKILL); }

    void start()
    {
        const LifeOrders orders = next_orders();
        fs::remove(folder_ / "report");
        std::cout.flush();
        std::cerr.flush();
        process_ = fork();
        if (process_ < 0) {
            throw ModelError(std::string("powercut: no further process: ") + std::strerror(errno));
        }
        if (process_ == 0) {
            live(orders);
        }
    }
    /// The process has ended with `status` (of waitpid).
    LifeReport end(int status, std::string& failure)
    {
        process_ = 0;
        ++life_;
        LifeReport report;
        std::ifstream in(folder_ / "report", std::ios::binary);
        const bool whole = static_cast<bool>(in.read(reinterpret_cast<char*>(&report), sizeof report));
        failure.assign(std::istreambuf_iterator<char>(in), {});
        if (!whole) {
            report = LifeReport();
            report.failed = 1;
            failure = WIFSIGNALED(status) ? "the process ended with signal " + std::to_string(WTERMSIG(status))
                                          : "the process ended with status " +
                                                std::to_string(WEXITSTATUS(status));
        }
        if (report.mounted != 0) {
            mount_ = Picoseconds(report.mount_ps);
        }
        return report;
    }

private:
    u64 draw(u64 what) const { return draw64(seed_, kWhen + what, life_); }
    double part(u64 what) const { return static_cast<double>(draw(what) >> 11) * 0x1p-53; }

    LifeOrders next_orders() const
    {
        LifeOrders orders;
        orders.folder = folder_.string();
        orders.first = life_ == 0;
        orders.last = life_ == cuts_;
        orders.work_seed = draw64(seed_, kWork, life_);
        // A quarter go in the mount, or just after it where it takes less than last time.
        if (!orders.first && !orders.last && mount_ != Picoseconds() && draw(1) % 4 == 0) {
            orders.mount_cut = Picoseconds(1 + static_cast<u64>(part(2) * static_cast<double>(mount_.value())));
        }
        // Half soon, when caches and write points are still being filled.
        const double most = static_cast<double>(within_.value()) / (draw(3) % 2 == 0 ? 1 : 8);
        orders.work = Picoseconds(1 + static_cast<u64>(part(4) * most));
        return orders;
    }

    [[noreturn]] void live(const LifeOrders& orders) const
    {
        std::signal(SIGINT, SIG_IGN); // the parent waits for it
        std::signal(SIGTERM, SIG_IGN);
        std::signal(SIGHUP, SIG_IGN);
        LifeReport report;
        std::string text;
        try {
            PowerLife life(config_, orders);
            report = life.run();
            for (const std::string& line : life.failures()) {
                text += line + "\n";
            }
        } catch (const InputError& e) {
            report.failed = kInput;
            text = std::string(e.what()) + "\n";
        } catch (const std::exception& e) {
            report.failed = 1;
            text = std::string(e.what()) + "\n";
        }
        std::ofstream out(folder_ / "report", std::ios::binary);
        out.write(reinterpret_cast<const char*>(&report), sizeof report);
        out << text;
        out.close();
        std::cerr.flush();
        _exit(out ? 0 : 1);
    }

    config::Config config_; ///< a copy, because each chain has a seed of its own
    const PowerCutArguments& arguments_;
    Picoseconds within_;
    u64 seed_;
    u64 cuts_;
    fs::path folder_;
    u64 life_ = 0;
    Picoseconds mount_; ///< how long the last one took
    pid_t process_ = 0;
};

/// Sums over all lives.
struct Totals {
    u64 cuts = 0;
    u64 in_phase[4] = {};
    LifeReport sum;
    std::vector<u64> mounts; ///< ps
    u64 longest_save = 0; ///< ps
    u64 failures = 0;

    void add(const LifeReport& r, bool cut)
    {
        cuts += cut;
        in_phase[r.phase] += cut;
        sum.mount_reads += r.mount_reads;
        sum.looked += r.looked;
        sum.unreadable += r.unreadable;
        sum.survivors += r.survivors;
        sum.forgotten += r.forgotten;
        sum.torn_programs += r.torn_programs;
        sum.torn_erases += r.torn_erases;
        sum.requests += r.requests;
        sum.trims += r.trims;
        sum.flushes += r.flushes;
        sum.fuas += r.fuas;
        sum.lost += r.lost;
        sum.held_up += r.held_up;
        if (r.saved != 0) {
            ++sum.saved;
            sum.save_ps += r.save_ps;
            longest_save = std::max(longest_save, r.save_ps);
        }
        if (r.mounted != 0) {
            mounts.push_back(r.mount_ps);
        }
    }

    /// The same as the table.
    observe::Json json(double seconds)
    {
        using observe::Json;
        Json phases = Json::object();
        for (u32 i = 0; i < 4; ++i) {
            phases[kPhases[i]] = in_phase[i];
        }
        Json out{{"cuts", cuts}, {"cuts_in", phases}, {"requests", sum.requests}, {"flushes", sum.flushes},
                 {"trims", sum.trims}, {"fua_writes", sum.fuas}, {"torn_pages", sum.torn_programs},
                 {"torn_blocks", sum.torn_erases}, {"pages_checked", sum.looked},
                 {"units_survived_without_need", sum.survivors}, {"units_acknowledged_and_gone", sum.forgotten},
                 {"unreadable_pages", sum.unreadable}, {"held_up", sum.held_up}, {"saved_by_capacitors", sum.saved},
                 {"units_lost", sum.lost}};
        const auto us = [](u64 ps, double n) { return static_cast<double>(ps) / n / 1e6; };
        out["save_us"] = sum.saved == 0 ? Json()
                                        : Json{{"mean", us(sum.save_ps, static_cast<double>(sum.saved))},
                                               {"max", us(longest_save, 1)}};
        std::sort(mounts.begin(), mounts.end());
        const auto n = static_cast<double>(mounts.size());
        out["recovery_us"] = Json();
        out["pages_read_per_mount"] = Json();
        if (!mounts.empty()) {
            const u64 total = std::accumulate(mounts.begin(), mounts.end(), u64{0});
            out["recovery_us"] = {{"min", us(mounts.front(), 1)}, {"mean", us(total, n)},
                                  {"p99", us(mounts[(mounts.size() * 99 + 99) / 100 - 1], 1)},
                                  {"max", us(mounts.back(), 1)}};
            out["pages_read_per_mount"] = static_cast<double>(sum.mount_reads) / n;
        }
        out["failures"] = failures;
        out["wall_s"] = seconds;
        return out;
    }

    void print(std::ostream& out, double seconds)
    {
        const auto row = [&out](const std::string& name, const std::string& value) {
            out << name << std::string(name.size() < 28 ? 28 - name.size() : 1, ' ') << value << '\n';
        };
        std::string phases;
        for (u32 i = 0; i < 4; ++i) {
            phases += std::string(i == 0 ? "" : ", ") + kPhases[i] + " " + std::to_string(in_phase[i]);
        }
        row("cuts", std::to_string(cuts) + " (" + phases + ")");
        row("requests", std::to_string(sum.requests) + " (FLUSH " + std::to_string(sum.flushes) + ", TRIM " +
                            std::to_string(sum.trims) + ", FUA writes " + std::to_string(sum.fuas) + ")");
        row("torn by the cuts", std::to_string(sum.torn_programs) + " pages, " + std::to_string(sum.torn_erases) +
                                    " blocks");
        row("pages checked", std::to_string(sum.looked));
        row("survived without need", std::to_string(sum.survivors) + " units");
        row("acknowledged and gone", std::to_string(sum.forgotten) + " units, none of them durable");
        if (sum.unreadable != 0) {
            row("unreadable (nand.errors)", std::to_string(sum.unreadable) + " pages");
        }
        if (sum.held_up != 0) {
            char text[64] = "";
            if (sum.saved != 0) {
                std::snprintf(text, sizeof text, "; us: mean %.1f, max %.1f",
                              static_cast<double>(sum.save_ps) / sum.saved / 1e6,
                              static_cast<double>(longest_save) / 1e6);
            }
            row("saved by capacitors",
                std::to_string(sum.saved) + " of " + std::to_string(sum.held_up) + " cuts" + text);
            row("lost for want of time", std::to_string(sum.lost) + " units");
        }
        std::sort(mounts.begin(), mounts.end());
        if (!mounts.empty()) {
            double total = 0;
            for (const u64 ps : mounts) {
                total += static_cast<double>(ps);
            }
            const auto us = [](double ps) {
                char text[32];
                std::snprintf(text, sizeof text, "%.1f", ps / 1e6);
                return std::string(text);
            };
            const double n = static_cast<double>(mounts.size());
            const std::size_t p99 = (mounts.size() * 99 + 99) / 100 - 1;
            row("recovery time, us", "min " + us(static_cast<double>(mounts.front())) + ", mean " + us(total / n) +
                                         ", p99 " + us(static_cast<double>(mounts[p99])) + ", max " +
                                         us(static_cast<double>(mounts.back())));
            row("pages read to recover", us(static_cast<double>(sum.mount_reads) * 1e6 / n) + " a mount");
        }
        row("failures", std::to_string(failures));
        char wall[32];
        std::snprintf(wall, sizeof wall, "%.1f", seconds);
        row("wall time, s", wall);
    }
};

/// A folder of its own for each call, gone at the end.
class Workshop {
public:
    Workshop()
    {
        std::string name = (fs::temp_directory_path() / "tlmssd-powercut-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw InputError(name + ": cannot be made: " + std::strerror(errno));
        }
        path_ = name;
    }
    ~Workshop()
    {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Workshop(const Workshop&) = delete;
    Workshop& operator=(const Workshop&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

} // namespace

int power_cuts(const PowerCutArguments& arguments, const config::Config& config)
{
    check(config);
    const Picoseconds within = observe::time_of(arguments.within, "--within");
    if (within == Picoseconds()) {
        throw InputError("--within: must be longer than 0");
    }
    // What is wrong is said once.
    std::vector<config::Workload> workloads = config.workloads();
    for (const std::string& note : workload::name_formats(workloads)) {
        std::cerr << "note: " << observe::printable(note) << '\n';
    }
    workload::make_jobs(workloads, config.seed, config.logical_sectors(), &std::cerr);
    if (const std::string text = ssd::hold_up_warning(config); !text.empty()) {
        std::cerr << "warning: " << text << '\n';
    }
    const auto began = std::chrono::steady_clock::now();
    const Workshop workshop;
    Totals totals;
    std::vector<std::unique_ptr<Chain>> running;
    u64 given = 0;         // cuts that chains have been asked for
    u64 seed = arguments.seed;
    std::string wrong_input;
    const auto more = [&] {
        return given < arguments.cuts && totals.failures < kMostFailures && wrong_input.empty() &&
               !interrupt_requested();
    };
    while (!running.empty() || more()) {
        while (running.size() < arguments.jobs && more()) {
            const u64 cuts = std::min<u64>(arguments.lives, arguments.cuts - given);
            given += cuts;
            running.push_back(std::make_unique<Chain>(config, arguments, within, seed++, cuts, workshop.path()));
            running.back()->start();
        }
        int status = 0;
        const pid_t ended = wait_for_child(status);
        if (ended == 0) { // lives that nobody waits for
            for (const auto& chain : running) {
                chain->kill();
            }
            continue;
        }
        const auto at = std::find_if(running.begin(), running.end(),
                                     [ended](const auto& chain) { return chain->process() == ended; });
        if (at == running.end()) {
            continue;
        }
        Chain& chain = **at;
        if (interrupt_requested() && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
            running.erase(at);
            continue;
        }
        const u64 life = chain.life();
        std::string failure;
        const LifeReport report = chain.end(status, failure);
        totals.add(report, !chain.over() && report.failed == 0);
        if (report.failed == kInput) {
            wrong_input = failure.substr(0, failure.find('\n'));
        }
        if (report.failed == 1) {
            ++totals.failures;
            std::cerr << "tlmssd: powercut: seed " << chain.seed() << ", behind cut " << life << ", "
                      << kPhases[report.phase] << ": " << observe::printable(failure.substr(0, failure.find('\n'))) << '\n';
            std::istringstream lines(failure);
            std::string line;
            for (std::getline(lines, line); std::getline(lines, line);) {
                std::cerr << "tlmssd:   " << observe::printable(line) << '\n';
            }
            std::cerr << "tlmssd:   repeat: " << arguments.command << " --seed " << chain.seed() << " --cuts "
                      << (chain.over() ? life : life + 1) << '\n';
        }
        if (report.failed != 0 || chain.over() || interrupt_requested()) {
            running.erase(at);
        } else {
            chain.start();
        }
    }
    if (!wrong_input.empty()) {
        throw InputError(wrong_input);
    }
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    if (arguments.json) {
        std::cout << observe::text_of(totals.json(seconds));
    } else if (!arguments.quiet) {
        totals.print(std::cout, seconds);
    }
    if (totals.failures != 0 || totals.sum.lost != 0) {
        return kExitModel;
    }
    return interrupt_requested() ? kExitInterrupted : kExitDone;
}

} // namespace tlmssd::powercut
