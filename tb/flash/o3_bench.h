// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: O3Core without a bus: operations take whole units of time on their LUNs. 1 unit is 1 us.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "models/flash/o3/o3_core.h"

namespace tlmssd::tb {

/// Rows of the benches: 16 pages a block, 2 planes.
constexpr u32 o3_row(u32 plane, u32 block, u32 page) { return block << 5 | plane << 4 | page; }
constexpr u32 kO3PageBits = 4;

/// Runs a core. Each operation takes its LUN for `lun_units` and ends `extra` units later.
class O3Bench {
public:
    using Shape = flash::O3Core::Shape;
    struct Job {
        flash_op op{};
        u32 lun = 0;   ///< over the device
        u32 units = 1; ///< on the LUN
        u32 extra = 0; ///< from there to its end
    };
    struct Times {
        u64 issued = ~u64{0}, ended = ~u64{0}, completed = ~u64{0};
    };

    static Shape shape(u32 channels, u32 luns_per_channel, u32 stations = 8, u64 age_limit = 1000000)
    {
        Shape s;
        s.mode = config::ControllerMode::Ooo;
        s.tags = 256;
        s.channels = channels;
        s.luns = channels * luns_per_channel;
        s.page_bits = kO3PageBits;
        s.stations = stations;
        s.age_limit = microseconds(age_limit);
        return s;
    }
    explicit O3Bench(const Shape& shape) : core(shape), luns_per_channel_(shape.luns / shape.channels)
    {
    }

    /// The next tag; one plane, stream 0.
    Job job(u8 opcode, u32 lun, u32 row, u32 units)
    {
        Job j;
        j.op.tag = next_tag_++;
        j.op.opcode = opcode;
        j.op.channel = static_cast<u8>(lun / luns_per_channel_);
        j.op.nplanes = 1;
        j.op.row[0] = row;
        j.lun = lun;
        j.units = units;
        return j;
    }
    Job read(u32 lun, u32 row = 0, u32 units = 1) { return job(FLASH_OP_READ, lun, row, units); }
    Job program(u32 lun, u32 row = 0, u32 units = 10)
    {
        return job(FLASH_OP_PROGRAM, lun, row, units);
    }
    /// Of all LUNs of the channel of `lun`.
    Job reset(u32 lun) { return job(FLASH_OP_RESET, lun, 0, 5); }
    static Job with(Job j, u8 flags, u16 stream = 0)
    {
        j.op.flags = flags;
        j.op.stream = stream;
        return j;
    }

    u16 submit(const Job& j)
    {
        const bool all = j.op.opcode == FLASH_OP_RESET;
        jobs_[j.op.tag] = j;
        times[j.op.tag] = Times{};
        core.submit(j.op, all ? j.lun / luns_per_channel_ * luns_per_channel_ : j.lun,
                    all ? luns_per_channel_ : 1, now());
        issue();
        return j.op.tag;
    }
    /// What happens up to `unit`, that included: all that ends at one time, then what is issued.
    void run_to(u64 unit)
    {
        while (!events_.empty() && events_.begin()->first <= unit) {
            now_ = events_.begin()->first;
            while (!events_.empty() && events_.begin()->first == now_) {
                const Event e = events_.begin()->second;
                events_.erase(events_.begin());
                happens(e);
            }
            issue();
        }
        now_ = unit;
    }
    void run() { run_to(now_ + 100000); }
    Picoseconds now() const { return microseconds(now_); }
    u64 unit() const { return now_; }

    flash::O3Core core;
    std::map<u16, Times> times;
    std::vector<u16> issued, completed; ///< in order

private:
    struct Event {
        u16 tag;
        bool end;
    };
    void after(u64 units, const Event& e) { events_.emplace(now_ + units, e); }
    void happens(const Event& e)
    {
        if (e.end) {
            times[e.tag].ended = now_;
            tell(core.end(e.tag, now()), e.tag);
        } else {
            core.release(e.tag);
            after(jobs_[e.tag].extra, {e.tag, true});
        }
    }
    void issue()
    {
        u32 tag = 0;
        while (core.next(now(), tag)) {
            issued.push_back(static_cast<u16>(tag));
            times[static_cast<u16>(tag)].issued = now_;
            after(jobs_[static_cast<u16>(tag)].units, {static_cast<u16>(tag), false});
        }
    }
    void tell(u32 stream, u16 ended)
    {
        u32 tag = ended;
        if (!core.retires_in_order()) {
            completed.push_back(ended);
            times[ended].completed = now_;
            return;
        }
        while (core.retire(stream, now(), tag)) {
            completed.push_back(static_cast<u16>(tag));
            times[static_cast<u16>(tag)].completed = now_;
        }
    }

    u32 luns_per_channel_;
    u64 now_ = 0;
    u16 next_tag_ = 0;
    std::map<u16, Job> jobs_;
    std::multimap<u64, Event> events_; ///< equal times in order of insertion
};

} // namespace tlmssd::tb
