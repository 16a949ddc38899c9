// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a whole SSD with the registers of an NVMe controller, for somebody else's virtual platform.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include <tlmssd/ssd_observation.h>

namespace tlmssd {

class Ssd;
namespace ssd {
class DeviceRequests;
}

/// Where an SsdNvme has its configuration from, and how its controller is built.
struct SsdNvmeConfig {
    std::string file;              ///< one of configs/ssd/, or your own
    std::string text;              ///< or YAML as such, where `file` is empty
    std::vector<std::string> sets; ///< "key=value", as of `tlmssd run --set`
    std::string serial = "0";      ///< at most 20 characters; devices with one number are one to a host
    std::uint32_t queue_pairs = 64;     ///< of I/O queues, 1 to 64
    std::uint32_t queue_entries = 1024; ///< of an I/O queue at most, 2 to 65536
    std::uint32_t vectors = 65;         ///< of interrupts, 1 to 2048
    std::uint32_t doorbell_stride = 0;  ///< CAP.DSTRD, 0 to 10
    std::uint32_t transfer_pages = 32;  ///< of data of a command at most, 4 KiB each, a power of two up to 512
    sc_core::sc_time register_time = sc_core::SC_ZERO_TIME;   ///< what each register access takes
    SsdObservation observation = {};
    std::string cells = {}; ///< file that keeps the flash cells, made where it is missing; empty: in memory
};

/// Takes the interrupt messages of an SsdNvme, for MSI or MSI-X. Does not wait.
class SsdNvmeVectorsIf : public virtual sc_core::sc_interface {
public:
    virtual void message(std::uint32_t vector) = 0;
};

/// NVM Express 1.4 with one namespace, a PCI Express link, and an SSD with real bytes
/// (docs/explanation/nvme-device.md). `registers` takes base-protocol transactions at addresses of BAR 0, `memory`
/// makes them: queues, PRP lists, data. Any number of devices may stand in one simulation.
class SsdNvme final : public sc_core::sc_module {
public:
    /// std::runtime_error: the configuration is wrong. `data` is full and `host.kind` nvme, whatever the file says;
    /// host.queue_depth (2 to 1024) is how many commands the device holds at most.
    SsdNvme(sc_core::sc_module_name name, const SsdNvmeConfig& config);
    ~SsdNvme() override;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;

public:
    tlm::tlm_base_target_socket<32>& registers;
    tlm::tlm_base_initiator_socket<32>& memory;
    sc_core::sc_out<bool>& interrupt; ///< the pin, a level
    sc_core::sc_port<SsdNvmeVectorsIf, 1, sc_core::SC_ZERO_OR_MORE_BOUND> vectors{"vectors"};

    /// Bytes of BAR 0 that have registers, a power of two.
    std::uint32_t register_bytes() const;
    /// Function level reset, which PCI configuration space asks for. CC.EN is 0 at once, CSTS.RDY when the commands in
    /// the SSD have ended; AQA, ASQ and ACQ are 0.
    void reset_function();
    /// The errors of the model itself, one line each; the simulation has then stopped. Empty: nothing.
    std::vector<std::string> failures() const;
    /// The supply is cut now: `cells` holds what the flash has come to. Nothing may follow.
    void cut_power();
    /// No run-ahead beyond `end`: for who calls sc_start() with a length and acts in between.
    void set_limit(sc_core::sc_time end);
    /// The device, for its statistics (tlmssd/ssd.h).
    const Ssd& ssd() const;
    Ssd& ssd();
    /// Its commands so far.
    const ssd::DeviceRequests& requests() const;
    /// Completes the files of `observation`; the simulation does not go on. std::runtime_error: one cannot be written.
    void close_observation();
};

} // namespace tlmssd
