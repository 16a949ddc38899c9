// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: tlmssd-costs: what a recording of steps charges natively beside what it costs on the ISS.
//
// A recording is cut into segments, which end at each call of the HAL and at each step's end. Segments
// with equal charges are added up: docs/contributing/calibration.md. Steps at time 0 are left out: they are
// the preconditioning's, which would outweigh the run.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/cpu/steps/steps_replay.h"

extern "C" {
u64 fw_cost_counts[FW_COST_COUNT];
}

namespace {

using namespace tlmssd;

const char kUsage[] =
    "usage: tlmssd-costs RECORDING OUT.csv\n"
    "Replays RECORDING (of tlmssd run --steps) natively and on the instruction set simulator. OUT.csv\n"
    "gets a row for each different set of charges between two calls of the HAL: how many there are,\n"
    "their cycles on the ISS, and how often each cost point is charged in one of them. The sums go to\n"
    "standard output. tlmssd-lab calibrate reads it. Exit status: 0 done, 2 wrong input, 3 the two\n"
    "replays differ.\n"
    "example: tlmssd-costs out/run.steps out/run.csv\n";

constexpr std::array<const char*, FW_COST_COUNT> kNames{
#define COST(id, cycles, text) #id,
#include "firmware/hal/costs.def"
#undef COST
};

using Charges = std::array<u32, FW_COST_COUNT>;

struct Sum {
    u64 times = 0;
    u64 iss_cycles = 0;
};

using Table = std::map<Charges, Sum>;

/// Finds the row of each segment.
class NativeObserver final : public cpu::ReplayObserverIf {
public:
    explicit NativeObserver(Table& table) : table_(table) {}

    void on_boot(u64) override { std::copy_n(fw_cost_counts, FW_COST_COUNT, before_.begin()); }
    void on_step(u64 now_us) override { counts_ = now_us != 0; }
    void on_call(u64) override
    {
        Charges charges{};
        for (u32 i = 0; i < FW_COST_COUNT; ++i) {
            charges[i] = static_cast<u32>(fw_cost_counts[i] - before_[i]);
            before_[i] = fw_cost_counts[i];
        }
        if (!counts_) {
            segments.push_back(nullptr);
            return;
        }
        for (u32 i = 0; i < FW_COST_COUNT; ++i) {
            charged += u64{charges[i]} * fw_cycles_of[i];
        }
        Table::iterator row = table_.try_emplace(charges).first;
        ++row->second.times;
        segments.push_back(&row->second);
    }

    std::vector<Sum*> segments; ///< null: does not count
    u64 charged = 0;            ///< cycles of those that count

private:
    Table& table_;
    bool counts_ = false;
    std::array<u64, FW_COST_COUNT> before_{};
};

/// Adds the cycles of each segment to its row.
class IssObserver final : public cpu::ReplayObserverIf {
public:
    explicit IssObserver(const std::vector<Sum*>& segments) : segments_(segments) {}

    void on_boot(u64 cycles) override { before_ = cycles; }
    void on_step(u64) override {}
    void on_call(u64 cycles) override
    {
        if (next_ < segments_.size() && segments_[next_] != nullptr) {
            segments_[next_]->iss_cycles += cycles - before_;
            executed += cycles - before_;
        }
        ++next_;
        before_ = cycles;
    }

    std::size_t seen() const { return next_; }
    u64 executed = 0;

private:
    const std::vector<Sum*>& segments_;
    u64 before_ = 0;
    std::size_t next_ = 0;
};

void write(const std::string& path, const Table& table)
{
    std::FILE* const file = std::fopen(path.c_str(), "w");
    if (file == nullptr) {
        cannot_write(path, errno);
    }
    std::fputs("times,iss_cycles", file);
    for (const char* name : kNames) {
        std::fprintf(file, ",%s", name);
    }
    std::fputc('\n', file);
    for (const auto& [charges, sum] : table) {
        std::fprintf(file, "%llu,%llu", static_cast<unsigned long long>(sum.times),
                     static_cast<unsigned long long>(sum.iss_cycles));
        for (const u32 n : charges) {
            std::fprintf(file, ",%u", n);
        }
        std::fputc('\n', file);
    }
    const bool failed = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || failed) {
        cannot_write(path, errno);
    }
}

void check(const char* where, const cpu::ReplayReport& report)
{
    if (!report.equal) {
        throw ModelError(std::string(where) + ": " + report.text());
    }
}

void run(const std::string& recording, const std::string& out)
{
    Table table;
    NativeObserver natively(table);
    const cpu::ReplayReport native = cpu::replay_native(recording, &natively);
    check("native", native);
    const std::unique_ptr<cpu::IssIf> iss = cpu::load_iss_unicorn();
    IssObserver on_iss(natively.segments);
    const cpu::ReplayReport executed =
        cpu::replay_iss(recording, *iss, cpu::find_rv32_image(), &on_iss);
    check("iss", executed);
    if (on_iss.seen() != natively.segments.size()) {
        throw ModelError("the two CPUs do not call the HAL equally often");
    }
    write(out, table);
    std::cout << "steps " << native.steps << "\nevents " << native.events << "\nsegments "
              << natively.segments.size() << "\nnative_cycles " << natively.charged << " of "
              << native.cycles << "\niss_cycles " << on_iss.executed << " of " << executed.cycles
              << '\n';
}

} // namespace

int main(int argc, char** argv)
{
    const std::string first = argc > 1 ? argv[1] : "";
    if (first == "--help" || first == "-h") {
        std::cout << kUsage;
        return kExitDone;
    }
    if (argc != 3 || first.empty() || first[0] == '-') {
        std::cerr << kUsage;
        return kExitInput;
    }
    try {
        run(first, argv[2]);
        return kExitDone;
    } catch (const InputError& e) {
        std::cerr << "tlmssd-costs: " << e.what() << '\n';
        return kExitInput;
    } catch (const ModelError& e) {
        std::cerr << "tlmssd-costs: " << e.what() << '\n';
        return kExitModel;
    }
}
