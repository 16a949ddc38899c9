// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: functions that take the place of Unicorn's own of the same name (docs/explanation/iss.md).
#include "models/cpu/iss/iss_unicorn_inside.h"

#include <dlfcn.h>
#include <unicorn/unicorn.h>

#include <cstring>

#include "models/cpu/iss/iss_if.h"

namespace tlmssd::cpu {

namespace {

/// Unicorn's functions do not tell whose code runs.
thread_local SlowMemoryIf* running __attribute__((tls_model("initial-exec"))) = nullptr;

/// Bit n: Unicorn has called the n-th of the functions below instead of its own.
u32 taken_over = 0;
constexpr u32 kAllTakenOver = 0x3f;

/// A function of Unicorn's by its name; null where it is not exported.
template <class F>
F unicorns_own(const char* name)
{
    static void* const library = dlopen("libunicorn.so.2", RTLD_NOW | RTLD_NOLOAD);
    return library != nullptr ? reinterpret_cast<F>(dlsym(library, name)) : nullptr;
}

/// A load that translated code does not do itself. Bit `Bit` of taken_over.
template <class T, u32 Bit>
std::uint64_t load(const char* name, void* cpu, u32 address, u32 how, std::uintptr_t from)
{
    using Load = std::uint64_t (*)(void*, u32, u32, std::uintptr_t);
    static const auto own = unicorns_own<Load>(name);
    taken_over |= 1u << Bit;
    if (running != nullptr) {
        if (const u8* at = running->access(address, sizeof(T), false); at != nullptr) {
            T value;
            std::memcpy(&value, at, sizeof value);
            return value;
        }
        if constexpr (sizeof(T) == sizeof(u32)) {
            if (u32 value = 0; running->load_register(address, value)) {
                return value;
            }
        }
    }
    return own(cpu, address, how, from);
}

template <class T, u32 Bit>
void store(const char* name, void* cpu, u32 address, u32 value, u32 how, std::uintptr_t from)
{
    using Store = void (*)(void*, u32, u32, u32, std::uintptr_t);
    static const auto own = unicorns_own<Store>(name);
    taken_over |= 1u << Bit;
    if (running != nullptr) {
        if (u8* at = running->access(address, sizeof(T), true); at != nullptr) {
            const T narrow = static_cast<T>(value);
            std::memcpy(at, &narrow, sizeof narrow);
            return;
        }
        if constexpr (sizeof(T) == sizeof(u32)) {
            if (running->store_register(address, value)) {
                return;
            }
        }
    }
    own(cpu, address, value, how, from);
}

} // namespace

SlowMemoryIf* take_over(SlowMemoryIf* memory)
{
    SlowMemoryIf* const before = running;
    running = memory;
    return before;
}

bool can_take_over()
{
    constexpr u32 kProgram[] = {0x000012b7,  // lui t0,0x1
                                0x0002a303,  // lw t1,0(t0); each on a page of its own: the first
                                0x0062a023,  // sw t1,0(t0); access to a page is never translated code's
                                0x000022b7,  // lui t0,0x2
                                0x0002d303,  // lhu t1,0(t0)
                                0x000032b7,  // lui t0,0x3
                                0x0002c303,  // lbu t1,0(t0)
                                0x000042b7,  // lui t0,0x4
                                0x00629023,  // sh t1,0(t0)
                                0x000052b7,  // lui t0,0x5
                                0x00628023,  // sb t1,0(t0)
                                0x000062b7,  // lui t0,0x6
                                0x0062a023,  // sw t1,0(t0)
                                0x10500073}; // wfi
    uc_engine* uc = nullptr;
    if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV32, &uc) != UC_ERR_OK) {
        return false;
    }
    taken_over = 0;
    if (uc_mem_map(uc, 0, 0x8000, UC_PROT_ALL) == UC_ERR_OK &&
        uc_mem_write(uc, 0, kProgram, sizeof kProgram) == UC_ERR_OK) {
        uc_emu_start(uc, 0, 0xffffffff, 0, 0);
    }
    uc_close(uc);
    return taken_over == kAllTakenOver;
}

} // namespace tlmssd::cpu

