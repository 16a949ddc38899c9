// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: transactions on host memory, with the time of the link.
#include "models/nvme_device/pcie_path.h"

#include <cmath>

namespace tlmssd::nvme_device {

namespace {

constexpr u32 kAnswerBytes = 16; // acknowledgement and credits, 8 bytes each

Picoseconds kernel_now() { return Picoseconds(sc_core::sc_time_stamp().value()); }

} // namespace

PciePath::PciePath(tlm::tlm_base_initiator_socket<32>& socket, const config::Pcie& config)
    : socket_(socket), config_(config), byte_ps_(nvme::byte_ps(config))
{
}

/// Returns when the last byte has arrived at the other end.
void PciePath::send(Lane& lane, Lane& other, nvme::Packets packets)
{
    const u32 bytes = packets.bytes + lane.owed;
    lane.owed = 0;
    const Picoseconds time(static_cast<u64>(std::llround(bytes * byte_ps_)));
    lane.free = max(lane.free, kernel_now()) + time;
    lane.total.busy += time;
    lane.total.bytes += bytes;
    other.unanswered += packets.count;
    other.owed += other.unanswered / config_.packets_per_dllp * kAnswerBytes;
    other.unanswered %= config_.packets_per_dllp;
    const Picoseconds arrival = lane.free + config_.latency;
    sc_core::wait(sc_core::sc_time::from_value((arrival - kernel_now()).value()));
}

bool PciePath::transport(bool write, u64 address, u8* data, u32 bytes)
{
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay;
    socket_->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
    }
    return payload.is_response_ok();
}

bool PciePath::read(u64 address, u8* data, u32 bytes)
{
    send(up_, down_, nvme::read_packets(config_, bytes));
    if (!transport(false, address, data, bytes)) {
        return false;
    }
    send(down_, up_, nvme::completion_packets(config_, bytes));
    return true;
}

bool PciePath::write(u64 address, const u8* data, u32 bytes)
{
    send(up_, down_, nvme::write_packets(config_, bytes));
    return transport(true, address, const_cast<u8*>(data), bytes); // TLM has one pointer for both directions
}

} // namespace tlmssd::nvme_device
