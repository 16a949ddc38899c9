// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the buffer module alone; the test plays hil, ftl and DRAM.
#pragma once

#include <gmock/gmock.h>

#include "tb/firmware/hal_log.h"

namespace tlmssd::tb {

/// Pages of 8 sectors; temporaries follow the slots.
class BufferTest : public testing::Test {
protected:
    void boot(u32 slots, u32 policy, u32 flush_after_us = 0)
    {
        fw_config c = small_config();
        c.lines = slots;
        c.buffer_policy = policy;
        c.flush_after_us = flush_after_us;
        rig = std::make_unique<ModuleRig>(c);
    }
    void request(u16 kind, u16 tag, u32 lpn, u32 first = 0, u32 count = 8, u32 fua = 0)
    {
        fw_message m{};
        m.kind = kind;
        m.tag = tag;
        m.a = 0; // page number in the command
        m.b = lpn;
        m.c = first;
        m.d = count;
        m.e = fua;
        m.f = tag + 1u;
        rig->deliver(FW_MODULE_BUFFER, m);
    }
    void read(u16 tag, u32 lpn, u32 first = 0, u32 count = 8)
    {
        request(FW_MSG_PAGE_READ, tag, lpn, first, count);
    }
    void write(u16 tag, u32 lpn, u32 first = 0, u32 count = 8, u32 fua = 0)
    {
        request(FW_MSG_PAGE_WRITE, tag, lpn, first, count, fua);
    }
    void trim(u16 tag, u32 lpn) { request(FW_MSG_PAGE_TRIM, tag, lpn); }
    void tell(u16 kind, u16 tag, u32 a)
    {
        fw_message m{};
        m.kind = kind;
        m.tag = tag;
        m.a = a;
        rig->deliver(FW_MODULE_BUFFER, m);
    }
    void release(u32 slot) { tell(FW_MSG_PAGE_RELEASE, 0, slot); }
    void received(u16 tag, u32 slot) { tell(FW_MSG_PAGE_RECEIVED, tag, slot); }
    void aborted(u16 tag, u32 slot)
    {
        fw_message m{};
        m.kind = FW_MSG_PAGE_RECEIVED;
        m.tag = tag;
        m.a = slot;
        m.c = 1;
        rig->deliver(FW_MODULE_BUFFER, m);
    }
    void flush(u16 tag) { tell(FW_MSG_FLUSH, tag, 0); }
    void op_done(u32 op, bool unmapped = false)
    {
        fw_message m{};
        m.kind = FW_MSG_PAGE_OP_DONE;
        m.a = op;
        m.b = unmapped;
        rig->deliver(FW_MODULE_BUFFER, m);
    }
    void copied(u32 index)
    {
        hal_event event{};
        event.kind = HAL_EVENT_COPY;
        event.cookie = rig->copies.at(index).cookie;
        rig->give(FW_MODULE_BUFFER, event);
    }
    /// The messages since the last call, sorted: answers to hil, ops and trims for ftl.
    void collect()
    {
        answers.clear();
        ops.clear();
        trims.clear();
        for (const fw_message& m : rig->take()) {
            if (m.module == FW_MODULE_HIL) {
                answers.push_back(m);
            } else if (m.kind == FW_MSG_OP_NEW) {
                ops.push_back(m.a);
            } else {
                EXPECT_EQ(m.kind, FW_MSG_TRIM);
                trims.push_back(m.a);
            }
        }
    }
    const fw_op& op(std::size_t i) const { return rig->f()->ops[ops.at(i)]; }
    /// The only answer of the last collect() is `kind` for `tag`; gives its slot.
    u32 expect_answer(u16 kind, u16 tag)
    {
        EXPECT_EQ(answers.size(), 1u);
        if (answers.size() != 1) {
            return 0;
        }
        EXPECT_EQ(answers[0].kind, kind);
        EXPECT_EQ(answers[0].tag, tag);
        return answers[0].b;
    }
    /// A whole write of a page into the cache, without any eviction.
    u32 fill(u16 tag, u32 lpn)
    {
        write(tag, lpn);
        collect();
        const u32 slot = expect_answer(FW_MSG_PAGE_GRANT, tag);
        received(tag, slot);
        collect();
        expect_answer(FW_MSG_PAGE_DONE, tag);
        EXPECT_TRUE(ops.empty());
        return slot;
    }
    std::vector<u32> tags() const
    {
        std::vector<u32> all;
        for (const fw_message& m : answers) {
            all.push_back(m.tag);
        }
        return all;
    }
    const fw_stats& stats() const { return rig->stats(); }

    std::unique_ptr<ModuleRig> rig;
    std::vector<fw_message> answers;
    std::vector<u32> ops;
    std::vector<u32> trims;
};

} // namespace tlmssd::tb
