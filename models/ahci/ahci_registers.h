// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the registers of an AHCI host adapter with one port. Pure: no time, no kernel.
#pragma once

#include "models/ahci/ahci_layout.h"

namespace tlmssd::ahci {

/// Actions that a write demands of the adapter, beyond the change of the registers. Bits.
enum AhciAction : u32 {
    kAhciStop = 1u << 0,     ///< PxCMD.ST: 1 -> 0
    kAhciHbaReset = 1u << 1, ///< GHC.HR
    kAhciHold = 1u << 2,     ///< the line is held in COMRESET, or switched off
    kAhciConnect = 1u << 3   ///< COMRESET ends now, the device may answer
};

class AhciRegisters {
public:
    /// generation: 1, 2, 3 for 1.5, 3, 6 Gb/s.
    AhciRegisters(u32 generation, bool ncq);

    /// `offset`: a multiple of 4 below kBytes. Reserved registers read 0.
    u32 read(u32 offset) const;
    /// Only bits of `mask` are written. Returns AhciActions.
    u32 write(u32 offset, u32 value, u32 mask = 0xffffffff);

    bool interrupt() const { return ghc_ie && is != 0; }
    /// Sets bits of PxIS, and IS where PxIE lets them through.
    void raise(u32 bits)
    {
        px_is |= bits;
        latch();
    }
    void raise_serr(u32 bits)
    {
        serr |= bits;
        latch();
    }
    void set_status(u32 status, u32 error) { tfd = (status & 0xff) | (error & 0xff) << 8; }
    u32 status() const { return tfd & 0xff; }
    bool busy() const { return tfd & (kTfdBsy | kTfdDrq); }
    u64 command_list() const { return u64{clbu} << 32 | clb; }
    u64 fis_area() const { return u64{fbu} << 32 | fb; }
    /// The engine takes commands: ST, and FRE, without which nothing could be received.
    bool running() const { return st && fre; }
    /// As after GHC.HR: the base addresses stay.
    void reset();
    void power_on() { *this = AhciRegisters(generation_, ncq_); }
    /// The line is up, or it is not.
    void set_online();
    void set_offline(u32 det) { ssts = det; }
    /// CI, SActive and CCS, as ST = 0 leaves them.
    void clear_commands() { ci = sact = ccs = 0; }

    // Registers that the adapter reads and changes itself.
    bool ghc_ie = false;
    u32 is = 0;
    u32 clb = 0;
    u32 clbu = 0;
    u32 fb = 0;
    u32 fbu = 0;
    u32 px_is = 0; ///< without the bits that PxSERR makes
    u32 px_ie = 0;
    bool st = false;
    bool sud = false;
    bool fre = false;
    bool engine = false; ///< works still, perhaps after ST = 0
    u32 ccs = 0;
    u32 tfd = kTfdReset;
    u32 sig = kSigReset;
    u32 ssts = 0;
    u32 sctl = 0;
    u32 serr = 0;
    u32 sact = 0;
    u32 ci = 0;

private:
    u32 status_bits() const;
    u32 command_word() const;
    u32 write_command(u32 value, u32 mask);
    u32 write_control(u32 value);
    void latch() { is |= (status_bits() & px_ie) != 0 ? 1u : 0u; }

    u32 generation_;
    bool ncq_;
};

} // namespace tlmssd::ahci
