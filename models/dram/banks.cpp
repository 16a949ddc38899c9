// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows and banks of the DRAM.
#include "models/dram/banks.h"

#include <algorithm>

#include "models/common/geometry.h"

namespace tlmssd::dram {

BankTimes::BankTimes(const config::DramTiming& part) : clock(part.clock)
{
    burst_bytes = part.burst * part.bus_bits / 8;
    burst = Picoseconds((part.burst + part.beats_per_clock - 1) / part.beats_per_clock * clock.value());
    rcd = rounded(part.t_rcd);
    rp = rounded(part.t_rp);
    ras = rounded(part.t_ras);
    wr = rounded(part.t_wr);
    wtr = rounded(part.t_wtr);
    rtp = rounded(part.t_rtp);
    rrd = rounded(part.t_rrd);
    faw = rounded(part.t_faw);
    rfc = rounded(part.t_rfc);
    refi = part.t_refi.value() / clock.value() * clock; // a most, the others are leasts
    read = part.read_latency * clock;
    write = part.write_latency * clock;
    turnaround = part.turnaround * clock;
}

Picoseconds BankTimes::rounded(Picoseconds time) const
{
    const u64 clocks = (time.value() + clock.value() - 1) / clock.value();
    return clocks * clock;
}

Banks::Banks(const config::DramTiming& part)
    : t_(part), row_shift_(bits_for(part.row_bytes)), bank_mask_(part.banks - 1),
      bank_shift_(bits_for(part.banks)), banks_(part.banks), next_refresh_(t_.refi)
{
}

/// JEDEC's rules as equations: each command at the earliest time that all of them allow.
Banks::Plan Banks::plan(Picoseconds now, const Bank& bank, u32 row, bool write) const
{
    Plan p{now, now};
    if (bank.row != row) {
        p.activate = bank.row == kNoRow ? max(now, bank.may_open)
                                        : max(max(now, bank.may_close) + t_.rp, bank.may_open);
        if (opened_ != 0) {
            p.activate = max(p.activate, activates_[(activate_ + 3) & 3] + t_.rrd);
        }
        if (opened_ >= 4) {
            p.activate = max(p.activate, activates_[activate_] + t_.faw);
        }
        p.column = p.activate + t_.rcd;
    }
    Picoseconds bus = bus_free_;
    if (moved_ && write && !wrote_) {
        bus += t_.turnaround;
    }
    if (moved_ && !write && wrote_) {
        p.column = max(p.column, write_end_ + t_.wtr);
    }
    const Picoseconds latency = write ? t_.write : t_.read;
    p.column = bus > p.column + latency ? bus - latency : p.column;
    return p;
}

/// Refreshes that are due before a column command at `until`: all rows are closed, then all banks are
/// busy for tRFC. Those of an idle DRAM have passed unseen.
void Banks::refresh(Picoseconds until)
{
    while (t_.refi.value() != 0 && next_refresh_ <= until) {
        Picoseconds start = next_refresh_;
        bool open = false;
        for (const Bank& bank : banks_) {
            open |= bank.row != kNoRow;
            start = max(start, bank.row == kNoRow ? bank.may_open : bank.may_close + t_.rp);
        }
        if (open) {
            start = max(start, next_refresh_ + t_.rp);
        }
        for (Bank& bank : banks_) {
            bank.row = kNoRow;
            bank.may_open = start + t_.rfc;
        }
        ++statistics_.refreshes;
        next_refresh_ += t_.refi;
        if (until > next_refresh_ + t_.refi) { // all but the last one before `until`
            const u64 passed = (until - next_refresh_).value() / t_.refi.value();
            statistics_.refreshes += passed;
            next_refresh_ += passed * t_.refi;
        }
    }
}

void Banks::row(Picoseconds now, Bank& bank, u32 row, u32 bursts, bool write)
{
    Plan p = plan(now, bank, row, write);
    while (t_.refi.value() != 0 && next_refresh_ <= p.column) {
        refresh(p.column);
        p = plan(now, bank, row, write);
    }
    if (bank.row == row) {
        ++statistics_.hits;
    } else {
        ++(bank.row == kNoRow ? statistics_.closed : statistics_.conflicts);
        bank.row = row;
        bank.may_close = p.activate + t_.ras;
        activates_[activate_] = p.activate;
        activate_ = (activate_ + 1) & 3;
        ++opened_;
    }
    statistics_.turnarounds += moved_ && wrote_ != write;
    const Picoseconds data = bursts * t_.burst;
    const Picoseconds end = p.column + (write ? t_.write : t_.read) + data;
    const Picoseconds last = p.column + data - t_.burst; // column command
    bank.may_close = max(bank.may_close, write ? end + t_.wr : last + t_.rtp);
    statistics_.data += data;
    column_ = p.column;
    bus_free_ = end;
    write_end_ = write ? end : write_end_;
    moved_ = true;
    wrote_ = write;
}

Picoseconds Banks::data_time(const DramAccess& access) const
{
    const u64 first = access.address / t_.burst_bytes;
    const u64 end = (u64{access.address} + access.bytes + t_.burst_bytes - 1) / t_.burst_bytes;
    return (end - first) * t_.burst;
}

Picoseconds Banks::transfer(Picoseconds now, const DramAccess& access)
{
    if (access.bytes == 0) {
        return max(now, bus_free_);
    }
    const Picoseconds edge = t_.rounded(now);
    u32 at = access.address / t_.burst_bytes * t_.burst_bytes;
    const u64 end = u64{access.address} + access.bytes;
    while (at < end) {
        const u32 row_end = ((at >> row_shift_) + 1) << row_shift_;
        const u32 stop = static_cast<u32>(std::min<u64>(end, row_end == 0 ? end : row_end));
        const u32 bursts = (stop - at + t_.burst_bytes - 1) / t_.burst_bytes;
        const u32 number = at >> row_shift_;
        row(edge, banks_[number & bank_mask_], number >> bank_shift_, bursts, access.write);
        at = stop;
    }
    return bus_free_;
}

} // namespace tlmssd::dram
