// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a simulation that serves NBD clients: signals, reports, the end.
#include "models/serve/serve.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "models/common/error.h"
#include "models/common/interrupt.h"
#include "models/nand/store/store_file.h"
#include "models/observe/output/format.h"
#include "models/observe/output/output_folder.h"
#include "models/observe/output/write_file.h"
#include "models/run/simulation.h"
#include "models/serve/serve_nbdkit.h"
#include "models/serve/serve_port.h"
#include "models/ssd/device_file.h"

namespace tlmssd::serve {

namespace {

volatile std::sig_atomic_t g_report = 0;

void on_report(int) { g_report = 1; }

/// Without SA_RESTART: a sleeping simulator wakes up.
void handle(int signal, void (*handler)(int))
{
    struct sigaction action {};
    action.sa_handler = handler;
    sigaction(signal, &action, nullptr);
}

/// A device file that cannot grow any more. As good as a kill -9.
void on_bus_error(int)
{
    constexpr char kText[] = "tlmssd: serve: the device file cannot grow: no space left where it lies\n";
    static_cast<void>(!write(STDERR_FILENO, kText, sizeof kText - 1));
    _exit(kExitModel);
}

/// What happens between requests.
class Server {
public:
    Server(const ServeArguments& arguments, const config::Config& config)
        : arguments_(arguments),
          memory_(config.logical_sectors(), config.geometry.sectors_per_page()),
          nbdkit_(arguments.socket, memory_, arguments.threads),
          port_(memory_, [this] { control(); })
    {
        if (!arguments.device.empty()) {
            handle(SIGBUS, on_bus_error);
            device_ = ssd::open_device_file(arguments.device, config, "serve --device");
        }
        run::RunOptions options;
        options.device = device_.get();
        options.nbd_client = &port_;
        options.warnings = &std::cerr;
        simulation_ = std::make_unique<run::Simulation>(config, options);
        bytes_ = config.logical_sectors() * kSectorBytes;
    }

    int run()
    {
        handle(SIGUSR1, on_report);
        const observe::OutputFolder folder(arguments_.out, "results.json");
        const run::RunStatus status = simulation_->run();
        report(simulation_->results(status));
        for (const std::string& failure : simulation_->failures()) {
            std::cerr << "tlmssd: " << observe::printable(failure) << '\n';
        }
        if (!by_itself_.empty()) {
            std::cerr << "tlmssd: " << by_itself_ << '\n';
        }
        return status == run::RunStatus::Done && by_itself_.empty() ? kExitDone : kExitModel;
    }

private:
    void control()
    {
        if (!nbdkit_.started()) {
            nbdkit_.start();
            std::cout << "tlmssd: " << bytes_ << " bytes at nbd+unix:///?socket=" << arguments_.socket
                      << std::endl;
        }
        if (g_report != 0) {
            g_report = 0;
            report(simulation_->results_now());
        }
        if (interrupt_requested()) {
            stop();
        }
        if (const std::optional<int> status = nbdkit_.ended(); status && !ended_) {
            ended_ = true;
            if (!stopping_) {
                by_itself_ = "serve: nbdkit ended by itself with status " + std::to_string(*status);
            }
            port_.stop();
        }
    }

    /// nbdkit ends when its clients have their answers. Where a second brings none, none will come.
    void stop()
    {
        const auto now = std::chrono::steady_clock::now();
        const u64 answered = simulation_->host_stats().requests();
        if (!stopping_) {
            nbdkit_.terminate();
        } else if (answered == answered_) {
            if (now - last_answer_ > std::chrono::seconds(1)) {
                nbdkit_.kill();
            }
            return;
        }
        stopping_ = true;
        answered_ = answered;
        last_answer_ = now;
    }

    void report(const observe::Json& results) const
    {
        if (!arguments_.out.empty()) {
            observe::write_file((std::filesystem::path(arguments_.out) / "results.json").string(),
                                observe::checked_text_of(results));
        }
        if (!arguments_.quiet) {
            std::cout << observe::table(results) << std::flush;
        }
    }

    ServeArguments arguments_;
    ServeMemory memory_;
    Nbdkit nbdkit_;
    ServePort port_;
    std::unique_ptr<nand::StoreFile> device_;
    std::unique_ptr<run::Simulation> simulation_;
    u64 bytes_ = 0;
    bool stopping_ = false;
    u64 answered_ = 0; ///< when stop() looked last
    std::chrono::steady_clock::time_point last_answer_;
    bool ended_ = false;
    std::string by_itself_;
};

} // namespace

int serve(const ServeArguments& arguments, config::Config config)
{
    config.workload.name = "nbd"; // in results: the client takes the place of the configuration's workload
    if (config.data != config::DataKind::Full) {
        throw InputError("serve sets data: full, which conflicts with --set data=tags; leave that out");
    }
    catch_interrupts(SleepingCall::Fails, StopHow::InOrder);
    Server server(arguments, config);
    return server.run();
}

} // namespace tlmssd::serve
