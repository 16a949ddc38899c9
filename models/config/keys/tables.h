// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the tables of keys: one function for each module, in tables/<module>.cpp.
#pragma once

#include <vector>

#include "models/config/keys/key.h"

namespace tlmssd::config {

// Adding a key means adding
// - a member: to the struct of its module (models/config/<module>.h), or, where only the firmware reads the
//   value and as it stands, to fw_config (firmware/core/config.h), which Config holds as `firmware`;
// - a row to the table of its module (tables/<module>.cpp);
// - the code that uses it;
// and nothing else.

std::vector<Key> buffer_keys();
std::vector<Key> buffer_policy_keys();
std::vector<Key> controller_keys();
std::vector<Key> cpu_keys();
std::vector<Key> dram_keys();
std::vector<Key> eviction_keys();
std::vector<Key> ftl_keys();
std::vector<Key> gc_keys();
std::vector<Key> general_keys();
std::vector<Key> geometry_keys();
std::vector<Key> host_keys();
std::vector<Key> hybrid_keys();
std::vector<Key> inject_keys();
std::vector<Key> nand_keys();
std::vector<Key> nvme_keys();
std::vector<Key> observe_keys();
std::vector<Key> onfi_keys();
std::vector<Key> paq_keys();
std::vector<Key> precondition_keys();
std::vector<Key> prefetch_keys();
std::vector<Key> sata_keys();
std::vector<Key> sost_keys();
std::vector<Key> time_keys();
std::vector<Key> vaq_keys();
std::vector<Key> workload_keys();

} // namespace tlmssd::config
