// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an AHCI host adapter with one port: registers towards a CPU, DMA towards its memory, FISes
// towards a SATA link (docs/explanation/ahci.md).
#pragma once

#include <array>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "models/ahci/ahci_registers.h"
#include "models/common/fifo.h"
#include "models/config/config.h"
#include "models/pci/register_access.h"
#include "models/sata/frame.h"
#include "models/time/event_queue.h"

namespace tlmssd::ahci {

/// Hears of the driver's commands, for statistics. Slots are tags; a command has one observer call of each kind.
class CommandObserverIf {
public:
    virtual ~CommandObserverIf() = default;
    /// The FIS goes to the device now. `written`: when software set the slot's bit of PxCI.
    virtual void on_issued(u32 slot, const sata::RegisterH2D& fis, Picoseconds written) = 0;
    enum class End : u8 { Good, Error, GivenUp };
    /// Before software can see it.
    virtual void on_ended(u32 slot, End end) = 0;
};

/// One process does the work of the port, one thing after the other: it posts what the device has sent,
/// moves data, fetches commands. It waits for memory at the kernel's time.
class AhciHba final : public sc_core::sc_module, public sata::LinkBwIf {
public:
    SC_HAS_PROCESS(AhciHba);

    tlm_utils::simple_target_socket<AhciHba> registers; ///< kBytes from address 0
    tlm_utils::simple_initiator_socket<AhciHba> memory;
    sc_core::sc_out<bool> interrupt;
    sata::PortSocket link;
    sc_core::sc_event message; ///< for MSI: an interrupt begins, or one stands after a write of IS

    /// `sector_bits`: log2 of the sectors per unit of the device's map. Data carry bytes.
    AhciHba(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Sata& line,
            u32 sector_bits, sc_core::sc_time register_time);
    ~AhciHba() override;

    void observe(CommandObserverIf& observer) { observer_ = &observer; }
    /// All registers and the line as after power-on, at once.
    void power_on_reset();

    u64 commands() const { return commands_; } ///< FISes sent to the device
    u64 dropped() const { return dropped_; }   ///< data FISes that nothing waited for

private:
    static constexpr int kNone = -1;
    static constexpr u32 kNoLimit = 0xffffffff;
    struct Slot {
        CommandHeader header;
        bool open = false;   ///< the device has it
        bool queued = false; ///< NCQ
        bool observed = false; ///< its end is to be reported
        u64 lba = 0;
        u32 version = 0;     ///< of the integrity tags of what it writes
        u32 prd = 0;         ///< entries before the one in `entry`, which is read
        u32 before = 0;      ///< bytes in them
        bool loaded = false;
        Prd entry;
    };
    struct Context { ///< where the next data FIS goes to, or comes from
        int slot = kNone;
        u32 offset = 0; ///< bytes from the start of the command
        u32 left = 0;   ///< bytes that the device has announced
    };
    // The CPU's side.
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    u32 transport_dbg(tlm::tlm_generic_payload& payload);
    void write(u32 offset, u32 value, u32 mask);
    void act(u32 actions);
    void note_write(u32 offset, u32 before);
    void reset_all();
    void hold();
    void connect();
    void on_online();
    void drive();
    void end(u32 slot, CommandObserverIf::End how);
    void changed() { drive_.notify(sc_core::SC_ZERO_TIME); }

    // The link's side.
    tlm::tlm_sync_enum nb_transport_bw(sata::Frame& frame, sata::FramePhase& phase,
                                       sc_core::sc_time& delay) override;

    // The process.
    void run();
    bool step();
    void on_link_lost();
    void on_taken();
    int next_slot() const;
    void issue(u32 slot);
    void forget_commands();
    void drop_received();
    void fatal(u32 bits, u32 serr = 0);
    void raise(u32 bits);

    // FISes from the device (ahci_receive.cpp).
    void receive(const sata::Frame& frame);
    bool post(const sata::FisBytes& fis, u32 at, u32 bytes);
    void on_register(const sata::FisBytes& bytes);
    void on_pio_setup(const sata::FisBytes& bytes);
    void on_dma_setup(const sata::FisBytes& bytes);
    void on_set_device_bits(const sata::FisBytes& bytes);
    void on_unknown(const sata::Frame& frame);
    void on_data(const sata::Frame& frame);
    void after_pio();
    void finish_current();

    // Data (ahci_data.cpp).
    bool find_entry(Slot& slot, u32 offset);
    u32 move(u32 bytes, u8* data, bool to_memory);
    void transmit();
    void put_tags(sata::Frame& frame, const Slot& slot, u32 offset) const;
    bool put_count();
    bool dma(bool write, u64 address, u8* data, u32 bytes, bool is_data = false);

    time::EventQueue& event_queue_;
    AhciRegisters regs_;
    pci::RegisterBlock block_; ///< of regs_
    sata::FramePool pool_;
    u32 unit_shift_;
    sc_core::sc_time register_time_;
    sc_core::sc_time comreset_;
    sc_core::sc_event kick_;   ///< something to do for the process
    sc_core::sc_event online_; ///< the line comes up
    sc_core::sc_event drive_;
    CommandObserverIf* observer_ = nullptr;

    std::array<Slot, kSlots> slots_{};
    Fifo<sata::Frame*> received_{64};
    int current_ = kNone; ///< command whose answer is awaited: BSY
    u32 last_ = kSlots - 1; ///< slot of the last command
    Context context_;
    struct {
        bool active = false;
        bool interrupt = false;
        u32 left = 0;   ///< bytes
        u32 status = 0; ///< E_STATUS
    } pio_;
    std::array<Picoseconds, kSlots> written_{}; ///< when the bit of PxCI was set
    bool was_up_ = false;      ///< the interrupt, when it was driven last
    bool is_written_ = false;  ///< since then
    bool halted_ = false;      ///< a fatal error: nothing is done until ST = 0
    bool held_ = true;         ///< the line is down: what comes is dropped
    bool asked_reset_ = false; ///< inside our own COMRESET
    bool link_lost_ = false;   ///< the link has reset itself
    bool taken_ = false;       ///< the device has taken the FIS of a command with C
    bool clear_busy_ = false;  ///< such a FIS is on its way
    bool want_signature_ = false;
    u32 stops_ = 0;            ///< counts ST = 0 and resets: what began before them ends
    u32 resets_ = 0;           ///< counts resets
    u32 versions_ = 0;
    u64 commands_ = 0;
    u64 dropped_ = 0;
};

} // namespace tlmssd::ahci
