// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Unicorn back-end of IssIf: a shared module, so that GPL-2 code stays out of the program.
//
// Rules (docs/explanation/iss.md): uc_emu_stop is never called in a register access; a run ends with `wfi`;
// cycles come from the block hook with a cost that is computed once a block.
#include <sys/mman.h>
#include <unicorn/unicorn.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "models/common/error.h"
#include "models/cpu/iss/gdb_stub.h"
#include "models/cpu/iss/iss_cycles.h"
#include "models/cpu/iss/iss_if.h"
#include "models/cpu/iss/iss_unicorn_inside.h"

namespace tlmssd::cpu {

namespace {

constexpr u32 kNoFreeCode = 0xffffffff; ///< odd: never an address of code
constexpr u64 kNoEnd = 0xffffffff;
constexpr u32 kPastException = 4; ///< Unicorn's PC after an exception that a hook has taken
constexpr u8 kWfi[4] = {0x73, 0x00, 0x50, 0x10};

void check(uc_err error, const char* what)
{
    if (error != UC_ERR_OK) {
        throw ModelError(std::string("unicorn: ") + what + ": " + uc_strerror(error));
    }
}

std::string hex(u64 value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%08llx", static_cast<unsigned long long>(value));
    return text;
}

struct Mapping {
    u32 address;
    u64 bytes;
    u8* host;
    WaitStates waits;
};

/// Counts are since clear_profile().
struct CachedBlock {
    u32 bytes = 0;
    BlockCost cost;
    u64 executions = 0; ///< at this cost
    u64 before = 0;     ///< executions while the block had another length
    u64 cycles = 0;     ///< of those, and all wait states

    void take(BlockCost now)
    {
        before += executions;
        cycles += executions * cost.cycles;
        executions = 0;
        cost = now;
    }
};

class IssUnicorn final : public IssIf, private SlowMemoryIf {
public:
    /// `plain`: by Unicorn's documented functions only.
    explicit IssUnicorn(bool plain) : plain_(plain)
    {
        check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &uc_), "uc_open");
        add_hook(UC_HOOK_BLOCK, reinterpret_cast<void*>(&IssUnicorn::on_block));
        add_hook(UC_HOOK_MEM_UNMAPPED | UC_HOOK_MEM_PROT,
                 reinterpret_cast<void*>(&IssUnicorn::on_bad_access));
        add_hook(UC_HOOK_INTR, reinterpret_cast<void*>(&IssUnicorn::on_exception));
    }
    ~IssUnicorn() override
    {
        uc_close(uc_);
        for (const Mapping& m : mappings_) {
            munmap(m.host, m.bytes);
        }
    }
    IssUnicorn(const IssUnicorn&) = delete;
    IssUnicorn& operator=(const IssUnicorn&) = delete;

    void map_memory(u32 address, u64 bytes, WaitStates waits) override
    {
        void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (host == MAP_FAILED) {
            throw ModelError("out of memory: the ISS needs " + std::to_string(bytes) + " bytes");
        }
        const u32 rights = address < kIssCodeBytes ? UC_PROT_READ | UC_PROT_EXEC
                                                   : UC_PROT_READ | UC_PROT_WRITE;
        const uc_err error = uc_mem_map_ptr(uc_, address, bytes, rights, host);
        if (error != UC_ERR_OK) {
            munmap(host, bytes);
            check(error, "uc_mem_map_ptr");
        }
        mappings_.push_back({address, bytes, static_cast<u8*>(host), waits});
        if (waits.load == 0 && waits.store == 0) {
            return;
        }
        if (plain_) {
            uc_hook hook = 0;
            check(uc_hook_add(uc_, &hook, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE,
                              reinterpret_cast<void*>(&IssUnicorn::on_slow_access), this, address,
                              address + bytes - 1),
                  "uc_hook_add");
        } else {
            slow_.push_back(mappings_.back());
        }
    }

