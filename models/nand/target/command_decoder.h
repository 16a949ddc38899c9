// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: from ONFI cycles and bursts to operations of the LUNs of one CE#.
#pragma once

#include "models/nand/target/command_sequence.h"
#include "models/nand/target/register_commands.h"
#include "models/nand/target/target_luns.h"
#include "models/nand/target/target_output.h"

namespace tlmssd::nand {

/// Parses bytes. A broken rule is reported, and the sequence that broke it has no effect.
class CommandDecoder {
public:
    /// All references outlive the decoder. `number`: the target's number over the device.
    CommandDecoder(TargetLuns& luns, Features& features, Device& device, u32 number)
        : luns_(luns), features_(features), device_(device),
          registers_(luns, sequence_, output_, features, device, number)
    {
    }
    CommandDecoder(const CommandDecoder&) = delete;
    CommandDecoder& operator=(const CommandDecoder&) = delete;

    /// A segment that the target understands; TargetLuns::begin() has been called for it.
    void on_segment(onfi::Segment& segment);
    /// The supply has been cut: no command is open.
    void end_sequence() { sequence_.end(); }

private:
    static constexpr u32 kRowCycles = CommandSequence::kRowCycles;
    static constexpr u32 kColumnCycles = CommandSequence::kColumnCycles;
    static constexpr u32 kMaxAddresses = CommandSequence::kMaxAddresses;

    // command_decoder.cpp: cycles and sequences
    bool page_read(const onfi::Segment& segment);
    void cycles(const onfi::Segment& segment, u32 from, u32 to);
    void command(u8 byte);
    void confirm(u8 byte);
    void address(u64 value, u32 count);
    void open(u8 byte);
    bool closes(u32 first, u32 addresses);
    void row_complete(u8 first);
    TimedLun* ready_lun(const RowAddress& row, Access access);
    RowAddress row() const { return luns_.split(sequence_.row_after_column()); }
    RowAddress row_only() const { return luns_.split(sequence_.row()); }

    // array_commands.cpp: reads, programs, erases and what stops them
    void confirm_read(ReadEnd end);
    void confirm_cache_read(bool last);
    void confirm_program(ProgramEnd end);
    void confirm_erase(bool queue);
    void confirm_column();
    bool resolve_program();
    bool open_program();
    bool open_copyback();
    bool change_write_address();
    void change_write();
    void suspend(TimedLun& lun, ArrayOp kind);
    void reset(bool interface_too);

    // data_bursts.cpp
    void burst_in(const onfi::Segment& segment);
    void burst_out(onfi::Segment& segment);
    void count_page_burst(onfi::DataCells& cells);

    CommandSequence sequence_;
    TargetOutput output_;
    TargetLuns& luns_;
    Features& features_;
    Device& device_;
    RegisterCommands registers_;
};

} // namespace tlmssd::nand
