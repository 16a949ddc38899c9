// SPDX-License-Identifier: BSD-3-Clause
// tlmssd: the key table, put together from the tables of the modules.
#include "models/config/keys/keys.h"

#include <unordered_map>

#include "models/config/keys/tables.h"

namespace tlmssd::config {

const std::vector<Key>& keys()
{
    // The configuration hash follows this order, so it must not change.
    static const std::vector<Key> table = [] {
        std::vector<Key> all;
        for (const auto module :
             {general_keys, geometry_keys, onfi_keys, controller_keys, cpu_keys, host_keys,
              sata_keys, ftl_keys, buffer_keys, vaq_keys, paq_keys, precondition_keys, inject_keys,
              time_keys, nand_keys, workload_keys, observe_keys, dram_keys, sost_keys, hybrid_keys,
              nvme_keys, buffer_policy_keys, prefetch_keys, eviction_keys, gc_keys}) {
            const std::vector<Key> more = module();
            all.insert(all.end(), more.begin(), more.end());
        }
        return all;
    }();
    return table;
}

const std::vector<Section>& sections()
{
    using Reference = Section::Reference;
    static const std::vector<Section> table{
        {"", "", Reference::None},
        {"geometry", "Shape of the flash array.", Reference::None},
        {"nand", "The NAND part: the path of a part file, or its keys here.", Reference::Path},
        {"nand.lower", "Page type 0, all page types of an SLC part.", Reference::None},
        {"nand.middle", "The second page type of a TLC or QLC part.", Reference::None},
        {"nand.upper", "The last page type of an MLC or TLC part, the third of QLC.", Reference::None},
        {"nand.top", "The fourth page type of a QLC part.", Reference::None},
        {"nand.wear", "How array times change with erases.", Reference::None},
        {"nand.errors", "Errors of the cells (docs/explanation/nand-errors.md).", Reference::None},
        {"nand.power", "Supply currents, for energy.", Reference::None},
        {"onfi", "The flash bus.", Reference::None},
        {"controller", "The flash controller.", Reference::None},
        {"cpu", "The CPU that runs the firmware.", Reference::None},
        {"cpu.core_of", "Which core a part of the firmware runs on; below `cpu.cores`.",
         Reference::None},
        {"dram", "The device's DRAM.", Reference::None},
        {"dram.timing", "With `dram.model: banks`, the part: the path of a file, or its keys here.",
         Reference::Path},
        {"host", "The host's side.", Reference::None},
        {"sata", "The SATA link, with `host.kind: sata`.", Reference::None},
        {"nvme", "Queue pairs, with `host.kind: nvme` (docs/explanation/nvme.md).", Reference::None},
        {"pcie", "The PCI Express link, with `host.kind: nvme`.", Reference::None},
        {"ftl", "Flash translation layer.", Reference::None},
        {"ftl.gc", "Garbage collection (docs/explanation/gc.md).", Reference::None},
        {"ftl.wear", "Wear levelling (docs/explanation/wear.md).", Reference::None},
        {"ftl.map", "The demand-cached map, with `ftl.mapping: dftl` (docs/explanation/dftl.md).", Reference::None},
        {"buffer", "The buffer in DRAM.", Reference::None},
        {"vaq", "The scheduler `vaq`.", Reference::None},
        {"paq", "The schedulers `paq1` and `paq2` (docs/explanation/paq.md).", Reference::None},
        {"sost", "The scheduler `sost` (docs/explanation/sost.md).", Reference::None},
        {"prefetch", "The launch-recognising prefetcher (docs/explanation/prefetch.md).", Reference::None},
        {"hybrid", "The scheduler `hybrid` (docs/explanation/hybrid.md).", Reference::None},
        {"precondition", "State of the device before the run, reached in no simulated time.",
         Reference::None},
        {"workload",
         "The workload of the host: the name of a preset, the path of a file, or its keys here.",
         Reference::Preset},
        {"workload.jobs",
         "A list of jobs that run side by side: each is a map of the keys above or the name of a preset.",
         Reference::JobList},
        {"workload.fio", "The path of a fio job file, instead of `jobs`: docs/guides/fio-jobs.md.",
         Reference::FioFile},
        {"observe", "Further measurements (docs/reference/results.md).", Reference::None},
        {"inject", "Faults put in on purpose.", Reference::None},
        {"time", "The model's clockwork.", Reference::None},
    };
    return table;
}

bool is_job_key(const Key& key) { return !key.of_run && key.section() == "workload"; }

const Key* find_key(const std::string& path)
{
    static const std::unordered_map<std::string, const Key*> index = [] {
        std::unordered_map<std::string, const Key*> map;
        for (const Key& key : keys()) {
            map.emplace(key.path, &key);
        }
        return map;
    }();
    const auto found = index.find(path);
    return found == index.end() ? nullptr : found->second;
}

const Section* find_section(const std::string& path)
{
    for (const Section& section : sections()) {
        if (section.path == path) {
            return &section;
        }
    }
    return nullptr;
}

std::vector<std::string> names_in(const std::string& path)
{
    std::vector<std::string> names;
    if (path.empty()) {
        names.push_back("include");
    }
    for (const Key& key : keys()) {
        if (key.section() == path) {
            names.push_back(key.name());
        }
    }
    for (const Section& section : sections()) {
        const std::size_t dot = section.path.rfind('.');
        const std::string parent = dot == std::string::npos ? "" : section.path.substr(0, dot);
        if (!section.path.empty() && parent == path) {
            names.push_back(dot == std::string::npos ? section.path : section.path.substr(dot + 1));
        }
    }
    return names;
}

} // namespace tlmssd::config
