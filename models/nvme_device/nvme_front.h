// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NVMe controller in simulated time: at a PCI Express link, with the host side of the HAL towards an SSD
// (docs/explanation/nvme-device.md).
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "models/common/fifo.h"
#include "models/interfaces/dram_if.h"
#include "models/interfaces/host_port.h"
#include "models/nvme/command_data_if.h"
#include "models/nvme/pcie_link.h"
#include "models/nvme_device/core/controller.h"
#include "models/nvme_device/front_options.h"
#include "models/nvme_device/link_memory.h"
#include "models/nvme_device/slots.h"

namespace tlmssd::nvme_device {

/// Figures of the SSD for SMART.
class HealthIf {
public:
    virtual ~HealthIf() = default;
    virtual bool read_only() const = 0;
    virtual Health health() const = 0;
};

/// Its units work by timers of the event queue. Two processes run what makes several accesses of host memory: one
/// executes commands with lists and admin commands, one compares. A page buffer is the controller's until its last piece of data
/// has arrived at the other end.
class NvmeFront final : public sc_core::sc_module,
                        public HostPortIf,
                        public nvme::PcieDeviceIf,
                        private BackendIf,
                        private InterruptSinkIf {
public:
    SC_HAS_PROCESS(NvmeFront);

    NvmeFront(sc_core::sc_module_name name, time::EventQueue& event_queue, nvme::PcieLink& link,
              const FrontOptions& options, DramIf& dram);

    void bind(HostSinkIf& sink) { sink_ = &sink; }
    void bind(const HealthIf& health) { health_ = &health; }
    /// Where tags may stand for data; without it bytes move, and writes get tags of their own.
    void bind(nvme::CommandDataIf& data) { data_ = &data; }
    void observe(HostDmaObserverIf& observer) { observer_ = &observer; }
    /// With nvme.engine: firmware: the firmware's core is busy for a time; returns when it has ended.
    void run_on(std::function<Picoseconds(Picoseconds time)> core) { core_ = std::move(core); }
    /// A host with a pin: called at each fall, at once; a rise is a Transfer::Kind::Level.
    void on_fall(std::function<void()> call) { fall_ = std::move(call); }

    void start_dma(const hal_host_dma& dma) override;
    void complete(u32 tag, u32 status) override;

    // A host without doorbells on the link.
    void write_register(u32 offset, u32 value, u32 mask);
    bool level() const { return level_; }
    /// Function level reset: CC.EN is 0 at once, CSTS.RDY when the commands in the SSD have ended.
    void reset_function();

    void on_arrival(const nvme::Transfer& transfer) override;
    void on_delivered(const nvme::Transfer& transfer) override;
    u32 on_register_read(u32 offset) override { return controller_.read(offset); }

    const Controller& controller() const { return controller_; }

private:
    /// Busy for a time before what it does.
    struct Unit {
        Unit(time::EventQueue& event_queue, time::Timer::Callback callback, void* owner, Picoseconds t)
            : timer(event_queue, time::Priority::Link, callback, owner), time(t)
        {
        }
        time::Timer timer;
        Picoseconds time;
        bool busy = false;
    };
    struct FetchSlot {
        Controller::Fetch fetch;
        std::array<u8, Controller::kMostFetched * kSubmissionBytes> bytes{};
    };
    struct Dma {
        hal_host_dma dma{};
        DramEnd end;
        u64 address = 0; ///< in host memory, of its first byte
        u32 pieces = 0;  ///< on the link
        bool failed = false;
    };
    struct Tag {
        u64 lba = 0;
        u32 sectors = 0;
        u8 opcode = 0;   ///< hal_host_opcode; 0: free
        u32 version = 0; ///< of the integrity tags of what it writes
    };

    // nvme_front.cpp
    bool occupy(Unit& unit);
    void wake();
    void start_fetch();
    void send_fetch();
    void on_fetch_time();
    void decode();
    void execute();
    void on_decode_time();
    void execute_slowly();
    void start_post();
    void send_post();
    void on_post_time();
    void on_deadline();
    void arm_deadline();

    // nvme_front_data.cpp
    void check(const hal_host_dma& dma) const;
    DramEnd dram(u32 at, u32 bytes, bool write);
    u32 send_pieces(u32 slot, nvme::Transfer::Kind kind);
    void on_dram_read();
    void on_piece_here(const nvme::Transfer& transfer);
    void on_piece_there(const nvme::Transfer& transfer);
    void to_dram(u32 slot);
    void on_dram_written();
    void compare();
    void put_tags(const hal_host_dma& dma, u32 at);
    void finish(u32 slot, bool good);

    // The controller's view.
    void submit(const BackendCommand& command) override;
    bool read_only() const override { return health_ != nullptr && health_->read_only(); }
    Health health() const override { return health_ != nullptr ? health_->health() : Health(); }
    Picoseconds now() const override { return event_queue_.now(); }
    void message(u32 vector) override;
    void level(bool on) override;

    time::EventQueue& event_queue_;
    nvme::PcieLink& link_;
    DramIf& dram_;
    u32 unit_shift_; ///< log2 of the sectors per unit
    LinkMemory memory_;
    Controller controller_;
    HostSinkIf* sink_ = nullptr;
    const HealthIf* health_ = nullptr;
    nvme::CommandDataIf* data_ = nullptr;
    HostDmaObserverIf* observer_ = nullptr;
    std::function<Picoseconds(Picoseconds)> core_;
    std::function<void()> fall_;

    Unit fetch_;
    Unit decode_;
    Unit post_;
    Controller::Fetch next_fetch_; ///< while the unit is busy
    Controller::Post next_post_;
    Slots<FetchSlot> fetches_;
    Slots<Controller::Post> posts_;
    bool posting_ = false;     ///< interrupts follow an entry
    bool announced_ = false;   ///< one does
    u32 announced_vector_ = 0;
    bool rise_ = false;
    bool level_ = false;
    time::Timer deadline_;
    bool slow_ = false; ///< the process that executes has something to do
    sc_core::sc_event slow_event_;

    Slots<Dma> dmas_;
    Fifo<u32> reading_{64}; ///< leave DRAM, in the order of their ends
    Fifo<u32> writing_{64}; ///< go into DRAM
    Fifo<u32> comparing_{16};
    sc_core::sc_event compare_event_;
    time::Timer read_timer_;
    time::Timer write_timer_;
    std::vector<Tag> tags_;
    u32 versions_ = 0;
};

} // namespace tlmssd::nvme_device
