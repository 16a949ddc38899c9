// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: counts of requests, field by field.
#include "models/sample/whole_message.h"

namespace tlmssd::sample {

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

void put_all(Message& message, const std::vector<Whole>& wholes)
{
    message.put<u64>(wholes.size());
    for (const Whole& whole : wholes) {
        put(message, whole);
    }
}

std::vector<Whole> take_wholes(Message& message)
{
    const u64 count = message.take<u64>();
    std::vector<Whole> wholes;
    while (wholes.size() < count) {
        wholes.push_back(take_whole(message));
    }
    return wholes;
}

} // namespace tlmssd::sample
