// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows of replayed operations.
#include "models/replay/replay_log.h"

#include <filesystem>

#include "models/common/error.h"
#include "models/observe/output/csv_file.h"
#include "models/probes/ops/checked_lines.h"
#include "models/probes/ops/op_words.h"

namespace tlmssd::replay {

namespace {

using flash::Phase;

const std::vector<std::string>& columns()
{
    static const std::vector<std::string> names = {
        "operation", "op",       "channel",  "ce",     "lun",           "rows",   "arrival_ns",
        "submit_ns", "start_ns", "end_ns",   "completion_ns", "status", "segments"};
    return names;
}

const std::vector<probes::Word>& phase_words()
{
    static const std::vector<probes::Word> words = {{"command", static_cast<u32>(Phase::Command)},
                                                    {"data_out", static_cast<u32>(Phase::DataOut)},
                                                    {"data_in", static_cast<u32>(Phase::DataIn)},
                                                    {"status", static_cast<u32>(Phase::Status)},
                                                    {"feature", static_cast<u32>(Phase::Feature)},
                                                    {"suspend", static_cast<u32>(Phase::Suspend)},
                                                    {"resume", static_cast<u32>(Phase::Resume)}};
    return words;
}

std::string text_of(Picoseconds time)
{
    char text[32];
    return time == kTimeNever ? "none" : std::string(text, observe::put_field(text, time));
}

std::string row_of(const ReplayRecord& record, u32 n, std::size_t& segment)
{
    const flash_op& op = record.stream[n].op;
    const ReplayedOp& r = record.ops[n];
    std::string row = std::to_string(n) + ',' + probes::word_of(probes::opcode_words(), op.opcode) + ',' +
                      std::to_string(op.channel) + ',' + std::to_string(op.ce) + ',' +
                      std::to_string(op.lun) + ',';
    for (u32 i = 0; i < op.nplanes; ++i) {
        row += (i == 0 ? "" : "/") + std::to_string(op.row[i]);
    }
    for (const Picoseconds time : {r.arrival, r.submitted, r.started, r.ended, r.completed}) {
        row += ',' + text_of(time);
    }
    row += std::string(",") + probes::word_of(probes::status_words(), r.status) + ',';
    bool any = false;
    for (; segment < record.segments.size() && record.segments[segment].op == n; ++segment) {
        const ReplayedSegment& s = record.segments[segment];
        row += std::string(any ? "/" : "") + name_of(s.phase) + ' ' + text_of(s.start) + ' ' +
               text_of(s.end);
        any = true;
    }
    return row + (any ? "\n" : "-\n");
}

Picoseconds time_or_none(probes::FieldReader& fields, std::string_view text)
{
    return text == "none" ? kTimeNever : fields.time_of(text);
}

void read_segments(probes::FieldReader& fields, u32 n, std::vector<ReplayedSegment>& segments)
{
    const std::string_view all = fields.text();
    for (std::size_t begin = 0; all != "-" && begin != std::string_view::npos;) {
        const std::size_t end = all.find('/', begin);
        const std::string_view one = all.substr(begin, end - begin);
        const std::size_t first = one.find(' ');
        const std::size_t second = first == std::string_view::npos ? first : one.find(' ', first + 1);
        if (second == std::string_view::npos) {
            fields.fail("a segment is `phase start_ns end_ns`");
        }
        ReplayedSegment s;
        s.op = n;
        s.phase = static_cast<Phase>(fields.word_in(one.substr(0, first), phase_words(), "a phase"));
        s.start = fields.time_of(one.substr(first + 1, second - first - 1));
        s.end = fields.time_of(one.substr(second + 1));
        segments.push_back(s);
        begin = end == std::string_view::npos ? end : end + 1;
    }
}

void read_row(probes::FieldReader& fields, const Geometry& g, ReplayRecord& record)
{
    const u32 n = static_cast<u32>(record.ops.size());
    fields.number(n, n);
    probes::RecordedOp recorded;
    flash_op& op = recorded.op;
    op.opcode = static_cast<u8>(fields.word(probes::opcode_words(), "an operation"));
    op.channel = static_cast<u8>(fields.number(0, g.channels - 1, " of the device"));
    op.ce = static_cast<u8>(fields.number(0, g.ces_per_channel() - 1, " of the device"));
    op.lun = static_cast<u8>(fields.number(0, g.luns_per_ce() - 1, " of the device"));
    const std::vector<u64> rows = fields.list(FLASH_MAX_PLANES, ~u32{0});
    op.nplanes = static_cast<u8>(rows.size());
    for (u32 i = 0; i < op.nplanes; ++i) {
        op.row[i] = static_cast<u32>(rows[i]);
    }
    ReplayedOp r;
    const bool reset = op.opcode == FLASH_OP_RESET;
    r.die = g.die_index_ce(op.channel, op.ce, reset ? 0 : op.lun);
    r.dies = reset ? g.luns_per_ce() : 1;
    for (Picoseconds* const time :
         {&r.arrival, &r.submitted, &r.started, &r.ended, &r.completed}) {
        *time = time_or_none(fields, fields.text());
    }
    r.status = static_cast<u8>(fields.word(probes::status_words(), "a status"));
    read_segments(fields, n, record.segments);
    recorded.at = r.arrival;
    record.stream.push_back(recorded);
    record.ops.push_back(r);
}

} // namespace

const char* name_of(Phase phase) { return probes::word_of(phase_words(), static_cast<u32>(phase)); }

void write_replay_log(const std::string& path, const ReplayRecord& record)
{
    observe::CsvFile file(path, "--out");
    std::string header;
    for (const std::string& name : columns()) {
        header += (header.empty() ? "" : ",") + name;
    }
    file.add(header + '\n');
    std::size_t segment = 0;
    for (u32 n = 0; n < record.ops.size(); ++n) {
        file.add(row_of(record, n, segment));
    }
    file.close();
}

ReplayRecord read_replay_log(const std::string& path, const Geometry& geometry)
{
    namespace fs = std::filesystem;
    const std::string file = fs::is_directory(path) ? (fs::path(path) / kReplayLog).string() : path;
    probes::CheckedLines lines(file, "the replay");
    probes::FieldReader fields(file, columns());
    ReplayRecord record;
    std::string_view line;
    if (!lines.next(line)) {
        throw InputError(file + ":1: the file is empty; " + kReplayLog +
                         " of a `tlmssd replay-ops --out` is needed");
    }
    fields.header(line);
    while (lines.next(line)) {
        fields.begin(line, lines.number());
        read_row(fields, geometry, record);
    }
    return record;
}

} // namespace tlmssd::replay
