// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: loading the x32 image, calls into it, and its calls of the HAL.
#include "models/cpu/iss/x32_firmware.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "firmware/boot/firmware.h"
#include "firmware/boot/x32_image.h"
#include "models/common/error.h"

namespace tlmssd::cpu {

namespace {

constexpr u64 kPage = 4096;
constexpr u64 kFastBase = X32_BASE + 0x1000000;
constexpr u64 kDramBase = X32_BASE + 0x2000000;
constexpr u64 kEnd = u64{1} << 32; ///< of what 32-bit pointers reach

u32 address_of(const void* memory) { return static_cast<u32>(reinterpret_cast<std::uintptr_t>(memory)); }

} // namespace

/// The functions of hal.h as the image calls them, in the order of cross.S. What the HalIf throws waits for the end of
/// the call into the image, which comes at once.
struct X32Firmware::Calls {
    template <class Call>
    static bool on(const struct ::hal* handle, const Call& call) noexcept
    {
        auto& self = *reinterpret_cast<X32Firmware*>(handle->host);
        try {
            return call(*self.hal_);
        } catch (...) {
            self.thrown_ = std::current_exception();
            *self.failed_ = 1;
            return false;
        }
    }
    static bool next_event(const struct ::hal* h, u32 core, hal_event* event) noexcept
    {
        return on(h, [&](HalIf& hal) { return hal.next_event(core, *event); });
    }
    static bool flash_submit(const struct ::hal* h, const flash_op* op) noexcept
    {
        return on(h, [&](HalIf& hal) { return hal.flash_submit(*op); });
    }
    static void host_dma(const struct ::hal* h, const struct hal_host_dma* dma) noexcept
    {
        on(h, [&](HalIf& hal) { return hal.host_dma(*dma), true; });
    }
    static void host_complete(const struct ::hal* h, u32 tag, u32 status) noexcept
    {
        on(h, [&](HalIf& hal) { return hal.host_complete(tag, status), true; });
    }
    static void copy(const struct ::hal* h, u32 dst, u32 src, u64 sectors, u32 cookie) noexcept
    {
        on(h, [&](HalIf& hal) { return hal.copy(dst, src, sectors, cookie), true; });
    }
    static void timer_arm(const struct ::hal* h, u32 id, u64 at_us) noexcept
    {
        on(h, [&](HalIf& hal) { return hal.timer_arm(id, at_us), true; });
    }
    static void send(const struct ::hal* h, u32 core, const hal_message* message) noexcept
    {
        on(h, [&](HalIf& hal) { return hal.send(core, *message), true; });
    }
    static void probe(const struct ::hal* h, u32 id, u32 value) noexcept
    {
        on(h, [&](HalIf& hal) { return hal.probe(id, value), true; });
    }
    static void panic(const struct ::hal* h, u32 code, u32 detail) noexcept
    {
        on(h, [&](HalIf& hal) {
            hal.panic(code, detail);
            throw ModelError("x32 firmware: panic, code " + std::to_string(code) + ", detail " +
                             std::to_string(detail));
            return true;
        });
    }
    static void fill(u64* table)
    {
        const auto put = [&table](auto* function) { *table++ = reinterpret_cast<std::uintptr_t>(function); };
        put(&next_event);
        put(&flash_submit);
        put(&host_dma);
        put(&host_complete);
        put(&copy);
        put(&timer_arm);
        put(&send);
        put(&probe);
        put(&panic);
    }
};

std::unique_ptr<X32Firmware> X32Firmware::make(const std::string& image, const fw& state)
{
    std::unique_ptr<X32Firmware> made(new X32Firmware(image, state));
    if (!made->map_all()) {
        return nullptr;
    }
    made->load();
    made->boot();
    return made;
}

X32Firmware::X32Firmware(const std::string& image, const fw& state)
    : image_(read_elf(image, ElfMachine::X32)), state_(state), layout_(state.cfg)
{
}

X32Firmware::~X32Firmware()
{
    for (const Mapping& mapping : {code_, fast_, dram_}) {
        if (mapping.data != nullptr) {
            munmap(mapping.data, mapping.bytes);
        }
    }
}

bool X32Firmware::map(Mapping& mapping, u64 address, u64 bytes)
{
    if (address + bytes > kEnd) {
        return false;
    }
    void* const wanted = reinterpret_cast<void*>(address);
    void* const got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == MAP_FAILED) {
        return false;
    }
    mapping = {static_cast<u8*>(got), bytes};
    return got == wanted; // an old kernel takes the address as a hint
}

