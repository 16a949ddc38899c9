// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: firmware for this machine with 32-bit pointers, which takes the ISS's place where no time passes.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "models/cpu/executor_if.h"
#include "models/cpu/iss/handover.h"
#include "models/cpu/iss/iss_elf.h"
#include "models/cpu/iss/iss_firmware.h"

namespace tlmssd::cpu {

/// The image of firmware/port/x32, at the address it is linked to and so once in a process, and memory below 4 GiB.
/// Steps cost no cycles.
class X32Firmware final : public ExecutorIf {
public:
    /// Boots from the configuration of `state`, which state() shows and no step changes. Null: the addresses are in
    /// use. Throws InputError for a bad image, ModelError where the firmware does not come up.
    static std::unique_ptr<X32Firmware> make(const std::string& image, const fw& state);
    ~X32Firmware() override;
    X32Firmware(const X32Firmware&) = delete;
    X32Firmware& operator=(const X32Firmware&) = delete;

    void connect(HalIf& hal) override { hal_ = &hal; }
    u64 step(u32 core, u64 now_us) override;
    const u64& step_cycles() const override { return no_cycles_; }
    void hint(u64) override {}
    void hint_completion(u32) override {}
    bool fill(u32, u32) override { return false; }
    bool idle() override;
    void set_probing(u32) override {} // nothing is shown
    void clear_stats() override;
    const fw& state() const override { return state_; }
    void refresh_wear() override {}

    const std::string& path() const { return image_.path; }
    /// A step has been run since the boot, by this one or by that whose memory it has.
    bool has_run() const { return has_run_; }
    /// The memories of side() are those of another one after its steps.
    void restored() { has_run_ = true; }
    /// The OOB records of the flash tags, and the table pages or null.
    u8* oob() const { return oob_; }
    u8* tables() const { return tables_; }
    FirmwareSide side() const;

private:
    struct Calls;
    struct Mapping {
        u8* data = nullptr;
        u64 bytes = 0;
    };

    X32Firmware(const std::string& image, const fw& state);
    static bool map(Mapping& mapping, u64 address, u64 bytes);
    bool map_all();
    void load();
    void boot();
    u32 call(u32 function, u64 a = 0, u64 b = 0);
    const ElfSymbol& symbol(const char* name, bool object = false) const;
    template <class T>
    T* object(const char* name) const;

    ElfImage image_;
    const fw& state_;
    FirmwareDram layout_;
    Mapping code_, fast_, dram_;
    u8* oob_ = nullptr;
    u8* tables_ = nullptr;
    u32 step_ = 0, idle_ = 0, clear_stats_ = 0; ///< addresses of functions
    u8* failed_ = nullptr;
    bool has_run_ = false;
    HalIf* hal_ = nullptr;
    std::exception_ptr thrown_;
    const u64 no_cycles_ = 0;
};

} // namespace tlmssd::cpu
