// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: gdb on a running ISS: halts inside the hook before an instruction, so that time stands still.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

#include "models/cpu/iss/gdb_packet.h"
#include "models/cpu/iss/gdb_socket.h"
#include "models/cpu/iss/gdb_stub.h"
#include "models/cpu/iss/iss_if.h"

namespace tlmssd::cpu {

class GdbSession final : public IssDebuggerIf, private GdbTargetIf {
public:
    /// Listens on 127.0.0.1 (port 0: any free one). `log` gets a line when it waits, and one where
    /// gdb goes away without detaching; `kill`: what gdb's `kill` does. Throws InputError.
    GdbSession(u32 port, std::ostream& log, std::function<void()> kill);
    /// Waits for gdb; the core halts before its first instruction. Before any code has run.
    void attach(IssIf& iss);
    /// Reports the status with which the process ends to gdb; before the end, else the connection
    /// just closes.
    void exited(u32 status);

    void on_instruction(u32 pc) noexcept override;
    void on_fault(u32 pc, u32 signal) noexcept override;

private:
    static constexpr u32 kPollEvery = 4096; ///< instructions between looks for gdb's Ctrl-C

    u32 gdb_register(u32 number) override;
    void gdb_set_register(u32 number, u32 value) override;
    std::string gdb_read(u32 address, u32 bytes) override;
    bool gdb_write(u32 address, const std::string& bytes) override;

    bool interrupted();
    void halt(u32 pc, u32 signal);
    void talk();
    void reply(const std::string& payload);
    void leave();

    GdbSocket socket_;
    GdbReader reader_;
    GdbStub stub_{*this};
    std::ostream& log_;
    std::function<void()> kill_;
    IssIf* iss_ = nullptr;
    u32 pc_ = 0; ///< while halted
    bool jumped_ = false; ///< gdb has set the PC: the hook is called again and must let it pass
    bool started_ = false;
    bool attached_ = false;
    u32 until_poll_ = kPollEvery;
    std::string last_frame_;
};

} // namespace tlmssd::cpu
