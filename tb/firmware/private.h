// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the firmware's private tables, for tests that look inside or prepare a state.
#pragma once

extern "C" {
#include "firmware/boot/firmware.h"
#include "firmware/buffer/ahead/prefetch.h"
#include "firmware/buffer/buffer.h"
#include "firmware/buffer/policies/cawr.h"
#include "firmware/buffer/lines.h"
#include "firmware/core/op.h"
#include "firmware/core/panic.h"
#include "firmware/ftl/core/blocks.h"
#include "firmware/ftl/core/planes.h"
#include "firmware/ftl/core/state.h"
#include "firmware/ftl/gc/gc.h"
#include "firmware/ftl/map/dftl.h"
#include "firmware/ftl/map/log.h"
#include "firmware/ftl/map/units.h"
#include "firmware/sched/paq/paq.h"
#include "firmware/sched/sched.h"
}
