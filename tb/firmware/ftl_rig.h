// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the FTL alone with blocks that are full already; the test plays host, scheduler and flash.
#pragma once

#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {

struct FtlRig {
    explicit FtlRig(const fw_config& config) : rig(config), ftl(rig.f()->ftl) {}

    /// The plane's next blocks become full with that many valid pages each (the last pages of the block, so
    /// that the first ones are skipped); LPNs count up.
    void occupy(u32 plane, std::initializer_list<u32> valid)
    {
        struct plane& p = ftl->planes[plane];
        const u32 pages = rig.config().pages;
        for (const u32 count : valid) {
            const u32 block = p.fresh++;
            gc_free_blocks(ftl, plane, -1);
            for (u32 page = pages - count; page < pages; ++page) {
                ftl_map_set(rig.f(), next_lpn++, ftl_ppn(ftl, plane, block, page));
                ++p.valid;
            }
            gc_block_state(rig.f(), plane, block, BLOCK_FULL);
        }
    }
    void tell(u16 kind, u32 o) { rig.tell(FW_MODULE_FTL, kind, o); }
    /// A new operation reaches the FTL.
    u32 start(u8 opcode, u32 lpn)
    {
        const u32 o = fw_op_alloc(rig.f());
        rig.f()->ops[o].opcode = opcode;
        rig.f()->ops[o].lpn = lpn;
        tell(FW_MSG_OP_NEW, o);
        return o;
    }
    /// The operation has ended, a read of collection's with the metadata of `lpn`.
    void ended(u32 o, u32 lpn)
    {
        fw_oob& oob = rig.f()->ops[o].oob;
        oob = fw_oob{};
        oob.lpn = lpn;
        oob.kind = 1;
        oob.check = fw_oob_check(&oob);
        tell(FW_MSG_OP_DONE, o);
    }
    /// Operations of collection that were placed since the last call.
    std::vector<u32> collected()
    {
        std::vector<u32> ops;
        for (const fw_message& m : rig.take()) {
            if (m.kind == FW_MSG_OP_PLACED && (op(m.a).flags & FW_OP_GC) != 0) {
                ops.push_back(m.a);
            }
        }
        return ops;
    }
    const fw_op& op(u32 i) const { return rig.f()->ops[i]; }

    ModuleRig rig;
    fw_ftl* ftl;
    u32 next_lpn = 0;
};

} // namespace tlmssd::tb
