// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the SSD of a guest: an SsdAhci or an SsdNvme behind a PCI function, and the guest's memory as its bus.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/flash/rtl/rtl_registers.h"
#include "models/guest/guest_memory.h"
#include "models/guest/pci_port.h"
#include "models/run/counters.h"
#include "models/ssd/include/tlmssd/ssd_observation.h"

namespace tlmssd {
class Ssd;
namespace ssd {
class DeviceRequests;
}
}

namespace tlmssd::guest {

enum class Controller : u8 { Nvme, Ahci };
enum class BarWidth : u8 { Own, Narrow }; ///< the controller's own width of addresses in BARs, or 32 bits

/// Owns the SystemC simulation: one a process.
class GuestDevice final : public PciPortIf {
public:
    /// `file` and `sets` as of `tlmssd run`; `memory` outlives it. InputError.
    /// `cells`: file that keeps the flash cells; empty: in memory.
    GuestDevice(Controller controller, const std::string& file, const std::vector<std::string>& sets,
                const std::string& cells, GuestMemory& memory, BarWidth bars = BarWidth::Own,
                const SsdObservation& observation = {});
    ~GuestDevice() override;

    void read_config(u32 offset, u8* data, u32 bytes) override;
    void write_config(u32 offset, const u8* data, u32 bytes) override;
    void read_bar(u32 bar, u64 offset, u8* data, u32 bytes) override;
    void write_bar(u32 bar, u64 offset, const u8* data, u32 bytes) override;
    void read_space(u64 address, u8* data, u32 bytes) override;
    void write_space(u64 address, const u8* data, u32 bytes) override;
    void reset() override;
    u64 now() const override;
    u64 next_event() const override;
    void advance(u64 time) override;
    std::optional<InterruptMessage> take_interrupt() override;
    bool interrupt_waits() const override;
    bool failed() const override;
    void cut_power() override;

    /// From `time` on nobody answers: reads give ones, writes have no effect, no memory is touched, no interrupt comes.
    void remove_at(u64 time);

    /// The errors of the model, one line each.
    std::vector<std::string> failures() const;
    /// DMA outside of the guest's memory so far.
    u64 refused() const;
    const Ssd& ssd() const;
    /// Its commands so far.
    const ssd::DeviceRequests& requests() const;
    /// Completes the files of `observation`. InputError: one cannot be written.
    void close_observation();
    /// All that the device has counted since the guest's time 0, and the times of its link to the controller.
    run::DeviceCounters counters() const;
    /// Those of an RTL controller, at the end; nothing: it has none, or the model has failed.
    std::optional<flash::RtlCounters> rtl_counters();

private:
    struct System;
    run::DeviceCounters all_counters() const;

    std::unique_ptr<System> system_;
    run::DeviceCounters at_start_;
    std::optional<std::vector<std::string>> before_cut_; ///< failures
};

} // namespace tlmssd::guest
