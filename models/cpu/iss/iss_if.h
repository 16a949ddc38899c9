// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: an instruction set simulator for RV32IMAC with an exchangeable back-end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/types.h"
#include "models/cpu/iss/iss_cycles.h"

namespace tlmssd::cpu {

/// Memory-mapped registers: called for each access of the CPU, whole 32-bit words only. Must not
/// throw (the call comes through the back-end's C code) and must not stop the simulator.
class IssRegistersIf {
public:
    virtual ~IssRegistersIf() = default;
    virtual u32 load(u32 offset) noexcept = 0;
    virtual void store(u32 offset, u32 value) noexcept = 0;
};

enum class IssStop {
    Wfi,      ///< the CPU has executed `wfi`; the PC is after it
    Watchdog, ///< too many instructions without one
    Fault     ///< an access without memory, an illegal instruction
};

struct IssResult {
    IssStop stop = IssStop::Fault;
    u32 pc = 0; ///< Fault: of the instruction where it is known, else of its basic block
    std::string reason; ///< Fault: the back-end's words
};

/// Looks at the core before each instruction. May block; may read and write registers, also the PC (the
/// run goes on there), and memory. Time and cycles know nothing of it.
class IssDebuggerIf {
public:
    virtual ~IssDebuggerIf() = default;
    virtual void on_instruction(u32 pc) noexcept = 0;
    /// The run ends with IssStop::Fault or Watchdog at `pc`; a GdbSignal (gdb_stub.h).
    virtual void on_fault(u32 pc, u32 signal) noexcept = 0;
};

struct IssBlockCost {
    u32 address = 0;
    u64 executions = 0;
    u64 cycles = 0; ///< wait states of registers included
};

/// Memory mapped below this address is code, which the CPU cannot store to; it runs nothing else.
inline constexpr u32 kIssCodeBytes = 0x40000;

/// One RV32IMAC hart in machine mode. Addresses and sizes of mappings are multiples of 4 KiB.
class IssIf {
public:
    virtual ~IssIf() = default;

    /// Zeroed memory; each load and store of it takes `waits` longer, an atomic as both. Throws
    /// ModelError where the back-end refuses the range.
    virtual void map_memory(u32 address, u64 bytes, WaitStates waits) = 0;
    virtual void map_registers(u32 address, u32 bytes, IssRegistersIf& registers) = 0;

    /// The bytes themselves; nullptr where they do not lie in one mapping. Code that has been
    /// executed must not be changed.
    virtual u8* memory(u32 address, u64 bytes) = 0;

    virtual u32 pc() const = 0;
    virtual void set_pc(u32 pc) = 0;
    /// x0 to x31.
    virtual u32 reg(u32 number) const = 0;
    virtual void set_reg(u32 number, u32 value) = 0;

    /// Run from the PC until `wfi`. The watchdog bites at the first block that begins after
    /// `watchdog` instructions of this call.
    virtual IssResult run(u64 watchdog) = 0;

    /// The counter (it stays where it is) of cycles since creation by the table of docs/explanation/cpu.md;
    /// within a register access the whole basic block that contains it is counted already.
    virtual const u64& cycles() const = 0;
    virtual u64 instructions() const = 0;

    /// Code in [begin, end) costs nothing, nor does a jump to `begin` by `jal` (hal_probe).
    virtual void set_free_code(u32 begin, u32 end) = 0;

    /// From here on add the cycles of each block to totals[*selector], read when the block begins;
    /// values of `entries` and above count for entry 0. nullptr: no longer.
    virtual void count_by(const u32* selector, u64* totals, u32 entries) = 0;

    /// Before any code has run, and for good; slower by several times, with the same results.
    virtual void set_debugger(IssDebuggerIf& debugger) = 0;

    /// The cost of each basic block since the last clear_profile(), by address.
    virtual std::vector<IssBlockCost> profile() const = 0;
    virtual void clear_profile() = 0;
};

/// Interface version of the modules; raised with every change of IssIf.
inline constexpr u32 kIssModuleVersion = 4;

/// Load a back-end from a shared module with `extern "C" IssIf* tlmssd_iss_create(u32 version)`.
/// The module stays loaded. Throws InputError where the file is absent or of another version.
std::unique_ptr<IssIf> load_iss(const std::string& module);

/// The Unicorn back-end: $TLMSSD_ISS_MODULE, else libtlmssd_iss_unicorn.so beside the executable
/// or in ../lib from there. Throws InputError where there is none, saying how to get it.
std::unique_ptr<IssIf> load_iss_unicorn();

/// The firmware image tlmssd_fw_rv32.elf beside the executable or in ../firmware from there. Throws
/// InputError where there is none, saying how to get it.
std::string find_rv32_image();
/// tlmssd_fw_x32.elf in the same places (x32_firmware.h); empty where this build has none.
std::string find_x32_image();

} // namespace tlmssd::cpu
