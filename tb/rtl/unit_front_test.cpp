// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: o3_front beside a queue of operations and the rules of docs/explanation/rtl-o3.md: every field of the head,
// what is refused, tags in use, the two modes in order, back-pressure. In any geometry, also one that is not built.
// How many cycles an operation takes is not asked here (tb/rtl/o3_rtl_directed_test.cpp), only a bound.
#include <cstring>
#include <deque>
#include <set>
#include <string>

#include <VUnitFront.h>
#include <VUnitFrontTwo.h>

#include "firmware/hal/flash_op.h"
#include "tb/rtl/unit_bench.h"

namespace tlmssd::tb {
namespace {

constexpr u32 kTags = 16;
constexpr u32 kDepth = 4;
constexpr u32 kBound = 8; ///< cycles in which a head that may go has gone

/// What is built: CHANNELS, LUNS of a channel.
template <class Top>
struct Shape;
template <>
struct Shape<VUnitFront> {
    static constexpr u32 kChannels = 3, kLuns = 4, kLunBits = 2;
};
template <>
struct Shape<VUnitFrontTwo> {
    static constexpr u32 kChannels = 1, kLuns = 2, kLunBits = 1;
};

struct Op {
    flash_op op{};
    bool window = false;
    std::set<std::string> wrong; ///< why it is refused, whatever its tag
};

template <class Top>
class FrontBench {
public:
    static constexpr u32 kChannels = Shape<Top>::kChannels;
    static constexpr u32 kLuns = Shape<Top>::kLuns;

