// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the list of trace formats, by name and by trial.
#include "models/workload/formats.h"

#include "models/common/error.h"
#include "models/workload/line_reader.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kTrialLines = 1000;

struct Candidate {
    std::unique_ptr<TraceFormat> format;
    bool alive = true;
    bool ended = false; ///< saw the trailing summary
    u64 accepted = 0;   ///< lines, before the first broken one
    u64 depth = 0;      ///< characters of the broken line that were understood
    std::string complaint;
};

void try_line(Candidate& candidate, const LineReader& reader, std::string_view line)
{
    if (!candidate.alive || candidate.ended) {
        return;
    }
    Row row;
    Problem problem;
    LineKind kind = LineKind::Broken;
    if (reader.too_long()) {
        problem = {"line longer than 64 KiB", line.data()};
    } else {
        kind = candidate.format->read(line, row, problem);
    }
    if (kind == LineKind::Broken) {
        candidate.alive = false;
        candidate.depth = static_cast<u64>(problem.at - line.data());
        candidate.complaint =
            describe_broken(reader.path(), reader.number(), *candidate.format, problem, line);
    } else if (kind == LineKind::End) {
        candidate.ended = true;
    } else {
        ++candidate.accepted;
    }
}

} // namespace

std::vector<std::string> format_names()
{
    return {"spc", "msr", "ssdsim", "disksim", "disksim-pages", "mqsim", "blkparse"};
}

std::unique_ptr<TraceFormat> make_format(const std::string& name,
                                         const std::string& blkparse_action)
{
    if (name == "spc") {
        return make_spc();
    }
    if (name == "msr") {
        return make_msr();
    }
    if (name == "ssdsim") {
        return make_ssdsim();
    }
    if (name == "disksim") {
        return make_disksim();
    }
    if (name == "disksim-pages") {
        return make_disksim_pages();
    }
    if (name == "mqsim") {
        return make_mqsim();
    }
    if (name == "blkparse") {
        return make_blkparse(blkparse_action);
    }
    throw InputError("workload.format: unknown trace format " + quoted(name) +
                     "; did you mean \"" + nearest_of(name, format_names()) + "\"?");
}

std::unique_ptr<TraceFormat> detect_format(const std::string& path,
                                           const std::string& blkparse_action)
{
    std::vector<Candidate> candidates;
    for (const std::string& name : format_names()) {
        candidates.emplace_back();
        candidates.back().format = make_format(name, blkparse_action);
    }
    LineReader reader(path);
    if (!reader.rereadable()) {
        throw InputError(path + ":1: not a regular file: its format cannot be tried; name it with "
                                "workload.format");
    }
    std::string_view line;
    while (reader.number() < kTrialLines && reader.next(line)) {
        for (Candidate& candidate : candidates) {
            try_line(candidate, reader, line);
        }
    }
    if (reader.number() == 0) {
        throw InputError(path + ":1: the trace is empty");
    }
    std::string names;
    Candidate* only = nullptr;
    Candidate* nearest = &candidates.front();
    u64 alive = 0;
    for (Candidate& candidate : candidates) {
        if (candidate.alive && candidate.accepted > 0) {
            names += (alive == 0 ? "" : ", ") + std::string(candidate.format->name());
            only = &candidate;
            ++alive;
        }
        if (candidate.accepted > nearest->accepted ||
            (candidate.accepted == nearest->accepted && candidate.depth > nearest->depth)) {
            nearest = &candidate;
        }
    }
    if (alive > 1) {
        throw InputError(path + ":1: the format is ambiguous: " + names +
                         " all accept the first lines; name one with --format (workload.format)");
    }
    if (alive == 0) {
        throw InputError(nearest->complaint.empty()
                             ? path + ":1: no reader accepts the trace: it holds no request"
                             : nearest->complaint + " (no reader accepts the trace; nearest is " +
                                   nearest->format->name() + ")");
    }
    return std::move(only->format);
}

} // namespace tlmssd::workload
