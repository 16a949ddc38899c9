// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: masters take turns at the DRAM, chunk by chunk (docs/explanation/dram.md, "Arbitration").
#pragma once

#include <array>
#include <vector>

#include "models/config/config.h"
#include "models/dram/banks.h"
#include "models/interfaces/dram_if.h"

namespace tlmssd::dram {

/// A master's use of the DRAM, transfers to come included.
struct MasterStatistics {
    u64 transfers = 0;
    u64 bytes = 0;
    Picoseconds busy;     ///< in service
    Picoseconds wait;     ///< from the requests to the ends, less busy
    Picoseconds wait_max; ///< of one transfer

    void ended(Picoseconds waited)
    {
        ++transfers;
        wait += waited;
        wait_max = max(wait_max, waited);
    }
    /// Counts since `before`; wait_max stays.
    MasterStatistics since(const MasterStatistics& before) const
    {
        return {transfers - before.transfers, bytes - before.bytes, busy - before.busy, wait - before.wait, wait_max};
    }
};

/// Transfers of a master are served in order, those of different masters by turns (round_robin) or by
/// rank (priority). Nothing happens by itself: grants that are due before the time of a call are made by
/// the call, so that requests of one picosecond are alike whatever their order is.
class Arbiter {
public:
    static constexpr u32 kAccessBytes = 8192; ///< model bus: bytes per access time

    /// `banks` outlives this; null: model bus. config.arbitration is not Fcfs.
    Arbiter(const config::Dram& config, Banks* banks);

    /// `now` never goes back, in any of the calls below.
    DramEnd add(Picoseconds now, const DramAccess& access);
    bool settle(Picoseconds now, DramEnd& end);
    /// All grants that are due before `now`.
    void advance(Picoseconds now);

    Picoseconds busy(Picoseconds now) const { return free_ > now ? busy_ - (free_ - now) : busy_; }
    const MasterStatistics& statistics(DramMaster m) const { return masters_[index(m)].stats; }

private:
    struct Transfer {
        DramAccess access{};
        Picoseconds arrival;
        Picoseconds end;     ///< once all is granted
        Picoseconds service; ///< of the chunks that are granted
        Picoseconds least;   ///< service of all transfers up to and with this one, undisturbed
        u32 done = 0;        ///< bytes granted
    };
    struct Master {
        std::vector<Transfer> ring = std::vector<Transfer>(256);
        u64 added = 1; ///< number of the next transfer
        u64 head = 1;  ///< of the first that is not granted wholly
        Picoseconds least;
        u32 passed = 0; ///< grants to others since it has waited
        MasterStatistics stats;

        bool waits() const { return head != added; }
        Transfer& at(u64 number) { return ring[number & (ring.size() - 1)]; }
        void grow();
    };
    static u32 index(DramMaster m) { return static_cast<u32>(m); }

    Picoseconds moved(u32 bytes) const { return Picoseconds((u64{bytes} * 1000000 + mb_per_s_ - 1) / mb_per_s_); }
    Picoseconds least(const DramAccess& access, u32 done) const;
    Picoseconds earliest_end(Master& m, u64 number, Picoseconds now) const;
    u32 choose(Picoseconds at);
    bool ready(u32 master, Picoseconds at)
    {
        Master& m = masters_[master];
        return m.waits() && m.at(m.head).arrival <= at;
    }
    void grant(Picoseconds at, u32 master);
    u32 chunk(const Transfer& t) const;

    config::DramArbitration kind_;
    std::array<u32, kDramMasters> order_; ///< masters, the first before all others
    u32 grant_bytes_;
    u32 starvation_;
    Picoseconds access_time_;
    u64 mb_per_s_;
    Banks* banks_;
    std::array<Master, kDramMasters> masters_;
    u32 last_ = kDramMasters - 1; ///< master of the last grant
    u64 last_number_ = 0;         ///< and its transfer
    Picoseconds next_; ///< no grant before: the chunk before begins to move (banks) or has moved (bus)
    Picoseconds free_; ///< end of what is granted
    Picoseconds busy_;
};

} // namespace tlmssd::dram
