// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the structures in host memory that driver and device share (models/nvme), as this module has them.
#pragma once

#include "models/nvme/bytes.h"
#include "models/nvme/entries.h"
#include "models/nvme/register_map.h"
#include "models/nvme/status.h"

namespace tlmssd::nvme_device {

using namespace nvme;

} // namespace tlmssd::nvme_device
