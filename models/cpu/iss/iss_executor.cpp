// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: steps on the ISS, and what of the firmware's state is shown outside.
#include "models/cpu/iss/iss_executor.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "models/common/error.h"

namespace tlmssd::cpu {

namespace {

/// Behind firmware that boots: it has nothing to say yet.
class NoHal final : public HalIf {
public:
    bool next_event(u32, hal_event&) override { fail(); }
    bool flash_submit(const flash_op&) override { fail(); }
    void host_dma(const ::hal_host_dma&) override { fail(); }
    void host_complete(u32, u32) override { fail(); }
    void copy(u32, u32, u64, u32) override { fail(); }
    void timer_arm(u32, u64) override { fail(); }
    void send(u32, const hal_message&) override { fail(); }
    void probe(u32, u32) override { fail(); }
    void panic(u32 code, u32) override
    {
        throw ModelError("firmware stopped while booting (code " + std::to_string(code) + ")");
    }

private:
    [[noreturn]] void fail() { throw ModelError("firmware on the ISS: a HAL call while booting"); }
};

NoHal no_hal;

} // namespace

IssExecutor::IssExecutor(std::unique_ptr<IssIf> iss, const std::string& image, u64 watchdog,
                         const IssMirror& mirror_to)
    : iss_(std::move(iss)), mirror_(mirror_to), firmware_(*iss_, image, mirror_.state->cfg, no_hal)
{
    firmware_.set_watchdog(watchdog);
    const mmio_boot_block block = firmware_.boot_block();
    if (block.blocks_bytes != mirror_.blocks_bytes) {
        throw InputError(image + ": a firmware image of another version: build it again");
    }
    mirror_.state->oob = firmware_.oob().table;
    if (mirror_.tables != nullptr) {
        *mirror_.tables = firmware_.tables();
    }
    iss_->count_by(firmware_.word(block.module_address), module_cycles_.data(), FW_MODULE_COUNT);
    mirror();
}

u64 IssExecutor::step(u32 core, u64 now_us)
{
    const u64 cycles = firmware_.step(core, now_us);
    mirror();
    return cycles;
}

void IssExecutor::mirror()
{
    mirror_.state->stats = firmware_.stats();
    std::copy(module_cycles_.begin(), module_cycles_.end(), mirror_.state->stats.cycles);
    for (u32 i = 0; i < MMIO_SHOWN_COUNT; ++i) {
        *mirror_.shown[i] = *firmware_.shown(i);
    }
}

void IssExecutor::clear_stats()
{
    firmware_.clear_stats();
    module_cycles_.fill(0);
    iss_->clear_profile();
    instructions_before_ = iss_->instructions();
    mirror();
}

void IssExecutor::refresh_wear()
{
    const mmio_boot_block block = firmware_.boot_block();
    std::memcpy(mirror_.blocks, iss_->memory(block.blocks_address, block.blocks_bytes),
                block.blocks_bytes);
}

std::vector<std::pair<std::string, u64>> IssExecutor::cycles_by_function() const
{
    std::map<std::string, u64> sums;
    for (const IssBlockCost& block : iss_->profile()) {
        if (block.cycles != 0) {
            const std::string place = firmware_.image().describe(block.address);
            sums[place.substr(0, place.find('+'))] += block.cycles;
        }
    }
    std::vector<std::pair<std::string, u64>> all(sums.begin(), sums.end());
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    return all;
}

} // namespace tlmssd::cpu
