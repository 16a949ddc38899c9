// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: what a workload is made of.
#pragma once

#include <memory>
#include <string>

#include "models/common/picoseconds.h"
#include "models/common/types.h"

namespace tlmssd::workload {

enum class Kind : u8 { Read = 1, Write = 2, Flush = 3, Trim = 4 }; // = hal_host_opcode

struct Request {
    Picoseconds arrival;  ///< from the start of the workload, after time_scale; 0 in closed loop
    u64 lba = 0;          ///< 512-byte sectors, inside the device
    u32 sectors = 0;      ///< 1..65536; 0 for Flush
    Kind kind = Kind::Read;
    bool fua = false;
    u16 job = 0;          ///< number of the job, from 0; written by the host
    u32 cookie = 0;       ///< of a ReactiveSource: given back when it has ended
};

/// A source that gets the time and the ends of its requests, and decides by them.
class ReactiveSource {
public:
    enum class Next : u8 { Request, Later, End };
    virtual ~ReactiveSource() = default;
    /// At `now`, from the job's start. Request: it arrives now, or came due at request.arrival while the one
    /// before it was held up. Later: ask again at request.arrival (kTimeNever: when one has ended).
    virtual Next poll(Picoseconds now, Request& request) = 0;
    /// The request with this cookie has ended.
    virtual void ended(u32 cookie, Picoseconds now) = 0;
};

/// Counted while a source runs; goes to results.json.
struct SourceCounts {
    u64 requests = 0; ///< handed out
    u64 folded = 0;   ///< wrapped into the device
    u64 dropped = 0;  ///< beyond the device, left out
    u64 skipped = 0;  ///< rows that ask for nothing; broken lines left out under --lenient
    u64 deduplicated = 0; ///< repeated rows left out (workload.dedup_us)
};

inline SourceCounts& operator+=(SourceCounts& a, const SourceCounts& b)
{
    a.requests += b.requests;
    a.folded += b.folded;
    a.dropped += b.dropped;
    a.skipped += b.skipped;
    a.deduplicated += b.deduplicated;
    return a;
}

/// A stream of requests in constant memory. Pure: knows nothing of the model or its clock.
class RequestSource {
public:
    virtual ~RequestSource() = default;
    /// The next request in arrival order; false at the end. Throws InputError on a broken line.
    virtual bool next(Request& request) = 0;
    /// next() was false, but more may come (a live client): then host::Initiator::wake() is called.
    virtual bool waits() const { return false; }
    virtual const SourceCounts& counts() const = 0;
    /// Expected number of requests for the progress display; 0: unknown.
    virtual u64 expected() const = 0;
    /// Fraction of the input consumed, 0..1, for the progress display; negative: unknown.
    virtual double progress() const = 0;
    /// Where the source is one; the host then asks poll(), not next().
    virtual ReactiveSource* reactive() { return nullptr; }
};

} // namespace tlmssd::workload
