// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the launch-recognising prefetcher in the buffer module alone; the test plays host and flash.
#pragma once

#include "tb/firmware/buffer_rig.h"
#include "tb/firmware/private.h"

namespace tlmssd::tb {

class Prefetch : public BufferTest {
protected:
    void boot_as(u32 mode, const std::function<void(fw_config&)>& change = [](fw_config&) {})
    {
        fw_config c = small_config();
        c.prefetch_mode = mode;
        c.prefetch_match = 3;
        c.prefetch_anchors = 2;
        c.prefetch_sequences = 2;
        c.prefetch_pages = 40;
        c.prefetch_gap_us = 100;
        c.prefetch_misses = 2;
        c.prefetch_depth = 4;
        c.prefetch_lead = 6;
        c.prefetch_held = 32;
        c.prefetch_clean_victims = 1;
        change(c);
        rig = std::make_unique<ModuleRig>(c);
        rig->now_us = 1000;
        open.clear();
        tag = 0;
    }
    void look()
    {
        collect();
        open.insert(open.end(), ops.begin(), ops.end());
    }
    void finish(std::size_t i)
    {
        const u32 index = open.at(i);
        open.erase(open.begin() + static_cast<long>(i));
        op_done(index);
    }
    u32 lpn_of(u32 i) const { return rig->f()->ops[i].lpn; }
    std::vector<u32> on_their_way() const
    {
        std::vector<u32> all;
        for (const u32 i : open) {
            all.push_back(lpn_of(i));
        }
        return all;
    }
    /// A read that the host waits for; what is under way for other pages stays so. `flags`: as in PAGE_READ.
    void read_page(u32 lpn, u32 flags = FW_PAGE_SERIAL)
    {
        rig->now_us += 10;
        tag = (tag + 1) % 32;
        request(FW_MSG_PAGE_READ, tag, lpn, 0, 8, flags);
        look();
        if (answers.empty()) {
            const auto own = std::find_if(open.begin(), open.end(), [&](u32 i) { return lpn_of(i) == lpn; });
            ASSERT_NE(own, open.end()) << lpn;
            finish(static_cast<std::size_t>(own - open.begin()));
            const std::vector<u32> before = ops;
            look();
        }
        release(expect_answer(FW_MSG_PAGE_READY, tag));
    }
    void land()
    {
        while (!open.empty()) {
            finish(0);
            look();
        }
    }
    void launch(const std::vector<u32>& pages)
    {
        pause();
        for (const u32 lpn : pages) {
            ASSERT_NO_FATAL_FAILURE(read_page(lpn));
        }
        land();
    }
    void pause() { rig->now_us += 1000; }
    /// Nothing of the launches so far is in the buffer any more.
    void forget_pages()
    {
        fw_buffer* b = rig->f()->buffer;
        for (u32 i = 0; i < rig->config().lines; ++i) {
            if (b->lines[i].idle) {
                line_give(rig->f(), i);
            }
        }
        ASSERT_EQ(b->free_count, rig->config().lines);
    }
    static std::vector<u32> sequence(u32 first, u32 count) // 7 apart
    {
        std::vector<u32> pages(count);
        for (u32 i = 0; i < count; ++i) {
            pages[i] = first + 7 * i % 97;
        }
        return pages;
    }
    const fw_prefetch& state() const { return *rig->f()->buffer->prefetch; }

    std::vector<u32> open;
    u16 tag = 0;
};

} // namespace tlmssd::tb
