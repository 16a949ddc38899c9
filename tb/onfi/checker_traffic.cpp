// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the operations of the legal traffic, each a row of steps of one LUN.
#include <algorithm>

#include "tb/onfi/checker_stream.h"

namespace tlmssd::tb {

u32 Traffic::row(u32 lun, u32 plane, u32 block, u32 page) const
{
    return part_.row(lun % kLunsOfCe, plane, block, page);
}

Traffic::Step& Traffic::add(u32 lun, const Segment& s, Wait wait)
{
    Step step;
    step.s = s;
    step.wait = wait;
    luns_[lun].todo.push_back(step);
    return luns_[lun].todo.back();
}

void Traffic::make(u32 lun)
{
    switch (random(14)) {
    case 0:
    case 1:
        make_read(lun);
        break;
    case 2:
        make_cache_read(lun, false);
        break;
    case 3:
        make_cache_read(lun, true);
        break;
    case 4:
        make_program(lun, false);
        break;
    case 5:
    case 6:
        make_program(lun, true);
        break;
    case 7:
        make_two_plane_program(lun);
        break;
    case 8:
        make_cache_program(lun);
        break;
    case 9:
        make_copyback(lun);
        break;
    case 10:
        make_erase(lun);
        break;
    case 11:
        make_suspend(lun);
        break;
    case 12:
        chance(2) ? make_registers(lun) : make_features(lun);
        break;
    default:
        make_reset(lun);
        break;
    }
}

/// Some bytes of the page of `r`, in one of the ways to ask for them.
void Traffic::data_out(u32 lun, u32 r)
{
    const u32 column = static_cast<u32>(random(kStreamPhysical - 300));
    const u32 bytes = 1 + static_cast<u32>(random(100));
    add(lun, enhanced_out(r, column, bytes, *plain_));
    if (chance(2)) {
        add(lun, direct_out(1 + static_cast<u32>(random(100)), *plain_)).bare_data = true;
    }
    if (chance(2)) {
        add(lun, column_out(column, bytes, *plain_)).bare = true;
    }
    if (chance(4)) { // up to the last byte
        add(lun, column_out(kStreamPhysical - bytes, bytes, *plain_)).bare = true;
    }
}

void Traffic::make_read(u32 lun)
{
    const u32 page = static_cast<u32>(random(part_.geometry.pages));
    const u32 block = static_cast<u32>(random(8));
    const u32 other = part_.nand.block_restriction ? block : static_cast<u32>(random(8));
    const u32 first = row(lun, 0, block, page);
    const u32 second = row(lun, 1, other, page);
    if (chance(3)) { // both planes
        add(lun, read_command(first, 0, 0x32), Wait::Queue);
        add(lun, read_command(second), Wait::Read);
        data_out(lun, second);
        data_out(lun, first);
        return;
    }
    const u32 r = chance(2) ? first : second;
    add(lun, read_command(r), Wait::Read);
    if (chance(8)) { // RESET LUN while it reads
        add(lun, row_command(0xfa, r), Wait::Reset).interrupt = true;
        return;
    }
    if (chance(2)) {
        add(lun, direct_out(1 + static_cast<u32>(random(300)), *plain_)).bare_data = true;
    }
    data_out(lun, r);
}

void Traffic::make_cache_read(u32 lun, bool random_pages)
{
    const u32 plane = static_cast<u32>(random(2));
    const u32 block = static_cast<u32>(random(8));
    u32 page = static_cast<u32>(random(3));
    u32 r = row(lun, plane, block, page);
    add(lun, read_command(r), Wait::Read);
    for (u32 i = 0; i < 3; ++i) {
        const u32 before = r;
        if (random_pages) {
            page = static_cast<u32>(random(part_.geometry.pages));
            r = row(lun, plane, static_cast<u32>(random(8)), page);
            add(lun, read_command(r, 0, 0x31), Wait::CacheRead);
        } else {
            r = row(lun, plane, block, ++page);
            add(lun, lone_command(0x31), Wait::CacheRead).bare = true;
        }
        data_out(lun, before);
    }
    add(lun, lone_command(0x3f), Wait::CacheEnd).bare = true;
    data_out(lun, r);
}

/// A block with a page left; else the LUN erases first.
bool Traffic::open_block(u32 lun, u32 plane, u32& block)
{
    const u32 first = static_cast<u32>(random(8));
    for (u32 i = 0; i < 8; ++i) {
        block = (first + i) % 8;
        if (luns_[lun].next[plane][block] < part_.geometry.pages) {
            return true;
        }
    }
    make_erase(lun);
    return false;
}

void Traffic::make_program(u32 lun, bool split)
{
    const u32 plane = static_cast<u32>(random(2));
    u32 block = 0;
    if (!open_block(lun, plane, block)) {
        return;
    }
    const u32 page = luns_[lun].next[plane][block]++;
    const u32 r = row(lun, plane, block, page);
    const u32 bytes = 1 + static_cast<u32>(random(100));
    if (!split) {
        add(lun, program(r, 0, bytes, *plain_), Wait::Program);
    } else {
        const bool change_row = chance(2);
        const u32 opened = change_row ? row(lun, plane, static_cast<u32>(random(8)), 5) : r;
        add(lun, open_program(opened, 0, bytes, *plain_)).hold = true;
        add(lun, direct_out(bytes, *plain_)).hold = true;
        luns_[lun].todo.back().s.direction = DataDirection::In;
        if (change_row) {
            Segment s = copyback_program(r, 500, bytes, *plain_); // 85h C2R3 inside a program
            s.trail = 0;
            add(lun, s).hold = true;
        } else {
            add(lun, write_column(1000, bytes, *plain_)).hold = true;
        }
        add(lun, lone_command(0x10), Wait::Program);
    }
    if (part_.nand.partial_programs > 1 && chance(2)) {
        add(lun, program(r, 1024, bytes, *plain_), Wait::Program);
    }
}

void Traffic::make_two_plane_program(u32 lun)
{
    std::array<std::array<u32, 8>, kPlanes>& next = luns_[lun].next;
    const u32 first = static_cast<u32>(random(64));
    for (u32 i = 0; i < 64; ++i) {
        const u32 b0 = (first + i) / 8 % 8;
        const u32 b1 = (first + i) % 8;
        if (next[0][b0] != next[1][b1] || next[0][b0] >= part_.geometry.pages ||
            (part_.nand.block_restriction && b0 != b1)) {
            continue;
        }
        const u32 page = next[0][b0]++;
        ++next[1][b1];
        add(lun, program(row(lun, 0, b0, page), 0, 64, *plain_, 0x11), Wait::Queue);
        add(lun, program(row(lun, 1, b1, page), 0, 64, *plain_), Wait::Program);
        return;
    }
    make_erase(lun);
}

void Traffic::make_cache_program(u32 lun)
{
    const u32 plane = static_cast<u32>(random(2));
    u32 block = 0;
    if (!open_block(lun, plane, block)) {
        return;
    }
    u32& next = luns_[lun].next[plane][block];
    for (bool more = true; more;) {
        const u32 r = row(lun, plane, block, next++);
        more = next < part_.geometry.pages && !chance(4);
        add(lun, program(r, 0, 32, *plain_, more ? 0x15 : 0x10),
            more ? Wait::CacheProgram : Wait::Program);
    }
}

void Traffic::make_copyback(u32 lun)
{
    const u32 plane = static_cast<u32>(random(2));
    u32 block = 0;
    if (!open_block(lun, plane, block)) {
        return;
    }
    const u32 from = row(lun, plane, static_cast<u32>(random(8)), static_cast<u32>(random(6)));
    const u32 to = row(lun, plane, block, luns_[lun].next[plane][block]++);
    add(lun, read_command(from, 0, 0x35), Wait::Read);
    if (chance(2)) {
        data_out(lun, from);
    }
    const u32 bytes = chance(2) ? 0 : 1 + static_cast<u32>(random(50));
    add(lun, copyback_program(to, 100, bytes, *plain_), Wait::Program);
}

void Traffic::make_erase(u32 lun)
{
    const u32 block = static_cast<u32>(random(8));
    const u32 plane = static_cast<u32>(random(2));
    luns_[lun].next[plane][block] = 0;
    if (chance(2)) {
        add(lun, erase(row(lun, plane, block, 0)), Wait::Erase);
        return;
    }
    const u32 other = part_.nand.block_restriction ? block : static_cast<u32>(random(8));
    luns_[lun].next[1 - plane][other] = 0;
    add(lun, erase(row(lun, plane, block, 3), 0xd1), Wait::Queue); // the page does not matter
    add(lun, erase(row(lun, 1 - plane, other, 0)), Wait::Erase);
}

void Traffic::make_suspend(u32 lun)
{
    const u32 plane = static_cast<u32>(random(2));
    u32 block = 0;
    if (!open_block(lun, plane, block)) {
        return;
    }
    const bool erases = chance(2);
    u32& next = luns_[lun].next[plane][block];
    const u32 r = row(lun, plane, block, erases ? 0 : next);
    const u32 elsewhere = row(lun, plane, (block + 1) % 8, 0);
    erases ? add(lun, erase(r), Wait::Erase) : add(lun, program(r, 0, 64, *plain_), Wait::Program);
    next = erases ? 0 : next + 1;
    const Wait wait = erases ? Wait::SuspendErase : Wait::SuspendProgram;
    add(lun, row_command(erases ? 0x61 : 0x84, r), wait).interrupt = true;
    add(lun, read_command(elsewhere), Wait::Read);
    data_out(lun, elsewhere);
    if (erases) { // a program elsewhere
        u32& other = luns_[lun].next[1 - plane][block];
        if (other < part_.geometry.pages) {
            add(lun, program(row(lun, 1 - plane, block, other++), 0, 64, *plain_), Wait::Program);
        }
    }
    add(lun, row_command(erases ? 0xd2 : 0x13, r), Wait::Resume);
}

void Traffic::make_registers(u32 lun)
{
    const u8 where = chance(2) ? u8{0x00} : u8{0x20};
    switch (random(4)) {
    case 0:
    case 1:
        add(lun, read_id(where, 5, *plain_)).whole = true;
        return;
    case 2: {
        Step& s = add(lun, read_register(0xec, 0x00), Wait::Parameter);
        s.whole = s.target = true;
        break;
    }
    default: {
        Step& s = add(lun, read_register(0xed, 0x00), Wait::Parameter);
        s.whole = s.target = true;
        break;
    }
    }
    add(lun, register_out(256, *plain_)).bare_data = true;
    Segment again = column_out(16, 32, *plain_);
    again.narrow = true;
    add(lun, again).bare = true;
}

void Traffic::set_drive(u32 lun, u32 drive, bool after_reset)
{
    const u32 p1 = static_cast<u32>(kDrives[drive].interface) << 4 | kDrives[drive].mode | 0x40;
    Step& s = add(lun, set_features(0x01, stream_.cells(static_cast<u8>(p1))), Wait::Feature);
    s.whole = !after_reset;
    s.target = true;
    s.drive = drive;
}

void Traffic::make_features(u32 lun)
{
    const u8 own = static_cast<u8>(lun % kLunsOfCe);
    switch (random(4)) {
    case 0:
        add(lun, lun_set_features(own, 0x89, stream_.cells(3)), Wait::Feature);
        add(lun, lun_get_features(own, 0x89), Wait::Feature).hold = true;
        break;
    case 1: {
        Step& s = add(lun, read_register(0xee, 0x01), Wait::Feature);
        s.whole = s.target = true;
        break;
    }
    case 2: {
        Step& s = add(lun, set_features(0x10, stream_.cells(2)), Wait::Feature);
        s.whole = s.target = true;
        return;
    }
    default:
        set_drive(lun, static_cast<u32>(1 + random(std::size(kDrives) - 1)), false);
        return;
    }
    add(lun, register_out(4, *plain_)).bare_data = true;
}

void Traffic::make_reset(u32 lun)
{
    switch (random(3)) {
    case 0:
        add(lun, row_command(0xfa, row(lun, 0, 0, 0)), Wait::Reset);
        return;
    case 1: {
        // FCh is for the DDR interfaces; which one it will be is known when the LUNs are idle.
        const u32 drive = static_cast<u32>(kNvDdr5 + random(3));
        set_drive(lun, drive, false);
        Step& s = add(lun, lone_command(0xfc), Wait::Reset);
        s.target = true;
        return;
    }
    default: {
        Step& s = add(lun, lone_command(0xff), Wait::Reset);
        s.whole = s.target = true;
        set_drive(lun, static_cast<u32>(1 + random(std::size(kDrives) - 1)), true);
        return;
    }
    }
}

} // namespace tlmssd::tb