bool X32Firmware::map_all()
{
    u64 end = X32_BASE;
    for (const ElfSegment& segment : image_.segments) {
        end = std::max(end, u64{segment.address} + segment.memory_bytes);
    }
    if (end > kFastBase || image_.segments.front().address != X32_BASE) {
        throw InputError(image_.path + ": an x32 image of another version: build it again");
    }
    return map(code_, X32_BASE, (end - X32_BASE + kPage - 1) / kPage * kPage) &&
           map(fast_, kFastBase, FW_FAST_BYTES) && map(dram_, kDramBase, layout_.bytes);
}

void X32Firmware::load()
{
    madvise(dram_.data, dram_.bytes, MADV_HUGEPAGE);
    for (const ElfSegment& segment : image_.segments) {
        u8* const to = code_.data + (segment.address - X32_BASE);
        std::copy(segment.data.begin(), segment.data.end(), to);
        if (segment.executable) {
            mprotect(to - segment.address % kPage, segment.memory_bytes + segment.address % kPage,
                     PROT_READ | PROT_EXEC);
        }
    }
    step_ = symbol("x32_step").address;
    idle_ = symbol("x32_idle").address;
    clear_stats_ = symbol("x32_clear_stats").address;
    failed_ = object<u8>("host_failed");
    object<struct ::hal>("hal")->host = reinterpret_cast<std::uintptr_t>(this);
    Calls::fill(object<u64>("host_calls"));
}

void X32Firmware::boot()
{
    const fw_config& config = state_.cfg;
    const auto dram_at = [this](u64 offset) { return dram_.data + (offset - layout_.from); };
    oob_ = dram_at(config.oob_base);
    tables_ = layout_.table_bytes != 0 ? dram_at(fw_table_base(&config)) : nullptr;
    auto& block = *object<x32_boot_block>("boot_block");
    block.config = config;
    block.arena = address_of(dram_at(layout_.arena));
    block.arena_bytes = static_cast<u32>(layout_.arena_bytes);
    block.fast = address_of(fast_.data);
    block.oob = address_of(oob_);
    block.tables = address_of(tables_);
    if (call(symbol("x32_boot").address) == 0) {
        throw ModelError(image_.path + ": the firmware's tables do not fit into " +
                         std::to_string(layout_.arena_bytes) + " bytes");
    }
}

u32 X32Firmware::call(u32 function, u64 a, u64 b)
{
    using CrossIn = u32 (*)(u64, u64, u64);
    const auto cross_in = reinterpret_cast<CrossIn>(std::uintptr_t{image_.entry});
    const u32 value = cross_in(function, a, b);
    if (thrown_ != nullptr) {
        std::rethrow_exception(thrown_); // it cannot go on
    }
    return value;
}

u64 X32Firmware::step(u32 core, u64 now_us)
{
    has_run_ = true;
    call(step_, core, now_us);
    return 0;
}

bool X32Firmware::idle() { return call(idle_) != 0; }

void X32Firmware::clear_stats() { call(clear_stats_); }

FirmwareSide X32Firmware::side() const
{
    const ElfSymbol& root = symbol("firmware", true);
    FirmwareSide side;
    side.memories = {FirmwareMemory{object<u8>("firmware"), root.address, root.bytes},
                     FirmwareMemory{fast_.data, address_of(fast_.data), fast_.bytes},
                     FirmwareMemory{dram_.data, address_of(dram_.data), dram_.bytes}};
    side.fixed = {{X32_BASE, code_.bytes}};
    return side;
}

const ElfSymbol& X32Firmware::symbol(const char* name, bool object) const
{
    const ElfSymbol* const found = object ? image_.find_object(name) : image_.find(name);
    if (found == nullptr) {
        throw InputError(image_.path + ": no symbol `" + name + "`: build it again");
    }
    return *found;
}

template <class T>
T* X32Firmware::object(const char* name) const
{
    return reinterpret_cast<T*>(code_.data + (symbol(name, true).address - X32_BASE));
}

} // namespace tlmssd::cpu
