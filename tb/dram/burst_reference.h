// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the slow and obvious DRAM: clock by clock, burst by burst, each JEDEC rule looked up in the
// times of the commands that were given.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <vector>

#include "models/config/config.h"
#include "models/interfaces/dram_if.h"

namespace tlmssd::tb {

/// All times in clocks.
class BurstReference {
public:
    struct Request {
        u64 arrival;
        DramAccess access;
    };

    /// The masters' turns: a grant of at most `bytes` (up to a multiple of it) once the one before has
    /// begun to move. `rank`: masters, the first before all others; empty: round robin.
    struct Turns {
        u32 bytes;
        std::vector<u32> rank;
        u32 passed_over = 0;
    };
    void arbitrate(const Turns& turns) { turns_ = turns; }

    /// `one_command`: the command bus carries one command a clock; else as many as may be given.
    BurstReference(const config::DramTiming& part, bool one_command)
        : part_(part), one_command_(one_command), banks_(part.banks), next_refresh_(part.t_refi.value() / part.clock.value())
    {
    }

    /// Ends of the last data beat of each request; requests in order of arrival.
    std::vector<u64> run(const std::vector<Request>& requests)
    {
        std::vector<u64> ends(requests.size());
        std::deque<Chunk> queue;
        std::size_t next = 0;
        for (u64 now = 0; next < requests.size() || !queue.empty() || someone_waits(); ++now) {
            for (; next < requests.size() && requests[next].arrival <= now; ++next) {
                if (turns_.bytes != 0) {
                    waiting_[static_cast<u32>(requests[next].access.master)].push_back({next, requests[next].access});
                } else {
                    split(requests[next].access, next, queue);
                }
            }
            grant(queue);
            u32 commands = one_command_ ? 1 : 1000;
            if (now >= next_refresh_ && next_refresh_ != 0 && !(queue.empty() || queue.front().given != 0)) {
                refresh(now);
                continue;
            }
            if (now >= next_refresh_ && next_refresh_ != 0 && queue.empty()) {
                refresh(now);
                continue;
            }
            if (now < refreshed_) {
                continue;
            }
            commands -= column(now, queue, ends);
            grant(queue);
            rows(now, queue, commands);
        }
        return ends;
    }
    u64 refreshes = 0;

private:
    struct Chunk {
        std::size_t request;
        u32 bank, row, bursts;
        bool write;
        u32 given = 0;
    };
    struct Waiting {
        std::size_t request;
        DramAccess rest;
    };
    bool someone_waits() const
    {
        return !waiting_[0].empty() || !waiting_[1].empty() || !waiting_[2].empty();
    }
    u32 whose_turn()
    {
        if (turns_.rank.empty()) {
            u32 master = last_;
            do {
                master = (master + 1) % kDramMasters;
            } while (waiting_[master].empty());
            return last_ = master;
        }
        std::vector<u32> candidates;
        for (const u32 master : turns_.rank) {
            if (!waiting_[master].empty()) {
                candidates.push_back(master);
            }
        }
        u32 chosen = candidates[0];
        for (std::size_t i = candidates.size(); i-- > 0;) { // the first in rank of those passed over too often
            chosen = passed_[candidates[i]] >= turns_.passed_over ? candidates[i] : chosen;
        }
        for (const u32 master : candidates) {
            passed_[master] = master == chosen ? 0 : passed_[master] + 1;
        }
        return chosen;
    }
    void grant(std::deque<Chunk>& queue)
    {
        while (someone_waits() && (queue.empty() || queue.back().given != 0)) {
            const u32 master = whose_turn();
            Waiting& w = waiting_[master].front();
            const u32 bytes = std::min(w.rest.bytes, turns_.bytes - w.rest.address % turns_.bytes);
            split({w.rest.address, bytes, w.rest.write, w.rest.master}, w.request, queue);
            w.rest.address += bytes;
            w.rest.bytes -= bytes;
            if (w.rest.bytes == 0) {
                waiting_[master].pop_front();
            }
        }
    }
    struct Bank {
        bool open = false;
        u32 row = 0;
        u64 activated = 0, precharged = 0, read = 0, written = 0; ///< written: end of the data
        bool ever_activated = false, ever_precharged = false, was_read = false, was_written = false;
    };

    u64 clocks(Picoseconds t) const
    {
        return (t.value() + part_.clock.value() - 1) / part_.clock.value();
    }
    u64 burst() const { return part_.burst / part_.beats_per_clock; }

