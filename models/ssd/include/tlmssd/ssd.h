// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the whole device as one SystemC module.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/aging/precondition.h"
#include "models/config/config.h"
#include "models/cpu/cpu.h"
#include "models/cpu/iss/iss_executor.h"
#include "models/cpu/steps/steps.h"
#include "models/dram/dram.h"
#include "models/flash/data_path.h"
#include "models/flash/o3/o3_core.h"
#include "models/flash/segment_port.h"
#include "models/host/direct_port.h"
#include "models/host/expected_versions.h"
#include "models/interfaces/controller_if.h"
#include "models/nand/store/page_store.h"
#include "models/nand/target/target.h"
#include "models/nvme/command_data_if.h"
#include "models/nvme/pcie_link.h"
#include "models/nvme/port_stats.h"
#include "models/onfi/bus/channel.h"
#include "models/onfi/bus/violation.h"
#include "models/onfi/checker/checker.h"
#include "models/probes/timeline/timeline_tap.h"
#include "models/sata/device_port.h"
#include "models/ssd/copy_engine.h"
#include "models/ssd/firmware_image.h"
#include "models/time/event_queue.h"

namespace tlmssd::probes {
class OpRecorder;
class RequestTap;
class StageTap;
class StageTracker;
class PackageTracker;
class WaveRecorder;
}

namespace tlmssd::nvme_device {
class NvmeFront;
struct Facts;
}

namespace tlmssd::flash {
class ControllerSwitch;
class PinPhy;
class RtlController;
class TlmController;
}

namespace tlmssd::cpu {
class GdbSession;
}

namespace tlmssd::ssd {
class StandIn;
}

namespace tlmssd {

/// Observers of one SSD from outside; null: nobody. None changes a result.
struct SsdTaps {
    probes::WaveRecorder* waves = nullptr;   ///< probes are added here; the caller opens the file afterwards
    probes::TimelineTap* timeline = nullptr; ///< sees all that happens inside the device
    probes::OpRecorder* ops = nullptr;       ///< records what enters the flash controller
    host::RequestObserverIf* requests = nullptr; ///< of a platform: sees commands as requests
    cpu::GdbSession* gdb = nullptr;          ///< debugs the firmware on the ISS; waits for its connection
};

/// How one SSD is built, beside its configuration.
struct SsdOptions {
    bool stages = false;              ///< follow the stages of requests, see Ssd::stages()
    bool stand_by = false;            ///< with an RTL controller: a TLM controller too, see Ssd::stand_by()
    bool rtl_latencies = false;       ///< the TLM controller takes as long to decide as the RTL controller o3
    nand::StoreFile* file = nullptr;  ///< the cells are in this file; null: in memory
    std::string cache;                ///< folder of aged devices; empty: none
    const nvme_device::Facts* nvme = nullptr; ///< with host.kind nvme: the controller of a platform; null: of nvme.*
};

/// One SSD: host port, CPU with firmware, DRAM, flash controller, channels and dies, wired as the
/// configuration says. With host.kind sata its `sata_port()` is to be bound to a sata::Link, with nvme its
/// `pcie()` to a host; with host.kind direct its `direct_port()` is called. All modules share the event queue given.
class Ssd final : public sc_core::sc_module {
public:
    /// `config` outlives the SSD. InputError: it asks for something that this build does not have.
    Ssd(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Config& config,
        const SsdTaps& taps = {}, const SsdOptions& options = {});
    Ssd(sc_core::sc_module_name name, time::EventQueue& event_queue, config::Config&& config,
        const SsdTaps& taps = {}, const SsdOptions& options = {}) = delete;
    ~Ssd() override;

    sata::DevicePort* sata_port() { return sata_port_.get(); }       ///< null unless host.kind sata
    host::DirectPort* direct_port() { return direct_port_.get(); }   ///< null unless host.kind direct
    const host::DirectPort* direct_port() const { return direct_port_.get(); }
    nvme::PcieLink* pcie() { return pcie_.get(); }                   ///< null unless host.kind nvme
    const nvme::PcieLink* pcie() const { return pcie_.get(); }
    nvme_device::NvmeFront* nvme_front() { return nvme_front_.get(); } ///< as pcie()
    /// For a host in which tags may stand for data; before the simulation starts.
    void bind_command_data(nvme::CommandDataIf& data);
    /// Of its I/O queues; requires pcie().
    const nvme::PortStats& nvme_counts() const;

