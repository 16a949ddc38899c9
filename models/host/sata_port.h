// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's end of the SATA link.
#pragma once

#include <array>
#include <vector>

#include "models/common/fifo.h"
#include "models/config/config.h"
#include "models/interfaces/device_link_if.h"
#include "models/sata/frame.h"

namespace tlmssd::host {

/// How often the host has had to put things right.
struct RecoveryStats {
    u64 queue_errors = 0; ///< READ LOG EXT of log 10h
    u64 resets = 0;       ///< COMRESET
    u64 repeated = 0;     ///< commands that were sent again
};

/// Sends one command at a time until the device has answered it with a register FIS (BSY), holds
/// the context of the DMA setup that the device sent last, ends commands on set device bits.
/// When the device has aborted the queue it reads log 10h, ends the command that is named there with
/// an error and sends the others again, in their order; after COMRESET all of them.
class SataPort : public sc_core::sc_module, public DeviceLinkIf, public sata::LinkBwIf {
public:
    sata::PortSocket socket;

    /// line.queued_trim: TRIM goes as SEND FPDMA QUEUED; line.ncq: READ and WRITE as FPDMA QUEUED.
    explicit SataPort(sc_core::sc_module_name name,
                      config::DataKind data = config::DataKind::Tags,
                      const config::Sata& line = {});

    void bind(LinkClientIf& client) override { client_ = &client; }
    void submit(const hal_host_command& command) override;
    bool queues_trim() const override { return style_.queued_trim; }
    /// COMRESET, now.
    void reset();
    const RecoveryStats& stats() const { return stats_; }

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
        bool sent = false; ///< to the device
    };

    tlm::tlm_sync_enum nb_transport_bw(sata::Frame& frame, sata::FramePhase& phase,
                                       sc_core::sc_time& delay) override;
    bool is_queued(u8 opcode) const;
    void send_command(const hal_host_command& command);
    void send_next();
    void end(u32 tag, u32 status);
    void on_register(const sata::FisBytes& bytes);
    void on_dma_setup(const sata::FisBytes& bytes);
    void on_activate();
    void on_data(sata::Frame& frame);
    void on_set_device_bits(const sata::FisBytes& bytes);
    void on_reset();
    void ask_log();
    void on_log(const sata::Block& block);
    void send_again();
    void send_write_data();
    void send_range(u64 lba, u32 sectors);

    LinkClientIf* client_ = nullptr;
    sata::CommandStyle style_;
    sata::FramePool pool_;
    std::array<Open, kMaxTags> open_{};
    u64 orders_ = 0;
    State state_ = State::Running;
    std::vector<u64> sorting_;
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