    void split(const DramAccess& a, std::size_t request, std::deque<Chunk>& queue) const
    {
        const u64 size = part_.burst_bytes();
        bool first = true; // what was granted before is a chunk of its own
        for (u64 at = a.address / size * size; at < u64{a.address} + a.bytes; at += size) {
            const u32 number = static_cast<u32>(at / part_.row_bytes);
            const u32 bank = number % part_.banks;
            const u32 row = number / part_.banks;
            if (!first && queue.back().request == request && queue.back().bank == bank &&
                queue.back().row == row) {
                ++queue.back().bursts;
            } else {
                queue.push_back({request, bank, row, 1, a.write});
            }
            first = false;
        }
    }

    bool may_precharge(const Bank& b, u64 now) const
    {
        return now >= b.activated + clocks(part_.t_ras) &&
               (!b.was_read || now >= b.read + clocks(part_.t_rtp)) &&
               (!b.was_written || now >= b.written + clocks(part_.t_wr));
    }
    bool may_activate(const Bank& b, u64 now) const
    {
        const std::size_t n = activates_.size();
        return (!b.ever_precharged || now >= b.precharged + clocks(part_.t_rp)) && now >= refreshed_ &&
               (n == 0 || now >= activates_[n - 1] + clocks(part_.t_rrd)) &&
               (n < 4 || now >= activates_[n - 4] + clocks(part_.t_faw));
    }

    /// Give what column command may be given; how many were (0 or 1).
    u32 column(u64 now, std::deque<Chunk>& queue, std::vector<u64>& ends)
    {
        if (queue.empty()) {
            return 0;
        }
        Chunk& c = queue.front();
        Bank& b = banks_[c.bank];
        const u64 latency = c.write ? part_.write_latency : part_.read_latency;
        const u64 gap = moved_ && c.write && !wrote_ ? part_.turnaround : 0;
        if (!b.open || b.row != c.row || now < b.activated + clocks(part_.t_rcd) ||
            now + latency < bus_free_ + gap ||
            (moved_ && !c.write && wrote_ && now < bus_free_ + clocks(part_.t_wtr))) {
            return 0;
        }
        bus_free_ = now + latency + burst();
        moved_ = true;
        wrote_ = c.write;
        if (c.write) {
            b.was_written = true;
            b.written = bus_free_;
        } else {
            b.was_read = true;
            b.read = now;
        }
        if (++c.given == c.bursts) {
            ends[c.request] = bus_free_;
            queue.pop_front();
        }
        return 1;
    }

    void rows(u64 now, const std::deque<Chunk>& queue, u32 commands)
    {
        std::vector<bool> taken(banks_.size()); // by an earlier one
        bool waits = false;                     // an earlier one has still to activate
        for (const Chunk& c : queue) {
            Bank& b = banks_[c.bank];
            if (taken[c.bank]) {
                // in doubt whether it will have to activate: the rows of a bank follow each other
                waits |= last_row_[c.bank] != c.row;
                last_row_[c.bank] = c.row;
                continue;
            }
            taken[c.bank] = true;
            if (last_row_.size() != banks_.size()) {
                last_row_.resize(banks_.size());
            }
            last_row_[c.bank] = c.row;
            if (b.open && b.row == c.row) {
                continue;
            }
            if (b.open && commands != 0 && may_precharge(b, now)) {
                b.open = false;
                b.precharged = now;
                b.ever_precharged = true;
                --commands;
            } else if (!b.open && !waits && commands != 0 && may_activate(b, now)) {
                b.open = true;
                b.row = c.row;
                b.activated = now;
                b.was_read = b.was_written = false;
                activates_.push_back(now);
                --commands;
                continue;
            }
            waits = true;
        }
    }

    void refresh(u64 now)
    {
        for (const Bank& b : banks_) {
            if (b.open && !may_precharge(b, now)) {
                return;
            }
        }
        bool open = false;
        u64 start = now;
        for (Bank& b : banks_) {
            open |= b.open;
            if (b.ever_precharged && !b.open) {
                start = std::max(start, b.precharged + clocks(part_.t_rp));
            }
            b.open = false;
        }
        start = open ? std::max(start, now + clocks(part_.t_rp)) : start;
        refreshed_ = start + clocks(part_.t_rfc);
        next_refresh_ += part_.t_refi.value() / part_.clock.value();
        ++refreshes;
    }

    config::DramTiming part_;
    bool one_command_;
    Turns turns_{0, {}, 0};
    std::array<std::deque<Waiting>, kDramMasters> waiting_;
    std::array<u32, kDramMasters> passed_{};
    u32 last_ = kDramMasters - 1;
    std::vector<Bank> banks_;
    std::vector<u32> last_row_;
    std::vector<u64> activates_;
    u64 bus_free_ = 0;
    bool moved_ = false, wrote_ = false;
    u64 next_refresh_, refreshed_ = 0;
};

} // namespace tlmssd::tb
