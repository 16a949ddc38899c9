// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: reads of the TLM controller: bursts out, read retry, landings.
#include "models/flash/tlm/tlm_controller.h"

namespace tlmssd::flash {

void TlmController::burst_over(u32 tag, const SegmentResult& result)
{
    Operation& o = operations_[tag];
    const u8 next = static_cast<u8>(o.plane + 1);
    o.data_at = max(o.data_at, result.data_at);
    o.after_status = false;
    if (result.uncorrectable) {
        o.lost_planes = static_cast<u8>(o.lost_planes | 1u << o.plane);
    } else {
        o.corrected += result.corrected;
    }
    if (o.op.opcode == FLASH_OP_COPYBACK) {
        if (o.op.len[0] == 0) {
            want(tag, Phase::DataIn, 0);
        } else {
            await_landing(tag);
        }
        return;
    }
    if (o.level != 0) {
        read_again(tag);
    } else if (next < o.op.nplanes) {
        want(tag, Phase::DataOut, next);
    } else {
        read_over(tag);
    }
}

/// All planes have been read, at level 0 or those lost at the level before. The LUN is free
/// at once where all is well; else ECC's verdict is due when the last plane would have landed.
void TlmController::read_over(u32 tag)
{
    Operation& o = operations_[tag];
    if (o.lost_planes != 0 && o.level < retry_levels_) {
        await_landing(tag);
        owe(tag);
        return;
    }
    o.failed_planes = o.lost_planes;
    release_die(tag);
    finish(tag, o.lost_planes != 0 ? FLASH_STATUS_UNCORRECTABLE : FLASH_STATUS_OK, o.data_at);
}

/// The LUN stays with the operation until ECC has judged what was read.
void TlmController::await_landing(u32 tag)
{
    flash_completion judged{};
    judged.tag = static_cast<u16>(tag);
    land({operations_[tag].data_at, judged, true});
}

/// A copyback whose whole page ECC has seen. The die programs what it has read, or where ECC has corrected
/// bits the page from DRAM. A lost one stays as it is: the firmware reads the source.
void TlmController::copy_checked(u32 tag)
{
    Operation& o = operations_[tag];
    o.rewrites = o.corrected != 0;
    want(tag, Phase::DataIn, 0);
}

void TlmController::begin_retry(u32 tag)
{
    Operation& o = operations_[tag];
    if (o.given_up) {
        complete(completion_of(tag, FLASH_STATUS_TIMEOUT));
        return;
    }
    if (dies_[o.first_die].tag != tag) { // owed
        o.retry_due = true;
        return;
    }
    o.step = CacheStep::None;
    ++o.level;
    dies_[o.first_die].level = o.level;
    o.again = o.lost_planes;
    o.lost_planes = 0;
    want(tag, Phase::Feature, 0);
}

void TlmController::go_on(u32 tag)
{
    begin_retry(tag);
    issue();
}

bool TlmController::ends_read(u32 channel, bool lost) const
{
    const Operation& o = operations_[channels_[channel].current];
    const bool last = o.level != 0 ? o.again == 0 : o.plane + 1 == o.op.nplanes;
    return last && (o.level == retry_levels_ || (!lost && o.lost_planes == 0));
}

/// The next plane of this level; after the last one the read is judged again.
void TlmController::read_again(u32 tag)
{
    Operation& o = operations_[tag];
    if (o.again == 0) {
        read_over(tag);
        return;
    }
    const u8 plane = static_cast<u8>(__builtin_ctz(o.again));
    o.again = static_cast<u8>(o.again & (o.again - 1));
    ++o.retries;
    want(tag, Phase::Command, plane);
}

/// Reads land in the order in which DRAM takes their data, except where the ECC of a later one has
/// less to correct: then it overtakes.
void TlmController::land(const Landed& landed)
{
    const std::size_t before = landed_.size();
    const bool overtakes = before != 0 && landed.at < landed_.back().at;
    if (!overtakes) {
        landed_.push(landed);
    } else {
        bool placed = false;
        for (std::size_t i = 0; i < before; ++i) { // once round the ring
            const Landed other = landed_.pop();
            if (!placed && landed.at < other.at) {
                landed_.push(landed);
                placed = true;
            }
            landed_.push(other);
        }
    }
    if (!landed_timer_.armed() || landed_.front().at < landed_timer_.at()) {
        landed_timer_.arm(landed_.front().at);
    }
}

void TlmController::on_landed()
{
    while (!landed_.empty() && landed_.front().at <= event_queue_.now()) {
        Landed landed = landed_.pop();
        const Picoseconds at = port_.landing(landed.completion.tag, landed.at);
        if (at > event_queue_.now()) {
            landed.at = at;
            land(landed);
            continue;
        }
        if (const u32 tag = landed.completion.tag; landed.goes_on) {
            if (operations_[tag].op.opcode == FLASH_OP_COPYBACK) {
                copy_checked(tag);
            } else if (port_.goes_on(operations_[tag].op)) {
                begin_retry(tag);
            }
        } else {
            complete(landed.completion);
        }
    }
    if (!landed_.empty()) {
        landed_timer_.arm(landed_.front().at);
    }
    issue();
}

} // namespace tlmssd::flash
