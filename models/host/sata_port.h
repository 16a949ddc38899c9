// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's end of the SATA link.
#pragma once

#include <array>
#include <vector>

#include "models/common/fifo.h"
#include "models/config/config.h"
#include "models/host/link_recovery.h"
#include "models/interfaces/device_link_if.h"
#include "models/sata/frame.h"
#include "models/time/event_queue.h"

namespace tlmssd::host {

/// How often the host has had to put things right.
struct RecoveryStats {
    u64 queue_errors = 0; ///< READ LOG EXT of log 10h
    u64 resets = 0;       ///< COMRESET
    u64 repeated = 0;     ///< commands that were sent again
    u64 given_up = 0;     ///< commands that ended with an I/O error after sata.command_retries
};

/// Sends one command at a time until the device has answered it with a register FIS (BSY), holds
/// the context of the DMA setup that the device sent last, ends commands on set device bits.
/// When the device has aborted the queue it reads log 10h, ends the command that is named there with
/// an error and sends the others again, in their order; after COMRESET all of them. Repetition has
/// bounds: a command is given up, the link made slower, NCQ turned off, the device given up
/// (docs/explanation/sata-errors.md).
class SataPort : public sc_core::sc_module, public DeviceLinkIf, public sata::LinkBwIf {
public:
    sata::PortSocket socket;

    /// line.queued_trim: TRIM goes as SEND FPDMA QUEUED; line.ncq: READ and WRITE as FPDMA QUEUED.
    SataPort(sc_core::sc_module_name name, time::EventQueue& event_queue,
                      config::DataKind data = config::DataKind::Tags,
                      const config::Sata& line = {});

    void bind(LinkClientIf& client) override { client_ = &client; }
    void submit(const hal_host_command& command) override;
    bool queues_trim() const override { return style_.queued_trim; }
    /// COMRESET, now.
    void reset();
    const RecoveryStats& stats() const { return stats_; }
    bool ncq() const { return style_.ncq && !one_at_a_time_; } ///< false also once errors have made the host turn it off

private:
    static constexpr u32 kMaxTags = 256;
    enum class State : u8 {
        Running,
        Failed,  ///< the queue is aborted; the register FIS of the last command is awaited
        Asked,   ///< log 10h has been asked for
        Reset    ///< the signature is awaited
    };
    struct Open {
        hal_host_command command{};
        u64 order = 0;     ///< of submit(); 0: the tag is free
        bool sent = false; ///< to the device, which has not forgotten it
        u32 resets = 0;    ///< COMRESETs, and aborts that name no command, while it was sent
    };

    tlm::tlm_sync_enum nb_transport_bw(sata::Frame& frame, sata::FramePhase& phase,
                                       sc_core::sc_time& delay) override;
    bool is_queued(u8 opcode) const;
    void send_command(const hal_host_command& command);
    void send_next();
    bool may_send() const;
    void end(u32 tag, u32 status);
    void on_register(const sata::FisBytes& bytes);
    void on_dma_setup(const sata::FisBytes& bytes);
    void on_activate();
    void on_data(sata::Frame& frame);
    void on_set_device_bits(const sata::FisBytes& bytes);
    void on_reset(sata::Frame& reset);
    void ask_log();
    void on_log(const sata::Block& block);
    enum class Victims : u8 { Pardoned, Counted }; ///< of another command's error, or of the link's
    void send_again(Victims victims);
    bool to_be_given_up(Open& open, Victims victims) const;
    [[noreturn]] void give_device_up() const;
    void send_write_data();
    void send_range(u64 lba, u32 sectors);

    time::EventQueue& event_queue_;
    LinkClientIf* client_ = nullptr;
    sata::CommandStyle style_;
    bool one_at_a_time_ = false; ///< what is left of NCQ where errors repeat
    u32 command_retries_;
    LinkRecovery recovery_;
    sata::FramePool pool_;
    std::array<Open, kMaxTags> open_{};
    u64 orders_ = 0;
    State state_ = State::Running;
    std::vector<u64> sorting_;
    std::vector<u32> given_up_; ///< inside send_again()
    Fifo<hal_host_command> again_{64};   ///< go before `waiting_`
    Fifo<hal_host_command> waiting_{64}; ///< for BSY to clear
    bool busy_ = false;                  ///< BSY: `sent_` has no register FIS yet
    hal_host_command sent_{};
    RecoveryStats stats_;
    struct {
        u32 tag = 0;
        u32 offset = 0;  ///< sectors from the start of the command
        u32 sectors = 0; ///< still to come
        bool to_host = false;
    } context_; ///< of the last DMA setup, or of a command that is not queued
};

} // namespace tlmssd::host