using tlmssd::cpu::load;
using tlmssd::cpu::running;
using tlmssd::cpu::store;
using tlmssd::cpu::unicorns_own;

// The functions below take the place of Unicorn's own of the same name. Unicorn exports those and calls them
// through its PLT or a relocated table, and this module comes first in its look-up scope. A version
// that does not is found out by can_take_over(); it works too, slowly.

// What translated code calls for a page that is not in the TLB. Pages with wait states never get there:
// all their loads and stores come here, are charged and done. Others go the usual way.
extern "C" std::uint64_t helper_ret_ldub_mmu_riscv32(void* cpu, std::uint32_t address, std::uint32_t how,
                                                     std::uintptr_t from)
{
    return load<std::uint8_t, 0>("helper_ret_ldub_mmu_riscv32", cpu, address, how, from);
}
extern "C" std::uint64_t helper_le_lduw_mmu_riscv32(void* cpu, std::uint32_t address, std::uint32_t how,
                                                    std::uintptr_t from)
{
    return load<std::uint16_t, 1>("helper_le_lduw_mmu_riscv32", cpu, address, how, from);
}
extern "C" std::uint64_t helper_le_ldul_mmu_riscv32(void* cpu, std::uint32_t address, std::uint32_t how,
                                                    std::uintptr_t from)
{
    return load<std::uint32_t, 2>("helper_le_ldul_mmu_riscv32", cpu, address, how, from);
}
extern "C" void helper_ret_stb_mmu_riscv32(void* cpu, std::uint32_t address, std::uint32_t value,
                                           std::uint32_t how, std::uintptr_t from)
{
    store<std::uint8_t, 3>("helper_ret_stb_mmu_riscv32", cpu, address, value, how, from);
}
extern "C" void helper_le_stw_mmu_riscv32(void* cpu, std::uint32_t address, std::uint32_t value,
                                          std::uint32_t how, std::uintptr_t from)
{
    store<std::uint16_t, 4>("helper_le_stw_mmu_riscv32", cpu, address, value, how, from);
}
extern "C" void helper_le_stl_mmu_riscv32(void* cpu, std::uint32_t address, std::uint32_t value,
                                          std::uint32_t how, std::uintptr_t from)
{
    store<std::uint32_t, 5>("helper_le_stl_mmu_riscv32", cpu, address, value, how, from);
}

// Unicorn 2.0.1 sends every store through a slow path that looks for translated code, with a lock
// and a tree on the heap: four fifths of its time. Memory that the CPU can store to holds no code here
// (kIssCodeBytes), so there is never any: each page is marked as one whose stores need no look. A page
// with wait states, which only an atomic brings here, is used for that one access (its size below a page).
extern "C" void tlb_set_page_with_attrs_riscv32(void* cpu, std::uint32_t address, std::uint64_t physical,
                                                std::uint32_t attributes, int rights, int mmu,
                                                std::uint32_t bytes)
{
    using SetPage = void (*)(void*, std::uint32_t, std::uint64_t, std::uint32_t, int, int, std::uint32_t);
    using SetDirty = void (*)(void*, std::uint32_t);
    static const auto set_page = unicorns_own<SetPage>("tlb_set_page_with_attrs_riscv32");
    static const auto set_dirty = unicorns_own<SetDirty>("tlb_set_dirty_riscv32");
    const bool slow = running != nullptr && running->has(address);
    set_page(cpu, address, physical, attributes, rights, mmu, slow ? 1 : bytes);
    constexpr int kPageWrite = 2;
    if ((rights & kPageWrite) != 0 && address >= tlmssd::cpu::kIssCodeBytes && running != nullptr &&
        !slow && set_dirty != nullptr) {
        set_dirty(cpu, address);
    }
}
