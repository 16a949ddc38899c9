// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: a pass in a child process.
#include "models/sample/forked_pass.h"

#include "models/sample/child_process.h"
#include "models/sample/reads_pass.h"
#include "models/sample/stand_by_pass.h"

namespace tlmssd::sample {
namespace {

void put(Message& message, const Whole& whole)
{
    for (const u64 value : {whole.requests, whole.transfers, whole.bytes, whole.time_ps}) {
        message.put(value);
    }
    for (const Whole::Kind& kind : whole.kinds) {
        message.put(kind.requests);
        message.put(kind.latency_ps);
        message.put_all(kind.buckets);
    }
}

Whole take_whole(Message& message)
{
    Whole whole;
    for (u64* const value : {&whole.requests, &whole.transfers, &whole.bytes, &whole.time_ps}) {
        *value = message.take<u64>();
    }
    for (Whole::Kind& kind : whole.kinds) {
        kind.requests = message.take<u64>();
        kind.latency_ps = message.take<double>();
        kind.buckets = message.take_all<u64>();
    }
    return whole;
}

Message message_of(const PassResult& result)
{
    Message message;
    message.put(result.exact);
    put(message, result.whole);
    message.put<u64>(result.parts.size());
    for (const Whole& part : result.parts) {
        put(message, part);
    }
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
    result.parts.resize(message.take<u64>());
    for (Whole& part : result.parts) {
        part = take_whole(message);
    }
    result.windows.resize(message.take<u64>());
    for (Window& window : result.windows) {
        window.measured = message.take_all<Ended>();
        window.control = message.take_all<Ended>();
    }
    return result;
}

std::unique_ptr<Pass> make_pass(const config::Config& config, const std::string& cache)
{
    if (config::is_rtl(config.controller.kind)) {
        return std::make_unique<StandByPass>(config, cache);
    }
    return std::make_unique<ReadsPass>(config, cache);
}

} // namespace

ForkedPasses::ForkedPasses(const config::Config& config, const std::string& cache, bool progress)
    : config_(config), pass_(make_pass(config, cache)), progress_(progress)
{
}

ChildProcess ForkedPasses::begin(const Plan& plan, const Census& census, bool progress)
{
    ChildProcess child;
    if (child.is_parent()) {
        return child;
    }
    try {
        child.succeed(message_of(pass_->run(plan, census, only_job(config_, nullptr), progress)));
    } catch (...) {
        child.fail(std::current_exception());
    }
}

PassResult ForkedPasses::finish(ChildProcess pass) { return result_of(pass.result()); }

} // namespace tlmssd::sample