    void map_registers(u32 address, u32 bytes, IssRegistersIf& registers) override
    {
        registers_ = &registers;
        registers_begin_ = address;
        registers_bytes_ = bytes;
        check(uc_mmio_map(uc_, address, bytes, &IssUnicorn::on_load, this, &IssUnicorn::on_store, this),
              "uc_mmio_map");
    }

    u8* memory(u32 address, u64 bytes) override
    {
        for (const Mapping& m : mappings_) {
            if (address >= m.address && address - m.address + bytes <= m.bytes) {
                return m.host + (address - m.address);
            }
        }
        return nullptr;
    }

    u32 pc() const override { return read_register(UC_RISCV_REG_PC); }
    void set_pc(u32 pc) override
    {
        write_register(UC_RISCV_REG_PC, pc);
        jumped_ = true;
    }
    u32 reg(u32 number) const override { return read_register(UC_RISCV_REG_X0 + static_cast<int>(number)); }
    void set_reg(u32 number, u32 value) override
    {
        write_register(UC_RISCV_REG_X0 + static_cast<int>(number), value);
    }

    IssResult run(u64 watchdog) override
    {
        limit_ = instructions_ + watchdog;
        bitten_ = false;
        fault_.clear();
        fault_is_access_ = fault_is_exception_ = false;
        SlowMemoryIf* const before = take_over(plain_ ? nullptr : this);
        uc_err error = UC_ERR_OK;
        do { // where a debugger's new PC ends uc_emu_start() (in 2.0.1 it goes on there by itself)
            jumped_ = false;
            error = uc_emu_start(uc_, pc(), kNoEnd, 0, 0);
        } while (jumped_);
        take_over(before);
        add_to_total();
        IssResult result;
        result.pc = pc();
        if (error != UC_ERR_OK || !fault_.empty()) {
            result.stop = IssStop::Fault;
            result.reason = !fault_.empty() ? fault_ : uc_strerror(error);
            if (fault_is_access_) {
                result.pc = accessing(result.pc);
            } else if (fault_is_exception_) {
                result.pc -= kPastException;
            }
        } else if (bitten_) {
            result.stop = IssStop::Watchdog;
        } else if (const u8* last = memory(result.pc - 4, 4);
                   last != nullptr && std::memcmp(last, kWfi, sizeof kWfi) == 0) {
            result.stop = IssStop::Wfi;
        } else {
            result.reason = "stopped without wfi";
        }
        if (debugger_ != nullptr && result.stop != IssStop::Wfi) {
            debugger_->on_fault(result.pc, bitten_            ? kGdbWatchdog
                                           : fault_is_access_ ? kGdbAccess
                                                              : kGdbIllegal);
        }
        return result;
    }

    const u64& cycles() const override { return cycles_; }
    u64 instructions() const override { return instructions_; }

    void set_free_code(u32 begin, u32 end) override
    {
        free_begin_ = begin;
        free_end_ = end;
        std::fill(blocks_.begin(), blocks_.end(), CachedBlock{});
    }

    void count_by(const u32* selector, u64* totals, u32 entries) override
    {
        add_to_total();
        selector_ = selector != nullptr ? selector : &kNothing;
        totals_ = selector != nullptr ? totals : &ignored_;
        entries_ = selector != nullptr ? entries : 1;
        selected_ = kNothing;
    }

    void set_debugger(IssDebuggerIf& debugger) override
    {
        debugger_ = &debugger;
        add_hook(UC_HOOK_CODE, reinterpret_cast<void*>(&IssUnicorn::on_instruction));
    }

    std::vector<IssBlockCost> profile() const override
    {
        std::vector<IssBlockCost> all;
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            CachedBlock block = blocks_[i];
            block.take({});
            if (block.before != 0) {
                all.push_back({static_cast<u32>(2 * i), block.before, block.cycles});
            }
        }
        return all;
    }

    void clear_profile() override
    {
        for (CachedBlock& block : blocks_) {
            block.executions = block.before = block.cycles = 0;
        }
    }

