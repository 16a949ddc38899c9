// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the Unicorn back-end of IssIf: a shared module, so that GPL-2 code stays out of the program.
//
// Rules (docs/iss.md): uc_emu_stop is never called in a register access; a run ends with `wfi`;
// cycles come from the block hook with a cost that is computed once a block.
#include <sys/mman.h>
#include <unicorn/unicorn.h>

#include <cstdio>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "models/common/error.h"
#include "models/cpu/iss_cycles.h"
#include "models/cpu/iss_if.h"

namespace tlmssd::cpu {

namespace {

constexpr u32 kNoFreeCode = 0xffffffff; ///< odd: never an address of code
constexpr u64 kNoEnd = 0xffffffff;
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
};

struct CachedBlock {
    u32 bytes = 0;
    BlockCost cost;
};

class IssUnicorn final : public IssIf {
public:
    IssUnicorn()
    {
        check(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &uc_), "uc_open");
        add_hook(UC_HOOK_BLOCK, reinterpret_cast<void*>(&IssUnicorn::on_block));
        add_hook(UC_HOOK_MEM_UNMAPPED, reinterpret_cast<void*>(&IssUnicorn::on_unmapped));
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

    void map_memory(u32 address, u64 bytes) override
    {
        void* host = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (host == MAP_FAILED) {
            throw ModelError("iss: no memory for " + std::to_string(bytes) + " bytes");
        }
        const uc_err error = uc_mem_map_ptr(uc_, address, bytes, UC_PROT_ALL, host);
        if (error != UC_ERR_OK) {
            munmap(host, bytes);
            check(error, "uc_mem_map_ptr");
        }
        mappings_.push_back({address, bytes, static_cast<u8*>(host)});
    }

    void map_registers(u32 address, u32 bytes, IssRegistersIf& registers) override
    {
        registers_ = &registers;
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
    void set_pc(u32 pc) override { write_register(UC_RISCV_REG_PC, pc); }
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
        const uc_err error = uc_emu_start(uc_, pc(), kNoEnd, 0, 0);
        IssResult result;
        result.pc = pc();
        if (error != UC_ERR_OK || !fault_.empty()) {
            result.stop = IssStop::Fault;
            result.reason = !fault_.empty() ? fault_ : uc_strerror(error);
        } else if (bitten_) {
            result.stop = IssStop::Watchdog;
        } else if (const u8* before = memory(result.pc - 4, 4);
                   before != nullptr && std::memcmp(before, kWfi, sizeof kWfi) == 0) {
            result.stop = IssStop::Wfi;
        } else {
            result.reason = "stopped without wfi";
        }
        return result;
    }

    u64 cycles() const override { return cycles_; }
    u64 instructions() const override { return instructions_; }

    void set_free_code(u32 begin, u32 end) override
    {
        free_begin_ = begin;
        free_end_ = end;
        blocks_.clear();
    }

private:
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

    const BlockCost& cost_of(u32 address, u32 bytes)
    {
        const u32 index = address / 2;
        if (index >= kDirect) {
            return cost_of(far_blocks_[address], address, bytes);
        }
        if (index >= blocks_.size()) {
            blocks_.resize(index + 1024);
        }
        return cost_of(blocks_[index], address, bytes);
    }

    const BlockCost& cost_of(CachedBlock& block, u32 address, u32 bytes)
    {
        if (block.bytes != bytes) {
            block.bytes = bytes;
            const u8* code = memory(address, bytes);
            block.cost = code != nullptr ? block_cost(code, bytes, address, free_begin_) : BlockCost{};
            if (address >= free_begin_ && address < free_end_) {
                block.cost.cycles = 0;
            }
        }
        return block.cost;
    }

    static void on_block(uc_engine* uc, uint64_t address, uint32_t size, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        if (iss.instructions_ >= iss.limit_) { // between blocks: the state is consistent here
            iss.bitten_ = true;
            uc_emu_stop(uc);
            return;
        }
        const BlockCost& cost = iss.cost_of(static_cast<u32>(address), size);
        iss.in_free_code_ = address >= iss.free_begin_ && address < iss.free_end_;
        iss.cycles_ += cost.cycles;
        iss.instructions_ += cost.instructions;
    }

    static bool on_unmapped(uc_engine*, uc_mem_type type, uint64_t address, int bytes, int64_t,
                            void* self)
    {
        const char* what = type == UC_MEM_FETCH_UNMAPPED   ? "instruction fetch"
                           : type == UC_MEM_WRITE_UNMAPPED ? "store"
                                                           : "load";
        static_cast<IssUnicorn*>(self)->fault_ = std::string(what) + " of " + std::to_string(bytes) +
                                                 " bytes at " + hex(address) + ": no memory there";
        return false;
    }

    static void on_exception(uc_engine* uc, uint32_t number, void* self)
    {
        static_cast<IssUnicorn*>(self)->fault_ = "exception " + std::to_string(number);
        uc_emu_stop(uc);
    }

    static uint64_t on_load(uc_engine*, uint64_t offset, unsigned, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        iss.register_access();
        return iss.registers_->load(static_cast<u32>(offset));
    }

    static void on_store(uc_engine*, uint64_t offset, unsigned, uint64_t value, void* self)
    {
        auto& iss = *static_cast<IssUnicorn*>(self);
        iss.register_access();
        iss.registers_->store(static_cast<u32>(offset), static_cast<u32>(value));
    }

    void register_access() { cycles_ += in_free_code_ ? 0 : kRegisterWaitCycles; }

    static constexpr u32 kDirect = 1u << 20; ///< code below 2 MiB is looked up directly

    uc_engine* uc_ = nullptr;
    IssRegistersIf* registers_ = nullptr;
    std::vector<Mapping> mappings_;
    std::vector<CachedBlock> blocks_; ///< by address / 2
    std::unordered_map<u32, CachedBlock> far_blocks_;
    u64 cycles_ = 0;
    u64 instructions_ = 0;
    u64 limit_ = 0;
    u32 free_begin_ = kNoFreeCode;
    u32 free_end_ = kNoFreeCode;
    bool bitten_ = false;
    bool in_free_code_ = false;
    std::string fault_;
};

} // namespace

} // namespace tlmssd::cpu

extern "C" tlmssd::cpu::IssIf* tlmssd_iss_create(tlmssd::u32 version)
{
    if (version != tlmssd::cpu::kIssModuleVersion) {
        return nullptr;
    }
    return new tlmssd::cpu::IssUnicorn;
}
