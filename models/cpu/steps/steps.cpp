// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the file of a recording: writing and reading.
#include "models/cpu/steps/steps.h"

#include <algorithm>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "models/common/error.h"
#include "models/common/file_io.h"
#include "models/common/interrupt.h"

namespace tlmssd::cpu {

namespace {

constexpr char kMagic[8] = {'T', 'L', 'M', 'S', 'T', 'E', 'P', 'S'};
constexpr u32 kVersion = 2; ///< 2: a CRC-32 ends the file
constexpr std::size_t kBufferBytes = 1 << 20;
constexpr u32 kMaxDmaBytes = 64; ///< OOB records of one operation

struct Header {
    char magic[8];
    u32 version;
    u32 config_bytes;
    u32 event_bytes;
    u32 op_bytes;
};

Header make_header()
{
    Header header{};
    std::memcpy(header.magic, kMagic, sizeof kMagic);
    header.version = kVersion;
    header.config_bytes = sizeof(fw_config);
    header.event_bytes = sizeof(hal_event);
    header.op_bytes = sizeof(flash_op);
    return header;
}

/// Bytes of the union that mean something; the rest is recorded as zero.
std::size_t payload_bytes(u32 kind)
{
    switch (kind) {
    case HAL_EVENT_HOST_COMMAND:
        return sizeof(hal_host_command);
    case HAL_EVENT_FLASH:
        return sizeof(flash_completion);
    case HAL_EVENT_MESSAGE:
        return sizeof(hal_message);
    default:
        return 0;
    }
}

} // namespace

StepRecorder::StepRecorder(const std::string& path, const fw_config& config)
    : path_(path), temporary_(path + ".part" + std::to_string(getpid()))
{
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
        cannot_write(path, "not a regular file");
    }
    remove_when_killed(temporary_);
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (file_ == nullptr) {
        cannot_write(path, errno);
    }
    buffer_.reserve(kBufferBytes);
    put_value(make_header());
    put_value(config);
}

StepRecorder::~StepRecorder()
{
    try {
        close();
    } catch (const std::exception&) { // a destructor has nobody to tell
    }
    if (file_ != nullptr) {
        std::fclose(file_);
        std::remove(temporary_.c_str());
    }
}

template <class T>
void StepRecorder::put_value(const T& value)
{
    put(&value, sizeof value);
}

void StepRecorder::put(const void* bytes, std::size_t count)
{
    if (file_ == nullptr) {
        throw ModelError(path_ + ": a step is recorded after the recording was closed");
    }
    if (buffer_.size() + count > kBufferBytes) {
        flush();
    }
    const auto* from = static_cast<const u8*>(bytes);
    buffer_.insert(buffer_.end(), from, from + count);
}

void StepRecorder::flush()
{
    const std::size_t count = buffer_.size();
    crc_.add(buffer_.data(), count);
    const bool written = std::fwrite(buffer_.data(), 1, count, file_) == count;
    buffer_.clear();
    if (!written) {
        const int error = errno;
        std::fclose(file_);
        file_ = nullptr;
        std::remove(temporary_.c_str()); // half a recording is none
        cannot_write(path_, error);
    }
}

void StepRecorder::begin_step(u32 core, u64 now_us)
{
    if (in_step_) {
        throw ModelError(path_ + ": a step begins before the one before it has ended");
    }
    in_step_ = true;
    ++steps_;
    put_value(RecordKind::BeginStep);
    put_value(core);
    put_value(now_us);
}

void StepRecorder::event(const hal_event& event, u32 offset, const void* bytes, u32 count)
{
    if (!in_step_ || count > kMaxDmaBytes) {
        throw ModelError(path_ + ": an event outside a step, or with too many bytes of DMA");
    }
    hal_event clean{};
    clean.kind = event.kind;
    clean.tag = event.tag;
    clean.cookie = event.cookie;
    std::memcpy(&clean.u, &event.u, payload_bytes(event.kind));
    put_value(RecordKind::Event);
    put_value(clean);
    put_value(offset);
    put_value(count);
    put(bytes, count);
}

void StepRecorder::output(const StepOutput& output)
{
    if (!in_step_) {
        throw ModelError(path_ + ": an output outside a step");
    }
    put_value(RecordKind::Output);
    put_value(output.kind);
    put_value(output.length);
    put(output.bytes.data(), output.length);
}

