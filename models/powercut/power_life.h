// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: one life of a device whose supply is cut: mount, look, work, cut. One a process.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "models/host/initiator.h"
#include "models/powercut/power_audit.h"
#include "models/powercut/power_history.h"
#include "models/run/timed_mount.h"
#include "models/ssd/assembly.h"
#include "models/ssd/host_side.h"

namespace tlmssd::powercut {

/// The orders for this life.
struct LifeOrders {
    std::string folder;      ///< where the life before has left its device, and this one leaves its own
    std::string snapshot;    ///< instead of the folder: a device that was at rest, all of it durable
    bool first = false;      ///< a new device, preconditioned; else that of the folder, to be mounted
    bool last = false;       ///< look at what has survived, then end
    u64 work_seed = 0;       ///< of the workload
    Picoseconds mount_cut;   ///< not 0: the supply goes so long after the mount began
    Picoseconds work;        ///< else so long after the look
};

/// The outcome; it is sent to the parent as bytes.
struct LifeReport {
    enum Phase : u32 { Mount, Look, Work, Idle };
    u32 phase = Mount;     ///< in which the supply was lost; Idle: nothing was running
    u32 mounted = 0;       ///< 1: `mount_ps` and `mount_reads` count
    u64 mount_ps = 0, mount_reads = 0;
    u64 looked = 0;        ///< pages
    u64 unreadable = 0;    ///< of them
    u64 survivors = 0;     ///< units
    u64 forgotten = 0;     ///< units
    u64 torn_programs = 0, torn_erases = 0;
    u64 requests = 0;
    u64 trims = 0, flushes = 0, fuas = 0; ///< of them
    u64 save_ps = 0;       ///< capacitors: how long it took to get into flash what was acknowledged
    u64 lost = 0;          ///< units, where an earlier cut did not leave time for that
    u32 held_up = 0;       ///< 1: the cut found capacitors
    u32 saved = 0;         ///< 1: `save_ps` counts
    u32 failed = 0;        ///< 1: failures() has something
    u32 reserved = 0;
};

/// Builds the device, lives, and leaves what the flash holds in the folder.
class PowerLife final : public host::RunListenerIf, public host::RequestObserverIf, public cpu::StepObserverIf {
public:
    /// `config` outlives the life. InputError.
    PowerLife(const config::Config& config, const LifeOrders& orders);
    PowerLife(config::Config&& config, const LifeOrders& orders) = delete;
    ~PowerLife() override;

    LifeReport run();
    const std::vector<std::string>& failures() const { return failures_; }

    void on_workload_done() override {} // the cut comes all the same
    void on_failure(const host::Failure& failure) override;
    void on_source_error() override { event_queue_->stop(); }
    void on_issued(const host::RequestRecord& request) override;
    void on_request(const host::RequestRecord& request) override;
    void on_step(u32 core, Picoseconds start, Picoseconds end, const fw& firmware) override;
    void on_probe(u32, u32, Picoseconds, Picoseconds) override {}
    u32 probes() const override { return 0; }

private:
    void begin();
    void on_mounted();
    void on_looked();
    void start_work();
    void note_idle();
    void on_cut();
    void finish();
    std::string file(const char* name) const { return orders_.folder + "/" + name; }

    const config::Config& config_;
    LifeOrders orders_;
    LifeReport report_;
    std::vector<std::string> failures_;
    std::unique_ptr<ssd::Assembly> assembly_;
    time::EventQueue* event_queue_ = nullptr; ///< the assembly's
    Ssd* ssd_ = nullptr;                ///< the assembly's
    ssd::HostSide side_;
    std::unique_ptr<host::ExpectedVersions> versions_;
    std::unique_ptr<PowerHistory> history_;
    std::unique_ptr<host::Initiator> initiator_;
    std::unique_ptr<PowerAudit> audit_;
    std::unique_ptr<run::TimedMount> mount_;
    std::unique_ptr<time::Timer> begin_timer_, cut_timer_;
    std::vector<workload::Job> jobs_;
    bool cut_ = false;
    Picoseconds failed_at_; ///< where report_.held_up: when the supply went
    bool ended_ = false; ///< as ordered
};

} // namespace tlmssd::powercut
