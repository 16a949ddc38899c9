// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: passes from one preconditioned device, each in a process of its own.
#pragma once

#include <memory>
#include <string>

#include "models/config/config.h"
#include "models/sample/child_process.h"
#include "models/sample/pass.h"

namespace tlmssd::sample {

/// The SystemC kernel elaborates once in a process. So this one builds and preconditions the device and never
/// elaborates it; each pass is a fork of it, which sends its windows through a pipe and ends.
class ForkedPasses {
public:
    /// The requests between two windows: of reads alone, those that matter, in no time; or all of them, by the TLM
    /// controller that stands by for the RTL.
    enum class Between { Reads, TlmController };

    /// `config` outlives it. InputError, Interrupted.
    ForkedPasses(const config::Config& config, Between between, const std::string& cache, bool progress);

    /// From the state behind preconditioning. InputError, ModelError, Interrupted: as the pass.
    ChildProcess begin(const Plan& plan, const Census& census) { return begin(plan, census, progress_); }
    /// The same without a progress line.
    ChildProcess begin_beside(const Plan& plan, const Census& census) { return begin(plan, census, false); }
    /// Waits for the next one that the plan asks for.
    static Outline outline(ChildProcess& pass) { return pass.next().take<Outline>(); }
    /// Waits for its end.
    PassResult finish(ChildProcess pass);

private:
    ChildProcess begin(const Plan& plan, const Census& census, bool progress);

    const config::Config& config_;
    std::unique_ptr<Pass> pass_;
    bool progress_;
};

} // namespace tlmssd::sample
