// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: data bursts of a target.
#include "models/nand/target/command_decoder.h"

namespace tlmssd::nand {

namespace cmd = onfi::cmd;
using onfi::Rule;

void CommandDecoder::burst_in(const onfi::Segment& segment)
{
    if (sequence_.dead) {
        return;
    }
    const u32 first = sequence_.first;
    if (first == cmd::kSetFeatures || first == cmd::kLunSetFeatures) {
        registers_.set_features(first == cmd::kLunSetFeatures, segment);
        return;
    }
    if (first != cmd::kProgram && first != cmd::kChangeWriteColumn) {
        luns_.violate(Rule::CommandSequence);
        return;
    }
    if (!resolve_program()) {
        return;
    }
    const Rule rule = luns_.selected().lun.write_in(segment.data_bytes, *segment.data);
    if (rule != Rule::None) {
        sequence_.dead = true;
        luns_.violate(rule);
    }
}

void CommandDecoder::burst_out(onfi::Segment& segment)
{
    TimedLun& lun = luns_.selected();
    if (lun.silent()) {
        TargetOutput::put_silence(segment, device_.store.geometry());
        return;
    }
    if (sequence_.dead) {
        return;
    }
    if (!sequence_.may_be_left()) {
        luns_.violate(Rule::CommandSequence);
        return;
    }
    sequence_.first = CommandSequence::kNone;
    if (output_.is_status()) {
        TargetOutput::put_status(segment, lun.status(output_.status_plane()));
        return;
    }
    if (!luns_.accessible(lun, Access::Register)) {
        return;
    }
    if (output_.is_bytes()) {
        output_.put_bytes(segment);
        return;
    }
    const Rule rule = lun.lun.read_out(segment.data_bytes, *segment.data);
    if (rule != Rule::None) {
        luns_.violate(rule);
    } else if (device_.swap_at != 0) {
        count_page_burst(*segment.data);
    }
}

/// Fault injection: from burst number swap_at on, the first burst where a wrong tag can be had.
void CommandDecoder::count_page_burst(onfi::DataCells& cells)
{
    ++device_.bursts;
    if (device_.swapped == 0 && device_.bursts >= device_.swap_at &&
        luns_.selected().lun.swap_delivered(cells)) {
        ++device_.swapped;
    }
}

} // namespace tlmssd::nand
