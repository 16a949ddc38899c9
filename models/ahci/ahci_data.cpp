// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an AHCI host adapter: data between its link and memory, along the PRDT.
#include <algorithm>

#include "models/ahci/ahci_hba.h"

namespace tlmssd::ahci {

using namespace ahci;

/// One transaction; false: an error, which is fatal.
bool AhciHba::dma(bool write, u64 address, u8* data, u32 bytes, bool is_data)
{
    tlm::tlm_generic_payload payload;
    payload.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    const u32 stops = stops_;
    sc_core::sc_time delay;
    memory->b_transport(payload, delay);
    if (delay != sc_core::SC_ZERO_TIME) {
        wait(delay);
    }
    if (payload.is_response_ok()) {
        return true;
    }
    if (stops == stops_) {
        const bool bad_address = payload.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE;
        fatal(is_data && !bad_address ? kHbds : kHbfs);
    }
    return false;
}

/// The entry of the PRDT with byte `offset` of the command is in slot.entry; false: the table ends before,
/// or cannot be read.
bool AhciHba::find_entry(Slot& slot, u32 offset)
{
    if (offset < slot.before) { // the device goes back
        slot.prd = slot.before = 0;
        slot.loaded = false;
    }
    const u32 stops = stops_;
    while (slot.prd < slot.header.prds) {
        if (!slot.loaded) {
            u8 bytes[kPrdBytes];
            if (!dma(false, slot.header.table + kPrdtAt + u64{slot.prd} * kPrdBytes, bytes, kPrdBytes) ||
                stops != stops_) {
                return false;
            }
            slot.entry = unpack_prd(bytes);
            slot.loaded = true;
        }
        if (offset - slot.before < slot.entry.bytes) {
            return true;
        }
        slot.before += slot.entry.bytes;
        ++slot.prd;
        slot.loaded = false;
    }
    return false;
}

/// From context_.offset on, which moves. Returns the bytes moved: fewer where the table ends, where ST = 0
/// came in between, and at errors.
u32 AhciHba::move(u32 bytes, u8* data, bool to_memory)
{
    const u32 stops = stops_;
    Slot& slot = slots_[static_cast<u32>(context_.slot)];
    u32 done = 0;
    while (done < bytes && find_entry(slot, context_.offset)) {
        const u32 inside = context_.offset - slot.before;
        const u32 part = std::min(bytes - done, slot.entry.bytes - inside);
        if (!dma(to_memory, slot.entry.address + inside, data + done, part, true) || stops != stops_) {
            break;
        }
        done += part;
        context_.offset += part;
        if (slot.entry.interrupt && inside + part == slot.entry.bytes) {
            raise(kDps);
        }
    }
    return done;
}

/// PRDBC; commands of the queue have none.
bool AhciHba::put_count()
{
    if (slots_[static_cast<u32>(context_.slot)].queued) {
        return true;
    }
    u8 bytes[4];
    put32(bytes, context_.offset);
    const u32 slot = static_cast<u32>(context_.slot);
    return dma(true, regs_.command_list() + slot * kHeaderBytes + kPrdbcAt, bytes, 4);
}

/// One data FIS, of as much as the device wants and the table has, at most 8 KiB.
void AhciHba::transmit()
{
    if (!regs_.running()) {
        return;
    }
    if (context_.slot == kNone || context_.left == 0) {
        fatal(kIfs, kErrP); // the device wants what nobody has promised
        return;
    }
    const u32 stops = stops_;
    const u32 offset = context_.offset;
    sata::Frame& frame = pool_.take_data(sata::kMaxDataBytes / 512);
    const u32 bytes = move(std::min(context_.left, sata::kMaxDataBytes), frame.bytes.get(), false);
    if (stops != stops_ || halted_) {
        frame.release();
        return;
    }
    context_.left -= context_.left == kNoLimit ? 0 : bytes;
    if (bytes == 0) {
        frame.release();
        raise(kOfs); // the device waits on; software sees BSY, or no end
        return;
    }
    frame.sectors = bytes / 512;
    frame.dwords = sata::kDataHeaderDwords + (bytes + 3) / 4; // part of a sector: refused by the device
    put_tags(frame, slots_[static_cast<u32>(context_.slot)], offset);
    if (!put_count() || stops != stops_) {
        frame.release();
        return;
    }
    sata::queue_frame(link, frame);
}

/// Each unit of the map that the frame touches belongs to this command.
void AhciHba::put_tags(sata::Frame& frame, const Slot& slot, u32 offset) const
{
    const u64 first = slot.lba + offset / 512;
    const u64 last = first + (frame.sectors == 0 ? 0 : frame.sectors - 1);
    u32 i = 0;
    for (u64 unit = first >> unit_shift_; unit <= last >> unit_shift_; ++unit) {
        frame.tags[i++] = UnitTag{static_cast<u32>(unit) + 1, slot.version};
    }
}

} // namespace tlmssd::ahci
