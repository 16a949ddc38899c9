// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_channel beside ChannelModel. The channel is let run until it waits for something from
// outside; then R/B# rises, operations come, fences open, time passes. So the model, which has no
// clock, says exactly which operation each LUN must issue next and how each must end.
#include <algorithm>
#include <cstring>

#include <VUnitChannel.h>

#include "tb/rtl/channel_model.h"
#include "tb/rtl/unit_ops.h"

namespace tlmssd::tb {
namespace {

using flash::Phase;

constexpr u32 kTags = 16;
constexpr u32 kPageBits = 2;
constexpr u32 kStations = 4;

class ChannelBench {
public:
    ChannelBench(u64 seed, Goals& goals)
        : random(seed), goals_(goals), stations_(seed % 3 == 2 ? 2 : kStations),
          model(stations_, seed % 2 ? 2 : 1000, kPageBits, seed % 4)
    {
        dut->stations_i = static_cast<u8>((1u << stations_) - 1);
        dut->age_limit_i = seed % 2 ? 2 : 1000;
        dut->lun_shift_i = 1;
        dut->luns_i = kCeLuns;
        dut->now_i = dut->tick_i = 0;
        dut->suspends_i = dut->suspend_priority_i = 0; // suspends and polls: o3_rtl_suspend_test.cpp
        dut->progress_i = dut->poll_i = 0;
        dut->retries_i = static_cast<u8>(seed % 4);
        dut->retry_i = 0;
        dut->no_grant_i = dut->in_order_i = dut->head_goes_i = 0;
        dut->sweep_i = dut->push_i = dut->open_valid_i = dut->end_take_i = 0;
        dut->desc_ack_i = dut->desc_valid_i = dut->desc_abort_i = dut->dep_done_i = dut->seg_done_i = 0;
        dut->ready_i = 15;
        dut->mask_i = dut->step_i = 0; // tb/rtl/unit_ready_test.cpp
        dut->synchronous_i = 1;
        dut.reset();
    }

    /// What comes from outside while nothing goes on inside; then on to the next such point.
    void round(bool more)
    {
        const u32 what = random.below(100);
        aborts_ = model.in_intake() == 0;
        if (what < 8) {
            advance();
        } else if (what < 18 && !model.closed().empty()) {
            open();
        } else if (what < (more ? 22u : 18u)) {
            if (model.in_intake() == 0) { // refusals race with what comes into the stations
                sweep();
            }
        } else if (model.in_intake() != 0 || what >= 80) {
            one_action(random.below(kChannelLuns), more, true);
        } else if (more && what < 26) {
            push_reset();
        } else {
            for (u32 lun = 0; lun < kChannelLuns; ++lun) {
                one_action(lun, more, false);
            }
        }
        count_choices();
        aborts_ = aborts_ && model.in_intake() == 0;
        run_until_quiet();
    }
    bool empty() const { return model.empty(); }

