// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one life of a device whose supply is cut.
#include "models/powercut/power_life.h"

#include <filesystem>
#include <fstream>

#include "models/common/error.h"
#include "models/observe/output/format.h"
#include "models/workload/jobs.h"

namespace tlmssd::powercut {

namespace {

constexpr const char* kDevice = "device.snapshot";
constexpr const char* kHistory = "history";
constexpr const char* kUnsaved = "unsaved"; ///< there: the capacitors were empty too early

} // namespace

PowerLife::PowerLife(const config::Config& config, const LifeOrders& orders)
    : config_(config), orders_(orders)
{
    if (config_.data == config::DataKind::Full) {
        throw InputError("data: full: here only tags are checked; take data: tags");
    }
    jobs_ = workload::make_jobs(config_.workloads(), orders_.work_seed, config_.logical_sectors(), nullptr);
    assembly_ = std::make_unique<ssd::Assembly>(config_, ssd::Recordings(), SsdTaps(), SsdOptions());
    event_queue_ = &assembly_->event_queue();
    ssd_ = &assembly_->ssd();
    side_ = ssd::connect_host(*event_queue_, config_, *ssd_);
    const Geometry& g = config_.geometry;
    versions_ = ssd::expected_versions(config_);
    const bool capacitors = config_.buffer.power == config::BufferPower::Capacitors;
    history_ = std::make_unique<PowerHistory>(versions_->units(), g.sectors_per_unit(), g.units_per_page(),
                                              config_.buffer.policy == config::BufferPolicy::NONE ||
                                                  config_.buffer.write == config::BufferWrite::Through || capacitors,
                                              capacitors);
    initiator_ = std::make_unique<host::Initiator>("host", *event_queue_, host::InitiatorOptions::of(config_), *side_.device,
                                                   *versions_);
    initiator_->observe(this);
    audit_ = std::make_unique<PowerAudit>(AuditOptions::of(config_), *side_.device, *versions_, *history_);
    mount_ = std::make_unique<run::TimedMount>(*event_queue_, *ssd_, [this] { on_mounted(); });
    if (capacitors) {
        ssd_->observe_steps(*this);
    }
    begin_timer_ = std::make_unique<time::Timer>(*event_queue_, time::Priority::Host,
                                                 time::Timer::call<&PowerLife::begin, PowerLife>, this);
    // Behind everything else of its time: what ends then has ended.
    cut_timer_ = std::make_unique<time::Timer>(*event_queue_, time::Priority::Clock,
                                               time::Timer::call<&PowerLife::on_cut, PowerLife>, this);
}

PowerLife::~PowerLife() = default;

LifeReport PowerLife::run()
{
    if (orders_.first) {
        ssd_->precondition(*versions_);
        history_->all_durable(*versions_);
    } else if (!orders_.snapshot.empty()) {
        ssd_->mount(orders_.snapshot, *versions_, true);
        history_->all_durable(*versions_);
    } else {
        ssd_->mount(file(kDevice), *versions_, true);
        history_->load(file(kHistory));
        if (std::filesystem::exists(file(kUnsaved))) {
            audit_->after_unsaved();
        }
    }
    assembly_->elaborate();
    begin_timer_->arm(event_queue_->now());
    assembly_->run();
    finish();
    return report_;
}

void PowerLife::begin()
{
    if (orders_.first) {
        start_work();
        return;
    }
    if (orders_.mount_cut != Picoseconds()) {
        cut_timer_->arm(event_queue_->now() + orders_.mount_cut);
    }
    mount_->start();
}

void PowerLife::on_mounted()
{
    report_.phase = LifeReport::Look;
    report_.mounted = 1;
    const ssd::MountReading mount = mount_->reading();
    report_.mount_ps = mount.took.value();
    report_.mount_reads = mount.reads;
    audit_->start([this] { on_looked(); });
}

void PowerLife::on_looked()
{
    report_.looked = audit_->pages();
    report_.unreadable = audit_->unreadable();
    report_.survivors = audit_->survivors();
    report_.forgotten = audit_->forgotten();
    report_.lost = audit_->lost();
    failures_ = audit_->failures();
    std::filesystem::remove(file(kUnsaved));
    if (orders_.last || !failures_.empty()) {
        ended_ = true;
        event_queue_->stop();
        return;
    }
    side_.device->bind(*initiator_);
    start_work();
}

void PowerLife::start_work()
{
    report_.phase = LifeReport::Work;
    if (!cut_timer_->armed()) {
        cut_timer_->arm(event_queue_->now() + orders_.work);
    }
    initiator_->start(jobs_, *this);
}

void PowerLife::note_idle()
{
    if (report_.phase == LifeReport::Work && initiator_->outstanding() == 0 &&
        !event_queue_->others_armed(*cut_timer_)) {
        report_.phase = LifeReport::Idle;
    }
}

/// The firmware says when everything is in flash: the supply may be gone then.
void PowerLife::on_step(u32, Picoseconds, Picoseconds end, const fw& firmware)
{
    if (report_.held_up != 0 && report_.saved == 0 && firmware.stats.power_saves != 0 &&
        end <= cut_timer_->at()) {
        report_.saved = 1;
        report_.save_ps = (end - failed_at_).value();
        cut_timer_->arm(end);
    }
}

void PowerLife::on_cut()
{
    if (report_.held_up == 0 && report_.phase != LifeReport::Mount && // a mount has nothing in DRAM
        config_.buffer.power == config::BufferPower::Capacitors) {
        note_idle();
        report_.held_up = 1;
        failed_at_ = event_queue_->now();
        ssd_->fail_power();
        cut_timer_->arm(failed_at_ + Picoseconds(u64{config_.buffer.hold_up_ms} * 1'000'000'000));
        return;
    }
    if (report_.held_up == 0) {
        note_idle();
    } else if (report_.saved == 0) {
        std::ofstream(file(kUnsaved)) << '\n';
    }
    failures_ = ssd_->violation_texts(); // behind the cut the checker sees a bus without supply
    const Ssd::Torn torn = ssd_->power_off();
    report_.torn_programs = torn.programs;
    report_.torn_erases = torn.erases;
    cut_ = ended_ = true;
    event_queue_->stop();
}

void PowerLife::finish()
{
    if (const std::exception_ptr error = event_queue_->failure()) {
        try {
            std::rethrow_exception(error);
        } catch (const ModelError& e) {
            observe::append_lines(e.what(), failures_);
        }
    }
    if (const std::exception_ptr error = initiator_->source_error()) {
        std::rethrow_exception(error);
    }
    if (!cut_) {
        const std::vector<std::string> texts = ssd_->violation_texts();
        failures_.insert(failures_.end(), texts.begin(), texts.end());
    }
    if (!ended_ && failures_.empty()) {
        failures_.push_back(report_.phase == LifeReport::Mount
                                ? "the mount does not end: the device stopped with nothing left to do"
                                : "the device stopped with commands open and nothing left to do");
        observe::append_lines(ssd_->stall_report(), failures_);
    }
    report_.failed = failures_.empty() ? 0 : 1;
    if (cut_ && failures_.empty()) {
        ssd_->save(file(kDevice), *versions_);
        history_->save(file(kHistory));
    }
}

void PowerLife::on_failure(const host::Failure& failure)
{
    failures_.push_back("integrity: " + failure.text);
    event_queue_->stop();
}

void PowerLife::on_issued(const host::RequestRecord& request)
{
    if (report_.held_up != 0) { // the host is without supply too: nobody hears of it
        history_->on_issued(request.command, *versions_);
        return;
    }
    ++report_.requests;
    report_.trims += request.command.opcode == HAL_HOST_TRIM;
    report_.flushes += request.command.opcode == HAL_HOST_FLUSH;
    report_.fuas += request.command.opcode == HAL_HOST_WRITE && (request.command.flags & HAL_HOST_FUA) != 0;
    history_->on_issued(request.command, *versions_);
}

void PowerLife::on_request(const host::RequestRecord& request)
{
    if (report_.held_up == 0) {
        history_->on_ended(request.command, request.status);
    }
}

} // namespace tlmssd::powercut
