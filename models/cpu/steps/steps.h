// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: recordings of firmware steps: everything that went in and everything that came out.
//
// A recording is one file: header (with the struct fw_config that the firmware was booted with), then
// steps, each with its events and outputs in the order of the firmware's HAL calls. The format is
// described in docs/reference/rv32-interface.md. Probes are not recorded: they change nothing.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "firmware/core/fw.h"
#include "models/common/crc32.h"
#include "models/common/types.h"
#include "models/cpu/hal_if.h"
#include "models/cpu/oob_window.h"
#include "models/cpu/step_bounds_if.h"

namespace tlmssd::cpu {

enum class OutputKind : u8 {
    FlashSubmit = 1, ///< flash_op, accepted, OOB records of a program
    HostDma = 2,
    HostComplete = 3,
    Copy = 4,
    TimerArm = 5,
    Send = 6,
    Panic = 7
};

/// One HAL call with all its arguments as bytes; equal calls have equal bytes.
struct StepOutput {
    OutputKind kind = OutputKind::Panic;
    u8 length = 0;
    std::array<u8, 160> bytes{};

    bool operator==(const StepOutput& other) const;
    /// One line for messages: the call with its arguments.
    std::string text() const;

    /// `oob`: the records of a program (16 bytes per plane), else nullptr.
    static StepOutput flash_submit(const flash_op& op, bool accepted, const u8* oob);
    static StepOutput host_dma(const hal_host_dma& dma);
    static StepOutput host_complete(u32 tag, u32 status);
    static StepOutput copy(u32 dst, u32 src, u64 sectors, u32 cookie);
    static StepOutput timer_arm(u32 id, u64 at_us);
    static StepOutput send(u32 core, const hal_message& message);
    static StepOutput panic(u32 code, u32 detail);
};

/// Bytes of OOB records that belong to an operation: 16 a plane, 0 where it names none.
u32 oob_bytes(const flash_op& op);

/// Writes a recording. All functions throw InputError (path and reason) when the file cannot be
/// written; ModelError when they are called out of order.
class StepRecorder final : public StepBoundsIf {
public:
    StepRecorder(const std::string& path, const fw_config& config);
    /// Closes; an error is lost, so call close() where it matters. A file that was not closed by
    /// close() is seen as broken off by StepReader where close() was never reached.
    ~StepRecorder() override;
    StepRecorder(const StepRecorder&) = delete;
    StepRecorder& operator=(const StepRecorder&) = delete;

    void begin_step(u32 core, u64 now_us) override;
    /// An event that the firmware has taken. `bytes`: what DMA had brought to DRAM offset `offset`
    /// before (the OOB records of a flash read).
    void event(const hal_event& event, u32 offset = 0, const void* bytes = nullptr, u32 count = 0);
    void output(const StepOutput& output);
    void end_step() override;
    /// Write the rest; ends a step that a panic has broken off.
    void close();

    u64 steps() const { return steps_; }

private:
    void put(const void* bytes, std::size_t count);
    template <class T>
    void put_value(const T& value);
    void flush();

    std::string path_;
    std::string temporary_; ///< until it is whole
    std::FILE* file_ = nullptr;
    std::vector<u8> buffer_;
    Crc32 crc_; ///< of what was flushed
    u64 steps_ = 0;
    bool in_step_ = false;
};

enum class RecordKind : u8 { BeginStep = 0x10, Event = 0x11, Output = 0x12, EndStep = 0x13, End = 0x14 };

/// One entry of a recording; `kind` says which fields count.
struct StepRecord {
    RecordKind kind = RecordKind::End;
    u32 core = 0;          ///< BeginStep
    u64 now_us = 0;        ///< BeginStep
    hal_event event{};     ///< Event
    u32 dma_offset = 0;    ///< Event: where dma_bytes were in DRAM
    std::vector<u8> dma_bytes;
    StepOutput output;     ///< Output

    std::string text() const;
};

/// Reads a recording from its beginning; throws InputError (path and reason) for anything else than
/// a complete recording of this version.
class StepReader {
public:
    explicit StepReader(const std::string& path);
    const fw_config& config() const { return config_; }
    /// The next entry, without taking it; End stays.
    const StepRecord& peek() const { return record_; }
    void advance();

private:
    struct Close {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    [[noreturn]] void fail(const std::string& reason) const;
    void check_whole();
    bool ends_with_crc();
    void get(void* bytes, std::size_t count);
    template <class T>
    T get_value();

    std::string path_;
    std::unique_ptr<std::FILE, Close> file_;
    fw_config config_{};
    StepRecord record_;
    u64 begun_ = 0;
};

/// A HalIf in front of another that records every call. The caller adds begin_step and end_step.
class RecordingHal final : public HalIf {
public:
    RecordingHal(HalIf& inner, StepRecorder& recorder) : inner_(inner), recorder_(recorder) {}
    /// Where the OOB records are; before the first step.
    void bind_oob(const OobWindow& oob) { oob_ = oob; }

    bool next_event(u32 core, hal_event& event) override;
    bool flash_submit(const flash_op& op) override;
    void host_dma(const hal_host_dma& dma) override;
    void host_complete(u32 tag, u32 status) override;
    void copy(u32 dst, u32 src, u64 sectors, u32 cookie) override;
    void timer_arm(u32 id, u64 at_us) override;
    void send(u32 core, const hal_message& message) override;
    void probe(u32 id, u32 value) override { inner_.probe(id, value); }
    void panic(u32 code, u32 detail) override;

private:
    struct Read { ///< OOB records that a read in flight brings
        u32 offset = 0;
        u32 bytes = 0;
    };

    HalIf& inner_;
    StepRecorder& recorder_;
    OobWindow oob_;
    std::array<Read, FW_MAX_FLASH_TAGS> reads_{};
};

} // namespace tlmssd::cpu
