// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: recorded flash operations: `run --ops` writes them, `replay-ops` reads them (docs/guides/replay-ops.md).
#pragma once

#include <string>
#include <vector>

#include "models/common/geometry.h"
#include "models/common/picoseconds.h"
#include "models/interfaces/flash_port.h"
#include "models/observe/output/csv_file.h"
#include "models/time/event_queue.h"

namespace tlmssd::probes {

/// An operation as it was handed to the flash controller, and when.
struct RecordedOp {
    Picoseconds at;
    flash_op op{};
};

/// Writes one row per operation.
class OpFile {
public:
    /// InputError: the suffix is none of CsvFile's, or what the system says.
    explicit OpFile(const std::string& path);
    void add(const RecordedOp& recorded);
    void close() { file_.close(); }

private:
    observe::CsvFile file_;
};

/// Reads a whole file; of each field only what `geometry` has is taken. InputError "file:line: field
/// `name`: ..." for the first that is wrong, and for a file without operations.
std::vector<RecordedOp> read_ops(const std::string& path, const Geometry& geometry);

/// The line of operation `index` of a file.
constexpr u64 line_of_op(u64 index) { return index + 2; }

/// Between firmware and controller: writes what the controller takes, and changes nothing.
class OpRecorder final : public flash::ControllerIf {
public:
    explicit OpRecorder(const std::string& path) : file_(path) {}
    /// The controller to record; to be used instead of it.
    flash::ControllerIf& tap(flash::ControllerIf& controller, const time::EventQueue& event_queue);
    /// The file gets its name.
    void close() { file_.close(); }

    void bind(flash::CompletionSinkIf& sink) override { controller_->bind(sink); }
    u32 tags() const override { return controller_->tags(); }
    bool submit(const flash_op& op) override;

private:
    OpFile file_;
    flash::ControllerIf* controller_ = nullptr;
    const time::EventQueue* event_queue_ = nullptr;
};

} // namespace tlmssd::probes
