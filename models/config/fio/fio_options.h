// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: which options of fio job files have an effect, which cannot have one, which are wrong.
#pragma once

#include <string>
#include <vector>

#include "models/config/fio/fio_file.h"

namespace tlmssd::config {

/// Options that fio_jobs() turns into keys.
const std::vector<std::string>& fio_known_options();
/// Options that cannot change what reaches the device, or only what fio prints; they are read over.
const std::vector<std::string>& fio_idle_options();

/// InputError where an option is neither known nor idle, or asks for what cannot be obeyed.
void check_fio_options(const FioSection& job, bool first_job);

} // namespace tlmssd::config
