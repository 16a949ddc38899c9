// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NVMe controller in a platform: registers towards a CPU, DMA towards its memory, the host side of the HAL
// towards an SSD (docs/explanation/nvme-device.md).
#pragma once

#include <array>
#include <functional>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "models/common/fifo.h"
#include "models/interfaces/dram_if.h"
#include "models/interfaces/host_port.h"
#include "models/nvme_device/core/controller.h"
#include "models/nvme_device/front_options.h"
#include "models/nvme_device/pcie_path.h"
#include "models/pci/register_access.h"
#include "models/time/event_queue.h"

namespace tlmssd::nvme_device {

/// Figures of the SSD for SMART.
class HealthIf {
public:
    virtual ~HealthIf() = default;
    virtual bool read_only() const = 0;
    virtual Health health() const = 0;
};

/// Processes: one fetches and executes, one writes completions, kEngines move data, each the transfers of some tags in
/// their order.
class NvmeFront final : public sc_core::sc_module, public HostPortIf, private BackendIf, private InterruptSinkIf {
public:
    SC_HAS_PROCESS(NvmeFront);

    tlm_utils::simple_target_socket<NvmeFront> registers;
    tlm_utils::simple_initiator_socket<NvmeFront> memory;
    sc_core::sc_out<bool> interrupt; ///< the pin, a level

    NvmeFront(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Pcie& pcie,
              const FrontOptions& options, DramIf& dram, u32 sectors_per_unit);

    void bind(HostSinkIf& sink) { sink_ = &sink; }
    void bind(const HealthIf& health) { health_ = &health; }
    void observe(HostDmaObserverIf& observer) { observer_ = &observer; }
    /// Called for each message of a vector, at its time.
    void on_message(std::function<void(u32 vector)> call) { message_ = std::move(call); }

    void start_dma(const hal_host_dma& dma) override;
    void complete(u32 tag, u32 status) override;

    /// Function level reset: CC.EN is 0 at once, CSTS.RDY when the commands in the SSD have ended.
    void reset_function();

    const Controller& controller() const { return controller_; }
    const PciePath& path() const { return path_; }

private:
    static constexpr u32 kEngines = 8;
    struct Engine {
        Fifo<hal_host_dma> waiting{16};
        sc_core::sc_event kick;
    };
    struct Tag {
        u64 lba = 0;
        u32 version = 0; ///< of the integrity tags of what it writes
    };

    // Registers.
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    u32 transport_dbg(tlm::tlm_generic_payload& payload);

    // Processes.
    void fetch();
    void post();
    void engine();
    void on_deadline();
    void drive() { interrupt.write(pin_); }
    void wake();
    void move(const hal_host_dma& dma);
    void occupy_dram(u32 at, u32 bytes, bool write);
    void put_tags(const hal_host_dma& dma, u32 at);

    // The controller's view.
    void submit(const BackendCommand& command) override;
    bool read_only() const override { return health_ != nullptr && health_->read_only(); }
    Health health() const override { return health_ != nullptr ? health_->health() : Health(); }
    Picoseconds now() const override { return event_queue_.now(); }
    void message(u32 vector) override;
    void level(bool on) override;

    time::EventQueue& event_queue_;
    DramIf& dram_;
    const FrontOptions options_;
    u32 unit_shift_; ///< log2 of the sectors per unit
    PciePath path_;
    Controller controller_;
    pci::RegisterBlock block_; ///< of controller_
    HostSinkIf* sink_ = nullptr;
    const HealthIf* health_ = nullptr;
    HostDmaObserverIf* observer_ = nullptr;
    std::function<void(u32)> message_;
    std::array<Engine, kEngines> engines_;
    u32 started_ = 0; ///< engines whose process runs
    std::vector<Tag> tags_;
    u32 versions_ = 0;
    bool pin_ = false;
    sc_core::sc_event fetch_event_;
    sc_core::sc_event post_event_;
    sc_core::sc_event deadline_;
    sc_core::sc_event drive_;
};

} // namespace tlmssd::nvme_device