    FrontBench(u64 seed, Goals& goals) : random_(seed), goals_(goals)
    {
        dut_->op_valid_i = dut_->bad_take_i = dut_->ready_i = 0;
        configure();
        drive();
        dut_.reset();
        dut_.edge(); // it is ready from the edge after the reset on
    }
    /// Registers and straps change where no operation is outstanding.
    void configure()
    {
        ooo_ = random_.percent(50);
        serial_ = !ooo_ && random_.percent(40);
        suspend_ = random_.below(4);
        // Half of the geometries are those that are built.
        const bool fits = random_.percent(50);
        shift_ = fits ? random_.below(Shape<Top>::kLunBits + 1) : random_.below(4);
        luns_ = fits ? 1u << shift_ : random_.below(6);
        ces_ = fits ? kLuns >> shift_ : random_.below(kLuns + 3);
        channels_ = fits ? kChannels : random_.below(kChannels + 2);
        dut_->ooo_i = ooo_;
        dut_->serial_i = serial_;
        dut_->suspend_i = static_cast<u8>(suspend_);
        dut_->channels_i = static_cast<u8>(channels_);
        dut_->ces_i = static_cast<u8>(ces_);
        dut_->luns_i = static_cast<u8>(luns_);
        dut_->lun_shift_i = static_cast<u8>(shift_);
    }
    /// `more`: further operations come; else all is let through.
    void cycle(bool more)
    {
        dut_->op_valid_i = more && random_.percent(crowd_ ? 95 : 40);
        if (dut_->op_valid_i) {
            next_ = draw();
            put(next_);
        }
        dut_->ready_i = !more || random_.percent(70);
        drive();
        dut_.settle();
        dut_->bad_take_i = dut_->bad_o && (!more || random_.percent(60));
        drive();
        dut_.settle();
        check();
        edge(dut_->op_valid_i && dut_->op_ready_o);
        release(more);
        if (random_.percent(2)) {
            crowd_ = !crowd_;
        }
    }
    bool empty() const { return queue_.empty() && used_.empty(); }

private:
    static u32 index_of(const flash_op& op, u32 shift)
    {
        return u32{op.ce} << shift | (op.opcode == FLASH_OP_RESET ? 0u : op.lun);
    }
    /// Every bound of docs/explanation/rtl-o3.md, "What is refused", that the operation is outside of.
    std::set<std::string> wrong(const flash_op& op) const
    {
        std::set<std::string> why;
        const auto not_if = [&why](bool bad, const char* name) {
            if (bad) {
                why.insert(name);
            }
        };
        not_if(op.opcode < FLASH_OP_READ || op.opcode > FLASH_OP_RESET, "opcode");
        not_if(op.channel >= channels_, "channel");
        not_if(op.channel >= kChannels, "channel not built");
        not_if(op.ce >= ces_, "CE#");
        not_if(op.lun >= luns_, "LUN");
        not_if((u32{op.ce} << shift_) + op.lun >= kLuns, "place not built");
        not_if(luns_ > 1u << shift_, "LUNs that the index confuses");
        not_if(luns_ > 4, "more than 4 LUNs");
        not_if(op.nplanes == 0, "no plane");
        not_if(op.nplanes > FLASH_MAX_PLANES, "too many planes");
        return why;
    }
    Op draw()
    {
        Op o;
        u8* bytes = reinterpret_cast<u8*>(&o.op); // every bit of it, then the fields that have a meaning
        for (u32 i = 0; i < sizeof(o.op); ++i) {
            bytes[i] = static_cast<u8>(random_.word());
        }
        o.op.tag = static_cast<u16>(random_.percent(95) ? random_.below(kTags) : kTags + random_.below(65536 - kTags));
        o.op.opcode = static_cast<u8>(1 + random_.below(4));
        o.op.channel = static_cast<u8>(random_.below(kChannels));
        o.op.ce = static_cast<u8>(ces_ == 0 ? 0 : random_.below(ces_));
        o.op.lun = static_cast<u8>(luns_ == 0 ? 0 : random_.below(luns_));
        o.op.nplanes = static_cast<u8>(1 + random_.below(4));
        o.op.stream = static_cast<u16>(random_.percent(25) ? FLASH_NO_STREAM : random_.below(4));
        if (random_.percent(20)) { // one field beside its bound, or far from it
            const auto beside = [this](u32 bound) {
                return static_cast<u8>(random_.percent(70) ? bound + random_.below(2) : random_.word());
            };
            switch (random_.below(5)) {
            case 0: o.op.opcode = random_.percent(30) ? u8{0} : beside(FLASH_OP_RESET); break;
            case 1: o.op.channel = beside(random_.percent(50) ? channels_ : kChannels); break;
            case 2: o.op.ce = beside(random_.percent(50) ? ces_ : kLuns >> shift_); break;
            case 3: o.op.lun = beside(luns_); break;
            default: o.op.nplanes = random_.percent(30) ? u8{0} : beside(FLASH_MAX_PLANES); break;
            }
        }
        o.window = random_.percent(50);
        o.wrong = wrong(o.op);
        return o;
    }
    void put(const Op& o)
    {
        u32 words[16];
        std::memcpy(words, &o.op, sizeof(words));
        for (u32 i = 0; i < 16; ++i) {
            dut_->op_i[i] = words[i];
        }
        dut_->op_window_i = o.window;
    }
    /// What the head meets.
    void drive()
    {
        u32 streams = 0, taken = 0;
        for (u32 tag : used_) {
            streams |= outstanding_[tag].alone ? 0 : 1u << outstanding_[tag].stream;
            taken |= outstanding_[tag].mask << (outstanding_[tag].channel * kLuns);
        }
        dut_->outstanding_i = !used_.empty();
        // Streams 0 to 3, and 63, which is FLASH_NO_STREAM in order.
        dut_->streams_i = (u64{streams} & 0xf) | u64{(streams >> 4) & 1} << 63;
        dut_->taken_i = static_cast<std::decay_t<decltype(dut_->taken_i)>>(taken);
        dut_->free_i = dut_->tag_o < kTags && used_.count(dut_->tag_o) == 0;
    }
    u32 mask(const flash_op& op) const
    {
        u32 all = 0;
        for (u32 lun = 0; lun < luns_ && op.opcode == FLASH_OP_RESET; ++lun) {
            all |= 1u << ((u32{op.ce} << shift_) + lun);
        }
        return (op.opcode == FLASH_OP_RESET ? all : 1u << index_of(op, shift_)) & ((1u << kLuns) - 1);
    }
    bool alone(const flash_op& op) const { return ooo_ && op.stream == FLASH_NO_STREAM; }
    bool fence(const flash_op& op) const { return !alone(op) && (op.flags & FLASH_FLAG_FENCE) != 0; }
    bool tag_free(const flash_op& op) const { return op.tag < kTags && used_.count(op.tag) == 0; }
    u32 stream_bit(const flash_op& op) const { return (op.stream & 63) == 63 ? 4u : op.stream & 63u; }
    /// In order: what the head has to wait for.
    std::set<std::string> waits_for(const flash_op& op) const
    {
        std::set<std::string> why;
        for (u32 tag : used_) {
            const Outstanding& o = outstanding_[tag];
            if (ooo_) {
                continue;
            }
            if (o.channel == op.channel && (o.mask & mask(op)) != 0) {
                why.insert(op.opcode == FLASH_OP_RESET ? "CE# taken" : "LUN taken");
            }
            if (fence(op) && o.stream == stream_bit(op)) {
                why.insert("fence");
            }
            if (serial_) {
                why.insert("serial");
            }
        }
        return why;
    }
    void check()
    {
        ASSERT_FALSE(dut_->fire_o && dut_->bad_o);
        ASSERT_EQ(dut_->empty_o != 0, queue_.empty());
        if (queue_.size() <= kDepth - 1 && before_ <= kDepth - 1) {
            ASSERT_TRUE(dut_->op_ready_o) << "it has space";
        }
        ASSERT_FALSE(dut_->op_ready_o && queue_.size() > kDepth) << "it takes more than it has space for";
        goals_.see("full", !dut_->op_ready_o && dut_->op_valid_i);
        if (queue_.empty()) {
            ASSERT_FALSE(dut_->fire_o || dut_->bad_o) << "an operation of nothing";
            ASSERT_FALSE(dut_->coming_o) << "nothing comes";
            return;
        }
        const Op& head = queue_.front();
        const bool free = tag_free(head.op);
        was_used_ = was_used_ || !free;
        was_free_ = was_free_ || free;
        const std::set<std::string> waits = head.wrong.empty() ? waits_for(head.op) : std::set<std::string>();
        // It gets on.
        const bool may = !head.wrong.empty() || (waits.empty() && ready_before_);
        since_ = may && !dut_->bad_o ? since_ + 1 : 0;
        held_ = !ooo_ && head.wrong.empty() && !was_used_ && !waits.empty() ? held_ + 1 : 0;
        ASSERT_LT(since_, kBound) << "the head does not get on";
        if (held_ > kBound) {
            ASSERT_FALSE(dut_->coming_o) << "a head that is held does not come";
            ASSERT_EQ(dut_->fenced_o != 0, fence(head.op));
            ASSERT_FALSE(dut_->fire_o);
            goals_.see("held " + *waits.begin(), waits.size() == 1);
        }
        ASSERT_FALSE(dut_->fenced_o && !fence(head.op));
        ASSERT_TRUE(dut_->bad_o || !bad_before_) << "what is refused stays so until it is taken";
        if (dut_->bad_o) {
            ASSERT_TRUE(!head.wrong.empty() || was_used_) << "a legal operation is refused";
            check_ids(head);
            if (head.wrong.size() == 1) {
                goals_.see("refused: " + *head.wrong.begin());
            }
            goals_.see("refused: tag in use", head.wrong.empty() && head.op.tag < kTags);
            goals_.see("refused: tag not built", head.wrong.empty() && head.op.tag >= kTags);
            goals_.see("refused one waits", !dut_->bad_take_i);
        }
        if (dut_->fire_o) {
            ASSERT_TRUE(head.wrong.empty()) << "refused as " << *head.wrong.begin();
            ASSERT_TRUE(free) << "its tag is in use";
            ASSERT_TRUE(waits.empty()) << "it waits: " << *waits.begin();
            ASSERT_TRUE(ready_before_) << "it goes in the cycle after ready_i";
            ASSERT_TRUE(coming_before_ || ooo_) << "it comes without a notice";
            ASSERT_FALSE(dut_->fenced_o && !ooo_) << "it waits no more";
            check_ids(head);
            check_fields(head.op);
        }
    }
    void check_ids(const Op& head)
    {
        ASSERT_EQ(dut_->cookie_o, u64{head.window} << 32 | head.op.cookie);
        ASSERT_EQ(dut_->tag_o, head.op.tag);
    }
    void check_fields(const flash_op& op)
    {
        u32 words[16];
        std::memcpy(words, &op, sizeof(words));
        for (u32 i = 0; i < 14; ++i) { // up to the cookie
            ASSERT_EQ(dut_->desc_o[i], words[i]) << "word " << i;
        }
        const bool suspendable = ooo_ && (op.flags & FLASH_FLAG_SUSPENDABLE) != 0 &&
                                 ((op.opcode == FLASH_OP_ERASE && (suspend_ & 1) != 0) ||
                                  (op.opcode == FLASH_OP_PROGRAM && (suspend_ & 2) != 0));
        const u32 lun = index_of(op, shift_);
        ASSERT_EQ(dut_->stream_o, op.stream & 63);
        ASSERT_EQ(dut_->channel_o, op.channel);
        ASSERT_EQ(dut_->lun_o, lun);
        ASSERT_EQ(dut_->mask_o, mask(op));
        ASSERT_EQ(dut_->alone_o != 0, alone(op));
        ASSERT_EQ(dut_->fence_o != 0, fence(op));
        u32 head = suspendable;
        head = head << 4 | op.tag;
        head = head << Shape<Top>::kLunBits | lun;
        head = head << 3 | op.opcode;
        head = head << 2 | (op.flags & FLASH_FLAG_PRIORITY_MASK);
        head = head << 2 | (op.nplanes - 1u);
        head = head << 1 | u32{fence(op)};
        ASSERT_EQ(dut_->head_o, head);
        goals_.see("suspendable erase", suspendable && op.opcode == FLASH_OP_ERASE);
        goals_.see("suspendable program", suspendable && op.opcode == FLASH_OP_PROGRAM);
        goals_.see("alone", alone(op));
        goals_.see("fence", fence(op));
        goals_.see("in order, fence", fence(op) && !ooo_);
        goals_.see("last channel", op.channel == kChannels - 1);
        goals_.see("last LUN built", lun == kLuns - 1);
        goals_.see("4 planes", op.nplanes == 4);
        goals_.see("RESET of several LUNs", op.opcode == FLASH_OP_RESET && __builtin_popcount(mask(op)) > 1);
        goals_.see("window", (dut_->cookie_o >> 32) != 0);
    }
    void edge(bool push)
    {
        const bool fire = dut_->fire_o, pop = fire || dut_->bad_take_i;
        const bool quiet = !dut_->active_o && !push;
        const u32 outputs = visible();
        before_ = queue_.size();
        ready_before_ = dut_->ready_i;
        coming_before_ = dut_->coming_o;
        bad_before_ = dut_->bad_o && !dut_->bad_take_i;
        dut_.edge();
        if (quiet) {
            ASSERT_FALSE(pop);
            ASSERT_EQ(visible(), outputs) << "the edge changes something, and active_o is low";
        }
        goals_.see("quiet with a head", quiet && !queue_.empty());
        if (pop && !queue_.empty()) {
            const flash_op op = queue_.front().op;
            if (fire) {
                used_.insert(op.tag);
                outstanding_[op.tag] = {op.channel, mask(op), stream_bit(op), alone(op)};
            }
            queue_.pop_front();
            was_used_ = was_free_ = false;
            since_ = held_ = 0;
        }
        if (push) {
            queue_.push_back(next_);
        }
    }
    u32 visible()
    {
        return u32{dut_->op_ready_o} | u32{dut_->fire_o} << 1 | u32{dut_->bad_o} << 2 | u32{dut_->coming_o} << 3 |
               u32{dut_->fenced_o} << 4 | u32{dut_->empty_o} << 5 | u32{dut_->active_o} << 6;
    }
    /// Operations end: often, or seldom, so that a head is held for long.
    void release(bool more)
    {
        if (!used_.empty() && random_.percent(!more ? 50 : crowd_ ? 5 : 30)) {
            auto it = used_.begin();
            std::advance(it, random_.below(used_.size()));
            used_.erase(it);
        }
    }