    Random random;
    ClockedDut<VUnitChannel> dut;

private:
    void advance()
    {
        const u32 stamps = random.below(3);
        model.advance(stamps);
        dut->now_i = model.now();
    }
    void open()
    {
        const std::vector<u32> closed = model.closed();
        const u32 tag = closed[random.below(closed.size())];
        if (model.lost(lun_of(ops_[tag])) && model.in_intake() != 0) {
            return; // refusals race with what comes into the stations
        }
        goals_.see("fence opens for RESET", ops_[tag].opcode == FLASH_OP_RESET);
        dut->open_valid_i = 1;
        dut->open_tag_i = static_cast<u8>(tag);
        dut->open_lun_i = static_cast<u8>(lun_of(ops_[tag]));
        model.open(tag);
    }
    void sweep()
    {
        const std::size_t before = model.ends.size();
        model.sweep();
        goals_.see("sweep that gives nothing up", model.ends.size() == before);
        for (std::size_t n = before; n < model.ends.size(); ++n) {
            const u32 opcode = ops_[model.ends[n].tag].opcode;
            goals_.see(opcode == FLASH_OP_RESET ? "RESET is given up" : "LUN is given up");
        }
        dut->sweep_i = 1;
        cycle();
        dut->sweep_i = 0;
        for (u32 n = random.below(4); n != 0; --n) {
            cycle();
        }
        for (const u32 tag : model.closed()) { // a fence opens as a LUN is given up
            if (dut->open_valid_i == 0 && !model.lost(lun_of(ops_[tag])) && random.percent(50)) {
                dut->open_valid_i = 1;
                dut->open_tag_i = static_cast<u8>(tag);
                dut->open_lun_i = static_cast<u8>(lun_of(ops_[tag]));
                model.open(tag);
            }
        }
    }
    /// R/B# rises, or an operation comes for this LUN; never both, and not while it is about to get the bus:
    /// else it would depend on clocks which comes first. In the intake stands one alone, or those of the CE#
    /// of a RESET that is its head: when a head has gone in, who is behind it takes its clocks to follow, and
    /// may come to its LUN before or after the end of what works there.
    void one_action(u32 lun, bool more, bool alone)
    {
        if (model.judges(lun)) {
            if (random.percent(50)) {
                goals_.see("a verdict while others of the LUN wait", model.in_stations(lun) != 0);
                dut->retry_i = static_cast<u8>(1u << lun);
                model.verdict(lun);
                cycle();
                dut->retry_i = 0;
            }
            return;
        }
        if (!model.is_ready(lun) && random.percent(50)) {
            goals_.see("R/B# rises late", model.lost(lun));
            goals_.see("all LUNs wait",
                       model.waits(0) && model.waits(1) && model.waits(2) && model.waits(3));
            dut->ready_i = static_cast<u8>(dut->ready_i | 1u << lun);
            model.ready(lun);
            if (random.percent(50)) {
                cycle();
            }
            return;
        }
        const u32 first = lun / kCeLuns * kCeLuns;
        const bool reset = model.has_operation(first) && model.operation(first).opcode == FLASH_OP_RESET;
        const bool blocked = reset || model.in_stations(lun) == stations_ || model.in_intake() != 0;
        const bool may_wait = alone && (model.in_intake() == 0 || model.reset_waits(lun));
        if (model.wanted(lun) == nullptr && more && (!blocked || (may_wait && random.percent(50)))) {
            goals_.see("comes during the RESET of its CE#", reset);
            goals_.see("behind a full LUN", blocked && !reset && !model.reset_waits());
            goals_.see("behind a RESET", model.reset_waits());
            push(FLASH_OP_READ, lun);
        }
    }
    void push_reset() { push(FLASH_OP_RESET, random.below(kChannelLuns)); }
    void push(u32 opcode, u32 lun)
    {
        const u32 tag = random.below(kTags);
        if (used_[tag]) {
            return;
        }
        flash_op op = random_unit_op(random, static_cast<u16>(tag), 24);
        op.opcode = opcode == FLASH_OP_RESET ? u8{FLASH_OP_RESET} : op.opcode;
        op.ce = static_cast<u8>(lun / kCeLuns);
        op.lun = static_cast<u8>(lun % kCeLuns);
        const bool fence = random.percent(20);
        const bool open = !fence || random.percent(50);
        op.flags = static_cast<u8>(random.below(4) | (fence ? FLASH_FLAG_FENCE : 0) |
                                   (random.percent(50) ? FLASH_FLAG_META : 0));
        used_[tag] = true;
        ops_[tag] = op;
        const u32 slot = lun_of(op);
        dut->push_head_i = static_cast<u16>(tag << 10 | slot << 8 | u32{op.opcode} << 5 |
                                            (op.flags & 3u) << 3 | (op.nplanes - 1u) << 1 | u32{fence});
        dut->push_open_i = fence ? open : random.percent(50);
        dut->push_mask_i = op.opcode == FLASH_OP_RESET ? 3u << slot : 1u << slot;
        dut->push_i = 1;
        cycle();
        dut->push_i = 0;
        model.push(op, open);
    }
    static u32 lun_of(const flash_op& op)
    {
        return op.ce * kCeLuns + (op.opcode == FLASH_OP_RESET ? 0u : op.lun);
    }

