// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the flash side of the HAL in hardware: the CPU submits flash operations to a port.
#pragma once

#include "firmware/hal/flash_op.h"
#include "models/common/types.h"

namespace tlmssd::flash {

/// Above a controller: takes completions (the CPU's HAL, a replay tool, a test).
class CompletionSinkIf {
public:
    virtual ~CompletionSinkIf() = default;
    virtual void on_flash_completion(const flash_completion& completion) = 0;
    /// A submit that was refused may succeed now.
    virtual void on_flash_space() = 0;
};

/// A flash controller: `tlm`, `rtl`, ... All decisions about when and where are inside.
class ControllerIf {
public:
    virtual ~ControllerIf() = default;
    virtual void bind(CompletionSinkIf& sink) = 0;
    /// Number of operations that may be inside at once; tags are below it.
    virtual u32 tags() const = 0;
    /// False: full, nothing taken; on_flash_space() follows. The tag must be free.
    virtual bool submit(const flash_op& op) = 0;
};

} // namespace tlmssd::flash
