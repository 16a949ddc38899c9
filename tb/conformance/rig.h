// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what every scheduler must keep, checked on a whole device around the firmware of either CPU.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/flash/o3/o3_core.h"
#include "tb/firmware/device.h"

namespace tlmssd::tb {

enum class On { Native, Iss };

/// tb/firmware's Device checks data, order of overlapping commands, that each command ends once, and
/// the flash's rules. This one adds the CPU, and what FLUSH and FUA promise.
class Conformer : public Device {
public:
    /// `config.oob_base` is set here. On::Iss: boots the RV32 image.
    Conformer(fw_config config, u64 seed, On on);

    void post(u32 room, const hal_event& event) override;
    /// At the end of a FLUSH all that was written before it is in flash, at the end of a FUA write
    /// its own data are, but for what younger commands have overwritten; else std::runtime_error.
    void host_complete(u32 tag, u32 status) override;

    u64 promises_kept = 0; ///< FLUSHes and FUA writes that have ended

private:
    struct Promise {
        u64 lba;
        std::vector<u64> versions; ///< 0: trimmed or never written
    };
    std::map<u32, Promise> promises_; ///< by tag
};

/// The same in time: an operation takes fw_config::t_*_ns on its die, CPU, bus and link none. The
/// flash controller is the model's own core in the mode that the scheduler asks for.
class TimedConformer : public Conformer {
public:
    TimedConformer(const fw_config& config, On on, u64 controller_age_us);

    bool flash_submit(const flash_op& op) override;

    struct Job {
        u8 opcode;
        u32 lpn, pages;
        bool again; ///< issue it anew as soon as it has ended
        u64 longest_us = 0;
    };
    /// Returns its number.
    u32 start(const Job& job);
    /// Time passes until `us` (everything that is due then has happened), or until nothing is inside.
    void run_until(u64 us);
    /// The longest from arrival to completion so far; what is still inside counts as of now.
    u64 longest_us(u32 job) const;

private:
    void issue_job(u32 job);
    bool collect();
    void start_operations();
    bool next_time(u64 limit);
    void end_operation(u32 tag);
    void finish_tag(u32 tag);
    Picoseconds now() const { return microseconds(now_us); }

    flash::O3Core core_;
    std::map<u32, u64> ends_us_; ///< operations that run, by flash tag
    std::vector<Job> jobs_;
    std::map<u32, std::pair<u32, u64>> inside_jobs_; ///< host tag -> job, time of arrival
};

} // namespace tlmssd::tb
