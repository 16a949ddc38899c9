// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the list of the slowest requests and their causes in words.
#include "models/probes/stages/slowest_requests.h"

#include <algorithm>
#include <cmath>

#include "firmware/core/fw.h"
#include "models/nvme/pcie.h"
#include "models/observe/output/format.h"
#include "models/sata/link.h"

namespace tlmssd::probes {

using observe::Stage;

namespace {

/// a is to stay rather than b.
bool worse(const WorstRequest& a, const WorstRequest& b)
{
    return a.latency() != b.latency() ? b.latency() < a.latency() : a.order < b.order;
}

std::string times_in_words(u32 count)
{
    return count == 1 ? "once" : count == 2 ? "twice" : std::to_string(count) + " times";
}

/// Words for the largest stage of one request.
class Cause {
public:
    Cause(const WorstRequest& request, const CauseDevice& device)
        : r_(request), f_(request.facts), device_(device)
    {
        const auto& times = r_.times;
        stage_ = static_cast<Stage>(std::max_element(times.begin(), times.end()) - times.begin());
        time_ = Picoseconds(times[static_cast<std::size_t>(stage_)]);
        const u64 latency = r_.latency().value();
        const double share = latency == 0 ? 0.0
                                          : 100 * static_cast<double>(time_.value()) /
                                                static_cast<double>(latency);
        took_ = time_in_words(time_) + " (" + observe::fixed(share, 0) + " %)";
    }

    std::string text() const
    {
        std::string words = of_stage();
        if (f_.failures != 0) {
            words += "; its flash operation failed " + times_in_words(f_.failures);
        }
        if (f_.retries != 0) {
            words += "; its page was read again " + times_in_words(f_.retries) + " (read retry)";
        }
        return words;
    }

private:
    std::string waited(const std::string& what) const { return "waited " + took_ + " " + what; }
    std::string die(u32 number) const { return "die " + die_name(device_.geometry, number); }
    std::string channel_of_die() const
    {
        return "channel " + std::to_string(f_.op_die / device_.geometry.dies_per_channel());
    }

    std::string of_stage() const
    {
        switch (stage_) {
        case Stage::Link:
            return link();
        case Stage::Hil:
            return hil();
        case Stage::Buffer:
            return buffer();
        case Stage::Ftl:
            return f_.parked ? waited("for a free block, until garbage collection had made room")
                             : waited("for the flash translation layer and its core");
        case Stage::Sched:
            return waited(std::string("in the queue of scheduler ") +
                          config::to_string(device_.scheduler));
        case Stage::WaitDie:
            return wait_die();
        case Stage::WaitBus:
            return wait_bus();
        case Stage::Cell:
            return (f_.programmed ? "programming " : "reading ") + die(f_.op_die) + " took " +
                   took_ + " of array time";
        case Stage::Transfer:
            return "its page took " + took_ + " on " + channel_of_die();
        case Stage::Dram:
            return "DMA, ECC and copies in DRAM took " + took_;
        }
        return "";
    }

    std::string link() const
    {
        if (device_.host == config::HostKind::Nvme) {
            return nvme_link();
        }
        if (device_.host != config::HostKind::Sata) {
            return waited("for the host");
        }
        Picoseconds own; // data frames of at most 8 KiB
        for (u32 left = r_.command.sectors; left != 0;) {
            const u32 sectors = std::min(left, sata::kMaxDataBytes / 512);
            own += sata::frame_time(device_.sata, sata::kDataHeaderDwords + sectors * 128);
            left -= sectors;
        }
        return "spent " + took_ + " on the link, of which its own data needed " +
               time_in_words(own) + (2 * own < time_ ? "; frames of other commands went first" : "");
    }

    std::string nvme_link() const
    {
        const double own = double{512} * r_.command.sectors * nvme::byte_ps(device_.pcie);
        return "spent " + took_ + " in its submission queue and on the link, of which its own data needed " +
               time_in_words(Picoseconds(static_cast<u64>(own)));
    }

