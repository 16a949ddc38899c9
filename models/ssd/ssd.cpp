// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: wiring of one SSD.
#include "models/ssd/include/tlmssd/ssd.h"

#include <algorithm>
#include <string>

#include "firmware/boot/firmware.h"
#include "models/cpu/iss/gdb_session.h"
#include "models/cpu/iss/iss_if.h"
#include "models/cpu/native_executor.h"
#include "models/flash/controller_switch.h"
#include "models/flash/pins/pin_phy.h"
#include "models/flash/rtl/rtl_controller.h"
#include "models/flash/tlm/latency_fit.h"
#include "models/flash/tlm/tlm_controller.h"
#include "models/flash/tlm/tlm_latency.h"
#include "models/nvme_device/nvme_front.h"
#include "models/onfi/bus/timing.h"
#include "models/probes/ops/op_stream.h"
#include "models/probes/stages/package_tracker.h"
#include "models/probes/stages/request_tap.h"
#include "models/probes/stages/stage_tap.h"
#include "models/probes/stages/stage_tracker.h"
#include "models/probes/waves/wave_recorder.h"

namespace tlmssd {
namespace {

template <class... Parts>
std::string text(const Parts&... parts)
{
    std::string out;
    ((out += std::string(parts)), ...);
    return out;
}

/// The TLM controller, with the RTL's latencies around it or without.
struct Tlm final : sc_core::sc_module {
    Tlm(time::EventQueue& event_queue, const config::Config& config, flash::SegmentPortIf& port, bool latencies,
        const char* name)
        : sc_module(sc_core::sc_module_name("tlm")),
          around(latencies ? std::make_unique<flash::TlmLatency>(event_queue, config.controller, config.geometry, port,
                                                                   config.nand.ready_falls)
                           : nullptr),
          inside(name, event_queue, config.controller, config.geometry, config.onfi, config.nand,
                 around ? static_cast<flash::SegmentPortIf&>(*around) : port)
    {
        if (around) {
            around->wrap(inside);
        }
    }
    flash::ControllerIf& outside()
    {
        return around ? static_cast<flash::ControllerIf&>(*around) : inside;
    }