    struct Outstanding {
        u32 channel = 0, mask = 0, stream = 0;
        bool alone = false;
    };
    Random random_;
    Goals& goals_;
    ClockedDut<Top> dut_;
    bool ooo_ = true, serial_ = false, crowd_ = false;
    u32 suspend_ = 0, channels_ = 0, ces_ = 0, luns_ = 0, shift_ = 0;
    std::deque<Op> queue_; ///< taken, and neither gone nor refused
    Op next_;
    std::set<u32> used_; ///< tags
    Outstanding outstanding_[kTags];
    bool was_used_ = false, was_free_ = false; ///< the head's tag, while it was the head
    bool ready_before_ = false, coming_before_ = false, bad_before_ = false;
    std::size_t before_ = 0; ///< length of the queue a cycle ago
    u32 since_ = 0;          ///< cycles in which the head may go
    u32 held_ = 0;           ///< cycles in which it may not, in order
};

template <class Top>
void run(Goals& goals, u64 seeds)
{
    for (u64 seed = 0; seed < seeds; ++seed) {
        FrontBench<Top> bench(seed, goals);
        for (u32 part = 0; part < 12; ++part) {
            for (u32 n = 0; n < 400 && !testing::Test::HasFailure(); ++n) {
                bench.cycle(true);
            }
            for (u32 n = 0; n < 400 && !bench.empty() && !testing::Test::HasFailure(); ++n) {
                bench.cycle(false);
            }
            ASSERT_TRUE(bench.empty()) << "an operation is left, seed " << seed;
            bench.configure();
        }
    }
    goals.expect_met(5);
}

const std::vector<std::string> kGoals = {
    "full", "held LUN taken", "held CE# taken", "held fence", "held serial", "quiet with a head",
    "refused: opcode", "refused: channel", "refused: CE#", "refused: LUN", "refused: place not built",
    "refused: LUNs that the index confuses", "refused: no plane", "refused: too many planes", "refused: tag in use",
    "refused: tag not built", "refused: channel not built", "refused one waits", "suspendable erase",
    "suspendable program", "alone", "fence", "in order, fence", "last channel", "last LUN built", "4 planes",
    "RESET of several LUNs", "window"};

TEST(UnitFront, LetsThroughWhatIsLegalInOrderAndRefusesTheRest)
{
    std::vector<std::string> names = kGoals;
    names.push_back("refused: more than 4 LUNs");
    Goals goals(names);
    run<VUnitFront>(goals, 60);
}

TEST(UnitFront, OfTwoLunsRefusesAThirdWhateverTheStrapsSay)
{
    Goals goals(kGoals);
    goals.allow({"refused: more than 4 LUNs"});
    run<VUnitFrontTwo>(goals, 60);
}

} // namespace
} // namespace tlmssd::tb
