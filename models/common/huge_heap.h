// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the heap on huge pages.
#pragma once

namespace tlmssd {

/// Puts later allocations on huge pages where the system has them: a page of the host
/// touches some dozens of objects on as many small pages, more than a first-level TLB holds. A hint: where
/// it cannot be had, nothing happens. Call it once, before the model is built.
void use_huge_heap();

} // namespace tlmssd
