// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's end of the SATA link.
#pragma once

#include <array>

#include "models/common/fifo.h"
#include "models/config/config.h"
#include "models/host/device_link_if.h"
#include "models/sata/frame.h"

namespace tlmssd::host {

/// Sends one command at a time until the device has answered it with a register FIS (BSY), holds
/// the context of the DMA setup that the device sent last, ends commands on set device bits.
class SataPort : public sc_core::sc_module, public DeviceLinkIf, public sata::LinkBwIf {
public:
    sata::PortSocket socket;

    /// queued_trim: TRIM goes as SEND FPDMA QUEUED; the device must have it.
    explicit SataPort(sc_core::sc_module_name name,
                      config::DataKind data = config::DataKind::Tags, bool queued_trim = false);

    void bind(LinkClientIf& client) override { client_ = &client; }
    void submit(const hal_host_command& command) override;
    bool queues_trim() const override { return queued_trim_; }

private:
    struct Range {
        u64 lba = 0;
        u32 sectors = 0; ///< 0: the tag's command is not a queued TRIM
    };

    tlm::tlm_sync_enum nb_transport_bw(sata::Frame& frame, sata::FramePhase& phase,
                                       sc_core::sc_time& delay) override;
    void send_command(const hal_host_command& command);
    void on_register(const sata::FisBytes& bytes);
    void on_dma_setup(const sata::FisBytes& bytes);
    void on_activate();
    void on_data(const sata::Frame& frame);
    void on_set_device_bits(const sata::FisBytes& bytes);
    void send_write_data();
    void send_range(u64 lba, u32 sectors);

    LinkClientIf* client_ = nullptr;
    bool queued_trim_;
    sata::FramePool pool_;
    std::array<Range, 256> ranges_{};    ///< of queued TRIMs, by tag
    Fifo<hal_host_command> waiting_{64}; ///< for BSY to clear
    bool busy_ = false;                  ///< BSY: `sent_` has no register FIS yet
    hal_host_command sent_{};
    struct {
        u32 tag = 0;
        u32 offset = 0;  ///< sectors from the start of the command
        u32 sectors = 0; ///< still to come
        bool to_host = false;
    } context_; ///< of the last DMA setup
};

} // namespace tlmssd::host
