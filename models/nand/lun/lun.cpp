// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how the operations of a LUN begin, its bursts and its status register.
#include "models/nand/lun/lun.h"

#include <algorithm>

#include "models/common/error.h"

namespace tlmssd::nand {

using onfi::Rule;

Lun::Lun(Device& device, u32 die)
    : port_(device.store.geometry()), planes_(device.store.geometry().planes), device_(device),
      store_(device.store), die_(die), units_(store_.geometry().units_per_page()),
      page_registers_(planes_.size()), suspended_registers_(planes_.size()), cells_(device)
{
    if (planes_.size() > kMaxPlanes) {
        throw ModelError("LUN: more than 4 planes");
    }
    if (store_.keeps_bytes()) {
        for (auto* registers : {&planes_, &page_registers_, &suspended_registers_}) {
            for (PlaneRegister& reg : *registers) {
                reg.bytes.assign(store_.geometry().physical_bytes(), kErasedByte);
            }
        }
    }
}

/// Add a plane to the operation that is being put together; checks the multi-plane rule.
Rule Lun::join(ArrayOp op, const Place& place)
{
    const u32 bit = 1u << place.plane;
    bool legal = true;
    if (pending_ == 0) {
        pending_op_ = op;
        pending_broken_ = 0;
    } else {
        const BlockPage& other = pending_at_[static_cast<u32>(__builtin_ctz(pending_))];
        legal = pending_op_ == op && (pending_ & bit) == 0 && other.page == place.page &&
                (!device_.nand.block_restriction || other.block == place.block);
    }
    pending_op_ = op;
    pending_ |= bit;
    pending_at_[place.plane] = {place.block, place.page};
    if (legal) {
        return Rule::None;
    }
    pending_broken_ |= pending_; // what the array would do is undefined: nothing of it counts
    return Rule::MultiPlane;
}

/// The gathered planes become an operation of the array.
void Lun::take_pending(Job& job, ArrayOp op, bool cached)
{
    job.op = op;
    job.cached = cached;
    job.planes = pending_;
    job.broken = pending_broken_;
    for_planes(pending_, [&](u32 plane) { job.at[plane] = pending_at_[plane]; });
    pending_ = 0;
}

Lun::Start Lun::begin(ArrayOp op, Rule rule, Picoseconds ready_at)
{
    op_ = op;
    ready_at_ = ready_at;
    return Start{rule, true};
}

Lun::Start Lun::begin_queue(Rule rule, Picoseconds at)
{
    const Picoseconds time = device_.nand.t_plane_queue;
    statistics_.busy += time;
    return begin(ArrayOp::QueuePlane, rule, at + time);
}

void Lun::account(const Job& job)
{
    statistics_.busy += job.time;
    time_of(job.op) += job.time;
}

/// Does a suspended operation need the page (or, `whole_block`, any page of the block)?
bool Lun::suspended_at(const Place& place, bool whole_block) const
{
    if (suspended_.op == ArrayOp::None || ((suspended_.planes >> place.plane) & 1) == 0) {
        return false;
    }
    const BlockPage& at = suspended_.at[place.plane];
    return at.block == place.block &&
           (whole_block || suspended_.op == ArrayOp::Erase || at.page == place.page);
}

Lun::Start Lun::read(const Place& place, u32 column, ReadEnd end, Picoseconds at)
{
    if (suspended_at(place, false)) {
        return {Rule::SuspendState, false};
    }
    if (end == ReadEnd::Cache && read_planes_ == 0) {
        return {Rule::CacheState, false};
    }
    store_.prefetch(place);
    const Rule rule = join(ArrayOp::Read, place);
    ++statistics_.reads;
    if (end == ReadEnd::QueuePlane) {
        return begin_queue(rule, at);
    }
    if (end == ReadEnd::Cache) {
        take_pending(next_, ArrayOp::Read, true);
        begin_cached_read(next_, at);
        return Start{rule, true};
    }
    take_pending(job_, ArrayOp::Read, false);
    job_.time = read_time(job_);
    job_.end = at + job_.time;
    account(job_);
    for_planes(job_.planes, [this](u32 plane) { planes_[plane].valid = false; });
    copyback_ = (copyback_ & ~job_.planes) | (end == ReadEnd::Copyback ? job_.planes : 0);
    read_planes_ = end == ReadEnd::Page && job_.broken == 0 ? job_.planes : 0;
    page_side_ = false;
    cache_program_ = false;
    port_.select(place.plane, column);
    fail_ = fail_previous_ = 0;
    return begin(ArrayOp::Read, rule, job_.end);
}

Rule Lun::begin_program(const Place& place, u32 column)
{
    if (suspended_.op == ArrayOp::Program || suspended_at(place, true)) {
        return Rule::SuspendState;
    }
    PlaneRegister& reg = planes_[place.plane];
    std::fill_n(reg.tags.begin(), units_, UnitTag{});
    reg.oob.fill(kErasedByte);
    std::fill(reg.bytes.begin(), reg.bytes.end(), kErasedByte);
    reg.at = {place.block, place.page};
    reg.valid = false;
    reg.carried.clear();
    copyback_ &= ~(1u << place.plane);
    port_.select(place.plane, column);
    store_.prefetch(place);
    return Rule::None;
}

Rule Lun::begin_copyback(const Place& place, u32 column)
{
    if (suspended_.op == ArrayOp::Program || suspended_at(place, true)) {
        return Rule::SuspendState;
    }
    if (((copyback_ >> place.plane) & 1) == 0 || !planes_[place.plane].valid) {
        return Rule::CopybackPlane;
    }
    PlaneRegister& reg = planes_[place.plane];
    reg.carried.clear();
    if (device_.errors.enabled() && reg.sensed) {
        for (u32 i = 0; i < store_.geometry().sectors_per_page(); ++i) {
            reg.carried.push_back(static_cast<u16>(cells_.errors_of(reg, i)));
        }
    }
    reg.at = {place.block, place.page};
    reg.valid = false;
    copyback_ &= ~(1u << place.plane);
    port_.select(place.plane, column);
    return Rule::None;
}

Rule Lun::change_row(const Place& place, u32 column)
{
    if (suspended_at(place, true)) {
        return Rule::SuspendState;
    }
    if (place.plane != port_.plane()) {
        return Rule::MultiPlane;
    }
    planes_[place.plane].at = {place.block, place.page};
    port_.set_column(column);
    return Rule::None;
}

/// May the page be programmed now, with what its register holds?
Rule Lun::page_rule(const Place& place) const
{
    u32 next = store_.next_page(place);
    const bool under_way = job_.op == ArrayOp::Program && ((job_.planes >> place.plane) & 1) != 0 &&
                           job_.at[place.plane].block == place.block &&
                           ((job_.broken >> place.plane) & 1) == 0;
    if (under_way) { // cache programming: its page counts as programmed
        next = std::max(next, job_.at[place.plane].page + 1);
    }
    if (place.page == next) {
        return Rule::None;
    }
    if (place.page > next) {
        return Rule::PageOrder;
    }
    if (!device_.partials || place.page + 1 != next || under_way) {
        return Rule::NotErased;
    }
    // Pages from before the run have no count: they were programmed once.
    if (std::max(u32{device_.partials_of(place)}, 1u) >= device_.nand.partial_programs) {
        return Rule::PartialPrograms;
    }
    const UnitTag* stored = store_.read(place).tags;
    for (u32 unit = 0; unit < units_; ++unit) {
        if (stored[unit] != UnitTag{} && planes_[place.plane].tags[unit] != UnitTag{}) {
            return Rule::NotErased;
        }
    }
    return Rule::None;
}

Lun::Start Lun::program(ProgramEnd end, Picoseconds at)
{
    const u32 plane = port_.plane();
    const Place place = place_of(plane, planes_[plane].at);
    const Rule order = page_rule(place);
    Rule rule = join(ArrayOp::Program, place);
    if (order != Rule::None) {
        pending_broken_ |= 1u << plane;
        rule = order;
    }
    ++statistics_.programs;
    if (end == ProgramEnd::QueuePlane) {
        return begin_queue(rule, at);
    }
    if (!cache_program_) {
        fail_ = fail_previous_ = 0;
    }
    cache_program_ = end == ProgramEnd::Cache;
    read_planes_ = 0;
    take_pending(next_, ArrayOp::Program, end == ProgramEnd::Cache);
    next_.time = program_time(next_);
    account(next_);
    const Picoseconds free = job_.op == ArrayOp::None ? at : max(at, job_.end);
    if (end == ProgramEnd::Cache) {
        begin(ArrayOp::CacheProgram, rule, max(free, at + device_.nand.t_program_cache));
        next_.end = ready_at_ + next_.time;
    } else {
        next_.end = free + next_.time;
        begin(ArrayOp::Program, rule, next_.end);
        if (job_.op == ArrayOp::None) {
            start_next();
        }
    }
    return Start{rule, true};
}

Lun::Start Lun::erase(const Place& place, bool queue, Picoseconds at)
{
    if (suspended_.op != ArrayOp::None) {
        return {Rule::SuspendState, false};
    }
    const Rule rule = join(ArrayOp::Erase, Place{die_, place.plane, place.block, 0});
    planes_[place.plane].valid = false;
    copyback_ &= ~(1u << place.plane);
    ++statistics_.erases;
    if (queue) {
        return begin_queue(rule, at);
    }
    take_pending(job_, ArrayOp::Erase, false);
    job_.time = erase_time(job_);
    job_.end = at + job_.time;
    account(job_);
    fail_ = fail_previous_ = 0;
    read_planes_ = 0;
    cache_program_ = false;
    return begin(ArrayOp::Erase, rule, job_.end);
}

void Lun::refuse(u32 plane)
{
    pending_ = 0;
    fail_ = 1u << plane;
}

Lun::Start Lun::occupy(ArrayOp kind, Picoseconds time, Picoseconds at)
{
    statistics_.busy += time;
    return begin(kind, Rule::None, at + time);
}

Rule Lun::read_out(u32 bytes, onfi::DataCells& cells)
{
    const PlaneRegister& reg = planes_[port_.plane()];
    const u32 column = port_.column();
    const Rule rule = port_.put(reg, bytes, cells);
    if (rule == Rule::None && device_.errors.enabled()) {
        deliver_errors(reg, column, column + bytes, cells);
    }
    return rule;
}

/// Bit errors of the codewords that [column, end) touches. The OOB bytes belong to none.
void Lun::deliver_errors(const PlaneRegister& reg, u32 column, u32 end, onfi::DataCells& cells)
{
    cells.codewords = 0;
    if (!reg.sensed) {
        return;
    }
    const Geometry& g = store_.geometry();
    const u32 bits = g.codeword_bytes() * 8;
    const u32 past = std::min((end + g.codeword_bytes() - 1) / g.codeword_bytes(),
                              g.sectors_per_page());
    for (u32 codeword = column / g.codeword_bytes(); codeword < past; ++codeword) {
        const u32 wrong = cells_.errors_of(reg, codeword);
        cells.bit_errors[cells.codewords++] = static_cast<u16>(wrong);
        statistics_.bits_read += bits;
        statistics_.bit_errors += wrong;
        statistics_.expected_bit_errors += reg.rber * bits;
    }
}

bool Lun::swap_delivered(onfi::DataCells& cells) const
{
    if (!port_.has_delivered()) {
        return false;
    }
    const UnitTag right = cells.tags[0];
    const auto take = [&](const UnitTag& wrong, const u8* page, u32 from) {
        if (wrong == right) {
            return false;
        }
        cells.tags[0] = wrong;
        port_.swap_bytes(page, from, cells);
        return true;
    };
    const u32 unit = port_.delivered_unit();
    for (u32 plane = 0; plane < planes_.size(); ++plane) {
        const PlaneRegister& reg = planes_[plane];
        const u8* const bytes = reg.bytes.empty() ? nullptr : reg.bytes.data();
        if (plane != port_.plane() && reg.valid && take(reg.tags[unit], bytes, unit)) {
            return true;
        }
    }
    const PlaneRegister& own = planes_[port_.plane()];
    for (u32 other = 0; other < units_; ++other) {
        if (take(own.tags[other], own.bytes.empty() ? nullptr : own.bytes.data(), other)) {
            return true;
        }
    }
    Place place = place_of(port_.plane(), own.at);
    for (place.page = 0; place.page < store_.next_page(place); ++place.page) {
        const PageView page = store_.read(place);
        if (take(page.tags[unit], page.bytes, unit)) {
            return true;
        }
    }
    return false;
}

u8 Lun::status(u32 plane) const
{
    namespace status = onfi::status;
    u32 bits = protected_ ? 0u : status::kNotProtected;
    if (suspended_.op != ArrayOp::None) {
        bits |= status::kSuspended;
    }
    if (busy()) {
        return static_cast<u8>(bits);
    }
    const u32 mask = plane == kAllPlanes ? ~0u : 1u << plane;
    bits |= status::kReady | ((fail_previous_ & mask) != 0 ? status::kFailPrevious : 0u);
    if (!array_busy()) {
        bits |= status::kArrayReady | ((fail_ & mask) != 0 ? status::kFail : 0u);
    }
    return static_cast<u8>(bits);
}

} // namespace tlmssd::nand
