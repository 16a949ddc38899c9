// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: fio job files as a list of jobs in the words of `workload`.
#pragma once

#include <string>
#include <vector>

#include "models/config/text/raw.h"

namespace tlmssd::config {

struct FioJob {
    RawNode map; ///< keys of `workload`
    std::vector<std::string> notes; ///< what the file asks for and does not get, "file:line:column: option: message"
};

/// The jobs of a fio job file as the list that `workload.jobs` would hold: a map of keys a job,
/// each value with its place in the fio file. Only keys that have an effect are in it, and fio's
/// defaults where they are not ours. `text`: the file's contents, `name`: it in messages.
/// InputError "file:line:column: option: message": an option that the generator does not know or
/// that it cannot obey, a wrong value.
std::vector<FioJob> fio_jobs(const std::string& text, const std::string& name);

} // namespace tlmssd::config
