// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: devices with the log-block map.
#pragma once

#include "tb/firmware/storm.h"

namespace tlmssd::tb {

/// `logical` blocks of 8 pages a plane, of which each has `spare` more blocks beside its log blocks.
inline fw_config log_config(bool fast, u32 log_blocks, u32 logical, u32 spare = 3, u32 channels = 1, u32 planes = 1)
{
    fw_config c = small_config(channels, 1, 1, planes, logical + log_blocks + spare, 8);
    c.logical_pages = channels * planes * logical * c.pages;
    c.block_pages = c.pages;
    c.buffer_policy = FW_BUFFER_NONE;
    c.scheduler = FW_SCHED_SERIAL;
    c.log_blocks = log_blocks;
    c.log_fast = fast;
    return c;
}

/// One plane, one thing at a time.
class LogDevice : public Device {
public:
    using Device::Device;
    void write(u32 lpn)
    {
        write_page(lpn);
        drain();
    }
    void write(u32 first, u32 end)
    {
        for (u32 lpn = first; lpn < end; ++lpn) {
            write(lpn);
        }
    }
    void trim(u32 lpn, u32 pages = 1)
    {
        issue(HAL_HOST_TRIM, u64{lpn} * spp(), pages * spp());
        drain();
    }
    void read(u32 lpn)
    {
        read_page(lpn);
        drain();
    }
};

struct Merges {
    u64 switches = 0, partials = 0, fulls = 0, copied = 0, fillers = 0, drops = 0;
    friend bool operator==(const Merges& a, const Merges& b)
    {
        return a.switches == b.switches && a.partials == b.partials && a.fulls == b.fulls && a.copied == b.copied &&
               a.fillers == b.fillers && a.drops == b.drops;
    }
    friend std::ostream& operator<<(std::ostream& out, const Merges& m)
    {
        return out << m.switches << " switch, " << m.partials << " partial, " << m.fulls << " full, " << m.copied
                   << " copies, " << m.fillers << " fillers, " << m.drops << " drops";
    }
};

inline Merges merges(const Device& d)
{
    const fw_stats& s = d.stats();
    return {s.log_switch_merges, s.log_partial_merges, s.log_full_merges,
            s.log_pages_copied,  s.log_fillers,        s.log_drops};
}

} // namespace tlmssd::tb
