// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the subcommand `run`.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "models/aging/aged_cache.h"
#include "models/cli/arguments.h"
#include "models/cli/catalogue.h"
#include "models/cli/command.h"
#include "models/common/interrupt.h"
#include "models/observe/output/format.h"
#include "models/observe/output/output_folder.h"
#include "models/observe/output/write_file.h"
#include "models/run/simulation.h"
#include "models/sample/statistics.h"

namespace tlmssd::cli {

namespace {

struct RunArguments {
    DeviceArguments device;
    std::string out;
    probes::WaveArguments waves;
    TimelineArguments timeline;
    std::string log;
    std::string ops;
    std::string steps;
    std::string snapshot; ///< to begin with
    bool timed_mount = false;
    bool no_cache = false;
    std::optional<u32> gdb;
    bool sample = false;
    double sample_error = 2; ///< %
    u64 sample_draw = 1;
    OutputArguments output;
};

constexpr double kTailFactor = 2.5; ///< what the 99 % latency may be less certain than the mean

/// The choices of the keys that are set most often.
std::string choices()
{
    std::string text;
    for (const char* const name : {"schedulers", "policies", "controllers"}) {
        std::string key;
        for (const Entry& entry : find_catalogue(name)->entries()) {
            if (entry.key != key) {
                key = entry.key;
                text += "--set " + key + "=NAME:\n";
            }
            text += "  " + entry.name + "  " + entry.sentence + "\n";
        }
    }
    return text;
}

std::string cache_of(const RunArguments& a)
{
    return a.no_cache ? std::string() : aging::AgedCache::usual_folder();
}

int run_sampled(const RunArguments& a)
{
    catch_interrupts(SleepingCall::Fails); // a process that waits for another tells it
    const config::Config config = load(a.device);
    sample::SampleOptions options;
    options.error = a.sample_error / 100;
    options.tail_error = kTailFactor * options.error;
    options.draw = a.sample_draw;
    options.cache = cache_of(a);
    options.warnings = &std::cerr;
    options.progress = !a.output.quiet;
    const observe::OutputFolder folder(a.out, "sample.json");
    const sample::SampleResult result = sample::sampled_run(config, options);
    observe::Json document;
    sample::sample_statistics().put(document, "", {config, options, result});
    if (!a.out.empty()) {
        observe::write_file((std::filesystem::path(a.out) / "sample.json").string(), observe::text_of(document));
    }
    if (a.output.json) {
        std::cout << observe::text_of(document);
    } else if (!a.output.quiet) {
        print_table(sample::table(document));
    }
    const double differ = std::max(result.analysis.runs_differ, result.analysis.means_differ);
    if (differ > options.error) {
        std::cerr << "warning: --sample: runs of this workload differ by up to " << observe::fixed(100 * differ, 1)
                  << " % of IOPS or mean latency, and the intervals say so; no sample makes them narrower\n";
    } else if (!result.met) {
        std::cerr << "warning: --sample: the intervals are wider than was asked for: the workload has too few requests "
                     "for more or longer windows, or the tails of its runs differ\n";
    }
    return kExitDone;
}

int run_workload(const RunArguments& a)
{
    catch_interrupts();
    const config::Config config = load(a.device);
    run::RunOptions options;
    options.recordings.waves = probes::parse_wave_options(a.waves, config.geometry.channels);
    options.recordings.timeline = a.timeline.file;
    options.recordings.timeline_window = timeline_window(a.timeline);
    options.log = a.log;
    options.ops = a.ops;
    options.steps = a.steps;
    options.snapshot = a.snapshot;
    options.timed_mount = a.timed_mount;
    options.gdb_port = a.gdb;
    options.cache = cache_of(a);
    options.warnings = &std::cerr;
    options.progress = !a.output.quiet;
    run::Simulation simulation(config, options);
    const observe::OutputFolder folder(a.out, "results.json");
    const run::RunStatus status = simulation.run();
    const observe::Json results = simulation.results(status);
    if (!a.out.empty()) {
        observe::write_file((std::filesystem::path(a.out) / "results.json").string(),
                            observe::checked_text_of(results));
    }
    if (a.output.json) {
        std::cout << observe::checked_text_of(results);
    } else if (!a.output.quiet) {
        print_table(observe::table(results));
    }
    for (const std::string& failure : simulation.failures()) {
        std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
    }
    return run::exit_status(status);
}

} // namespace

Command add_run(CLI::App& app)
{
    const auto a = std::make_shared<RunArguments>();
    CLI::App* const command = app.add_subcommand("run", "simulate a device with a workload, and report what it did");
    add_config_arguments(*command, a->device);
    add_seed(*command, a->device);
    command->add_option("-o,--out", a->out, "directory for results.json; it is made where it is missing")
        ->option_text("DIR");
    add_output_arguments(*command, a->output, "print no table and no progress");
    add_wave_arguments(*command, a->waves);
    add_timeline_arguments(*command, a->timeline);
    command->add_option("--log", a->log,
                        "write one row per request to FILE.csv, .csv.gz, .csv.xz or .csv.zst")
        ->option_text("FILE");
    command->add_option("--ops", a->ops,
                        "record the flash operations for replay-ops in FILE.csv, .csv.gz, .csv.xz or .csv.zst")
        ->option_text("FILE");
    command->add_option("--steps", a->steps, "record the steps of the firmware for tlmssd-lab calibrate")->option_text("FILE");
    command->add_option("--snapshot", a->snapshot,
                        "begin with this device (`tlmssd snapshot save`), mounted in no simulated time; "
                        "precondition.* is not done")
        ->option_text("FILE");
    command->add_flag("--timed-mount", a->timed_mount,
                      "mount the snapshot in simulated time; the workload begins when the device is ready");
    command->add_flag("--no-cache", a->no_cache,
                      "precondition the device without its cached copy, and keep none ($TLMSSD_CACHE, else "
                      "~/.cache/tlmssd)");
    command
        ->add_option("--gdb", a->gdb,
                     "debug the firmware (cpu.model: iss): wait for gdb on this port of 127.0.0.1; 0 takes any port")
        ->check(CLI::Range(0, 65535))
        ->option_text("PORT");
    CLI::Option* const sample = command->add_flag(
        "--sample", a->sample,
        "estimate IOPS and latency, with intervals of 95 % confidence: the TLM controller serves the whole workload, the RTL "
        "controller windows of it; of reads in closed loop only windows are served (controller.kind: tlm: reads alone)");
    for (const char* const name : {"--waves", "--waves-view", "--waves-from", "--waves-to", "--waves-channels", "--timeline", "--timeline-from",
          "--timeline-to", "--log", "--ops", "--steps", "--snapshot", "--timed-mount", "--gdb"}) {
        sample->excludes(command->get_option(name));
    }
    command
        ->add_option("--sample-error", a->sample_error,
                     "largest half-width of the intervals of IOPS and mean latency in % of the value (default 2); that of "
                     "the 99 % latency is 2.5 times as much")
        ->check(CLI::Range(0.01, 50.0))
        ->needs(sample)
        ->option_text("PERCENT");
    command->add_option("--sample-draw", a->sample_draw, "another number draws other windows (default 1)")
        ->check(CLI::Range(u64{0}, u64{1} << 40))
        ->needs(sample)
        ->option_text("N");
    command->footer(choices() +
                    "Examples:\n"
                    "  tlmssd run default --workload mixed-70-30-4k --out out/a\n"
                    "  tlmssd run default --set controller.kind=rtl --waves a.fst\n"
                    "  tlmssd run default --workload randread-4k --timeline a.json.gz\n"
                    "  tlmssd run default --set cpu.model=iss --gdb 1234\n"
                    "  tlmssd run default --set controller.kind=rtl --set workload.requests=1000000 --sample");
    return {command, [command, a] {
                a->device.jobs = jobs_of(command->parse_order());
                return a->sample ? run_sampled(*a) : run_workload(*a);
            }};
}

} // namespace tlmssd::cli
