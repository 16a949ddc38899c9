// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what reads and writes of AHCI's registers do (docs/explanation/ahci.md).
#include "models/ahci/ahci_registers.h"

namespace tlmssd::ahci {

using namespace ahci;

namespace {

constexpr u32 merge(u32 old, u32 value, u32 mask) { return (old & ~mask) | (value & mask); }

} // namespace

AhciRegisters::AhciRegisters(u32 generation, bool ncq) : generation_(generation), ncq_(ncq) {}

u32 AhciRegisters::status_bits() const
{
    return px_is | (serr & kDiagF ? kUfs : 0) | (serr & kDiagX ? kPcs : 0) |
           (serr & kDiagN ? kPrcs : 0);
}

u32 AhciRegisters::command_word() const
{
    return (st ? kCmdSt : 0) | (sud ? kCmdSud : 0) | kCmdPod | (fre ? kCmdFre | kCmdFr : 0) |
           (running() || engine ? kCmdCr : 0) | ccs << kCmdCcsShift;
}

u32 AhciRegisters::read(u32 offset) const
{
    switch (offset) {
    case kCap:
        return kCapSlots | kCapPmd | kCapSam | generation_ << 20 | kCapSclo | kCapSss |
               (ncq_ ? kCapSncq : 0) | kCapS64a;
    case kGhc: return kGhcAe | (ghc_ie ? kGhcIe : 0);
    case kIs: return is;
    case kPi: return 1;
    case kVs: return kVersion;
    case kPxClb: return clb;
    case kPxClbu: return clbu;
    case kPxFb: return fb;
    case kPxFbu: return fbu;
    case kPxIs: return status_bits();
    case kPxIe: return px_ie;
    case kPxCmd: return command_word();
    case kPxTfd: return tfd;
    case kPxSig: return sig;
    case kPxSsts: return ssts;
    case kPxSctl: return sctl;
    case kPxSerr: return serr;
    case kPxSact: return sact;
    case kPxCi: return ci;
    default: return 0;
    }
}

u32 AhciRegisters::write(u32 offset, u32 value, u32 mask)
{
    const u32 set = value & mask;
    switch (offset) {
    case kGhc:
        ghc_ie = merge(ghc_ie ? kGhcIe : 0, value, mask) & kGhcIe;
        if (set & kGhcHr) {
            return kAhciHbaReset;
        }
        return 0;
    case kIs:
        is &= ~set;
        latch(); // what still stands in PxIS comes again
        return 0;
    case kPxClb: clb = merge(clb, value, mask) & ~0x3ffu; return 0;
    case kPxClbu: clbu = merge(clbu, value, mask); return 0;
    case kPxFb: fb = merge(fb, value, mask) & ~0xffu; return 0;
    case kPxFbu: fbu = merge(fbu, value, mask); return 0;
    case kPxIs: px_is &= ~set; return 0;
    case kPxIe:
        px_ie = merge(px_ie, value, mask) & kIsAll;
        latch();
        return 0;
    case kPxCmd: return write_command(merge(command_word(), value, mask), mask);
    case kPxSctl: return write_control(merge(sctl, value, mask) & 0xfff);
    case kPxSerr: serr &= ~set; return 0;
    case kPxSact: sact |= st ? set : 0; return 0;
    case kPxCi: ci |= st ? set : 0; return 0;
    default: return 0; // read-only or reserved
    }
}

u32 AhciRegisters::write_command(u32 value, u32 mask)
{
    u32 actions = 0;
    const bool was_on = st;
    st = value & kCmdSt;
    fre = value & kCmdFre;
    if (was_on && !st) {
        clear_commands();
        actions |= kAhciStop;
    }
    if ((value & mask & kCmdClo) && !st) {
        tfd &= ~(kTfdBsy | kTfdDrq);
    }
    const bool was_up = sud;
    sud = value & kCmdSud;
    if (sud && !was_up && (sctl & kDetMask) == 0) {
        actions |= kAhciConnect;
    } else if (was_up && !sud) {
        actions |= kAhciHold;
    }
    return actions;
}

u32 AhciRegisters::write_control(u32 value)
{
    const u32 was = sctl & kDetMask;
    const u32 det = value & kDetMask;
    sctl = value;
    if (det == was) {
        return 0;
    }
    if (det == kDetReset || det == kDetOffline) {
        return kAhciHold;
    }
    return det == 0 && sud && (was == kDetReset || was == kDetOffline) ? kAhciConnect : 0u;
}

void AhciRegisters::reset()
{
    const u32 bases[4] = {clb, clbu, fb, fbu};
    *this = AhciRegisters(generation_, ncq_);
    clb = bases[0];
    clbu = bases[1];
    fb = bases[2];
    fbu = bases[3];
}

void AhciRegisters::set_online()
{
    ssts = kDetPresent | generation_ << kSpdShift | kIpmActive;
    set_status(kTfdBsy, 0);
    raise_serr(kDiagX | kDiagN);
}

} // namespace tlmssd::ahci
