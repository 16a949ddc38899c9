// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DRAM occupancy and tag cells.
#include "models/dram/dram.h"

#include "firmware/hal/hal.h"
#include "models/common/error.h"

namespace tlmssd::dram {

Dram::Dram(sc_core::sc_module_name name, time::EventWheel& wheel, const config::Dram& config,
           const Geometry& geometry, u64 buffer_bytes)
    : sc_module(name), socket("socket"), wheel_(wheel), access_time_(config.access_time),
      mb_per_s_(config.mb_per_s), unit_shift_(bits_for(geometry.unit_bytes())),
      sectors_per_unit_(geometry.sectors_per_unit()), units_per_page_(geometry.units_per_page()),
      tags_(buffer_bytes >> unit_shift_)
{
    socket.bind(*this);
}

Picoseconds Dram::transfer_time(u32 bytes) const
{
    const u64 chunks = (bytes + kTransferBytes - 1) / kTransferBytes;
    return chunks * access_time_ + Picoseconds((u64{bytes} * 1000000 + mb_per_s_ - 1) / mb_per_s_);
}

Picoseconds Dram::transfer(Picoseconds now, u32 bytes)
{
    const Picoseconds time = transfer_time(bytes);
    free_at_ = max(now, free_at_) + time;
    busy_ += time;
    return free_at_;
}

void Dram::map_oob(u32 base, u8* memory, u64 bytes)
{
    oob_base_ = base;
    oob_ = memory;
    oob_bytes_ = bytes;
}

u8* Dram::oob(u32 byte_offset)
{
    if (byte_offset < oob_base_ || byte_offset - oob_base_ + u64{kOobBytes} > oob_bytes_) {
        throw ModelError("dram: OOB record at offset " + std::to_string(byte_offset) +
                         " lies outside the mapped records");
    }
    return oob_ + (byte_offset - oob_base_);
}

void Dram::copy(u32 dst, u32 src, u64 sectors)
{
    const u64 unit_mask = (u64{1} << sectors_per_unit_) - 1;
    for (u32 unit = 0; unit < units_per_page_; ++unit) {
        if ((sectors >> (unit * sectors_per_unit_) & unit_mask) == unit_mask) {
            tags(dst)[unit] = src == HAL_COPY_ZERO ? UnitTag{} : tags(src)[unit];
        }
    }
}

tlm::tlm_sync_enum Dram::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay)
{
    if (phase != tlm::BEGIN_REQ || payload.get_data_length() > kTransferBytes) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    b_transport(payload, delay);
    return tlm::TLM_COMPLETED;
}

void Dram::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    const Picoseconds start = wheel_.now() + Picoseconds(delay.value());
    const Picoseconds end = transfer(start, payload.get_data_length());
    delay = sc_core::sc_time::from_value((end - wheel_.now()).value());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool Dram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

unsigned int Dram::transport_dbg(tlm::tlm_generic_payload&) { return 0; }

} // namespace tlmssd::dram
