// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows of requests as text.
#include "models/observe/request_log.h"

namespace tlmssd::observe {

namespace {

constexpr std::size_t kRowBytes = 256 + kStages * 32; // at most

} // namespace

RequestLog::RequestLog(const std::string& path, Columns columns) : file_(path, "--log"), columns_(columns)
{
    std::string head = "job,kind,lba,bytes,tag,arrival_ns,issue_ns,completion_ns,hit,flash_ops,status";
    for (std::size_t stage = 0; columns == Columns::Stages && stage < kStages; ++stage) {
        head += std::string(",") + to_string(static_cast<Stage>(stage)) + "_ns";
    }
    file_.add(head + "\n");
}

void RequestLog::add(const LogRow& row)
{
    char text[kRowBytes];
    char* at = put_field(text, u64{row.job});
    const auto next = [&at](auto value) {
        *at++ = ',';
        at = put_field(at, value);
    };
    next(row.kind);
    next(row.lba);
    next(row.bytes);
    next(u64{row.tag});
    next(row.arrival);
    next(row.issued);
    next(row.ended);
    next(u64{row.hit});
    next(u64{row.flash_ops});
    next(row.status);
    for (std::size_t stage = 0; columns_ == Columns::Stages && stage < kStages; ++stage) {
        next(Picoseconds((*row.stages)[stage]));
    }
    *at++ = '\n';
    file_.add(text, static_cast<std::size_t>(at - text));
}

} // namespace tlmssd::observe
