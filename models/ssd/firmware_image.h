// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the native firmware's memory: its configuration, its state, its arena.
#pragma once

#include <string>

#include "firmware/core/fw.h"
#include "models/config/config.h"
#include "models/cpu/iss/iss_executor.h"

namespace tlmssd::ssd {

/// The firmware's description of the device. InputError where a 32-bit page number is too small.
fw_config firmware_config(const config::Config& config);

/// Firmware state on zeroed, lazily backed memory: a large device costs what it touches.
class FirmwareImage {
public:
    explicit FirmwareImage(const config::Config& config);
    ~FirmwareImage();
    FirmwareImage(const FirmwareImage&) = delete;
    FirmwareImage& operator=(const FirmwareImage&) = delete;

    fw& state() { return state_; }
    const fw& state() const { return state_; }
    /// Where the state of firmware on an ISS is to appear, for those that look at state().
    cpu::IssMirror mirror();
    /// The memory of all its tables.
    struct Arena {
        void* data;
        u64 bytes;
    };
    Arena arena() { return {tables_, tables_bytes_}; }
    /// DRAM bytes of all page buffers (the firmware's and garbage collection's).
    u64 buffer_bytes() const { return buffer_bytes_; }

private:
    fw state_{};
    u64 arena_bytes_;
    u64 buffer_bytes_;
    void* arena_;
    void* tables_; ///< the part of the arena that the firmware has
    u64 tables_bytes_;
};

/// The outstanding work of the firmware when the device has stopped, in lines that end with \n.
std::string firmware_stall_report(const fw& firmware);

} // namespace tlmssd::ssd
