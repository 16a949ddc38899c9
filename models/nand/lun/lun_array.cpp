// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what the array of a LUN has done when its time has passed.
#include <algorithm>
#include <cstring>

#include "models/nand/lun/lun.h"

namespace tlmssd::nand {

namespace {

constexpr u8 kBadBlockMark = 0x00; ///< first page of a factory-bad block (ONFI 2.3 clause 3.2)

} // namespace

/// Ends of array and of R/B# low that have come, in their order.
ArrayOp Lun::advance(Picoseconds now)
{
    ArrayOp risen = ArrayOp::None;
    if (job_.op != ArrayOp::None && !job_.cached && job_.end <= now) { // both at once
        risen = ended_ = op_;
        finish_job();
        op_ = ArrayOp::None;
        return risen;
    }
    for (;;) {
        if (job_.op != ArrayOp::None && job_.end <= now) {
            finish_job();
            if (op_ == ArrayOp::Program && next_.op == ArrayOp::Program) {
                start_next(); // 10h behind a cached program
            }
        } else if (op_ != ArrayOp::None && ready_at_ <= now) {
            risen = ended_ = op_;
            become_ready();
        } else {
            return risen;
        }
    }
}

void Lun::finish_job()
{
    const ArrayOp op = job_.op;
    job_.op = ArrayOp::None; // before the cells change: nobody may see a job that has ended
    array_end_ = job_.end;
    background_ = job_.cached ? op : ArrayOp::None;
    if (op == ArrayOp::Read) {
        finish_read();
    } else if (op == ArrayOp::Program) {
        finish_program();
    } else {
        finish_erase();
    }
}

void Lun::finish_read()
{
    std::vector<PlaneRegister>& into = job_.cached ? page_registers_ : planes_;
    for_planes(job_.planes, [&](u32 plane) {
        load(into[plane], place_of(plane, job_.at[plane]), ((job_.broken >> plane) & 1) != 0);
    });
}

void Lun::load(PlaneRegister& reg, const Place& place, bool broken)
{
    const PageView page = store_.read(place);
    if (page.tags != nullptr) {
        std::copy_n(page.tags, units_, reg.tags.begin());
        std::memcpy(reg.oob.data(), page.oob, kOobBytes);
    } else {
        std::fill_n(reg.tags.begin(), units_, UnitTag{});
        reg.oob.fill(kErasedByte);
    }
    if (page.bytes != nullptr) {
        std::copy_n(page.bytes, physical_bytes_, reg.bytes.begin());
    } else {
        std::fill(reg.bytes.begin(), reg.bytes.end(), kErasedByte);
    }
    reg.at = {place.block, place.page};
    reg.valid = !broken;
    if (!device_.errors.enabled()) {
        return;
    }
    BlockHistory& history = *device_.history;
    reg.sensed = page.tags != nullptr;
    if (reg.sensed) {
        reg.cells = {place, device_.erases(place), history.reads(place),
                     history.days(place, job_.end, device_.nand.errors.retention_days), retry_};
        reg.rber = device_.errors.rber(reg.cells);
    }
    history.on_read(place);
    if (place.page == 0 && device_.errors.factory_bad(place.die, place.plane, place.block)) {
        std::fill_n(reg.tags.begin(), units_, UnitTag{});
        reg.oob.fill(kBadBlockMark);
        if (!reg.bytes.empty()) {
            std::fill(reg.bytes.begin(), reg.bytes.end(), kErasedByte);
            std::fill_n(reg.bytes.begin() + oob_column_, kOobBytes, kBadBlockMark);
        }
        reg.sensed = false;
    }
}

bool Lun::is_spoiled(const Place& place) const
{
    return std::any_of(bad_blocks_.begin(), bad_blocks_.end(), [&](const PlaneBlock& bad) {
        return bad.plane == place.plane && bad.block == place.block;
    });
}

bool Lun::programs_fail(const Place& place) const
{
    return programs_fail_ || is_spoiled(place) ||
           (device_.errors.enabled() &&
            (device_.errors.program_fails(place, device_.erases(place)) ||
             device_.errors.factory_bad(place.die, place.plane, place.block)));
}

bool Lun::erases_fail(const Place& place) const
{
    return erases_fail_ || is_spoiled(place) ||
           (device_.errors.enabled() &&
            (device_.errors.erase_fails(place, device_.erases(place)) ||
             device_.errors.factory_bad(place.die, place.plane, place.block)));
}

void Lun::finish_program()
{
    fail_ = job_.broken;
    for_planes(job_.planes & ~job_.broken, [this](u32 plane) {
        PlaneRegister& reg = page_registers_[plane];
        const Place place = place_of(plane, job_.at[plane]);
        const bool partial = place.page < store_.next_page(place);
        if (programs_fail(place)) { // the page is spent; what it holds is not what was sent
            store_.tear_program(place);
            fail_ |= 1u << plane;
            ++statistics_.program_fails;
        } else if (partial) {
            store_.add(place, reg.tags.data(), reg.oob.data(), reg.bytes.data());
        } else {
            store_.program(place, reg.tags.data(), reg.oob.data(), reg.bytes.data());
            if (!reg.carried.empty()) {
                device_.copied[store_.page_index(place)] = reg.carried;
            }
        }
        if (device_.partials) {
            u8& count = device_.partials_of(place);
            count = partial ? static_cast<u8>(std::max(count, u8{1}) + 1) : u8{1};
        }
        if (device_.history) {
            device_.history->on_program(place, job_.end);
        }
    });
}

void Lun::finish_erase()
{
    fail_ = job_.broken;
    for_planes(job_.planes & ~job_.broken, [this](u32 plane) {
        const Place place = place_of(plane, job_.at[plane]);
        if (erases_fail(place)) { // the block keeps its content
            fail_ |= 1u << plane;
            ++statistics_.erase_fails;
            return;
        }
        store_.erase(place);
        if (!device_.copied.empty()) {
            const u64 first = store_.page_index({place.die, place.plane, place.block, 0});
            for (u32 page = 0; page < store_.geometry().pages; ++page) {
                device_.copied.erase(first + page);
            }
        }
        if (device_.history) {
            device_.history->on_erase(place);
        }
    });
}

/// An interrupted program: its pages can not be programmed again, and hold nothing of use.
void Lun::spend(const Job& job)
{
    for_planes(job.planes & ~job.broken, [&](u32 plane) {
        const Place place = place_of(plane, job.at[plane]);
        store_.tear_program(place);
        if (device_.history) {
            device_.history->on_program(place, job.end);
        }
    });
}

Picoseconds Lun::read_time(const Job& job) const
{
    Picoseconds most;
    for_planes(job.planes, [&](u32 plane) {
        const Place place = place_of(plane, job.at[plane]);
        most = max(most, device_.time.read(place, device_.erases(place), retry_));
    });
    return most;
}

Picoseconds Lun::program_time(const Job& job) const
{
    Picoseconds most;
    for_planes(job.planes, [&](u32 plane) {
        const Place place = place_of(plane, job.at[plane]);
        most = max(most, device_.time.program(place, device_.erases(place)));
    });
    return most;
}

Picoseconds Lun::erase_time(const Job& job) const
{
    Picoseconds most;
    for_planes(job.planes, [&](u32 plane) {
        const Place place = place_of(plane, job.at[plane]);
        most = max(most, device_.time.erase(place, device_.erases(place)));
    });
    return most;
}

} // namespace tlmssd::nand
