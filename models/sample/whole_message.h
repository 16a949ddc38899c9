// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: counts of requests on their way between processes.
#pragma once

#include <vector>

#include "models/sample/child_process.h"
#include "models/sample/windows.h"

namespace tlmssd::sample {

void put(Message& message, const Whole& whole);
/// ModelError: the message ends before.
Whole take_whole(Message& message);

void put_all(Message& message, const std::vector<Whole>& wholes);
/// ModelError: the message ends before.
std::vector<Whole> take_wholes(Message& message);

} // namespace tlmssd::sample
