// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what every scheduler must keep, checked on a whole device around the firmware of either CPU.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/flash/o3/o3_core.h"
#include "tb/firmware/durable_device.h"

namespace tlmssd::tb {

enum class On { Native, Iss };

/// tb/firmware's DurableDevice on one of the CPUs: it checks data, order of overlapping commands, that each
/// command ends once, the flash's rules, and what FLUSH and FUA promise.
class Conformer : public DurableDevice {
public:
    /// `config.oob_base` is set here. On::Iss: boots the RV32 image.
    Conformer(fw_config config, u64 seed, On on);
};

/// A Conformer in time: an operation takes fw_config::t_*_ns on its die, CPU, bus and link none. The
/// flash controller is the model's own core in the mode that the scheduler asks for.
class TimedConformer : public Conformer {
public:
    TimedConformer(const fw_config& config, On on, u64 controller_age_us);

    bool flash_submit(const flash_op& op) override;

    struct Job {
        u8 opcode;
        u32 lpn, pages;
        bool again; ///< issue it again as soon as it has ended
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