    // ---- one clock ----
    void cycle()
    {
        give_descriptor();
        answer_dependency();
        end_segment();
        dut->end_take_i = dut->end_valid_o && random.percent(40);
        goals_.see("end waits for its taker", dut->end_valid_o && !dut->end_take_i);
        dut.settle();
        const bool opened = dut->open_valid_i && dut->open_take_o;
        if (dut->end_take_i) {
            check_end();
        }
        const bool segment_before = dut->seg_valid_o;
        dut.edge();
        dut->seg_done_i = 0;
        if (opened) {
            dut->open_valid_i = 0;
        }
        if (dut->seg_valid_o && !segment_before) {
            check_segment();
            remaining_ = static_cast<int>(random.below(8));
        }
        for (const u32 tag : model.let_go) {
            used_[tag] = false;
        }
        model.let_go.clear();
    }
    /// The store: acknowledges after a while, the descriptor comes in the cycle after.
    void give_descriptor()
    {
        dut->desc_valid_i = dut->desc_ack_i;
        for (u32 w = 0; w < 14; ++w) { // a descriptor's words; the channel sees one plane of them
            dut->desc_i[w % 5] = static_cast<u32>(random.word()); // of somebody else
        }
        if (dut->desc_ack_i) {
            give_plane(ops_[asked_], dut->desc_plane_o);
        }
        dut->desc_abort_i = random.percent(10) && (aborts_ || !dut->desc_ack_i); // else it means nothing
        if (dut->desc_ack_i && dut->desc_abort_i) {
            abort(ops_[asked_]);
        }
        dut->desc_ack_i = dut->desc_req_o && random.percent(60);
        asked_ = dut->desc_tag_o;
    }
    /// The descriptor says so.
    void abort(const flash_op& op)
    {
        const Step step = *model.wanted(lun_of(op));
        const bool aborted = model.abort(lun_of(op));
        count_choices();
        goals_.see("READ is aborted before its command",
                   aborted && step.phase == Phase::Command && op.opcode == FLASH_OP_READ);
        goals_.see("a first burst out is left out", aborted && step.phase == Phase::DataOut && step.plane == 0);
        goals_.see("a later burst out is left out", aborted && step.phase == Phase::DataOut && step.plane != 0);
        goals_.see("PROGRAM is aborted", aborted && op.opcode == FLASH_OP_PROGRAM);
        goals_.see("ERASE is aborted", aborted && op.opcode == FLASH_OP_ERASE);
        goals_.see("RESET is not aborted", op.opcode == FLASH_OP_RESET);
        goals_.see("a later plane is not aborted", !aborted && step.plane != 0);
        goals_.see("a status read is not aborted", !aborted && step.phase == Phase::Status);
    }
    /// o3_pkg::seg_t, its last field first.
    void give_plane(const flash_op& op, u32 plane)
    {
        dut->desc_i[0] = op.oob == FLASH_NO_OOB ? FLASH_NO_OOB : op.oob + 16 * plane;
        dut->desc_i[1] = op.buf[plane];
        dut->desc_i[2] = op.row[plane];
        dut->desc_i[3] = u32{op.lun} << 24 | u32{op.flags} << 16 | u32{op.col[plane]} << 8 | op.len[plane];
        dut->desc_i[4] = u32{op.tag} << 16 | u32{op.opcode} << 8 | op.ce;
    }
    void answer_dependency()
    {
        dut->dep_done_i = 0;
        dut->dep_hit_i = random.percent(50);
        if (dut->dep_req_o && random.percent(25)) {
            dut->dep_done_i = 1;
            dut->dep_hit_i = depends_on(ops_[dut->dep_young_o], ops_[dut->dep_old_o], kPageBits);
        }
    }
    void end_segment()
    {
        if (remaining_ < 0 || remaining_-- > 0) {
            return;
        }
        const u32 lun = segment_lun_;
        const Step step = *model.wanted(lun);
        const u32 draw = random.below(8);
        const u32 status = step.phase != Phase::Status ? random.below(256)
                           : draw == 0 ? 0xffu : draw < 3 ? 0x61u : 0x60u;
        dut->seg_done_i = 1;
        dut->seg_status_i = static_cast<u8>(status);
        if (step.phase != Phase::DataOut && step.phase != Phase::Status) {
            const bool reset = model.operation(lun).opcode == FLASH_OP_RESET;
            dut->ready_i = static_cast<u8>(dut->ready_i & ~((reset ? 3u : 1u) << lun));
        }
        model.segment_over(lun, status);
        count_choices();
    }
    void check_segment()
    {
        const u32 lun = segment_lun_ = dut->seg_ce_o * kCeLuns +
                                       (dut->seg_opcode_o == FLASH_OP_RESET ? 0u : dut->seg_lun_o);
        ASSERT_LT(lun, kChannelLuns);
        const Step* const step = model.wanted(lun);
        ASSERT_NE(step, nullptr) << "LUN " << lun << " has nothing to do";
        const flash_op& op = model.operation(lun);
        ASSERT_EQ(dut->seg_tag_o, op.tag) << "another operation was due on LUN " << lun;
        ASSERT_EQ(dut->seg_phase_o, static_cast<u32>(step->phase));
        ASSERT_EQ(dut->seg_level_o, step->level);
        ASSERT_EQ(dut->seg_plane_o, step->level != 0 ? 0 : step->plane);
        EXPECT_TRUE((dut->ready_i >> lun & 1) || op.opcode == FLASH_OP_RESET)
            << "a segment for a LUN that is not ready";
        EXPECT_EQ(dut->seg_opcode_o, op.opcode);
        EXPECT_EQ(dut->seg_flags_o, op.flags);
        EXPECT_EQ(dut->seg_lun_o, op.lun);
        EXPECT_EQ(dut->seg_nplanes_o, op.opcode == FLASH_OP_RESET || step->level != 0 ? 1 : op.nplanes);
        EXPECT_EQ(dut->seg_row_o, op.row[step->plane]);
        EXPECT_EQ(dut->seg_buf_o, op.buf[step->plane]);
        EXPECT_EQ(dut->seg_col_o, op.col[step->plane]);
        EXPECT_EQ(dut->seg_len_o, op.len[step->plane]);
        EXPECT_EQ(dut->seg_oob_o, op.oob == FLASH_NO_OOB ? FLASH_NO_OOB : op.oob + 16u * step->plane);
        goals_.see("fourth plane's burst", step->phase == Phase::DataOut && step->plane == 3);
        goals_.see("fourth plane again", step->phase == Phase::DataOut && step->plane == 3 && step->level != 0);
        goals_.see("third level", step->phase == Phase::Feature && step->level == 3);
        goals_.see("the level goes back", step->phase == Phase::Feature && step->level == 0);
    }
    void check_end()
    {
        const auto end = std::find_if(model.ends.begin(), model.ends.end(),
                                      [&](const ChannelEnd& e) { return e.tag == dut->end_tag_o; });
        ASSERT_NE(end, model.ends.end()) << "tag " << u32{dut->end_tag_o} << " ends, and should not";
        for (auto before = model.ends.begin(); before != end; ++before) {
            ASSERT_NE(before->lun, end->lun) << "ends of one LUN in another order";
        }
        EXPECT_EQ(dut->end_status_o, end->status);
        EXPECT_EQ(dut->end_planes_o, end->planes);
        const u32 opcode = ops_[end->tag].opcode;
        goals_.see("RESET ends well", opcode == FLASH_OP_RESET && end->status == FLASH_STATUS_OK);
        goals_.see("FAIL", end->status == FLASH_STATUS_FAIL);
        goals_.see("a status byte of FFh", end->status == FLASH_STATUS_TIMEOUT && !model.lost(end->lun));
        used_[end->tag] = false;
        model.ends.erase(end);
    }
    void count_choices()
    {
        for (const ChannelModel::Choice& choice : model.choices) {
            goals_.see("the oldest was due", choice.by_age);
            goals_.see("a more urgent one went", choice.by_priority);
            goals_.see("had waited for its fence", choice.waited_for_fence);
            goals_.see("had waited for data", choice.waited_for_data);
            goals_.see("overtook an older one", choice.overtook);
        }
        model.choices.clear();
        for (u32 lun = 0; lun < kChannelLuns; ++lun) {
            for (const ChannelEnd& end : model.ends) {
                goals_.see("refused on a lost LUN",
                           model.lost(lun) && end.lun == lun && !model.has_operation(lun));
            }
        }
    }
    void run_until_quiet()
    {
        for (u32 n = 0; n < 2000; ++n) {
            cycle();
            if (testing::Test::HasFailure()) {
                return;
            }
            if (!dut->active_o && remaining_ < 0 && !dut->seg_valid_o && n > 2) {
                check_quiet();
                return;
            }
        }
        FAIL() << "the channel does not come to rest";
    }
    void check_quiet()
    {
        ASSERT_TRUE(model.ends.empty()) << "an end is missing, tag " << model.ends.front().tag;
        bool waits = false, held = false;
        for (u32 lun = 0; lun < kChannelLuns; ++lun) {
            held |= model.between_planes(lun);
        }
        for (u32 lun = 0; lun < kChannelLuns; ++lun) {
            const Step* const step = model.wanted(lun);
            const bool burst =
                step != nullptr && (step->phase == Phase::DataIn || step->phase == Phase::DataOut);
            ASSERT_TRUE(step == nullptr || (burst && held)) << "LUN " << lun << " still wants the bus";
            goals_.see("a burst waits for another LUN's next plane", burst);
            waits |= model.waits(lun);
            const bool taken = dut->taken_o >> lun & 1;
            ASSERT_TRUE(taken || !(model.has_operation(lun) || model.in_stations(lun) != 0));
        }
        ASSERT_EQ(dut->waiting_o, waits);
        ASSERT_TRUE(!model.empty() || dut->taken_o == 0);
    }