    std::unique_ptr<flash::TlmLatency> around;
    flash::TlmController inside;
};

} // namespace

Ssd::Ssd(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Config& config,
         const SsdTaps& taps, const SsdOptions& options)
    : sc_module(name), config_(config), event_queue_(event_queue), store_(config.geometry, config.data, options.file),
      image_(config), cache_(options.file == nullptr && taps.gdb == nullptr ? options.cache : std::string())
{
    dram_ = std::make_unique<dram::Dram>("dram", event_queue_, config_.dram, config_.geometry,
                                         image_.buffer_bytes() + config_.geometry.page_bytes,
                                         config_.data);
    build_executor(taps.gdb);
    const fw& firmware = image_.state();
    dram_->map_oob(firmware.cfg.oob_base, firmware.oob, u64{firmware.cfg.flash_tags} * 64);
    if (const u32 bytes = fw_table_bytes(&firmware.cfg); bytes != 0) {
        dram_->map_tables(fw_table_base(&firmware.cfg), fw_table_pages(&firmware), bytes);
    }
    if (options.stages) {
        stages_ = std::make_unique<probes::StageTracker>(probes::StageOptions::of(config_), firmware.cfg.lines);
    }
    if (config_.observe.packages) {
        packages_ = std::make_unique<probes::PackageTracker>(config_.geometry, firmware.cfg.flash_tags);
    }
    build_flash(taps, options);
    if (config_.host.kind == config::HostKind::Nvme) {
        build_nvme(options.nvme);
    } else {
        build_host_port();
    }
    build_cpu(taps);
}

Ssd::~Ssd() = default;

void Ssd::build_executor(cpu::GdbSession* gdb)
{
    if (config_.cpu.model == config::CpuModel::Native) {
        executor_ = std::make_unique<cpu::NativeExecutor>(image_.state());
        return;
    }
    const std::string& chosen = config_.cpu.firmware;
    std::unique_ptr<cpu::IssIf> back_end = cpu::load_iss_unicorn();
    if (gdb != nullptr) {
        gdb->attach(*back_end);
    }
    auto iss = std::make_unique<cpu::IssExecutor>(
        std::move(back_end), chosen.empty() ? cpu::find_rv32_image() : chosen,
        config_.cpu.watchdog_instructions, image_.mirror());
    iss_ = iss.get();
    if (config_.precondition.stand_in && chosen.empty() && gdb == nullptr) {
        stand_in_ = cpu::find_x32_image();
    }
    executor_ = std::move(iss);
}

void Ssd::build_flash(const SsdTaps& taps, const SsdOptions& options)
{
    const Geometry& g = config_.geometry;
    data_path_ =
        std::make_unique<flash::DataPath>(g, *dram_, config_.controller, config_.inject);
    if (config_.ftl.recovery != config::Recovery::None || config_.ftl.mapping == config::Mapping::Dftl) {
        data_path_->carry_tables(store_.tables());
    }
    segments_ = std::make_unique<flash::SegmentPort>("segments", event_queue_, g, *data_path_,
                                                     flash::SegmentPortOptions::of(config_));
    nand_device_ =
        std::make_unique<nand::Device>(store_, config_.nand, violations_, config_.seed,
                                       config_.inject.swap_page_registers_at);
    nand_device_->width = config_.onfi.width;
    const std::string& faults = config_.inject.fault_script;
    if (!faults.empty()) {
        nand_device_->faults = nand::read_fault_script(faults, g);
    }
    const onfi::BusTiming timing = onfi::bus_timing(config_.onfi, config_.nand);
    if (config_.checker) {
        checker_ =
            std::make_unique<onfi::Checker>(g, config_.onfi, config_.nand, !faults.empty());
    }
    for (u32 c = 0; c < g.channels; ++c) {
        channels_.push_back(std::make_unique<onfi::Channel>(
            text("channel", std::to_string(c)).c_str(), event_queue_, c, g, timing, config_.onfi.ready));
        onfi::Channel& channel = *channels_.back();
        segments_->bind_channel(channel);
        for (u32 ce = 0; ce < g.ces_per_channel(); ++ce) {
            targets_.push_back(std::make_unique<nand::Target>(
                text("target", std::to_string(c), "_", std::to_string(ce)).c_str(), event_queue_, channel,
                ce, *nand_device_));
            channel.bind_target(ce, *targets_.back());
        }
        if (taps.waves != nullptr) {
            if (onfi::BusObserverIf* const observer = taps.waves->observer_of(c)) {
                channel.bind_observer(*observer);
            }
        }
        if (taps.timeline != nullptr) {
            channel.bind_observer(taps.timeline->bus());
        }
    }
    if (!options.stand_by) {
        begin_checks();
    }
    if (config_.controller.kind == config::ControllerKind::RtlPins) {
        build_pins(timing, taps.waves);
    }
    std::vector<flash::OperationObserverIf*> observers;
    if (taps.timeline != nullptr) {
        observers.push_back(taps.timeline);
    }
    if (stages_) {
        observers.push_back(&stages_->flash());
    }
    if (packages_) {
        observers.push_back(packages_.get());
    }
    for (flash::OperationObserverIf* const observer : observers) {
        segments_->bind_observer(*observer);
    }
    if (config::is_rtl(config_.controller.kind)) {
        if (options.stand_by) {
            switch_ = std::make_unique<flash::ControllerSwitch>(*segments_, [this](u32 n) { begin_work(n); });
        }
        auto controller = std::make_unique<flash::RtlController>(
            "controller", event_queue_, config_.controller, g,
            switch_ ? switch_->side(0) : static_cast<flash::SegmentPortIf&>(*segments_),
            taps.waves != nullptr ? &taps.waves->waves() : nullptr,
            flash::rtl_sensing(config_.onfi, config_.nand, g.luns_per_ce()),
            config_.inject.no_grants);
        for (flash::OperationObserverIf* const observer : observers) {
            controller->bind_observer(*observer);
        }
        controller_ = controller.get();
        rtl_controller_ = controller.get();
        controller_module_ = std::move(controller);
        if (switch_) {
            // As slow to decide as the RTL where that is known: runs of a saturated device differ by it.
            const bool latencies = config_.controller.rtl == "o3" && !flash::latency_misfit(config_);
            auto tlm = std::make_unique<Tlm>(event_queue_, config_, switch_->side(1), latencies, "stand_by");
            switch_->connect(0, *controller_);
            switch_->connect(1, tlm->outside());
            stand_by_ = std::move(tlm);
            controller_ = switch_.get();
        }
    } else {
        auto controller = std::make_unique<Tlm>(event_queue_, config_, *segments_, options.rtl_latencies, "controller");
        for (flash::OperationObserverIf* const observer : observers) {
            controller->inside.bind_observer(*observer);
        }
        controller_ = &controller->outside();
        tlm_controller_ = &controller->inside;
        controller_module_ = std::move(controller);
    }
    if (taps.waves != nullptr) {
        controller_ = &taps.waves->tap_controller(*controller_, event_queue_);
    }
    if (taps.ops != nullptr) {
        controller_ = &taps.ops->tap(*controller_, event_queue_);
    }
}

void Ssd::build_pins(const onfi::BusTiming& timing, probes::WaveRecorder* waves)
{
    const Geometry& g = config_.geometry;
    const flash::PhySetup setup = flash::phy_setup(config_.controller, g, config_.onfi.ready,
                                                    config_.operations_fail(), timing);
    for (u32 c = 0; c < g.channels; ++c) {
        phys_.push_back(std::make_unique<flash::PinPhy>(
            text("phy", std::to_string(c)).c_str(), event_queue_, *channels_[c], g, setup, timing, config_.data,
            config_.controller.clock_gating, violations_, flash::make_phy()));
        flash::PinPhy& phy = *phys_.back();
        for (u32 ce = 0; ce < g.ces_per_channel(); ++ce) {
            phy.bind_target(ce, *targets_[c * g.ces_per_channel() + ce]);
        }
        if (waves != nullptr) {
            if (onfi::PinObserverIf* const observer = waves->pins_of(c)) {
                phy.bind_observer(*observer);
            }
        }
        segments_->bind_phy(c, phy);
    }
}

u32 Ssd::Endurance::percentage_used() const
{
    const nand::Device& device = *ssd.nand_device_;
    const Geometry& g = ssd.config_.geometry;
    u64 erases = 0;
    nand::for_each_block(g, [&](const nand::Place& block) {
        erases += device.store.erase_count(block) + device.nand.wear.initial_erases;
    });
    const u64 rated = u64{g.total_planes()} * g.blocks * device.nand.endurance;
    return rated == 0 ? 0 : static_cast<u32>(std::min<u64>(erases * 100 / rated, 255));
}

/// Spare blocks are those that over-provisioning has left: SMART counts down as blocks are retired.
struct Ssd::NvmeHealth final : nvme_device::HealthIf {
    explicit NvmeHealth(const Ssd& s) : ssd(s) {}
    bool read_only() const override { return ssd.firmware().stats.read_only != 0; }
    nvme_device::Health health() const override
    {
        const Geometry& g = ssd.config_.geometry;
        const u64 planes = u64{g.total_planes()};
        const u64 bytes = ssd.config_.logical_sectors() * kSectorBytes;
        const u64 needed = (bytes + u64{g.pages} * g.page_bytes - 1) / (u64{g.pages} * g.page_bytes);
        const u64 spare = planes * g.blocks > needed ? planes * g.blocks - needed : 0;
        const fw_stats& stats = ssd.firmware().stats;
        const u64 gone = std::min(spare, stats.blocks_retired);
        nvme_device::Health h;
        h.used_percent = ssd.endurance_.percentage_used();
        h.spare_percent = spare == 0 ? 0 : static_cast<u32>((spare - gone) * 100 / spare);
        h.media_errors = stats.read_errors;
        return h;
    }
    const Ssd& ssd;
};

void Ssd::build_nvme(const nvme_device::Facts* facts)
{
    const nvme_device::FrontOptions options =
        facts != nullptr ? nvme_device::front_options(config_, *facts) : nvme_device::front_options(config_);
    pcie_ = std::make_unique<nvme::PcieLink>("pcie", event_queue_, config_.pcie);
    nvme_front_ = std::make_unique<nvme_device::NvmeFront>("nvme", event_queue_, *pcie_, options, *dram_);
    nvme_health_ = std::make_unique<NvmeHealth>(*this);
    nvme_front_->bind(*nvme_health_);
}

void Ssd::bind_command_data(nvme::CommandDataIf& data) { nvme_front_->bind(data); }

const nvme::PortStats& Ssd::nvme_counts() const { return nvme_front_->controller().counts(); }

void Ssd::build_host_port()
{
    if (config_.host.kind == config::HostKind::Sata) {
        sata::DeviceFacts facts;
        facts.sectors = config_.logical_sectors();
        facts.tags = config_.host.queue_depth;
        facts.gbps_tenths = config_.sata.gbps_tenths;
        facts.ncq = config_.sata.ncq;
        facts.queued_trim = config_.sata.queued_trim;
        facts.physical_sectors_log2 = bits_for(config_.geometry.sectors_per_unit());
        sata_port_ = std::make_unique<sata::DevicePort>("port", event_queue_, config_.geometry, *dram_,
                                                        facts, config_.sata.fifo_kib * 1024);
        sata_port_->bind(endurance_);
    } else {
        direct_port_ =
            std::make_unique<host::DirectPort>("port", event_queue_, config_.geometry, *dram_,
                                               config_.host.direct_mb_per_s);
    }
}

template <class Port>
void Ssd::connect_host_port(Port& port, HostSinkIf& sink)
{
    port.bind(sink);
    if (stages_) {
        port.observe(*stages_);
    }
}

void Ssd::build_cpu(const SsdTaps& taps)
{
    cpu_ = std::make_unique<cpu::Cpu>("cpu", event_queue_, config_.cpu, config_.controller.tags);
    copy_ = std::make_unique<ssd::CopyEngine>("copy", event_queue_, *dram_, *cpu_);
    HostPortIf* port = nvme_front_  ? static_cast<HostPortIf*>(nvme_front_.get())
                       : sata_port_ ? static_cast<HostPortIf*>(sata_port_.get())
                                    : static_cast<HostPortIf*>(direct_port_.get());
    HostSinkIf* sink = cpu_.get();
    if (taps.requests != nullptr) {
        request_tap_ = std::make_unique<probes::RequestTap>(event_queue_, *taps.requests, *port);
        port = request_tap_.get();
    }
    if (stages_) {
        stage_tap_ = std::make_unique<probes::StageTap>(event_queue_, *stages_, *port, *cpu_);
        port = stage_tap_.get();
        sink = stage_tap_.get();
        copy_->observe(*stages_);
    }
    if (request_tap_) {
        request_tap_->bind(*sink);
        sink = request_tap_.get();
    }
    cpu_->bind(*executor_, *port, *controller_, *copy_);
    if (nvme_front_) {
        connect_host_port(*nvme_front_, *sink);
        if (config_.nvme.units.engine == config::NvmeEngine::Firmware) {
            nvme_front_->run_on([this](Picoseconds time) { return cpu_->occupy(FW_MODULE_HIL, time); });
        }
    } else if (sata_port_) {
        connect_host_port(*sata_port_, *sink);
    } else {
        connect_host_port(*direct_port_, *sink);
    }
    cpu::StepObserverIf* steps = taps.timeline;
    if (taps.waves != nullptr) {
        steps = &taps.waves->tap_firmware(image_.state(), steps);
    }
    for (cpu::StepObserverIf* const observer :
         {steps, static_cast<cpu::StepObserverIf*>(stages_.get()),
          static_cast<cpu::StepObserverIf*>(packages_.get())}) {
        if (observer != nullptr) {
            probing_ |= observer->probes();
            cpu_->observe(*observer);
        }
    }
    if (iss_ != nullptr) { // a probe's arguments take cycles: always, or results would show who looks
        probing_ = ~u32{0};
    }
    executor_->set_probing(probing_);
}

void Ssd::stand_by(bool on) { switch_->use(on ? 1 : 0); }

/// Controller `n` of the switch begins: the RTL is 0. No LUN is busy.
void Ssd::begin_work(u32 n)
{
    segments_->use_pins(n == 0);
    if (n == 0 && checker_ && !checks_) {
        learn_blocks();
        begin_checks();
    }
}

void Ssd::begin_checks()
{
    if (checker_) {
        for (const auto& channel : channels_) {
            channel->bind_observer(*checker_, false);
        }
        checks_ = true;
    }
}

flash::OrderStatistics Ssd::order_statistics() const
{
    return tlm_controller_ != nullptr ? tlm_controller_->order_statistics()
                                      : rtl_controller_->order_statistics();
}

std::string Ssd::stall_report() const
{
    return rtl_controller_ != nullptr ? rtl_controller_->stall_report() : "";
}

std::vector<std::string> Ssd::violation_texts() const
{
    std::vector<std::string> texts;
    for (const onfi::Violation& v : violations_.first()) {
        texts.push_back("die: " + to_string(v));
    }
    if (checker_) {
        for (const onfi::Violation& v : checker_->log().first()) {
            texts.push_back("checker: " + to_string(v));
        }
    }
    return texts;
}

std::unique_ptr<cpu::RecordingHal> Ssd::make_recording(cpu::HalIf& hal)
{
    fw& firmware = image_.state();
    auto recording = std::make_unique<cpu::RecordingHal>(hal, *recorder_);
    recording->bind_oob(cpu::OobWindow{firmware.oob, firmware.cfg.oob_base,
                                       firmware.cfg.flash_tags * 64});
    return recording;
}

void Ssd::set_recorder(cpu::StepRecorder& recorder)
{
    recorder_ = &recorder;
    recording_ = make_recording(*cpu_);
    cpu_->set_recorder(&recorder);
    executor_->connect(*recording_);
}

} // namespace tlmssd
