// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DRAM occupancy and tag cells.
#include "models/dram/dram.h"

#include <cstring>

#include "firmware/hal/hal.h"
#include "models/common/error.h"

namespace tlmssd::dram {

Dram::Dram(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Dram& config,
           const Geometry& geometry, u64 buffer_bytes, config::DataKind data)
    : sc_module(name), socket("socket"), event_queue_(event_queue), access_time_(config.access_time),
      mb_per_s_(config.mb_per_s), unit_shift_(bits_for(geometry.unit_bytes())),
      sectors_per_unit_(geometry.sectors_per_unit()), units_per_page_(geometry.units_per_page()),
      tags_(buffer_bytes >> unit_shift_), page_bytes_(geometry.page_bytes)
{
    if (data == config::DataKind::Full) {
        bytes_ = std::make_unique<ZeroMemory<u8>>(buffer_bytes, BackedBy::SmallPages);
    }
    if (config.model == config::DramModel::Banks) {
        banks_ = std::make_unique<Banks>(config.timing);
    }
    if (config.arbitration != config::DramArbitration::Fcfs) {
        arbiter_ = std::make_unique<Arbiter>(config, banks_.get());
        ticket_ = 1; // ends may be revised
    }
    socket.bind(*this);
}

Picoseconds Dram::transfer_time(u32 bytes) const
{
    const u64 chunks = (bytes + kTransferBytes - 1) / kTransferBytes;
    return chunks * access_time_ + Picoseconds((u64{bytes} * 1000000 + mb_per_s_ - 1) / mb_per_s_);
}

Picoseconds Dram::transfer(Picoseconds now, const DramAccess& access)
{
    if (arbiter_) {
        const DramEnd end = arbiter_->add(now, access);
        ticket_ = end.ticket;
        return end.at;
    }
    const Picoseconds begin = max(now, free_at_);
    if (banks_) {
        free_at_ = banks_->transfer(now, access);
    } else {
        if (access.bytes != timed_bytes_) {
            timed_bytes_ = access.bytes;
            timed_ = transfer_time(access.bytes);
        }
        free_at_ = begin + timed_;
    }
    busy_ += free_at_ - begin;
    MasterStatistics& master = masters_[static_cast<u32>(access.master)];
    master.bytes += access.bytes;
    master.busy += free_at_ - begin;
    if (access.bytes != 0) {
        master.ended(begin - now);
    }
    return free_at_;
}

bool Dram::settle(Picoseconds now, DramEnd& end) { return arbiter_->settle(now, end); }

MasterStatistics Dram::statistics(DramMaster master, Picoseconds now) const
{
    if (!arbiter_) {
        return masters_[static_cast<u32>(master)];
    }
    arbiter_->advance(now);
    return arbiter_->statistics(master);
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

void Dram::map_tables(u32 base, u8* memory, u64 bytes)
{
    if (base < tags_.size() << unit_shift_ || bytes % page_bytes_ != 0) {
        throw ModelError("dram: table pages at offset " + std::to_string(base) +
                         " lie among the page buffers, or are no whole pages");
    }
    tables_base_ = base;
    tables_ = memory;
    tables_bytes_ = bytes;
}

u8* Dram::table_page(u32 byte_offset)
{
    if (byte_offset < tables_base_ || byte_offset - tables_base_ >= tables_bytes_) {
        return nullptr;
    }
    if (byte_offset - tables_base_ + u64{page_bytes_} > tables_bytes_) {
        throw ModelError("dram: the table page at offset " + std::to_string(byte_offset) +
                         " ends beyond the mapped tables");
    }
    return tables_ + (byte_offset - tables_base_);
}

void Dram::copy(u32 dst, u32 src, u64 sectors)
{
    const u64 unit_mask = (u64{1} << sectors_per_unit_) - 1;
    for (u32 unit = 0; unit < units_per_page_; ++unit) {
        const u64 touched = sectors >> (unit * sectors_per_unit_) & unit_mask;
        if (touched == unit_mask || (touched != 0 && src == HAL_COPY_ZERO_EMPTY)) {
            tags(dst)[unit] = hal_copy_clears(src) ? UnitTag{} : tags(src)[unit];
        }
    }
    if (bytes_) {
        copy_bytes(dst, src, sectors);
    }
}

void Dram::copy_bytes(u32 dst, u32 src, u64 sectors)
{
    for (; sectors != 0; sectors &= sectors - 1) {
        const u32 at = static_cast<u32>(__builtin_ctzll(sectors)) * kSectorBytes;
        if (hal_copy_clears(src)) {
            std::memset(bytes(dst) + at, 0, kSectorBytes);
        } else {
            std::memcpy(bytes(dst) + at, bytes(src) + at, kSectorBytes);
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
    if (arbiter_) {
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    const Picoseconds start = event_queue_.now() + Picoseconds(delay.value());
    const DramAccess access{static_cast<u32>(payload.get_address()), payload.get_data_length(),
                            payload.is_write()};
    const Picoseconds end = transfer(start, access);
    delay = sc_core::sc_time::from_value((end - event_queue_.now()).value());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool Dram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) { return false; }

unsigned int Dram::transport_dbg(tlm::tlm_generic_payload&) { return 0; }

} // namespace tlmssd::dram
