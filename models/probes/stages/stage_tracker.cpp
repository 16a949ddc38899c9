// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: pages of requests on their way through the device.
#include "models/probes/stages/stage_tracker.h"

#include <string>

#include "models/common/error.h"

namespace tlmssd::probes {

using observe::Stage;
using observe::StageClock;

namespace {

constexpr Stage kStageOfModule[] = {Stage::Hil, Stage::Buffer, Stage::Ftl, Stage::Sched};
static_assert(FW_MODULE_HIL == 0 && FW_MODULE_BUFFER == 1 && FW_MODULE_FTL == 2 && FW_MODULE_SCHED == 3);
static_assert(FW_PROBE_COUNT <= 32, "probes() and fw.probing have a bit each");

constexpr u32 tag_of(u32 page_id) { return page_id >> 16; }
constexpr u32 number_of(u32 page_id) { return page_id & 0xffff; }

} // namespace

StageTracker::StageTracker(const StageOptions& options, u32 lines)
    : lines_(lines + 1 /* operations of no line: table pages */), flash_(options.flash, lines_),
      link_(options.link), page_bytes_(options.unit_bytes), requests_(options.host_tags),
      pages_(u64{options.host_tags} * kWindow), packed_next_(options.packs ? lines + 1 : 0, kNone)
{
}

u32 StageTracker::probes() const
{
    u32 wanted = 0;
    for (const u32 id :
         {FW_PROBE_HIL_TAG, FW_PROBE_HIL_REQUEST, FW_PROBE_FLASH_REQUEST, FW_PROBE_FLASH_LINE,
          FW_PROBE_PAGE_TO_BUFFER, FW_PROBE_PAGE_TO_HIL, FW_PROBE_PAGE_MISS,
          FW_PROBE_PAGE_NO_LINE, FW_PROBE_PAGE_AT_LINE, FW_PROBE_LINE, FW_PROBE_LINE_MODULE,
          FW_PROBE_LINE_PARKED, FW_PROBE_HIL_HELD}) {
        wanted |= 1u << id;
    }
    if (!packed_next_.empty()) {
        wanted |= 1u << FW_PROBE_PACKED;
    }
    return wanted;
}

void StageTracker::fail(u32 tag, const char* what)
{
    throw ModelError("stages: command of tag " + std::to_string(tag) + ": " + what);
}

// ---- pages ----

StageTracker::Page* StageTracker::find(u32 tag, u32 page)
{
    Page* const pages = &pages_[u64{tag} * kWindow];
    Page& usual = pages[page % kWindow];
    if (usual.used && usual.number == page) {
        return &usual;
    }
    if (requests_[tag].open_pages != 0) {
        for (u32 i = 0; i < kWindow; ++i) {
            if (pages[i].used && pages[i].number == page) {
                return &pages[i];
            }
        }
    }
    return nullptr;
}

StageTracker::Page& StageTracker::page_of(u32 tag, u32 page)
{
    Page* const p = find(tag, page);
    if (p == nullptr) {
        fail(tag, "a page that was never asked for");
    }
    return *p;
}

StageTracker::Page& StageTracker::open(u32 tag, u32 page)
{
    Page* const pages = &pages_[u64{tag} * kWindow];
    u32 i = page % kWindow;
    for (u32 tried = 0; pages[i].used; ++tried) { // writes end in any order
        if (tried == kWindow) {
            fail(tag, "more pages at once than hil asks for");
        }
        i = (i + 1) % kWindow;
    }
    Page& p = pages[i];
    p.number = page;
    p.line_clock = kNone;
    p.facts.clear();
    p.used = true;
    p.granted = p.no_line_yet = false;
    ++requests_[tag].open_pages;
    return p;
}

// ---- the host's side ----

void StageTracker::on_issued(const host::RequestRecord& request)
{
    Request& r = requests_[request.command.tag];
    r.base = StageClock{{}, request.issued, Stage::Link};
    r.facts.clear();
    r.best_at = Picoseconds();
    r.best_page = kNone;
    r.number = r.flash_ops = r.missed = 0;
    r.opcode = request.command.opcode;
    r.held = 0;
}

void StageTracker::on_command(u32 tag, Picoseconds now)
{
    requests_[tag].base.go(now, Stage::Hil);
}

void StageTracker::on_dma_start(u32 tag, u32 page, Picoseconds now)
{
    Request& r = requests_[tag];
    if (r.opcode != HAL_HOST_READ) {
        page_of(tag, page).clock.go(now, link_ ? Stage::Link : Stage::Dram);
    } else if (r.best_page == page) {
        r.best.go(now, Stage::Dram);
    }
}

void StageTracker::on_dma_on_link(u32 tag, u32 page, Picoseconds at)
{
    if (requests_[tag].best_page == page) {
        requests_[tag].best.go(at, Stage::Link);
    }
}

void StageTracker::on_dma_off_link(u32 tag, u32 page, Picoseconds now)
{
    page_of(tag, page).clock.go(now, Stage::Dram);
}

void StageTracker::on_dma_done(u32 tag, u32 page, Picoseconds now)
{
    if (requests_[tag].opcode == HAL_HOST_WRITE) {
        page_of(tag, page).clock.go(now, Stage::Hil);
    }
}

void StageTracker::on_completing(u32 tag, Picoseconds now)
{
    Request& r = requests_[tag];
    (r.best_page == kNone ? r.base : r.best).go(now, Stage::Link);
}

EndedStages StageTracker::finish(const host::RequestRecord& request)
{
    const u32 tag = request.command.tag;
    Request& r = requests_[tag];
    StageClock& clock = r.best_page == kNone ? r.base : r.best;
    if (r.open_pages != 0) {
        fail(tag, "it ended with pages open");
    }
    if (request.ended < clock.since) {
        fail(tag, "it ended before its last page");
    }
    clock.go(request.ended, Stage::Link);
    const Picoseconds latency = request.ended - request.issued;
    u64 sum = 0, most = 0;
    for (const u64 time : clock.times) {
        sum += time;
        most = time < most ? most : time; // sums are modulo 2^64: none may be below zero
    }
    if (sum != latency.value() || most > latency.value()) {
        fail(tag, "the stages do not add up to the latency");
    }
    r.facts.held = r.held;
    const bool data = r.opcode == HAL_HOST_READ || r.opcode == HAL_HOST_WRITE;
    r.opcode = 0;
    return {clock.times, r.facts, r.flash_ops,
            data && r.missed == 0 && request.status == HAL_HOST_OK};
}

// ---- the firmware's side ----

void StageTracker::to_buffer(u32 tag, u32 page, Picoseconds at)
{
    Request& r = requests_[tag];
    Page* p = r.opcode == HAL_HOST_WRITE ? find(tag, page) : nullptr; // its data have come?
    if (p == nullptr) {
        p = &open(tag, page);
        p->clock = r.base;
    }
    if (at < p->clock.since) {
        fail(tag, "time runs backward on the way to the buffer");
    }
    p->clock.go(at, Stage::Buffer);
}

void StageTracker::leave_line(Request& r, Page& p, Picoseconds at)
{
    const u32 index = p.line_clock;
    LineClock& c = lines_[index];
    if (at < c.clock.since) {
        fail(static_cast<u32>(&r - requests_.data()), "a page left its buffer too early");
    }
    lines_.leave(p, at);
    p.facts.add(c.facts);
    r.flash_ops += lines_.take_count(index, r.number);
    lines_.settle(index);
}

void StageTracker::no_line(u32 tag, u32 page, Picoseconds at)
{
    Page& p = page_of(tag, page);
    p.no_line = at;
    p.no_line_yet = true;
}

void StageTracker::at_line(u32 tag, u32 page, u32 line, Picoseconds at)
{
    Page& p = page_of(tag, page);
    if (p.no_line_yet) {
        p.facts.no_line += at - p.no_line;
        p.no_line_yet = false;
    }
    lines_.join(lines_.get(line, at), p, at);
}

void StageTracker::to_hil(u32 tag, u32 page, Picoseconds at)
{
    Request& r = requests_[tag];
    Page& p = page_of(tag, page);
    if (p.no_line_yet) {
        p.facts.no_line += at - p.no_line;
        p.no_line_yet = false;
    }
    if (p.line_clock != kNone) {
        leave_line(r, p, at);
    }
    p.clock.go(at, Stage::Hil);
    if (r.opcode == HAL_HOST_WRITE && !p.granted) {
        p.granted = true;
        return;
    }
    p.used = false;
    --r.open_pages;
    if (at >= r.best_at) {
        r.best = p.clock;
        r.best_at = at;
        r.best_page = page;
        r.facts = p.facts;
    }
}

// ---- units that share a flash page: its first line speaks for all until they are back ----

void StageTracker::packed(u32 line, bool first)
{
    packed_next_[line] = kNone;
    if (!first) {
        packed_next_[packed_last_] = line;
    }
    packed_last_ = line;
}

void StageTracker::enter_module(u32 line, u32 module, Picoseconds at)
{
    if (packed_next_.empty()) {
        lines_.enter(line, at, kStageOfModule[module]);
        return;
    }
    while (line != kNone) {
        const u32 next = packed_next(line);
        lines_.enter(line, at, kStageOfModule[module]);
        if (next != kNone && module == FW_MODULE_BUFFER) {
            packed_next_[line] = kNone;
        }
        line = next;
    }
}

/// The operation `tag` has been submitted for a page buffer, and for those that share its page.
void StageTracker::submitted(u32 tag, u32 line, Picoseconds at)
{
    flash_.serves(tag, line, flash_request_, at);
    if (!packed_next_.empty()) {
        for (u32 s = packed_next(line); s != kNone; s = packed_next(s)) {
            flash_.serves_also(tag, s, at);
        }
    }
}

void StageTracker::parked(u32 line)
{
    for (u32 s = line; s != kNone; s = packed_next(s)) {
        if (const u32 index = lines_.find(s); index != kNone) {
            lines_[index].facts.parked = true;
        }
    }
}

/// A switch alone, which saves no registers: each probe that does more than a store has a function out of line.
void StageTracker::on_probe(u32 id, u32 value, Picoseconds, Picoseconds at)
{
    switch (id) {
    case FW_PROBE_HIL_TAG:
        hil_tag_ = value;
        break;
    case FW_PROBE_HIL_REQUEST:
        requests_[hil_tag_].number = value;
        break;
    case FW_PROBE_FLASH_REQUEST:
        flash_request_ = value;
        break;
    case FW_PROBE_FLASH_LINE:
        submitted(value >> 24, value & 0xffffff, at);
        break;
    case FW_PROBE_PAGE_TO_BUFFER:
        to_buffer(tag_of(value), number_of(value), at);
        break;
    case FW_PROBE_PAGE_TO_HIL:
        to_hil(tag_of(value), number_of(value), at);
        break;
    case FW_PROBE_PAGE_MISS:
        ++requests_[tag_of(value)].missed;
        break;
    case FW_PROBE_PAGE_NO_LINE:
        no_line(tag_of(value), number_of(value), at);
        break;
    case FW_PROBE_PAGE_AT_LINE:
        page_id_ = value;
        break;
    case FW_PROBE_LINE:
        at_line(tag_of(page_id_), number_of(page_id_), value, at);
        break;
    case FW_PROBE_LINE_MODULE:
        enter_module(value >> 3, value & 7, at);
        break;
    case FW_PROBE_LINE_PARKED:
        parked(value);
        break;
    case FW_PROBE_PACKED:
        packed(value >> 1, value & 1);
        break;
    case FW_PROBE_HIL_HELD:
        requests_[tag_of(value)].held = static_cast<u8>(value & 0xff);
        break;
    default:
        break;
    }
}

// ---- copies in DRAM ----

void StageTracker::on_copy_start(u32 dst, Picoseconds now)
{
    if (const u32 index = lines_.find(dst / page_bytes_); index != kNone) {
        lines_.go(index, now, Stage::Dram);
    }
}

void StageTracker::on_copy_end(u32 dst, Picoseconds now)
{
    if (const u32 index = lines_.find(dst / page_bytes_); index != kNone) {
        lines_.go(index, now, Stage::Buffer);
        lines_.settle(index);
    }
}

} // namespace tlmssd::probes