    std::string hil() const
    {
        switch (f_.held) {
        case FW_HELD_BY_FLUSH:
            return waited("behind a FLUSH");
        case FW_HELD_BY_OVERLAP:
            return waited("for an earlier command that touches the same pages");
        case FW_HELD_BY_PAGES:
            return waited("in the host interface layer, which had as many pages under way as "
                          "there are page buffers");
        default:
            return waited("for the host interface layer and its core");
        }
    }

    std::string buffer() const
    {
        if (time_ < 2 * f_.no_line) {
            return waited("for a page buffer: all were in use or on their way to flash");
        }
        return waited("in the buffer, where another request used its page, or for the core");
    }

    std::string wait_die() const
    {
        if (f_.die.time == Picoseconds()) {
            return waited("for its die, several times for a little while");
        }
        const std::string name = die(f_.die.where);
        switch (f_.die.use) {
        case Use::HostRead:
            return waited("for " + name + ", which was reading for the host");
        case Use::HostProgram:
            return waited("for " + name + ", which was programming for the host");
        case Use::GcRead:
            return waited("for " + name + ", which was reading for garbage collection");
        case Use::GcProgram:
            return waited("for " + name + ", which was programming for garbage collection");
        case Use::GcErase:
            return waited("for " + name + ", which was erasing for garbage collection");
        case Use::Other:
            return waited("for " + name + ", which was busy with a reset");
        case Use::Free:
            break;
        }
        return waited("behind earlier operations in the flash controller's queue while " + name +
                      " was free");
    }

    std::string wait_bus() const
    {
        if (f_.bus.time == Picoseconds()) {
            return waited("for its channel, several times for a little while");
        }
        const std::string name = "channel " + std::to_string(f_.bus.where);
        switch (f_.bus.use) {
        case Use::HostRead:
            return waited("for " + name + ", which carried pages read for the host");
        case Use::HostProgram:
            return waited("for " + name + ", which carried pages that the host had written");
        case Use::GcRead:
        case Use::GcProgram:
        case Use::GcErase:
            return waited("for " + name + ", which carried pages of garbage collection");
        case Use::Other:
            return waited("for " + name + ", which carried commands and status of other dies");
        case Use::Free:
            break;
        }
        return waited("for " + name + " although nothing was on it: DRAM or the controller held "
                                      "it back");
    }

    const WorstRequest& r_;
    const Facts& f_;
    const CauseDevice& device_;
    Stage stage_ = Stage::Link;
    Picoseconds time_;
    std::string took_;
};

} // namespace

void WorstList::insert(const host::RequestRecord& request, const EndedStages& stages)
{
    if (heap_.size() == kMost) {
        std::pop_heap(heap_.begin(), heap_.end(), worse);
        heap_.pop_back();
    }
    WorstRequest& w = heap_.emplace_back();
    w.command = request.command;
    w.job = request.job;
    w.arrival = request.arrival;
    w.issued = request.issued;
    w.ended = request.ended;
    w.times = stages.times;
    w.facts = stages.facts;
    w.flash_ops = stages.flash_ops;
    w.hit = stages.hit;
    w.order = order_;
    std::push_heap(heap_.begin(), heap_.end(), worse);
}

std::vector<WorstRequest> WorstList::sorted() const
{
    std::vector<WorstRequest> all = heap_;
    std::sort(all.begin(), all.end(), worse);
    return all;
}

std::string cause_of(const WorstRequest& request, const CauseDevice& device)
{
    return Cause(request, device).text();
}

std::string time_in_words(Picoseconds time)
{
    static constexpr struct {
        double ps;
        const char* name;
    } kUnits[] = {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}};
    const double ps = static_cast<double>(time.value());
    for (const auto& unit : kUnits) {
        const double value = ps / unit.ps;
        // What would round to 1000 of a unit belongs to the next one.
        if (value >= 0.9995) {
            const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
            return observe::fixed(value, decimals) + " " + unit.name;
        }
    }
    return std::to_string(time.value()) + " ps";
}

} // namespace tlmssd::probes
