// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what gdb may ask of the RV32 core, packet by packet, without a socket or a core of its own.
#pragma once

#include <set>
#include <string>

#include "models/common/types.h"

namespace tlmssd::cpu {

/// The core as gdb sees it.
class GdbTargetIf {
public:
    static constexpr u32 kPc = 32; ///< number of the PC, after x0 to x31
    static constexpr u32 kRegisters = 33;
    virtual ~GdbTargetIf() = default;
    virtual u32 gdb_register(u32 number) = 0;
    virtual void gdb_set_register(u32 number, u32 value) = 0;
    /// The bytes from `address` on that are memory (registers of devices are not), at most `bytes`.
    virtual std::string gdb_read(u32 address, u32 bytes) = 0;
    /// False: not all of it is memory that may be written; nothing is.
    virtual bool gdb_write(u32 address, const std::string& bytes) = 0;
};

/// Signals of stop replies (the numbers are gdb's own).
enum GdbSignal : u32 {
    kGdbInterrupt = 2,
    kGdbIllegal = 4,
    kGdbTrap = 5,
    kGdbAccess = 11, ///< SIGSEGV
    kGdbWatchdog = 14 ///< SIGALRM
};

class GdbStub {
public:
    enum class Mode { Halted, Step, Continue, Detached, Killed };
    struct Answer {
        bool now = true; ///< false: the answer is the stop reply that follows some time
        std::string text; ///< empty: "not supported"
    };

    explicit GdbStub(GdbTargetIf& target) : target_(target) {}

    /// One packet while the core is halted. May set mode() to another than Halted.
    Answer packet(const std::string& payload);

    Mode mode() const { return mode_; }
    /// The core stands before the instruction at `pc`, and mode() is Step, or Continue.
    bool stops_at(u32 pc) const
    {
        return mode_ == Mode::Step || (mode_ == Mode::Continue && breakpoints_.count(pc) != 0);
    }
    /// Halt; the stop reply.
    std::string halt(u32 signal);
    /// Acknowledgements are wanted (until QStartNoAckMode).
    bool acknowledges() const { return acknowledges_; }

private:
    Answer query(const std::string& p);
    Answer resume(const std::string& p);
    std::string all_registers();
    std::string set_all_registers(const std::string& digits);
    std::string one_register(const std::string& p);
    std::string memory(const std::string& p);
    std::string set_memory(const std::string& p, bool binary);
    std::string breakpoint(const std::string& p);

    GdbTargetIf& target_;
    Mode mode_ = Mode::Halted;
    u32 signal_ = kGdbTrap;
    bool acknowledges_ = true;
    std::set<u32> breakpoints_;
};

} // namespace tlmssd::cpu
