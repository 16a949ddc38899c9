// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: array operations and page registers of one LUN.
#include "models/nand/lun.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"
#include "models/common/hash.h"

namespace tlmssd::nand {

namespace {

constexpr u64 kPurposeRead = 0x7252;    // "tR"
constexpr u64 kPurposeProgram = 0x7450; // "tP"
constexpr u8 kErasedByte = 0xff;

} // namespace

Lun::Lun(PageStore& store, const config::Nand& nand, u64 seed, u32 die)
    : store_(store), planes_(store.geometry().planes), t_read_(nand.t_read),
      t_program_(nand.t_program), t_erase_(nand.t_erase), t_queue_(nand.t_plane_queue),
      variation_(nand.array_variation), seed_(seed), die_(die),
      units_(store.geometry().units_per_page()),
      unit_columns_(store.geometry().sectors_per_unit() * store.geometry().codeword_bytes()),
      oob_column_(store.geometry().oob_column()),
      physical_bytes_(std::max(store.geometry().page_bytes + store.geometry().spare_bytes,
                               oob_column_ + kOobBytes))
{
    if (planes_.size() > kMaxPlanes) {
        throw ModelError("LUN: more than 16 planes");
    }
}

template <class Visit>
void Lun::for_pending(Visit visit) const
{
    for (u32 left = pending_; left != 0; left &= left - 1) {
        visit(static_cast<u32>(__builtin_ctz(left)));
    }
}

/// Uniform in mean * [1 - v, 1 + v), the same for a page at each wear state.
Picoseconds Lun::varied(Picoseconds mean, u64 purpose, const Place& place) const
{
    const u64 counter = (store_.page_index(place) << 24) + store_.erase_count(place);
    const double u = draw_unit(draw64(seed_, purpose, counter));
    const double factor = 1.0 + variation_ * (2.0 * u - 1.0);
    return Picoseconds(static_cast<u64>(static_cast<double>(mean.value()) * factor + 0.5));
}

Picoseconds Lun::longest(Picoseconds mean, u64 purpose) const
{
    if (variation_ == 0.0) {
        return mean;
    }
    Picoseconds most;
    for_pending([&](u32 plane) { most = max(most, varied(mean, purpose, place_of(plane))); });
    return most;
}

/// Add a plane to the operation that is being put together; checks the multi-plane rule.
onfi::Rule Lun::join(ArrayOp op, u32 plane, u32 page)
{
    const u32 bit = 1u << plane;
    if (pending_ == 0) {
        pending_op_ = op;
        pending_page_ = page;
        pending_ = bit;
        broken_ = 0;
        return onfi::Rule::None;
    }
    const bool legal = pending_op_ == op && (pending_ & bit) == 0 && pending_page_ == page;
    pending_op_ = op;
    pending_ |= bit;
    if (legal) {
        return onfi::Rule::None;
    }
    broken_ |= pending_; // what the array would do is undefined: nothing of it counts
    return onfi::Rule::MultiPlane;
}

Lun::Start Lun::begin(ArrayOp op, onfi::Rule rule, Picoseconds busy)
{
    op_ = op;
    statistics_.busy += busy;
    return Start{rule, busy};
}

Lun::Start Lun::begin_queue(onfi::Rule rule) { return begin(ArrayOp::QueuePlane, rule, t_queue_); }

Lun::Start Lun::read(const Place& place, u32 column, bool queue)
{
    store_.prefetch(place);
    const onfi::Rule rule = join(ArrayOp::Read, place.plane, place.page);
    PlaneRegister& reg = planes_[place.plane];
    reg.block = place.block;
    reg.page = place.page;
    reg.valid = false;
    plane_ = place.plane;
    column_ = column;
    ++statistics_.reads;
    if (queue) {
        return begin_queue(rule);
    }
    fail_ = 0;
    return begin(ArrayOp::Read, rule, longest(t_read_, kPurposeRead));
}

void Lun::begin_program(const Place& place, u32 column)
{
    PlaneRegister& reg = planes_[place.plane];
    std::fill_n(reg.tags.begin(), units_, UnitTag{});
    reg.oob.fill(kErasedByte);
    reg.block = place.block;
    reg.page = place.page;
    reg.valid = false;
    plane_ = place.plane;
    column_ = column;
    store_.prefetch(place);
}

Lun::Start Lun::program(bool queue)
{
    const Place place = place_of(plane_);
    onfi::Rule rule = join(ArrayOp::Program, plane_, place.page);
    const u32 next = store_.next_page(place);
    if (place.page != next) {
        broken_ |= 1u << plane_;
        rule = place.page < next ? onfi::Rule::NotErased : onfi::Rule::PageOrder;
    }
    ++statistics_.programs;
    if (queue) {
        return begin_queue(rule);
    }
    fail_ = 0;
    return begin(ArrayOp::Program, rule, longest(t_program_, kPurposeProgram));
}

Lun::Start Lun::erase(const Place& place, bool queue)
{
    const onfi::Rule rule = join(ArrayOp::Erase, place.plane, 0);
    planes_[place.plane].block = place.block;
    planes_[place.plane].page = 0;
    planes_[place.plane].valid = false;
    ++statistics_.erases;
    if (queue) {
        return begin_queue(rule);
    }
    fail_ = 0;
    return begin(ArrayOp::Erase, rule, t_erase_);
}

Lun::Start Lun::reset()
{
    Picoseconds busy = kResetIdle;
    if (op_ == ArrayOp::Program) { // the pages are spent; what they hold is not what was sent
        busy = kResetProgram;
        for_pending([this](u32 plane) {
            planes_[plane].tags.fill(UnitTag{});
            planes_[plane].oob.fill(kErasedByte);
        });
        finish_program();
    } else if (op_ == ArrayOp::Erase) { // the block keeps its content
        busy = kResetErase;
    }
    for (PlaneRegister& reg : planes_) {
        reg.valid = false;
    }
    pending_ = 0;
    broken_ = 0;
    fail_ = 0;
    return begin(ArrayOp::Reset, onfi::Rule::None, busy);
}

void Lun::load(u32 plane)
{
    PlaneRegister& reg = planes_[plane];
    const PageView page = store_.read(place_of(plane));
    if (page.tags != nullptr) {
        std::copy_n(page.tags, units_, reg.tags.begin());
        std::memcpy(reg.oob.data(), page.oob, kOobBytes);
    } else {
        std::fill_n(reg.tags.begin(), units_, UnitTag{});
        reg.oob.fill(kErasedByte);
    }
    reg.valid = (broken_ & (1u << plane)) == 0;
}

void Lun::finish_program()
{
    fail_ = broken_;
    for_pending([this](u32 plane) {
        PlaneRegister& reg = planes_[plane];
        const u32 bit = 1u << plane;
        if ((broken_ & bit) == 0 && store_.program(place_of(plane), reg.tags.data(),
                                                   reg.oob.data()) != ProgramError::None) {
            fail_ |= bit;
        }
    });
}

void Lun::array_done()
{
    const ArrayOp done = op_;
    op_ = ArrayOp::None;
    switch (done) {
    case ArrayOp::None:
    case ArrayOp::QueuePlane: // the planes stay pending
    case ArrayOp::Reset:
        return;
    case ArrayOp::Read:
        for_pending([this](u32 plane) { load(plane); });
        break;
    case ArrayOp::Program:
        finish_program();
        break;
    case ArrayOp::Erase:
        fail_ = broken_;
        for_pending([this](u32 plane) {
            if ((broken_ & (1u << plane)) == 0) {
                store_.erase(place_of(plane));
            }
        });
        break;
    }
    pending_ = 0;
}

void Lun::select(u32 plane, u32 column)
{
    plane_ = plane;
    column_ = column;
}

/// Units that the bytes [column, end) touch.
Lun::UnitRange Lun::units_of(u32 column, u32 end) const
{
    const u32 first = column == 0 ? 0 : column / unit_columns_;
    const u32 past = (end + unit_columns_ - 1) / unit_columns_;
    return UnitRange{std::min(first, units_), std::min(past, units_)};
}

onfi::Rule Lun::read_out(u32 bytes, onfi::DataCells& cells)
{
    const PlaneRegister& reg = planes_[plane_];
    const u32 end = column_ + bytes;
    delivered_ = UnitRange{};
    if (!reg.valid) {
        return onfi::Rule::NoData;
    }
    if (end > physical_bytes_) {
        return onfi::Rule::BurstLength;
    }
    delivered_ = units_of(column_, end);
    std::copy(reg.tags.begin() + delivered_.first, reg.tags.begin() + delivered_.end,
              cells.tags.begin());
    const u32 oob_first = std::max(column_, oob_column_);
    const u32 oob_end = std::min(end, oob_column_ + kOobBytes);
    for (u32 i = oob_first; i < oob_end; ++i) {
        cells.oob[i - oob_column_] = reg.oob[i - oob_column_];
    }
    column_ = end;
    return onfi::Rule::None;
}

onfi::Rule Lun::write_in(u32 bytes, const onfi::DataCells& cells)
{
    PlaneRegister& reg = planes_[plane_];
    const u32 end = column_ + bytes;
    if (end > physical_bytes_) {
        return onfi::Rule::BurstLength;
    }
    const UnitRange units = units_of(column_, end);
    std::copy_n(cells.tags.begin(), units.end - units.first, reg.tags.begin() + units.first);
    const u32 oob_first = std::max(column_, oob_column_);
    const u32 oob_end = std::min(end, oob_column_ + kOobBytes);
    for (u32 i = oob_first; i < oob_end; ++i) {
        reg.oob[i - oob_column_] = cells.oob[i - oob_column_];
    }
    column_ = end;
    return onfi::Rule::None;
}

bool Lun::swap_delivered(onfi::DataCells& cells) const
{
    if (delivered_.first == delivered_.end) {
        return false;
    }
    const UnitTag right = cells.tags[0];
    const auto take = [&](const UnitTag& wrong) {
        const bool differs = wrong != right;
        cells.tags[0] = differs ? wrong : right;
        return differs;
    };
    const u32 unit = delivered_.first;
    for (u32 plane = 0; plane < planes_.size(); ++plane) {
        if (plane != plane_ && planes_[plane].valid && take(planes_[plane].tags[unit])) {
            return true;
        }
    }
    const PlaneRegister& own = planes_[plane_];
    for (u32 other = 0; other < units_; ++other) {
        if (take(own.tags[other])) {
            return true;
        }
    }
    Place place = place_of(plane_);
    for (place.page = 0; place.page < store_.next_page(place); ++place.page) {
        if (take(store_.read(place).tags[unit])) {
            return true;
        }
    }
    return false;
}

u8 Lun::status(u32 plane) const
{
    if (busy()) {
        return onfi::status::kNotProtected;
    }
    const u32 mask = plane == kAllPlanes ? ~0u : 1u << plane;
    const u8 fail = (fail_ & mask) != 0 ? onfi::status::kFail : u8{0};
    return onfi::status::kNotProtected | onfi::status::kReady | onfi::status::kArrayReady | fail;
}

} // namespace tlmssd::nand
