// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the DRAM copy engine: one copy after the other, each reads and writes DRAM.
#pragma once

#include <systemc>

#include "models/common/fifo.h"
#include "models/common/geometry.h"
#include "models/cpu/cpu.h"
#include "models/dram/dram.h"
#include "models/interfaces/copy_observer_if.h"
#include "models/time/event_queue.h"

namespace tlmssd::ssd {

/// A copy takes two DRAM transfers (a clear takes one) of its sectors, in order of the requests;
/// tags move at its end.
class CopyEngine final : public sc_core::sc_module, public cpu::CopyEngineIf {
public:
    CopyEngine(sc_core::sc_module_name name, time::EventQueue& event_queue, dram::Dram& dram,
               cpu::Cpu& cpu);

    void observe(CopyObserverIf& observer) { observer_ = &observer; }
    void start_copy(u32 dst, u32 src, u64 sectors, u32 cookie) override;

private:
    struct Copy {
        u32 dst, src;
        u64 sectors;
        u32 cookie;
        DramEnd end;
    };
    void on_end();

    time::EventQueue& event_queue_;
    dram::Dram& dram_;
    cpu::Cpu& cpu_;
    CopyObserverIf* observer_ = nullptr;
    time::Timer timer_;
    Fifo<Copy> copies_; ///< in order of their ends
};

} // namespace tlmssd::ssd
