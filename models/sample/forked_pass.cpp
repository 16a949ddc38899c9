// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a pass in a child process.
#include "models/sample/forked_pass.h"

#include "models/sample/child_process.h"
#include "models/sample/reads_pass.h"
#include "models/sample/stand_by_pass.h"
#include "models/sample/whole_message.h"

namespace tlmssd::sample {
namespace {

Message message_of(const PassResult& result)
{
    Message message;
    message.put(result.exact);
    put(message, result.whole);
    put_all(message, result.parts);
    put_all(message, result.sections.pass);
    put_all(message, result.sections.other);
    message.put(result.sections.share);
    message.put<u64>(result.windows.size());
    for (const Window& window : result.windows) {
        message.put_all(window.measured);
        message.put_all(window.control);
    }
    return message;
}

PassResult result_of(Message message)
{
    PassResult result;
    result.exact = message.take<Exact>();
    result.whole = take_whole(message);
    result.parts = take_wholes(message);
    result.sections.pass = take_wholes(message);
    result.sections.other = take_wholes(message);
    result.sections.share = message.take<double>();
    result.windows.resize(message.take<u64>());
    for (Window& window : result.windows) {
        window.measured = message.take_all<Ended>();
        window.control = message.take_all<Ended>();
    }
    return result;
}

std::unique_ptr<Pass> make_pass(const config::Config& config, ForkedPasses::Between between, const std::string& cache)
{
    if (between == ForkedPasses::Between::TlmController) {
        return std::make_unique<StandByPass>(config, cache);
    }
    return std::make_unique<ReadsPass>(config, cache);
}

} // namespace

ForkedPasses::ForkedPasses(const config::Config& config, Between between, const std::string& cache, bool progress)
    : config_(config), pass_(make_pass(config, between, cache)), progress_(progress)
{
}

ChildProcess ForkedPasses::begin(const Plan& plan, const Census& census, bool progress)
{
    ChildProcess child;
    if (child.is_parent()) {
        return child;
    }
    try {
        const auto show = [&child](const Outline& outline) {
            Message message;
            message.put(outline);
            child.say(message);
        };
        child.succeed(message_of(pass_->run(plan, census, only_job(config_, nullptr), progress, show)));
    } catch (...) {
        child.fail(std::current_exception());
    }
}

PassResult ForkedPasses::finish(ChildProcess pass) { return result_of(pass.result()); }

} // namespace tlmssd::sample