void StepRecorder::end_step()
{
    if (!in_step_) {
        throw ModelError(path_ + ": a step ends that has not begun");
    }
    in_step_ = false;
    put_value(RecordKind::EndStep);
}

void StepRecorder::close()
{
    if (file_ == nullptr) {
        return;
    }
    if (in_step_) {
        end_step();
    }
    put_value(RecordKind::End);
    put_value(steps_);
    flush();
    put_value(crc_.value());
    flush();
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
        const int error = errno;
        std::remove(temporary_.c_str());
        cannot_write(path_, error);
    }
}

/// All bytes but the last four give the CRC-32 in these, so nothing is replayed from a damaged file.
void StepReader::check_whole()
{
    std::vector<u8> block(kBufferBytes);
    Crc32 crc;
    std::size_t held = 0; // bytes at the front that may be the last ones
    for (std::size_t got = 1; got != 0;) {
        got = std::fread(block.data() + held, 1, block.size() - held, file_.get());
        const std::size_t all = held + got;
        held = std::min(all, sizeof(u32));
        crc.add(block.data(), all - held);
        std::memmove(block.data(), block.data() + all - held, held);
    }
    u32 wanted = 0;
    std::memcpy(&wanted, block.data(), sizeof wanted);
    if (held != sizeof wanted || wanted != crc.value()) {
        fail("damaged or broken off: its bytes do not give the checksum at its end");
    }
    std::rewind(file_.get());
}

StepReader::StepReader(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb"))
{
    if (file_ == nullptr) {
        throw InputError(path + ": cannot read the recording of steps: " + std::strerror(errno));
    }
    const auto header = get_value<Header>();
    const Header wanted = make_header();
    if (std::memcmp(header.magic, wanted.magic, sizeof header.magic) != 0) {
        fail("not a recording of steps");
    }
    if (std::memcmp(&header, &wanted, sizeof header) != 0) {
        fail("a recording of another version (" + std::to_string(header.version) + "): record it again");
    }
    std::rewind(file_.get());
    check_whole();
    get_value<Header>();
    config_ = get_value<fw_config>();
    record_.kind = RecordKind::EndStep; // before the first
    advance();
}

void StepReader::fail(const std::string& reason) const { throw InputError(path_ + ": " + reason); }

void StepReader::get(void* bytes, std::size_t count)
{
    if (count != 0 && std::fread(bytes, 1, count, file_.get()) != count) {
        fail("the recording breaks off in step " + std::to_string(begun_));
    }
}

/// check_whole() has checked the CRC-32; nothing follows it.
bool StepReader::ends_with_crc()
{
    get_value<u32>();
    return std::fgetc(file_.get()) == EOF;
}

template <class T>
T StepReader::get_value()
{
    T value;
    get(&value, sizeof value);
    return value;
}

void StepReader::advance()
{
    if (record_.kind == RecordKind::End) {
        return;
    }
    record_.kind = get_value<RecordKind>();
    switch (record_.kind) {
    case RecordKind::BeginStep:
        ++begun_;
        record_.core = get_value<u32>();
        record_.now_us = get_value<u64>();
        break;
    case RecordKind::Event: {
        record_.event = get_value<hal_event>();
        record_.dma_offset = get_value<u32>();
        const auto count = get_value<u32>();
        if (count > kMaxDmaBytes) {
            fail("damaged: an event of step " + std::to_string(begun_) + " has too many bytes");
        }
        record_.dma_bytes.resize(count);
        get(record_.dma_bytes.data(), count);
        break;
    }
    case RecordKind::Output:
        record_.output = StepOutput{};
        record_.output.kind = get_value<OutputKind>();
        record_.output.length = get_value<u8>();
        if (record_.output.length > record_.output.bytes.size()) {
            fail("damaged: an output of step " + std::to_string(begun_) + " is too long");
        }
        get(record_.output.bytes.data(), record_.output.length);
        break;
    case RecordKind::EndStep:
        break;
    case RecordKind::End:
        if (get_value<u64>() != begun_ || !ends_with_crc()) {
            fail("damaged: the number of steps at the end is wrong");
        }
        break;
    default:
        fail("damaged: an entry of unknown kind in step " + std::to_string(begun_));
    }
}

} // namespace tlmssd::cpu
