// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: DRAM copies for the firmware.
#include "models/ssd/copy_engine.h"

namespace tlmssd::ssd {

CopyEngine::CopyEngine(sc_core::sc_module_name name, time::EventQueue& event_queue, dram::Dram& dram,
                       cpu::Cpu& cpu)
    : sc_module(name), event_queue_(event_queue), dram_(dram), cpu_(cpu),
      timer_(event_queue, time::Priority::Dma, time::Timer::call<&CopyEngine::on_end, CopyEngine>, this)
{
}

void CopyEngine::start_copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    const u32 bytes = static_cast<u32>(__builtin_popcountll(sectors)) * kSectorBytes;
    const u32 first = sectors == 0 ? 0 : static_cast<u32>(__builtin_ctzll(sectors)) * kSectorBytes;
    const Picoseconds now = event_queue_.now();
    if (!hal_copy_clears(src)) {
        dram_.transfer(now, {src + first, bytes, false, DramMaster::Cpu});
    }
    const DramEnd end = dram_.begin(now, {dst + first, bytes, true, DramMaster::Cpu});
    copies_.push(Copy{dst, src, sectors, cookie, end});
    if (observer_ != nullptr) {
        observer_->on_copy_start(dst, now);
    }
    if (!timer_.armed()) {
        timer_.arm(copies_.front().end.at);
    }
}

void CopyEngine::on_end()
{
    while (!copies_.empty() && dram_.over(copies_.front().end, event_queue_.now())) {
        const Copy c = copies_.pop();
        dram_.copy(c.dst, c.src, c.sectors);
        if (observer_ != nullptr) {
            observer_->on_copy_end(c.dst, event_queue_.now());
        }
        cpu_.on_copy_done(c.cookie);
    }
    if (!copies_.empty()) {
        timer_.arm(copies_.front().end.at);
    }
}

} // namespace tlmssd::ssd
