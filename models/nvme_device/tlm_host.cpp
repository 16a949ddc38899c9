// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an NVMe controller's accesses of a platform's memory, and the platform's of its registers.
#include "models/nvme_device/tlm_host.h"

namespace tlmssd::nvme_device {

using nvme::Transfer;
using Kind = nvme::Transfer::Kind;

TlmHost::TlmHost(sc_core::sc_module_name name, time::EventQueue& event_queue, nvme::PcieLink& link, NvmeFront& device,
                 sc_core::sc_time register_time)
    : sc_module(name), registers("registers"), memory("memory"), interrupt("interrupt"), event_queue_(event_queue),
      link_(link), device_(device), register_time_(register_time),
      block_{device.controller().register_bytes(), [this](u32 offset) { return device_.on_register_read(offset); },
             [this](u32 offset, u32 value, u32 mask) { device_.write_register(offset, value, mask); }}
{
    link.bind_host(*this, true);
    device.on_fall([this] {
        risen_ = false;
        event_queue_.notify(drive_);
    });
    registers.register_b_transport(this, &TlmHost::b_transport);
    registers.register_transport_dbg(this, &TlmHost::transport_dbg);
    for (Lane& lane : lanes_) {
        sc_core::sc_spawn([this, &lane] { work(lane); }, sc_core::sc_gen_unique_name("lane"));
    }
    SC_METHOD(drive); // alone writes the signal, whatever has changed it
    sensitive << drive_;
}

void TlmHost::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    delay += register_time_;
    if (delay != sc_core::SC_ZERO_TIME) { // registers act: at the time of the access, not before
        sc_core::wait(delay);
        delay = sc_core::SC_ZERO_TIME;
    }
    pci::access(block_, payload);
}

void TlmHost::put(const Transfer& t)
{
    const bool data = t.kind == Kind::ReadData || t.kind == Kind::WriteData;
    const bool read = t.kind == Kind::Entries || t.kind == Kind::List;
    Lane& lane = lanes_[data ? t.tag % kDataLanes : read || t.kind == Kind::AdminData ? kReadLane : kPostLane];
    lane.waiting.push(t);
    event_queue_.notify(lane.kick);
}

void TlmHost::work(Lane& lane)
{
    for (;;) {
        while (!lane.waiting.empty()) {
            serve(lane.waiting.pop());
        }
        sc_core::wait(lane.kick);
    }
}

void TlmHost::serve(Transfer t)
{
    switch (t.kind) {
    case Kind::Entries:
    case Kind::List:
    case Kind::WriteData:
        t.failed = !transport(false, t);
        link_.answer(t);
        return;
    case Kind::Interrupt: break;
    case Kind::Level:
        risen_ = true;
        drive_.notify();
        break;
    default: t.failed = !transport(true, t); break;
    }
    link_.delivered(t);
    if ((t.kind == Kind::Interrupt || t.interrupt) && !t.failed && message_) {
        message_(t.value);
    }
}

bool TlmHost::transport(bool write, const Transfer& t)
{
    if (t.bytes == 0) {
        return true;
    }
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(t.address);
    payload.set_data_ptr(t.data);
    payload.set_data_length(t.bytes);
    payload.set_streaming_width(t.bytes);
    sc_core::sc_time delay;
    memory->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) {
        sc_core::wait(delay);
    }
    return payload.is_response_ok();
}

} // namespace tlmssd::nvme_device
