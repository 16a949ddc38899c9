// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the list of trace formats, by name and by trial.
#include "models/workload/formats/formats.h"

#include "models/common/error.h"
#include "models/workload/formats/lenient_hint.h"
#include "models/workload/formats/line_reader.h"

namespace tlmssd::workload {
namespace {

constexpr u64 kTrialLines = 1000;

struct Candidate {
    std::unique_ptr<TraceFormat> format;
    ReadState state;
    bool alive = true;
    bool ended = false; ///< saw the trailing summary
    u64 accepted = 0;   ///< lines that are not empty, before the first broken one
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
        candidate.state.line = reader.number();
        kind = candidate.format->read(line, row, problem, candidate.state);
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

/// A row of the table of formats.
struct Known {
    const char* name;
    std::unique_ptr<TraceFormat> (*make)(const config::Workload&);
    const char* words; ///< what it is
};

template <std::unique_ptr<TraceFormat> (*Make)()>
std::unique_ptr<TraceFormat> plain(const config::Workload&)
{
    return Make();
}

const Known kFormats[] = {
    {"spc", plain<make_spc>,
     "SPC trace files: ASU, LBA, bytes, R or W, seconds"},
    {"msr", plain<make_msr>,
     "CSV of MSR Cambridge: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"},
    {"ssdsim", plain<make_ssdsim>,
     "ASCII traces of SSDsim: ns, device, LBA, sectors, 1 for a read"},
    {"disksim", plain<make_disksim>,
     "ASCII traces of DiskSim: ms, device, block, sectors, flags"},
    {"disksim-pages", plain<make_disksim_pages>,
     "ASCII traces of DiskSim as users of FlashSim write them: LBA in sectors, size in pages of 4 KiB"},
    {"mqsim", plain<make_mqsim>,
     "ASCII traces of MQSim: ns, device, LBA, sectors, type"},
    {"ioda", plain<make_ioda>,
     "traces of the replayer of IODA: ms, device, offset, size, type"},
    {"blkparse", [](const config::Workload& w) { return make_blkparse(w.blkparse_action); },
     "text output of blkparse"},
    {"blkreplay", plain<make_blkreplay>,
     ".load files of blkreplay: start ; sector ; length ; op ; delay ; duration"},
    {"fio-iolog", plain<make_fio_iolog>,
     "I/O logs of fio, versions 2 and 3; waits of version 2 as the code of fio means them"},
    {"fio-iolog-manual", plain<make_fio_iolog_manual>,
     "I/O logs of fio; waits of version 2 as the manual of fio says"},
    {"fiu", plain<make_fiu>,
     "traces of FIU (IODedup): ns, pid, process, LBA, sectors, op, major, minor, md5"},
    {"hfplayer", plain<make_hfplayer>,
     "CSV of hfplayer, traces of NetApp's SAN; a header line names the columns"},
    {"tencent", plain<make_tencent>,
     "CSV of Tencent's block storage: Timestamp,Offset,Size,IOType,VolumeID"},
    {"alibaba", plain<make_alibaba>,
     "CSV of Alibaba's block traces of 2020: device_id,opcode,offset,length,timestamp"},
    {"systor17", plain<make_systor17>,
     "CSV of SYSTOR '17: Timestamp,Response,IOType,LUN,Offset,Size, after a header line"},
    {"cloudphysics", plain<make_cloudphysics>,
     "CSV of CloudPhysics: version,time,op,size,lbn, after a header line"},
    {"columns", [](const config::Workload& w) { return make_columns(w.trace_columns); },
     "any delimited text, with the columns that --trace-columns (workload.trace_columns) describes"},
};

std::unique_ptr<TraceFormat> named_format(const config::Workload& workload)
{
    for (const Known& known : kFormats) {
        if (workload.format == known.name) {
            return known.make(workload);
        }
    }
    throw InputError("workload.format: unknown trace format " + quoted(workload.format) +
                     "; did you mean \"" + nearest_of(workload.format, format_names()) + "\"?");
}

std::unique_ptr<TraceFormat> tried_format(const config::Workload& workload)
{
    const std::string& path = workload.trace;
    std::vector<Candidate> candidates;
    for (const Known& known : kFormats) {
        if (std::string(known.name) != "columns") {
            candidates.emplace_back();
            candidates.back().format = known.make(workload);
        }
    }
    LineReader reader(path);
    if (!reader.rereadable()) {
        throw InputError(path + ":1: not a regular file: its format cannot be tried; name it with "
                                "workload.format");
    }
    std::string_view line;
    while (reader.number() < kTrialLines && reader.next(line)) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) {
            continue; // all formats accept it
        }
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
        const bool claims = candidate.format->claims(candidate.state);
        candidate.accepted = claims ? candidate.accepted : 0;
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
        if (nearest->complaint.empty()) {
            throw InputError(path + ":1: no reader accepts the trace: it holds no request");
        }
        const std::string name = nearest->format->name();
        LineReader again(path);
        throw InputError(nearest->complaint + " (no reader accepts the trace; nearest is " + name + ")" +
                         (lines_ahead(again, *nearest->format, ReadState()).mostly_rows()
                              ? "; --format " + name + " " + kLenientHint
                              : ""));
    }
    return std::move(only->format);
}

} // namespace

std::vector<std::string> format_names()
{
    std::vector<std::string> names;
    for (const Known& known : kFormats) {
        names.emplace_back(known.name);
    }
    return names;
}

std::string format_words(const std::string& name)
{
    for (const Known& known : kFormats) {
        if (name == known.name) {
            return known.words;
        }
    }
    return "";
}

std::unique_ptr<TraceFormat> choose_format(const config::Workload& workload)
{
    config::Workload chosen = workload;
    if (!workload.trace_columns.empty()) {
        if (!workload.format.empty() && workload.format != "columns") {
            throw InputError("workload.trace_columns: has no effect because workload.format is " +
                             workload.format);
        }
        chosen.format = "columns";
    }
    return chosen.format.empty() ? tried_format(chosen) : named_format(chosen);
}

} // namespace tlmssd::workload
