// SPDX-License-Identifier: BSD-3-Clause
// Which form of a test runs: the short one of every change, or the long one of `scripts/test --long`.
#pragma once

#include <cstdlib>
#include <string_view>

namespace tlmssd::tb {

/// TLMSSD_TEST_LONG=1.
inline bool long_form()
{
    const char* const form = std::getenv("TLMSSD_TEST_LONG");
    return form != nullptr && std::string_view(form) == "1";
}

} // namespace tlmssd::tb
