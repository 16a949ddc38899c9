// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: halting, and talking to gdb while halted.
#include "models/cpu/iss/gdb_session.h"

#include <algorithm>
#include <cstring>
#include <ostream>
#include <utility>

namespace tlmssd::cpu {

GdbSession::GdbSession(u32 port, std::ostream& log, std::function<void()> kill)
    : socket_(port), log_(log), kill_(std::move(kill))
{
}

void GdbSession::attach(IssIf& iss)
{
    iss_ = &iss;
    log_ << "tlmssd: gdb: waiting for a connection: target remote 127.0.0.1:" << socket_.port()
         << std::endl;
    socket_.accept_one();
    attached_ = true;
    iss.set_debugger(*this);
}

void GdbSession::exited(u32 status)
{
    if (attached_) {
        reply("W" + gdb_hex(std::string(1, static_cast<char>(status))));
        leave();
    }
}

void GdbSession::leave()
{
    attached_ = false;
    socket_.close();
}

void GdbSession::on_instruction(u32 pc) noexcept
{
    if (!attached_) {
        return;
    }
    if (jumped_) {
        jumped_ = false;
    } else if (!started_) { // gdb asks for the reason itself
        started_ = true;
        pc_ = pc;
        talk();
    } else if (stub_.stops_at(pc)) {
        halt(pc, kGdbTrap);
    } else if (--until_poll_ == 0) {
        until_poll_ = kPollEvery;
        if (interrupted()) {
            halt(pc, kGdbInterrupt);
        }
    }
}

void GdbSession::on_fault(u32 pc, u32 signal) noexcept
{
    if (attached_) {
        halt(pc, signal);
    }
}

/// While the core runs gdb may only send its Ctrl-C.
bool GdbSession::interrupted()
{
    const std::string bytes = socket_.receive(false);
    reader_.feed(bytes.data(), bytes.size());
    bool wanted = false;
    for (GdbInput input; reader_.next(input);) {
        wanted = wanted || input.kind == GdbInput::Kind::Interrupt;
    }
    if (!socket_.connected()) {
        log_ << "tlmssd: gdb: the connection is closed; the run goes on" << std::endl;
        leave();
    }
    return wanted && attached_;
}

void GdbSession::halt(u32 pc, u32 signal)
{
    pc_ = pc;
    reply(stub_.halt(signal));
    talk();
}

void GdbSession::reply(const std::string& payload)
{
    last_frame_ = gdb_frame(payload);
    socket_.send(last_frame_);
}

/// Answer packets until the core may go on.
void GdbSession::talk()
{
    while (stub_.mode() == GdbStub::Mode::Halted) {
        GdbInput input;
        if (!reader_.next(input)) {
            const std::string bytes = socket_.receive(true);
            reader_.feed(bytes.data(), bytes.size());
            if (!socket_.connected()) {
                log_ << "tlmssd: gdb: the connection is closed; the run goes on" << std::endl;
                leave();
                return;
            }
            continue;
        }
        if (input.kind == GdbInput::Kind::Nack) {
            socket_.send(last_frame_);
        }
        const bool packet = input.kind == GdbInput::Kind::Packet;
        if (stub_.acknowledges() && (packet || input.kind == GdbInput::Kind::Broken)) {
            socket_.send(packet ? "+" : "-");
        }
        if (packet) {
            const GdbStub::Answer answer = stub_.packet(input.payload);
            if (answer.now) {
                reply(answer.text);
            }
        }
    }
    until_poll_ = kPollEvery;
    if (stub_.mode() == GdbStub::Mode::Detached || stub_.mode() == GdbStub::Mode::Killed) {
        leave();
    }
    if (stub_.mode() == GdbStub::Mode::Killed) {
        kill_();
    }
}

u32 GdbSession::gdb_register(u32 number) { return number == kPc ? pc_ : iss_->reg(number); }

void GdbSession::gdb_set_register(u32 number, u32 value)
{
    if (number == kPc) {
        pc_ = value;
        jumped_ = true;
        iss_->set_pc(value);
    } else {
        iss_->set_reg(number, value);
    }
}

std::string GdbSession::gdb_read(u32 address, u32 bytes)
{
    std::string found;
    for (u32 i = 0; i < bytes; ++i) {
        const u8* at = iss_->memory(address + i, 1);
        if (at == nullptr) {
            break;
        }
        found += static_cast<char>(*at);
    }
    return found;
}

bool GdbSession::gdb_write(u32 address, const std::string& bytes)
{
    // Code that has run is translated already (iss_if.h): gdb sets breakpoints by Z0.
    u8* const to = iss_->memory(address, bytes.size());
    if (to == nullptr || address < kIssCodeBytes) {
        return false;
    }
    std::memcpy(to, bytes.data(), bytes.size());
    return true;
}

} // namespace tlmssd::cpu
