// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: transactions through a PCI function.
#include "models/pci/ssd_pci.h"

namespace tlmssd::pci {

namespace {

/// Whether configuration space and MSI-X table can carry it; sets the response where not.
bool plain(tlm::tlm_generic_payload& payload)
{
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return false;
    }
    if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length()) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return false;
    }
    return true;
}

} // namespace

SsdPci::SsdPci(sc_core::sc_module_name name, const FunctionFacts& facts, std::function<void()> reset)
    : sc_module(name), config("config"), space("space"), memory("memory"), registers("registers"), dma("dma"),
      space_(facts), reset_(std::move(reset))
{
    config.register_b_transport(this, &SsdPci::on_config);
    space.register_b_transport(this, &SsdPci::on_space);
    dma.register_b_transport(this, &SsdPci::on_dma);
    SC_THREAD(send);
}

void SsdPci::on_config(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    const u64 at = payload.get_address();
    const u32 bytes = payload.get_data_length();
    if (at >= kConfigBytes || bytes > kConfigBytes - at) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (!plain(payload)) {
        return;
    }
    if (payload.is_read()) {
        space_.read(static_cast<u32>(at), payload.get_data_ptr(), bytes);
    } else if (payload.is_write()) {
        if (space_.write(static_cast<u32>(at), payload.get_data_ptr(), bytes)) {
            reset_();
        }
        changed_.notify(sc_core::SC_ZERO_TIME); // bus master, enable and mask bits
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void SsdPci::on_space(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    const u64 address = payload.get_address();
    const std::optional<BarHit> hit = space_.find(address, payload.get_data_length());
    if (!hit || hit->bar != space_.facts().device_bar) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (space_.is_msix(hit->offset)) {
        on_msix(payload, hit->offset);
        return;
    }
    payload.set_address(hit->offset);
    registers->b_transport(payload, delay);
    payload.set_address(address);
}

void SsdPci::on_msix(tlm::tlm_generic_payload& payload, u64 offset)
{
    if (!plain(payload)) {
        return;
    }
    if (payload.is_read()) {
        space_.read_msix(offset, payload.get_data_ptr(), payload.get_data_length());
    } else if (payload.is_write()) {
        space_.write_msix(offset, payload.get_data_ptr(), payload.get_data_length());
        changed_.notify(sc_core::SC_ZERO_TIME);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void SsdPci::on_dma(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (!space_.bus_master()) {
        ++refused_;
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    memory->b_transport(payload, delay);
}

void SsdPci::interrupt(u32 vector)
{
    space_.raise(vector);
    changed_.notify(sc_core::SC_ZERO_TIME);
}

void SsdPci::reset()
{
    space_.reset();
    reset_();
    changed_.notify(sc_core::SC_ZERO_TIME);
}

/// A process of its own: a memory write may take time.
void SsdPci::send()
{
    for (;;) {
        while (const std::optional<Message> message = space_.next_message()) {
            u8 data[4];
            for (u32 i = 0; i < 4; ++i) {
                data[i] = static_cast<u8>(message->data >> (8 * i));
            }
            tlm::tlm_generic_payload payload;
            payload.set_command(tlm::TLM_WRITE_COMMAND);
            payload.set_address(message->address);
            payload.set_data_ptr(data);
            payload.set_data_length(4);
            payload.set_streaming_width(4);
            sc_core::sc_time delay;
            ++messages_;
            memory->b_transport(payload, delay);
            if (delay != sc_core::SC_ZERO_TIME) {
                wait(delay);
            }
        }
        wait(changed_);
    }
}

} // namespace tlmssd::pci
