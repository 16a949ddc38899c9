// SPDX-License-Identifier: BSD-3-Clause
#include "tb/support/headers.h"
