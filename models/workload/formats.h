// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the list of trace formats, by name and by trial.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/workload/trace_format.h"

namespace tlmssd::workload {

std::unique_ptr<TraceFormat> make_spc();
std::unique_ptr<TraceFormat> make_msr();
std::unique_ptr<TraceFormat> make_ssdsim();
std::unique_ptr<TraceFormat> make_disksim();
std::unique_ptr<TraceFormat> make_disksim_pages();
std::unique_ptr<TraceFormat> make_mqsim();
/// `action`: "D" (dispatched to the device) or "Q" (queued by the program).
/// Throws InputError for any other.
std::unique_ptr<TraceFormat> make_blkparse(const std::string& action);

/// The names that workload.format takes, in the order they are tried.
std::vector<std::string> format_names();

/// Throws InputError with the nearest name for an unknown one.
std::unique_ptr<TraceFormat> make_format(const std::string& name,
                                         const std::string& blkparse_action);

/// The only format that accepts the first 1,000 lines of the file. Throws InputError with the
/// candidates when several do, with the nearest format's first broken line when none does.
std::unique_ptr<TraceFormat> detect_format(const std::string& path,
                                           const std::string& blkparse_action);

} // namespace tlmssd::workload
