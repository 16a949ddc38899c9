// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: plain model of one channel of the out-of-order controller.
#include "tb/rtl/channel_model.h"

#include <algorithm>

#include "tb/rtl/unit_ops.h"

namespace tlmssd::tb {

using flash::Phase;

void ChannelModel::push(const flash_op& op, bool open)
{
    Item item;
    item.op = op;
    item.open = open;
    item.was_closed = !open;
    item.since = now_;
    intake_.push_back(item);
    run();
}

void ChannelModel::open(u32 tag)
{
    for (Item& item : intake_) {
        item.open |= item.op.tag == tag;
    }
    for (Lun& lun : luns_) {
        for (Item& item : lun.stations) {
            item.open |= item.op.tag == tag;
        }
    }
    run();
}

std::vector<u32> ChannelModel::closed() const
{
    std::vector<u32> tags;
    for (const Item& item : intake_) {
        if (!item.open) {
            tags.push_back(item.op.tag);
        }
    }
    for (const Lun& lun : luns_) {
        for (const Item& item : lun.stations) {
            if (!item.open) {
                tags.push_back(item.op.tag);
            }
        }
    }
    return tags;
}

bool ChannelModel::empty() const
{
    return intake_.empty() && std::all_of(std::begin(luns_), std::end(luns_), [](const Lun& lun) {
               return !lun.busy && lun.stations.empty();
           });
}

/// LUNs first, then the intake: a station must be free before somebody comes into it.
void ChannelModel::run()
{
    for (bool more = true; more;) {
        more = false;
        for (u32 lun = 0; lun < kChannelLuns; ++lun) {
            more |= issue(lun);
        }
        more = take_in() || more;
    }
}

bool ChannelModel::take_in()
{
    if (intake_.empty()) {
        return false;
    }
    Item head = intake_.front();
    const u32 lun = lun_of(head.op);
    if (head.op.opcode == FLASH_OP_RESET) {
        for (u32 l = lun; l < lun + kCeLuns; ++l) {
            if (luns_[l].busy || !luns_[l].stations.empty()) {
                return false;
            }
        }
        if (!head.open) {
            return false;
        }
        intake_.pop_front();
        for (u32 l = lun; l < lun + kCeLuns; ++l) {
            luns_[l].busy = true;
        }
        begin(lun, head.op);
        return true;
    }
    std::vector<Item>& stations = luns_[lun].stations;
    if (stations.size() == stations_) {
        return false;
    }
    intake_.pop_front();
    for (const Item& older : stations) {
        if (depends_on(head.op, older.op, page_bits_)) {
            head.after.push_back(older.op.tag);
            head.had_after = true;
        }
    }
    stations.push_back(head);
    return true;
}

/// docs/explanation/o3.md, "The rule inside a LUN".
bool ChannelModel::issue(u32 index)
{
    Lun& lun = luns_[index];
    if (lun.busy) {
        return false;
    }
    int oldest = -1, urgent = -1;
    for (int i = 0; i < int(lun.stations.size()); ++i) {
        const Item& item = lun.stations[static_cast<std::size_t>(i)];
        if (!item.open || !item.after.empty()) {
            continue;
        }
        const auto priority = [&](int n) {
            return lun.stations[static_cast<std::size_t>(n)].op.flags & FLASH_FLAG_PRIORITY_MASK;
        };
        oldest = oldest < 0 ? i : oldest;
        urgent = urgent < 0 || priority(i) > priority(urgent) ? i : urgent;
    }
    if (oldest < 0) {
        return false;
    }
    const bool due = now_ - lun.stations[static_cast<std::size_t>(oldest)].since >= age_limit_;
    const int n = due ? oldest : urgent;
    const Item item = lun.stations[static_cast<std::size_t>(n)];
    choices.push_back({due && oldest != urgent, !due && oldest != urgent, item.was_closed,
                       item.had_after, n != 0});
    lun.stations.erase(lun.stations.begin() + n);
    for (Item& other : lun.stations) {
        std::vector<u32>& after = other.after;
        after.erase(std::remove(after.begin(), after.end(), item.op.tag), after.end());
    }
    if (lun.lost) {
        ends.push_back({index, item.op.tag, FLASH_STATUS_TIMEOUT, (1u << item.op.nplanes) - 1});
        return true;
    }
    lun.busy = true;
    begin(index, item.op);
    return true;
}

void ChannelModel::begin(u32 lun, const flash_op& op)
{
    luns_[lun].op = op;
    luns_[lun].plan = plan_of(op);
    luns_[lun].step = 0;
    luns_[lun].bus = true;
    luns_[lun].lost_planes = 0;
    if (luns_[lun].raised && op.opcode != FLASH_OP_RESET) {
        luns_[lun].raised = false;
        luns_[lun].plan.insert(luns_[lun].plan.begin(), Step{Phase::Feature, 0, 0});
    }
}

const Step* ChannelModel::wanted(u32 lun) const
{
    return luns_[lun].bus ? &luns_[lun].plan[luns_[lun].step] : nullptr;
}

void ChannelModel::wait(u32 lun)
{
    luns_[lun].waits = true;
    luns_[lun].marked = false;
}

void ChannelModel::segment_over(u32 index, u32 status)
{
    Lun& lun = luns_[index];
    const Step step = lun.plan[lun.step];
    const Phase phase = step.phase;
    ++lun.step;
    if (phase == Phase::DataOut) {
        lun.bus = lun.step < lun.plan.size();
        lun.lost_planes |= (status & 1) << step.plane;
        if (!lun.bus && lun.lost_planes != 0 && step.level < retries_) {
            lun.judges = true;
        } else if (!lun.bus) {
            end(index, FLASH_STATUS_OK, false);
        }
    } else if (phase == Phase::Status) {
        lun.bus = false;
        end(index,
            status == 0xff        ? FLASH_STATUS_TIMEOUT
            : (status & 1) != 0 ? FLASH_STATUS_FAIL
                                : FLASH_STATUS_OK,
            true);
    } else {
        lun.bus = false;
        lun.is_ready = false;
        wait(index);
        if (lun.op.opcode == FLASH_OP_RESET) {
            reset_at_[index / kCeLuns] = static_cast<int>(index);
            for (u32 l = index; l < index + kCeLuns; ++l) {
                luns_[l].is_ready = false;
            }
        }
    }
    run();
}

/// docs/explanation/rtl-o3-aborts.md: before its first segment, before a plane is read again, and before a burst out.
bool ChannelModel::abort(u32 index)
{
    const Lun& lun = luns_[index];
    const Step& step = lun.plan[lun.step];
    const bool begins = (step.phase == Phase::Command || step.phase == Phase::DataIn) && (step.plane == 0 || step.level != 0);
    if (lun.op.opcode == FLASH_OP_RESET || !(begins || step.phase == Phase::DataOut)) {
        return false;
    }
    end(index, FLASH_STATUS_ABORTED, true);
    run();
    return true;
}

void ChannelModel::verdict(u32 index)
{
    Lun& lun = luns_[index];
    lun.plan = retry_of(lun.lost_planes, static_cast<u8>(lun.plan[lun.step - 1].level + 1));
    lun.step = 0;
    lun.bus = true;
    lun.judges = false;
    lun.lost_planes = 0;
    lun.raised = true;
    run();
}

void ChannelModel::end(u32 index, u32 status, bool tell)
{
    Lun& lun = luns_[index];
    if (tell) {
        const u32 planes = status == FLASH_STATUS_OK ? 0 : (1u << lun.op.nplanes) - 1;
        ends.push_back({index, lun.op.tag, status, planes});
    } else {
        let_go.push_back(lun.op.tag);
    }
    lun.busy = lun.bus = lun.waits = false;
}

void ChannelModel::end_reset(u32 at, u32 status)
{
    const u32 first = at / kCeLuns * kCeLuns;
    ends.push_back({first, luns_[first].op.tag, status, status == FLASH_STATUS_OK ? 0u : 1u});
    reset_at_[at / kCeLuns] = -1;
    luns_[at].waits = false;
    for (u32 l = first; l < first + kCeLuns; ++l) {
        luns_[l].busy = false;
        luns_[l].lost = status != FLASH_STATUS_OK && (luns_[l].lost || !luns_[l].is_ready);
    }
}

/// A LUN that is waited for is ready.
void ChannelModel::risen(u32 index)
{
    Lun& lun = luns_[index];
    int& reset = reset_at_[index / kCeLuns];
    if (reset == static_cast<int>(index)) {
        lun.waits = false;
        if (index % kCeLuns + 1 == kCeLuns) {
            end_reset(index, FLASH_STATUS_OK);
        } else {
            reset = static_cast<int>(index) + 1;
            wait(index + 1);
            if (luns_[index + 1].is_ready) {
                risen(index + 1);
            }
        }
        return;
    }
    lun.waits = false;
    lun.bus = true;
}

void ChannelModel::ready(u32 lun)
{
    luns_[lun].is_ready = true;
    luns_[lun].lost = false;
    if (luns_[lun].waits) {
        risen(lun);
    }
    run();
}

/// A LUN that has waited since the last sweep does not answer.
void ChannelModel::sweep()
{
    for (u32 l = 0; l < kChannelLuns; ++l) {
        Lun& lun = luns_[l];
        if (!lun.waits) {
            continue;
        }
        if (!lun.marked) {
            lun.marked = true;
            continue;
        }
        lun.lost = true;
        if (reset_at_[l / kCeLuns] == static_cast<int>(l)) {
            end_reset(l, FLASH_STATUS_TIMEOUT);
        } else {
            end(l, FLASH_STATUS_TIMEOUT, true);
        }
    }
    run();
}

} // namespace tlmssd::tb