    /// Bring the device to the state that config.precondition asks for, in no simulated time.
    /// `versions` learns what was written. Call before the simulation starts.
    aging::PreconditionReport precondition(host::ExpectedVersions& versions);
    /// Instead of that: take what a snapshot holds and let the firmware mount it, in no simulated time;
    /// `timed`: begin_mount() has to follow. InputError where the file or the configuration does not fit.
    aging::PreconditionReport mount(const std::string& snapshot, host::ExpectedVersions& versions,
                                    bool timed = false);
    /// Instead of that: the firmware mounts what the file of the cells holds, in no simulated time. Of
    /// what the host may read, `versions` learns the newest that it may be; older or nothing is right, too.
    aging::PreconditionReport adopt(host::ExpectedVersions& versions);
    /// Between two parts of a simulation, while the device is at rest: work(world), whose requests the device then has
    /// served in no simulated time. Timers that the firmware arms meanwhile expire at its end. ModelError.
    void fast_forward(host::ExpectedVersions& versions, const std::function<void(aging::FunctionalWorld&)>& work);
    /// The TLM controller works in place of the RTL controller, from now on or no more; segments then do not go through
    /// pins. The change waits for the end of the operations inside. SsdOptions::stand_by.
    void stand_by(bool on);
    /// The checker watches the channels. With SsdOptions::stand_by: from where the RTL controller first works on.
    bool checks() const { return checks_; }
    /// ECC takes so much more time for each page that is read, from now on.
    void lengthen_ecc(Picoseconds more) { data_path_->lengthen_ecc(more); }
    /// The firmware begins to mount what the flash holds now, in simulated time; no command may come
    /// before fw_stats.mounts says that it has ended.
    void begin_mount();
    /// The supply has gone, and capacitors hold the device up: the firmware brings into flash what was
    /// acknowledged, and says by fw_stats.power_saves when it has.
    void fail_power();
    /// The operations that a cut of the supply has torn.
    struct Torn {
        u64 programs = 0; ///< pages
        u64 erases = 0;   ///< blocks
    };
    /// The supply is cut now: the flash holds what it has come to. The rest of the device is as before and
    /// has no meaning any more; the simulation is to be stopped.
    Torn power_off();
    /// No command, operation or message is inside the firmware.
    bool at_rest() { return executor_->idle(); }
    /// Write what the flash holds; the firmware has to be idle, as precondition() leaves it.
    void save(const std::string& snapshot, const host::ExpectedVersions& versions) const;

    /// Record every step of the firmware from here on; call before precondition().
    void set_recorder(cpu::StepRecorder& recorder);

    /// For a replay, which takes the firmware's place: bind to it instead.
    flash::ControllerIf& controller() { return *controller_; }
    /// A further observer of the firmware's steps, not of its probes; before the simulation starts.
    void observe_steps(cpu::StepObserverIf& observer) { cpu_->observe(observer); }
    /// A further observer of segments; before the simulation starts.
    void observe_segments(flash::OperationObserverIf& observer) { segments_->bind_observer(observer); }
    const nand::PageStore& page_store() const { return store_; }
    /// Page buffers in DRAM: from offset 0 to the last one, which begins here.
    u64 buffer_bytes() const { return image_.buffer_bytes(); }

    /// Hears of issue and end of the host's requests; null where stages are not followed.
    probes::StageTracker* stages() { return stages_.get(); }
    /// Null without observe.packages.
    const probes::PackageTracker* packages() const { return packages_.get(); }