private:
    u8* access(u32 address, u32 bytes, bool is_store) override
    {
        for (const Mapping& m : slow_) {
            if (address - m.address <= m.bytes - bytes) {
                wait(is_store ? m.waits.store : m.waits.load);
                return m.host + (address - m.address);
            }
        }
        return nullptr;
    }
    bool load_register(u32 address, u32& value) override
    {
        if (address - registers_begin_ >= registers_bytes_) {
            return false;
        }
        value = static_cast<u32>(on_load(uc_, address - registers_begin_, sizeof value, this));
        return true;
    }
    bool store_register(u32 address, u32 value) override
    {
        if (address - registers_begin_ >= registers_bytes_) {
            return false;
        }
        on_store(uc_, address - registers_begin_, sizeof value, value, this);
        return true;
    }
    bool has(u32 address) const override
    {
        return std::any_of(slow_.begin(), slow_.end(),
                           [&](const Mapping& m) { return address - m.address < m.bytes; });
    }

    void add_hook(int type, void* function)
    {
        uc_hook hook = 0;
        check(uc_hook_add(uc_, &hook, type, function, this, 1, 0), "uc_hook_add");
    }

    u32 read_register(int id) const
    {
        u32 value = 0;
        check(uc_reg_read(uc_, id, &value), "uc_reg_read");
        return value;
    }
    void write_register(int id, u32 value) { check(uc_reg_write(uc_, id, &value), "uc_reg_write"); }

    CachedBlock& block_at(u32 address, u32 bytes)
    {
        CachedBlock& block = blocks_[std::min<std::size_t>(address / 2, blocks_.size() - 1)];
        if (block.bytes != bytes) {
            block.bytes = bytes;
            const u8* code = memory(address, bytes);
            BlockCost cost = code != nullptr ? block_cost(code, bytes, address, free_begin_) : BlockCost{};
            if (address >= free_begin_ && address < free_end_) {
                cost.cycles = 0;
            }
            block.take(cost);
        }
        return block;
    }

    /// The instruction of the running block that accesses the faulty address: the block's registers
    /// are those at the fault, but Unicorn's PC stands at its beginning.
    u32 accessing(u32 begin) const
    {
        const u8* code = const_cast<IssUnicorn*>(this)->memory(begin, block_->bytes);
        for (u32 at = 0; code != nullptr && at < block_->bytes;) {
            u32 bits = 0;
            std::memcpy(&bits, code + at, std::min<u32>(4, block_->bytes - at));
            const MemoryAccess access = memory_access(bits);
            if (access.any && reg(access.base) + static_cast<u32>(access.offset) == fault_address_) {
                return begin + at;
            }
            at += (bits & 3) == 3 ? 4 : 2;
        }
        return begin;
    }

    static void on_block(uc_engine* uc, uint64_t address, uint32_t size, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        if (iss.instructions_ >= iss.limit_) { // between blocks: the state is consistent here
            iss.bitten_ = true;
            uc_emu_stop(uc);
            return;
        }
        CachedBlock& block = iss.block_at(static_cast<u32>(address), size);
        iss.instructions_ += block.cost.instructions;
        iss.block_ = &block;
        if (const u32 selected = *iss.selector_; selected != iss.selected_) {
            iss.add_to_total();
            iss.selected_ = selected;
        }
        ++block.executions;
        iss.cycles_ += block.cost.cycles;
    }

    static void on_instruction(uc_engine*, uint64_t address, uint32_t, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        iss.jumped_ = false;
        iss.debugger_->on_instruction(static_cast<u32>(address));
    }

    static bool on_bad_access(uc_engine*, uc_mem_type type, uint64_t address, int bytes, int64_t,
                              void* self)
    {
        const bool fetch = type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT;
        const bool store = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
        const bool mapped = type >= UC_MEM_WRITE_PROT && type <= UC_MEM_FETCH_PROT;
        auto& iss = *static_cast<IssUnicorn*>(self);
        iss.fault_ = std::string(fetch ? "instruction fetch" : store ? "store" : "load") + " of " +
                     std::to_string(bytes) + " bytes at " + hex(address) +
                     (mapped ? (fetch ? ": not code" : ": read-only code memory") : ": no memory there");
        iss.fault_address_ = static_cast<u32>(address);
        iss.fault_is_access_ = !fetch;
        return false;
    }

    static void on_exception(uc_engine* uc, uint32_t number, void* self)
    {
        static const char* const kNames[] = {"misaligned instruction fetch", "instruction fetch",
                                             "illegal instruction",          "breakpoint",
                                             "misaligned load",              "load",
                                             "misaligned store",             "store"};
        auto& iss = *static_cast<IssUnicorn*>(self);
        iss.fault_ = number < std::size(kNames) ? kNames[number] : "exception " + std::to_string(number);
        iss.fault_is_exception_ = true;
        uc_emu_stop(uc);
    }

    static uint64_t on_load(uc_engine*, uint64_t offset, unsigned, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        iss.wait(kRegisterWaits.load);
        return iss.registers_->load(static_cast<u32>(offset));
    }

    static void on_store(uc_engine*, uint64_t offset, unsigned, uint64_t value, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        iss.wait(kRegisterWaits.store);
        iss.registers_->store(static_cast<u32>(offset), static_cast<u32>(value));
    }

    static void on_slow_access(uc_engine*, uc_mem_type type, uint64_t address, int, int64_t, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        for (const Mapping& m : iss.mappings_) {
            if (static_cast<u32>(address) - m.address < m.bytes) {
                iss.wait(type == UC_MEM_READ ? m.waits.load : m.waits.store);
            }
        }
    }

    /// All cycles since the last call were of one entry.
    void add_to_total()
    {
        totals_[selected_ < entries_ ? selected_ : 0] += cycles_ - added_;
        added_ = cycles_;
    }

    void wait(u32 cycles)
    {
        if (block_->cost.cycles != 0) { // else free code
            cycles_ += cycles;
            block_->cycles += cycles;
        }
    }

    static constexpr u32 kNothing = 0;

    const bool plain_;
    uc_engine* uc_ = nullptr;
    IssRegistersIf* registers_ = nullptr;
    u32 registers_begin_ = 0;
    u32 registers_bytes_ = 0;
    std::vector<Mapping> mappings_;
    std::vector<Mapping> slow_; ///< those with wait states that access() serves
    std::vector<CachedBlock> blocks_ = std::vector<CachedBlock>(kIssCodeBytes / 2); ///< by address / 2
    CachedBlock* block_ = &blocks_.front(); ///< that runs
    u64 ignored_ = 0;
    const u32* selector_ = &kNothing; ///< of count_by()
    u64* totals_ = &ignored_;
    u32 selected_ = kNothing; ///< entry that the running block counts for
    u64 added_ = 0;           ///< cycles_ that are in totals_
    u32 entries_ = 1;
    u64 cycles_ = 0;
    u64 instructions_ = 0;
    u64 limit_ = 0;
    u32 free_begin_ = kNoFreeCode;
    u32 free_end_ = kNoFreeCode;
    bool bitten_ = false;
    bool jumped_ = false; ///< the PC was set, and nothing has run there yet
    IssDebuggerIf* debugger_ = nullptr;
    std::string fault_;
    u32 fault_address_ = 0;
    bool fault_is_access_ = false; ///< a load or store, not a fetch
    bool fault_is_exception_ = false;
};


} // namespace

} // namespace tlmssd::cpu

extern "C" tlmssd::cpu::IssIf* tlmssd_iss_create(tlmssd::u32 version)
{
    if (version != tlmssd::cpu::kIssModuleVersion) {
        return nullptr;
    }
    static const bool possible = tlmssd::cpu::can_take_over();
    return new tlmssd::cpu::IssUnicorn(!possible || std::getenv("TLMSSD_ISS_PLAIN") != nullptr);
}
