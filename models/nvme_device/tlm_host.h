// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a platform as the host of an NVMe controller: its registers as a TLM target, the platform's memory by an
// initiator (docs/explanation/nvme-device.md).
#pragma once

#include <array>
#include <functional>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/common/fifo.h"
#include "models/nvme_device/nvme_front.h"
#include "models/pci/register_access.h"

namespace tlmssd::nvme_device {

/// Accesses of memory take the time of their transactions. Each lane makes one after the other: the data of a command
/// have a lane, entries and lists one, completions and interrupts one.
class TlmHost final : public sc_core::sc_module, private nvme::PcieHostIf {
public:
    SC_HAS_PROCESS(TlmHost);

    tlm_utils::simple_target_socket<TlmHost> registers;
    tlm_utils::simple_initiator_socket<TlmHost> memory;
    sc_core::sc_out<bool> interrupt; ///< the pin, a level

    /// `register_time`: of each register access.
    TlmHost(sc_core::sc_module_name name, time::EventQueue& event_queue, nvme::PcieLink& link, NvmeFront& device,
            sc_core::sc_time register_time);

    /// Called for each message of a vector, at its time.
    void on_message(std::function<void(u32 vector)> call) { message_ = std::move(call); }

private:
    static constexpr u32 kDataLanes = 8;
    static constexpr u32 kReadLane = kDataLanes;
    static constexpr u32 kPostLane = kDataLanes + 1;
    struct Lane {
        Fifo<nvme::Transfer> waiting{16};
        sc_core::sc_event kick;
    };

    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    u32 transport_dbg(tlm::tlm_generic_payload& payload) { return pci::peek(block_, payload); }
    void on_arrival(const nvme::Transfer& transfer) override { put(transfer); }
    void on_read(const nvme::Transfer& transfer) override { put(transfer); }
    void put(const nvme::Transfer& transfer);
    void work(Lane& lane);
    void serve(nvme::Transfer transfer);
    bool transport(bool write, const nvme::Transfer& transfer);
    void drive() { interrupt.write(device_.level() && risen_); }

    time::EventQueue& event_queue_;
    nvme::PcieLink& link_;
    NvmeFront& device_;
    sc_core::sc_time register_time_;
    pci::RegisterBlock block_; ///< of device_
    std::function<void(u32)> message_;
    std::array<Lane, kDataLanes + 2> lanes_;
    bool risen_ = false; ///< the rise of the pin has arrived
    sc_core::sc_event drive_;
};

} // namespace tlmssd::nvme_device