    const config::Config& config() const { return config_; }
    /// As ExecutorIf::state(); refresh_wear() first where erase counts matter.
    const fw& firmware() const { return image_.state(); }
    void refresh_wear() const { executor_->refresh_wear(); }
    /// Null with cpu.model: native.
    const cpu::IssExecutor* iss() const { return iss_; }
    const cpu::Cpu& cpu() const { return *cpu_; }
    const dram::Dram& dram() const { return *dram_; }
    const flash::SegmentPort& segments() const { return *segments_; }
    /// How the controller has changed the order of operations; the RTL controllers never do.
    flash::OrderStatistics order_statistics() const;
    /// Null unless controller.kind is rtl or rtl_pins.
    flash::RtlController* rtl_controller() { return rtl_controller_; }
    /// The outstanding operations of an RTL controller; lines end with \n, "": nothing, or another kind.
    std::string stall_report() const;
    const flash::DataPath& data_path() const { return *data_path_; }
    const nand::Device& nand_device() const { return *nand_device_; }
    const std::vector<std::unique_ptr<nand::Target>>& targets() const { return targets_; }
    const onfi::Channel& channel(u32 index) const { return *channels_[index]; }
    /// Count of broken rules that the dies found, and those that the checker found (0 where it is off).
    u64 violations() const
    {
        return violations_.count() + (checker_ ? checker_->violations() : 0);
    }
    /// One line for each of the first violations.
    std::vector<std::string> violation_texts() const;

private:
    std::unique_ptr<cpu::RecordingHal> make_recording(cpu::HalIf& hal);
    std::unique_ptr<ssd::StandIn> make_stand_in();
    template <class Work>
    aging::PreconditionReport in_no_time(host::ExpectedVersions& versions, ssd::StandIn* stand_in, const Work& work);
    aging::PreconditionReport mount_store(host::ExpectedVersions& versions, bool timed);
    void learn_blocks();
    void begin_work(u32 n);
    void begin_checks();
    void build_executor(cpu::GdbSession* gdb);
    void build_flash(const SsdTaps& taps, const SsdOptions& options);
    void build_pins(const onfi::BusTiming& timing, probes::WaveRecorder* waves);
    void build_host_port();
    void build_nvme(const nvme_device::Facts* facts);
    template <class Port>
    void connect_host_port(Port& port, HostSinkIf& sink);
    void build_cpu(const SsdTaps& taps);

    /// For the statistics log of `sata`: mean erases of the blocks.
    struct Endurance final : sata::StatisticsIf {
        explicit Endurance(const Ssd& s) : ssd(s) {}
        u32 percentage_used() const override;
        const Ssd& ssd;
    };

    const config::Config& config_;
    time::EventQueue& event_queue_;
    onfi::ViolationLog violations_;
    nand::PageStore store_;
    ssd::FirmwareImage image_;
    std::unique_ptr<cpu::ExecutorIf> executor_;
    cpu::IssExecutor* iss_ = nullptr;
    std::string stand_in_; ///< image of the firmware that may take the place of the ISS (stand_in.h); empty: none
    std::unique_ptr<probes::StageTracker> stages_;
    std::unique_ptr<probes::PackageTracker> packages_;
    std::unique_ptr<nand::Device> nand_device_;
    std::unique_ptr<dram::Dram> dram_;
    std::unique_ptr<flash::DataPath> data_path_;
    std::unique_ptr<flash::SegmentPort> segments_;
    std::vector<std::unique_ptr<onfi::Channel>> channels_;
    std::vector<std::unique_ptr<nand::Target>> targets_;
    std::unique_ptr<onfi::Checker> checker_;
    bool checks_ = false; ///< `checker_` sees the channels
    std::vector<std::unique_ptr<flash::PinPhy>> phys_; ///< by channel, with controller.kind rtl_pins
    std::unique_ptr<flash::ControllerSwitch> switch_; ///< null without SsdOptions::stand_by
    std::unique_ptr<sc_core::sc_module> stand_by_;    ///< as `switch_`
    std::unique_ptr<sc_core::sc_module> controller_module_;
    flash::ControllerIf* controller_ = nullptr;
    const flash::TlmController* tlm_controller_ = nullptr; ///< null with controller.kind rtl
    flash::RtlController* rtl_controller_ = nullptr;       ///< null with controller.kind tlm
    std::unique_ptr<sata::DevicePort> sata_port_;
    Endurance endurance_{*this};
    std::unique_ptr<host::DirectPort> direct_port_;
    std::unique_ptr<nvme::PcieLink> pcie_;
    struct NvmeHealth;
    std::unique_ptr<NvmeHealth> nvme_health_;
    std::unique_ptr<nvme_device::NvmeFront> nvme_front_;
    std::unique_ptr<cpu::Cpu> cpu_;
    std::unique_ptr<ssd::CopyEngine> copy_;
    std::unique_ptr<probes::StageTap> stage_tap_;
    std::unique_ptr<probes::RequestTap> request_tap_;
    cpu::StepRecorder* recorder_ = nullptr;
    std::string cache_; ///< folder of aged devices; empty: none
    std::unique_ptr<cpu::RecordingHal> recording_;
    u32 probing_ = 0; ///< probes that somebody looks at; all of them on the ISS
};

} // namespace tlmssd
