// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the device's DRAM: a base-protocol TLM target with one first-in first-out data bus.
#pragma once

#include <array>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/zero_memory.h"
#include "models/config/config.h"
#include "models/dram/arbiter.h"
#include "models/dram/banks.h"
#include "models/interfaces/dram_if.h"
#include "models/time/event_queue.h"

namespace tlmssd::dram {

/// Page buffers hold integrity tags instead of bytes (and bytes with DataKind::Full); OOB records
/// keep real bytes, in memory that the firmware owns. Time: transfers are served in order of arrival, or as an
/// arbiter says that knows masters; with config::DramModel::Bus each takes access_time + bytes / bandwidth per 8 KiB or part of it, else what
/// its rows and banks take (docs/explanation/dram.md).
class Dram final : public sc_core::sc_module, public FlashDramIf, public tlm::tlm_fw_transport_if<> {
public:
    static constexpr u32 kTransferBytes = 8192;

    /// Base protocol, non-blocking, loosely annotated: BEGIN_REQ is answered TLM_COMPLETED with the
    /// delay until the transfer's end. Data are symbolic: the payload's pointer is not touched. With an
    /// arbiter TLM_GENERIC_ERROR_RESPONSE: the end is not known then.
    tlm::tlm_target_socket<64, tlm::tlm_base_protocol_types, 1, sc_core::SC_ZERO_OR_MORE_BOUND> socket;

    /// `buffer_bytes`: page buffers from offset 0 on.
    Dram(sc_core::sc_module_name name, time::EventQueue& event_queue, const config::Dram& config,
         const Geometry& geometry, u64 buffer_bytes,
         config::DataKind data = config::DataKind::Tags);

    UnitTag* tags(u32 byte_offset) override { return &tags_[byte_offset >> unit_shift_]; }
    /// Of the tags of all page buffers, from tags(0) on; zero when the device is new.
    u64 tag_bytes() const { return tags_.size() * sizeof(UnitTag); }
    u8* bytes(u32 byte_offset) override { return bytes_ ? &(*bytes_)[byte_offset] : nullptr; }
    Picoseconds transfer(Picoseconds now, const DramAccess& access) override;

    /// Let `bytes` of firmware memory appear at DRAM offset `base` (OOB records).
    void map_oob(u32 base, u8* memory, u64 bytes);
    u8* oob(u32 byte_offset) override;
    /// Let `bytes` of firmware memory, whole pages, appear at DRAM offset `base` as page buffers that
    /// hold the firmware's own tables (docs/explanation/data.md). Behind the page buffers of buffer_bytes.
    void map_tables(u32 base, u8* memory, u64 bytes);
    u8* table_page(u32 byte_offset) override;

    /// Copy the tags (and bytes) of the sectors in `sectors` from page buffer `src` to `dst`
    /// (HAL_COPY_ZERO: clear them). A unit of which only a part is copied keeps dst's tag: dst's
    /// sectors are newer. With HAL_COPY_ZERO_EMPTY dst has no others: the unit has no data.
    void copy(u32 dst, u32 src, u64 sectors);

    /// A transfer was in service, those to come included.
    Picoseconds busy() const { return arbiter_ ? arbiter_->busy(kTimeNever) : busy_; }
    /// The part that has passed at `now`.
    Picoseconds busy(Picoseconds now) const
    {
        if (arbiter_) {
            arbiter_->advance(now);
            return arbiter_->busy(now);
        }
        return free_at_ > now ? busy_ - (free_at_ - now) : busy_;
    }
    /// Time of one transfer of `bytes` on an idle DRAM (model bus).
    Picoseconds transfer_time(u32 bytes) const;
    /// Of all transfers so far; with an arbiter of what has been granted before `now`.
    MasterStatistics statistics(DramMaster master, Picoseconds now) const;
    const Banks* banks() const { return banks_.get(); } ///< null with model bus

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(tlm::tlm_generic_payload& payload) override;

private:
    bool settle(Picoseconds now, DramEnd& end) override;
    void copy_bytes(u32 dst, u32 src, u64 sectors);

    time::EventQueue& event_queue_;
    Picoseconds access_time_;
    u64 mb_per_s_;
    std::unique_ptr<Banks> banks_; ///< null: model bus
    std::unique_ptr<Arbiter> arbiter_; ///< null: first come, first served
    std::array<MasterStatistics, kDramMasters> masters_; ///< without arbiter
    u32 unit_shift_;
    u32 sectors_per_unit_;
    u32 units_per_page_;
    std::vector<UnitTag> tags_;
    std::unique_ptr<ZeroMemory<u8>> bytes_; ///< null: tags stand for the data
    u32 oob_base_ = 0;
    u8* oob_ = nullptr;
    u64 oob_bytes_ = 0;
    u32 page_bytes_;
    u32 tables_base_ = 0;
    u8* tables_ = nullptr;
    u64 tables_bytes_ = 0;
    Picoseconds free_at_;
    Picoseconds busy_;
    u32 timed_bytes_ = 0; ///< most transfers are as long as the one before:
    Picoseconds timed_;   ///< what its length takes
};

} // namespace tlmssd::dram
