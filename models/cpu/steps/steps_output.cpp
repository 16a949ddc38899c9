// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: HAL calls as comparable bytes and as text; the HAL that records.
#include <cstdarg>
#include <cstring>

#include "models/common/error.h"
#include "models/cpu/steps/steps.h"

namespace tlmssd::cpu {

namespace {

class Packer {
public:
    explicit Packer(OutputKind kind) { output_.kind = kind; }
    template <class T>
    Packer& add(const T& value)
    {
        return add_bytes(&value, sizeof value);
    }
    Packer& add_bytes(const void* bytes, u32 count)
    {
        if (output_.length + count > output_.bytes.size()) {
            throw ModelError("a recorded output is too long");
        }
        std::memcpy(output_.bytes.data() + output_.length, bytes, count);
        output_.length = static_cast<u8>(output_.length + count);
        return *this;
    }
    StepOutput done() const { return output_; }

private:
    StepOutput output_;
};

class Unpacker {
public:
    explicit Unpacker(const StepOutput& output) : output_(output) {}
    template <class T>
    T get()
    {
        T value{};
        if (at_ + sizeof value <= output_.length) {
            std::memcpy(&value, output_.bytes.data() + at_, sizeof value);
        }
        at_ += sizeof value;
        return value;
    }
    bool more() const { return at_ < output_.length; }

private:
    const StepOutput& output_;
    std::size_t at_ = 0;
};

[[gnu::format(printf, 2, 3)]] void append(std::string& text, const char* format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text += line;
}

void append_flash(std::string& text, Unpacker& from)
{
    const auto op = from.get<flash_op>();
    const auto accepted = from.get<u8>();
    append(text,
           "flash_submit(tag %u opcode %u flags 0x%x channel %u ce %u lun %u stream %u seq %u "
           "oob 0x%x cookie %u reserved %u",
           op.tag, op.opcode, op.flags, op.channel, op.ce, op.lun, op.stream, op.seq, op.oob,
           op.cookie, op.reserved);
    append(text, " planes %u", op.nplanes);
    for (u32 i = 0; i < FLASH_MAX_PLANES; ++i) {
        append(text, " [row 0x%x buf 0x%x col %u len %u]", op.row[i], op.buf[i], op.col[i], op.len[i]);
    }
    if (from.more()) {
        text += " records";
        while (from.more()) {
            append(text, " %08x", from.get<u32>());
        }
    }
    text += accepted != 0 ? ") accepted" : ") refused";
}

} // namespace

bool StepOutput::operator==(const StepOutput& other) const
{
    return kind == other.kind && length == other.length &&
           std::memcmp(bytes.data(), other.bytes.data(), length) == 0;
}

std::string StepOutput::text() const
{
    std::string text;
    Unpacker from(*this);
    switch (kind) {
    case OutputKind::FlashSubmit:
        append_flash(text, from);
        break;
    case OutputKind::HostDma: {
        const auto dma = from.get<::hal_host_dma>();
        append(text,
               "host_dma(tag %u to_host %u complete %u offset %u buf 0x%x sector %u sectors %u "
               "cookie %u)",
               dma.tag, dma.to_host, dma.complete, dma.offset, dma.buf, dma.sector, dma.sectors,
               dma.cookie);
        break;
    }
    case OutputKind::HostComplete: {
        const auto tag = from.get<u32>();
        append(text, "host_complete(tag %u status %u)", tag, from.get<u32>());
        break;
    }
    case OutputKind::Copy: {
        const auto dst = from.get<u32>();
        const auto src = from.get<u32>();
        const auto sectors = from.get<u64>();
        append(text, "copy(dst 0x%x src 0x%x sectors 0x%llx cookie 0x%x)", dst, src,
               static_cast<unsigned long long>(sectors), from.get<u32>());
        break;
    }
    case OutputKind::TimerArm: {
        const auto id = from.get<u32>();
        append(text, "timer_arm(id %u at %llu us)", id,
               static_cast<unsigned long long>(from.get<u64>()));
        break;
    }
    case OutputKind::Send: {
        append(text, "send(core %u words", from.get<u32>());
        while (from.more()) {
            append(text, " %08x", from.get<u32>());
        }
        text += ")";
        break;
    }
    case OutputKind::Panic: {
        const auto code = from.get<u32>();
        append(text, "panic(code %u detail 0x%x)", code, from.get<u32>());
        break;
    }
    default:
        append(text, "unknown output %u", static_cast<unsigned>(kind));
    }
    return text;
}

u32 oob_bytes(const flash_op& op) { return op.oob == FLASH_NO_OOB ? 0 : op.nplanes * 16u; }

StepOutput StepOutput::flash_submit(const flash_op& op, bool accepted, const u8* oob)
{
    Packer packer(OutputKind::FlashSubmit);
    packer.add(op).add(static_cast<u8>(accepted));
    if (oob != nullptr) {
        packer.add_bytes(oob, oob_bytes(op));
    }
    return packer.done();
}

StepOutput StepOutput::host_dma(const ::hal_host_dma& dma)
{
    return Packer(OutputKind::HostDma).add(dma).done();
}

StepOutput StepOutput::host_complete(u32 tag, u32 status)
{
    return Packer(OutputKind::HostComplete).add(tag).add(status).done();
}

StepOutput StepOutput::copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    return Packer(OutputKind::Copy).add(dst).add(src).add(sectors).add(cookie).done();
}