    Goals& goals_;
    u32 stations_;

public:
    ChannelModel model;

private:
    flash_op ops_[kTags] = {};
    bool used_[kTags] = {};
    int remaining_ = -1; ///< cycles of the segment under way; negative: none
    u32 segment_lun_ = 0;
    u32 asked_ = 0;
    /// An aborted operation leaves its LUN so soon that one from the intake may or may not have a station by then.
    bool aborts_ = false;
};

TEST(UnitChannel, IssuesAndEndsEveryOperationAsTheModelDoes)
{
    Goals goals({"the oldest was due", "a more urgent one went", "had waited for its fence",
                 "had waited for data", "overtook an older one", "behind a full LUN", "behind a RESET",
                 "comes during the RESET of its CE#",
                 "RESET ends well", "RESET is given up", "LUN is given up", "refused on a lost LUN",
                 "R/B# rises late", "FAIL", "a status byte of FFh", "sweep that gives nothing up",
                 "fence opens for RESET", "all LUNs wait", "fourth plane's burst",
                 "READ is aborted before its command", "a first burst out is left out",
                 "a later burst out is left out", "PROGRAM is aborted", "ERASE is aborted", "RESET is not aborted",
                 "a later plane is not aborted", "a status read is not aborted",
                 "end waits for its taker", "fourth plane again", "third level", "the level goes back",
                 "a verdict while others of the LUN wait", "a burst waits for another LUN's next plane"});
    for (u64 seed = 0; seed < 30; ++seed) {
        ChannelBench bench(seed, goals);
        for (u32 n = 0; n < 3000 && !testing::Test::HasFailure(); ++n) {
            bench.round(n % 1000 < 800);
        }
        for (u32 n = 0; n < 2000 && !bench.empty() && !testing::Test::HasFailure(); ++n) {
            bench.round(false);
        }
        EXPECT_TRUE(bench.empty()) << "seed " << seed << ": what is inside does not end";
    }
    goals.expect_met();
}

} // namespace
} // namespace tlmssd::tb
