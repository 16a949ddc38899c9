// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a whole SSD behind an AHCI host adapter, for somebody else's virtual platform.
#pragma once

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
namespace sata {
class Link;
}

/// Where an SsdAhci has its configuration from.
struct SsdAhciConfig {
    std::string file;              ///< one of configs/ssd/, or your own
    std::string text;              ///< or YAML as such, where `file` is empty
    std::vector<std::string> sets; ///< "key=value", as of `tlmssd run --set`
    sc_core::sc_time register_time = sc_core::SC_ZERO_TIME; ///< what each register access takes
    SsdObservation observation = {};
    std::string cells = {}; ///< file that keeps the flash cells, made where it is missing; empty: in memory
};

/// AHCI 1.3.1 with one port, a SATA link, and an SSD with real bytes (docs/explanation/ahci.md). `registers` takes
/// base-protocol transactions at addresses 0 to 17Fh, `memory` makes them: command lists and tables,
/// received FISes, data. Any number of devices may stand in one simulation.
class SsdAhci final : public sc_core::sc_module {
public:
    /// std::runtime_error: the configuration is wrong, or asks for what is not here (host.kind other than
    /// sata, more than 32 commands). `data` is full, whatever the file says.
    SsdAhci(sc_core::sc_module_name name, const SsdAhciConfig& config);
    ~SsdAhci() override;

private:
    struct Inside;
    std::unique_ptr<Inside> inside_;

public:
    tlm::tlm_base_target_socket<32>& registers;
    tlm::tlm_base_initiator_socket<32>& memory;
    sc_core::sc_out<bool>& interrupt;

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
    /// The SATA link, for its statistics.
    const sata::Link& link() const;
};

} // namespace tlmssd
