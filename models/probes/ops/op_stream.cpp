// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: rows of recorded flash operations.
#include "models/probes/ops/op_stream.h"

#include "firmware/core/config.h"
#include "models/common/error.h"
#include "models/probes/ops/checked_lines.h"
#include "models/probes/ops/op_words.h"

namespace tlmssd::probes {

namespace {

constexpr std::size_t kRowBytes = 512; // at most

const std::vector<std::string>& columns()
{
    static const std::vector<std::string> names = {
        "arrival_ns", "tag", "op",     "priority", "flags", "channel", "ce",      "lun",
        "stream",     "seq", "cookie", "oob",      "rows",  "buffers", "columns", "lengths"};
    return names;
}

template <class T>
char* put_list(char* at, const T* values, u32 count)
{
    for (u32 i = 0; i < count; ++i) {
        if (i != 0) {
            *at++ = '/';
        }
        at = observe::put_field(at, u64{values[i]});
    }
    return at;
}

char* put_flags(char* at, u32 flags)
{
    bool first = true;
    for (const Word& w : flag_words()) {
        if ((flags & w.value) != 0) {
            if (!first) {
                *at++ = '+';
            }
            first = false;
            at = observe::put_field(at, w.text);
        }
    }
    return first ? observe::put_field(at, "-") : at;
}

/// A row address and what it names in the LUN of the operation.
void check_row(const FieldReader& fields, const Geometry& g, const flash_op& op, u32 i)
{
    const u32 row = op.row[i];
    const auto out = [&](const char* what, u32 value, u32 count) {
        if (value >= count) {
            fields.fail("row " + std::to_string(row) + " is in " + what + " " +
                        std::to_string(value) + "; there are 0 to " + std::to_string(count - 1));
        }
    };
    out("LUN", g.row_lun(row), g.luns_per_ce());
    out("plane", g.row_plane(row), g.planes);
    out("block", g.row_block(row), g.blocks);
    out("page", g.row_page(row), g.pages);
    if (g.row_lun(row) != op.lun) {
        fields.fail("row " + std::to_string(row) + " is in LUN " + std::to_string(g.row_lun(row)) +
                    ", the operation goes to LUN " + std::to_string(op.lun));
    }
    for (u32 other = 0; other < i; ++other) {
        if (g.row_plane(op.row[other]) == g.row_plane(row)) {
            fields.fail("plane " + std::to_string(g.row_plane(row)) + " comes twice");
        }
    }
}

void read_planes(FieldReader& fields, const Geometry& g, flash_op& op)
{
    const std::vector<u64> rows = fields.list(FLASH_MAX_PLANES, ~u32{0});
    op.nplanes = static_cast<u8>(rows.size());
    for (u32 i = 0; i < op.nplanes; ++i) {
        op.row[i] = static_cast<u32>(rows[i]);
        if (op.opcode != FLASH_OP_RESET) {
            check_row(fields, g, op, i);
        }
    }
    const auto plane_list = [&](u64 most) {
        const std::vector<u64> values = fields.list(FLASH_MAX_PLANES, most);
        if (values.size() != rows.size()) {
            fields.fail(std::to_string(values.size()) + " planes, and `rows` has " +
                        std::to_string(rows.size()));
        }
        return values;
    };
    const std::vector<u64> buffers = plane_list(~u32{0});
    const std::vector<u64> first = plane_list(g.sectors_per_page() - 1);
    const std::vector<u64> lengths = plane_list(g.sectors_per_page());
    const bool data = op.opcode == FLASH_OP_READ || op.opcode == FLASH_OP_PROGRAM;
    for (u32 i = 0; i < op.nplanes; ++i) {
        op.buf[i] = static_cast<u32>(buffers[i]);
        op.col[i] = static_cast<u8>(first[i]);
        op.len[i] = static_cast<u8>(lengths[i]);
        if (data && (lengths[i] == 0 || first[i] + lengths[i] > g.sectors_per_page())) {
            fields.fail(std::to_string(lengths[i]) + " sectors from " + std::to_string(first[i]) +
                        " on; nearest: 1 to " +
                        std::to_string(g.sectors_per_page() - first[i]));
        }
    }
}

RecordedOp read_row(FieldReader& fields, const Geometry& g)
{
    RecordedOp r;
    flash_op& op = r.op;
    r.at = fields.time();
    op.tag = static_cast<u16>(fields.number(0, FW_MAX_FLASH_TAGS - 1, " of a controller"));
    op.opcode = static_cast<u8>(fields.word(opcode_words(), "an operation"));
    op.flags = static_cast<u8>(fields.number(0, FLASH_FLAG_PRIORITY_MASK));
    op.flags = static_cast<u8>(op.flags | fields.bits(flag_words(), "a flag"));
    op.channel = static_cast<u8>(fields.number(0, g.channels - 1, " of the device"));
    op.ce = static_cast<u8>(fields.number(0, g.ces_per_channel() - 1, " of the device"));
    op.lun = static_cast<u8>(fields.number(0, g.luns_per_ce() - 1, " of the device"));
    op.stream = static_cast<u16>(fields.number_or_none(FLASH_NO_STREAM, 0, FLASH_NO_STREAM - 1));
    op.seq = static_cast<u16>(fields.number(0, 0xffff));
    op.cookie = static_cast<u32>(fields.number(0, ~u32{0}));
    op.oob = static_cast<u32>(fields.number_or_none(FLASH_NO_OOB, 0, FLASH_NO_OOB - 1));
    read_planes(fields, g, op);
    return r;
}

} // namespace

OpFile::OpFile(const std::string& path) : file_(path, "--ops")
{
    std::string header;
    for (const std::string& name : columns()) {
        header += (header.empty() ? "" : ",") + name;
    }
    file_.add(header + '\n');
}

void OpFile::add(const RecordedOp& recorded)
{
    using observe::put_field;
    const flash_op& op = recorded.op;
    char text[kRowBytes];
    char* at = put_field(text, recorded.at);
    const auto next = [&at](auto value) {
        *at++ = ',';
        at = put_field(at, value);
    };
    const auto none_or = [&](u64 value, u64 none) {
        value == none ? next("none") : next(value);
    };
    next(u64{op.tag});
    next(word_of(opcode_words(), op.opcode));
    next(u64{op.flags & FLASH_FLAG_PRIORITY_MASK});
    *at++ = ',';
    at = put_flags(at, op.flags);
    next(u64{op.channel});
    next(u64{op.ce});
    next(u64{op.lun});
    none_or(op.stream, FLASH_NO_STREAM);
    next(u64{op.seq});
    next(u64{op.cookie});
    none_or(op.oob, FLASH_NO_OOB);
    *at++ = ',';
    at = put_list(at, op.row, op.nplanes);
    *at++ = ',';
    at = put_list(at, op.buf, op.nplanes);
    *at++ = ',';
    at = put_list(at, op.col, op.nplanes);
    *at++ = ',';
    at = put_list(at, op.len, op.nplanes);
    *at++ = '\n';
    file_.add(text, static_cast<std::size_t>(at - text));
}

std::vector<RecordedOp> read_ops(const std::string& path, const Geometry& geometry)
{
    CheckedLines lines(path, "the operations");
    FieldReader fields(path, columns());
    std::vector<RecordedOp> ops;
    std::string_view line;
    if (!lines.next(line)) {
        throw InputError(path + ":1: the file is empty; a recording of `tlmssd run --ops` is needed");
    }
    fields.header(line);
    while (lines.next(line)) {
        fields.begin(line, lines.number());
        ops.push_back(read_row(fields, geometry));
        if (ops.size() > 1 && ops.back().at < ops[ops.size() - 2].at) {
            throw InputError(path + ":" + std::to_string(lines.number()) +
                             ": field `arrival_ns`: earlier than in the line before");
        }
    }
    if (ops.empty()) {
        throw InputError(path + ":1: no operation behind the header");
    }
    return ops;
}

flash::ControllerIf& OpRecorder::tap(flash::ControllerIf& controller, const time::EventQueue& event_queue)
{
    controller_ = &controller;
    event_queue_ = &event_queue;
    return *this;
}

bool OpRecorder::submit(const flash_op& op)
{
    const RecordedOp recorded{event_queue_->now(), op}; // a completion inside the call may use the tag again
    const bool taken = controller_->submit(op);
    if (taken) {
        file_.add(recorded);
    }
    return taken;
}

} // namespace tlmssd::probes
