// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: requests, frames, firmware steps and flash operations as slices.
#include "models/probes/timeline/timeline_tap.h"

#include <algorithm>

namespace tlmssd::probes {

using observe::TimelineArgs;

namespace {

const char* const kModules[] = {"hil", "buffer", "ftl", "sched", "core"};
static_assert(FW_MODULE_HIL == 0 && FW_MODULE_BUFFER == 1 && FW_MODULE_FTL == 2 && FW_MODULE_SCHED == 3 &&
              FW_MODULE_CORE == 4 && FW_MODULE_COUNT == 5);

const char* name_of_request(u8 opcode)
{
    switch (opcode) {
    case HAL_HOST_READ: return "READ";
    case HAL_HOST_WRITE: return "WRITE";
    case HAL_HOST_FLUSH: return "FLUSH";
    case HAL_HOST_TRIM: return "TRIM";
    default: return "UNKNOWN";
    }
}

const char* name_of_frame(const sata::Frame& frame)
{
    switch (sata::fis_type(frame.fis)) {
    case sata::FisType::RegisterH2D: return "COMMAND";
    case sata::FisType::RegisterD2H: return "REGISTER";
    case sata::FisType::DmaActivate: return "DMA ACTIVATE";
    case sata::FisType::DmaSetup: return "DMA SETUP";
    case sata::FisType::Data: return "DATA";
    case sata::FisType::PioSetup: return "PIO SETUP";
    case sata::FisType::SetDeviceBits: return "SET DEVICE BITS";
    }
    return "UNKNOWN";
}

const char* name_of_transfer(nvme::Transfer::Kind kind)
{
    using Kind = nvme::Transfer::Kind;
    switch (kind) {
    case Kind::Register: return "REGISTER";
    case Kind::SubmissionBell: return "SUBMISSION DOORBELL";
    case Kind::CompletionBell: return "COMPLETION DOORBELL";
    case Kind::Entries: return "COMMANDS";
    case Kind::List: return "LIST";
    case Kind::WriteData:
    case Kind::ReadData: return "DATA";
    case Kind::Completion: return "COMPLETION";
    case Kind::Interrupt: return "INTERRUPT";
    case Kind::Level: return "PIN";
    case Kind::AdminData: return "ADMIN DATA";
    }
    return "UNKNOWN";
}

const char* name_of_operation(u8 opcode)
{
    switch (opcode) {
    case FLASH_OP_READ: return "READ";
    case FLASH_OP_PROGRAM: return "PROGRAM";
    case FLASH_OP_ERASE: return "ERASE";
    case FLASH_OP_RESET: return "RESET";
    case FLASH_OP_COPYBACK: return "COPYBACK";
    default: return "UNKNOWN";
    }
}

const char* name_of_status(u8 status)
{
    switch (status) {
    case FLASH_STATUS_OK: return "ok";
    case FLASH_STATUS_FAIL: return "fail";
    case FLASH_STATUS_ILLEGAL: return "illegal";
    case FLASH_STATUS_UNCORRECTABLE: return "uncorrectable";
    case FLASH_STATUS_TIMEOUT: return "timeout";
    case FLASH_STATUS_ABORTED: return "aborted";
    default: return "unknown";
    }
}

} // namespace

TimelineTap::TimelineTap(observe::Timeline& timeline, const TimelineDevice& device)
    : timeline_(timeline), geometry_(device.geometry),
      bus_([&]() -> TimelineBus { // the order of declaration is that of the display
          const u32 host = timeline_.add_process("host requests");
          for (u32 tag = 0; tag < device.host_tags; ++tag) {
              tag_tracks_.push_back(timeline_.add_track(host, "tag " + std::to_string(tag)));
          }
          if (device.has_link) {
              const u32 link = timeline_.add_process("link");
              link_tracks_[0] = timeline_.add_track(link, "to device");
              link_tracks_[1] = timeline_.add_track(link, "to host");
          }
          const u32 cpu = timeline_.add_process("firmware");
          for (u32 core = 0; core < device.cores; ++core) {
              core_tracks_.push_back(timeline_.add_track(cpu, "core " + std::to_string(core)));
          }
          const u32 channels = timeline_.add_process("channels");
          const u32 dies = timeline_.add_process("dies");
          const u32 planes = timeline_.add_process("planes");
          for (u32 die = 0; die < geometry_.total_dies(); ++die) {
              die_tracks_.push_back(
                  timeline_.add_track(dies, "die " + die_name(geometry_, die)));
          }
          return TimelineBus(timeline_, geometry_, channels, planes);
      }()),
      requests_(device.host_tags), causes_(device.flash_tags),
      die_of_(device.flash_tags, 0), dies_of_(device.flash_tags, 0),
      dies_(device.geometry.total_dies()), drawn_until_(device.geometry.total_dies())
{
    for (u32 set = 0; set < kStepNames; ++set) {
        std::string& name = step_names_[set];
        for (u32 module = 0; module < FW_MODULE_CORE; ++module) {
            if (set >> module & 1) {
                name += (name.empty() ? "" : "+") + std::string(kModules[module]);
            }
        }
        if (name.empty()) {
            name = "step";
        }
    }
}

// ---- host and link ----

void TimelineTap::on_issued(const host::RequestRecord& request)
{
    Request& r = requests_[request.command.tag];
    r.command = request.command;
    r.arrival = request.arrival;
    r.issued = request.issued;
    r.number = 0;
    r.arrows.clear();
}

void TimelineTap::on_request(const host::RequestRecord& request)
{
    show(requests_[request.command.tag], request.ended, false);
}

void TimelineTap::show(Request& r, Picoseconds ended, bool open)
{
    TimelineArgs args;
    args.add("lba", r.command.lba).add("bytes", u64{r.command.sectors} * kSectorBytes);
    args.add("arrival_us", r.arrival);
    if (r.number != 0) {
        args.add("request", u64{r.number});
    }
    if (open) {
        args.add("open", u64{1});
    }
    const u32 track = tag_tracks_[r.command.tag];
    const bool shown =
        timeline_.slice(track, name_of_request(r.command.opcode), r.issued, ended, args);
    std::sort(r.arrows.begin(), r.arrows.end(), [](const Arrow& a, const Arrow& b) {
        return a.at != b.at ? a.at < b.at : a.id < b.id;
    });
    for (const Arrow& arrow : r.arrows) {
        if (shown) { // always: an operation that the window shows lies within its request
            timeline_.arrow_start(track, arrow.id, arrow.at);
        }
    }
    r.command.opcode = 0;
}

void TimelineTap::on_frame(const sata::Frame& frame, Picoseconds start, Picoseconds end)
{
    TimelineArgs args;
    args.add("dwords", u64{frame.dwords});
    if (frame.is_data) {
        args.add("bytes", u64{frame.sectors} * kSectorBytes);
    }
    timeline_.slice(link_tracks_[frame.from == sata::Side::Host ? 0 : 1], name_of_frame(frame),
                    start, end, args);
}

void TimelineTap::on_transfer(const nvme::Transfer& transfer, bool to_host, Picoseconds start, Picoseconds end)
{
    TimelineArgs args;
    args.add("bytes", u64{transfer.bytes});
    timeline_.slice(link_tracks_[to_host ? 1 : 0], name_of_transfer(transfer.kind), start, end, args);
}

// ---- firmware ----

void TimelineTap::on_step(u32 core, Picoseconds start, Picoseconds end, const fw& firmware)
{
    TimelineArgs args;
    u32 modules = 0;
    for (u32 module = 0; module < FW_MODULE_COUNT; ++module) {
        const u64 cycles = firmware.stats.cycles[module] - cycles_[module];
        cycles_[module] = firmware.stats.cycles[module];
        if (cycles != 0) {
            args.add(kModules[module], cycles);
            modules |= 1u << module;
        }
    }
    timeline_.slice(core_tracks_[core], step_names_[modules % kStepNames].c_str(), start, end, args);
}

u32 TimelineTap::probes() const
{
    return 1u << FW_PROBE_HIL_TAG | 1u << FW_PROBE_HIL_REQUEST | 1u << FW_PROBE_FLASH_TAG |
           1u << FW_PROBE_FLASH_REQUEST;
}

void TimelineTap::on_probe(u32 id, u32 value, Picoseconds now, Picoseconds)
{
    switch (id) {
    case FW_PROBE_HIL_TAG:
        hil_tag_ = value;
        break;
    case FW_PROBE_HIL_REQUEST:
        if (hil_tag_ < requests_.size()) {
            requests_[hil_tag_].number = value;
        }
        break;
    case FW_PROBE_FLASH_TAG:
        flash_tag_ = value & ~FW_FLASH_JOINED;
        if (flash_tag_ < causes_.size()) {
            causes_[flash_tag_] = Cause{0, {}, now};
        }
        break;
    case FW_PROBE_FLASH_REQUEST:
        if (flash_tag_ < causes_.size()) {
            Cause& cause = causes_[flash_tag_];
            const auto end = cause.requests.begin() + cause.count;
            const bool known = std::find(cause.requests.begin(), end, value) != end;
            if (value != 0 && !known && cause.count < kMates) {
                cause.requests[cause.count++] = value;
            }
        }
        break;
    default: break;
    }
}

// ---- flash ----

u32 TimelineTap::first_die(const flash_op& op) const
{
    return geometry_.die_index_ce(op.channel, op.ce, op.opcode == FLASH_OP_RESET ? 0 : op.lun);
}

u32 TimelineTap::dies_taken(const flash_op& op) const
{
    return op.opcode == FLASH_OP_RESET ? geometry_.luns_per_ce() : 1;
}

/// The operation under `tag`, on each of its dies.
template <class Visit>
void TimelineTap::for_operation(u32 tag, Visit visit)
{
    for (u32 die = die_of_[tag]; die < die_of_[tag] + dies_of_[tag]; ++die) {
        for (auto o = dies_[die].rbegin(); o != dies_[die].rend(); ++o) {
            if (o->op.tag == tag && !o->done) {
                visit(die, *o);
                break;
            }
        }
    }
}

void TimelineTap::on_issue(u32 tag, const flash_op& op, Picoseconds now)
{
    die_of_[tag] = first_die(op);
    dies_of_[tag] = dies_taken(op);
    for (u32 die = die_of_[tag]; die < die_of_[tag] + dies_of_[tag]; ++die) {
        Operation& o = dies_[die].emplace_back();
        o.op = op;
        o.cause = causes_[tag];
        o.issued = o.start = o.end = now;
    }
    causes_[tag] = Cause{};
}

void TimelineTap::on_phase(u32 tag, u32, flash::Phase phase, Picoseconds start, Picoseconds end)
{
    if (phase == flash::Phase::Resume) {
        resume(tag);
    }
    for_operation(tag, [&](u32 die, Operation& o) {
        if (!o.begun) {
            o.begun = true;
            o.start = start;
            cut_program_before(die, o);
        }
        o.end = end;
    });
}

/// A cache program ends on the track where the data of the next one begin.
void TimelineTap::cut_program_before(u32 die, const Operation& o)
{
    for (Operation& other : dies_[die]) {
        if (&other != &o && !other.done && other.op.opcode == FLASH_OP_PROGRAM && o.op.opcode == FLASH_OP_PROGRAM) {
            other.cut = min(other.cut, o.start);
        }
    }
}

/// Reads have been on its die since its last segment: what has been is a part of its own, and what
/// comes is one behind the reads.
void TimelineTap::resume(u32 tag)
{
    for_operation(tag, [&](u32 die, Operation& o) {
        Operation rest;
        rest.op = o.op;
        rest.cause = o.cause;
        rest.issued = o.end;
        rest.resumed = true;
        o.done = o.suspended = true;
        draw_arrows(o);
        dies_[die].push_back(rest);
        show_ended(die);
    });
}

void TimelineTap::show_ended(u32 die)
{
    std::deque<Operation>& queue = dies_[die];
    for (; !queue.empty() && queue.front().done; queue.pop_front()) {
        show(die, queue.front(), false);
    }
}

void TimelineTap::on_complete(u32 tag, const flash_completion& completion, Picoseconds now)
{
    if (tag >= die_of_.size()) {
        return;
    }
    for_operation(tag, [&](u32 die, Operation& o) {
        o.done = true;
        o.status = completion.status;
        o.retries = completion.retries;
        if (o.op.opcode == FLASH_OP_RESET || completion.status == FLASH_STATUS_TIMEOUT ||
            completion.status == FLASH_STATUS_ABORTED) {
            o.end = now; // no segment ends it
        }
        if (die == die_of_[tag] && !o.resumed) {
            draw_arrows(o);
        }
        show_ended(die);
    });
    dies_of_[tag] = 0;
}

/// One arrow from each request that caused `o` and is still open. Both ends are then sure to come:
/// this one at once or when the operations before it are done, the other with the request's end.
void TimelineTap::draw_arrows(Operation& o)
{
    if (!timeline_.shows(o.start, o.end)) {
        return;
    }
    for (u32 i = 0; i < o.cause.count; ++i) {
        for (Request& r : requests_) {
            if (r.command.opcode != 0 && r.number == o.cause.requests[i] &&
                r.issued <= o.cause.submitted) {
                o.arrows[o.arrow_count++] = ++arrows_;
                r.arrows.push_back({o.cause.submitted, arrows_});
                break;
            }
        }
    }
}

void TimelineTap::show(u32 die, const Operation& o, bool open)
{
    TimelineArgs args;
    u32 planes[kMates];
    const u32 count = std::min<u32>(o.op.nplanes, kMates);
    for (u32 i = 0; i < count; ++i) {
        planes[i] = geometry_.row_plane(o.op.row[i]);
    }
    args.add("tag", u64{o.op.tag}).add("stream", u64{o.op.stream});
    if (o.op.opcode != FLASH_OP_RESET) {
        args.add("rows", o.op.row, count).add("planes", planes, count);
    }
    args.add("request", o.cause.requests.data(), o.cause.count);
    args.add("wait_us", o.start - o.issued);
    if (o.op.opcode == FLASH_OP_READ) {
        args.add("retries", u64{o.retries});
    }
    if (o.resumed) {
        args.add("resumed", u64{1});
    }
    if (open) {
        args.add("open", u64{1});
    } else if (o.suspended) {
        args.add("status", "suspended");
    } else {
        args.add("status", name_of_status(o.status));
    }
    // A cache read begins on the track where the one before has ended.
    const Picoseconds start = max(o.start, drawn_until_[die]);
    const Picoseconds end = max(min(o.end, o.cut), start);
    drawn_until_[die] = end;
    timeline_.slice(die_tracks_[die], name_of_operation(o.op.opcode), start, end, args);
    for (u32 i = 0; i < o.arrow_count; ++i) {
        timeline_.arrow_end(die_tracks_[die], o.arrows[i]);
    }
}

void TimelineTap::close(Picoseconds now)
{
    for (u32 die = 0; die < dies_.size(); ++die) {
        for (Operation& o : dies_[die]) {
            const bool last = &o == &dies_[die].back(); // the ones before have left the die
            if (!o.done && last) {
                o.end = max(o.end, now);
            }
            show(die, o, !o.done);
        }
        dies_[die].clear();
    }
    for (Request& r : requests_) {
        if (r.command.opcode != 0) {
            show(r, now, true);
        }
    }
    bus_.close(now);
}

} // namespace tlmssd::probes
