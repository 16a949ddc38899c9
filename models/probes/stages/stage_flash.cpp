// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: stages of flash operations.
#include "models/probes/stages/stage_flash.h"

namespace tlmssd::probes {

using flash::Phase;
using observe::Stage;

namespace {

constexpr u16 kGcStream = 1; // fw_op_stream

Use use_of(const flash_op& op)
{
    const bool gc = op.stream == kGcStream;
    switch (op.opcode) {
    case FLASH_OP_READ:
        return gc ? Use::GcRead : Use::HostRead;
    case FLASH_OP_PROGRAM:
        return gc ? Use::GcProgram : Use::HostProgram;
    case FLASH_OP_COPYBACK:
        return Use::GcProgram;
    case FLASH_OP_ERASE:
        return Use::GcErase;
    default:
        return Use::Other;
    }
}

} // namespace

StageFlash::StageFlash(const StageFlashOptions& options, LineClocks& lines)
    : die_number_(options.geometry), lines_(lines), rtl_(options.rtl), polled_(options.polled),
      operations_(options.tags), dies_(options.geometry.total_dies()), channels_(options.geometry.channels)
{
}

/// The members have waited in [from, to). What they keep is the longest wait of its kind; only that is looked into.
[[gnu::noinline]] void StageFlash::explain(const Operation& o, Wait Facts::*kind, const UseHistory& history, u32 where,
                                           Picoseconds from, Picoseconds to)
{
    Wait wait{to - from, where, Use::Free};
    bool looked = false;
    for (u32 i = 0; i < o.count; ++i) {
        Wait& kept = lines_[o.members[i]].facts.*kind;
        if (kept.time < wait.time) {
            if (!looked) {
                looked = true;
                wait.use = history.most(from, to);
            }
            kept = wait;
        }
    }
}

// ---- the firmware's side ----

void StageFlash::serves(u32 tag, u32 line, u32 request, Picoseconds at)
{
    Operation& o = operations_[tag];
    if (o.count != kMembers) {
        const u32 index = lines_.get(line, at);
        lines_.count(index, request);
        join(o, index, at);
    }
}

void StageFlash::serves_also(u32 tag, u32 line, Picoseconds at)
{
    Operation& o = operations_[tag];
    if (o.count != kMembers) {
        join(o, lines_.get(line, at), at);
    }
}

// ---- the controller's side ----

void StageFlash::leave(Die& die, Picoseconds t)
{
    if (die.tag != kNoTag) {
        die.history.add(die.since, max(die.since, t), die.use);
        die.left = t;
        die.tag = kNoTag;
    }
}

void StageFlash::on_issue(u32 tag, const flash_op& op, Picoseconds now)
{
    Operation& o = operations_[tag];
    o.die = die_number_(op.channel, op.ce, op.opcode == FLASH_OP_RESET ? 0 : op.lun);
    o.use = use_of(op);
    o.program = op.opcode == FLASH_OP_PROGRAM;
    o.suspending = false;
    o.waits_since = o.last_end = now;
    Die& die = dies_[o.die];
    if (die.tag != kNoTag) { // what follows a read's last burst needs no die
        leave(die, operations_[die.tag].last_end);
    }
    // The RTL shows the first segment instead: the die was its own when the one before had left.
    const Picoseconds issued = rtl_ ? min(now, max(o.submitted, die.left)) : now;
    if (o.count != 0) {
        move(o, issued, Stage::WaitBus);
        o.waits_since = issued;
    }
    die.tag = tag;
    die.use = o.use;
    die.since = now;
    if (o.count != 0 && o.submitted + explain_from_ < issued) {
        explain(o, &Facts::die, die.history, o.die, o.submitted, issued);
    }
}

void StageFlash::on_wait(u32 tag, Picoseconds now)
{
    Operation& o = operations_[tag];
    move(o, now, Stage::WaitBus);
    o.waits_since = now;
}

void StageFlash::on_bus(u32 tag, u32 channel, Picoseconds start)
{
    Operation& o = operations_[tag];
    move(o, start, Stage::Transfer);
    if (o.count != 0 && o.waits_since + explain_from_ < start) {
        explain(o, &Facts::bus, channels_[channel], channel, o.waits_since, start);
    }
}

void StageFlash::on_phase(u32 tag, u32 channel, Phase phase, Picoseconds start, Picoseconds end)
{
    Operation& o = operations_[tag];
    o.last_end = o.waits_since = end;
    Stage next = Stage::Cell;
    if (phase == Phase::DataOut) {
        next = Stage::Dram;
    } else if (phase == Phase::Status) { // a poll may find the LUN busy; else the operation ends, or it is suspended
        next = polled_ ? Stage::Cell : o.suspending ? Stage::WaitDie : Stage::Transfer;
    } else if (phase == Phase::Suspend || phase == Phase::Resume) {
        o.suspending = phase == Phase::Suspend;
    }
    move(o, end, next);
    const bool page = phase == Phase::DataIn || phase == Phase::DataOut;
    channels_[channel].add(start, end, page ? o.use : Use::Other);
}

void StageFlash::on_complete(u32 tag, const flash_completion& completion, Picoseconds now)
{
    if (tag >= operations_.size()) {
        return;
    }
    Operation& o = operations_[tag];
    if (dies_[o.die].tag == tag) {
        leave(dies_[o.die], o.use == Use::HostRead || o.use == Use::GcRead ? o.last_end : now);
    }
    move(o, now, Stage::Sched);
    for (u32 i = 0; i < o.count; ++i) {
        Facts& facts = lines_[o.members[i]].facts;
        facts.flash = true;
        facts.programmed = o.program;
        facts.op_die = o.die;
        facts.retries = static_cast<u16>(facts.retries + completion.retries);
        facts.failures = static_cast<u16>(facts.failures + (completion.status != FLASH_STATUS_OK));
    }
    o.count = 0;
}

} // namespace tlmssd::probes
