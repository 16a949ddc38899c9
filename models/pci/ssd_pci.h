// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a PCI function around a storage controller (docs/explanation/pci.md).
#pragma once

#include <functional>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/pci/config_space.h"

namespace tlmssd::pci {

/// Towards the system: `config` takes accesses of the configuration space at 0 to FFFh, `space` those of PCI
/// memory addresses, `memory` makes DMA and interrupt messages (writes of 4 bytes). Towards the device:
/// `registers` makes accesses at offsets of its BAR, `dma` takes what it reads and writes.
/// No access takes time.
class SsdPci final : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(SsdPci);

    tlm_utils::simple_target_socket<SsdPci> config;
    tlm_utils::simple_target_socket<SsdPci> space;
    tlm_utils::simple_initiator_socket<SsdPci> memory;
    tlm_utils::simple_initiator_socket<SsdPci> registers;
    tlm_utils::simple_target_socket<SsdPci> dma;

    /// `reset`: called at a function level reset; the device is to be as after power-on. InputError.
    SsdPci(sc_core::sc_module_name name, const FunctionFacts& facts, std::function<void()> reset);

    /// The device asks for an interrupt. A message follows when it may; several before that are one.
    void interrupt(u32 vector);

    /// Configuration space and device are as after power-on.
    void reset();

    const ConfigSpace& configuration() const { return space_; }
    u64 messages() const { return messages_; } ///< sent
    u64 refused() const { return refused_; }   ///< DMA while the function was not bus master

private:
    void on_config(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void on_space(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void on_dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    void on_msix(tlm::tlm_generic_payload& payload, u64 offset);
    void send();

    ConfigSpace space_;
    std::function<void()> reset_;
    sc_core::sc_event changed_; ///< a message may have become due
    u64 messages_ = 0;
    u64 refused_ = 0;
};

} // namespace tlmssd::pci
