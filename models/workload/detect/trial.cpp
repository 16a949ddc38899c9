// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the first lines of a trace as each format reads them.
#include "models/workload/detect/trial.h"

#include "models/common/error.h"
#include "models/workload/formats/formats.h"
#include "models/workload/formats/line_reader.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kTrialLines = 1000;

/// A trial and where its format stands in the file.
struct Pass {
    Trial trial;
    ReadState state;
    bool ended = false; ///< saw the trailing summary, or a broken line
};

void note_broken(Trial& trial, const LineReader& reader, const Problem& problem, std::string_view line)
{
    if (trial.broken++ == 0) {
        trial.depth = static_cast<u64>(problem.at - line.data());
        trial.complaint = describe_broken(reader.path(), reader.number(), *trial.format, problem, line);
    }
}

void try_line(Pass& pass, const LineReader& reader, std::string_view line, bool lenient)
{
    if (pass.ended) {
        return;
    }
    Trial& trial = pass.trial;
    Row row;
    Problem problem{"line longer than 64 KiB", line.data()};
    pass.state.line = reader.number();
    const LineKind kind =
        reader.too_long() ? LineKind::Broken : trial.format->read(line, row, problem, pass.state);
    switch (kind) {
    case LineKind::Broken:
        note_broken(trial, reader, problem, line);
        pass.ended = !lenient;
        return;
    case LineKind::End:
        pass.ended = true;
        return;
    case LineKind::Row:
        trial.rows.push_back(row);
        break;
    case LineKind::Ignored:
    case LineKind::LeftOut:
        break;
    }
    ++trial.lines;
    trial.accepted += trial.broken == 0;
}

std::vector<Pass> passes_of(const config::Workload& workload)
{
    std::vector<Pass> passes;
    for (const std::string& name : format_names()) {
        if (name != "columns") {
            config::Workload named = workload;
            named.format = name;
            passes.emplace_back();
            passes.back().trial.format = make_format(named);
        }
    }
    return passes;
}

} // namespace

Sample try_formats(const config::Workload& workload)
{
    LineReader reader(workload.trace);
    if (!reader.rereadable()) {
        throw InputError(workload.trace + ":1: not a regular file: its format cannot be tried; name it with "
                                          "--format (workload.format)");
    }
    std::vector<Pass> passes = passes_of(workload);
    std::string_view line;
    bool more = true;
    while (reader.number() < kTrialLines && (more = reader.next(line))) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            continue; // all formats accept it
        }
        for (Pass& pass : passes) {
            try_line(pass, reader, line, workload.lenient);
        }
    }
    if (reader.number() == 0) {
        throw InputError(workload.trace + ":1: the trace is empty");
    }
    Sample sample;
    sample.lines = reader.number();
    sample.whole = !more || !reader.next(line);
    for (Pass& pass : passes) {
        if (!pass.trial.format->claims(pass.state)) {
            pass.trial.accepted = 0;
            pass.trial.lines = 0;
        }
        sample.trials.push_back(std::move(pass.trial));
    }
    return sample;
}

} // namespace tlmssd::workload
