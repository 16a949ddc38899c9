// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the host's last command before it switches a device off: FLUSH.
#pragma once

#include "models/common/error.h"
#include "models/interfaces/device_link_if.h"

namespace tlmssd::run {

/// Takes the link when no command is open, and sends one FLUSH.
class ShutdownFlush final : public host::LinkClientIf {
public:
    void send(host::DeviceLinkIf& link)
    {
        link.bind(*this);
        hal_host_command command{};
        command.opcode = HAL_HOST_FLUSH;
        link.submit(command);
    }
    bool ended() const { return ended_; } ///< well

    void receive(u32, u32, u32, const UnitTag*, const u8*) override { unexpected(); }
    void provide(u32, u32, u32, UnitTag*, u8*) override { unexpected(); }
    void on_repeated(u32) override {}
    void on_completed(u32, u32 status) override { ended_ = status == HAL_HOST_OK; }

private:
    [[noreturn]] static void unexpected() { throw ModelError("host: data for a FLUSH"); }
    bool ended_ = false;
};

} // namespace tlmssd::run
