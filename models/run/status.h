// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: how a run has ended.
#pragma once

#include "models/common/error.h"

namespace tlmssd::run {

enum class RunStatus { Done, Interrupted, Failed, Running };

/// The exit status of the process.
inline int exit_status(RunStatus status)
{
    switch (status) {
    case RunStatus::Done: return kExitDone;
    case RunStatus::Interrupted: return kExitInterrupted;
    case RunStatus::Failed:
    case RunStatus::Running: break;
    }
    return kExitModel;
}

} // namespace tlmssd::run
