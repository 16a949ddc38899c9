// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the state in which a device begins (preconditioning, snapshots, mounts), and the end of its power.
#include <optional>
#include <string>

#include "models/common/error.h"
#include "models/snapshot/snapshot.h"
#include "models/ssd/aged_device.h"
#include "models/ssd/include/tlmssd/ssd.h"
#include "models/ssd/stand_in.h"

namespace tlmssd {

/// Preconditioning and mounts pass the checker by.
void Ssd::learn_blocks()
{
    if (checker_) {
        nand::for_each_block(config_.geometry, [this](const nand::Place& place) {
            checker_->learn(place.die, place.plane, place.block, store_.next_page(place));
        });
    }
}

/// Null: the executor itself works in no simulated time.
std::unique_ptr<ssd::StandIn> Ssd::make_stand_in()
{
    return stand_in_.empty() || recorder_ != nullptr
               ? nullptr
               : ssd::StandIn::make(stand_in_, *iss_, image_.state(), *dram_);
}

/// work(world) gives the report.
template <class Work>
aging::PreconditionReport Ssd::in_no_time(host::ExpectedVersions& versions, ssd::StandIn* stand_in, const Work& work)
{
    executor_->set_probing(0); // nobody looks: no time passes
    cpu::ExecutorIf& executor = stand_in != nullptr ? stand_in->firmware() : *executor_;
    aging::FunctionalWorld world(executor, config_.geometry, store_, *dram_, versions);
    std::unique_ptr<cpu::RecordingHal> recording;
    if (recorder_ != nullptr) {
        recording = make_recording(world);
        world.set_recorder(recorder_);
        executor_->connect(*recording);
    }
    const aging::PreconditionReport report = work(world);
    if (stand_in != nullptr) {
        stand_in->hand_over();
    }
    executor_->set_probing(probing_);
    executor_->connect(recording_ ? static_cast<cpu::HalIf&>(*recording_) : *cpu_);
    learn_blocks();
    return report;
}

aging::PreconditionReport Ssd::precondition(host::ExpectedVersions& versions)
{
    const std::unique_ptr<ssd::StandIn> stand_in = make_stand_in();
    std::optional<ssd::AgedDevice> aged;
    if (!cache_.empty() && recorder_ == nullptr && ssd::AgedDevice::fits(config_, stand_in != nullptr)) {
        aged.emplace(config_, image_, store_, *dram_, versions, cache_, stand_in ? &stand_in->firmware() : nullptr);
        if (const std::optional<aging::PreconditionReport> report = aged->load()) {
            if (stand_in) {
                stand_in->hand_over();
                executor_->set_probing(probing_);
            }
            learn_blocks();
            return *report;
        }
    }
    const aging::PreconditionReport report = in_no_time(versions, stand_in.get(), [this](aging::FunctionalWorld& world) {
        return aging::precondition(aging::AgingOptions::of(config_), world);
    });
    const u64 written = report.filled + report.overwritten - report.by_arithmetic;
    if (aged && (written >= ssd::AgedDevice::kFewestPages || config_.precondition.steady)) {
        aged->save(report);
    }
    return report;
}

aging::PreconditionReport Ssd::mount(const std::string& snapshot, host::ExpectedVersions& versions,
                                       bool timed)
{
    const snapshot::SnapshotInfo info = snapshot::load_snapshot(snapshot, store_, versions);
    if (config_.data == config::DataKind::Full && info.seed != config_.seed) {
        throw InputError(snapshot + ": made with seed " + std::to_string(info.seed) +
                         ", of which the bytes are made (data: full); the configuration has seed " +
                         std::to_string(config_.seed));
    }
    aging::PreconditionReport report = mount_store(versions, timed);
    report.snapshot = info.config_hash;
    return report;
}

aging::PreconditionReport Ssd::mount_store(host::ExpectedVersions& versions, bool timed)
{
    const std::unique_ptr<ssd::StandIn> stand_in = make_stand_in();
    return in_no_time(versions, stand_in.get(), [&](aging::FunctionalWorld& world) {
        return aging::mount(aging::AgingOptions::of(config_), store_, world, timed);
    });
}

aging::PreconditionReport Ssd::adopt(host::ExpectedVersions& versions)
{
    const Geometry& g = config_.geometry;
    nand::for_each_block(g, [&](nand::Place place) {
        for (const u32 end = store_.next_page(place); place.page < end; ++place.page) {
            const UnitTag* const tags = store_.read(place).tags;
            for (u32 i = 0; i < g.units_per_page(); ++i) {
                const u64 unit = u64{tags[i].unit} - 1; // wraps for "no data"
                if (unit < versions.units() && tags[i].version > (versions.word(unit) & host::ExpectedVersions::kVersion)) {
                    versions.restore(unit, tags[i].version | host::ExpectedVersions::kDoubtful);
                }
            }
        }
    });
    return mount_store(versions, false);
}

void Ssd::fast_forward(host::ExpectedVersions& versions, const std::function<void(aging::FunctionalWorld&)>& work)
{
    executor_->set_probing(0);
    aging::FunctionalWorld world(*executor_, config_.geometry, store_, *dram_, versions);
    world.set_clock(event_queue_.last().value() / 1'000'000);
    work(world);
    world.expire_timers();
    if (!executor_->idle()) {
        throw ModelError("in zero time: the firmware is not idle after its requests");
    }
    executor_->set_probing(probing_);
    executor_->connect(*cpu_);
    learn_blocks();
}

void Ssd::begin_mount()
{
    fw_message message{};
    message.kind = FW_MSG_FTL_MOUNT;
    message.module = FW_MODULE_FTL;
    cpu_->tell(message);
}

void Ssd::fail_power()
{
    fw_message message{};
    message.kind = FW_MSG_POWER_FAIL;
    message.module = FW_MODULE_BUFFER;
    cpu_->tell(message);
}

Ssd::Torn Ssd::power_off()
{
    Torn torn;
    for (const std::unique_ptr<nand::Target>& target : targets_) {
        for (u32 i = 0; i < target->luns(); ++i) {
            const nand::Lun& lun = target->lun(i);
            const u32 planes = static_cast<u32>(__builtin_popcount(lun.array_planes()));
            torn.programs += lun.array_op() == nand::ArrayOp::Program ? planes : 0;
            torn.erases += lun.array_op() == nand::ArrayOp::Erase ? planes : 0;
        }
        target->power_off(event_queue_.now());
    }
    return torn;
}

void Ssd::save(const std::string& snapshot, const host::ExpectedVersions& versions) const
{
    snapshot::save_snapshot(snapshot, store_, versions, {config_.hash_text, config_.logical_pages(), config_.seed});
}

} // namespace tlmssd
