// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the words that stand for each enumerator, in the enumerators' order; tables/<module>.cpp defines them.
#pragma once

#include <string>
#include <vector>

namespace tlmssd::config {

/// The words of enumeration E: names_of<E>()[static_cast<int>(e)].
template <class E>
const std::vector<std::string>& names_of();

} // namespace tlmssd::config
