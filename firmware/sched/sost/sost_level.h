// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the queue size leveler of `sost`.
#pragma once

#include "firmware/core/fw.h"

void sost_level(struct fw *fw);
