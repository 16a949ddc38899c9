// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the list of trace formats, by name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/config/workload.h"
#include "models/workload/formats/trace_format.h"

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
std::unique_ptr<TraceFormat> make_blkreplay();
std::unique_ptr<TraceFormat> make_fio_iolog();
/// `wait` in version 2 as fio's manual says, not as fio's code does.
std::unique_ptr<TraceFormat> make_fio_iolog_manual();
std::unique_ptr<TraceFormat> make_fiu();
std::unique_ptr<TraceFormat> make_hfplayer();
std::unique_ptr<TraceFormat> make_tencent();
std::unique_ptr<TraceFormat> make_alibaba();
std::unique_ptr<TraceFormat> make_systor17();
std::unique_ptr<TraceFormat> make_cloudphysics();
std::unique_ptr<TraceFormat> make_ioda();
/// Throws InputError for an empty or wrong description (trace_columns.h).
std::unique_ptr<TraceFormat> make_columns(const std::string& description);

/// The names that workload.format takes, in the order they are tried; `columns`, the last, is not
/// tried.
std::vector<std::string> format_names();
/// A format in words, by its name; "": no format has it.
std::string format_words(const std::string& name);

/// The format that `workload.format` names. Throws InputError: an unknown name, with the nearest; a wrong description.
std::unique_ptr<TraceFormat> make_format(const config::Workload& workload);

} // namespace tlmssd::workload