StepOutput StepOutput::timer_arm(u32 id, u64 at_us)
{
    return Packer(OutputKind::TimerArm).add(id).add(at_us).done();
}

StepOutput StepOutput::send(u32 core, const hal_message& message)
{
    return Packer(OutputKind::Send).add(core).add(message).done();
}

StepOutput StepOutput::panic(u32 code, u32 detail)
{
    return Packer(OutputKind::Panic).add(code).add(detail).done();
}

std::string StepRecord::text() const
{
    std::string text;
    switch (kind) {
    case RecordKind::BeginStep:
        append(text, "a step of core %u at %llu us", core, static_cast<unsigned long long>(now_us));
        break;
    case RecordKind::Event:
        append(text, "next_event (kind %u tag %u cookie %u)", event.kind, event.tag, event.cookie);
        break;
    case RecordKind::Output:
        text = output.text();
        break;
    case RecordKind::EndStep:
        text = "the step's end";
        break;
    default:
        text = "the recording's end";
    }
    return text;
}

bool RecordingHal::next_event(u32 core, hal_event& event)
{
    if (!inner_.next_event(core, event)) {
        return false;
    }
    if (event.kind == HAL_EVENT_FLASH && event.u.flash.tag < reads_.size() &&
        reads_[event.u.flash.tag].bytes != 0) {
        const Read read = reads_[event.u.flash.tag];
        recorder_.event(event, read.offset, oob_.at(read.offset, read.bytes), read.bytes);
    } else {
        recorder_.event(event);
    }
    return true;
}

bool RecordingHal::flash_submit(const flash_op& op)
{
    const u32 bytes = oob_bytes(op);
    const bool program = op.opcode == FLASH_OP_PROGRAM && bytes != 0;
    /* The records are read before the call: the controller may take them at once. */
    StepOutput output =
        StepOutput::flash_submit(op, false, program ? oob_.at(op.oob, bytes) : nullptr);
    const bool accepted = inner_.flash_submit(op);
    output.bytes[sizeof op] = accepted;
    recorder_.output(output);
    if (accepted && op.tag < reads_.size()) {
        reads_[op.tag] = op.opcode == FLASH_OP_READ || op.opcode == FLASH_OP_COPYBACK ? Read{op.oob, bytes} : Read{};
    }
    return accepted;
}

void RecordingHal::host_dma(const ::hal_host_dma& dma)
{
    recorder_.output(StepOutput::host_dma(dma));
    inner_.host_dma(dma);
}

void RecordingHal::host_complete(u32 tag, u32 status)
{
    recorder_.output(StepOutput::host_complete(tag, status));
    inner_.host_complete(tag, status);
}

void RecordingHal::copy(u32 dst, u32 src, u64 sectors, u32 cookie)
{
    recorder_.output(StepOutput::copy(dst, src, sectors, cookie));
    inner_.copy(dst, src, sectors, cookie);
}

void RecordingHal::timer_arm(u32 id, u64 at_us)
{
    recorder_.output(StepOutput::timer_arm(id, at_us));
    inner_.timer_arm(id, at_us);
}

void RecordingHal::send(u32 core, const hal_message& message)
{
    recorder_.output(StepOutput::send(core, message));
    inner_.send(core, message);
}

void RecordingHal::panic(u32 code, u32 detail)
{
    recorder_.output(StepOutput::panic(code, detail));
    inner_.panic(code, detail);
}

} // namespace tlmssd::cpu
